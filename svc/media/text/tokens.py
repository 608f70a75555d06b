"""Turning untrusted text into words: as captions show them, as the voice gets them, and where sentences end."""

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import lru_cache

from svc.media import fonts
from svc.media.text import dates, numbers, numerals, vocabulary
from svc.media.text.numerals import SPACE

LONGEST_WORD = 30  # characters: holds the longest ordinary words of all languages, and fits a narrow caption line
_LONGEST_SIGN = 3
_MOST_MARKS = 3  # combining marks per letter: enough for Arabic and Vietnamese; more would stack out of the line

_SENTENCE_ENDS = (".", "!", "?", "…", "।", "؟", "۔")
_CLOSERS = "\"'”’»)]}*"
_OPENERS = "\"'“„‘«([{¿¡"
_STOPS = ",;:!?.…"
_SPOKEN_ALONE = frozenset("&%€$£+=@§°")
_PICTURES = re.compile("[\u20e3\u2600-\u27bf\u2b00-\u2bff\ufe00-\ufe0f\U0001f000-\U0001faff\U000e0000-\U000e0fff]")
_MARKS = STRESS, UNSTRESS = "\ue000", "\ue001"  # around stressed text; for private use, so that clean() removes them
_KEPT_FORMATS = "\u200c\u200d"  # joiners, which Persian and Hindi need
_LINK = re.compile(r"(?:[a-z][a-z0-9+.-]*://(?:[^/@\s]*@)?(?:www\.)?|www\.)([^/:?#\s\"'<>()]+)", re.IGNORECASE)
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)+")
_INITIALS = re.compile(r"(?:[^\W\d]\.){2,}")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[-–](?=\d)")
_UNSPOKEN = re.compile(r"[*_~^`|\\<>{}\[\]#/→←↑↓⇒•·]+")


@dataclass(frozen=True)
class Token:
    """A word: as written (in captions), as spoken (one word or several), whether it ends a sentence, and whether it is
    stressed."""

    written: str
    spoken: str
    ends: bool = False
    stressed: bool = False


def clean(text: str) -> str:
    """Return ``text`` on one line, composed (NFC), with drawable characters only.

    Control characters, direction overrides, lone surrogates, emoji, stacked marks and letters without a font are removed.
    """
    return _drawable(text)


def tokens(text: str, language: str) -> list[Token]:
    """Return the words of ``text``, cleaned; the last one ends a sentence. ``language``: BCP 47. Empty if nothing is speakable.

    Stressed words stand between STRESS and UNSTRESS. A sign without sound, such as a dash, is shown with the word before it, or
    else with the one after it; a figure that is written with spaces (``5 km``) is one word.
    """
    result: list[Token] = []
    pieces = _joined(_pieces(text), language)
    sign = ""
    for index, (piece, stressed) in enumerate(pieces):
        if _is_speakable(piece):
            neighbours = (pieces[index - 1][0] if index else "", pieces[index + 1][0] if index + 1 < len(pieces) else "")
            first, *rest = (replace(token, stressed=stressed) for token in _read(piece, language, *neighbours))
            result += [_preceded(sign, first), *rest]
            sign = ""
        elif result:
            result[-1] = _followed(result[-1], piece)
        else:
            sign = sign or piece[:_LONGEST_SIGN]
    return _ended(result)


@lru_cache(maxsize=8192)
def display_length(text: str) -> int:
    """Return how many characters of ``text`` take up space: combining marks and joiners do not."""
    return sum(1 for character in text if unicodedata.category(character) not in ("Mn", "Me", "Cf"))


def shorten(text: str, length: int) -> str:
    """Return ``text``, or its first words and an ellipsis, in at most ``length`` characters."""
    if len(text) <= length:
        return text
    return (text[: length - 1].rsplit(" ", 1)[0])[: length - 1].rstrip(" ,;:-–") + "…"


def _drawable(text: str, marks: tuple[str, ...] = ()) -> str:
    spaced = "".join(" " if character.isspace() else character for character in _PICTURES.sub("", text))
    allowed = (*_KEPT_FORMATS, *marks)
    kept = "".join(character for character in spaced if character in allowed or unicodedata.category(character)[0] != "C")
    composed = unicodedata.normalize("NFC", kept)
    undrawable = frozenset(fonts.undrawable_characters(composed)).difference(marks)
    return " ".join(_with_few_marks(character for character in composed if character not in undrawable).split())


def _pieces(text: str) -> list[tuple[str, bool]]:
    """Return the pieces between spaces, and whether each is stressed."""
    result, within = [], False
    for marked in _drawable(text, _MARKS).split(" "):
        piece = marked.replace(STRESS, "").replace(UNSTRESS, "")
        if piece:
            result.append((piece, within or STRESS in marked))
        last = max(marked.rfind(STRESS), marked.rfind(UNSTRESS))
        within = marked[last] == STRESS if last >= 0 else within
    return result


