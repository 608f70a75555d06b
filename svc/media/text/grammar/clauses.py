"""Finding the clauses of a sentence that can stand alone and still say what the sentence says.

A clause is cut at punctuation only. In front of a comma, a dash or a bracket it has to be complete:
what follows goes on from a complete clause ("and", "which"), or the clause has a verb. Every word
on which the sense hangs ("not", "if", "only") stays.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from svc.media.languages import Grammar, Pattern, read_words
from svc.media.text.grammar import small_words
from svc.media.text.grammar.negations import denies, find_indispensable, is_of_the_past
from svc.media.text.tokens import GLUE

_PARTICIPLE = "ed"  # with which English ones end, and verbs of the past as well
FEWEST = 3  # words of a clause that is not the whole sentence
# Words of the beginning of a long sentence that says what it says, and of those after its verb.
_LEAST_OF_CORE, _LEAST_AFTER_VERB = 6, 3
_LONGEST_FRONT = 9  # words of a phrase of time or place in front of a clause
_LONGEST_OF_ARTICLE = 3  # letters
_SURELY_WHOLE = 6  # words that a writer emphasises
_NOUN = 3  # words before a noun, among which the one is that makes it definite
_LONGEST_GREETING = 5  # words of one without a comma: "Liebe Nachbarn!"
# The most words of one thing in a list that may look like verbs: "sägen, bohren und löten".
_ONE_OF_A_LIST = 2
# The most words of one thing in a list, and the share of such things that makes a list.
_LONGEST_NAME, _MANY = 4, 0.8
_AROUND = " \u00a0.,;:!?…।؟۔،؛、。！？–—-([{«“„\"'‘¿¡)]}»”’"
_CLOSERS = ')]}»”"’'
_GREETING_ENDS = ",،、，:："
_COMMAS, _COLONS, _SEMICOLONS, _DASHES, _CALLS = ",،", ":：", ";؛；", "–—", "!?؟"
_QUOTES = {"“": "”", "„": "“”", "«": "»", '"': '"', "»": "«"}


@dataclass(frozen=True)
class _Words:
    """A sentence and what is known about its words."""

    written: tuple[str, ...]
    bare: tuple[str, ...]
    grammar: Grammar
    staying: frozenset[int]  # the places of words that no clause may drop
    is_whole: bool  # whether the sentence ends with the last of them

    def text(self, first: int, last: int) -> str:
        return " ".join(self.written[first : last + 1]).strip(_AROUND)

    def begins(self, at: int) -> str:
        """Return the word at ``at`` in small letters, up to an apostrophe: "qu" of "qu’il"."""
        return self.bare[at].lower().replace("’", "'").partition("'")[0]

    def has_finite_verb(self, first: int, last: int) -> bool:
        """Return whether there is a finite verb: there is none in "the boat moored there"."""
        return any(
            word.lower() in self.grammar.auxiliaries
            or (
                self.grammar.verb is not None
                and self.grammar.verb.fullmatch(word) is not None
                and not word.endswith(_PARTICIPLE)
            )
            for word in self.bare[first : last + 1]
        )

    def has_verb(self, first: int, last: int) -> bool:
        return (
            self.grammar.verb is not None
            and self.grammar.verb.search(self.text(first, last)) is not None
        )


def strip_word(word: str) -> str:
    """Return ``word`` without the punctuation around it."""
    return word.strip(_AROUND)


def split_clauses(
    written: Sequence[str], language: str, *, is_whole: bool = True
) -> Iterator[tuple[int, int]]:
    """Yield the first and the last word of each clause of a sentence that can stand alone; the
    whole of it is one, unless it says who says it or greets the reader.

    ``written``: its words, with their punctuation. ``is_whole``: the sentence ends with them.
    """
    bares = tuple(map(strip_word, written))
    whole = len(written) - 1
    words = _Words(
        tuple(written),
        bares,
        read_words(language, Grammar),
        frozenset(find_indispensable(bares, language)),
        is_whole,
    )
    is_past = is_of_the_past(bares, language)
    quoted, first = [*_find_quotations(words)], _skip_greeting(words)
    if first > whole:
        return
    is_speech = _find_opening_mark(written[0]) != "" and any(
        word.lower() in words.grammar.says for word in bares
    )
    inquit = _find_inquit(words)
    if (
        inquit is not None
        and not quoted
        and (written[0][:1] in _DASHES or _is_call(written[inquit - 1]))
    ):
        if _is_remark(words, inquit - 1):
            yield 0, inquit - 1
        return
    spans = [(first, whole)] if not quoted and not is_speech and inquit is None else quoted
    for last in range(len(written)):
        if last == whole or _mark(written[last]) in _SEMICOLONS:
            within = frozenset(range(first, last + 1))  # semicolons part what could be sentences
            staying = words.staying if is_past else words.staying & within
            spans += _list_clauses(replace(words, staying=staying), first, last, first > 0)
            first = last + 1
    yield from dict.fromkeys(spans)


def find_cores(
    written: Sequence[str], language: str, longest: int, after: Sequence[str] = ()
) -> Iterator[tuple[int, int]]:
    """Yield the first and the last word of the beginnings of a long sentence, the longest first,
    that say what it says without what follows: up to a relative clause, a reason or what goes on
    with "and", or to a phrase that only says where or when.

    ``longest``: characters. ``after``: the next words of a sentence that goes on after ``written``.
    A sentence that begins with a condition has none, nor one on which a condition, a "not" or what
    somebody says depends later on.
    """
    known, count = read_words(language, Grammar), len(written)
    bares = tuple(map(strip_word, (*written, *after)))
    staying = frozenset(find_indispensable(bares[:count], language))
    words = _Words((*written, *after), bares, known, staying, False)
    first, knows_verbs = _skip_greeting(words), known.verb or known.verbs_of_long
    if knows_verbs is None or first >= count or is_of_the_past(bares[:count], language):
        return
    front = _find_front_end(words, first, count - 1)
    if words.begins(first) in known.joins or (
        front is None and _is_subordinate(words, first, count - 1)
    ):
        return
    for end in range(count - 1 if after else count - 2, first + _LEAST_OF_CORE - 1, -1):
        is_short = len(" ".join(written[first : end + 1])) <= longest
        if is_short and _is_core(words, first, end, front):
            yield first, end


def _is_core(words: _Words, first: int, end: int, front: int | None) -> bool:
    """Return whether a long sentence says by its words up to ``end`` what it says as a whole.

    ``front``: the last word of a phrase in front of it.
    """
    known, following = words.grammar, words.begins(end + 1)
    is_after_comma = _mark(words.written[end]) in _COMMAS
    inner = range(first, end + 1)
    if _mark(words.written[end]) not in (*_COMMAS, " ") and not words.written[end][-1].isalnum():
        return False
    verbs = [at for at in inner if _is_verb(words, at)]
    # Where phrases have their prepositions after them, clauses have their verbs at the end
    # (J. Greenberg, "Some Universals of Grammar", 1963).
    ends_with_verb = bool(known.postpositions) and verbs[-1:] == [end]
    if is_after_comma:
        relates = following in known.relating | known.relatives
        cuts = relates or following in known.reasons | known.goes_on - known.completes
        cuts = cuts or _begins_with(known.after_long, words, end + 1, len(words.written) - 1)
    else:
        relates = False
        cuts = known.verb is not None and following in known.free_phrases | known.reasons
    leads = known.prepositions | known.articles | known.definite | known.quantities | known.joins
    if not cuts or words.bare[end].lower() in leads | known.belongs:
        return False
    if words.bare[end].lower() in known.auxiliaries and not ends_with_verb:
        return False
    if following in known.articles and not words.bare[end][:1].isupper():
        return False  # German: "beschlossen, die Brücke zu sperren"
    begin = known.relating | known.completes | known.opens & known.turns | known.within_long
    opened = [at for at in inner[1:] if words.begins(at) in begin]
    if len(verbs) <= len(opened) or not verbs:
        return False
    said = range(verbs[0] + 1, end + 1)
    if len(said) < _LEAST_AFTER_VERB and not ends_with_verb:
        return False
    if not is_after_comma and all(_is_of_date(words, at) for at in said):
        return False  # "The choir will give on Sunday 15 December | in the church a concert"
    if not ends_with_verb and not _has_list_commas(words, first, end, front):
        return False
    says = any(words.begins(at) in known.says for at in inner)
    return (
        not says
        and all(
            relates and _is_within_relative(words, end + 1, at)
            for at in words.staying
            if not first <= at <= end
        )
        and not _completes_later(words, end + 1, len(words.written) - 1)
    )


def _is_verb(words: _Words, at: int) -> bool:
    """Return whether the word at ``at`` of a long sentence is a finite verb."""
    known = words.grammar
    if words.has_finite_verb(at, at) or (not known.auxiliaries and words.has_verb(at, at)):
        return True
    pattern = known.verbs_of_long
    return pattern is not None and pattern.fullmatch(words.bare[at].lower()) is not None


def _is_of_date(words: _Words, at: int) -> bool:
    """Return whether the word at ``at`` only says on which day something is."""
    word = words.bare[at].lower()
    days = small_words.list_weekday_words() | small_words.list_month_words()
    known = words.grammar
    leads = known.articles | known.prepositions | known.opens | known.belongs
    is_small = len(word) <= _LONGEST_OF_ARTICLE
    return word in days or word in leads or is_small or word[0].isdecimal()


def _find_front_end(words: _Words, first: int, last: int) -> int | None:
    """Return the last word of a phrase of time or place in front of its clause, up to its comma:
    "From Monday, …"; None if none begins with ``first``."""
    known = words.grammar
    if words.begins(first) not in known.fronts | known.prepositions - known.opens:
        return None
    comma = (at for at in range(first, last) if _mark(words.written[at]) in _COMMAS)
    end = next(comma, None)
    tied = known.relating | known.completes | known.within_long | known.turns
    if end is None or end - first >= _LONGEST_FRONT:
        return None
    has_clause = any(
        _is_verb(words, at) or words.begins(at) in tied for at in range(first, end + 1)
    )
    return None if has_clause else end


def _has_list_commas(words: _Words, first: int, end: int, front: int | None) -> bool:
    """Return whether the marks before ``end`` only part the things of a list, whose last one has an
    "and" before it, or a phrase in front: "classes in welding, bookkeeping and Portuguese"."""
    start = first if front is None else front + 1
    first_piece, *others = _list_pieces(words, start, end)
    marks = (_mark(words.written[at]) for _, at in [first_piece, *others][:-1])
    if not all(mark in _COMMAS for mark in marks):
        return False
    if not others:
        return True
    *middle, (begin, _) = others
    joined = any(words.begins(at) in words.grammar.joins for at in range(begin + 1, begin + 4))
    return (
        joined
        and any(_is_verb(words, at) for at in range(first_piece[0], first_piece[1] - 1))
        and all(at - place < _ONE_OF_A_LIST for place, at in middle)
        and not any(_is_verb(words, at) for place, at in others for at in range(place, at + 1))
    )


def _is_within_relative(words: _Words, first: int, at: int) -> bool:
    """Return whether the word ``at`` is in the relative clause from ``first``, up to its comma."""
    return not any(_mark(words.written[place]) in _COMMAS for place in range(first, at))


def _completes_later(words: _Words, first: int, last: int) -> bool:
    """Return whether a clause follows before the next comma that the verb needs: "said on Tuesday
    that"; after a comma nothing does."""
    if _mark(words.written[first - 1]) in _COMMAS:
        return False
    for at in range(first, last + 1):
        if words.begins(at) in words.grammar.completes:
            return True
        if _mark(words.written[at]) in _COMMAS:
            return False
    return False


