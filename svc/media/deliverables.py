"""The deliverables of a finished production: its files, as the API names them."""

from pathlib import Path

from svc.base import deliverable_kinds
from svc.media import records
from svc.media.model import (
    DeliverableFile,
    Descriptions,
    Rendition,
    VideoBrief,
    load,
    load_timeline,
)

# The type of the text beside the video in the certificate; partners read it in the list of
# deliverables.
DESCRIPTION = "Description"
_BYTES = 4  # of a character, at most


def name_description_file(rendition: Rendition) -> str:
    """Return the name of the file with the text beside the video of a rendition."""
    return f"description-{rendition.name}.txt"


def name_thumbnail_file(rendition: Rendition) -> str:
    """Return the name of the file with the small picture of a rendition, for lists."""
    return f"thumbnail-{rendition.name}.webp"


def name_captions_file(language: str, suffix: str) -> str:
    """Return the name of the file with the captions in a further language: ``captions.es.vtt``."""
    return f"captions.{language}.{suffix}"


def read_descriptions(brief: VideoBrief, folder: Path) -> dict[str, str]:
    """Return the text beside the video on each platform.

    ValueError: a file is not a text of the right length.
    """
    texts: dict[str, str] = {}
    for rendition in brief.renditions:
        path = folder / name_description_file(rendition)
        if path.exists():
            text = records.read_text(path, _BYTES * rendition.longest_description)
            if len(text) > rendition.longest_description or "\0" in text:
                raise ValueError(
                    f"{path.name} has more than {rendition.longest_description} characters, or "
                    "one that is none"
                )
            texts |= dict.fromkeys(rendition.platforms, text)
    return texts


def list_deliverables(brief: VideoBrief, folder: Path) -> list[DeliverableFile]:
    """Return the deliverables in ``folder``.

    A Video is listed once for each platform that takes it, or once with no platform; every other
    file is listed once.
    """
    timeline = load_timeline(folder)
    programme = timeline.duration
    cues = load(Descriptions, folder / "descriptions.json").cues
    described = programme + sum(cue.duration for cue in cues)
    durations = {deliverable_kinds.DESCRIBED: round(described, 3)}
    rows: list[tuple[str, str, str | None, float | None]] = [
        (f"{rendition.name}.mp4", "Video", platform, programme)
        for rendition in brief.renditions
        for platform in rendition.platforms or (None,)
    ]
    rows += [
        (name, kind.type, None, durations.get(name))
        for name, kind in deliverable_kinds.ONCE.items()
    ]
    translated = [
        DeliverableFile(
            name_captions_file(language, suffix), "ClosedCaptions", None, suffix, None, language
        )
        for language in brief.caption_languages
        for suffix in deliverable_kinds.CAPTION_FORMATS
    ]
    return [
        DeliverableFile(
            path,
            kind,
            platform,
            Path(path).suffix[1:],
            duration,
            brief.language,
            "" if duration is None else timeline.voice,
        )
        for path, kind, platform, duration in rows
    ] + translated
