"""``python -m tests.media.generated --count 1000``: generated briefs through every step of a
production, small, and its gates.

Each brief has one to four blocks of every kind (prose, lists, tables, charts, code, quotations …);
language, look, theme and caption style vary. Prints what was refused, which is a mistake of ours:
every brief makes sense. ``--first`` is the first seed.
"""

import argparse
import multiprocessing
import os
import random
import shutil
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from svc.base.looks import THEMES
from svc.media.drawing.looks import LOOKS
from svc.media.errors import MediaError
from svc.media.model import Presenter, Rendition, Timeline, VideoBrief, load, save
from svc.media.resources import Resources
from svc.media.steps import PIPELINE_STEPS

WORDS = """
    tea coffee harbour engine invoice market river teacher lantern copper village signal budget
    weather contract bridge winter orchard station library keyboard summit parcel ferry museum
    battery canyon meadow printer rocket saddle tunnel walnut
""".split()  # noqa: SIM905
# of brands
COLOURS = ("#000000", "#ffffff", "#0a2540", "#ffe100", "#7a0000", "#00a86b", "#808890", "#3d7eff")
LANGUAGES = ("en", "en", "en", "de", "fr", "es", "pl", "pt", "it", "nl")
_REAL = 1080  # pixels of the short side
SHAPES = (
    Rendition("landscape", 320, 180),
    Rendition("portrait", 180, 320),
    Rendition("square", 240, 240),
)


