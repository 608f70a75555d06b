"""``python -m tests.media.contact_sheet OUT.png [LOOK …]``: frames of looks (else of the first
three) in every theme, shape and script, to be looked at.

With ``--overview`` it draws the pictures of docs/media.md anew, with ``--golden`` the small frames
that tests/media/test_golden.py compares with, of all looks or of those that are named.
"""

import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from PIL import Image

from svc.base.looks import THEMES
from svc.media.captions import captions
from svc.media.drawing import sprites
from svc.media.drawing.looks import LOOKS
from svc.media.model import (
    Presenter,
    Rendition,
    SceneTiming,
    Script,
    Timeline,
    Upload,
    VideoBrief,
    Word,
)
from svc.media.script import from_brief
from svc.media.slides import slide
from svc.media.video.scene import SceneRenderer

OVERVIEW = Path(__file__).parents[2] / "svc" / "public" / "static" / "pictures" / "looks.png"
MORE = OVERVIEW.with_name("more_looks.png")
GOLDEN = Path(__file__).parent / "golden"
WIDE, TALL = Rendition("landscape", 1920, 1080), Rendition("portrait", 1080, 1920)
WIDTHS = {WIDE: 384, TALL: 216}
KEPT = {WIDE: 256, TALL: 144}  # of the golden frames
_SECOND = "#f29f38"
_TIDES = """The Moon pulls harder on the near side than on the far one. The ocean follows in two \
bulges.

## Two kinds

- Full moon: spring tides
- Half moon: neap tides
"""
_EVERYTHING = """> Somewhere, something incredible is waiting to be known.
> — Carl Sagan

## How much of it
**71 %** of the Earth's surface is covered by water.

## Two kinds of tide
| Spring tide | Neap tide |
|---|---|
| Sun and Moon in line | Sun and Moon at right angles |
| Large range | Small range |

## Highest tides
| Place | Country | Range |
|---|---|---:|
| Bay of Fundy | Canada | 16.3 m |
| Severn Estuary | United Kingdom | 15.0 m |
| Mont-Saint-Michel | France | 14.6 m |

## Their range
| Place | Range |
|---|---|
| Bay of Fundy | 16.3 m |
| Severn Estuary | 15.0 m |
| Ungava Bay | 9.5 m |

## A day at the coast
| Hour | Today | Last week |
|---|---|---|
| 0 h | 1.2 m | 2 m |
| 6 h | 5.8 m | 4.1 m |
| 12 h | 1.0 m | 1.9 m |
| 18 h | 6.1 m | 4.4 m |

## The harbour
![A fishing boat lies on the mud of an empty harbour](boat.png)
"""
_SCRIPTS = {  # title, text, second heading, points
    "ru": (
        "Как работают приливы",
        "Луна сильнее притягивает ближнюю сторону.",
        "Два вида",
        "Полнолуние: сизигия",
        "Четверть",
    ),
    "el": (
        "Πώς λειτουργεί η παλίρροια",
        "Η Σελήνη έλκει την κοντινή πλευρά.",
        "Δύο είδη",
        "Πανσέληνος",
        "Ημισέληνος",
    ),
    "ar": (
        "كيف يعمل المد والجزر",
        "يجذب القمر الجانب القريب بقوة أكبر.",
        "نوعان",
        "البدر: مد 16 مترا",
        "التربيع: مد منخفض",
    ),
    "hi": (
        "ज्वार कैसे काम करता है",
        "चंद्रमा पास के भाग को अधिक खींचता है।",
        "दो प्रकार",
        "पूर्णिमा: उच्च ज्वार",
        "अर्धचंद्र",
    ),
    "vi": (
        "Thủy triều là gì",
        "Mặt Trăng kéo mạnh hơn ở phía gần.",
        "Hai loại",
        "Trăng tròn: triều cường",
        "Trăng khuyết",
    ),
}
_FIRST = ("explainer", "short", "news")  # of the golden frames and the overview
_LIGHT_LOOKS = ("explainer", "news", "playful")


@dataclass(frozen=True)
class Sample:
    """Scene ``scene`` of a brief, half way through it."""

    look: str
    theme: str
    shape: Rendition
    language: str
    title: str
    markdown: str
    scene: int

    @property
    def name(self) -> str:
        subject = "more" if self.markdown is _EVERYTHING else "tides"
        return f"{self.look}-{self.theme}-{self.shape.name}-{self.language}-{subject}-{self.scene}"