def find_opening(written: Sequence[str], language: str) -> int:
    """Return the place of the first word of a sentence after a greeting; 0 if it greets nobody."""
    bares = tuple(map(strip_word, written))
    known = read_words(language, Grammar)
    return _skip_greeting(_Words(tuple(written), bares, known, frozenset(), True))


def keeps_nots(written: Sequence[str], first: int, count: int, language: str) -> bool:
    """Return whether no "not" of a sentence is about the ``count`` words from ``first``, none of
    which is one.

    It is about them beside them, between the same commas. Elsewhere it is not if they are a clause
    of their own with a verb, or if it only says until where something else holds ("unless"), or
    if it is in a reason after them: "moved to **16 May**, as there is no bus".
    """
    bares, last = tuple(map(strip_word, written)), first + count - 1
    words = _Words(tuple(written), bares, read_words(language, Grammar), frozenset(), True)
    known, ends = words.grammar, [at for at, word in enumerate(written) if word.endswith(";")]
    parts = pairwise([-1, *ends, len(written) - 1])
    pieces = [
        piece
        for before, end in parts
        if before < end
        for piece in _list_pieces(words, before + 1, end)
    ]
    own = {at for begin, end in pieces if begin <= last and first <= end for at in (begin, end)}
    # So many words from comma to comma are a clause even if their verb is not known.
    is_whole = first in own and last in own and count >= _SURELY_WHOLE
    is_clause = (
        first in own
        and (is_whole or words.has_verb(first, last))
        and not _is_subordinate(words, first, last)
    )
    text = words.text(0, len(written) - 1)
    is_expletive = known.expletive is not None and known.expletive.search(text) is not None
    for begin, end in pieces:
        for at in range(begin, end + 1):
            word = bares[at].lower()
            if first <= at <= last or not denies(word, known):
                continue
            if at > last and word in known.negates_after:
                continue
            is_beside = min(own) <= at <= max(own)
            goes_on = known.reasons | known.goes_on | known.opens | known.prepositions
            is_reason = at > last and words.begins(begin) in goes_on - known.relating - known.joins
            ends_here = word in known.negates_after or is_expletive
            if is_beside or not (is_clause or is_reason or ends_here):
                return False
    return True


