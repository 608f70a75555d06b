"""Posters in pasted text, whose lines stay, and paragraphs that were wrapped as narrowly."""

import re
import unicodedata
from itertools import pairwise

from svc.base.text.pasted.marks import (
    FEW,
    FEWEST_LINES,
    GOING_ON,
    NARROW,
    find_first_word,
    may_stand_alone,
)

# Words of four letters with which no title ends, as something has to follow them. Shorter ones do
# not end one in any case.
_LEANING = frozenset(
    word
    for line in (
        "also been both each else even ever from have here into just like more most much near once",
        "only onto over such than that them then they this upon very were what when will with your",
        "aber alle auch beim dein dass eine euer kein mein nach oder ohne sein sich sind über wenn",
        "avec chez dans dont elle leur mais pour sans sont sous tous tout vers",
        "ante bajo cada como este esta esto mais para pero pela pelo pues sino tras unas unos",
        "agli alla alle come dopo loro ogni sono tale",
        "deze door geen haar maar naar niet onze voor zijn",
        "albo oraz przy från inte över till icke için gibi koji kada zbog care prin spre sunt",
        "если есть лишь либо меня наши перед тоже",
    )
    for word in line.split()
)
# Words of up to three letters, and of scripts without capitals, with which no line ends whose
# sentence does. Other words as short do: "a walk by the sea", "I told her so".
_SHORT_LEANING = frozenset(
    word
    for line in (
        "a an as at by if in is my of on or to we the and for but nor its our his her are was "
        "has had can may who any per via",
        "am im zu um an ab es er der die das den dem des ein und mit von vom zum zur bei aus "
        "auf für als wie ist sie ihr wir nur bis vor ins ans hat man",
        "à au ce de du en et il la le ne ou où sa se un les des une aux est ses son mes mon nos "
        "vos par sur qui que ont ces cet car ils",
        "al el lo su te tu u y e o del los las una por con sin que sus son más muy han fue",
        "i di da ed ad si gli dei dal nel sul che non una tra fra suo sua più sui nei dai era alla",
        "ao os as da do em na um dos das uma com sem seu são nos nas aos até foi não",
        "te op om er het een van met bij aan uit dat hun tot ook",
        "w z u k s v o i ze we na po dla pod nad bez ale czy jak nie się ich ten jej pro ani při",
        "av og och att det som med för till ett var har men vid ved fra til hos kan der ska",
        "cel din cu și să pe sau mai az és egy nem bir ve ile ja on ei tai kun ali ili pri kod iza",
        "của cho với là một và các yang dan di ke",
        "а в и к о с у я во до за из ко на не но об от по со то для под над без при или что как "
        "его она они это был все вам вас наш та із зі що або як със във",
        "ο η το οι τα με σε ως ή να του της των τον την και στο στη από για που ένα μια σας μας",
        "في من إلى على عن أن إن التي الذي أو مع של את על עם אל או כי ה از به در و که با برای تا",
        "का की के ने और या কে এর ও",
    )
    for word in line.split()
)
# The particles and the words of Chinese, Japanese and Korean that something has to follow.
_WIDE_LEANING = (
    *"はがをにのとへやで",
    *"的在和与與及将將请請把被对對从從于於为為是或",
    *"을를의은는와과",
)
# The fewest characters at which a program wraps lines, so that narrower ones are no paragraph; in
# scripts without capitals fewer, as nothing else tells there that a line begins anew. The most
# words of what it leaves of a line that it wraps again. The shares of a poster's lines that begin
# with a capital or a figure, and that may go on.
_NARROWEST, _NARROWEST_WITHOUT_CAPITALS, _LONGEST_REST = 24, 16, 2
_LONGEST_WORD = 12  # letters that a word of a script without spaces has at most, as a rule
_MOST_OF_POSTER, _FEW_OF_POSTER = 0.6, 0.34
_ENDED = re.compile(r"[^\W\d_]{2}[.!?] ")  # a sentence within a line, after which another begins


