"""Letters of other scripts that look like Latin ones, by the confusables of Unicode (UTS #39)."""

import functools
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from importlib import resources

from svc.base.text.languages import find

FOREIGN = "\ue002"  # before each word that :func:`marked` has respelled; private use, and taken out of the text before
_WORDS = re.compile(r"[^\W_](?:[^\W_]|[\u0300-\u036f])*")
_SCRIPTS = {"Latn": "LATIN", "Cyrl": "CYRILLIC", "Grek": "GREEK", "Arab": "ARABIC", "Deva": "DEVANAGARI"}
_EAST_ASIAN = frozenset(("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "BOPOMOFO", "IDEOGRAPHIC", "KANGXI"))
_RARE = "LATIN OF PHONETICS"  # letters that stand in no ordinary word, such as ɑ and ɡ
_DOTLESS = ("tr", "az", "kk", "tt", "crh", "ba", "gag")  # languages that write ı


def script_of(language: str | None) -> str | None:
    """The script that a language (BCP 47) is written in, as :func:`marked` takes it; None: not known."""
    known = find(language) if language else None
    return _SCRIPTS.get(known.script) if known else None


def marked(text: str, script: str | None = None, language: str | None = None) -> str | None:
    """``text`` with each word that mixes scripts, or is not in ``script``, in the Latin letters that it looks like, behind
    FOREIGN. None: there is no such word. ``script``: None takes that of most letters."""
    if text.isascii():
        return None
    composed = unicodedata.normalize("NFKC", text.replace(FOREIGN, ""))
    dotless = (language or "").partition("-")[0] in _DOTLESS or language is None
    words = {each[0]: _scripts(each[0], dotless) for each in _WORDS.finditer(composed)}
    main = script or _most(words.values())
    foreign = {word for word, scripts in words.items() if scripts and scripts != {main}}
    if not foreign:
        return None
    return _WORDS.sub(lambda found: FOREIGN + folded(found[0]) if found[0] in foreign else found[0], composed)


def folded(text: str) -> str:
    """``text`` with each letter that looks like a Latin one as that; the others stay."""
    if text.isascii():
        return text
    return "".join(_latin(each) for each in unicodedata.normalize("NFKC", text))


def _most(scripts: Iterable[Iterable[str]]) -> str | None:
    counted = Counter(script for each in scripts for script in each if script != _RARE)
    return counted.most_common(1)[0][0] if counted else None


def _scripts(word: str, dotless: bool) -> set[str]:
    found = {script for each in word if (script := _script(each)) is not None}
    if "ı" in word and not dotless:
        found.add(_RARE)
    return found


@functools.lru_cache(maxsize=8192)
def _script(letter: str) -> str | None:
    """The script of a letter by the first word of its name; None: it is in all of them."""
    if not letter.isalpha():
        return None
    name = unicodedata.name(letter, "").split(" ")[0]
    if name == "LATIN":
        return _RARE if "\u0250" <= letter <= "\u02af" or "\u1d00" <= letter <= "\u1dbf" or letter > "\ua720" else name
    return "CJK" if name in _EAST_ASIAN else name or None


@functools.lru_cache(maxsize=8192)
def _latin(letter: str) -> str:
    if letter.isascii():
        return letter
    base = unicodedata.normalize("NFD", letter)[0]
    return _table().get(letter) or _table().get(base) or _table().get(base.upper()) or letter


@functools.cache
def _table() -> dict[str, str]:
    """Each character that is not of ASCII to the letter or digit of ASCII that it looks like."""
    pairs = json.loads(resources.files("confusable_homoglyphs").joinpath("confusables.json").read_text("utf-8"))
    table = {}
    for character, alike in pairs.items():
        if len(character) == 1 and not character.isascii():
            bare = ("".join(c for c in each["c"] if not unicodedata.combining(c)) for each in alike)
            candidates = sorted(each for each in bare if len(each) == 1 and each.isascii() and each.isalnum())
            if candidates:
                table[character] = candidates[-1]  # a small letter before a capital, and that before a digit
    return table
