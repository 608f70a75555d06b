"""Our words for numbers against CLDR's rules for spelling them: a second source for all languages.

``.ci/number_words.py`` writes the table. Where both are right, or CLDR is wrong, a row of
``number_words_accepted.tsv`` says why.
"""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

import pytest

from svc.media.languages import Numbers, read_words
from svc.media.speech.trained.phonemes import phonemize
from svc.media.text import numerals

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
NO_ORDINALS = ("ar", "vi")  # of which the narration says none that it has spelled
MOST_READ = 200  # of those that the voice reads
ALIKE, ALIKE_TOGETHER = 0.35, 0.8  # of the phonemes, which espeak-ng joins and stresses in its way
Accepted = tuple[str, str, str, str]  # language, kinds, what is found in both, what it is there


@cache
def read_table() -> dict[tuple[str, str], dict[int, list[str]]]:
    """Return CLDR's words by language and kind, and by number."""
    table: dict[tuple[str, str], dict[int, list[str]]] = {}
    for line in (HERE / "number_words.tsv").read_text("utf-8").splitlines()[1:]:
        number, tab, words = line.partition("\t")
        if not tab:
            language, kind = line.split()
            rows = table.setdefault((language, kind), {})
        else:
            rows[int(number)] = words.split("|")
    return table


@cache
def read_accepted() -> list[Accepted]:
    lines = (HERE / "number_words_accepted.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    assert all(len(row) == 5 and row[4] for row in rows)  # each with its reason
    return [(row[0], row[1], row[2], row[3]) for row in rows]


def say(number: int, kind: str, language: str) -> str:
    """Return our words; empty: the voice reads the digits, or there are none."""
    words = read_words(language, Numbers)
    if kind == "decimal":
        return words.decimal
    if kind == "year":
        said = numerals.spell_number(str(number), language)
    elif kind == "ordinal":
        is_listed = number <= len(words.ordinals) or str(number) in words.round_ordinals
        if language in NO_ORDINALS or not (words.num2words or is_listed):
            return ""
        try:
            said = numerals.spell_ordinal(number, language)
        except NotImplementedError:
            return ""
    else:
        said = numerals.agree(numerals.spell_cardinal(number, language), "", language)
        if kind == "minus":
            said = f"{numerals.sign_in_words('-', language)} {said}"
    return "" if re.search(r"\d", said) else said


def list_rows(language: str) -> Iterator[tuple[str, int, str, list[str]]]:
    """Yield kind, number, our words and CLDR's."""
    for (code, kind), rows in read_table().items():
        for number, theirs in rows.items() if code == language else ():
            if ours := say(number, kind, language):
                yield kind, number, ours, theirs


def bring_together(words: str, kind: str, rows: list[Accepted]) -> str:
    """Return ``words`` without the differences of ``rows``, of hyphens and of spaces."""
    words = words.lower().replace("-", " ")
    for _, kinds, found, instead in rows:
        if kinds in ("*", kind):
            words = re.sub(found, instead, words)
    return re.sub(r"[\s\u00ad\u200c,'’ʼ]", "", words)


@pytest.mark.parametrize("language", sorted({code for code, _ in read_table()}))
def test_numbers_are_those_of_cldr_but_for_accepted_differences(language: str) -> None:
    accepted = [row for row in read_accepted() if row[0] == language]
    different = [
        (kind, number, ours, theirs)
        for kind, number, ours, theirs in list_rows(language)
        if bring_together(ours, kind, accepted)
        not in [bring_together(words, kind, accepted) for words in theirs]
    ]
    assert different == []


@pytest.mark.parametrize("language", sorted({row[0] for row in read_accepted()}))
def test_every_accepted_difference_is_one(language: str) -> None:
    """Without its row, a number would be another than CLDR's."""
    accepted = [row for row in read_accepted() if row[0] == language]
    rows = list(list_rows(language))

    def count_alike(kept: list[Accepted]) -> int:
        return sum(
            bring_together(ours, kind, kept) in [bring_together(each, kind, kept) for each in words]
            for kind, _, ours, words in rows
        )

    alike = count_alike(accepted)
    unneeded = [
        row
        for row in accepted
        if count_alike([each for each in accepted if each is not row]) >= alike
    ]
    assert unneeded == []


@pytest.mark.parametrize("language", ["el", "et", "hi", "ms", "sr", "sw"])
def test_digits_are_read_by_the_voice_as_cldr_spells_them(language: str) -> None:
    """Where numbers are left to the voice: espeak-ng's sounds of the digits, and those of CLDR's
    words for them."""
    table = read_table()[language, "cardinal"]
    numbers = [number for number in table if number <= MOST_READ]
    said = phonemize(
        [
            *((str(number),) for number in numbers),
            *(tuple(words.split()) for number in numbers for words in table[number]),
        ],
        language,
    )
    sounds = iter("".join(filter(str.isalpha, "".join(pieces))) for pieces in said)
    digits = {number: next(sounds) for number in numbers}
    likeness = {
        number: max(
            SequenceMatcher(None, digits[number], next(sounds), autojunk=False).ratio()
            for _ in table[number]
        )
        for number in numbers
    }
    assert {number: alike for number, alike in likeness.items() if alike < ALIKE} == {}
    assert sum(likeness.values()) / len(likeness) > ALIKE_TOGETHER
