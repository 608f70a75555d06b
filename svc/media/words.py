"""Turning untrusted text into words: what the captions show, what the voice is given, and where sentences end."""

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import lru_cache

from svc.media import figures, fonts, instants, numerals, vocabulary
from svc.media.numerals import SPACE

LONGEST_WORD = 30  # characters: the longest ordinary words of any listed language, and it fits a narrow caption line
_LONGEST_SIGN = 3
_MOST_MARKS = 3  # combining marks on one letter: what Arabic and Vietnamese need; more is a stack that leaves its line

_SENTENCE_ENDS = (".", "!", "?", "…", "।", "؟", "۔")
_CLOSERS = "\"'”’»)]}*"
_OPENERS = "\"'“„‘«([{¿¡"
_STOPS = ",;:!?.…"
_SPOKEN_ALONE = frozenset("&%€$£+=@§°")
_PICTURES = re.compile("[\u20e3\u2600-\u27bf\u2b00-\u2bff\ufe00-\ufe0f\U0001f000-\U0001faff\U000e0000-\U000e0fff]")
_MARKS = STRESS, UNSTRESS = "\ue000", "\ue001"  # around what a writer stressed; private use, so that clean() removes them
_KEPT_FORMATS = "\u200c\u200d"  # joiners: Persian and Hindi spell with them
_LINK = re.compile(r"(?:[a-z][a-z0-9+.-]*://(?:[^/@\s]*@)?(?:www\.)?|www\.)([^/:?#\s\"'<>()]+)", re.IGNORECASE)
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)+")
_INITIALS = re.compile(r"(?:[^\W\d]\.){2,}")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[-–](?=\d)")
_UNSPOKEN = re.compile(r"[*_~^`|\\<>{}\[\]#/→←↑↓⇒•·]+")

@dataclass(frozen=True)
class Token:
    """A word: as written (what captions show), as spoken (one word or several), whether it ends a sentence, and whether the
    writer stressed it."""

    written: str
    spoken: str
    ends: bool = False
    stressed: bool = False


def clean(text: str) -> str:
    """``text`` on one line, composed (NFC), with only characters that can be drawn: no control characters, direction overrides,
    lone surrogates, emoji, stacked marks, or letters that no font has."""
    return _drawable(text)


def tokens(text: str, language: str) -> list[Token]:
    """The words of ``text``, cleaned; the last one ends a sentence. ``language``: BCP 47. Empty if there is nothing to say.

    Stressed words stand between STRESS and UNSTRESS. A sign without sound, such as a dash, is shown with the word before it,
    or else with the one after it; a figure that is written with spaces (``5 km``) is one word."""
    result: list[Token] = []
    pieces = _joined(_pieces(text), language)
    sign = ""
    for index, (piece, stressed) in enumerate(pieces):
        if _is_speakable(piece):
            around = (pieces[index - 1][0] if index else "", pieces[index + 1][0] if index + 1 < len(pieces) else "")
            first, *rest = (replace(each, stressed=stressed) for each in _read(piece, language, *around))
            result += [_preceded(sign, first), *rest]
            sign = ""
        elif result:
            result[-1] = _followed(result[-1], piece)
        else:
            sign = sign or piece[:_LONGEST_SIGN]
    return _ended(result)


@lru_cache(maxsize=8192)
def display_length(text: str) -> int:
    """How many characters of ``text`` take room: a mark on a letter and a joiner do not."""
    return sum(1 for each in text if unicodedata.category(each) not in ("Mn", "Me", "Cf"))


def shorten(text: str, length: int) -> str:
    """``text``, or its first words and an ellipsis, at most ``length`` characters."""
    if len(text) <= length:
        return text
    return (text[: length - 1].rsplit(" ", 1)[0])[: length - 1].rstrip(" ,;:-–") + "…"


def _drawable(text: str, marks: tuple[str, ...] = ()) -> str:
    spaced = "".join(" " if each.isspace() else each for each in _PICTURES.sub("", text))
    kept = "".join(each for each in spaced if each in _KEPT_FORMATS or each in marks or unicodedata.category(each)[0] != "C")
    composed = unicodedata.normalize("NFC", kept)
    undrawable = frozenset(fonts.undrawable_characters(composed)).difference(marks)
    return " ".join(_with_few_marks(each for each in composed if each not in undrawable).split())


def _pieces(text: str) -> list[tuple[str, bool]]:
    """What stands between spaces, and whether it is stressed."""
    result, within = [], False
    for marked in _drawable(text, _MARKS).split(" "):
        piece = marked.replace(STRESS, "").replace(UNSTRESS, "")
        if piece:
            result.append((piece, within or STRESS in marked))
        last = max(marked.rfind(STRESS), marked.rfind(UNSTRESS))
        within = marked[last] == STRESS if last >= 0 else within
    return result


