"""Framings: how a composed scene is shown anew while it is spoken, so that no picture stays for
long.

A prose scene becomes parts of some seconds: its heading or its clause beside its pictures, the
pictures alone, a figure, the words being said in large type. In large type words enter as they are
said, and no caption repeats them.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from svc.media.model import Scene
from svc.media.review.scene_prose import words_of_heading
from svc.media.script.grammar import small_words
from svc.media.text import tokens
from svc.media.text.amounts import parse_amount

HEADING, CLAUSE, TYPE, PICTURES, FIGURE = "heading", "clause", "type", "pictures", "figure"
# characters of a part: some four seconds; of what has no part of its own: one second
_LONGEST, _SHORTEST = 72, 16
_STOPS, _COMMAS = (
    (".", "!", "?", "…", "।", "؟", "。", "！", "？", ":"),
    (",", ";", "،", "、", "，", "；", "–", "—"),
)
# costs: of a part, of the end of a sentence within it, of one that says nothing
_PART, _RUN_ON, _FRAGMENT = 0.2, 1.0, 3.0
# costs of where a part ends
_AFTER_COMMA, _AFTER_PHRASE, _WITHIN_PHRASE, _AFTER_LEADING = 0.1, 0.6, 0.8, 1.2
# more: before the rest of a date, within brackets, and before them
_BEFORE_FIGURE, _BRACKETED, _BEFORE_BRACKET = 0.4, 1.0, 0.3
# letters of a word that belongs to the next one; of one with which a phrase begins
_SMALL, _SHORT_PREPOSITION = 3, 2
_MANY = 6  # words, which say something even if each is small: "or they do not do it at all"
_LONGEST_FIGURE = 10  # characters
_SPAN = 3  # words between the two figures of a span: "from 9h in the morning to 17h"
_LEAST_ALONE = 100  # from which on a figure says something without what it counts
_LONGEST_SCALED = 22  # characters of a figure with its scale: "4.25 thousand million"
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
# what a visual shows that is said from its beginning to its end
_SAID = {"quote": "text", "alert": "text", "number": "note"}
_AROUND = " .,;:!?…()[]“”„\"'«»"
_SECTION = "§"  # a number after it, as after "Nr.", is the name of something, and counts nothing
_HANGING = " \u00a0–—-·•|"  # what joins a part to the next one, and is not shown at its end
_UNITS = "%‰°"
_DASHES = ("–", "—")
_SCHEME = re.compile(r"^https?://(?:www\.)?|(?<=[^/])/$")
_KEYCAP = "\u20e3"  # a number in a box, with which a point begins
_SPACES = "[ \u00a0\u202f]"
_SEPARATORS = str.maketrans("", "", ".,'\u00a0\u202f")  # within a number


@dataclass(frozen=True)
class Framing:
    """What a scene shows from its word ``first`` on.

    ``text``: in large type. ``words``: those of the scene that enter in it as they are said.
    ``main``: the number of the picture that stands in the middle.
    """

    kind: str
    first: int
    text: str = ""
    words: range = range(0)
    main: int = 0


@lru_cache(maxsize=512)
def framings_of(scene: Scene) -> tuple[Framing, ...]:
    """Return the framings of a prose scene, in order, the first from its first word on;
    none for other scenes.
    """
    if scene.layout != "prose" or scene.points or scene.sight.kind or not scene.words:
        return ()
    phrase, end = scene.key_phrase, len(scene.words)
    clause = (
        words_that_say(scene, phrase)
        if phrase and _letters(phrase) != _letters(scene.heading)
        else range(0)
    )
    first = clause.start if _length(scene, range(clause.start)) >= _SHORTEST else 0
    last = clause.stop if _length(scene, range(clause.stop, end)) >= _SHORTEST else end
    if not phrase:  # all of its text is shown
        return tuple(
            Framing(TYPE, part.start, _text(scene, part), part)
            for part in _parts(scene, range(end))
        )
    if not clause:
        return _make_framings(scene, _parts(scene, range(end)), clause)
    return _make_framings(
        scene,
        [*_parts(scene, range(first)), range(first, last), *_parts(scene, range(last, end))],
        clause,
    )


def is_without_captions(scene: Scene, framing: Framing) -> bool:
    """Return whether no caption is shown in one of :func:`framings_of`: all that is said in it
    enters in large type, or is the heading.
    """
    spoken = range(framing.first, end_of(scene, framing))
    return words_without_captions(scene) >= set(spoken)


def end_of(scene: Scene, framing: Framing) -> int:
    """Return the word before which one of :func:`framings_of` ends."""
    following = (each.first for each in framings_of(scene) if each.first > framing.first)
    return next(following, len(scene.words))


def pictures_until(scene: Scene, end: int) -> list[str]:
    """Return the names of the scene's pictures, each once, that are spoken of before the word
    ``end``: a picture does not come before what asks for it.
    """
    names = (scene.illustration, *scene.companions)
    firsts = dict(zip(names, scene.pictured, strict=False))
    return [name for name in dict.fromkeys(names) if name and firsts.get(name, 0) < end]


def words_in_type(scene: Scene) -> frozenset[int]:
    """Return the words of a composed scene that enter in large type as they are said."""
    framed = (word for framing in framings_of(scene) for word in framing.words)
    return frozenset(framed) | frozenset(words_of_one_text(scene))


def words_without_captions(scene: Scene) -> frozenset[int]:
    """Return the words of a composed scene that no caption repeats: those that enter in large type,
    and its heading, if it stands above them or is all that its framing shows; with a quotation, an
    alert or a figure all, if they say nothing else.

    The caption of a heading alone would be gone after a second, and leave its place bare.
    """
    framed, heading = framings_of(scene), range(words_of_heading(scene))
    if text := words_of_one_text(scene):
        label = scene.sight.text if scene.sight.kind == "number" else scene.sight.note
        shown = {*text, *heading, *(words_that_say(scene, label) if label else ())}
        others = (word for at, word in enumerate(scene.words) if at not in shown)
        is_all = not any(map(_letters, others))
        return frozenset(range(len(scene.words)) if is_all else text)
    alone = framed and (framed[0].words.start or end_of(scene, framed[0])) == len(heading)
    return words_in_type(scene) | frozenset(heading if alone else ())


def words_of_one_text(scene: Scene) -> range:
    """Return the words of the quotation, the alert or the explanation of a figure that ``scene``
    shows; none in others.
    """
    return (
        words_that_say(scene, getattr(scene.sight, _SAID[scene.sight.kind]))
        if scene.sight.kind in _SAID
        else range(0)
    )


def words_of_figure(scene: Scene) -> range:
    """Return the words that say the figure of ``scene``; none: it has none,
    or not as it is written.
    """
    return words_that_say(scene, scene.sight.text) if scene.sight.kind == "number" else range(0)


def words_that_say(scene: Scene, text: str) -> range:
    """Return the words of ``scene`` that say ``text``; none if it is not said as it is written."""
    wanted, starts, spoken = _letters(text), [], ""
    for word in scene.words:
        starts.append(len(spoken))
        spoken += _letters(word)
    ends = [*starts[1:], len(spoken)]
    for first, start in enumerate(starts):
        if (
            wanted
            and start < ends[first]
            and spoken.startswith(wanted, start)
            and start + len(wanted) in ends[first:]
        ):
            return range(first, ends.index(start + len(wanted), first) + 1)
    return range(0)


def match_pieces_to_words(pieces: Sequence[str], scene: Scene, words: range) -> list[int]:
    """Return by which of ``words`` each piece of a text is said that is set in
    ``pieces``, in order.
    """
    ends, total = [], 0
    for word in words:
        total += len(_letters(_shorten_address(scene.words[word])))
        ends.append((total, word))
    result, at = [], 0
    for piece in pieces:
        at += len(_letters(piece))
        result.append(next((word for end, word in ends if at <= end), words[-1]))
    return result


def _make_framings(scene: Scene, parts: list[range], clause: range) -> tuple[Framing, ...]:
    """Return a framing for each of ``parts``, of which no two that follow each other look alike."""
    pictures, has_figure = pictures_until(scene, len(scene.words)), False
    shown: set[str] = set()  # those that have been the main one
    framings: list[Framing] = []
    for part in parts:
        before = framings[-1].kind if framings else ""
        known = pictures_until(scene, part.stop)
        fresh = [picture for picture in known if picture not in shown]
        number = "" if has_figure or not framings else _figure(scene, part)
        if clause and part.start <= clause.start < part.stop:
            framing = Framing(CLAUSE, part.start, scene.key_phrase, clause)
            shown.update(known[:1])
        elif not framings and (opening := _opening(scene, part, bool(clause), bool(known))):
            framing = opening
            shown.update(known[:1])
        elif number:
            framing, has_figure = Framing(FIGURE, part.start, number), True
        elif fresh and before != PICTURES:
            framing = Framing(PICTURES, part.start, scene.heading, main=pictures.index(fresh[0]))
            shown.add(fresh[0])
        else:
            framing = Framing(TYPE, part.start, _text(scene, part), part)
        framings.append(framing)
    return tuple(framings)


def _opening(scene: Scene, part: range, has_clause: bool, has_pictures: bool) -> Framing | None:
    """Return how a scene begins that does not begin with its clause: with its pictures, or with its
    heading or phrase, if ``part`` says it. None: what an earlier scene has said is not shown again
    in large type in place of what is said."""
    text = scene.heading if has_clause else scene.key_phrase
    if has_clause and has_pictures and text:
        return Framing(PICTURES, part.start, text)
    is_own = _letters(text) != _letters(scene.heading)  # a reviewer's, in words of their own
    is_said = set(words_that_say(scene, text)) & set(part)
    return Framing(HEADING, part.start, text) if is_said or is_own else None


def _parts(scene: Scene, words: range) -> list[range]:
    """Return ``words`` in as few and even parts as their length allows,
    which end at the ends of sentences and phrases.
    """
    count = len(words)
    costs, starts = [0.0, *[float("inf")] * count], [0] * (count + 1)
    for first in range(count):
        torn = 0.0
        for last in range(first, count):
            part = range(words[first], words[last] + 1)
            length = _length(scene, part)
            if length > _LONGEST and last > first:
                break
            short = max(0.0, 1 - length / (2 * _SHORTEST)) + (
                0.0 if _says_something(scene, part) else _FRAGMENT
            )
            cost = (
                costs[first]
                + _PART
                + torn
                + short
                + (_cost_of_end(scene, words[last]) if last + 1 < count else 0.0)
            )
            if cost < costs[last + 1]:
                costs[last + 1], starts[last + 1] = cost, first
            torn += _RUN_ON * (words[last] in scene.sentence_ends)
    parts: list[range] = []
    while count:
        parts.insert(0, range(words[starts[count]], words[count - 1] + 1))
        count = starts[count]
    return parts


def _cost_of_end(scene: Scene, word: int) -> float:
    """Return what it costs to end a part after ``word``."""
    text, following = scene.words[word], scene.words[word + 1]
    if word in scene.sentence_ends:
        return 0.0
    more = _BRACKETED * _is_in_brackets(scene, word) + _BEFORE_BRACKET * following.startswith("(")
    if text.endswith(_STOPS):  # an abbreviation belongs to the next word: "Nr. 2"
        return _AFTER_LEADING if text.endswith(".") else more
    if text.endswith(_COMMAS):
        is_date = text[-1] == "," and following[0].isdecimal()  # Monday, 7 December, 10 pm
        return _AFTER_COMMA + more + _BEFORE_FIGURE * is_date
    if tokens.is_glued(following):
        return 2 * _AFTER_LEADING
    if _leads_on(text) or text.isdecimal():
        return _AFTER_LEADING + more
    return more + (_AFTER_PHRASE if _opens_phrase(following) else _WITHIN_PHRASE)


def _is_in_brackets(scene: Scene, word: int) -> bool:
    """Return whether brackets are open after ``word`` that its sentence closes."""
    starts = [end + 1 for end in scene.sentence_ends if end < word]
    text = " ".join(scene.words[max(starts, default=0) : word + 1])
    return text.count("(") > text.count(")")


def _opens_phrase(word: str) -> bool:
    """Return whether a phrase begins with ``word``, as with most conjunctions and prepositions:
    phrases end before such words (M. Liberman and K. Church, "Text Analysis and Word
    Pronunciation", 1992)."""
    letters = word.strip(_AROUND).casefold()
    is_short = (
        len(letters) == _SHORT_PREPOSITION
        and letters.isalpha()
        and letters not in small_words.leaning_words()
    )
    return is_short or letters in small_words.opening_words()


def _leads_on(word: str) -> bool:
    """Return whether ``word`` belongs to the next one, as articles,
    prepositions and conjunctions do.
    """
    letters = word.strip(_AROUND).casefold()
    is_short = len(letters) <= _SMALL and letters.isalpha() and not tokens.wide_signs(letters)
    return (
        is_short or letters in small_words.opening_words() or letters in small_words.leaning_words()
    )


def _says_something(scene: Scene, part: range) -> bool:
    """Return whether ``part`` is more than words that lead to others: a sentence, two other words,
    or many.
    """
    ends = part[-1] in scene.sentence_ends and (
        part.start == 0 or part.start - 1 in scene.sentence_ends
    )
    return (
        ends
        or len(part) >= _MANY
        or sum(not _leads_on(scene.words[word]) for word in part) > 1
        or any(tokens.wide_signs(scene.words[word]) for word in part)
    )


def _figure(scene: Scene, part: range) -> str:
    """Return the figure in ``part`` that is worth to be shown, with its unit; empty: none.

    A year is none, nor a day of a month, nor a number that names something, as in
    "§ 543 Abs. 2", nor one of
    a span, as in "9h to 17h", nor a small number that counts what is not shown with it, as in
    "11 in favour".
    """
    for word in part:
        text = scene.words[word].strip(_AROUND).rstrip(_HANGING)
        if (
            len(text) > (_LONGEST_SCALED if _is_scaled(text) else _LONGEST_FIGURE)
            or _YEAR.fullmatch(text)
            or parse_amount(text) is None
            or text in "0123456789"
            or _KEYCAP in text
            or _names_something(scene, word)
            or _is_day(scene, word)
        ):
            continue
        unit = _unit_after(scene, word, part)
        if _is_of_a_span(scene, word, unit) or _is_an_end(scene, word, unit):
            continue
        is_bare = not unit and text.translate(_SEPARATORS).isdecimal()
        if is_bare and (parse_amount(text) or 0) < _LEAST_ALONE:
            continue
        return f"{text}\u00a0{unit}" if unit else text
    return ""


def _names_something(scene: Scene, word: int) -> bool:
    """Return whether the number ``word`` is the name of something: after a section sign or an
    abbreviation ("Nr. 5"), or before one ("543 Abs. 2")."""
    before = scene.words[word - 1] if word else ""
    after = scene.words[word + 1] if word + 1 < len(scene.words) else ""
    return (
        _SECTION in (*before, *scene.words[word])
        or (before.endswith(".") and word - 1 not in scene.sentence_ends)
        or (
            after.endswith(".")
            and word + 1 not in scene.sentence_ends
            and any(map(str.isalpha, after))
        )
    )


def _is_day(scene: Scene, word: int) -> bool:
    """Return whether the number ``word`` is the day of a month: "31 January", "March 3"."""
    beside = (*scene.words[max(0, word - 1) : word], *scene.words[word + 1 : word + 2])
    months = small_words.month_words()
    return any(each.strip(_AROUND).casefold() in months for each in beside)


def _unit_after(scene: Scene, word: int, part: range) -> str:
    """Return the unit after the figure ``word``: a sign such as "%", or the word that it counts, if
    a phrase ends there; empty if there is none."""
    written, text = scene.words[word], scene.words[word].strip(_AROUND)
    if word + 1 not in part or written[-1:] != text[-1:]:
        return ""
    following = scene.words[word + 1]
    unit = following.strip(_AROUND)
    if unit and all(sign in _UNITS or unicodedata.category(sign) == "Sc" for sign in unit):
        return unit
    if unit.casefold() in small_words.scale_words():
        return unit
    counts = (
        text.translate(_SEPARATORS).isdecimal()
        and len(unit) <= _LONGEST_FIGURE
        and all(unicodedata.category(letter)[0] in "LM" for letter in unit)
        and not _leads_on(following)
        and (
            word + 2 not in part
            or following.endswith((*_STOPS, *_COMMAS, ")"))
            or _opens_phrase(scene.words[word + 2])
            or _leads_on(scene.words[word + 2])
        )
    )
    return unit if counts else ""


def _is_of_a_span(scene: Scene, word: int, unit: str) -> bool:
    """Return whether another figure with the same unit stands within three words."""
    texts = [written.strip(_AROUND) for written in scene.words]
    own = texts[word].lstrip("0123456789.,: \u00a0\u202f")  # a unit without a space: "9h"
    near = {*range(max(0, word - _SPAN), min(word + _SPAN + 1, len(texts)))} - {word}
    return any(
        texts[at][:1].isdigit()
        and bool((own and texts[at].endswith(own)) or (unit and unit in texts[at + 1 : at + 2]))
        for at in near
    )


def _is_an_end(scene: Scene, word: int, unit: str) -> bool:
    """Return whether the figure ``word`` is one end of a range in words, whose other end may have
    its unit: "from 10 am to 5 pm", "8 a 20 h"."""
    texts = [written.strip(_AROUND).casefold() for written in scene.words]
    after = word + (2 if unit and texts[word + 1 : word + 2] == [unit.casefold()] else 1)
    if texts[after - 1].endswith(_DASHES):  # which is shown with the word before it
        return _begins_figure(texts[after : after + 1])
    begins = _joins_range(texts, after) and _begins_figure(texts[after + 1 :][:1])
    ends = _joins_range(texts, word - 1) and _begins_figure(texts[max(0, word - _SPAN) : word - 1])
    return begins or ends


def _begins_figure(texts: Sequence[str]) -> bool:
    """Return whether one of ``texts`` is a figure, with or without a currency before it."""
    return any(text[:1].isdigit() or parse_amount(text) is not None for text in texts)


def _joins_range(texts: Sequence[str], word: int) -> bool:
    """Return whether ``word`` stands between the ends of a range: "to", or a dash."""
    is_within = 0 < word < len(texts) - 1
    return is_within and (texts[word] in small_words.span_words() or texts[word] in _DASHES)


def _is_scaled(text: str) -> bool:
    """Return whether the word for a scale ends ``text``, as in "1.4 million"."""
    return re.split(_SPACES, text)[-1].casefold() in small_words.scale_words()


def _text(scene: Scene, part: range) -> str:
    """Return ``part`` as it is set in large type, without a dash or a dot at its end."""
    text = tokens.join_words(
        tokens.make_drawable(_shorten_address(scene.words[word])) for word in part
    )
    return text.rstrip(_HANGING) or text


def _shorten_address(word: str) -> str:
    """Return a word as it is set in large type: an address without its scheme."""
    return _SCHEME.sub("", word) or word


def _length(scene: Scene, part: range) -> int:
    """Return the characters of ``part``, a wide sign, which takes as long to say, as three."""
    return sum(
        len(scene.words[word]) + 1 + 2 * tokens.wide_signs(scene.words[word]) for word in part
    )


def _letters(text: str) -> str:
    """Return the letters and figures of ``text``, by which a text is known however it is set."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())