def is_list(text: str, language: str) -> bool:
    """Return whether ``text`` only lists names or things, or has one after what it is:
    "Present: A. Khan", "Price: 5 €".
    """
    label, colon, rest = text.partition(":")
    known = read_words(language, Grammar)
    return (
        _is_list(rest, 1, known) and len(label.split()) <= FEWEST
        if colon
        else _is_list(text, 3, known)
    )


def _is_list(text: str, fewest: int, known: Grammar) -> bool:
    """Return whether ``text`` is made of names or things between commas, at least ``fewest``,
    and has no verb.
    """
    *others, end = text.replace("،", ",").split(",")
    pieces = [*others, *(_split_between(end, known.joins) if others else [end])]
    short = sum(0 < len(piece.split()) <= _LONGEST_NAME for piece in pieces)
    has_verb = known.verb is not None and known.verb.search(text) is not None
    return len(pieces) >= fewest and short >= _MANY * len(pieces) and not has_verb


def _split_between(text: str, joins: frozenset[str]) -> list[str]:
    """Return what stands between the ``joins`` of ``text``: "A.

    Khan", "M. Lee" of "A. Khan and M. Lee".
    """
    pieces: list[list[str]] = [[]]
    for word in text.split():
        if word in joins:
            pieces.append([])
        else:
            pieces[-1].append(word)
    return [" ".join(piece) for piece in pieces]


