"""Words in another script than the language's, in letters that its voice can read instead
of spelling them.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from anyascii import anyascii

from svc.base.text.languages import find_language
from svc.media.languages import Sentences, change_script, read_words
from svc.media.text.numerals import base_language

_WORD = re.compile(r"[^\W\d_]{3}")  # no unit
_LONG_A = frozenset("اآأإٱא")  # which anyascii leaves out
_VOWELS = frozenset("aeiouyw")
_WITHOUT_VOWELS = frozenset(
    (  # scripts that write vowels as marks, or not at all
        "ARABIC",
        "HEBREW",
        "SYRIAC",
        "DEVANAGARI",
        "BENGALI",
        "GURMUKHI",
        "GUJARATI",
        "ORIYA",
        "TAMIL",
        "TELUGU",
        "KANNADA",
        "MALAYALAM",
        "SINHALA",
    )
)


def to_readable_script(text: str, language: str) -> str:
    """Return ``text`` with letters of other scripts in Latin ones ("Москва" as "Moskva" in
    English). ``language``: BCP 47.
    """
    listed = find_language(language)
    if text.isascii() or (listed is not None and listed.is_further):
        return text
    own = listed.script_name if listed else "LATIN"
    runs: list[tuple[bool, str]] = []
    for character in text:
        script = _find_script(character)
        foreign = script not in ("", own, "LATIN") or (
            script == "" and bool(runs) and runs[-1][0] and _is_mark(character)
        )
        if runs and runs[-1][0] == foreign:
            runs[-1] = (foreign, runs[-1][1] + character)
        else:
            runs.append((foreign, character))
    return "".join(romanise(run) if foreign else run for foreign, run in runs)


def match_script(spoken: str, written: str, is_other: bool, language: str) -> str:
    """Return what is ``spoken`` for a word in the script in which that is ``written``, of a
    language that has two; ``is_other``: a figure or a unit stands in a text of the other one."""
    letters = read_words(base_language(language), Sentences).other_script
    if not letters or spoken == written:
        return spoken
    if _WORD.search(written):
        is_other = not letters.keys() & set(written.lower())
    return change_script(spoken, letters) if is_other else spoken


def is_in_other_script(words: Iterable[str], language: str) -> bool:
    """Return whether a text is in the other script of its language: Serbian in Latin letters. A
    figure and a sign of a unit are the same in both."""
    letters = read_words(base_language(language), Sentences).other_script
    used = {
        letter
        for word in (words if letters else ())
        if len(word) > 1 and not any(map(str.isdecimal, word))  # and no lone x
        for letter in word.lower()
        if letter.isalpha()
    }
    return bool(used) and not used & letters.keys()


@lru_cache(maxsize=1024)
def romanise(word: str) -> str:
    """Return ``word`` in Latin letters, with an "a" where its script leaves a vowel out;
    a Greek letter alone by its name.
    """
    if len(word) == 1 and _find_script(word) == "GREEK":
        return unicodedata.name(word).split(" WITH ")[0].split()[-1].lower()
    parts: list[str] = []
    for index, character in enumerate(word):
        following = word[index + 1 : index + 2]
        latin = "a" if character in _LONG_A else anyascii(character)
        if latin and latin[-1] not in _VOWELS and _needs_vowel(character, following):
            latin += "a"
        parts.append(latin)
    latin = "".join(part for part in parts if not part.startswith(":")).strip()
    return latin.capitalize() if latin[:1].isupper() else latin.lower()


def _needs_vowel(character: str, following: str) -> bool:
    letters = (
        unicodedata.category(character) == "Lo"
        and following
        and unicodedata.category(following) == "Lo"
    )
    return bool(letters) and _find_script(character) in _WITHOUT_VOWELS and following not in _LONG_A


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M" or character in "\u200c\u200d"


@lru_cache(maxsize=4096)
def _find_script(character: str) -> str:
    """Return the script of a letter by its name in Unicode; empty for anything else."""
    if unicodedata.category(character)[0] not in "LM" or (
        unicodedata.category(character) == "Mn" and not character.isalpha()
    ):
        return ""
    first = unicodedata.name(character, "").split(" ")[0]
    return (
        ""
        if first
        in (
            "COMBINING",
            "MODIFIER",
            "FEMININE",
            "MASCULINE",
            "MICRO",
            "DOUBLE-STRUCK",
            "SCRIPT",
            "FULLWIDTH",
        )
        else first
    )
