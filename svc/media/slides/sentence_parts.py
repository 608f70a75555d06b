"""Where what is said in a prose scene is parted, so that each part is shown for some seconds.

A part ends at the end of a sentence, at a comma or before a phrase, and never with a word that
belongs to the next one.
"""

from svc.media.model import Scene
from svc.media.review.scene_prose import count_heading_words
from svc.media.script.grammar import small_words
from svc.media.text import tokens
from svc.media.text.amounts import is_amount
from svc.media.text.units import UNITS

SHORTEST = 16  # characters of what has no part of its own: one second
# The most characters of a part: of one that takes some four seconds, of any, and of one with a
# clause and what belongs to it.
_LONG, _LONGEST, _LONGEST_CLAUSE = 72, 80, 90
STOPS, COMMAS = (
    (".", "!", "?", "…", "।", "؟", "。", "！", "？", ":"),
    (",", ";", "،", "、", "，", "；", "–", "—"),
)
# The costs of a part, of the end of a sentence within it, of one that says nothing, of one that is
# long, and of each character more.
_PART, _RUN_ON, _FRAGMENT, _TOO_LONG, _CHARACTER = 0.2, 1.0, 3.0, 0.4, 0.04
_AFTER_HEADING = 0.17  # more, of going on after the scene's heading
# The cost of what a part has before or after its clause, which would rather stand alone.
_BESIDE_CLAUSE = 0.5
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
# What it costs before what may be an object, before one after a verb, after a noun with a capital
# before an article, and before what is a verb.
_BEFORE_OBJECT, _AFTER_VERB, _AFTER_NOUN, _BEFORE_VERB = 1.5, 1.8, 1.1, 1.3
# The most letters of a word that belongs to the next one, and of one with which a phrase begins.
_SMALL, _SHORT_PREPOSITION = 3, 2
_MANY = 6  # words, which say something even if each is small: "or they do not do it at all"
# Such words from the beginning of a sentence to a comma: "If it is not,".
_MANY_OF_CLAUSE = 4
_UNITS = frozenset(unit.casefold() for unit in UNITS)  # of what a price is for
_CLOSERS = ")]”»’\"'"
AROUND = " .,;:!?…()[]“”„\"'«»\u2060。，、：；！？（）「」『』《》"


def split_words(scene: Scene, clause: range = range(0)) -> list[range]:
    """Return the words of ``scene`` in as few and even parts as their length allows, which end at
    the ends of sentences and phrases.

    ``clause``: stays within one part, alone or with what belongs to it; what is too short for a
    part of its own at either end of the scene does.
    """
    count, heading = len(scene.words), count_heading_words(scene)
    first = clause.start if measure_part(scene, range(clause.start)) >= SHORTEST else 0
    last = clause.stop if measure_part(scene, range(clause.stop, count)) >= SHORTEST else count
    whole = range(first, last) if clause else range(0)
    costs, starts = [0.0, *[float("inf")] * count], [0] * (count + 1)
    for start in range(count):
        torn = 0.0
        for stop in range(start + 1, count + 1 if costs[start] < float("inf") else start):
            part = range(start, stop)
            has_clause = bool(whole) and start <= whole.start and whole.stop <= stop
            longest = max(_LONGEST_CLAUSE, measure_part(scene, whole)) if has_clause else _LONGEST
            if stop not in whole[1:]:  # no part ends within the clause
                if measure_part(scene, part) > longest and len(part) > 1:
                    break
                beside = (start < whole.start) + (whole.stop < stop) if has_clause else 0
                cost = (
                    costs[start]
                    + _PART
                    + torn
                    + _cost_of(scene, part)
                    + (_BESIDE_CLAUSE * beside if has_clause else _cost_of_length(scene, part))
                    + (_cost_of_end(scene, stop - 1) if stop < count else 0.0)
                )
                if cost < costs[stop]:
                    costs[stop], starts[stop] = cost, start
            torn += _RUN_ON * (stop - 1 in scene.sentence_ends) + _AFTER_HEADING * (stop == heading)
    parts: list[range] = []
    while count:
        parts.insert(0, range(starts[count], count))
        count = starts[count]
    return parts


def measure_part(scene: Scene, part: range) -> int:
    """Return the characters of ``part``, a wide sign, which takes as long to say, as three."""
    return sum(
        len(scene.words[word]) + 1 + 2 * tokens.count_wide_signs(scene.words[word]) for word in part
    )


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


def leads(word: str) -> bool:
    """Return whether ``word`` belongs to the next one, as articles, prepositions, conjunctions,
    auxiliary verbs and words for numbers do.
    """
    letters = word.strip(AROUND).casefold()
    is_short = len(letters) <= _SMALL and letters.isalpha() and not tokens.count_wide_signs(letters)
    return is_short or _is_known(letters)


def is_rate(scene: Scene, word: int) -> bool:
    """Return whether ``word`` is counted for each of what follows: "£31 | a week",
    "9 euros | par personne", "0,50 € | je m²"."""
    following, after = (
        each.strip(AROUND).casefold() for each in (*scene.words[word + 1 : word + 3], "")[:2]
    )
    before = scene.words[max(0, word - 1) : word + 1]
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
    )


def _cost_of(scene: Scene, part: range) -> float:
    """Return the cost of a part that is short, or says nothing."""
    short = max(0.0, 1 - measure_part(scene, part) / (2 * SHORTEST))
    return short + (0.0 if _says_something(scene, part) else _FRAGMENT)


