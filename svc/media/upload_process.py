"""Processing uploads: ``python -m svc.media.upload_process
portrait|logo|picture|font|track|clip|face SOURCE TARGET``.

``portrait``, ``logo`` and ``picture`` decode an untrusted upload and write it again as a square
JPEG, a PNG, or either, so that only pixels survive; ``font``, ``track`` and ``clip`` check a font,
a piece of music or a clip and write it again. ``face`` draws the face of the avatar that SOURCE
describes as JSON. The result is a JSON object on standard output: ``{}``, or
``{"wrong": sentence}``.
"""

import json
import sys
from pathlib import Path

from PIL import Image, ImageDraw

from svc.base import atomic_file
from svc.base.processes.confinement import Confinement, apply, lower_priority
from svc.media.colour import Colour, parse_colour
from svc.media.errors import InvalidUpload
from svc.media.model import Presenter, load
from svc.media.pictures import upload as picture_upload

_SIDE = 400  # pixels of a drawn face
_ACCENT = "#3d7eff"
_BARS = (0.18, 0.42, 0.26, 0.6, 0.34, 0.5, 0.2)  # half of each bar's height, in half sides
_MEMORY = 1000  # megabytes
_FILE = 50  # megabytes
_SECONDS = {"track": 60, "clip": 120}  # of processor time
_OTHERWISE = 20


def draw_face(source: Path, target: Path) -> None:
    """Draw the avatar that ``source`` describes; of one without a figure, its voice."""
    from svc.media.figure import avatar as drawing

    avatar, accent = load(Presenter, source), parse_colour(_ACCENT)
    drawn = drawing.draw_portrait(avatar, accent, _SIDE) if avatar.is_shown else _draw_sound(accent)
    with atomic_file.replace(target) as partial:
        drawn.save(partial, "PNG")


def _convert_font(source: Path, target: Path) -> None:
    from svc.media import font_upload

    font_upload.convert_font(source, target)


def _convert_track(source: Path, target: Path) -> None:
    from svc.media.music import track_upload

    track_upload.convert_track(source, target)


def _convert_clip(source: Path, target: Path) -> None:
    from svc.media.clips import upload

    upload.convert_clip(source, target)


def _draw_sound(accent: Colour) -> Image.Image:
    """Draw a disc with the bars of a sound."""
    twice = 2 * _SIDE
    drawn = Image.new("RGBA", (twice, twice))
    pen, width = ImageDraw.Draw(drawn), _SIDE // 10
    pen.ellipse((0, 0, twice - 1, twice - 1), fill=accent)
    for number, height in enumerate(_BARS):
        middle = _SIDE + 2 * width * (number - len(_BARS) // 2)
        box = (
            middle - width // 2,
            round(_SIDE - height * _SIDE),
            middle + width // 2,
            round(_SIDE + height * _SIDE),
        )
        pen.rounded_rectangle(box, width // 2, fill="white")
    return drawn.resize((_SIDE, _SIDE), Image.Resampling.LANCZOS)


def _import_before_confinement(task: str) -> None:
    """Import what could not be read afterwards; for the other tasks it would only take time."""
    if task == "face":
        pass
    elif task == "font":
        from svc.media import font_upload  # noqa: F401


def main(task: str, source: str, target: str) -> None:
    lower_priority()
    _import_before_confinement(task)
    apply(
        Confinement(
            read=(str(Path(source).parent),),
            write=(str(Path(target).parent),),
            memory=_MEMORY,
            file_size=_FILE,
            seconds=_SECONDS.get(task, _OTHERWISE),
        )
    )
    try:
        _TASKS[task](Path(source), Path(target))
    except InvalidUpload as error:
        print(json.dumps({"wrong": str(error)}))
        return
    print("{}")


_TASKS = {
    "portrait": picture_upload.convert_portrait,
    "logo": picture_upload.convert_logo,
    "font": _convert_font,
    "track": _convert_track,
    "clip": _convert_clip,
    "picture": picture_upload.convert_picture,
    "face": draw_face,
}

if __name__ == "__main__":
    main(*sys.argv[1:])