def _mark(word: str) -> str:
    """Return the mark at the end of ``word``, within or without the brackets and quotation marks
    that close there; else a letter."""
    return word.rstrip(_CLOSERS + " \u00a0")[-1:] or " "


def _list_clauses(words: _Words, first: int, last: int, is_part: bool) -> Iterator[tuple[int, int]]:
    """Yield the clauses from ``first`` to ``last``.

    ``is_part``: these words are not the beginning of the sentence.
    """
    is_enough = words.has_verb(first, last) if is_part else last - first >= FEWEST
    if _stands_alone(words, first, last) and is_enough and last + 1 - first < len(words.written):
        yield first, last
    if (end := _find_first_end(words, first, last)) is not None:
        yield first, end
    if (main := _find_main(words, first, last)) is not None:
        end = _find_first_end(words, main, last)
        end = last if end is None else end
        if _stands_alone(words, main, end):
            yield main, end
    for at in range(first, last):
        mark = _mark(words.written[at])
        if mark in _COLONS or (mark in _DASHES and words.has_verb(first, at)):
            after = at + 1
            if mark in _COLONS and _is_list(words.text(after, last), 2, words.grammar):
                return
            if mark in _DASHES and words.begins(after) in words.grammar.goes_on:
                return
            if _stands_alone(words, after, last) and (
                words.has_verb(after, last) or (mark in _COLONS and _is_capital(words, after))
            ):
                yield after, last
            if (end := _find_first_end(words, after, last)) is not None and _stands_alone(
                words, after, end
            ):
                yield after, end
            return


