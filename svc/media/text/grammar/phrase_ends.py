"""Where a sentence is parted that is too long to be shown at once: at a comma or before a phrase,
and never after a word that belongs to the next one.
"""

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from svc.media.text import bonds, tokens
from svc.media.text.amounts import is_amount
from svc.media.text.grammar import small_words
from svc.media.text.numerals import names_number
from svc.media.text.units import UNITS

STOPS, COMMAS = (
    (".", "!", "?", "…", "।", "؟", "。", "！", "？", ":"),
    (",", ";", "،", "、", "，", "；", "–", "—"),
)
AROUND = " .,;:!?…()[]“”„\"'«»\u2060。，、：；！？（）「」『』《》"
# The costs of the end of a part: after a comma, after a phrase, within one, and after a word that
# leads to the next.
_AFTER_COMMA, _AFTER_PHRASE, _WITHIN_PHRASE, _AFTER_LEADING = 0.1, 0.6, 1.6, 2.0
# What an end costs more before a preposition, and before one whose noun stands alone, as it belongs
# to what is before it: "jam made | at home".
_BEFORE_PREPOSITION, _BEFORE_BARE = 0.1, 0.5
# What it costs more before an "and" between names: "with Ann | and Tom".
_BETWEEN_NAMES = 0.6
# What it costs more so soon after a comma that what begins there is torn off: "figs, grew | a few
# olives". The next is how many words that are.
_STUMP, _WORDS_OF_STUMP = 0.8, 2
# What it costs before an auxiliary verb, and before a clause that completes the one before it.
_AFTER_SUBJECT, _BEFORE_CLAUSE = 0.58, 0.5
# What it costs more before the rest of a date, within brackets, and before them.
_BEFORE_FIGURE, _BRACKETED, _BEFORE_BRACKET = 0.4, 1.0, 0.3
# What it costs more between the word after a preposition and the next: "for urgent | repairs".
_OF_PREPOSITION = 0.3
# What it costs more within brackets that a part can hold, and the most characters of these.
_TORN_BRACKETS, _SHORT_BRACKETS = 1.5, 48
_WORDS_OF_ASIDE = 4  # in brackets, at least, that are parted from what is before them
_MOST_QUOTED = 5  # words of a short quotation on either side of an end within it
_MOST_IN_BRACKETS = 60  # words; of what is longer, one cannot see that it is in brackets
# What it costs before what may be an object, before one after a verb, after a noun with a capital
# before an article, and before what is a verb.
_BEFORE_OBJECT, _AFTER_VERB, _AFTER_NOUN, _BEFORE_VERB = 1.5, 1.8, 1.1, 1.3
# The most letters of a word that belongs to the next one, and of one with which a phrase begins.
_SMALL, _SHORT_PREPOSITION = 3, 2
# Such words from the beginning of a sentence to a comma say something even if each is small: "If it
# is not,".
MANY_OF_CLAUSE = 4
_UNITS = frozenset(unit.casefold() for unit in UNITS)  # of what a price is for
_CACHED = 4096  # words
_LEAST_GROUP = 3  # digits of a telephone number, in the longer of two groups
_ORDINAL = "ºª°"
_CLOSERS = ")]”»’\"'"
_OPEN, _CLOSED = ("(", "（"), (")", "）")
_SEPARATORS = ("/", "|", "·", "•")  # which, as words, no part begins with
_JOINING_SIGNS = ("+", "&")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")


@lru_cache(maxsize=_CACHED)
def opens_phrase(word: str) -> bool:
    """Return whether a phrase begins with ``word``, as with most conjunctions, prepositions and
    auxiliary verbs: phrases end before such words (M. Liberman and K. Church, "Text Analysis and
    Word Pronunciation", 1992)."""
    letters = word.strip(AROUND).casefold()
    if letters in small_words.list_words_of_belonging():
        return False
    is_short = (
        len(letters) == _SHORT_PREPOSITION
        and letters.isalpha()
        and letters not in small_words.list_leaning_words()
    )
    return (
        is_short
        or letters in small_words.list_opening_words()
        or letters in small_words.list_auxiliary_verbs()
    )


@lru_cache(maxsize=_CACHED)
def leads(word: str) -> bool:
    """Return whether ``word`` belongs to the next one, as articles, prepositions, conjunctions,
    auxiliary verbs and words for numbers do.
    """
    letters = word.strip(AROUND).casefold()
    if letters in small_words.list_postpositions():
        return False
    is_short = len(letters) <= _SMALL and letters.isalpha() and not tokens.count_wide_signs(letters)
    return is_short or _is_known(letters)


