"""The files that a finished production holds, as the API names them."""

from pathlib import Path

from svc.media.programme import DeliverableFile, Descriptions, Timeline, VideoBrief, load

CERTIFICATE = "certificate.pdf"


def deliverables(brief: VideoBrief, folder: Path) -> list[DeliverableFile]:
    """One Video a platform (or one without a platform, where a rendition has none), everything else once."""
    programme = load(Timeline, folder / "timeline.json").duration
    described = programme + sum(cue.duration for cue in load(Descriptions, folder / "descriptions.json").cues)
    made = [
        (f"{rendition.name}.mp4", "Video", platform, programme)
        for rendition in brief.renditions
        for platform in rendition.platforms or (None,)
    ]
    made += [
        ("captions.srt", "ClosedCaptions", None, None),
        ("captions.vtt", "ClosedCaptions", None, None),
        ("described.mp4", "AudioDescription", None, round(described, 3)),
        ("descriptions.vtt", "AudioDescription", None, None),
        ("transcript.txt", "Transcript", None, None),
        ("transcript.docx", "Transcript", None, None),
        (CERTIFICATE, "ComplianceCertificate", None, None),
    ]
    return [
        DeliverableFile(path, kind, platform, Path(path).suffix[1:], duration, brief.language)
        for path, kind, platform, duration in made
    ]
