"""Choosing the key phrase of a prose scene: a clause of its own text that keeps its sense.

What the brief emphasises comes first, whole. Otherwise it is a short sentence, or a clause of a
longer one that can stand alone (:mod:`svc.media.text.grammar.clauses`): the one that is nearest
in meaning to the scene and its heading, or in a language without vectors the first good one. It is
no address, no list of names, nothing that is torn off, and no part of the title, which has just
been shown.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby

from svc.media.languages import Everywhere, Grammar, merge_words, read_words
from svc.media.meaning import encoder
from svc.media.model import VideoBrief
from svc.media.text import abbreviations, addresses, dates
from svc.media.text import tokens as words
from svc.media.text.amounts import parse_amount
from svc.media.text.grammar import clauses, leaning, small_words
from svc.media.text.grammar.negations import find_indispensable, is_negation, is_of_the_past
from svc.media.text.tokens import Token

# The most characters, wide ones twice, of a clause, and of what the writer emphasises.
LONGEST, _LONGEST_EMPHASIS = 64, 96
# Those of the beginning of a long sentence that has no shorter one that could stand for it.
_LONGEST_CORE = 136
_AFTER = 4  # words of the next scene that tell whether a clause ends with this one
_LONGEST_MAIN = 88  # characters of a clause of the scene's first sentence, if it has no shorter one
# Words of a sentence of which a beginning may be shown, and of one that goes on in the next scene.
_LONG_SENTENCE, _LONG_PART = 20, 12
_SHORT = 4  # words that are no clause beside an address unless they certainly have a verb
_BEFORE_A_NAME = 4  # words among which a title is: "Frau Dr. Brandt", "L'arch. Bruni"
_REST_OF_ADDRESS = 4  # words after a comma that an address may go on with: "rue Voltaire"
# Words of a first and last name; how many names, and how many of anything, make a list.
_FULL_NAME, _FULL_NAMES, _SEVERAL = 2, 2, 3
_BETWEEN_NAMES = re.compile("[,،、，;；]")
_PAUSES = ".,;:!?…،；：。！？"
_DENIED = 2  # words from a "not" on, of which one says too little to stand without its object
_FULL = 28  # characters of a phrase that is no mere shred
# What counts for a phrase besides its nearness to the scene.
_OF_HEADING, _OF_SENTENCE, _OF_LENGTH, _FIGURE = 0.7, 0.15, 0.25, 0.05
_LATER, _PRONOUN, _CONJUNCTION, _FORMER = 0.24, 0.25, 0.1, 0.5  # what counts against a phrase
# What is only polite, and how near to one of these, in any language with vectors, such a phrase is:
# of 26 in 15 languages all but one were nearer than 0.5, of 731 judged phrases none than 0.4.
_COURTESIES = (
    "We apologise for the inconvenience",
    "Thank you for your understanding",
    "Thank you for your attention",
    "We look forward to seeing you",
    "If you have any questions, please contact us",
    "You are very welcome",
)
_COURTEOUS = 0.46
_STOPS = f".,;:!?…।؟۔،؛–—- \u00a0、。，；：！？{words.GLUE}"
_OPENERS, _CLOSERS = "([{«“„\"'‘¿¡「『（【《", ")]}»”\"'’」』）】》"
# The sign for private use that stands for the dot of an abbreviation at the end, which keeps it:
# p.m.
_DOT, _DOTTED = "\ue002", re.compile(r"[^\W\d]\.[^\W\d]+\.$")
_POSTAL = re.compile(
    r"(?:^|[\s,])(?:[A-Z]-?)?\d{4,5}(?:-\d{3})? [A-Z][^\W\d]+|\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b"
)
_CALL = re.compile(
    r"\+\d[\d ()/.-]{6,}\d|\b0\d[\d ()/.-]{4,}\d|\b\d{4}(?: \d{3}){2,}\b|"
    r"\b\d{2,3}(?: \d{2,3}){3,}\b"
)
# The nine digits of a telephone, in three groups, none of which is only noughts as in a large
# number.
_NINE_DIGITS = re.compile(r"(?<![\d ]\d)(?<!\d )\b[2-9]\d\d(?: (?!000)\d{3}){2}\b(?! ?[\d%€$£])")
_BETWEEN_FACTS, _ENDS_OF_LABEL = ("|", "·"), (":", "：", ".", "–", "—", "-")
_NUMBERED = re.compile(r"[^\W\d_]+[ \u00a0](?:[IVX]+|\d{1,2})[.:]?(?:[ \u00a0][–—-])?")  # Act II –
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}")
_GROUPS = re.compile(r"(?<![\d+])(?<!\d )[1-9]\d{0,2}(?: \d{3})+(?! ?\d)")  # of a large number


@dataclass(frozen=True)
class _Phrase:
    """A phrase that may be chosen."""

    text: str
    share: float  # of its sentence
    sentence: int  # the number of its sentence in the scene
    is_whole: bool = False  # whether it is its sentence, or a quotation, which leans on nothing
    is_core: bool = False  # whether it is the beginning of a long sentence


def choose_key_phrase(
    parts: Sequence[Sequence[Token]],
    heading: str,
    brief: VideoBrief,
    before: Sequence[Token] = (),
    after: Sequence[Token] = (),
) -> str:
    """Return the key phrase of a scene's ``parts``; empty if there is none that could
    stand for them. ``before``: the last words of the section in front of them. ``after``: the words
    with which the section goes on.
    """
    sentences = list(_split_sentences(parts))
    emphasised = _find_emphasised(sentences, brief.read_in)
    if not emphasised:
        shown, title = heading.casefold(), brief.title.casefold()
        phrases = [
            phrase
            for number, sentence in enumerate(sentences)
            for phrase in _list_clauses(
                sentence,
                number,
                len(sentences),
                brief.read_in,
                before if number == 0 else (),
                after,
            )
            if phrase.text.casefold() != shown
            and phrase.text.casefold() not in title
            and not any(f"\u00a0{sign} " in phrase.text for sign in _BETWEEN_FACTS)
        ]
        phrases = _remove_particulars(phrases, sentences, brief.read_in)
        phrases = _remove_remarks(phrases, f"{heading} {brief.topic}", brief.read_in)
        phrases = _remove_asides(phrases, sentences, brief.read_in)
        if len(sentences) > 1:
            phrases = _remove_courtesies(phrases, brief.read_in)
        emphasised = _prefer_emphasis(phrases, sentences, brief.read_in)
        emphasised = emphasised or _find_labelled_amount(sentences, brief.read_in)
    return _find_nearest(emphasised, _join_scene(parts), heading, brief)


def _find_labelled_amount(sentences: Sequence[list[Token]], language: str) -> list[_Phrase]:
    """Return all that a scene says, if that is an amount after what it is of: ``Raised: £96,340``
    says more than the heading above it. Else none."""
    text = _trim_phrase(sentences[0], language) if len(sentences) == 1 else ""
    label, colon, amount = text.partition(":")
    is_short = bool(colon) and 0 < _count_words(label) <= clauses.FEWEST
    has_amount = parse_amount(amount.strip()) is not None
    is_whole = bool(text) and sentences[0][-1].ends
    return [_Phrase(text, 1.0, 0, True)] if is_short and has_amount and is_whole else []


def find_sentence(phrase: str, parts: Sequence[Sequence[Token]]) -> list[Token]:
    """Return the sentence of ``parts`` that a key phrase is from; empty if none contains it."""
    written = (
        (sentence, words.join_words(token.written for token in sentence))
        for sentence in _split_sentences(parts)
    )
    return next(
        (
            sentence
            for sentence, text in written
            if phrase in text or phrase in _shorten_addresses(text)
        ),
        [],
    )


def strip_token(token: Token) -> str:
    """Return the word of ``token`` without the punctuation around it."""
    return token.written.strip(_STOPS + _OPENERS + _CLOSERS)


def _join_scene(parts: Sequence[Sequence[Token]]) -> str:
    return words.join_words(token.written for part in parts for token in part)


def _join_words(sentence: Sequence[Token]) -> str:
    return words.join_words(token.written for token in sentence)


def _split_sentences(parts: Sequence[Sequence[Token]]) -> Iterator[list[Token]]:
    sentence: list[Token] = []
    for token in (token for part in parts for token in part):
        sentence.append(token)
        if token.ends:
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def _find_nearest(phrases: Sequence[_Phrase], scene: str, heading: str, brief: VideoBrief) -> str:
    """Return the phrase that is nearest in meaning to ``scene``, its heading and the topic,
    all else being equal.
    """
    if len(phrases) < 2:
        return phrases[0].text if phrases else ""
    first = min(phrase.sentence for phrase in phrases)
    values = [
        _score_form(phrase, brief.read_in) - _LATER * (phrase.sentence - first)
        for phrase in phrases
    ]
    if encoder.knows_language(brief.read_in):
        vectors = encoder.encode_texts(
            [*(phrase.text for phrase in phrases), scene, f"{brief.topic}. {heading}"]
        )
        near = vectors[:-2] @ vectors[-2] + _OF_HEADING * vectors[:-2] @ vectors[-1]
        values = [value + float(nearness) for value, nearness in zip(values, near, strict=True)]
    return phrases[max(range(len(phrases)), key=values.__getitem__)].text


def _remove_courtesies(phrases: list[_Phrase], language: str) -> list[_Phrase]:
    """Return ``phrases`` without what is only polite and says nothing of the scene."""
    if not phrases:
        return phrases
    polite = read_words(language, Grammar).courtesies
    if encoder.knows_language(language):
        vectors = encoder.encode_texts([phrase.text for phrase in phrases])
        nearness = (vectors @ _encode_courtesies().T).max(axis=1)
        return [phrase for phrase, near in zip(phrases, nearness, strict=True) if near < _COURTEOUS]
    return [phrase for phrase in phrases if polite is None or not polite.search(phrase.text)]


@cache
def _encode_courtesies() -> encoder.Vectors:
    return encoder.encode_texts(_COURTESIES)


def _score_form(phrase: _Phrase, language: str) -> float:
    """Return what speaks for a phrase besides its meaning: it is long enough, most of its sentence,
    and has a figure.
    """
    begun = [
        word.strip(_STOPS + _OPENERS) for word in re.split("[ '’]", phrase.text.casefold())[:2]
    ]
    first, known = begun[0], read_words(language, Grammar)
    # "if it rains", "s’il"
    subject = begun[-1] if first in known.opens or len(first) == 1 else first
    return (
        _OF_SENTENCE * phrase.share
        + _OF_LENGTH * min(1.0, words.measure_display_length(phrase.text) / _FULL)
        + _FIGURE * any(map(str.isdecimal, phrase.text))
        - _PRONOUN * (subject in known.pronouns)
        - _CONJUNCTION * (first in known.joins)
        - _FORMER
        * is_of_the_past([clauses.strip_word(word) for word in phrase.text.split()], language)
    )


def _find_emphasised(sentences: Sequence[list[Token]], language: str) -> list[_Phrase]:
    """Return what the writer emphasises, if it is more than a word.

    A "not" of its sentence is within it, or is repeated in it.
    """
    emphasised: list[_Phrase] = []
    if all(token.stressed for sentence in sentences for token in sentence):
        return emphasised
    for number, sentence in enumerate(sentences):
        if (
            number == 0
            and all(token.stressed for token in sentence)
            and not _has_verb(_join_words(sentence), language)
        ):
            continue  # a heading within the paragraph: "**Opening hours.** We are open …"
        for run in _find_emphasised_runs(sentence):
            if _is_label(run, sentence) or _has_only_addresses(run):
                continue
            text = _trim_phrase(run, language)
            fits = (
                _says_something(run, language)
                and words.measure_display_length(text) <= _LONGEST_EMPHASIS
            )
            if fits and _keeps_nots(run, sentence, language):
                emphasised.append(_Phrase(text, 1.0, number))
    return emphasised


def _is_label(run: Sequence[Token], sentence: Sequence[Token]) -> bool:
    """Return whether emphasised words at the beginning of a sentence only say what follows: with a
    colon, or with a number, "**Act II** – The day after"; or are facts with dots or bars between
    them, as the line below a title has them."""
    written = [token.written for token in run]
    if any(sign in word for word in written for sign in _BETWEEN_FACTS):
        return True
    if run[0] is not sentence[0]:
        return False
    is_ended = len(run) == len(sentence) or written[-1].endswith(_ENDS_OF_LABEL)
    is_numbered = _NUMBERED.fullmatch(words.join_words(written)) is not None
    return (is_ended and is_numbered) or written[-1].endswith((":", "："))


def _says_something(run: Sequence[Token], language: str) -> bool:
    """Return whether emphasised words are more than one, and not only such as "only if"."""
    small = small_words.list_opening_words() | small_words.list_leaning_words()
    said = [strip_token(token) for token in run]
    return len(run) > 1 and any(
        word.casefold() not in small and not find_indispensable([word], language) for word in said
    )


def _prefer_emphasis(
    phrases: list[_Phrase], sentences: Sequence[list[Token]], language: str
) -> list[_Phrase]:
    """Return those of ``phrases`` that have emphasised words in them; else the emphasised words
    beside which a "not" stands that says nothing of them; else any, unless they are several terms,
    or one beside ``phrases``; else all of ``phrases``.
    """
    runs = [
        (number, run)
        for number, sentence in enumerate(sentences)
        for run in _find_emphasised_runs(sentence)
        if len(run) < len(sentence)
        and not _is_label(run, sentence)
        and not _has_only_addresses(run)
    ]
    texts = [(number, run, _trim_phrase(run, language)) for number, run in runs]
    within = [
        phrase
        for phrase in phrases
        if any(phrase.sentence == number and text in phrase.text for number, _, text in texts)
    ]
    alone = [
        _Phrase(text, 1.0, number)
        for number, run, text in texts
        if re.search(r"[^\W_]{3}", text)
        and not find_indispensable([strip_token(token) for token in run], language)
        if words.measure_display_length(text) <= LONGEST
        and _keeps_nots(run, sentences[number], language)
    ]
    beside = [
        _Phrase(text, 1.0, number)
        for number, run, text in texts
        if words.measure_display_length(text) <= _LONGEST_EMPHASIS
        and _stands_beside_nots(run, sentences[number], language)
    ]
    named = [phrase for phrase in alone if not phrase.text[:1].islower()]
    return within or beside or named or phrases or alone[: len(alone) == 1]


def _find_emphasised_runs(sentence: Sequence[Token]) -> list[list[Token]]:
    """Return the runs of emphasised words."""
    return [
        list(run)
        for stressed, run in groupby(sentence, key=lambda token: token.stressed)
        if stressed
    ]


def _keeps_nots(run: Sequence[Token], sentence: Sequence[Token], language: str) -> bool:
    """Return whether no "not" of ``sentence`` is about ``run`` without being in it, and none of
    ``run`` is about words after it: "**Do not wear** gloves"."""
    last = next(at for at, token in enumerate(sentence) if token is run[-1])
    if any(is_negation(strip_token(token), language) for token in run):
        return not _denies_what_follows(run, sentence[last + 1 :], language)
    only_after = read_words(language, Grammar).negates_after
    words_ = [strip_token(token).lower() for token in sentence]
    return not any(
        is_negation(word, language) and not (at > last and word in only_after)
        for at, word in enumerate(words_)
    )


def _denies_what_follows(run: Sequence[Token], following: Sequence[Token], language: str) -> bool:
    """Return whether what emphasised words deny comes after them, in the same clause: one
    word after their last "not", which no preposition or "because" follows."""
    if not following or run[-1].written.endswith(tuple(_PAUSES)):
        return False
    at = max(at for at, token in enumerate(run) if is_negation(strip_token(token), language))
    grammar, first = read_words(language, Grammar), strip_token(following[0]).casefold()
    goes_on = {*grammar.prepositions, *grammar.opens, *grammar.joins}
    return len(run) - at <= _DENIED and bool(first) and first not in goes_on


def _stands_beside_nots(run: Sequence[Token], sentence: Sequence[Token], language: str) -> bool:
    """Return whether each "not" of ``sentence`` is in another part of it, and says nothing of what
    is emphasised there."""
    if not _says_something(run, language):
        return False
    at = next(at for at, token in enumerate(sentence) if token is run[0])
    is_negated = any(is_negation(strip_token(token), language) for token in run)
    if is_negated and _denies_what_follows(run, sentence[at + len(run) :], language):
        return False
    return clauses.keeps_nots([token.written for token in sentence], at, len(run), language)


def _list_clauses(
    sentence: list[Token],
    number: int,
    count: int,
    language: str,
    before: Sequence[Token],
    after: Sequence[Token],
) -> Iterator[_Phrase]:
    """Yield the whole of a sentence and its clauses, as far as they may be shown.

    ``number``: of the ``count`` sentences. ``before``: the last words before the first of them.
    ``after``: the first words after the last of them.
    """
    length, last = len(words.join_words(token.written for token in sentence)), len(sentence) - 1
    begun = bool(before) and not before[-1].ends
    # After a greeting, nothing was said before.
    opening = clauses.find_opening([token.written for token in sentence], language)
    candidates: list[_Phrase] = []
    for first, end in clauses.split_clauses(
        [token.written for token in sentence], language, is_whole=sentence[-1].ends
    ):
        tokens = sentence[first : end + 1]
        text = _trim_phrase(tokens, language)
        is_torn = (first == 0 and (begun or _begins_mid_sentence(text))) or (
            end == last and not sentence[-1].ends
        )
        if (
            not text
            or is_torn
            or words.measure_display_length(text) > _LONGEST_MAIN
            or (len(tokens) < 2 <= count)
        ):
            continue
        is_later = bool(number or before) or first > opening
        if _is_unfinished(text, language):
            continue
        if is_later and leaning.leans_on_before(text, language):
            continue
        if (
            not _is_address(sentence[first : end + _REST_OF_ADDRESS], language)
            and not _is_name(text, language)
            and not clauses.is_list(text, language)
        ):
            is_whole = (first == 0 and end == last) or text[:1] in f"»{_OPENERS}"
            candidates.append(_Phrase(text, len(text) / length, number, is_whole))
    least = _LONG_SENTENCE if sentence[-1].ends else _LONG_PART
    if not candidates and len(sentence) >= least and not (number or begun):
        following = () if sentence[-1].ends else after[:_AFTER]
        candidates = [
            phrase
            for phrase in _list_cores(sentence, following, language)
            if not (before and leaning.leans_on_before(phrase.text, language))
        ]
    yield from [phrase for phrase in candidates if not _is_long(phrase)] or candidates


def _is_unfinished(text: str, language: str) -> bool:
    """Return whether ``text`` is few words of which the verb is left out: "We will never"."""
    unfinished = read_words(language, Grammar).unfinished
    is_found = unfinished is not None and unfinished.search(text) is not None
    return is_found and _count_words(text) <= _SHORT + 1


def _list_cores(
    sentence: list[Token], following: Sequence[Token], language: str
) -> Iterator[_Phrase]:
    """Yield the longest beginning of a long sentence that has no clause which could stand for it,
    but says by itself what it says, if there is one. ``following``: how it goes on in the next
    scene."""
    written = [token.written for token in sentence]
    after = [token.written for token in following]
    for longest in (_LONGEST_EMPHASIS, _LONGEST_CORE):
        for first, end in clauses.find_cores(written, language, longest, after):
            text = _trim_phrase(sentence[first : end + 1], language)
            is_beside = not text or _begins_mid_sentence(text) or _is_name(text, language)
            if not (is_beside or clauses.is_list(text, language)):
                share = len(text) / len(words.join_words(written))
                yield _Phrase(text, share, 0, is_core=True)
                return


def _is_long(phrase: _Phrase) -> bool:
    return words.measure_display_length(phrase.text) > LONGEST


def _has_verb(text: str, language: str) -> bool:
    verb = read_words(language, Grammar).verb
    return verb is not None and verb.search(text) is not None


def _remove_remarks(phrases: list[_Phrase], subject: str, language: str) -> list[_Phrase]:
    """Return ``phrases`` without what a person with a title does in a later sentence ("Mr Lee will
    ask again"), unless the ``subject`` names that person.
    """
    return [
        each
        for each in phrases
        if not each.sentence or not _is_of_a_person(each.text, subject, language)
    ]


def _remove_asides(
    phrases: list[_Phrase], sentences: Sequence[list[Token]], language: str
) -> list[_Phrase]:
    """Return ``phrases`` without what is said beside the first sentence, if that is the scene's
    main one but has no short phrase: its long ones, or else whole sentences. Only in languages
    whose clauses are known; elsewhere, those that are short.
    """
    short = [phrase for phrase in phrases if phrase.is_core or not _is_long(phrase)]
    if read_words(language, Grammar).verb is None or any(phrase.sentence == 0 for phrase in short):
        return short
    is_beside = bool(sentences) and _is_introduction(sentences[0], language)
    main = 1 if is_beside and not any(phrase.sentence == 0 for phrase in phrases) else 0
    long = [phrase for phrase in phrases if phrase.sentence == main]
    whole = [each for each in phrases if each.is_whole and _count_words(each.text) >= _SHORT]
    may_stand = read_words(language, Grammar).leans is not None  # else what leans is not known
    if main and (short or not may_stand):
        return short
    return long or (whole if may_stand else [])


def _count_words(text: str) -> int:
    return sum(any(map(str.isalnum, piece)) for piece in text.split())


def _is_introduction(sentence: Sequence[Token], language: str) -> bool:
    """Return whether a scene's first sentence only leads to what it says: an address, a list,
    a quotation or few words.
    """
    text = _join_words(sentence)
    is_list = (
        clauses.is_list(text, language)
        or _is_name(text, language)
        or _lists_people(sentence, language)
    )
    is_beside = _is_address(sentence, language) or is_list or len(sentence) <= _SHORT
    return is_beside or text[:1] in _OPENERS or text.endswith("?")


def _is_of_a_person(text: str, subject: str, language: str) -> bool:
    """Return whether ``text`` begins with a title and a name that is not in ``subject``."""
    said = [word.strip(_OPENERS + _CLOSERS + ",;") for word in re.split("[ \u00a0’']", text)]
    titles = [at for at, word in enumerate(said[:_BEFORE_A_NAME]) if _is_title(word, language)]
    name = next((word for word in said[titles[-1] + 1 :] if word), "") if titles else ""
    return name[:1].isupper() and name.casefold() not in subject.casefold()


def _remove_particulars(
    phrases: list[_Phrase], sentences: Sequence[list[Token]], language: str
) -> list[_Phrase]:
    """Return those of ``phrases`` that are no list of those present and no further name beside one
    ("Apologies from Mr Lee"), and beside an address no few words without a verb ("Bus 12, stop
    Museum" is no more than the address is).
    """
    lists = {at for at, sentence in enumerate(sentences) if _lists_people(sentence, language)}
    if lists:
        return [
            phrase
            for phrase in phrases
            if phrase.sentence not in lists and not _names_somebody(phrase.text, language)
        ]
    if any(_is_address(sentence, language) for sentence in sentences):
        return [
            each
            for each in phrases
            if len(each.text.split()) > _SHORT or _has_verb(each.text, language)
        ]
    return phrases


def _lists_people(sentence: Sequence[Token], language: str) -> bool:
    """Return whether a sentence lists who was there: "Present: A. Khan, Mrs Lee"."""
    text = _join_words(sentence)
    attends = read_words(language, Grammar).attends
    says_who = attends is not None and attends.search(text) is not None
    if says_who and (_names_somebody(text, language) or _lists_full_names(text)):
        return True
    _, colon, names = text.partition(":")
    return (
        bool(colon)
        and clauses.is_list(text, language)
        and _is_name(names, language)
        and _names_somebody(names, language)
    )


def _lists_full_names(text: str) -> bool:
    """Return whether ``text``, which says who was there, has several first and last names; in
    scripts without capitals, several of anything between commas.
    """
    if not any(letter.isupper() for letter in text):
        return len(_BETWEEN_NAMES.split(text)) >= _SEVERAL
    names, run = 0, 0  # and the capitals in a row
    for word in text.split():
        run = run + 1 if word[:1].isupper() else 0
        names += run == _FULL_NAME
        run = 0 if _BETWEEN_NAMES.search(word) else run
    return names >= _FULL_NAMES


def _names_somebody(text: str, language: str) -> bool:
    """Return whether ``text`` names a person with a title or an initial: Dr Lee, A. Khan."""
    said = [word.strip(_OPENERS + _CLOSERS + ",;") for word in text.split()]
    return any(_is_title(word, language) for word in said[:-1])


def _is_title(word: str, language: str) -> bool:
    """Return whether ``word`` stands before a name: a title, short or in full, or an initial."""
    is_known = (
        abbreviations.is_title(word, language)
        or word.lower() in read_words(language, Grammar).titles
        or abbreviations.is_given_name(word, "X", language)
    )
    return is_known or re.fullmatch(r"[^\W\d_]\.", word) is not None


def _begins_mid_sentence(text: str) -> bool:
    """Return whether ``text`` begins in the middle of a sentence;
    "iPhone" and "setup.py" may begin one.
    """
    word = text.partition(" ")[0].strip(_STOPS + _OPENERS + _CLOSERS)
    return word.isalpha() and word.islower()


def _is_address(tokens: Sequence[Token], language: str) -> bool:
    """Return whether ``tokens`` have a web or mail address, the address of a place,
    or a telephone number in them.
    """
    house = read_words(language, Grammar).house
    for token in tokens:
        word = token.written.strip(addresses.AROUND)
        host = addresses.find_host_or_mail(word)
        if addresses.begins_address(token.written) or (
            host is not None and ("@" in word or "/" in word or host.islower())
        ):
            return True
    whole = words.join_words(token.written for token in tokens).replace("\u00a0", " ")
    if (house is not None and house.search(whole)) or _NINE_DIGITS.search(whole):
        return True
    text = _GROUPS.sub("", _DATE.sub("", whole))
    return bool(_POSTAL.search(text) or _CALL.search(text))


def _has_only_addresses(run: Sequence[Token]) -> bool:
    """Return whether emphasised words are web or mail addresses, and small words beside them."""
    said = _join_words(run).split()  # a long address is several tokens
    found = [
        addresses.begins_address(piece)
        or addresses.find_host_or_mail(piece.strip(addresses.AROUND)) is not None
        for piece in said
    ]
    return any(found) and all(
        is_address or len(piece) <= _SHORT for is_address, piece in zip(found, said, strict=True)
    )


def _is_name(text: str, language: str) -> bool:
    """Return whether ``text`` has nothing but names, titles, dates and figures, as a list of those
    present has.

    Only in scripts with capitals: no word of such a text is small.
    """
    without_asides = re.sub(r"\([^)]*\)", "", text)
    said = [
        word
        for word in (piece.strip(_STOPS + _OPENERS + _CLOSERS) for piece in without_asides.split())
        if word
    ]
    small = [
        word
        for word in said
        if word[:1].islower() and len(word) > 1 and word not in merge_words(Everywhere).within_names
        if not abbreviations.is_title(word, language)
        and not abbreviations.is_day_or_month(word, language)
    ]
    has_case = any(letter.isupper() or letter.islower() for letter in text) or not any(
        map(str.isalpha, text)
    )
    return has_case and not small and len(said) > 1


def _shorten_addresses(text: str) -> str:
    """Return ``text`` with the hosts of web addresses in their place, which fit a picture."""
    return " ".join(map(addresses.shorten_to_host, text.split(" ")))


def _trim_phrase(tokens: Sequence[Token], language: str) -> str:
    """Return the words without the punctuation around them;
    empty if a bracket or a quotation mark has lost its partner.
    """
    text = words.join_words(token.written for token in tokens)
    text = text if len(text) <= LONGEST else _shorten_addresses(text)
    last = tokens[-1].written.rstrip(",;:")
    is_dotted = _DOTTED.search(last) or dates.ends_with_dotted_date(text, language)
    if last.endswith(".") and (not tokens[-1].ends or is_dotted):
        text = f"{text.rstrip(',;:')[:-1]}{_DOT}"  # of an abbreviation
    text = text.rstrip(".,;:…।۔،؛–—- \u00a0、。，；：|·•").lstrip("–—- \u00a0|·•")
    # A comma before a closing quotation mark was in front of who said it; in French, a dot and a
    # space are before the mark.
    text = re.sub('[,،](?=[\u202f\u00a0 ]?[”“»"]$)', "", text)
    text = re.sub("(?<![.…])[.](?=[\u202f\u00a0 ]»$)", "", text)
    for opener, closer in ("「」", "『』", "（）", "()", "[]", "{}", "«»", "“”"):
        if opener == "“" and "„" in text:
            continue
        if opener in "([{（" and text.count(opener) != text.count(closer):
            text = text.strip(opener + closer)
        if text.count(opener) != text.count(closer):
            return ""
    if text[:1] == "(" and text[-1:] == ")" and text.count("(") == 1:
        text = text[1:-1]
    text = text.replace(_DOT, ".")
    return (
        ""
        if text.count('"') % 2 or text.count("„") > text.count("“") + text.count("”")
        else text.strip()
    )
