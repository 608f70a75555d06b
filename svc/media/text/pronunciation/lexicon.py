"""An account's pronunciations: how certain written words are spoken,
in place of what the language's rules would say.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from svc.base.text.languages import find_language, is_unspaced
from svc.media.model import CARDS, Pronunciation, Scene, Script
from svc.media.text import addresses, reading, signs
from svc.media.text.numerals import OPENERS, SPACE
from svc.media.text.pronunciation import matches
from svc.media.text.pronunciation.matches import Match, Text
from svc.media.text.pronunciation.pieces import UNSPOKEN, split_evenly
from svc.media.text.tokens import GLUE, is_glued, tokenize_text

_STOPS = f"{reading.STOPS}।۔。！？"
_MARKS = re.compile(f"[{_STOPS}]*(?=[{re.escape(reading.CLOSERS)}]*$)")
_CLOSERS = reading.CLOSERS.replace("'", "").replace("’", "")  # an ending may follow an apostrophe
_HYPHENS = "-‑'’"  # between the parts of a compound, and before an ending
_DIVIDERS = f"{_HYPHENS}/ "


def apply_lexicon(script: Script, entries: Sequence[Pronunciation]) -> Script:
    """Return ``script`` with the words of ``entries`` spoken as they say."""
    if not entries:
        return script
    scenes = tuple(_apply_to_scene(scene, entries, script.read_in) for scene in script.scenes)
    return replace(script, scenes=scenes, respoken=tuple(_list_respoken(script, scenes, entries)))


def replace_words(
    words: Sequence[str], said: Sequence[str], entries: Sequence[Pronunciation], language: str
) -> tuple[str, ...]:
    """Return what is spoken for written ``words``: ``said``, except for words that ``entries``
    name, alone or in a compound.

    An entry with a capital letter is for exactly this form; one without is for every form. The
    longest entry wins. Punctuation and what else a word is written with stay. ``words`` and
    ``said`` are one for one, and so is the result.
    """
    text = matches.join_text(words)
    places = list(matches.find_matches(text, entries, language)) if entries else []
    result = list(said)
    for (first, last), parts in (
        _divide_matches(text, places, _list_units(words, language)) if places else {}
    ).items():
        start, end = text.bounds[first][0], text.bounds[last - 1][1]
        whole = _speak_parts(text.text[start:end], start, parts, language)
        if first == 0 or reading.ends_like_sentence(said[first - 1]):
            whole = reading.capitalise(whole, language)
        shared = split_evenly(
            whole.rstrip(_STOPS) + _find_punctuation(said[first:last]), last - first
        )
        result[first:last] = [
            GLUE * is_glued(before) + now
            for before, now in zip(said[first:last], shared, strict=True)
        ]
    return tuple(result)


def _list_respoken(
    script: Script, scenes: Sequence[Scene], entries: Sequence[Pronunciation]
) -> Iterator[str]:
    """Yield what is spoken of the title, the close and the descriptions,
    where ``entries`` change it.
    """
    for before, after in zip(script.scenes, scenes, strict=True):
        if after.layout in CARDS and after.spoken != before.spoken:
            yield " ".join(after.spoken)
        described = tokenize_text(after.description, script.read_in)
        said = tuple(token.spoken for token in described)
        changed = replace_words(
            [token.written for token in described], said, entries, script.read_in
        )
        if changed != said:
            yield " ".join(changed)


def _apply_to_scene(scene: Scene, entries: Sequence[Pronunciation], language: str) -> Scene:
    return replace(scene, spoken=replace_words(scene.words, scene.spoken, entries, language))


def _list_units(words: Sequence[str], language: str) -> list[tuple[int, int]]:
    """Return the first word and the end of what is read as one: a word,
    or all pieces of a long one.
    """
    if is_unspaced(language):
        return [(index, index + 1) for index in range(len(words))]
    firsts = [index for index, word in enumerate(words) if index == 0 or not is_glued(word)]
    return list(zip(firsts, [*firsts[1:], len(words)], strict=True))


def _divide_matches(
    text: Text, places: Sequence[Match], units: Sequence[tuple[int, int]]
) -> dict[tuple[int, int], list[Match]]:
    """Return the parts of the matches in each unit that has any:
    a match of several words has a part in each of them.
    """
    result: dict[tuple[int, int], list[Match]] = {}
    starts = [text.bounds[first][0] for first, _ in units]
    for place in places:
        within = units[bisect_right(starts, place.start) - 1 : bisect_left(starts, place.end)]
        for unit, said in zip(within, split_evenly(place.spoken, len(within)), strict=True):
            start, end = text.bounds[unit[0]][0], text.bounds[unit[1] - 1][1]
            result.setdefault(unit, []).append(
                Match(max(place.start, start), min(place.end, end), said)
            )
    return result


def _speak_parts(written: str, offset: int, parts: Sequence[Match], language: str) -> str:
    """Return how a word is spoken in which ``parts`` have a pronunciation,
    without the punctuation at its end.
    """
    if (
        addresses.find_host_or_mail(written.strip(OPENERS + reading.CLOSERS + reading.STOPS))
        is not None
    ):
        return _speak_address(written, offset, parts, language)
    first, last = parts[0].start - offset, parts[-1].end - offset
    said = _speak_beginning(written[:first], language)
    for index, part in enumerate(parts):
        said += part.spoken
        if index + 1 < len(parts):
            said += _speak_middle(
                written[part.end - offset : parts[index + 1].start - offset], language
            )
    return said + _speak_end(written[last:].rstrip(reading.CLOSERS + _STOPS), language)


def _speak_address(written: str, offset: int, parts: Sequence[Match], language: str) -> str:
    """Return an address, of which only the host is spoken, with ``parts`` where they are in
    what is spoken.
    """
    said = reading.read_piece(written, language, "", "")[0].rstrip(reading.STOPS)
    for part in parts:
        name = re.escape(written[part.start - offset : part.end - offset])
        around = re.split(rf"(?<!\w){name}(?!\w)", said, maxsplit=1)
        said = part.spoken.join(around)
    return said


def _speak_beginning(written: str, language: str) -> str:
    """Return how the beginning of a word is spoken, up to the part that has a pronunciation."""
    core = written.lstrip(OPENERS)
    if not any(map(str.isalnum, core)):
        return "".join(
            f"{signs.name_sign(part, language)} "
            for part in signs.split_signs(core)
            if signs.is_sign(part)
        )
    joiner = core[-1] if core[-1] in _HYPHENS else "" if core[-1].isalpha() else " "
    return _read(core.rstrip(_DIVIDERS), language) + joiner


def _speak_end(written: str, language: str) -> str:
    """Return how the end of a word is spoken, after the part that has a pronunciation."""
    core = written.lstrip(_CLOSERS)
    if not any(map(str.isalnum, core)):
        return "".join(
            f" {signs.name_sign(part, language)}"
            for part in signs.split_signs(core)
            if signs.is_sign(part)
        )
    joiner = core[0] if core[0] in _HYPHENS else "" if core[0].isalpha() else " "
    return joiner + _read(core.lstrip(_DIVIDERS), language)


def _speak_middle(written: str, language: str) -> str:
    """Return how the middle of a word is spoken, between two parts that have a pronunciation."""
    if any(map(str.isalnum, written)):
        return f" {_read(written.strip(f'{_HYPHENS}/ '), language)} "
    return written if written in _HYPHENS else f"{_speak_end(written, language)} "


def _read(written: str, language: str) -> str:
    """Return how a part of a word is spoken by the language's rules."""
    listed = find_language(language)
    if listed is not None and listed.is_further:
        return reading.as_written(written)
    return reading.read_piece(written.replace(" ", SPACE), language, "", "")[0].strip(
        f"{reading.STOPS} "
    )


def _find_punctuation(said: Sequence[str]) -> str:
    """Return the punctuation at the end of what was said for a word,
    or for the pieces of a long one.
    """
    last = next((piece for piece in reversed(said) if piece != UNSPOKEN), "")
    marks = _MARKS.search(last)
    return marks[0] if marks else ""
