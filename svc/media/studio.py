"""An avatar's picture, in a process of its own: ``python -m svc.media.studio portrait|face SOURCE TARGET``.

``portrait`` reads a picture that somebody uploaded, which may be anything, and writes it again as a square JPEG: only
pixels come through. ``face`` draws the face of the avatar that SOURCE describes as JSON. The verdict is a JSON object on
standard output: ``{}``, or ``{"wrong": sentence}``.
"""

import json
import resource
import sys
from pathlib import Path

from PIL import Image, ImageFile, ImageOps, UnidentifiedImageError

from svc.media import avatar, files
from svc.media.colour import parse
from svc.media.programme import Avatar, load

FORMATS = ("JPEG", "PNG", "WEBP")
SMALLEST, LARGEST = 256, 10_000  # pixels of a side
MOST_PIXELS = 40_000_000
SIDE = 800  # pixels of what is written
_ACCENT = "#3d7eff"
_MEMORY = 2 * 1024**3  # bytes of address space
_SECONDS = 20  # of the processor


class NoPortrait(Exception):
    """The file cannot be a portrait; the text says why, and what can."""


def portrait(source: Path, target: Path) -> None:
    """Write the middle of the picture ``source`` as a square JPEG. NoPortrait."""
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    try:
        with Image.open(source, formats=FORMATS) as opened:
            _check_size(opened)
            opened.draft("RGB", (SIDE, SIDE))
            upright = ImageOps.exif_transpose(opened)
            square = ImageOps.fit(_flat(upright), (SIDE, SIDE), Image.Resampling.LANCZOS, centering=(0.5, 0.4))
    except UnidentifiedImageError:
        raise NoPortrait("This is no picture that can be read. Choose a JPEG, PNG or WebP file.") from None
    except Image.DecompressionBombError:
        raise NoPortrait(f"The picture has more than {MOST_PIXELS:,} pixels. Make it smaller first.") from None
    except (OSError, ValueError, SyntaxError, MemoryError) as broken:
        raise NoPortrait("The picture is damaged or ends early. Save it again as JPEG or PNG.") from broken
    with files.whole(target) as partial:
        square.save(partial, "JPEG", quality=92)


def face(source: Path, target: Path) -> None:
    """Draw the avatar that ``source`` describes."""
    drawn = avatar.portrait(load(Avatar, source), parse(_ACCENT), SIDE // 2)
    with files.whole(target) as partial:
        drawn.save(partial, "PNG")


def _check_size(picture: Image.Image) -> None:
    width, height = picture.size
    if min(width, height) < SMALLEST or max(width, height) > LARGEST or width * height > MOST_PIXELS:
        raise NoPortrait(
            f"The picture has {width} × {height} pixels; each side should have {SMALLEST} to {LARGEST:,}, "
            f"and all of it at most {MOST_PIXELS:,}."
        )


def _flat(picture: Image.Image) -> Image.Image:
    """Without transparency, on white."""
    if picture.mode in ("RGB", "L"):
        return picture.convert("RGB")
    solid = picture.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", solid.size, "white"), solid).convert("RGB")


def main(what: str, source: str, target: str) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    try:
        {"portrait": portrait, "face": face}[what](Path(source), Path(target))
    except NoPortrait as refused:
        print(json.dumps({"wrong": str(refused)}))
        return
    print("{}")


if __name__ == "__main__":
    main(*sys.argv[1:])