def is_poster(run: list[str]) -> bool:
    """Return whether lines are those of a poster: several that are short and end no sentence, most
    with a capital or a figure, and that were not wrapped.

    Where lines were wrapped, the next word has no room on any of them, or after they were wrapped
    twice on few; and many of them end with a word that needs the next one ("of the"). A line in
    small letters ("at the old town hall") is one of a poster where it had room above, or where most
    of the others had. In a script without capitals, nothing but room tells the two apart.
    """
    lines = [line.strip() for line in run]
    if not any(char.isupper() or char.islower() for line in lines for char in line):
        return _is_poster_without_capitals(lines)
    widest = max(map(len, lines))
    if len(lines) < FEWEST_LINES or widest >= NARROW or any(map(_may_be_prose, lines)):
        return False
    going_on = sum(
        leans(line) or (following[0].islower() and not has_room(line, following, widest))
        for line, following in pairwise(lines)
    )
    breaks = len(lines) - 1
    have_room = _count_room(lines, widest)
    has_capitals = any(line[0].isupper() for line in lines)
    narrowest = _NARROWEST if has_capitals else _NARROWEST_WITHOUT_CAPITALS
    is_roomy = 2 * have_room >= breaks or widest < narrowest
    return (
        not lines[0][0].islower()
        and sum(not line[0].islower() for line in lines) >= _MOST_OF_POSTER * len(lines)
        and going_on <= (_FEW_OF_POSTER * breaks if is_roomy else 0)
        and (is_roomy or have_room > 0)
    )


def _is_poster_without_capitals(lines: list[str]) -> bool:
    widest = max(map(_measure_width, lines))
    if len(lines) < FEWEST_LINES or widest >= NARROW or any(map(_may_be_prose, lines)):
        return False
    longest = max(map(len, lines))
    # Programs wrap at so many characters, or at so much width.
    going_on = sum(
        leans(line)
        or len(line) + 1 + min(len(_find_first_piece(following)), _LONGEST_WORD)
        > max(longest, _NARROWEST)
        or _measure_width(line) + _measure_piece(following) > max(widest, _NARROWEST)
        for line, following in pairwise(lines)
    )
    return going_on <= _FEW_OF_POSTER * (len(lines) - 1)


def _measure_width(text: str) -> int:
    """Return the width of ``text`` in letters: a sign of Japanese has two, a mark above or below a
    letter none."""
    return sum(
        2 if unicodedata.east_asian_width(char) in "WF" else unicodedata.category(char) != "Mn"
        for char in text
    )


def _measure_piece(line: str) -> int:
    """Return the width of what of a line would have been on the one above, with the space before
    it: a word, which has no space after it in scripts such as Thai, or a sign of Japanese."""
    piece = _find_first_piece(line)
    is_wide = unicodedata.east_asian_width(piece[0]) in "WF"
    return _measure_width(piece) if is_wide else 1 + min(_measure_width(piece), _LONGEST_WORD)


def _count_room(lines: list[str], widest: int) -> int:
    """Return on how many lines the next word had room, without short ones below a line on which it
    had none: those are the rests of lines that were wrapped twice."""
    count, is_full = 0, False
    for line, following in pairwise(lines):
        fits = has_room(line, following, widest)
        is_rest = is_full and 2 * len(line) <= widest and len(line.split()) <= _LONGEST_REST
        count += fits and not is_rest
        is_full = not fits
    return count


def has_room(line: str, following: str, widest: int) -> bool:
    """Return whether a line has room for the first word of the one below it."""
    return len(line) + 1 + len(_find_first_piece(following)) <= widest


def _may_be_prose(line: str) -> bool:
    """Return whether a line ends a sentence that is no call (``Come and see!``), or is none of a
    poster by its marks."""
    return may_stand_alone(line.rstrip(" *!！")) or bool(_ENDED.search(line))


def _find_first_piece(line: str) -> str:
    """Return what of a line would have been on the one above: a word, or a sign of Chinese or
    Japanese; Korean has spaces between its words."""
    word = find_first_word(line)
    is_sign = unicodedata.east_asian_width(word[0]) in "WF" and not "가" <= word[0] <= "힣"
    return word[:1] if is_sign else word


def leans(line: str) -> bool:
    """Return whether something has to follow a line: it ends with a comma, a hyphen or a word such
    as "of the", that is no unit of a number before it."""
    *before, last = ["", *line.split()]
    is_unit = any(map(str.isdecimal, before[-1]))
    return line.endswith((*GOING_ON, *_WIDE_LEANING)) or (
        not is_unit and (last in _LEANING or last in _SHORT_LEANING)
    )


def may_end_title(word: str) -> bool:
    """Return whether a title may end with a word in small letters: one that is long, or of four
    letters and needs nothing after it, as "with" does."""
    return len(word) > FEW or (len(word) == FEW and word not in _LEANING)
