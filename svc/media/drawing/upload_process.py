"""Processing uploads: ``python -m svc.media.drawing.upload_process
portrait|logo|picture|font|track|clip|face SOURCE TARGET``.

``portrait``, ``logo`` and ``picture`` decode an untrusted upload and write it again as a square
JPEG, a PNG, or either, so that only pixels survive; ``font``, ``track`` and ``clip`` check a font,
a piece of music or a clip and write it again. ``face`` draws the face of the avatar that SOURCE
describes as JSON. The result is a JSON object on standard output: ``{}``, or
``{"wrong": sentence}``.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image, ImageDraw, ImageFile, ImageOps, UnidentifiedImageError

from svc.base import atomic_file
from svc.base.processes.confinement import Confinement, apply, lower_priority
from svc.media.drawing.colour import Colour, parse_colour
from svc.media.errors import InvalidUpload
from svc.media.model import Presenter, load

FORMATS = ("JPEG", "PNG", "WEBP")
SMALLEST, LARGEST = 256, 10_000  # pixels of a side of a portrait
SMALLEST_LOGO = 32
MOST_PIXELS = 40_000_000
SIDE = 800  # pixels of the written picture
_ACCENT = "#3d7eff"
_BARS = (0.18, 0.42, 0.26, 0.6, 0.34, 0.5, 0.2)  # half of each bar's height, in half sides
_MEMORY = 1000  # megabytes
_FILE = 50  # megabytes
_SECONDS = {"track": 60, "clip": 120}  # of processor time
_OTHERWISE = 20


class InvalidPicture(InvalidUpload):
    """The file is not usable; the message says why, and what to do."""


def convert_portrait(source: Path, target: Path) -> None:
    """Write the middle of the picture ``source`` as a square JPEG. Raises InvalidPicture."""
    with open_upright(source, SMALLEST) as upright:
        square = ImageOps.fit(
            _flatten(upright), (SIDE, SIDE), Image.Resampling.LANCZOS, centering=(0.5, 0.4)
        )
    square.info.clear()  # or Pillow would write the source's comment
    with atomic_file.replace(target) as partial:
        square.save(partial, "JPEG", quality=92)


def convert_logo(source: Path, target: Path) -> None:
    """Write the picture ``source``, with its transparency, as a PNG of at most SIDE pixels.

    Raises InvalidPicture.
    """
    with open_upright(source, SMALLEST_LOGO) as upright:
        small = upright.convert("RGBA")
        small.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    small.info.clear()  # or Pillow would write the source's comment and colour profile
    with atomic_file.replace(target) as partial:
        small.save(partial, "PNG", optimize=True)


@contextmanager
def open_upright(source: Path, smallest: int) -> Iterator[Image.Image]:
    """Yield the upright picture.

    Raises InvalidPicture, whether the error shows on opening or on decoding.
    """
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    try:
        with Image.open(source, formats=FORMATS) as opened:
            _check_size(opened, smallest)
            yield ImageOps.exif_transpose(opened)
    except UnidentifiedImageError:
        raise InvalidPicture(
            "This is not a readable picture. Choose a JPEG, PNG or WebP file."
        ) from None
    except Image.DecompressionBombError:
        raise InvalidPicture(
            f"The picture has more than {MOST_PIXELS:,} pixels. Make it smaller first."
        ) from None
    except (OSError, ValueError, SyntaxError, MemoryError) as error:
        raise InvalidPicture(
            "The picture is damaged or ends early. Save it again as JPEG or PNG."
        ) from error


def draw_face(source: Path, target: Path) -> None:
    """Draw the avatar that ``source`` describes; of one without a figure, its voice."""
    from svc.media.drawing import avatar as drawing

    avatar, accent = load(Presenter, source), parse_colour(_ACCENT)
    drawn = (
        drawing.draw_portrait(avatar, accent, SIDE // 2) if avatar.is_shown else _draw_sound(accent)
    )
    with atomic_file.replace(target) as partial:
        drawn.save(partial, "PNG")


def _convert_font(source: Path, target: Path) -> None:
    from svc.media import font_upload

    font_upload.convert_font(source, target)


def _convert_track(source: Path, target: Path) -> None:
    from svc.media.music import track_upload

    track_upload.convert_track(source, target)


def _convert_picture(source: Path, target: Path) -> None:
    from svc.media.pictures import upload

    upload.convert_picture(source, target)


def _convert_clip(source: Path, target: Path) -> None:
    from svc.media.clips import upload

    upload.convert_clip(source, target)


def _draw_sound(accent: Colour) -> Image.Image:
    """Draw a disc with the bars of a sound."""
    side = SIDE // 2
    drawn = Image.new("RGBA", (SIDE, SIDE))
    pen, width = ImageDraw.Draw(drawn), SIDE // 20
    pen.ellipse((0, 0, SIDE - 1, SIDE - 1), fill=accent)
    for number, height in enumerate(_BARS):
        middle = SIDE // 2 + 2 * width * (number - len(_BARS) // 2)
        box = (
            middle - width // 2,
            round(side - height * side),
            middle + width // 2,
            round(side + height * side),
        )
        pen.rounded_rectangle(box, width // 2, fill="white")
    return drawn.resize((side, side), Image.Resampling.LANCZOS)


def _check_size(picture: Image.Image, smallest: int) -> None:
    width, height = picture.size
    if (
        min(width, height) < smallest
        or max(width, height) > LARGEST
        or width * height > MOST_PIXELS
    ):
        raise InvalidPicture(
            f"The picture has {width} × {height} pixels; each side must have {smallest} to "
            f"{LARGEST:,}, and the whole picture at most {MOST_PIXELS:,}."
        )


def _flatten(picture: Image.Image) -> Image.Image:
    """Return the picture without transparency, on white."""
    if picture.mode in ("RGB", "L"):
        return picture.convert("RGB")
    solid = picture.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", solid.size, "white"), solid).convert("RGB")


def _import_before_confinement(task: str) -> None:
    """Import what could not be read afterwards; for the other tasks it would only take time."""
    if task == "face":
        from svc.media.drawing import avatar  # noqa: F401
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
    "portrait": convert_portrait,
    "logo": convert_logo,
    "font": _convert_font,
    "track": _convert_track,
    "clip": _convert_clip,
    "picture": _convert_picture,
    "face": draw_face,
}

if __name__ == "__main__":
    main(*sys.argv[1:])