def is_rate(written: Sequence[str], word: int) -> bool:
    """Return whether ``word`` is counted for each of what follows: "£31 | a week",
    "9 euros | par personne", "0,50 € | je m²"."""
    following, after = (
        each.strip(AROUND).casefold() for each in (*written[word + 1 : word + 3], "")[:2]
    )
    before = written[max(0, word - 1) : word + 1]
    is_number = any(is_amount(each.strip(AROUND)) for each in before)
    is_each = after in small_words.list_words_of_periods() or (is_number and after in _UNITS)
    return (is_number and following in small_words.list_words_of_rates()) or (
        leads(following) and is_each
    )


def _is_known(letters: str) -> bool:
    """Return whether a word in small letters is known to belong to the next one."""
    return (
        letters in small_words.list_opening_words()
        or letters in small_words.list_leaning_words()
        or letters in small_words.list_binding_words()
        or letters in small_words.list_words_of_belonging()
        or letters in small_words.list_auxiliary_verbs()
        or letters in small_words.list_words_before_numbers()
    )


def cost_of_end(written: Sequence[str], ends: Collection[int], word: int) -> float:
    """Return what it costs to end a part of a text after ``word``, which is not its last: nothing
    at the end of a sentence, little at a comma, more before a phrase, and most after a word that
    belongs to the next one.

    ``written``: its words. ``ends``: the last words of its sentences.
    """
    text, following = written[word], written[word + 1]
    text = text.rstrip(_CLOSERS) or text
    if word in ends:
        return 0.0
    more = _BRACKETED * _is_in_brackets(written, ends, word)
    more += _TORN_BRACKETS * _is_in_short_brackets(written, word)
    around = range(max(0, word - _MOST_QUOTED), min(len(written), word + _MOST_QUOTED + 2))
    quoted = bonds.find_short_quotations([written[at] for at in around])
    more += _TORN_BRACKETS * (word - around.start in quoted)
    more += _BEFORE_BRACKET * following.startswith("(")
    more += _STUMP * _is_stump(written, word)
    if following.strip(AROUND) in ("", *_SEPARATORS):  # a mark alone
        return 2 * _AFTER_LEADING
    if text in _SEPARATORS:
        return _AFTER_COMMA + more
    if text.endswith(STOPS):  # an abbreviation belongs to the next word: "Nr. 2"
        return _AFTER_LEADING if text.endswith(".") else more
    if text.endswith(COMMAS):
        return _price_comma(written, ends, word) + more
    if _begins_aside(written, word + 1):
        return _BEFORE_CLAUSE + more
    if tokens.is_glued(following) or _is_grouped(written, word):
        return 2 * _AFTER_LEADING
    return _price_words(written, ends, word) + more


def _price_words(written: Sequence[str], ends: Collection[int], word: int) -> float:
    """Return what it costs to end a part between two words without a mark."""
    following = written[word + 1].casefold()
    is_post = following.strip(AROUND) in small_words.list_postpositions()
    if is_post or _is_particle(written, word + 1) or _belongs_to_next(written, ends, word):
        return _AFTER_LEADING
    if following in small_words.list_completing_words():
        return _BEFORE_CLAUSE
    if following in small_words.list_auxiliary_verbs():
        return _AFTER_SUBJECT
    is_number = (written[word].rstrip(_CLOSERS) or written[word]).isdecimal()
    if following in small_words.list_words_of_belonging() and not is_number:
        return _WITHIN_PHRASE
    return _price_phrase(written, ends, word)


def _price_phrase(written: Sequence[str], ends: Collection[int], word: int) -> float:
    """Return what it costs to end a part after ``word``, which does not lead to the next one."""
    text, following = written[word], written[word + 1]
    text = text.rstrip(_CLOSERS) or text
    after_date = _is_year(written, word) and leads(following)
    if after_date or following in _JOINING_SIGNS or _ends_aside(written[word]):
        return _AFTER_PHRASE
    if opens_phrase(following) or _begins_anew(following):
        pair = _BETWEEN_NAMES * _joins_names(written, word + 1)
        return _AFTER_PHRASE + _price_preposition(written, word + 1) + pair
    begins_noun = small_words.list_leaning_words() | small_words.list_binding_words()
    if following.casefold() in begins_noun:
        is_noun = word and word - 1 not in ends and text[0].isupper()
        is_verb = small_words.is_verb(text.casefold())
        return _AFTER_NOUN if is_noun else _AFTER_VERB if is_verb else _BEFORE_OBJECT
    if small_words.is_verb(following.strip(AROUND).casefold()):
        return _BEFORE_VERB
    is_led = word > 0 and written[word - 1].casefold() in small_words.list_prepositions()
    return _WITHIN_PHRASE + _OF_PREPOSITION * is_led


def _is_grouped(written: Sequence[str], word: int) -> bool:
    """Return whether ``word`` and the next one are groups of digits of one number, such as that of
    a telephone: 138 | 0000 1234."""
    groups = [tokens.join_words([each]).strip(AROUND) for each in written[word : word + 2]]
    return all(group.isdecimal() for group in groups) and max(map(len, groups)) >= _LEAST_GROUP


