"""Turning untrusted text into words: as captions show them, as the voice gets them, and where sentences end."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from svc.media import fonts
from svc.media.pictures import emoji
from svc.media.text import abbreviations, foreign, numbers, reading
from svc.media.text.numerals import SPACE

LONGEST_WORD = 30  # characters: holds the longest ordinary words of all languages, and fits a narrow caption line
GLUE = "\u2060"  # begins a piece of a longer word: it follows the previous piece without a space, perhaps on the next line
_LONGEST_SIGN = 10  # characters that are shown with the word beside them: an emoji of several people is as long
_LONGEST_ADDRESS = 60  # characters of what is hardly spoken, such as a URL: more could not be read while its host is spoken
_MOST_UNSPOKEN = 3.2  # how much longer than its spoken form it may be
_MOST_ALIKE = 3  # of the same sign in a row: more are decoration
_MOST_MARKS = 3  # combining marks per letter: enough for Arabic and Vietnamese; more would stack out of the line
_MOST_FORMS = 6  # marks of every kind per letter: enough for the subjoined letters and vowels of Tibetan and Khmer
_UNSPOKEN_WORD = ","  # the voice pauses at a long row of signs

_EMOJI = re.compile("[\u20e3\u2600-\u27bf\u2b00-\u2bff\ufe00-\ufe0f\U0001f000-\U0001faff\U000e0000-\U000e0fff]")
_MARKS = STRESS, UNSTRESS = "\ue000", "\ue001"  # around stressed text; for private use, so that clean() removes them
_KEPT_FORMATS = "\u200c\u200d"  # joiners, which Persian and Hindi need
_TAGS = re.compile("[\U000e0020-\U000e007f]")  # within emoji of flags
_BREAKS_AFTER = "/-_.?&=+,;:~"


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

    Control characters, direction overrides, lone surrogates, emoji without a glyph and stacked marks are removed; letters
    without a font become Latin ones.
    """
    return drawable(_visible(text)).strip()


def drawable(text: str) -> str:
    """Return ``text`` as it can be drawn: emoji without a glyph are left out, and letters without a font become Latin ones."""
    missing = frozenset(emoji.undrawable_characters(text))
    if not missing and "\ufe0f" not in text:
        return text
    shown = "".join("" if character in missing and not character.isalnum() else character for character in text)
    words = shown.replace("\ufe0f", "").split(" ")
    drawn = (_in_latin(word) if missing.intersection(word) else word for word in words)
    return " ".join(word for word in drawn if word.strip(f"\u200d{SPACE}")).strip(SPACE)


def tokens(text: str, language: str) -> list[Token]:
    """Return the words of ``text``, without characters that have no form; the last one ends a sentence. ``language``: BCP 47.
    Empty if nothing is speakable.

    Stressed words stand between STRESS and UNSTRESS. A sign without sound, such as a dash or an emoji, is shown with the word
    before it, or else with the one after it; a figure that is written with spaces (``5 km``) is one word. A word longer than
    LONGEST_WORD is several tokens, all but the first beginning with GLUE.
    """
    result: list[Token] = []
    pieces = _joined(_pieces(text), language)
    if not any(reading.is_speakable(piece) for piece, _ in pieces):
        return result
    sign, starts = "", True
    for index, (piece, stressed) in enumerate(pieces):
        if not reading.is_speakable(piece):
            sign = _add_sign(result, sign, piece)
            continue
        neighbours = (pieces[index - 1][0] if index else "", pieces[index + 1][0] if index + 1 < len(pieces) else "")
        spoken, ends = reading.read(piece, language, *neighbours)
        spoken = reading.capitalised(spoken, language) if starts else spoken
        first, *rest = _split_long(piece, spoken, ends, stressed)
        result += [_preceded(sign, first), *rest]
        sign, starts = "", ends
    return _ended(result)


@lru_cache(maxsize=8192)
def display_length(text: str) -> int:
    """Return how many characters of ``text`` take up space: combining marks and joiners do not."""
    return sum(1 for character in text if unicodedata.category(character) not in ("Mn", "Me", "Cf"))


def joined(words: Iterable[str]) -> str:
    """Return written ``words`` as text: with spaces between them, but not within a word of several pieces."""
    return " ".join(words).replace(f" {GLUE}", "").replace(GLUE, "")


def unbroken(text: str, language: str) -> str:
    """Return ``text``, which is clean, with no-break spaces within its figures, as captions have them: ``18 %``."""
    bound = joined(token.written for token in tokens(text, language))
    return bound if bound.replace(SPACE, " ") == text else text


def shorten(text: str, length: int) -> str:
    """Return ``text``, or its first words and an ellipsis, in at most ``length`` characters."""
    if len(text) <= length:
        return text
    return (text[: length - 1].rsplit(" ", 1)[0])[: length - 1].rstrip(" ,;:-–") + "…"


def _in_latin(word: str) -> str:
    return "".join(foreign.romanised(run) if fonts.undrawable_characters(run) else run for run in re.findall(r"\w+|\W+", word))


def _visible(text: str, marks: tuple[str, ...] = ()) -> str:
    """Return ``text`` on one line, without characters that have no form, and with few marks on a letter."""
    spaced = "".join(" " if character.isspace() else character for character in text)
    allowed = (*_KEPT_FORMATS, *marks)
    kept = "".join(
        character
        for character in spaced
        if character in allowed or unicodedata.category(character)[0] != "C" or _TAGS.match(character)
    )
    return " ".join(_with_few_marks(unicodedata.normalize("NFC", kept)).split())


