"""``python -m tests.media.brief_sheet FOLDER [NAME …]``: every scene of the briefs beside
this module, to be looked at.

Draws a WebP sheet for each brief, look, theme and shape; ``--look``, ``--theme`` and ``--shape``
choose among them. With ``--again`` it draws the PNG sheets anew that are in FOLDER, such as
docs/pictures.
"""

import argparse
from pathlib import Path

from PIL import Image

from svc.base.looks import THEMES
from svc.media.captions import captions
from svc.media.drawing.looks import LOOKS
from svc.media.model import Presenter, Rendition, Script, VideoBrief
from svc.media.script import from_brief
from svc.media.slides import framings
from svc.media.video.scene import SceneRenderer
from tests.media.contact_sheet import evenly, paste_cast

BRIEFS = {path.stem: path for path in sorted((Path(__file__).parent / "briefs").glob("*.md"))}
SHAPES = {
    "landscape": Rendition("landscape", 1920, 1080),
    "portrait": Rendition("portrait", 1080, 1920),
    "square": Rendition("square", 1080, 1080),
    "feed": Rendition("feed", 1080, 1350),
}
_WIDTHS = {
    "landscape": (480, 4),
    "portrait": (270, 7),
    "square": (320, 6),
    "feed": (320, 6),
}  # of a frame, and how many in a row
_MOST = 28  # scenes on a sheet
# pixels of a sheet in the documents, the widest of which it is no larger than so many bytes
_KEPT_WIDTHS, _KEPT_BYTES = (1440, 1280, 1120, 960), 290_000


def read(name: str, **changes) -> VideoBrief:
    """The brief of a file, whose first lines name language and title."""
    head, _, notes = BRIEFS[name].read_text("utf-8").partition("---\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    return VideoBrief(
        "p",
        fields["title"],
        fields["title"],
        fields["language"],
        "US",
        notes,
        Presenter("Ada", "f3", hair_style="bun"),
        tuple(SHAPES.values()),
        account_name="Harbour & Sons",
        accent="#0f766e",
        **changes,
    )


def sheet(brief: VideoBrief, shape: str) -> Image.Image:
    """Return every scene as it looks when its last word has been spoken, with its caption;
    a composed one in each framing.
    """
    script = from_brief.write_script(brief)
    renderer, (width, columns) = SceneRenderer(brief, script, SHAPES[shape]), _WIDTHS[shape]
    stages = [
        (number, stage)
        for number in range(len(script.scenes))
        for stage in _stages(renderer, number)
    ]
    frames = [frame(renderer, script, number, stage) for number, stage in stages[:_MOST]]
    height = round(width * SHAPES[shape].height / SHAPES[shape].width)
    result = Image.new("RGB", (columns * width, -(-len(frames) // columns) * height), "#808080")
    for number, picture in enumerate(frames):
        small = picture.resize((width, height), Image.Resampling.LANCZOS)
        result.paste(small, (number % columns * width, number // columns * height))
    return result


def _stages(renderer: SceneRenderer, number: int) -> list[int]:
    """The stages of a scene that are shown: its framings, or the last one."""
    stages = renderer.list_stages(number)
    framed = renderer.is_composed and framings.list_framings(renderer.script.scenes[number])
    return list(range(len(stages))) if framed else [len(stages) - 1]


def frame(renderer: SceneRenderer, script: Script, number: int, stage: int) -> Image.Image:
    """Return the last picture of a stage, with the caption of its last words if they are not
    in large type.
    """
    firsts, words = renderer.list_stages(number), len(script.scenes[number].words)
    last = (firsts[stage + 1] if 0 <= stage < len(firsts) - 1 else words) - 1
    picture = Image.fromarray(renderer.picture(number, stage, with_sprites=False))
    cues = captions.split_cues(
        script,
        evenly(script),
        *renderer.plan.caption_lines,
        in_type=renderer.list_words_in_type(),
        cuts=renderer.list_cuts(),
    )
    for cue in cues:
        if cue.scene == number and cue.first_word <= last <= cue.last_word:
            tile = renderer.draw_caption(cue, last)
            picture.paste(Image.fromarray(tile.pixels), (tile.left, tile.top))
    paste_cast(picture, renderer, number, stage)
    return picture


def draw_again(folder: Path) -> None:
    """Draw the sheets of a folder anew, small, with few colours and without noise."""
    for path in folder.glob("*.png"):
        name, look, theme, shape = path.stem.split("-")
        drawn = sheet(read(name, look=look, theme=theme), shape)
        # a sky has no edges to hide steps at
        dither = Image.Dither.FLOYDSTEINBERG if look == "scenes" else Image.Dither.NONE
        for width in _KEPT_WIDTHS:
            size = width, round(drawn.height * width / drawn.width)
            small = drawn.resize(size, Image.Resampling.LANCZOS)
            palette = small.quantize(method=Image.Quantize.MAXCOVERAGE, kmeans=2)
            small.quantize(palette=palette, dither=dither).save(path, optimize=True)
            if path.stat().st_size < _KEPT_BYTES:
                break


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", choices=[*BRIEFS, []])
    parser.add_argument("--look", choices=tuple(LOOKS), action="append")
    parser.add_argument("--theme", choices=THEMES, action="append")
    parser.add_argument("--shape", choices=tuple(SHAPES), action="append")
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args()
    if options.again:
        return draw_again(options.folder)
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in options.names or BRIEFS:
        for look in options.look or LOOKS:
            for theme in options.theme or THEMES:
                for shape in options.shape or SHAPES:
                    brief = read(name, look=look, theme=theme)
                    sheet(brief, shape).save(
                        options.folder / f"{name}-{look}-{theme}-{shape}.webp", quality=82, method=6
                    )


if __name__ == "__main__":
    main()
