"""The kinds of deliverables (specification, "Deliverable"), by the name that a file of each has
wherever those of a production are together.
"""

from typing import NamedTuple


class Kind(NamedTuple):
    """A kind of deliverable, as the API names it: what it is, and its format."""

    type: str
    format: str


VIDEO, DESCRIBED = "video.mp4", "described.mp4"
DESCRIPTIONS, CERTIFICATE = "descriptions.vtt", "certificate.pdf"
TRANSCRIPT, TRANSCRIPT_DOCUMENT = "transcript.txt", "transcript.docx"
TRANSCRIPTS = (TRANSCRIPT, TRANSCRIPT_DOCUMENT)
BY_NAME = {
    VIDEO: Kind("Video", "mp4"),  # one for each platform; of all others, one for a production
    "captions.srt": Kind("ClosedCaptions", "srt"),
    "captions.vtt": Kind("ClosedCaptions", "vtt"),
    DESCRIBED: Kind("AudioDescription", "mp4"),
    DESCRIPTIONS: Kind("AudioDescription", "vtt"),
    TRANSCRIPT: Kind("Transcript", "txt"),
    TRANSCRIPT_DOCUMENT: Kind("Transcript", "docx"),
    CERTIFICATE: Kind("ComplianceCertificate", "pdf"),
}
NAMES = {kind: name for name, kind in BY_NAME.items()}
ONCE = {name: kind for name, kind in BY_NAME.items() if name != VIDEO}
CAPTION_FORMATS = tuple(kind.format for kind in BY_NAME.values() if kind.type == "ClosedCaptions")
TYPES = tuple(dict.fromkeys(kind.type for kind in BY_NAME.values()))
FORMATS = tuple(dict.fromkeys(kind.format for kind in BY_NAME.values()))