def _belongs_to_next(written: Sequence[str], ends: Collection[int], word: int) -> bool:
    """Return whether ``word`` leads to the next one, counts it, or is of one name or one range with
    it."""
    text, following = written[word], written[word + 1]
    text = text.rstrip(_CLOSERS) or text
    if _is_in_range(written, word) or _is_within_name(written, ends, word):
        return True
    if _is_month(text) and _YEAR.match(following):
        return True
    if _names_number(text) and following[0].isdecimal():
        return True  # "Linie | 7"
    completes = following.casefold() in small_words.list_completing_words()
    if completes and len(text) <= _SMALL and not _is_known(text.casefold()):
        return False  # a verb: "say | that"
    # a year stands alone: "built in 1787 | by Olof Schwan"
    is_number = text.isdecimal() and not _begins_anew(following)
    counts = (is_number or _is_counted(written, word)) and not _is_year(written, word)
    is_name = word > 0 and _names_number(written[word - 1])  # which one, and not how many
    leads_on = leads(text) and not _is_particle(written, word)
    return (counts and not is_name) or is_rate(written, word) or leads_on


def _is_particle(written: Sequence[str], word: int) -> bool:
    """Return whether ``word`` is a preposition without a noun, which belongs to the verb before it:
    "give | off and use", "turn the lights | off, then"; not "with | or without"."""
    bare = written[word].strip(AROUND)
    if not word or bare.casefold() not in small_words.list_prepositions():
        return False
    following, after = (*written[word + 1 : word + 3], "", "")[:2]
    if not written[word].endswith(bare):
        return written[word].startswith(bare)
    is_joined = following.casefold() in small_words.list_joining_words()
    return is_joined and after.casefold() not in small_words.list_prepositions()


def _names_number(word: str) -> bool:
    """Return whether a number after ``word`` says which one of several is meant: "line 7"."""
    return names_number(word.strip(AROUND).casefold(), "")


def _begins_anew(word: str) -> bool:
    """Return whether ``word`` is a preposition or an "of", before which no number counts it."""
    known = small_words.list_prepositions() | small_words.list_words_of_belonging()
    return word.casefold() in known


def _price_comma(written: Sequence[str], ends: Collection[int], word: int) -> float:
    """Return what it costs to end a part at the comma after ``word``."""
    if _has_only_leads(written, ends, word) or _is_day_of_date(written, word):
        return _AFTER_LEADING
    leading = small_words.list_completing_words() | small_words.list_relating_words()
    if word and written[word].rstrip(",").casefold() in leading:
        return _AFTER_LEADING  # "We tell you that, | while the works last,"
    if _YEAR.match(written[word + 1]) and word and _is_month(written[word - 1]):
        return _AFTER_LEADING  # "March 17, | 2026"
    is_date = written[word][-1] == "," and written[word + 1][0].isdecimal()  # 7 December, 10 pm
    return _AFTER_COMMA + _BEFORE_FIGURE * is_date


def _is_stump(written: Sequence[str], word: int) -> bool:
    """Return whether one or two words stand between a comma and the end of a part after ``word``,
    which has none itself."""
    before = written[max(0, word - _WORDS_OF_STUMP) : word]
    ended = (each.rstrip(_CLOSERS).endswith(COMMAS) for each in before)
    return not written[word].rstrip(_CLOSERS).endswith((*COMMAS, *STOPS)) and any(ended)


def _joins_names(written: Sequence[str], word: int) -> bool:
    """Return whether ``word`` is an "and" between two words with capitals."""
    around = [*written[word - 1 : word], *written[word + 1 : word + 2]]
    is_join = written[word].casefold() in small_words.list_joining_words()
    return is_join and len(around) > 1 and all(each[0].isupper() for each in around)


def _is_within_name(written: Sequence[str], ends: Collection[int], word: int) -> bool:
    """Return whether ``word`` and the next one have capitals, the former not because a sentence
    begins with it: "Olof | Schwan"."""
    text, following = written[word].lstrip(AROUND), written[word + 1]
    begins = word == 0 or word - 1 in ends
    return not begins and text[:1].isupper() and following[0].isupper()


def _is_in_range(written: Sequence[str], word: int) -> bool:
    """Return whether ``word`` and the one after the next are the two ends of a range: "from 7.30 |
    to 12", "montags | bis freitags"."""
    between, end, after = (*written[word + 1 : word + 4], "", "", "")[:3]
    if leads(end) and after[:1].isdecimal() and not end[:1].isdecimal():
        end = after  # "8:00 bis ca. 14:00"
    is_range = written[word].rstrip(_ORDINAL)[-1:].isdecimal() and end[:1].isdecimal()
    joins = between.casefold() in small_words.list_joining_words()
    if joins and is_range and word and _names_number(written[word - 1]):
        return False  # "platform 9 | and 30 people"
    known = joins or between.casefold() in small_words.list_span_words()
    return known and (is_range or (_is_day(written[word]) and _is_day(end)))


