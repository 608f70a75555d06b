"""Turning untrusted text into words: as captions show them, as the voice gets them,
and where sentences end.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate

import regex
from babel.lists import format_list

from svc.base.text.languages import Language, find_language
from svc.media import fonts
from svc.media.artwork import emoji
from svc.media.languages import Dates, Numbers, read_words, read_words_by_language
from svc.media.text import (
    abbreviations,
    addresses,
    capitals,
    cases,
    codes,
    dates,
    foreign,
    line_breaks,
    numerals,
    reading,
    sentence_ends,
    signs,
    times_of_day,
)
from svc.media.text.columns import count_columns, count_wide_signs, measure_display_length
from svc.media.text.figures import (
    ages,
    centuries,
    joining,
    money,
    month_days,
    nouns,
    quantities,
    roman,
    sections,
    spans,
)
from svc.media.text.line_breaks import GLUE
from svc.media.text.long_words import LONGEST_IN_PIECES, LONGEST_WORD
from svc.media.text.numerals import CLOSERS, OPENERS, SPACE, STOPS, base_language
from svc.media.text.pronunciation.pieces import UNSPOKEN, split_evenly, split_same_letters

_MOST_UNSPOKEN = 1.5  # how much longer than its spoken form a long word in pieces may be
# The most columns of signs, such as emoji, stars or a bar of blocks, with the word beside them.
_LONGEST_WITH_SIGN = 40
# The most times that one mark, and one picture or currency sign, stands in a row: more are
# decoration.
_MOST_ALIKE, _MOST_COUNTED = 3, 20
# The most combining marks per letter: enough for Arabic and Vietnamese. More would stack out of the
# line.
_MOST_MARKS = 3
# The most marks of every kind per letter: enough for the subjoined letters and vowels of Tibetan
# and Khmer.
_MOST_FORMS = 6

# The marks around stressed text: for private use, so that clean() removes them.
_MARKS = STRESS, UNSTRESS = "\ue000", "\ue001"
# The marks around words that are spoken otherwise: see :func:`mark_as_read`.
_READ, _SAID, _END = "\ue002", "\ue003", "\ue004"
_CLOSING = re.compile(r"[.,;:!?…]+$")
_GIVEN = re.compile(f"{_READ}([^{_READ}{_END}]*){_END}")
# The dots of a price list or of contents between what is named and its number.
_LEADER = re.compile(
    r"(?<=[^\W_])(\)?) ?(?:\.{4,}|…{2,}|\.(?: \.){3,})"
    r"(?:(?=[$€£₹₺]?\d)| ?(?=(?:[$€£₹₺]|R\$|S/|Rs\.?|zł|kr) ?\d)| (?=\d[\d.,]*(?: ?[$€£₹₺%]|$)))"
)
# A letter of no language, in the place of such words while those around them are read.
_PLACE = "\ua66e"
# Marks before which no language has a space. A full stop is none of them: `ls .`
_CLOSE_UP = (",", "،", "؛", "।", "。", "、", "，")
# The words that show that "one" counts nothing: of decimals, and of a range.
_AFTER_NUMBER = ("virgule ", "point ", "coma ", "à ", "a ", "et ", "sur ", "i ")
_TWO_DAYS = re.compile(r"(?P<first>[1-9]\d?)(?P<dot>\.?)/(?P<last>[1-9]\d?)(?P=dot)")
_MOST_DAYS = 31
_KEPT_FORMATS = "\u200c\u200d"  # joiners, which Persian and Hindi need
_TAGS = re.compile("[\U000e0020-\U000e007f]")  # within emoji of flags
# The space in "16 m".
_UNIT = re.compile(r"(?<![!-~])([!-.0-@]*\d) (?=[A-Za-zµΩ°%]{1,4}(?![A-Za-z]))")
# The marks at the beginning of a paragraph that goes on after code: no caption begins with them.
_GOING_ON = "、。，．；：？！ "
_WIDE_MARKS = tuple("、。，；：！？」』）】》")
# By script: the full stop of further languages.
_FULL_STOPS = {"Jpan": "。", "Hans": "。", "Hant": "。", "Thai": ""}


@dataclass(frozen=True)
class Token:
    """A word: as written (in captions), as spoken (one word or several), whether it ends a
    sentence, and whether it is stressed."""

    written: str
    spoken: str
    ends: bool = False
    stressed: bool = False


def clean(text: str) -> str:
    """Return ``text`` on one line, composed (NFC), as files and documents have it.

    Control characters, direction overrides, lone surrogates, signs without a glyph and stacked
    marks are removed. Letters stay, also those without a font, which only pictures show as Latin
    ones (:func:`make_drawable`).
    """
    return _remove_undrawable(_remove_invisible(_GIVEN.sub(_read_written, text)), str).strip()


def mark_as_read(words: Iterable["Token"]) -> str:
    """Return ``words``, whose spoken form is known, as they stand within a text for
    :func:`tokenize_text` and :func:`clean`.
    """
    return (
        _READ + _SAID.join(part for word in words for part in (word.written, word.spoken)) + _END
        if words
        else ""
    )


def is_read_otherwise(text: str) -> bool:
    """Return whether words of :func:`mark_as_read` stand in ``text``."""
    return _READ in text


def make_drawable(text: str) -> str:
    """Return ``text`` as it can be drawn: a sign without a glyph becomes a similar one or is left
    out, and letters without a font become Latin ones."""
    return _remove_undrawable(text, _romanise)


def tokenize_text(text: str, language: str) -> list[Token]:
    """Return the words of ``text``, without characters that have no form; the last one ends a
    sentence. ``language``: BCP 47. Empty if nothing is speakable.

    Stressed words stand between STRESS and UNSTRESS. A sign without sound, such as a dash or an
    emoji, is shown with the word before it, or else with the one after it; the hash of a commit has
    no sound either, unless there is nothing else. A figure that is written with spaces (``5 km``)
    is one word. A word longer than LONGEST_WORD is several tokens, all but the first beginning with
    GLUE; so are the words of a language without spaces. Those of a further language are spoken as
    they are written.
    """
    if marked := _GIVEN.findall(text):
        return list(
            _restore_given(
                tokenize_text(_GIVEN.sub(_PLACE, text.replace(_PLACE, "")), language), marked
            )
        )
    result: list[Token] = []
    listed = find_language(language)
    is_known = listed is not None or base_language(language) in read_words_by_language(Numbers)
    if not is_known:  # its figures are left to the voice, as those of further languages are
        listed = Language(language, voice="")
    if listed is not None and (listed.is_further or not is_known):
        return _tokenise_as_written(text, listed)
    pieces = joining.join_figures(_split_pieces(text), language, LONGEST_WORD)
    if not any(reading.is_speakable(piece) for piece, _ in pieces):
        return result
    sign, starts, aside, length = "", True, False, 0
    words = centuries.expand_centuries([piece for piece, _ in pieces], language)
    words = month_days.expand_roman_months(spans.expand_listed_days(words, language), language)
    library = sentence_ends.propose_ends(tuple(words), language)
    unsaid = _find_unsaid(words)
    is_other = foreign.is_in_other_script((piece for piece, _ in pieces), language)
    for index, (piece, stressed) in enumerate(pieces):
        if index in unsaid:
            starts = _add_unsaid(result, sign, piece, stressed, language) or starts
            sign = ""
            continue
        is_limit = ages.read_limit(words, index, language) is not None
        is_bullet = index == 0 and piece in reading.LEADING and len(words) > 1 and not is_limit
        is_said = reading.is_speakable(piece) and not signs.is_pause(piece, language)
        is_said = is_said or is_limit
        if not is_said or is_bullet:
            sign, starts = _take_sign(result, sign, piece, words, index, starts, language)
            continue
        length = 1 if starts else length + 1
        spoken, ends = _read(words, index, language)
        spoken = foreign.match_script(spoken, piece, is_other, language)
        # German "1. Mannschaft" is an ordinal
        if ends and sentence_ends.is_item(words, index, starts, language):
            spoken, ends = spoken.rstrip(".") + ",", False
        elif ends != (
            decided := sentence_ends.is_sentence_end(words, index, ends, library, length, language)
        ):
            pauses = decided or sentence_ends.pauses_within_quotation(index, ends, library)
            spoken, ends = spoken if pauses else spoken.rstrip("."), decided
        aside = aside or ("(" in piece and not starts)
        if aside and ")" in piece:
            aside, ends = (
                False,
                ends and reading.ends_aside(piece, "".join(words[index + 1 : index + 2])),
            )
        spoken = reading.capitalise(spoken, language) if starts else spoken
        first, *rest = _split_long(piece, spoken, ends, stressed, language)
        result += [_prefix_sign(sign, first), *rest]
        sign, starts = "", ends
    return _end_sentence(result)


def is_glued(word: str) -> bool:
    """Return whether ``word`` follows the one before it without a space."""
    return word.startswith(GLUE)


def join_words(words: Iterable[str]) -> str:
    """Return written ``words`` as text: with spaces between them,
    but not within a word of several pieces.
    """
    return " ".join(words).replace(f" {GLUE}", "").replace(GLUE, "")


def join_sentences(sentences: Iterable[str]) -> str:
    """Return ``sentences`` with a space between them, but not after a wide full stop."""
    return re.sub("(?<=[。！？]) ", "", " ".join(sentences))


def join_texts(words: list[Token], language: str) -> list[Token]:
    """Return the words of several texts as one: in a language without spaces,
    none follows a wide full stop or comma.
    """
    listed = find_language(language)
    if listed is None or not (listed.is_wide and listed.is_unspaced):
        return words
    return [
        replace(word, written=GLUE + word.written, spoken=GLUE + word.spoken)
        if index and words[index - 1].written.endswith(_WIDE_MARKS) and not is_glued(word.written)
        else word
        for index, word in enumerate(words)
    ]


def take_signs(signs: str, most: int = _LONGEST_WITH_SIGN) -> str:
    """Return as many of ``signs``, such as emoji, as fit into ``most`` columns of a line.

    No sign of several characters is cut in two.
    """
    clusters = regex.findall(r"\X", signs)
    ends = accumulate(map(count_columns, clusters))
    return "".join(clusters[: sum(end <= most for end in ends)]).strip()


def bind_figures(text: str, language: str) -> str:
    """Return ``text``, which is clean, with no-break spaces within its figures,
    as captions have them: ``18 %``.
    """
    bound = join_words(token.written for token in tokenize_text(text, language))
    return bound if bound.replace(SPACE, " ") == text else text


def shorten(text: str, length: int) -> str:
    """Return ``text``, or its first words and an ellipsis, in at most ``length`` characters; wide
    signs count twice.

    Addresses are shortened to their hosts before, since a part of one leads nowhere.
    """
    if len(text) + count_wide_signs(text) <= length:
        return text
    text = " ".join(map(addresses.shorten_to_host, text.split(" ")))
    if len(text) + count_wide_signs(text) <= length:
        return text
    while len(text) + count_wide_signs(text) >= length and count_wide_signs(text):
        text = text[:-1]
    return (text[: length - 1].rsplit(" ", 1)[0])[: length - 1].rstrip(" ,;:-–、，；：") + "…"


def _remove_undrawable(text: str, with_letters: Callable[[str], str]) -> str:
    """Return ``text`` without signs that cannot be drawn, ``with_letters`` of each word that has
    letters without a font; words whose letters have no Latin form either are left out."""
    missing = frozenset(emoji.undrawable_characters(text))
    if not missing and "\ufe0f" not in text:
        return text
    shown = "".join(
        fonts.find_similar(sign) if sign in missing and not _is_written(sign) else sign
        for sign in text
    )
    words = emoji.strip_selectors(shown).split(" ")
    drawn = (
        (with_letters(word) if _romanise(word) else "") if missing.intersection(word) else word
        for word in words
    )
    return " ".join(word for word in drawn if word.strip(f"\u200d{SPACE}")).strip(SPACE)


def _is_written(sign: str) -> bool:
    """Return whether ``sign`` is a letter, a figure or a mark of a script, which has a Latin form:
    ``、`` is a comma.
    """
    return sign.isalnum() or unicodedata.category(sign)[0] in "PM"


def _romanise(word: str) -> str:
    return "".join(
        foreign.romanise(run) if fonts.find_undrawable_characters(run) else run
        for run in re.findall(r"\w+|\W+", word)
    )


def _remove_invisible(text: str, marks: tuple[str, ...] = ()) -> str:
    """Return ``text`` on one line, without characters that have no form,
    and with few marks on a letter.
    """
    if (spaced := " ".join(text.split())).isascii() and spaced.isprintable():
        return spaced
    allowed = (*_KEPT_FORMATS, *marks)
    visible = "".join(
        character
        for character in spaced
        if character in allowed
        or unicodedata.category(character)[0] != "C"
        or _TAGS.match(character)
    )
    return " ".join(_limit_marks(unicodedata.normalize("NFC", visible)).split())


def _read_written(match: re.Match[str]) -> str:
    return " ".join(match[1].split(_SAID)[::2])


def _restore_given(tokens: Iterable[Token], marked: list[str]) -> Iterator[Token]:
    """Yield ``tokens`` with the words that are ``marked``, texts of :func:`mark_as_read`,
    in the places that were kept for them.
    """
    left = iter(marked)
    for token in tokens:
        before, *between = token.written.split(_PLACE)
        if not between:
            yield token
            continue
        ends = _CLOSING.search(token.spoken)
        for after in between:
            parts = next(left).split(_SAID)
            words = [Token(*pair) for pair in zip(parts[::2], parts[1::2], strict=True)]
            words[0] = replace(words[0], written=before + words[0].written)
            last = words[-1]
            words[-1] = replace(last, written=last.written + after)
            before = ""
            if after is between[-1]:
                words[-1] = replace(
                    words[-1],
                    spoken=words[-1].spoken.rstrip(".") + (ends[0] if ends else ""),
                    ends=token.ends,
                )
            yield from (replace(word, stressed=token.stressed) for word in words)


def _tokenise_as_written(text: str, language: Language) -> list[Token]:
    """Return the words of a text in a further language, spoken as written;
    empty if nothing is speakable.
    """
    result: list[Token] = []
    sign = ""
    pieces = list(_list_words_as_written(text.lstrip(_GOING_ON), language))
    words, length = [piece for piece, _ in pieces], 0
    library = sentence_ends.propose_ends(tuple(words), language.code)
    unsaid = _find_unsaid(words)
    for index, (piece, stressed) in enumerate(pieces):
        if index in unsaid:
            _add_unsaid(result, sign, piece, stressed, language.code)
            sign = ""
            continue
        glue, spoken = GLUE * is_glued(piece), reading.as_written(piece.removeprefix(GLUE))
        if not reading.is_speakable(spoken):
            goes_on = not sentence_ends.is_sentence_end(
                words, index, True, library, length, language.code
            )
            sign = _add_sign(result, sign, piece, goes_on)
            continue
        after = pieces[index + 1][0] if index + 1 < len(pieces) else ""
        ends = reading.ends_like_sentence(piece) and not abbreviations.never_ends(
            piece.lstrip(GLUE + OPENERS), language.code, after
        )
        length = length + 1 if result and not result[-1].ends else 1
        ends = sentence_ends.is_sentence_end(words, index, ends, library, length, language.code)
        first, *rest = _split_long(piece, glue + spoken, ends, stressed, language.code)
        result += [_prefix_sign(sign, first), *rest]
        sign = ""
    return _end_sentence(result, _FULL_STOPS.get(language.script, "."))


def _list_words_as_written(text: str, language: Language) -> Iterator[tuple[str, bool]]:
    """Yield the words, and whether each is stressed."""
    within = False
    for marked in _UNIT.sub(rf"\1{SPACE}", _remove_invisible(text, _MARKS)).split(" "):
        letters: list[tuple[str, bool]] = []
        for character in marked:
            if character in _MARKS:
                within = character == STRESS
            else:
                letters.append((character, within))
        yield from line_breaks.split_stressed_words(letters, language)


def _read(words: list[str], index: int, language: str) -> tuple[str, bool]:
    """Return how a word is spoken among its neighbours, and whether it ends a sentence."""
    return (
        _elide(words, index, language)
        or _read_half(words, index, language)
        or _read_two_days(words, index, language)
        or _read_alone(words, index, language)
    )


def _read_alone(words: list[str], index: int, language: str) -> tuple[str, bool]:
    """Return the same for a word that is spoken apart from the one before."""
    if (
        words[index].lstrip(OPENERS)[:1] in roman.LETTERS
        and (numeral := roman.read_roman(words, index, language)) is not None
    ):
        return numeral, reading.ends_like_sentence(numeral)
    before, after = (
        cases.find_word_before(words, index, language),
        abbreviations.find_lettered_number(words, index, language)
        or _find_word_in_full(words, index, language)
        or nouns.find_word_after(words, index, language),
    )
    if (year := dates.read_year_word(words, index, language)) is not None:
        ends = not after or after.lstrip(OPENERS)[:1].isupper()
        return year + "." * (ends and year[-1:].isalpha()), ends
    if (day := dates.read_day_of_pair(words, index, language)) is not None:
        return day
    if (street := abbreviations.read_street(words, index, language)) is not None:
        return street, False
    if (section := sections.read_section(words, index, language)) is not None:
        return section
    if (limit := ages.read_limit(words, index, language)) is not None:
        return limit, False
    piece = capitals.read_capitals(words, index, language) or words[index]
    earlier = words[index - 1].lstrip(OPENERS) if index else ""
    piece = money.add_currency_behind(piece, earlier, words[index + 1 : index + 3], language)
    spoken, ends = reading.read_piece(piece, language, before, after)
    if (code := codes.spell_code(words, index, language)) is not None:
        return code + spoken[len(spoken.rstrip(STOPS)) :], ends
    if (said := month_days.read_day_of_month(words, index, language)) is not None:
        return said + "." * (ends and said[-1].isalpha()), ends
    return _agree_with_later(spoken, words, index, language), ends


def _find_word_in_full(words: list[str], index: int, language: str) -> str:
    """Return what a number counts, where that is short, so that the number has its gender: ``две
    таблетки`` of ``2 табл.``, ``eine Tablette`` of ``1 Tabl.``; empty: it is none."""
    following, after = (*words[index + 1 : index + 3], "", "")[:2]
    following = following.rstrip(numerals.PAUSES)
    if words[index] in quantities.HALVES and "." in following:  # une demi cuillère, of 1/2 c. à c.
        said = abbreviations.expand_abbreviation(following, language, words[index], after) or ""
        return said.partition(" ")[0]
    if not words[index].isdecimal() or not ("." in following or following.isascii()):
        return ""
    if said := abbreviations.find_after_number(words[index], following, language):
        return said
    if words[index] != "1" or not abbreviations.is_spoken(following, language):
        return ""
    said = abbreviations.expand_abbreviation(following, language, words[index], after) or ""
    return said if said.isalpha() else ""


def _elide(words: list[str], index: int, language: str) -> tuple[str, bool] | None:
    """Return a word before one of something with the elided form that it has there, or the figure
    after that word without its one, ``d’une`` and ``heure`` of ``de 1 h``, and whether it ends a
    sentence; None: the word at ``index`` is neither."""
    elided = read_words(language, Numbers).elided_before_one
    if not elided:
        return None
    begins = words[index].lower() in elided
    if not begins and not (index and words[index - 1].lower() in elided):
        return None
    word, figure = (index, index + 1) if begins else (index - 1, index)
    if figure >= len(words) or not words[figure].startswith("1"):
        return None
    number, _, noun = words[figure].partition(SPACE)
    if number == "1" and joining.is_counted_noun(
        noun, language
    ):  # de 1 an, of which neither is a figure
        parts = [*words[:figure], number, noun, *words[figure + 1 :]]
        one, (rest, ends) = (
            _read_alone(parts, figure, language)[0],
            _read_alone(parts, figure + 1, language),
        )
    else:
        spoken, ends = _read_alone(words, figure, language)
        one, _, rest = spoken.partition(" ")
    # 1,5 and 1 à 3 are numbers as such
    if one not in ("un", "une", "una") or not rest or rest.startswith(_AFTER_NUMBER):
        return None
    if not begins:
        return rest, ends
    said = elided[words[word].lower()] + one
    return said[:1].upper() + said[1:] if words[word][0].isupper() else said, False


def _read_half(words: list[str], index: int, language: str) -> tuple[str, bool] | None:
    """Return a number and a half, of which the half is said after the noun that they count, or that
    noun with it, ``une`` and ``heure et demie`` of ``1½ heure``, and whether it ends a sentence;
    None: the word at ``index`` is neither."""
    half_after = read_words(language, Numbers).half_after
    if not half_after:
        return None
    is_noun = index > 0 and quantities.find_whole_with_half(words[index - 1]) != ""
    place = index - 1 if is_noun else index
    whole = quantities.find_whole_with_half(words[place])
    noun = words[place + 1] if place + 1 < len(words) else ""
    if not whole or not noun[:1].islower() or not joining.is_counted_noun(noun, language):
        return None
    bare_noun = noun.rstrip(STOPS)
    known = read_words(language, Numbers).singulars.get(bare_noun, "") if whole == "1" else ""
    is_plural = bare_noun.endswith("s") or (bare_noun.endswith("e") and whole != "1")
    singular = known or (bare_noun.removesuffix("s") if is_plural else bare_noun)
    if is_plural and base_language(language) in ("ca", "it"):  # hores, ore
        singular = re.sub("e$", "a", singular)
    one, count = (
        _read_alone([*words[:place], number, of, *words[place + 2 :]], place, language)[0]
        for number, of in (("1", singular), (whole, singular if whole == "1" else noun))
    )
    half = half_after[quantities.is_feminine_one(one)]
    # una y media horas
    is_plural = whole == "1" and base_language(language) != "fr" and bare_noun.endswith("s")
    said, ends = _read_alone(words, index, language)
    if not is_noun:
        return f"{count} {half}" if is_plural else count, False
    bare = said.rstrip(STOPS)
    said = known + said[len(bare) :] if known else said
    bare = known or bare
    return (said if is_plural else f"{bare} {half}{said[len(bare) :]}"), ends


def _read_two_days(words: list[str], index: int, language: str) -> tuple[str, bool] | None:
    """Return two ordinals, or two days of a month, around a slash with "and" between them,
    ``3./4. Klasse``, ``3/4 mai``, and whether they end a sentence; None: the word at ``index`` is
    neither."""
    match = _TWO_DAYS.fullmatch(words[index])
    if match is None:
        return None
    after = [*words[index + 1 : index + 3], "", ""]
    month = after[1] if after[0] == "de" else after[0]
    are_ordinals = match["dot"] != "" and read_words(language, Dates).ordinals_by_dot
    are_days = int(match["first"]) < int(match["last"]) <= _MOST_DAYS
    if not are_ordinals and not (are_days and month_days.is_month(month, language)):
        return None
    joiner = format_list(("1", "2"), "standard", numerals.find_locale(language))[1:-1].strip()
    dot = match["dot"]
    parts = [
        *words[:index],
        match["first"] + dot,
        joiner,
        match["last"] + dot,
        *words[index + 1 :],
    ]
    first, last = (_read_alone(parts, place, language) for place in (index, index + 2))
    return f"{first[0]} {joiner} {last[0]}", last[1]


def _agree_with_later(spoken: str, words: list[str], index: int, language: str) -> str:
    """Return the first of two numbers in the gender of what stands after the second: ``no 2 līdz 3
    stundām``, ``entre 200 y 300 personas``."""
    numbers = read_words(language, Numbers)
    joiner, second, noun = (*words[index + 1 : index + 4], "", "", "")[:3]
    if words[index].isdecimal() and joiner and joiner == numbers.before_counted:  # 21 de zile
        said = numerals.agree(spoken, second, language)
        return " ".join(said.split()[: len(spoken.split())])
    is_pair = words[index].isdecimal() and second[:1].isdecimal()
    if not (numbers.agrees and is_pair and joiner in numbers.joins | {numbers.to} - {""}):
        return spoken
    if SPACE in second:  # 5 līdz 10 min
        noun = _read(words, index + 2, language)[0].split()[-1]
    # a word that parts a number from its noun stays with the second: 20 și 30 de lei
    said = numerals.agree(spoken, noun, language)
    return " ".join(said.split()[: len(spoken.split())])


def _split_pieces(text: str) -> list[tuple[str, bool]]:
    """Return the pieces between spaces, and whether each is stressed."""
    result, within = [], False
    for marked in _LEADER.sub(r"\1: ", _remove_invisible(text, _MARKS)).split(" "):
        piece = marked.replace(STRESS, "").replace(UNSTRESS, "")
        if piece:
            result.append((_shorten_sign_runs(piece), within or STRESS in marked))
        last = max(marked.rfind(STRESS), marked.rfind(UNSTRESS))
        within = marked[last] == STRESS if last >= 0 else within
    return result


def _shorten_sign_runs(piece: str) -> str:
    """Return ``piece`` with at most three of the same mark in a row; stars,
    blocks and the like are a number, which stays.
    """
    return re.sub(
        rf"([^\w\s])\1{{{_MOST_ALIKE},}}",
        lambda run: run[0] if _is_count(run[0]) else run[1] * _MOST_ALIKE,
        piece,
    )


def _is_count(run: str) -> bool:
    return unicodedata.category(run[0]) in ("So", "Sc") and len(run) <= _MOST_COUNTED


def _limit_marks(characters: str) -> str:
    if characters.isascii():
        return characters
    limited, marks = [], 0
    for character in characters:
        kind = unicodedata.category(character)
        marks = marks + 1 if kind in ("Mn", "Me") else 0
        if marks <= (
            _MOST_MARKS if kind == "Me" or unicodedata.combining(character) else _MOST_FORMS
        ):
            limited.append(character)
    return "".join(limited)


def _take_sign(
    result: list[Token],
    waiting: str,
    sign: str,
    words: list[str],
    index: int,
    starts: bool,
    language: str,
) -> tuple[str, bool]:
    """Show ``sign``, the piece at ``index`` without sound, with the last word, unless it opens what
    follows. Return the signs that wait for the next word, and whether that begins a sentence."""
    if reading.is_opening(sign, words[index + 1 : index + 2], starts and bool(result), language):
        return take_signs(f"{waiting}{SPACE}{sign}" if waiting else sign), starts
    to = times_of_day.find_word_for_dash(words, index, language)
    goes_on = reading.is_asked(sign, *words[index + 1 : index + 3])
    # 9 a.m. – 6 p.m. goes on
    return _add_sign(result, waiting, sign, goes_on, to), starts and not to


def _add_sign(
    result: list[Token], waiting: str, sign: str, goes_on: bool = False, said: str = ""
) -> str:
    """Show ``sign`` with the last word; return the signs that wait for a first word.

    ``goes_on``: the sentence does. ``said``: a word for the sign, instead of a pause.
    """
    if not result:
        return take_signs(f"{waiting}{SPACE}{sign}" if waiting else sign)
    is_word = unicodedata.category(result[-1].written[-1])[0] in "LMN"
    closes = sign in _CLOSE_UP and is_word
    space = "" if closes or is_glued(sign) else SPACE
    sign = take_signs(sign.removeprefix(GLUE))
    spoken = result[-1].spoken
    spoken = f"{spoken.rstrip(STOPS)} {said}" if said else reading.add_pause(spoken, sign)
    last = replace(result[-1], spoken=spoken, ends=result[-1].ends and not said)
    ends = last.ends or (reading.ends_like_sentence(sign) and not goes_on)
    if count_columns(last.written) + count_columns(sign) < _LONGEST_WITH_SIGN:
        result[-1] = replace(last, written=f"{last.written}{space}{sign}", ends=ends)
    else:
        result[-1:] = [
            replace(last, ends=False),
            Token(GLUE * (not space) + sign, UNSPOKEN, ends, last.stressed),
        ]
    return ""


def _find_unsaid(words: list[str]) -> frozenset[int]:
    """Return the indices of the words that are shown and not said: hashes,
    if there is anything else to say.
    """
    hashes = frozenset(
        index for index, word in enumerate(words) if addresses.is_hash(word.removeprefix(GLUE))
    )
    said = any(
        reading.is_speakable(word) for index, word in enumerate(words) if index not in hashes
    )
    return hashes if said else frozenset()


def _add_unsaid(
    result: list[Token], waiting: str, piece: str, stressed: bool, language: str
) -> bool:
    """Show ``piece`` without a sound, with the last word if both are short, and return whether a
    sentence ends with it. ``waiting``: the signs before it."""
    ends, tail = reading.ends_like_sentence(piece), piece[len(piece.rstrip(CLOSERS + STOPS)) :]
    if (
        result
        and not waiting
        and not is_glued(piece)
        and measure_display_length(result[-1].written) + len(piece) < LONGEST_WORD
    ):
        last = result[-1]
        spoken = reading.add_pause(last.spoken, tail)
        result[-1] = replace(
            last, written=f"{last.written}{SPACE}{piece}", spoken=spoken, ends=ends or last.ends
        )
    else:
        first, *rest = _split_long(piece, "." if ends else UNSPOKEN, ends, stressed, language)
        result += [_prefix_sign(waiting, first), *rest]
    return ends


def _prefix_sign(sign: str, token: Token) -> Token:
    space = "" if is_glued(token.written) else SPACE
    sign = take_signs(sign, max(0, _LONGEST_WITH_SIGN - count_columns(token.written)))
    return (
        replace(token, written=f"{sign}{space}{token.written.removeprefix(GLUE)}")
        if sign
        else token
    )


def _split_long(piece: str, spoken: str, ends: bool, stressed: bool, language: str) -> list[Token]:
    """Return the token of ``piece``, or several if it is longer than a caption line can hold; one,
    although it is long, of what is hardly spoken, since it is shown otherwise
    (:mod:`svc.media.text.long_words`)."""
    if count_columns(piece) <= LONGEST_WORD or (
        len(piece) > LONGEST_IN_PIECES and len(piece) > len(spoken) * _MOST_UNSPOKEN
    ):
        return [Token(piece, spoken, ends, stressed)]
    chunks = line_breaks.split_into_chunks(piece, LONGEST_WORD, language)
    last = len(chunks) - 1
    parts = split_same_letters(spoken, chunks) or split_evenly(spoken, len(chunks))
    return [
        Token(chunk, said, ends and index == last, stressed)
        for index, (chunk, said) in enumerate(zip(chunks, parts, strict=True))
    ]


def _end_sentence(result: list[Token], stop: str = ".") -> list[Token]:
    """Let the last word end a sentence audibly: a heading has no full stop of its own."""
    if not result:
        return result
    last = result[-1]
    spoken = (
        last.spoken
        if reading.ends_like_sentence(last.spoken)
        else last.spoken.rstrip(",;: 、，；：،؛") + stop or last.spoken
    )
    return [*result[:-1], replace(last, spoken=spoken, ends=True)]