def _pieces(text: str) -> list[tuple[str, bool]]:
    """Return the pieces between spaces, and whether each is stressed."""
    result, within = [], False
    for marked in _visible(text, _MARKS).split(" "):
        piece = marked.replace(STRESS, "").replace(UNSTRESS, "")
        if piece:
            result.append((_with_fewer_signs(piece), within or STRESS in marked))
        last = max(marked.rfind(STRESS), marked.rfind(UNSTRESS))
        within = marked[last] == STRESS if last >= 0 else within
    return result


def _with_fewer_signs(piece: str) -> str:
    return re.sub(rf"([^\w\s])\1{{{_MOST_ALIKE},}}", lambda run: run[1] * _MOST_ALIKE, piece)


def _joined(pieces: list[tuple[str, bool]], language: str) -> list[tuple[str, bool]]:
    """Join the pieces of each figure and of each abbreviation that is written with spaces."""
    joined: list[tuple[str, bool]] = []
    index = 0
    while index < len(pieces):
        piece, stressed = pieces[index]
        if count := abbreviations.join([part for part, _ in pieces[index : index + 4]], language):
            run = pieces[index : index + count]
            joined.append((SPACE.join(part for part, _ in run), any(stress for _, stress in run)))
            index += count
            continue
        last, was_stressed = joined[-1] if joined else ("", False)
        bare = last.lstrip(reading.OPENERS.replace("(", ""))
        if bare and len(last) + len(piece) < LONGEST_WORD and numbers.is_one_figure(bare, piece, language):
            joined[-1] = (f"{last}{SPACE}{piece}", was_stressed or stressed)
        else:
            joined.append((piece, stressed))
        index += 1
    return joined


def _with_few_marks(characters: str) -> str:
    if characters.isascii():
        return characters
    kept, marks = [], 0
    for character in characters:
        kind = unicodedata.category(character)
        marks = marks + 1 if kind in ("Mn", "Me") else 0
        if marks <= (_MOST_MARKS if kind == "Me" or unicodedata.combining(character) else _MOST_FORMS):
            kept.append(character)
    return "".join(kept)


def _add_sign(result: list[Token], waiting: str, sign: str) -> str:
    """Show ``sign`` with the last word; return the signs that wait for a first word."""
    if not result:
        return (f"{waiting}{SPACE}{sign}" if waiting else sign)[:_LONGEST_SIGN]
    last = result[-1]
    sign = sign[:_LONGEST_SIGN]
    if display_length(last.written) + display_length(sign) <= LONGEST_WORD + _LONGEST_SIGN:
        result[-1] = replace(last, written=f"{last.written}{SPACE}{sign}", ends=last.ends or reading.closes(sign))
    return ""


def _preceded(sign: str, token: Token) -> Token:
    return replace(token, written=f"{sign}{SPACE}{token.written}") if sign else token


def _split_long(piece: str, spoken: str, ends: bool, stressed: bool) -> list[Token]:
    """Return the token of ``piece``, or several if it is longer than a caption line can hold."""
    if len(piece) <= LONGEST_WORD:
        return [Token(piece, spoken, ends, stressed)]
    longest = max(LONGEST_WORD, min(_LONGEST_ADDRESS, int(len(spoken) * _MOST_UNSPOKEN)))
    chunks = _chunks(piece if len(piece) <= max(longest, len(spoken) * 1.5) else piece[: longest - 1] + "…")
    last = len(chunks) - 1
    return [
        Token(chunk, said, ends and index == last, stressed)
        for index, (chunk, said) in enumerate(zip(chunks, _shares(spoken, len(chunks)), strict=True))
    ]


def _chunks(word: str) -> list[str]:
    """Split ``word`` into pieces of at most LONGEST_WORD characters, after a sign where one is near, each but the first with
    GLUE."""
    chunks: list[str] = []
    while word:
        count = -(-len(word) // (LONGEST_WORD - 1))
        end = -(-len(word) // count)
        if count > 1:
            end = max(word.rfind(sign, end // 2, LONGEST_WORD - 1) for sign in _BREAKS_AFTER) + 1 or end
            while end > 1 and unicodedata.category(word[end])[0] == "M":  # a mark stays with its letter
                end -= 1
        chunks.append((GLUE if chunks else "") + word[:end])
        word = word[end:]
    return chunks


def _shares(spoken: str, count: int) -> list[str]:
    """Split what is spoken into ``count`` parts of similar length, between words where it has enough of them."""
    words = spoken.split()
    if 1 < len(words) < count:
        words += [_UNSPOKEN_WORD] * (count - len(words))
    elif len(words) < count:
        width = max(1, -(-len(spoken) // count))
        words = [spoken[at : at + width].strip() or _UNSPOKEN_WORD for at in range(0, len(spoken), width)]
        words += [_UNSPOKEN_WORD] * (count - len(words))
    return [" ".join(words[first:end]) for first, end in even_bounds(len(words), count)]


def even_bounds(total: int, count: int) -> list[tuple[int, int]]:
    """Return the first index and the end of each of ``count`` parts of ``total`` items, of nearly the same number."""
    return list(pairwise(round(index * total / count) for index in range(count + 1)))


def _ended(result: list[Token]) -> list[Token]:
    """Let the last word end a sentence audibly: a heading has no full stop of its own."""
    if not result:
        return result
    last = result[-1]
    spoken = last.spoken if reading.closes(last.spoken) else last.spoken.rstrip(",;: ") + "."
    return [*result[:-1], replace(last, spoken=spoken, ends=True)]