class Generator:
    """Writes Markdown of every kind, with words that occur once in a block."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)  # noqa: S311 - the same briefs each time
        self.headings = ["# A title"]

    def words(self, least: int, most: int) -> str:
        return " ".join(self.random.sample(WORDS, self.random.randint(least, most)))

    def sentence(self) -> str:
        text = self.words(3, 14)
        decorated = self.random.choice(
            (
                "{}",
                "{}, and 12 %",
                "**{}**",
                "costs $5 and {}",
                "{} in 2024",
                "{} `x = y`",
                "{} H~2~O",
                "{} x^2^",
                "[{}](https://a.example)",
                "{} ~~wrong~~",
                "{}[^1]",
                "{} & more",
                "<b>{}</b>",
                "{} 5 km",
                "{} <br> {}",
            )
        )
        return decorated.replace("{}", text).capitalize() + self.random.choice(".!?")

    def prose(self) -> str:
        return " ".join(self.sentence() for _ in range(self.random.randint(1, 9)))

    def heading(self) -> str:
        if self.random.random() < 0.2:
            return self.headings[-1]  # two sections of one name, or one that has the title's
        self.headings.append(f"{'#' * self.random.randint(1, 4)} {self.words(1, 5).capitalize()}")
        return self.headings[-1]

    def bullets(self) -> str:
        lines = []
        for _ in range(self.random.randint(1, 9)):
            mark = self.random.choice(("-", "-", "- [x]", "- [ ]"))
            lines.append(f"{mark} {self.words(1, 20)}")
            if self.random.random() < 0.3:
                lines += [f"  - {self.words(1, 6)}" for _ in range(self.random.randint(1, 3))]
            if self.random.random() < 0.1:
                lines += ["", f"  {self.sentence()}"]
        return "\n".join(lines)

    def steps(self) -> str:
        first, lines = self.random.choice((1, 1, 3)), []
        for number in range(first, first + self.random.randint(2, 9)):
            lines.append(f"{number}. {self.words(1, 8)}")
            if self.random.random() < 0.2:
                lines += ["   ```", f"   {self.words(1, 4)}", "   ```"]
        return "\n".join(lines)

    def table(self) -> str:
        columns, rows = self.random.randint(1, 7), self.random.randint(0, 9)
        numeric = self.random.random() < 0.5
        head = " | ".join(self.random.sample(WORDS, columns))
        lines = [f"| {head} |", f"|{'---|' * columns}"]
        for number in range(rows):
            cells = [
                self.random.choice(("–", "", f"{number} t", self.words(1, 3)))
                for _ in range(columns - 1)
            ]
            if numeric:
                cells = [f"{self.random.randint(1, 99)} t" for _ in cells]
            lines.append(f"| {WORDS[number]} {number} | {' | '.join(cells)} |")
        return "\n".join(lines)

    def code(self) -> str:
        lines = [
            " " * self.random.choice((0, 4)) + f"{self.words(1, 6)} = {n}"
            for n in range(self.random.randint(1, 30))
        ]
        return "```python\n" + "\n".join(lines) + "\n```"

    def quote(self) -> str:
        return f"> {self.sentence()}\n>\n> — {self.words(1, 2)}"

    def figure(self) -> str:
        return f"**{self.random.randint(2, 99)} %** of {self.words(2, 6)}."

    def picture(self) -> str:
        text = self.words(2, 5)
        address = self.random.choice(("boat.png", "none.png", "https://a.example/x.png"))
        return f"![{text}]({address})"

    def definitions(self) -> str:
        return f"{self.words(1, 2)}\n: {self.words(2, 8)}\n: {self.words(1, 3)}"

    def html(self) -> str:
        return (
            f"<div class='x'><p>{self.words(2, 6)}</p>\n<ul><li>{self.words(1, 3)}</li></ul></div>"
        )

    def brief(self, most: int = 14) -> str:
        kinds = (
            self.prose,
            self.prose,
            self.heading,
            self.heading,
            self.bullets,
            self.steps,
            self.table,
            self.table,
            self.code,
            self.quote,
            self.figure,
            self.picture,
            self.definitions,
            self.html,
        )
        blocks = [self.random.choice(kinds)() for _ in range(self.random.randint(1, most))]
        return "\n\n".join([*blocks, "[^1]: See the annual report of 2023."])


def brief_of(seed: int) -> VideoBrief:
    """The brief of a seed, always the same."""
    chance = random.Random(-1 - seed)  # noqa: S311
    return VideoBrief(
        "p",
        "A title",
        "A title",
        chance.choice(LANGUAGES),
        "US",
        Generator(seed).brief(4),
        Presenter("Ada", moving=chance.random() < 0.8),
        (chance.choice(SHAPES),),
        account_name="Harbour & Sons",
        look=chance.choice(tuple(LOOKS)),
        theme=chance.choice(THEMES),
        caption_style=chance.choice(("highlight", "plain")),
        full_text=chance.random() < 0.2,
        accent=chance.choice(COLOURS),
        second_colour=chance.choice(("", *COLOURS)),
    )


def make(seed: int) -> tuple[int, float, str]:
    """Make the production of a seed: ``(seed, seconds of programme, why it was refused)``.

    What is refused small is made again in its real size: faint movements cannot be seen in a
    picture of 240 pixels.
    """
    brief = brief_of(seed)
    seconds, why = _made(brief)
    if why:
        seconds, why = _made(replace(brief, renditions=tuple(map(in_real_size, brief.renditions))))
    return seed, seconds, why


def in_real_size(shape: Rendition) -> Rendition:
    short = min(shape.width, shape.height)
    return replace(shape, width=shape.width * _REAL // short, height=shape.height * _REAL // short)


def _made(brief: VideoBrief) -> tuple[float, str]:
    folder = Path(tempfile.mkdtemp(prefix="generated."))
    try:
        save(brief, folder / "brief.json")
        for step in PIPELINE_STEPS:
            step.run(brief, folder, lambda _: None, Resources())
        return load(Timeline, folder / "timeline.json").duration, ""
    except MediaError as refused:
        return 0.0, f"{refused.code}: {refused.message}"
    finally:
        shutil.rmtree(folder)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    options = parser.parse_args()
    began, seconds, refused = time.monotonic(), 0.0, 0
    with multiprocessing.get_context("spawn").Pool(options.workers) as pool:
        for seed, length, why in pool.imap_unordered(
            make, range(options.first, options.first + options.count)
        ):
            seconds, refused = seconds + length, refused + bool(why)
            if why:
                print(f"REFUSED {seed}: {why[:600]}", flush=True)
    took = time.monotonic() - began
    print(
        f"{options.count} briefs, {refused} refused; {seconds / 60:.0f} minutes of programme in "
        f"{took / 60:.0f} minutes"
    )
    sys.exit(1 if refused else 0)


if __name__ == "__main__":
    main()
