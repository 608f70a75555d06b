"""Scenes with the key phrases that may stand for them, and how well the service chooses among
these.

Run it to see each choice: ``python -m tests.media.meaning.phrase_scenes tuning``.
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from svc.media.script.from_brief import write_script
from tests.media.conftest import brief_of

HALVES = ("tuning", "further", "held-out")
_EMPHASIS = re.compile(r"\*\*(.+?)\*\*")
_MARKS = " \u00a0.,;:!?…।؟،؛–—-«»“”„\"'"


@dataclass(frozen=True)
class Described:
    """A scene. ``phrases``: those that may stand for it; empty: the heading alone may."""

    language: str
    kind: str
    heading: str
    text: str  # Markdown
    phrases: tuple[str, ...]


@dataclass(frozen=True)
class Chosen:
    """What a scene shows large."""

    scene: Described
    phrase: str

    @property
    def shown(self) -> bool:
        """Whether a phrase is shown and not the heading."""
        return bool(self.phrase) and self.phrase != self.scene.heading

    @property
    def acceptable(self) -> bool:
        """Whether the phrase is one of those that may stand for the scene,
        or several of them in a row, or the heading.
        """
        return not self.shown or _is_made_of(self.phrase, self.scene.phrases)


def read(half: str) -> list[Described]:
    """Return the scenes of one of the HALVES."""
    lines = (Path(__file__).parent / f"phrases-{half}.tsv").read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines if line and not line.startswith("#"))
    return [
        Described(
            language,
            kind,
            heading,
            re.sub("[⟦⟧]", "", text),
            (*_spans(text), *_EMPHASIS.findall(text)),
        )
        for language, kind, heading, text in rows
    ]


def chosen(half: str) -> Iterator[Chosen]:
    """Yield what each prose scene of a half shows large; a long text becomes several scenes."""
    for scene in read(half):
        notes = f"## {scene.heading}\n\n{scene.text}"
        title = f"{scene.kind} {scene.language}"
        brief = replace(
            brief_of(), title=title, topic=title, language=scene.language, metadata_md=notes
        )
        for written in write_script(brief).scenes[1:-1]:
            if written.layout == "prose":
                yield Chosen(scene, written.key_phrase)


def _spans(text: str) -> Iterator[str]:
    """Yield what stands within each pair of ⟦⟧, which may lie within one another."""
    open_at = []
    for at, sign in enumerate(text):
        if sign == "⟦":
            open_at.append(at)
        elif sign == "⟧":
            yield re.sub("[⟦⟧]", "", text[open_at.pop() : at])


def _is_made_of(phrase: str, allowed: tuple[str, ...]) -> bool:
    left = _plain(phrase)
    for each in sorted(map(_plain, allowed), key=len, reverse=True):
        left = left.replace(each, "", 1)
    return not left.strip(_MARKS)


def _plain(text: str) -> str:
    return text.replace("\u00a0", " ").strip(_MARKS).casefold()


if __name__ == "__main__":
    for each in chosen(sys.argv[1]):
        sign = "✗" if not each.acceptable else " " if each.shown else "–"
        print(sign, each.scene.language, each.scene.kind, "|", each.phrase)