def _joined(pieces: list[tuple[str, bool]], language: str) -> list[tuple[str, bool]]:
    """Figures that are written with spaces become one piece each."""
    joined: list[tuple[str, bool]] = []
    for piece, stressed in pieces:
        last, was = joined[-1] if joined else ("", False)
        bare = last.lstrip(_OPENERS)
        if bare and len(last) + len(piece) < LONGEST_WORD and figures.is_one_figure(bare, piece, language):
            joined[-1] = (f"{last}{SPACE}{piece}", was or stressed)
        else:
            joined.append((piece, stressed))
    return joined


def _with_few_marks(characters) -> str:
    kept, marks = [], 0
    for each in characters:
        marks = marks + 1 if unicodedata.combining(each) else 0
        if marks <= _MOST_MARKS:
            kept.append(each)
    return "".join(kept)


def _is_speakable(piece: str) -> bool:
    return any(each.isalnum() or each in _SPOKEN_ALONE for each in piece)


def _preceded(sign: str, token: Token) -> Token:
    return replace(token, written=f"{sign}{SPACE}{token.written}") if sign else token


def _followed(token: Token, piece: str) -> Token:
    sign = piece[:_LONGEST_SIGN]
    if not sign or len(token.written) + len(sign) >= LONGEST_WORD:
        return token
    return replace(token, written=f"{token.written}{SPACE}{sign}", ends=token.ends or _ends(sign))


def _read(piece: str, language: str, before: str, after: str) -> list[Token]:
    """The words of one speakable piece: one, or several if it is endless. ``before``, ``after``: its neighbours."""
    if address := _address(piece.strip(_OPENERS + _CLOSERS + "<,;:!?…"), language):
        written, spoken = address
        last = piece.rstrip(_CLOSERS)[-1:]
        stop = last if last in _STOPS else ""
        return [Token(written + stop, spoken + stop, _ends(stop))]
    bare = piece.strip(_CLOSERS + _OPENERS + ",;:")
    if instants.is_dotted_ordinal(bare, language, after):
        return [Token(piece, figures.read_figure(bare, language, before, after) or bare)]
    expansion = _abbreviation(bare, language, after)
    if expansion is not None:
        closes = bare.lower() in vocabulary.CLOSING and after[:1].isupper()
        return [Token(piece[:LONGEST_WORD], (expansion or bare.replace(".", "")) + ("." if closes else ""), closes)]
    core = piece.strip(_CLOSERS + _OPENERS + _STOPS)
    if (figure := figures.read_figure(core, language, before, after)) is not None:
        first, _, last = piece.partition(core)
        return [Token(piece[:LONGEST_WORD], _spoken(first + figure + last), _ends(piece))]
    chunks = [piece[at : at + LONGEST_WORD] for at in range(0, len(piece), LONGEST_WORD)]
    made = [Token(chunk, _spoken(chunk)) for chunk in chunks if _is_speakable(chunk)]
    return [*made[:-1], Token(made[-1].written, made[-1].spoken, _ends(piece))]


def _address(piece: str, language: str) -> tuple[str, str] | None:
    """How an address of the internet is shown and said: its host, or the whole of a mail address."""
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
    """How to say ``bare``; empty: as it is without its dots; None: not an abbreviation. One letter and a dot is an initial."""
    name = bare.lower()
    if name in vocabulary.ONLY_BEFORE_A_NUMBER and not after.lstrip(_OPENERS)[:1].isdecimal():
        own = None
    else:
        own = vocabulary.ABBREVIATIONS.get(numerals.base_language(language), {}).get(name)
    if own is not None:
        return own
    if len(bare) == 2 and bare[0].isalpha() and bare[1] == ".":
        return ""
    if _INITIALS.fullmatch(bare):
        return " ".join(bare.replace(".", ""))
    return vocabulary.ABBREVIATIONS[""].get(name)


def _spoken(chunk: str) -> str:
    """Signs that espeak-ng would read out by name ("asterisk", "slash") become pauses between words."""
    read = _UNSPOKEN.sub(" ", _BETWEEN_DIGITS.sub(" ", chunk))
    return " ".join(read.split()) or chunk


def _ends(piece: str) -> bool:
    return piece.rstrip(_CLOSERS).endswith(_SENTENCE_ENDS)


def _ended(result: list[Token]) -> list[Token]:
    """The last word ends a sentence, and the voice hears it: a heading has no full stop of its own."""
    if not result:
        return result
    last = result[-1]
    spoken = last.spoken if _ends(last.spoken) else last.spoken.rstrip(",;: ") + "."
    return [*result[:-1], replace(last, spoken=spoken, ends=True)]