def _find_first_end(words: _Words, first: int, last: int) -> int | None:
    """Return the last word of the complete clause that begins with ``first``;
    None if none ends before ``last``.
    """
    commas = [at for at in range(first, last) if _mark(words.written[at]) in _COMMAS]
    for at in range(first, last):
        mark, following = _mark(words.written[at]), words.written[at + 1]
        if (
            words.begins(at + 1) in words.grammar.reasons
            and not words.staying
            and _stands_alone(words, first, at)
        ):
            return at  # "not … because" may deny the reason alone
        if mark in _COLONS:
            after = frozenset(range(at + 1, last + 1))
            is_said = _is_denied(words, first, at, last)
            # Otherwise it leads to what follows.
            return at if is_said and _stands_alone(words, first, at, after) else None
        is_aside = mark in _DASHES or (following.startswith("(") and mark not in _COMMAS)
        if mark not in _COMMAS and not is_aside:
            continue
        if is_aside:
            returns = mark in _DASHES and any(
                _mark(words.written[later]) in _DASHES for later in range(at + 1, last)
            )
            is_complete = (words.has_verb(first, at) and not returns) or words.begins(
                at + 1
            ) in words.grammar.says
        elif _is_said(words, at + 1, last):
            is_complete = True
        else:
            is_complete = _is_complete(words, first, at, last, len(commas) == 1)
        is_concession = _begins_with(words.grammar.concedes, words, at + 1, last)
        is_complete = is_complete or (is_concession and _is_main(words, first, at))
        if words.begins(first) in words.grammar.fronts and not is_concession:
            # "By the time the shop is open, …" has a verb, too
            is_complete = is_complete and words.begins(at + 1) in words.grammar.relating
        is_complete = is_complete and not _is_limited(words, first, at)
        free = _find_free(words, at, last)
        return at if is_complete and _stands_alone(words, first, at, free) else None
    return None


def _is_said(words: _Words, first: int, last: int) -> bool:
    """Return whether what begins at ``first`` only says who said what goes before it: "…,
    the railways said on Friday".
    """
    end = next((at for at in range(first, last) if _mark(words.written[at]) in _COMMAS), last)
    return end == last and any(
        words.begins(at) in words.grammar.says for at in range(first, last + 1)
    )


def _find_inquit(words: _Words) -> int | None:
    """Return the first word of what says who speaks, after a dash, as in dialogues of many
    languages: "—¿Vienes? —preguntó Tomás". None if nothing does.
    """
    for at in range(1, len(words.written)):
        is_parted = words.written[at][:1] in _DASHES or _mark(words.written[at - 1]) in _DASHES
        if is_parted and words.begins(at) in words.grammar.says:
            return at if words.bare[at - 1] else at - 1
    return None


def _is_call(word: str) -> bool:
    """Return whether ``word`` ends a question or a call, perhaps before a dash."""
    return _mark(word.rstrip(_DASHES + "\u00a0 ")) in _CALLS


def _is_remark(words: _Words, last: int) -> bool:
    """Return whether what is said up to ``last`` is a question, a call or a sentence of its own,
    and no mere answer.
    """
    is_enough = _is_call(words.written[last]) or words.has_verb(0, last) or last > _LONGEST_NAME
    return is_enough and words.staying <= set(range(last + 1))


def _skip_greeting(words: _Words) -> int:
    """Return the place of the first word after greetings such as "Dear members," and
    "Madame, Monsieur,"; that after the last: it is nothing else.
    """
    first = 0
    while (after := _end_greeting(words, first)) > first:
        first = after
    return first


def _end_greeting(words: _Words, first: int) -> int:
    """Return the place after the greeting that begins at ``first``; ``first`` if none does."""
    known, count = words.grammar, len(words.written)
    commas = (at for at in range(first, count) if _mark(words.written[at]) in _GREETING_ENDS)
    end = next(commas, None)
    if first == 0 and end is not None and end < _LONGEST_GREETING and end + 1 < count:
        said = "".join(word.removeprefix(GLUE) for word in words.written[: end + 1])
        if said.rstrip(_AROUND).endswith(tuple(known.greeting_ends)):
            return end + 1
    if first == count or words.begins(first) not in known.greetings:
        return first
    if words.begins(first) in known.titles and end != first:
        return first  # "Madame Dupont, …" begins a sentence about her
    is_all = count - first <= _LONGEST_GREETING and not words.has_verb(first, count - 1)
    return end + 1 if end is not None else count if is_all else first


