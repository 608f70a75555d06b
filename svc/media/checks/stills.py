"""The pictures of warnings: a frame of the film that shows what a gate is not sure of,
for people to look at.
"""

from dataclasses import replace
from pathlib import Path

import av
from PIL import Image

from svc.base import atomic_file
from svc.media.checks.film_timeline import Film, find_scene
from svc.media.checks.scene_pictures import end_of_speech
from svc.media.model import QualityFinding

MOST = 20  # pictures of one production
_WIDEST = 640  # pixels of the longer side
_QUALITY = 82
_FRAME = 1 / 60  # seconds, less than any
_Moment = tuple[str, float]  # the name of a film, and seconds


def name_still(number: int) -> str:
    """Return the name of the file with the picture ``number``, from 1."""
    return f"warning-{number}.jpg"


def add_pictures(
    findings: list[QualityFinding], films: list[Film], folder: Path
) -> list[QualityFinding]:
    """Return the findings, each warning with its scene's number and picture where a moment of a
    film shows it.

    The pictures are written into ``folder``, at most :data:`MOST`; warnings of one moment share
    theirs.
    """
    by_name, pictures = {film.name: film for film in films}, dict[_Moment, str]()
    result = []
    for finding in findings:
        film = by_name.get(finding.subject, films[0])  # captions are those of all films
        at = _find_moment(finding, film) if finding.warns else None
        if at is None:
            result.append(finding)
            continue
        moment = film.name, round(at, 2)
        if moment not in pictures and len(pictures) < MOST:
            name = name_still(len(pictures) + 1)
            pictures[moment] = name if _write_still(folder / film.name, at, folder / name) else ""
        scene = (
            None if film.count_seconds_in_clips(at, at + _FRAME) else find_scene(at, film.scenes)
        )
        result.append(replace(finding, scene=scene, picture=pictures.get(moment, "")))
    return result


def _find_moment(finding: QualityFinding, film: Film) -> float | None:
    """Return when the film shows what a finding is about; None: it is about no moment."""
    if finding.at is None and finding.scene is not None and finding.scene <= len(film.scenes):
        return end_of_speech(film.scenes[finding.scene - 1])
    return finding.at


def _write_still(film: Path, at: float, target: Path) -> bool:
    """Write the picture that ``film`` shows ``at`` so many seconds;
    return whether it could be decoded.
    """
    image = None
    try:
        with av.open(str(film)) as container:
            stream = container.streams.video[0]
            container.seek(round(at * 1_000_000))  # of the container, in microseconds
            for frame in container.decode(stream):
                if image is None or (frame.time or 0.0) <= at:
                    image = frame
                if (frame.time or 0.0) >= at:
                    break
    except (OSError, ValueError, IndexError):
        # the base classes of av's errors; the gate of decoding judges them
        return False
    if image is None:
        return False
    picture = image.to_image()
    picture.thumbnail((_WIDEST, _WIDEST), Image.Resampling.LANCZOS)
    with atomic_file.replace(target) as partial:
        picture.save(partial, "JPEG", quality=_QUALITY, optimize=True)
    return True
