"""Where what is said in a prose scene is parted, so that each part is shown for some seconds.

A part ends at the end of a sentence, at a comma or before a phrase, and never with a word that
belongs to the next one.
"""

from svc.media.model import Scene
from svc.media.text import tokens
from svc.media.text.grammar.phrase_ends import COMMAS, MANY_OF_CLAUSE, cost_of_end, leads
from svc.media.text.scene_prose import count_heading_words

SHORTEST = 16  # characters of what has no part of its own: one second
# The most characters of a part: of one that takes some four seconds, of any, and of one with a
# clause and what belongs to it.
_LONG, _LONGEST, _LONGEST_CLAUSE = 72, 80, 90
# The costs of a part, of the end of a sentence within it, of one that says nothing, of one that is
# long, and of each character more.
_PART, _RUN_ON, _FRAGMENT, _TOO_LONG, _CHARACTER = 0.2, 1.0, 3.0, 0.4, 0.04
_TORN_AFTER_SENTENCE = 0.6  # more, of a sentence before one that is not whole in its part
_AFTER_HEADING = 0.17  # more, of going on after the scene's heading
# The cost of what a part has before or after its clause, which would rather stand alone.
_BESIDE_CLAUSE = 0.5
_MANY = 6  # words, which say something even if each is small: "or they do not do it at all"


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
                    + _TORN_AFTER_SENTENCE
                    * (torn >= _RUN_ON and stop - 1 not in scene.sentence_ends)
                    + _price_short_part(scene, part)
                    + (_BESIDE_CLAUSE * beside if has_clause else _price_length(scene, part))
                    + (
                        cost_of_end(scene.words, scene.sentence_ends, stop - 1)
                        if stop < count
                        else 0.0
                    )
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


def _price_short_part(scene: Scene, part: range) -> float:
    """Return the cost of a part that is short, or says nothing."""
    short = max(0.0, 1 - measure_part(scene, part) / (2 * SHORTEST))
    return short + (0.0 if _says_something(scene, part) else _FRAGMENT)


def _price_length(scene: Scene, part: range) -> float:
    """Return the cost of the characters that a part has too many."""
    more = measure_part(scene, part) - _LONG
    return _TOO_LONG + _CHARACTER * more if more > 0 else 0.0


def _says_something(scene: Scene, part: range) -> bool:
    """Return whether ``part`` is more than words that lead to others, or than a reference in
    brackets: a sentence, two other words, or many.
    """
    begins = part.start == 0 or part.start - 1 in scene.sentence_ends
    if begins and part[-1] in scene.sentence_ends:
        return True
    if scene.words[part[0]].startswith("(") and ")" in scene.words[part[-1]]:
        return len(part) >= _MANY
    if begins and len(part) >= MANY_OF_CLAUSE and scene.words[part[-1]].endswith(COMMAS):
        return True
    return (
        len(part) >= _MANY
        or sum(not leads(scene.words[word]) for word in part) > 1
        or any(tokens.count_wide_signs(scene.words[word]) for word in part)
    )