def _is_day(word: str) -> bool:
    """Return whether ``word`` is a day of the week, or each of its kind: "Mondays"."""
    letters = word.strip(AROUND).casefold()
    return not {letters, letters.removesuffix("s")}.isdisjoint(small_words.list_weekday_words())


def _is_day_of_date(written: Sequence[str], word: int) -> bool:
    """Return whether ``word`` is a day of the week before its date: "Samstag, | den 12. März"."""
    following, after = (*written[word + 1 : word + 3], "", "")[:2]
    is_led = leads(following) and after[:1].isdecimal()
    return _is_day(written[word]) and (following[:1].isdecimal() or is_led)


def _price_preposition(written: Sequence[str], word: int) -> float:
    """Return what it costs more to end a part before ``word`` if that is a preposition."""
    if written[word].casefold() not in small_words.list_prepositions():
        return 0.0
    after = written[word + 1] if word + 1 < len(written) else ""
    is_bare = after[:1].islower() and not leads(after)
    return _BEFORE_PREPOSITION + _BEFORE_BARE * is_bare


def _has_only_leads(written: Sequence[str], ends: Collection[int], comma: int) -> bool:
    """Return whether nothing but a few words that lead to others stands before a comma: "And, "."""
    for word in range(comma, -1, -1):
        if comma - word >= MANY_OF_CLAUSE:
            return False
        if word < comma and (word in ends or written[word].endswith(COMMAS)):
            return True
        if not leads(written[word]):
            return False
    return True


def _is_counted(written: Sequence[str], word: int) -> bool:
    """Return whether ``word`` is an amount of what follows it: "3.4 million | litres"."""
    text, following = written[word].strip(AROUND), written[word + 1]
    is_number = is_amount(text) or text.casefold() in small_words.list_scale_words()
    return is_number and not opens_phrase(following)


def _is_in_brackets(written: Sequence[str], ends: Collection[int], word: int) -> bool:
    """Return whether brackets are open after ``word`` that its sentence closes."""
    first = max(0, word - _MOST_IN_BRACKETS)
    first = next((at + 1 for at in range(word - 1, first - 1, -1) if at in ends), first)
    text = " ".join(written[first : word + 1])
    return text.count("(") + text.count("（") > text.count(")") + text.count("）")


def _is_in_short_brackets(written: Sequence[str], word: int) -> bool:
    """Return whether brackets that are open after ``word`` hold no more than a part can:
    "(passport, | card or licence)"."""
    first, length = word, len(written[word])
    while not _opens_brackets(written[first]):
        first -= 1
        if first < 0 or length > _SHORT_BRACKETS:
            return False
        length += len(written[first]) + 1
    return 0 < _measure_brackets(written, first, word) <= _SHORT_BRACKETS


def _measure_brackets(written: Sequence[str], first: int, word: int) -> int:
    """Return the characters of the brackets that the word ``first`` opens; 0 if they are closed
    before the end of ``word``, or not at all."""
    length = 0
    for at in range(first, min(len(written), first + _MOST_IN_BRACKETS)):
        length += len(written[at]) + 1
        if any(sign in written[at] for sign in _CLOSED):
            return length if at > word else 0
    return 0


def _opens_brackets(word: str) -> bool:
    """Return whether ``word`` opens brackets and closes none after that."""
    opened = max(map(word.rfind, _OPEN))
    return opened > max(map(word.rfind, _CLOSED))


def _begins_aside(written: Sequence[str], word: int) -> bool:
    """Return whether ``word`` opens brackets with something that can stand alone: several words in
    them, or several signs of a script without spaces."""
    bare = written[word].removeprefix(tokens.GLUE)
    if not bare.startswith(_OPEN) or not _opens_brackets(bare):
        return False
    count = next(
        (
            at - word + 1
            for at in range(word, min(len(written), word + _MOST_IN_BRACKETS))
            if any(sign in written[at] for sign in _CLOSED)
        ),
        0,
    )
    return count > _WORDS_OF_ASIDE or (tokens.is_glued(written[word]) and count > 1)


def _ends_aside(word: str) -> bool:
    """Return whether brackets of several words end with ``word``."""
    return word.endswith(_CLOSED) and not any(sign in word for sign in _OPEN)


def _is_year(written: Sequence[str], word: int) -> bool:
    """Return whether ``word`` is the year after a month."""
    is_year = _YEAR.fullmatch(written[word]) is not None
    return is_year and word > 0 and _is_month(written[word - 1])


def _is_month(word: str) -> bool:
    """Return whether ``word`` is the name of a month."""
    return word.strip(AROUND).casefold() in small_words.list_month_words()