def samples(looks: tuple[str, ...] = _FIRST) -> list[list[Sample]]:
    """Return rows of one shape each: looks and themes with the usual scenes, then all visuals,
    then the other scripts.
    """
    rows = []
    for shape in (WIDE, TALL):
        for look, theme in product(looks, THEMES):
            rows.append(
                [
                    Sample(look, theme, shape, "en", "How tides work", _TIDES, scene)
                    for scene in range(3)
                ]
            )
        for look in looks:
            theme = THEMES[look in _LIGHT_LOOKS]
            rows.append(
                [
                    Sample(look, theme, shape, "en", "Tides", _EVERYTHING, scene)
                    for scene in range(1, 8)
                ]
            )
        for number, (language, (title, text, heading, *points)) in enumerate(_SCRIPTS.items()):
            look, theme = looks[number % len(looks)], THEMES[number % 2]
            markdown = f"{text}\n\n## {heading}\n\n" + "".join(f"- {point}\n" for point in points)
            rows.append(
                [Sample(look, theme, shape, language, title, markdown, scene) for scene in range(3)]
            )
    return rows


def drawn(sample: Sample) -> Image.Image:
    """Return the frame at its full size."""
    brief = VideoBrief(
        "p",
        sample.title,
        sample.title,
        sample.language,
        "US",
        sample.markdown,
        Presenter("Ada", hair_style="bun"),
        (sample.shape,),
        account_name="Demo channel",
        second_colour=_SECOND,
        look=sample.look,
        theme=sample.theme,
        uploads=(Upload("boat.png", "boat.png"),),
    )
    written = from_brief.write_script(brief)
    studio, scene = SceneRenderer(brief, written, sample.shape), written.scenes[sample.scene]
    firsts = studio.list_stages(sample.scene)
    stage = len(firsts) // 2 if firsts else slide.NOTHING_YET
    picture = Image.fromarray(studio.picture(sample.scene, stage, with_sprites=False))
    last = (
        firsts[stage + 1]
        if 0 <= stage < len(firsts) - 1 and studio.is_composed
        else len(scene.words)
    )
    cues = captions.split_cues(
        written,
        evenly(written),
        *studio.plan.caption_lines,
        in_type=studio.list_words_in_type(),
        cuts=studio.list_cuts(),
    )
    shown = [cue for cue in cues if cue.scene == sample.scene and cue.first_word < last]
    if studio.is_composed and stage >= 0:  # large type has no caption
        shown = [cue for cue in shown if cue.last_word >= firsts[stage]]
    for cue in shown[:1]:
        tile = studio.draw_caption(cue, (cue.first_word + cue.last_word) // 2)
        picture.paste(Image.fromarray(tile.pixels), (tile.left, tile.top))
    paste_cast(picture, studio, sample.scene, stage)
    return picture


def paste_cast(picture: Image.Image, studio: SceneRenderer, scene: int, stage: int) -> None:
    """Draw the pictures of a composed scene as they rest at ``stage``,
    over its caption as in a film.
    """
    if studio.is_hosted(scene, stage):
        badge = studio.draw_badge(studio.find_scenery(scene))
        picture.paste(Image.fromarray(badge.pixels), (badge.left, badge.top))
    if host := studio.find_standing_host(scene):
        sprites.paste_sprites(picture, [host])
    if cast := studio.find_cast(scene):
        sprites.paste_sprites(
            picture,
            [sprite for sprite in cast.stages[max(0, min(stage, len(cast.stages) - 1))] if sprite],
        )


def small(picture: Image.Image, width: int) -> Image.Image:
    return picture.resize(
        (width, round(width * picture.height / picture.width)), Image.Resampling.BOX
    )


def sheet(rows: list[list[Sample]], columns: int = 7) -> Image.Image:
    """Return all samples on one sheet, by shape: ``columns`` wide ones per row,
    and twice as many tall ones.
    """
    parts = []
    for shape, across in ((WIDE, columns), (TALL, columns * 16 // 9)):
        frames = [
            small(drawn(sample), WIDTHS[shape])
            for row in rows
            for sample in row
            if sample.shape == shape
        ]
        if not frames:
            continue
        width, height = frames[0].size
        part = Image.new(
            "RGB", (columns * WIDTHS[WIDE], -(-len(frames) // across) * height), (128, 128, 128)
        )
        for number, frame in enumerate(frames):
            part.paste(frame, (number % across * width, number // across * height))
        parts.append(part)
    combined = Image.new("RGB", (parts[0].width, sum(part.height for part in parts)))
    top = 0
    for part in parts:
        combined.paste(part, (0, top))
        top += part.height
    return combined


def golden() -> list[Sample]:
    """Return the frames that are compared: each look, theme and shape, each other visual, each
    script; of composed scenes, one of each shape and theme, and some of the visuals; of every look
    besides, whatever its name, a wide frame in each theme."""
    rows = samples()
    others = samples(tuple(look for look in LOOKS if look not in (*_FIRST, "scenes")))
    scenes = [row for row in samples(("scenes",)) if row[0].language == "en"]
    return [
        *(row[-1] for row in rows if row[0].markdown == _TIDES),
        *(
            sample
            for row in rows
            if row[0].markdown != _TIDES
            for sample in row[:: 1 if row[0].shape == WIDE else 3]
        ),
        *(row[1] for row in scenes if row[0].markdown == _TIDES),
        *(
            sample
            for row in scenes
            if row[0].markdown != _TIDES
            for sample in row[:: 3 if row[0].shape == WIDE else 6]
        ),
        *(row[-1] for row in others if (row[0].markdown, row[0].shape) == (_TIDES, WIDE)),
    ]


def evenly(script: Script) -> Timeline:
    """Return a timeline with three words per second."""
    scenes, at = [], 0.0
    for scene in script.scenes:
        words = tuple(
            Word(word, at + 0.2 + number / 3, at + 0.5 + number / 3)
            for number, word in enumerate(scene.words)
        )
        end = at + 1.0 + len(words) / 3
        scenes.append(SceneTiming(at, end, words))
        at = end
    return Timeline(at, 48_000, tuple(scenes))


def overview(pixels: int = 1440, colours: int = 256) -> Image.Image:
    """Return a choice of wide frames for docs/media.md: looks in both themes, then other visuals,
    then other scripts.
    """
    wide = [row for row in samples() if row[0].shape == WIDE]
    rows = [row[:] for row in wide if row[0].markdown == _TIDES]
    others = [sample for row in wide if row[0].markdown == _EVERYTHING for sample in row]
    chosen = [row for pair in zip(rows[::2], rows[1::2], strict=True) for row in pair]
    languages = [row[number % 3] for number, row in enumerate(wide[-len(_SCRIPTS) :])]
    frames = (
        [sample for row in chosen for sample in row]
        + others[0:3]
        + others[10:13]
        + [others[19], *languages]
    )
    return _reduced(sheet([frames], columns=6), pixels, colours)


def more(pixels: int = 1440, colours: int = 256) -> Image.Image:
    """Return wide frames of the looks that the overview does not show,
    dark and light, for docs/media.md.
    """
    rows = [
        row
        for row in samples(tuple(look for look in LOOKS if look not in _FIRST))
        if row[0].shape == WIDE
    ]
    tides, others = (
        [row for row in rows if row[0].markdown == text] for text in (_TIDES, _EVERYTHING)
    )
    frames = [sample for row in tides for sample in row] + [
        row[scene] for row in others for scene in (0, 1)
    ]
    return _reduced(sheet([frames], columns=6), pixels, colours)


def _reduced(image: Image.Image, pixels: int, colours: int) -> Image.Image:
    smaller = image.resize(
        (pixels, round(pixels * image.height / image.width)), Image.Resampling.LANCZOS
    )
    return smaller.quantize(
        palette=smaller.quantize(colours, kmeans=1), dither=Image.Dither.FLOYDSTEINBERG
    )


def main(where: str, *looks: str) -> None:
    if where == "--overview":
        overview().save(OVERVIEW, optimize=True)
        more().save(MORE, optimize=True)
        return
    if where == "--golden":
        GOLDEN.mkdir(exist_ok=True)
        for sample in (each for each in golden() if not looks or each.look in looks):
            small(drawn(sample), KEPT[sample.shape]).save(
                GOLDEN / f"{sample.name}.png", optimize=True
            )
        return
    sheet(samples(looks or _FIRST)).save(where)


if __name__ == "__main__":
    main(*sys.argv[1:])
