"""The deliverables of a finished production: its files, as the API names them."""

from pathlib import Path

from svc.media.model import DeliverableFile, Descriptions, Timeline, VideoBrief, load

CERTIFICATE = "certificate.pdf"


def deliverables(brief: VideoBrief, folder: Path) -> list[DeliverableFile]:
    """Return the deliverables in ``folder``.

    A Video is listed once for each platform that takes it, or once with no platform; every other file is listed once.
    """
    timeline = load(Timeline, folder / "timeline.json")
    programme = timeline.duration
    described = programme + sum(cue.duration for cue in load(Descriptions, folder / "descriptions.json").cues)
    rows = [
        (f"{rendition.name}.mp4", "Video", platform, programme)
        for rendition in brief.renditions
        for platform in rendition.platforms or (None,)
    ]
    rows += [
        ("captions.srt", "ClosedCaptions", None, None),
        ("captions.vtt", "ClosedCaptions", None, None),
        ("described.mp4", "AudioDescription", None, round(described, 3)),
        ("descriptions.vtt", "AudioDescription", None, None),
        ("transcript.txt", "Transcript", None, None),
        ("transcript.docx", "Transcript", None, None),
        (CERTIFICATE, "ComplianceCertificate", None, None),
    ]
    return [
        DeliverableFile(
            path, kind, platform, Path(path).suffix[1:], duration, brief.language, "" if duration is None else timeline.voice
        )
        for path, kind, platform, duration in rows
    ]