def _joined(pieces: list[tuple[str, bool]], language: str) -> list[tuple[str, bool]]:
    """Join the pieces of each figure that is written with spaces."""
    joined: list[tuple[str, bool]] = []
    for piece, stressed in pieces:
        last, was_stressed = joined[-1] if joined else ("", False)
        bare = last.lstrip(_OPENERS)
        if bare and len(last) + len(piece) < LONGEST_WORD and numbers.is_one_figure(bare, piece, language):
            joined[-1] = (f"{last}{SPACE}{piece}", was_stressed or stressed)
        else:
            joined.append((piece, stressed))
    return joined


def _with_few_marks(characters) -> str:
    kept, marks = [], 0
    for character in characters:
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks <= _MOST_MARKS:
            kept.append(character)
    return "".join(kept)


def _is_speakable(piece: str) -> bool:
    return any(character.isalnum() or character in _SPOKEN_ALONE for character in piece)


def _preceded(sign: str, token: Token) -> Token:
    return replace(token, written=f"{sign}{SPACE}{token.written}") if sign else token


def _followed(token: Token, piece: str) -> Token:
    sign = piece[:_LONGEST_SIGN]
    if not sign or len(token.written) + len(sign) >= LONGEST_WORD:
        return token
    return replace(token, written=f"{token.written}{SPACE}{sign}", ends=token.ends or _ends(sign))


def _read(piece: str, language: str, before: str, after: str) -> list[Token]:
    """Return the words of one speakable piece: one, or several if it is very long. ``before``, ``after``: its neighbours."""
    if address := _address(piece.strip(_OPENERS + _CLOSERS + "<,;:!?…"), language):
        written, spoken = address
        last = piece.rstrip(_CLOSERS)[-1:]
        stop = last if last in _STOPS else ""
        return [Token(written + stop, spoken + stop, _ends(stop))]
    bare = piece.strip(_CLOSERS + _OPENERS + ",;:")
    if dates.is_dotted_ordinal(bare, language, after):
        return [Token(piece, numbers.read_figure(bare, language, before, after) or bare)]
    expansion = _abbreviation(bare, language, after)
    if expansion is not None:
        closes = bare.lower() in vocabulary.CLOSING and after[:1].isupper()
        return [Token(piece[:LONGEST_WORD], (expansion or bare.replace(".", "")) + ("." if closes else ""), closes)]
    core = piece.strip(_CLOSERS + _OPENERS + _STOPS)
    if (figure := numbers.read_figure(core, language, before, after)) is not None:
        first, _, last = piece.partition(core)
        return [Token(piece[:LONGEST_WORD], _spoken(first + figure + last), _ends(piece))]
    chunks = [piece[at : at + LONGEST_WORD] for at in range(0, len(piece), LONGEST_WORD)]
    read = [Token(chunk, _spoken(chunk)) for chunk in chunks if _is_speakable(chunk)]
    return [*read[:-1], Token(read[-1].written, read[-1].spoken, _ends(piece))]


def _address(piece: str, language: str) -> tuple[str, str] | None:
    """Return how an internet address is shown and spoken: its host, or all of an e-mail address."""
    link = _LINK.match(piece)
    bare = piece.rstrip(".")
    mail = _MAIL.fullmatch(bare)
    host = link[1] if link else bare.partition("/")[0]
    if not link and not mail and not (_HOST.fullmatch(host) and host.rpartition(".")[2].lower() in vocabulary.TOP_LEVELS):
        return None
    shown = shorten(bare if mail else host.rstrip("."), LONGEST_WORD - 1)
    name = numerals.base_language(language)
    dot, at = vocabulary.DOT.get(name, ""), vocabulary.AT.get(name, "")
    spoken = re.sub(r"[-_+…]", " ", shown).replace(".", f" {dot} ").replace("@", f" {at} ")
    return shown, " ".join(spoken.split()) or shown


def _abbreviation(bare: str, language: str, after: str) -> str | None:
    """Return how ``bare`` is spoken; empty: without its dots; None: it is not an abbreviation. A letter and a dot is an
    initial."""
    name = bare.lower()
    if name in vocabulary.ONLY_BEFORE_A_NUMBER and not after.lstrip(_OPENERS)[:1].isdecimal():
        expansion = None
    else:
        expansion = vocabulary.ABBREVIATIONS.get(numerals.base_language(language), {}).get(name)
    if expansion is not None:
        return expansion
    if len(bare) == 2 and bare[0].isalpha() and bare[1] == ".":
        return ""
    if _INITIALS.fullmatch(bare):
        return " ".join(bare.replace(".", ""))
    return vocabulary.ABBREVIATIONS[""].get(name)


def _spoken(chunk: str) -> str:
    """Replace signs that espeak-ng would read by name ("asterisk", "slash") by spaces."""
    spoken = _UNSPOKEN.sub(" ", _BETWEEN_DIGITS.sub(" ", chunk))
    return " ".join(spoken.split()) or chunk


def _ends(piece: str) -> bool:
    return piece.rstrip(_CLOSERS).endswith(_SENTENCE_ENDS)


def _ended(result: list[Token]) -> list[Token]:
    """Let the last word end a sentence audibly: a heading has no full stop of its own."""
    if not result:
        return result
    last = result[-1]
    spoken = last.spoken if _ends(last.spoken) else last.spoken.rstrip(",;: ") + "."
    return [*result[:-1], replace(last, spoken=spoken, ends=True)]