def _cost_of_length(scene: Scene, part: range) -> float:
    """Return the cost of the characters that a part has too many."""
    more = measure_part(scene, part) - _LONG
    return _TOO_LONG + _CHARACTER * more if more > 0 else 0.0


def _cost_of_end(scene: Scene, word: int) -> float:
    """Return what it costs to end a part after ``word``."""
    text, following = scene.words[word], scene.words[word + 1]
    text = text.rstrip(_CLOSERS) or text
    if word in scene.sentence_ends:
        return 0.0
    more = _BRACKETED * _is_in_brackets(scene, word) + _BEFORE_BRACKET * following.startswith("(")
    more += _STUMP * _is_stump(scene, word)
    if text.endswith(STOPS):  # an abbreviation belongs to the next word: "Nr. 2"
        return _AFTER_LEADING if text.endswith(".") else more
    if text.endswith(COMMAS):
        is_date = text[-1] == "," and following[0].isdecimal()  # Monday, 7 December, 10 pm
        after = _AFTER_LEADING if _only_leads(scene, word) else _AFTER_COMMA
        return after + more + _BEFORE_FIGURE * is_date
    if tokens.is_glued(following):
        return 2 * _AFTER_LEADING
    completes = following.casefold() in small_words.list_completing_words()
    is_verb = completes and len(text) <= _SMALL and not _is_known(text.casefold())  # "say | that"
    if not is_verb and (
        leads(text) or text.isdecimal() or _is_counted(scene, word) or is_rate(scene, word)
    ):
        return _AFTER_LEADING + more
    if completes:
        return _BEFORE_CLAUSE + more
    if following.casefold() in small_words.list_auxiliary_verbs():
        return _AFTER_SUBJECT + more
    if following.casefold() in small_words.list_words_of_belonging():
        return _WITHIN_PHRASE + more
    if opens_phrase(following):
        pair = _BETWEEN_NAMES * _joins_names(scene, word + 1)
        return _AFTER_PHRASE + _cost_of_preposition(scene, word + 1) + pair + more
    begins_noun = small_words.list_leaning_words() | small_words.list_binding_words()
    if following.casefold() in begins_noun:
        is_noun = word and word - 1 not in scene.sentence_ends and text[0].isupper()
        is_verb = small_words.is_verb(text.casefold())
        return (_AFTER_NOUN if is_noun else _AFTER_VERB if is_verb else _BEFORE_OBJECT) + more
    is_predicate = small_words.is_verb(following.strip(AROUND).casefold())
    return (_BEFORE_VERB if is_predicate else _WITHIN_PHRASE) + more


def _is_stump(scene: Scene, word: int) -> bool:
    """Return whether one or two words stand between a comma and the end of a part after ``word``,
    which has none itself."""
    before = scene.words[max(0, word - _WORDS_OF_STUMP) : word]
    ended = (each.rstrip(_CLOSERS).endswith(COMMAS) for each in before)
    return not scene.words[word].rstrip(_CLOSERS).endswith((*COMMAS, *STOPS)) and any(ended)


def _joins_names(scene: Scene, word: int) -> bool:
    """Return whether ``word`` is an "and" between two words with capitals."""
    around = scene.words[word - 1 : word] + scene.words[word + 1 : word + 2]
    is_join = scene.words[word].casefold() in small_words.list_joining_words()
    return is_join and len(around) > 1 and all(each[0].isupper() for each in around)


def _cost_of_preposition(scene: Scene, word: int) -> float:
    """Return what it costs more to end a part before ``word`` if that is a preposition."""
    if scene.words[word].casefold() not in small_words.list_prepositions():
        return 0.0
    after = scene.words[word + 1] if word + 1 < len(scene.words) else ""
    is_bare = after[:1].islower() and not leads(after)
    return _BEFORE_PREPOSITION + _BEFORE_BARE * is_bare


def _only_leads(scene: Scene, comma: int) -> bool:
    """Return whether nothing but a few words that lead to others stands before a comma: "And, "."""
    for word in range(comma, -1, -1):
        if comma - word >= _MANY_OF_CLAUSE:
            return False
        if word < comma and (word in scene.sentence_ends or scene.words[word].endswith(COMMAS)):
            return True
        if not leads(scene.words[word]):
            return False
    return True


def _is_counted(scene: Scene, word: int) -> bool:
    """Return whether ``word`` is an amount of what follows it: "3.4 million | litres"."""
    text, following = scene.words[word].strip(AROUND), scene.words[word + 1]
    is_number = is_amount(text) or text.casefold() in small_words.list_scale_words()
    return is_number and not opens_phrase(following)


def _is_in_brackets(scene: Scene, word: int) -> bool:
    """Return whether brackets are open after ``word`` that its sentence closes."""
    starts = [end + 1 for end in scene.sentence_ends if end < word]
    text = " ".join(scene.words[max(starts, default=0) : word + 1])
    return text.count("(") > text.count(")")


def _says_something(scene: Scene, part: range) -> bool:
    """Return whether ``part`` is more than words that lead to others, or than a reference in
    brackets: a sentence, two other words, or many.
    """
    begins = part.start == 0 or part.start - 1 in scene.sentence_ends
    if begins and part[-1] in scene.sentence_ends:
        return True
    if scene.words[part[0]].startswith("(") and ")" in scene.words[part[-1]]:
        return False
    if begins and len(part) >= _MANY_OF_CLAUSE and scene.words[part[-1]].endswith(COMMAS):
        return True
    return (
        len(part) >= _MANY
        or sum(not leads(scene.words[word]) for word in part) > 1
        or any(tokens.count_wide_signs(scene.words[word]) for word in part)
    )
