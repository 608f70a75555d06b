"""How one written word is spoken, and whether it ends a sentence."""

import re
import unicodedata
from functools import lru_cache

from svc.media.text import abbreviations, addresses, dates, foreign, numbers, signs, vocabulary
from svc.media.text.numerals import PAUSES, base_language

OPENERS = "\"'“„‘«([{¿¡"
CLOSERS = "\"'”’»)]}*"
_STOPS = f"{PAUSES}.…"
_SENTENCE_ENDS = (".", "!", "?", "…", "।", "؟", "۔", "。", "！", "？")
_SPOKEN_ALONE = frozenset("&%€$£+=@§°")
_SPOKEN_PICTURES = "°№℃℉"
_RELATIONS = {"<": "<", ">": ">", "~": "≈"}  # in front of a number
_CLOCK = re.compile(r"\d.*m\.$")  # 9:00 a.m.
_MARKED = re.compile(
    r"(?P<note>[A-G])#|#(?P<rank>\d{1,6})|(?P<base>\d{1,6})\^(?P<power>[-−]?\d{1,3})|(?P<feet>[1-9])['’′](?P<inches>1?\d)[\"″”]?"
)
_LONGEST_KEPT = 120  # characters of a word and its neighbours whose reading is kept: texts repeat their words
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[-–](?=\d)")
_UNSPOKEN = re.compile(r"[*_~^`|\\<>{}\[\]#/→←↑↓⇒•·]+|(?:^|(?<=\s))[\u200c\u200d]+(?=\s|$)")


def is_speakable(piece: str) -> bool:
    """Return whether ``piece`` has a letter, a digit or a sign that is spoken by name."""
    return any(character.isalnum() or character in _SPOKEN_ALONE for character in piece) or signs.is_sign(
        piece.strip(_STOPS + CLOSERS)
    )


def closes(piece: str) -> bool:
    """Return whether ``piece`` ends with a full stop or the like, whatever it means."""
    return piece.rstrip(CLOSERS).endswith(_SENTENCE_ENDS)


def capitalised(spoken: str, language: str) -> str:
    """Return ``spoken`` as the first word of a sentence, since before a small letter the voice hears no full stop."""
    first = spoken[:1]
    if not first.islower():
        return spoken
    return ("İ" if first == "i" and base_language(language) == "tr" else first.upper()) + spoken[1:]


def read(piece: str, language: str, before: str, after: str) -> tuple[str, bool]:
    """Return how a speakable ``piece`` is spoken, and whether it ends a sentence. ``before``, ``after``: its neighbours."""
    short = len(piece) + len(before) + len(after) <= _LONGEST_KEPT
    return (_read if short else _read.__wrapped__)(piece, language, before, after)


@lru_cache(maxsize=4096)
def _read(piece: str, language: str, before: str, after: str) -> tuple[str, bool]:
    bare = piece.strip(CLOSERS + OPENERS + PAUSES)
    if (expansion := _abbreviation(piece, bare, language, before, after)) is not None:
        return expansion
    if (address := addresses.host_or_mail(piece.strip(OPENERS + CLOSERS + "<>…" + PAUSES))) is not None:
        last = piece.rstrip(CLOSERS + ">")[-1:]
        stop = last if last in _STOPS else ""
        return addresses.speak_address(address, language) + stop, closes(stop)
    if dates.is_dotted_ordinal(bare, language, before, after):
        return numbers.read_figure(bare, language, before, after) or bare, False
    inside = abbreviations.dot_is_inside(bare, after) or (_CLOCK.search(bare) is not None and after[:1].islower())
    spoken = _with_stops(piece, language, before, after)
    return (spoken.rstrip(".") if inside else spoken), closes(piece) and not inside


def _abbreviation(piece: str, bare: str, language: str, before: str, after: str) -> tuple[str, bool] | None:
    """Return how an abbreviation is spoken, with the signs around it, and whether it ends a sentence; None: it is none."""
    expansion = abbreviations.spoken(bare, language, before, after) if bare else None
    if expansion is None:
        return None
    tail = piece[piece.rfind(bare) + len(bare) :]
    tail = "".join(character for character in tail if character in _STOPS)[:1]
    ends = closes(tail) or (not tail and abbreviations.ends_too(bare, language, after))
    return expansion + (tail or ("." if ends else "")), ends


def _with_stops(piece: str, language: str, before: str, after: str) -> str:
    """Return ``piece`` spoken, with the punctuation around it."""
    core = piece.strip(CLOSERS + OPENERS + _STOPS)
    first, _, last = piece.partition(core) if core else ("", "", "")
    stops = "".join(character for character in last if character in _STOPS)
    if (named := numbers.read_rate(core, language) or _with_mark(core, language)) is not None:
        return plain(first, language, "") + named + plain(last, language, "")
    for candidate in (core + ".", core) if last[:1] == "." else (core,):  # a.m. keeps its dot
        if (figure := numbers.read_figure(candidate, language, before, after)) is not None:
            return (figure if ")" in core else plain(first, language, "") + figure) + plain(last, language, "")
    if core[:1] in _RELATIONS and (figure := numbers.read_figure(core[1:], language, before, after)) is not None:
        return f"{signs.name(_RELATIONS[core[0]], language)} {figure}{stops}"
    parts = signs.split(core)
    if len(parts) > 1 or signs.is_sign(core):
        said = (signs.name(part, language) if signs.is_sign(part) else _with_stops(part, language, "", "") for part in parts)
        return plain(first, language, "") + (" ".join(" ".join(said).split()) or core) + stops
    if addresses.is_code(core):
        return (addresses.speak_code(core, language) or core) + stops
    return plain(piece, language)


def _with_mark(core: str, language: str) -> str | None:
    """Return how ``C#``, ``#1``, ``10^6`` and ``5'10"`` are spoken; None if ``core`` is nothing of the kind."""
    match, base = _MARKED.fullmatch(core), base_language(language)
    if match is None:
        return None
    if match["note"]:
        return f"{match['note']} sharp"
    pair, word = ("", match["rank"]), vocabulary.NUMBER.get(base)
    if match["base"]:
        pair, word = (match["base"], match["power"]), vocabulary.TO_THE_POWER.get(base)
    elif match["feet"]:
        pair, word = (match["feet"], match["inches"]), "foot" if base == "en" else None
    before, after = (numbers.read_figure(part, language) or "" for part in pair)
    return f"{before} {word} {after}".strip() if word else None


def plain(text: str, language: str, otherwise: str | None = None) -> str:
    """Return ``text`` without signs that a voice would read by name ("asterisk", "slash"), in letters that it can read."""
    compatible = "".join(_compatible(character) for character in text)
    spoken = " ".join(_UNSPOKEN.sub(" ", _BETWEEN_DIGITS.sub(" ", compatible)).split())
    spoken = foreign.readable(spoken, language)
    return spoken if spoken or otherwise is not None else text


def _compatible(character: str) -> str:
    """Return a mathematical or full-width letter as an ordinary one, and nothing for an emoji or another picture."""
    if unicodedata.category(character) in ("So", "Sk") and character not in _SPOKEN_PICTURES:
        return " "
    decomposed = unicodedata.decomposition(character)
    return unicodedata.normalize("NFKC", character) if decomposed.startswith(("<font>", "<wide>")) else character
