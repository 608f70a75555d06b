"""Framings: how a composed scene is shown anew while it is spoken, so that no picture stays for
long.

A prose scene becomes parts of some seconds: its heading or its clause beside its pictures, the
pictures alone, a figure, the words being said in large type. In large type words enter as they are
said, and no caption repeats them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from svc.media.artwork.moments import is_moment
from svc.media.model import Scene
from svc.media.slides import key_figures, sentence_parts
from svc.media.text import addresses, tokens
from svc.media.text.scene_prose import count_heading_words

HEADING, CLAUSE, TYPE, PICTURES, FIGURE = "heading", "clause", "type", "pictures", "figure"
_HANGING = " \u00a0–—-·•|"  # what joins a part to the next one, and is not shown at its end
_NO_BREAK = "\u00a0"
_PAUSES = ",;:،；，"  # what ends a clause, and is not shown at its end


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
def list_framings(scene: Scene) -> tuple[Framing, ...]:
    """Return the framings of a prose scene, in order, the first from its first word on;
    none for other scenes.
    """
    if scene.layout != "prose" or scene.points or scene.sight.kind or not scene.words:
        return ()
    phrase = scene.key_phrase
    clause = (
        find_words_that_say(scene, phrase)
        if phrase and _keep_letters(phrase) != _keep_letters(scene.heading)
        else range(0)
    )
    parts = sentence_parts.split_words(scene, clause)
    if not phrase:  # all of its text is shown
        return tuple(Framing(TYPE, part.start, _join_part(scene, part), part) for part in parts)
    return _make_framings(scene, parts, clause)


def count_texts_alone(scenes: Sequence[Scene]) -> list[int]:
    """Return for each of ``scenes`` how many framings of nothing but large type go before it."""
    counts = (sum(each.kind == TYPE for each in list_framings(scene)) for scene in scenes)
    return list(accumulate(counts, initial=0))[:-1]


def is_without_captions(scene: Scene, framing: Framing) -> bool:
    """Return whether no caption is shown in one of :func:`list_framings`: all that is said in it
    enters in large type, or is the heading.
    """
    spoken = range(framing.first, find_framing_end(scene, framing))
    return find_words_without_captions(scene) >= set(spoken)


def find_framing_end(scene: Scene, framing: Framing) -> int:
    """Return the word before which one of :func:`list_framings` ends."""
    following = (each.first for each in list_framings(scene) if each.first > framing.first)
    return next(following, len(scene.words))


def begins_anew(scene: Scene, framing: Framing) -> bool:
    """Return whether one of :func:`list_framings` shows a clause from its own beginning or that of
    a sentence, and so with a capital; not "by Ana and Li; it is called so"."""
    first = framing.words.start
    begins = first in (0, find_words_that_say(scene, scene.key_phrase).start)
    return framing.kind == CLAUSE and (begins or first - 1 in scene.sentence_ends)


def list_pictures_between(scene: Scene, start: int, end: int) -> list[str]:
    """Return the names of the scene's pictures, each once, that may be shown from the word
    ``start`` to before ``end``: those that are spoken of before that, as a picture does not come
    before what asks for it, and of a moment only until its sentence ends.
    """
    names = (scene.illustration, *scene.companions)
    firsts = dict(zip(names, scene.pictured, strict=False))
    return [
        name
        for name in dict.fromkeys(names)
        if name
        and firsts.get(name, 0) < end
        and not (is_moment(name) and _find_sentence_end(scene, firsts.get(name, 0)) < start)
    ]


def find_picture_of_phrase(scene: Scene) -> str:
    """Return the scene's main picture, or of moments that of the sentence with the key phrase, as
    it is shown beside that in looks that do not compose their scenes; empty if there is none, or if
    it has nothing to do with the phrase.
    """
    if scene.illustration in scene.apart:
        return ""
    if not is_moment(scene.illustration):
        return scene.illustration
    phrase = find_words_that_say(scene, scene.key_phrase)
    names = list_pictures_between(scene, phrase.start, phrase.stop) if phrase else []
    return next(iter(names), "")


def _find_sentence_end(scene: Scene, word: int) -> int:
    """Return the last word of the sentence that ``word`` belongs to."""
    return next((end for end in scene.sentence_ends if end >= word), len(scene.words) - 1)


def list_pictures_of(scene: Scene, framing: Framing) -> list[str]:
    """Return the names of the pictures that one of :func:`list_framings` may show: those that are
    spoken of up to its end, but beside the scene's clause none that has nothing to do with it and
    was shown before, and beside an amount of money only those of its own sentence: a bus does not
    cost what a glass does in the sentence after it.
    """
    known = list_pictures_between(scene, framing.first, find_framing_end(scene, framing))
    if framing.kind == FIGURE and key_figures.is_money(framing.text):
        firsts = dict(zip((scene.illustration, *scene.companions), scene.pictured, strict=False))
        return [
            name
            for name in known
            if _find_sentence_end(scene, firsts.get(name, framing.first)) >= framing.first
        ]
    if framing.kind != CLAUSE:
        return known
    before = {
        name
        for each in list_framings(scene)
        if each.first < framing.first and each.kind in (PICTURES, HEADING, FIGURE)
        for name in list_pictures_between(scene, each.first, find_framing_end(scene, each))
    }
    return [name for name in known if name not in scene.apart or name not in before]


def find_words_in_type(scene: Scene) -> frozenset[int]:
    """Return the words of a composed scene that enter in large type as they are said."""
    framed = (word for framing in list_framings(scene) for word in framing.words)
    return frozenset(framed) | frozenset(find_words_of_one_text(scene))


def find_words_without_captions(scene: Scene) -> frozenset[int]:
    """Return the words of a composed scene that no caption repeats: those that enter in large type,
    and its heading, if it stands above them or is all that its framing shows; with a quotation, an
    alert or a figure all, if they say nothing else.

    The caption of a heading alone would be gone after a second, and leave its place bare.
    """
    framed, heading = list_framings(scene), range(count_heading_words(scene))
    if text := find_words_of_one_text(scene):
        sight = scene.sight
        label = sight.text if sight.traits.said_whole == "note" else sight.note
        shown = {*text, *heading, *(find_words_that_say(scene, label) if label else ())}
        others = (word for at, word in enumerate(scene.words) if at not in shown)
        is_all = not any(map(_keep_letters, others))
        return frozenset(range(len(scene.words)) if is_all else text)
    alone = framed and (framed[0].words.start or find_framing_end(scene, framed[0])) == len(heading)
    return find_words_in_type(scene) | frozenset(heading if alone else ())


def find_words_at_cuts(scene: Scene) -> frozenset[int]:
    """Return the words of a composed scene with which it is framed anew."""
    return frozenset(framing.first for framing in list_framings(scene)[1:])


def find_words_of_one_text(scene: Scene) -> range:
    """Return the words of the quotation, the alert or the explanation of a figure that ``scene``
    shows; none in others.
    """
    part = scene.sight.traits.said_whole
    return find_words_that_say(scene, getattr(scene.sight, part)) if part else range(0)


def find_words_of_figure(scene: Scene) -> range:
    """Return the words that say the figure of ``scene``; none: it has none,
    or not as it is written.
    """
    sight = scene.sight
    return find_words_that_say(scene, sight.text) if sight.traits.is_figure else range(0)


def find_words_that_say(scene: Scene, text: str) -> range:
    """Return the words of ``scene`` that say ``text``; none if it is not said as it is written."""
    letters, starts, spoken = _keep_letters(text), [], ""
    for word in scene.words:
        starts.append(len(spoken))
        spoken += _keep_letters(word)
    ends = [*starts[1:], len(spoken)]
    for first, start in enumerate(starts):
        if (
            letters
            and start < ends[first]
            and spoken.startswith(letters, start)
            and start + len(letters) in ends[first:]
        ):
            return range(first, ends.index(start + len(letters), first) + 1)
    return range(0)


def match_pieces_to_words(pieces: Sequence[str], scene: Scene, words: range) -> list[int]:
    """Return by which of ``words`` each piece of a text is said that is set in
    ``pieces``, in order.
    """
    ends, total = [], 0
    for word in words:
        total += len(_keep_letters(addresses.drop_scheme(scene.words[word])))
        ends.append((total, word))
    result, at = [], 0
    for piece in pieces:
        at += len(_keep_letters(piece))
        result.append(next((word for end, word in ends if at <= end), words[-1]))
    return result


def _make_framings(scene: Scene, parts: list[range], clause: range) -> tuple[Framing, ...]:
    """Return a framing for each of ``parts``, of which no two that follow each other look alike."""
    phrase = scene.key_phrase.replace(_NO_BREAK, " ")
    pictures, has_figure = list_pictures_between(scene, 0, len(scene.words)), False
    shown: set[str] = set()  # those that have been the main one
    framings: list[Framing] = []
    for part in parts:
        before = framings[-1].kind if framings else ""
        known = list_pictures_between(scene, part.start, part.stop)
        fresh = [picture for picture in known if picture not in shown]
        # A picture, or a figure, without the words that deny it would say that it is so.
        is_denied = any(word in part for word in scene.denials)
        no_figure = has_figure or not framings or scene.small_print or is_denied
        number = "" if no_figure else key_figures.find_figure(scene, part)
        if number and number.replace(_NO_BREAK, " ") in phrase:
            number = ""  # which the card says
        if clause and part.start <= clause.start < part.stop:
            shown_words = _find_sentence(scene, part, clause)
            text = scene.key_phrase if shown_words == clause else _join_part(scene, shown_words)
            framing = Framing(CLAUSE, part.start, text.strip().rstrip(_PAUSES), shown_words)
            shown.update(known[:1])
        elif not framings and (
            opening := _find_opening(scene, part, bool(clause), bool(known) and not is_denied)
        ):
            framing = opening
            shown.update(known[:1])
        elif scene.small_print:  # which stays in the captions' place
            said = range(max(part.start, count_heading_words(scene)), part.stop) or part
            main = pictures.index(fresh[0]) if fresh else 0
            framing = Framing(TYPE, part.start, _join_part(scene, said), said, main)
            shown.update(fresh[:1])
        elif number:
            framing, has_figure = Framing(FIGURE, part.start, number), True
        elif fresh and before != PICTURES and not is_denied:
            framing = Framing(PICTURES, part.start, scene.heading, main=pictures.index(fresh[0]))
            shown.add(fresh[0])
        else:
            framing = Framing(TYPE, part.start, _join_part(scene, part), part)
        framings.append(framing)
    return tuple(framings)


def _find_opening(
    scene: Scene, part: range, has_clause: bool, has_pictures: bool
) -> Framing | None:
    """Return how a scene begins that does not begin with its clause: with its pictures, or with its
    heading or phrase, if ``part`` says it. None: what an earlier scene has said is not shown again
    in large type in place of what is said."""
    text = scene.heading if has_clause else scene.key_phrase
    if has_clause and has_pictures and text and not scene.small_print:
        return Framing(PICTURES, part.start, text)
    is_own = _keep_letters(text) != _keep_letters(
        scene.heading
    )  # a reviewer's, in words of their own
    said = find_words_that_say(scene, text)
    # With small print, a heading that is said with more does not stand alone: that needs a caption.
    is_said = said == part if scene.small_print else bool(set(said) & set(part))
    return Framing(HEADING, part.start, text) if is_said or is_own else None


def _find_sentence(scene: Scene, part: range, clause: range) -> range:
    """Return the words of ``part`` that are of the same sentence as its ``clause``."""
    starts = (end + 1 for end in scene.sentence_ends if end < clause.start)
    stops = (end + 1 for end in scene.sentence_ends if end >= clause.stop - 1)
    return range(max((part.start, *starts)), min((part.stop, *stops)))


def _join_part(scene: Scene, part: range) -> str:
    """Return ``part`` as it is set in large type, without a dash or a dot at its end."""
    shown = []
    for word in part:  # an address may be several words, of which each but the last goes on
        goes_on = word + 1 in part and tokens.is_glued(scene.words[word + 1])
        shown.append(tokens.make_drawable(addresses.drop_scheme(scene.words[word], goes_on)))
    text = tokens.join_words(shown)
    return text.rstrip(_HANGING) or text


def _keep_letters(text: str) -> str:
    """Return the letters and figures of ``text``, by which a text is known however it is set."""
    return "".join(letter for letter in text.casefold() if letter.isalnum())
