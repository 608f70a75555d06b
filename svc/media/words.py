"""Turning untrusted text into words: what the captions show, what the voice is given, and where sentences end."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from svc.media import fonts

LONGEST_WORD = 30  # characters: the longest ordinary words of any listed language, and it fits a narrow caption line
_LONGEST_SIGN = 3
_MOST_MARKS = 3  # combining marks on one letter: what Arabic and Vietnamese need; more is a stack that leaves its line

_SENTENCE_ENDS = (".", "!", "?", "…", "।", "؟", "۔")
_CLOSERS = "\"'”’»)]}*"
_OPENERS = "\"'“„‘«([{¿¡"
_SPOKEN_ALONE = frozenset("&%€$£+=@§°")
_PICTURES = re.compile("[\u20e3\u2600-\u27bf\u2b00-\u2bff\ufe00-\ufe0f\U0001f000-\U0001faff\U000e0000-\U000e0fff]")
_KEPT_FORMATS = "\u200c\u200d"  # joiners: Persian and Hindi spell with them
_LINK = re.compile(r"(?:[a-z][a-z0-9+.-]*://(?:[^/@\s]*@)?(?:www\.)?|www\.)([^/:?#\s\"'<>()]+)", re.IGNORECASE)
_CURRENCY_FIRST = re.compile(r"([€$£])(\d[\d.,]*\d|\d)")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[-–](?=\d)")
_UNSPOKEN = re.compile(r"[*_~^`|\\<>{}\[\]#/→←↑↓⇒•·]+")

# Abbreviations end in a dot that ends no sentence. Common ones the voices know without their dot; others are written out.
_ABBREVIATIONS = {
    "": {
        "dr.": "", "prof.": "", "mr.": "", "mrs.": "", "ms.": "", "st.": "", "jr.": "", "inc.": "", "ltd.": "", "vol.": "",
        "fig.": "", "nr.": "", "tel.": "", "mme.": "", "dott.": "", "ing.": "",
    },
    "en": {"e.g.": "for example", "i.e.": "that is", "etc.": "et cetera", "vs.": "versus", "approx.": "approximately"},
    "de": {
        "z.b.": "zum Beispiel", "d.h.": "das heißt", "usw.": "und so weiter", "bzw.": "beziehungsweise", "ca.": "circa",
        "dr.": "Doktor", "nr.": "Nummer", "u.a.": "unter anderem", "inkl.": "inklusive",
    },
    "fr": {"etc.": "et cætera", "p.ex.": "par exemple", "env.": "environ", "m.": "monsieur"},
    "es": {"etc.": "etcétera", "p.ej.": "por ejemplo", "sr.": "señor", "sra.": "señora", "aprox.": "aproximadamente"},
    "it": {"ecc.": "eccetera", "es.": "esempio", "sig.": "signor", "ca.": "circa"},
    "pt": {"etc.": "et cetera", "ex.": "exemplo", "sr.": "senhor", "sra.": "senhora"},
    "nl": {"bijv.": "bijvoorbeeld", "enz.": "enzovoort", "d.w.z.": "dat wil zeggen", "ca.": "circa"},
}  # fmt: skip


@dataclass(frozen=True)
class Token:
    """A word: as written (what captions show), as spoken, and whether it ends a sentence."""

    written: str
    spoken: str
    ends: bool = False


def clean(text: str) -> str:
    """``text`` on one line, composed (NFC), with only characters that can be drawn: no control characters, direction overrides,
    lone surrogates, emoji, stacked marks, or letters that no font has."""
    spaced = "".join(" " if each.isspace() else each for each in _PICTURES.sub("", text))
    kept = "".join(each for each in spaced if each in _KEPT_FORMATS or unicodedata.category(each)[0] != "C")
    composed = unicodedata.normalize("NFC", kept)
    undrawable = frozenset(fonts.covers(composed))
    return " ".join(_with_few_marks(each for each in composed if each not in undrawable).split())


def tokens(text: str, language: str) -> list[Token]:
    """The words of ``text``, cleaned; the last one ends a sentence. ``language``: BCP 47. Empty if there is nothing to say.

    A sign without sound, such as a dash, is shown with the word before it, or else with the one after it."""
    found: list[Token] = []
    sign = ""
    for piece in clean(text).split(" "):
        if _is_speakable(piece):
            first, *rest = _read(piece, language)
            found += [_preceded(sign, first), *rest]
            sign = ""
        elif found:
            found[-1] = _followed(found[-1], piece)
        else:
            sign = sign or piece[:_LONGEST_SIGN]
    return _ended(found)


@lru_cache(maxsize=8192)
def shown_length(text: str) -> int:
    """How many characters of ``text`` take room: a mark on a letter and a joiner do not."""
    return sum(1 for each in text if unicodedata.category(each) not in ("Mn", "Me", "Cf"))


def shortened(text: str, length: int) -> str:
    """``text``, or its first words and an ellipsis, at most ``length`` characters."""
    if len(text) <= length:
        return text
    return (text[: length - 1].rsplit(" ", 1)[0])[: length - 1].rstrip(" ,;:-–") + "…"


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
    return Token(f"{sign}\u00a0{token.written}", token.spoken, token.ends) if sign else token


def _followed(token: Token, piece: str) -> Token:
    sign = piece[:_LONGEST_SIGN]
    if not sign or len(token.written) + len(sign) >= LONGEST_WORD:
        return token
    return Token(f"{token.written}\u00a0{sign}", token.spoken, token.ends or _ends(sign))


def _read(piece: str, language: str) -> list[Token]:
    """The words of one speakable piece between spaces: one, or several if it is endless."""
    if link := _LINK.match(piece.lstrip(_OPENERS + "<")):
        host, stop = shortened(link[1], LONGEST_WORD - 1), piece[-1] if _ends(piece) else ""
        return [Token(host + stop, host + stop, bool(stop))]
    bare = piece.strip(_CLOSERS + _OPENERS + ",;:")
    expansion = _abbreviation(bare.lower(), language)
    if expansion is not None:
        return [Token(piece[:LONGEST_WORD], expansion or bare.replace(".", ""))]
    chunks = [piece[at : at + LONGEST_WORD] for at in range(0, len(piece), LONGEST_WORD)]
    made = [Token(chunk, _spoken(chunk)) for chunk in chunks if _is_speakable(chunk)]
    return [*made[:-1], Token(made[-1].written, made[-1].spoken, _ends(piece))]


def _abbreviation(bare: str, language: str) -> str | None:
    """How to say ``bare``; empty: as it is without its dot; None: not an abbreviation. One letter and a dot is an initial."""
    own = _ABBREVIATIONS.get(language.partition("-")[0], {})
    if bare in own:
        return own[bare]
    if len(bare) == 2 and bare[0].isalpha() and bare[1] == ".":
        return ""
    return _ABBREVIATIONS[""].get(bare)


def _spoken(chunk: str) -> str:
    """Signs that espeak-ng would read out by name ("asterisk", "slash") become pauses between words."""
    read = _CURRENCY_FIRST.sub(r"\2 \1", chunk)
    read = _UNSPOKEN.sub(" ", _BETWEEN_DIGITS.sub(" ", read))
    return " ".join(read.split()) or chunk


def _ends(piece: str) -> bool:
    return piece.rstrip(_CLOSERS).endswith(_SENTENCE_ENDS)


def _ended(found: list[Token]) -> list[Token]:
    """The last word ends a sentence, and the voice hears it: a heading has no full stop of its own."""
    if not found:
        return found
    last = found[-1]
    spoken = last.spoken if _ends(last.spoken) else last.spoken.rstrip(",;: ") + "."
    return [*found[:-1], Token(last.written, spoken, True)]
