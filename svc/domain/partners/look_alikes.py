"""Letters of other scripts that look like Latin letters, from the confusables of
Unicode (UTS #39).
"""

import functools
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from importlib import resources

from svc.base.text.languages import find_language

# The sign before each word that :func:`mark_foreign_words` has replaced: a private-use character,
# which is removed from the input.
FOREIGN = "\ue002"
_WORDS = re.compile(r"[^\W_](?:[^\W_]|[\u0300-\u036f])*")
_EAST_ASIAN = frozenset(
    ("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "BOPOMOFO", "IDEOGRAPHIC", "KANGXI")
)
_RARE = "LATIN OF PHONETICS"  # letters of no ordinary word, such as ɑ and ɡ
_SYMBOL = re.compile(r".*\b(?:LATIN CAPITAL|INDICATOR SYMBOL) LETTER ([A-Z])")
# Names of letters of Latin script that UTS #39 does not list as look-alikes, though they are: small
# capitals, and letters that are turned or have a stroke, a hook or the like.
_SHAPE = re.compile(
    r"(?:LATIN|MODIFIER) (?:SMALL |CAPITAL )?LETTER (?:SMALL (?:CAPITAL )?)?(?:TURNED |REVERSED |"
    r"INVERTED |SIDEWAYS |DOTLESS |INSULAR |BARRED )?([A-Z])(?: WITH .*)?"
)
# Letters that no accent parts from an ASCII letter, and the languages whose own they are; elsewhere
# they are look-alikes.
_OWN = {
    "ı": ("tr", "az", "kk", "tt", "crh", "ba", "gag"),
    "ł": ("pl", "hsb", "dsb", "szl", "csb"),
    "đ": ("vi", "hr", "bs", "sr", "se"),
    "ø": ("da", "no", "nb", "nn", "fo"),
    "ħ": ("mt",),
    "ŧ": ("se",),
    "ð": ("is", "fo"),
    "þ": ("is",),
    "ə": ("az",),
    "ß": ("de",),
    "ɓ": ("ha",),
    "ɗ": ("ha",),
    "ƙ": ("ha",),
    "ƴ": ("ha",),
}


def find_writing_system(language: str | None) -> str | None:
    """Return the script that a language (BCP 47) is written in; None: unknown."""
    known = find_language(language) if language else None
    return known.script_name if known else None


def mark_foreign_words(text: str, script: str | None, language: str | None) -> str | None:
    """Return ``text`` with each foreign word as FOREIGN and the Latin letters that it looks like;
    None: no such word.

    A foreign word mixes scripts or is not in ``script`` (None: the script of most letters).
    """
    if text.isascii():
        return None
    composed = unicodedata.normalize("NFKC", text.replace(FOREIGN, ""))
    base = None if language is None else language.partition("-")[0].lower()
    words = {word: _find_scripts(word, base) for word in set(_WORDS.findall(composed))}
    main = script or _find_commonest(words.values())
    foreign = {
        word: FOREIGN + fold_to_latin(word)
        for word, scripts in words.items()
        if scripts and scripts != {main}
    }
    if not foreign:
        return None
    return _WORDS.sub(lambda match: foreign.get(match[0], match[0]), composed)


def fold_to_latin(text: str) -> str:
    """Return ``text`` with each letter replaced by the Latin letter that it looks like,
    if there is one.
    """
    if text.isascii():
        return text
    return "".join(_replace_latin_letter(letter) for letter in unicodedata.normalize("NFKC", text))


def replace_letter_signs(text: str) -> str:
    """Return ``text`` with letters in place of other characters that show one, such as white
    letters on black, and of letters whose compatible forms in Unicode look different."""
    return text if text.isascii() else "".join(_replace_symbol(character) for character in text)


@functools.lru_cache(maxsize=8192)
def _replace_symbol(character: str) -> str:
    if character.isascii():
        return character
    match = (
        _SYMBOL.fullmatch(unicodedata.name(character, ""))
        if unicodedata.category(character) == "So"
        else None
    )
    if match:
        return match[1].lower()
    is_letter = character.isalpha() and unicodedata.normalize("NFKC", character) == character
    return character if is_letter else _load_table().get(character, character)


def _find_commonest(scripts: Iterable[Iterable[str]]) -> str | None:
    counted = Counter(script for of_word in scripts for script in of_word if script != _RARE)
    return counted.most_common(1)[0][0] if counted else None


def _find_scripts(word: str, language: str | None) -> set[str]:
    scripts = {script for letter in word if (script := _find_script(letter)) is not None}
    if language is not None and any(_is_borrowed(letter, language) for letter in word):
        scripts.add(_RARE)
    return scripts


@functools.lru_cache(maxsize=8192)
def _is_borrowed(letter: str, language: str) -> bool:
    """Return whether a Latin letter is a variety of an ASCII letter, as ı, ł and ƥ are,
    and not of this language.
    """
    letter = unicodedata.normalize("NFD", letter)[0]
    if letter.isascii() or not unicodedata.name(letter, "").startswith("LATIN "):
        return False
    return _replace_latin_letter(letter) != letter and language not in _OWN.get(letter.lower(), ())


def _find_shape(letter: str) -> str | None:
    """Return the ASCII letter whose variety a Latin letter is, by its name; None: it is none."""
    match = _SHAPE.fullmatch(unicodedata.name(letter, ""))
    return match[1].lower() if match else None


@functools.lru_cache(maxsize=8192)
def _find_script(letter: str) -> str | None:
    """Return the script of a letter, from the first word of its Unicode name;
    None: it is not a letter.
    """
    if not letter.isalpha():
        return None
    name = unicodedata.name(letter, "").split(" ")[0]
    if name == "LATIN":
        return (
            _RARE
            if "\u0250" <= letter <= "\u02af" or "\u1d00" <= letter <= "\u1dbf" or letter > "\ua720"
            else name
        )
    return "CJK" if name in _EAST_ASIAN else name or None


@functools.lru_cache(maxsize=8192)
def _replace_latin_letter(letter: str) -> str:
    if letter.isascii():
        return letter
    base = unicodedata.normalize("NFD", letter)[0]
    return (
        _load_table().get(letter)
        or _find_shape(letter)
        or _load_table().get(base)
        or _load_table().get(base.upper())
        or letter
    )


@functools.cache
def _load_table() -> dict[str, str]:
    """Return a map from non-ASCII characters to the ASCII letter or digit that they look like."""
    pairs = json.loads(
        resources.files("confusable_homoglyphs").joinpath("confusables.json").read_text("utf-8")
    )
    table = {}
    for character, alike in pairs.items():
        if len(character) == 1 and not character.isascii():
            bare = (
                "".join(c for c in entry["c"] if not unicodedata.combining(c)) for entry in alike
            )
            candidates = sorted(
                text for text in bare if len(text) == 1 and text.isascii() and text.isalnum()
            )
            if candidates:
                # prefers lower case to upper case, and letters to digits
                table[character] = candidates[-1]
    # Some letters look like a letter that itself looks like one of ASCII.
    for character, alike in pairs.items():
        if (
            len(character) == 1
            and not character.isascii()
            and character not in table
            and not _find_shape(character)
        ):
            others = (
                table.get(entry["c"]) or (_find_shape(entry["c"]) if len(entry["c"]) == 1 else None)
                for entry in alike
            )
            if other := next(filter(None, others), None):
                table[character] = other
    return table