def _is_complete(words: _Words, first: int, at: int, last: int, is_only_comma: bool) -> bool:
    """Return whether the clause from ``first`` to ``at``, in front of a comma,
    lacks nothing of what follows.
    """
    following = words.begins(at + 1)
    if following in words.grammar.completes or (
        following in words.grammar.relatives and not _is_known(words, at)
    ):
        return False
    if following in words.grammar.relating or following in words.grammar.relatives:
        is_complete = is_only_comma if words.is_whole else False
        return is_complete or words.has_finite_verb(first, at)
    if following in words.grammar.goes_on:
        return (is_only_comma and words.is_whole) or words.has_verb(first, at)
    joined = next(
        (later for later in range(at + 1, last) if words.begins(later) in words.grammar.joins), None
    )
    is_list = joined is not None and (
        joined - at - 1 <= _ONE_OF_A_LIST or not words.has_finite_verb(at + 1, last)
    )
    return is_only_comma and words.has_verb(first, at) and not is_list


def _begins_with(pattern: Pattern, words: _Words, first: int, last: int) -> bool:
    return pattern is not None and pattern.search(words.text(first, last)) is not None


def _is_main(words: _Words, first: int, at: int) -> bool:
    """Return whether the words up to ``at`` have nothing in front of the clause that a concession
    follows: no comma."""
    return at - first >= FEWEST and not any(
        _mark(words.written[place]) in _COMMAS for place in range(first, at)
    )


def _is_denied(words: _Words, first: int, at: int, last: int) -> bool:
    """Return whether what stands in front of the colon at ``at`` denies something, and is so no
    mere lead into what follows, which is a sentence: "Never cover it at once: steam makes it wet".
    """
    known = words.grammar
    is_lead = known.leads is None or known.leads.search(words.text(first, at)) is not None
    denied = any(denies(word, known) for word in words.bare[first : at + 1])
    return (
        denied
        and not is_lead
        and at - first > FEWEST
        and last - at > FEWEST
        and not _is_list(words.text(at + 1, last), 2, known)
    )


def _find_free(words: _Words, at: int, last: int) -> frozenset[int]:
    """Return the places after ``at`` of words that leave what stands up to there as it is: those
    of a concession, of a relative clause that can be left out, and of one that goes on with a verb
    of its own ("because nobody came")."""
    known, free = words.grammar, set[int]()
    for number, (first, end) in enumerate(_list_pieces(words, at + 1, last)):
        begins = words.begins(first)
        goes_on = begins in known.goes_on - known.joins - known.relating - known.relatives
        is_free = _begins_with(known.concedes, words, first, end) or (
            goes_on and words.has_finite_verb(first + 1, end)
        )
        is_relative = number == 0 and begins in known.relating and words.has_verb(first, end)
        if not (is_free or is_relative):
            break
        free |= set(range(first, end + 1))
    return frozenset(free)


