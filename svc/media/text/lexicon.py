"""An account's pronunciations: how certain written words are spoken, in place of what the language's rules would say."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace

from svc.media.model import CARDS, Pronunciation, Scene, Script
from svc.media.text import reading
from svc.media.text.numerals import PAUSES, SPACE
from svc.media.text.tokens import GLUE, even_bounds, tokens

_MOST_WORDS = 12  # of one entry


def apply(script: Script, entries: Sequence[Pronunciation]) -> Script:
    """Return ``script`` with the words of ``entries`` spoken as they say."""
    if not entries:
        return script
    scenes = tuple(_in_scene(scene, entries, script.language) for scene in script.scenes)
    return replace(script, scenes=scenes, respoken=tuple(_respoken(script, scenes, entries)))


def _respoken(script: Script, scenes: Sequence[Scene], entries: Sequence[Pronunciation]) -> Iterator[str]:
    """Yield what is spoken of the title, the close and the descriptions, where ``entries`` change it."""
    for before, after in zip(script.scenes, scenes, strict=True):
        if after.layout in CARDS and after.spoken != before.spoken:
            yield " ".join(after.spoken)
        described = tokens(after.description, script.language)
        said = tuple(token.spoken for token in described)
        changed = spoken([token.written for token in described], said, entries, script.language)
        if changed != said:
            yield " ".join(changed)


def spoken(words: Sequence[str], said: Sequence[str], entries: Sequence[Pronunciation], language: str) -> tuple[str, ...]:
    """Return what is spoken for written ``words``: ``said``, except for whole words that ``entries`` name.

    An entry with a capital letter is for exactly this form; one without is for every form. The longest entry wins. Punctuation
    stays. ``words`` and ``said`` are one for one, and so is the result.
    """
    result = list(said)
    exact, any_case = _tables(entries, language)
    index = 0
    while index < len(words):
        count, pronunciation = _longest(words[index : index + _MOST_WORDS], exact, any_case)
        if count:
            starts = index == 0 or reading.closes(said[index - 1])
            parts = _shares(reading.capitalised(pronunciation, language) if starts else pronunciation, count)
            result[index : index + count] = [*parts[:-1], parts[-1] + _punctuation(said[index + count - 1])]
        index += count or 1
    return tuple(result)


def _in_scene(scene: Scene, entries: Sequence[Pronunciation], language: str) -> Scene:
    return replace(scene, spoken=spoken(scene.words, scene.spoken, entries, language))


def _tables(entries: Sequence[Pronunciation], language: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the pronunciations by written form: of exactly this form, and of any."""
    exact: dict[str, str] = {}
    any_case: dict[str, str] = {}
    for entry in entries:
        written, said = _comparable(entry.written), reading.plain(entry.spoken, language, "")
        if written and said:
            (any_case if written == written.lower() else exact)[written] = said
    return exact, any_case


def _comparable(written: str) -> str:
    text = unicodedata.normalize("NFC", written).replace(SPACE, " ").replace(f" {GLUE}", "").replace(GLUE, "")
    return " ".join(text.split())


def _longest(words: Sequence[str], exact: dict[str, str], any_case: dict[str, str]) -> tuple[int, str]:
    """Return how many of ``words``, from the first on, are the longest entry, and how it is spoken; 0 if none is."""
    for count in range(len(words), 0, -1):
        bare = _comparable(" ".join(words[:count])).strip(reading.OPENERS + reading.CLOSERS + PAUSES + ".…")
        pronunciation = exact.get(bare) or any_case.get(bare.lower())
        parts = pronunciation.split() if pronunciation else []
        if parts and len(parts) >= count:
            return count, " ".join(parts)
    return 0, ""


def _shares(pronunciation: str, count: int) -> list[str]:
    """Return ``pronunciation`` in ``count`` parts, at least a word each."""
    words = pronunciation.split()
    return [" ".join(words[first:end]) for first, end in even_bounds(len(words), count)]


def _punctuation(said: str) -> str:
    """Return the punctuation at the end of what was said."""
    marks = re.search(f"[{PAUSES}.…।۔]*$", said)
    return marks[0] if marks else ""
