"""Line icons beside the points of a list: one for nearly every point, or none at all."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import regex

from svc.media.artwork import collection
from svc.media.languages import Everywhere, Grammar, Pictures, merge_words, read_words
from svc.media.pictures import meaning, naming
from svc.media.pictures.forms import UNSPACED, Form, find_word_forms
from svc.media.text.names import ARTICLES

_FILE = Path(__file__).parent / "list_icons.txt"
_LINE, _NONE, _EMOJI = "line:", "none", "emoji"
_LONGEST_PHRASE = 4  # words
# The end of the beginning of a point, which says what it is about.
_HEAD = regex.compile(r"\s[-–—]\s|[:;,(،؛：、（]|[.!?。]\s")
# The most words of that beginning, and the most signs in languages without spaces between words.
_MOST_WORDS, _MOST_SIGNS = 8, 24
_FEWEST = 2  # points
_FLOOR = 0.55  # of the score of an illustration: a few words say less than a sentence
_LEAST_SHARE = 2 / 3  # of the points have an icon of their own, or none has one
# The pictures of kinds of places that are said in the names of such: "Hotel Krone".
_PLACES = frozenset((
    "hotel", "coffee", "utensils", "croissant", "pill", "hospital", "store", "landmark", "library",
    "church", "drama", "graduation-cap", "castle",
))  # fmt: skip
# The languages that write each noun with a capital, and those that write titles with many.
_CAPITAL_NOUNS, _TITLE_CASE = frozenset(("de", "lb")), frozenset(("en",))
_FEWEST_CAPITALS = 2  # words of a name that have them
_LETTERS = regex.compile(r"[\p{L}\p{M}'’-]+")

Phrase = tuple[str, ...]


def choose_icons(
    texts: Sequence[str], language: str, is_negation: Callable[[str], bool]
) -> tuple[str, ...]:
    """Return the name of the icon of each of a list's points in ``language`` (BCP 47); empty for a
    point without one.

    No two points have the same one. The result is empty if too few points have any. ``is_negation``
    tells words that turn the meaning of a point round: "No dogs" shows no dog.
    """
    if len(texts) < _FEWEST:
        return ()
    icons: list[str] = []
    for icon in _choose_icons(texts, language, is_negation):
        icons.append("" if icon in icons else icon)
    return tuple(icons) if sum(map(bool, icons)) >= _LEAST_SHARE * len(icons) else ()


def _choose_icons(
    texts: Sequence[str], language: str, is_negation: Callable[[str], bool]
) -> list[str]:
    """Return the icon of each text: of the first known phrase of its beginning, or of the
    illustration that has it as its name, or that stands for it."""
    heads = [_find_head(text, language) for text in texts]
    heads = ["" if any(map(is_negation, head.split())) else head for head in heads]
    is_titled = collection.find_code(language) in _TITLE_CASE and not any(map(_is_sentence, heads))
    listed = [_find_icon_of(head, language, is_titled) for head in heads]
    unlisted = ["" if name else head for name, head in zip(listed, heads, strict=True)]
    chosen = meaning.choose_for_scenes(
        [meaning.Said((head,), "", "", language) for head in unlisted], _FLOOR
    )
    pictures = [
        naming.find_picture_called(head, collection.find_code(language)) or name
        for head, name in zip(unlisted, chosen, strict=True)
    ]
    names = [
        name or _list_illustrations().get(picture, _NONE)
        for name, picture in zip(listed, pictures, strict=True)
    ]
    return ["" if name == _NONE else _LINE + name for name in names]


def _find_head(text: str, language: str) -> str:
    """Return the words with which a point begins, which say what it is about."""
    first = next((part for part in _HEAD.split(text) if part.strip()), "")
    if collection.find_code(language) in UNSPACED:
        return first[:_MOST_SIGNS]
    return " ".join(first.split()[:_MOST_WORDS])


def _find_icon_of(head: str, language: str, is_titled: bool) -> str:
    """Return the icon of the beginning of a point: of a name that of the kind of place that it says
    to be, but none of another of its words, as "The Anchor Inn" is no anchor; else as
    :func:`_find_icon`. ``is_titled``: its list may be one of titles, each word with a capital.
    """
    name = _find_name(head, collection.find_code(language), is_titled)
    if not name:
        return _find_icon(head, language)
    parts = _LETTERS.findall(name)
    places = (icon for icon in (_find_icon(part, language) for part in parts) if icon in _PLACES)
    rest = head.replace(name, " ", 1)
    without = "" if _LETTERS.search(rest) else _NONE
    return next(places, _find_icon(rest, language) or without)


def _find_name(head: str, code: str, is_titled: bool) -> str:
    """Return the first words of ``head`` that are a name by their capitals: two or more beside each
    other or with small words of names between, or an article and one more. Where each noun has a
    capital, a preposition and two more: "Zum Goldenen Anker". Empty if there are none.
    """
    words = head.split()
    if code in UNSPACED or sum(map(_is_capital, words)) < _FEWEST_CAPITALS:
        return ""
    leads, small, most = _list_leads(code)
    for first in range(len(words)):
        end = last = first
        while end < len(words) and (
            _is_capital(words[end]) or (end > first and words[end] in small)
        ):
            last = end if _is_capital(words[end]) else last
            end += 1
        is_led = words[first].casefold() in leads
        may_be_title = is_titled or code in _CAPITAL_NOUNS
        if last >= first + most and (is_led or not may_be_title):
            return " ".join(words[first : last + 1])
    return ""


@cache
def _list_leads(code: str) -> tuple[frozenset[str], frozenset[str], int]:
    """Return the words with which a name begins in a language, those that stand within it, and how
    many words with capitals follow the first one at least."""
    if code in _CAPITAL_NOUNS:
        return merge_words(Grammar).prepositions, frozenset(), 2
    small = merge_words(Everywhere).within_names
    return merge_words(Grammar).articles | ARTICLES | small, small, 1


def _is_capital(word: str) -> bool:
    """Return whether ``word`` has a capital, and is none of an acronym, which is written so."""
    return word[:1].isupper() and (len(word) == 1 or not word.isupper())


def _is_sentence(head: str) -> bool:
    """Return whether ``head`` has a word of some length without a capital after the first one."""
    return any(word.islower() and len(word) > 3 for word in head.split()[1:])


def _find_icon(head: str, language: str) -> str:
    """Return the icon of the first known phrase; empty if there is none,
    and "none" for a phrase that must not have one.
    """
    code = collection.find_code(language)
    known = _read_phrases(code)
    words = find_word_forms(head, code) if code not in UNSPACED else []
    return next(
        (
            icon
            for at in range(len(words))
            if (icon := _find_longest(words[at : at + _LONGEST_PHRASE], known))
        ),
        "",
    )


def _find_longest(words: Sequence[Form], known: dict[Phrase, str]) -> str:
    phrase = tuple(form.word for form in words)
    return next(
        (
            known[phrase[:length]]
            for length in range(len(phrase), 0, -1)
            if phrase[:length] in known
        ),
        "",
    )


@cache
def _read_phrases(code: str) -> dict[Phrase, str]:
    """Return the icon of each phrase of a language, as words without case."""
    listed = {
        tuple(form.word for form in find_word_forms(text, code)): icon
        for icon, text in _load_icons(code)
    }
    if read_words(code, Pictures).plural_s:
        plurals = {
            (*phrase[:-1], f"{phrase[-1]}s"): icon
            for phrase, icon in listed.items()
            if not phrase[-1].endswith("s")
        }
        listed = plurals | listed
    return listed


@cache
def _list_illustrations() -> dict[str, str]:
    """Return the icon that stands for each illustration."""
    return {name: icon for icon, name in _load_icons(_EMOJI)}


def _load_icons(language: str) -> list[tuple[str, str]]:
    """Return the icons of the file with the words of ``language`` for them."""
    rows = (
        row.split("; ") for row in _FILE.read_text("utf-8").splitlines() if not row.startswith("#")
    )
    parts = ((icon, part.partition(" ")) for icon, *listed in rows for part in listed)
    return [
        (icon, text)
        for icon, (code, _, texts) in parts
        if code == language
        for text in texts.split(", ")
    ]