def _list_pieces(words: _Words, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield the first and the last word of each piece between commas and dashes."""
    for at in range(first, last + 1):
        if at == last or _mark(words.written[at]) in _COMMAS + _DASHES + _COLONS:
            yield first, at
            first = at + 1


def _find_main(words: _Words, first: int, last: int) -> int | None:
    """Return the first word of the main clause after a cause or a purpose ("Owing to the frost, the
    race is off"), which begins with its subject; None if there is no such clause."""
    known, pieces = words.grammar, [*_list_pieces(words, first, last)]
    if not _begins_with(known.causes, words, first, last) or words.staying & set(
        range(pieces[0][0], pieces[0][1] + 1)
    ):
        return None
    for number, (start, end) in enumerate(pieces[1:], 1):
        follows = pieces[number + 1][0] if number + 1 < len(pieces) else None
        if _begins_with(known.subject, words, start, end):
            is_parted = follows is not None and words.begins(follows) in known.relating
            return start if words.has_verb(start, end) or is_parted else None
        if words.begins(start) not in known.relating:
            return None
    return None


def _is_known(words: _Words, at: int) -> bool:
    """Return whether a relative clause after the noun at ``at`` can be left out: the noun is
    definite, and nothing is denied or supposed of it. "Er haftet nicht für Schäden, die …" says
    something else without it.
    """
    is_definite = any(
        words.begins(before) in words.grammar.definite for before in range(max(0, at - _NOUN), at)
    )
    return is_definite and not words.staying


def _stands_alone(words: _Words, first: int, last: int, free: frozenset[int] = frozenset()) -> bool:
    """Return whether the words say by themselves what the sentence says: they are enough, they
    begin something, and no "not" is left outside, but for those at the places ``free``."""
    return (
        last - first + 1 >= FEWEST
        and not _is_subordinate(words, first, last)
        and all(first <= at <= last for at in words.staying - free)
    )


def _is_subordinate(words: _Words, first: int, last: int) -> bool:
    """Return whether the words begin like a clause that hangs on another: "if it rains",
    "wer das Haus verlassen hat"."""
    known, begins = words.grammar, words.begins(first)
    if begins in known.fronts:
        return not _has_clause_of_its_own(words, first, last)
    if begins in known.opens or begins in known.completes or begins in known.relating:
        return True
    return (
        known.opens_with is not None
        and known.opens_with.search(words.text(first, last)) is not None
    )


def _has_clause_of_its_own(words: _Words, first: int, last: int) -> bool:
    """Return whether a clause follows a preposition and its noun at ``first`` without a comma:
    "From May the rent will rise"; not in "In the house that was sold"."""
    known = words.grammar
    tied = known.relating | known.completes | known.pronouns
    return words.has_finite_verb(first, last) and not any(
        _mark(words.written[at]) in _COMMAS or words.begins(at) in tied
        for at in range(first + 1, last)
    )


def _is_limited(words: _Words, first: int, at: int) -> bool:
    """Return whether the clause up to ``at`` has an "only" that may be about what follows:
    "Solo se puede subir, en grupos, …"; not in front of "and" or a reason."""
    following = words.begins(at + 1)
    if following in words.grammar.joins or following in words.grammar.reasons:
        return False
    return any(word.lower() in words.grammar.limits for word in words.bare[first : at + 1])


def _is_capital(words: _Words, at: int) -> bool:
    """Return whether a sentence begins at ``at``; as well in a script without capitals.

    A figure goes on with a label.
    """
    return not words.bare[at][:1].islower() and not words.bare[at][:1].isdecimal()


def _find_quotations(words: _Words) -> Iterator[tuple[int, int]]:
    """Yield each sentence that somebody is quoted with, between its quotation marks; none of which
    only a half stands before its speaker: "Nobody told us," said Ann, "and we never asked."
    """
    for first, word in enumerate(words.written):
        opener = _find_opening_mark(word)
        if not opener or not _is_capital(words, first):
            continue
        start = len(word.partition(opener)[0]) + 1
        for last in range(first, len(words.written)):
            rest = words.written[last][start if last == first else 0 :]
            at = next((at for at, sign in enumerate(rest) if sign in _QUOTES[opener]), -1)
            if at < 0:
                continue
            is_sentence = rest[:at].rstrip()[-1:] in tuple(",.!?…؟،") or rest[at + 1 :].startswith(
                (",", "،")
            )
            if (
                is_sentence
                and not _goes_on_quoted(words, last)
                and (last - first + 1 >= FEWEST or rest[:at].rstrip()[-1:] in tuple("!?؟"))
            ):
                yield first, last
            break


def _goes_on_quoted(words: _Words, last: int) -> bool:
    """Return whether a quotation that ends at ``last`` goes on after its speaker, with a small
    letter."""
    return any(
        _find_opening_mark(words.written[at]) != "" and words.bare[at][:1].islower()
        for at in range(last + 1, len(words.written))
    )


def _find_opening_mark(word: str) -> str:
    """Return the quotation mark with which ``word`` begins, perhaps after a dash;
    empty if there is none.
    """
    return next((sign for sign in word[:3] if sign in _QUOTES), "")
