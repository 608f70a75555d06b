"""Which clause of a scene asks for each of its pictures: none is shown before that is said."""

from collections.abc import Sequence

from svc.media.pictures import meaning, naming
from svc.media.text import tokens

_CONSIDERED = 24  # pictures of a clause
_ENDS = (*".!?…:;,—–", "।", "؟", "،", "。", "！", "？", "、", "，", "；")
_SHORTEST = 12  # characters of a clause; a shorter one belongs to the next


def find_first_words(
    pictures: Sequence[str], written: Sequence[str], language: str
) -> tuple[int, ...]:
    """Return for each of ``pictures`` the first word of the clause that names it, or else of the
    one that is nearest to it in meaning; 0 if none is near.

    ``written``: the words of the scene.
    """
    clauses = _clauses(written)
    if len(clauses) < 2 or not pictures:
        return (0,) * len(pictures)
    code = language.lower().partition("-")[0]
    said = [tokens.join_words([written[word] for word in clause]) for clause in clauses]
    ranked = meaning.rank_for_scenes(
        [meaning.Said((text,), "", "", language) for text in said], _CONSIDERED
    )
    near = [{row.picture: row.signs["near"] for row in rows} for rows, _ in ranked]
    return tuple(
        clauses[
            max(
                range(len(clauses)),
                key=lambda at: (
                    bool(naming.find_words(picture, said[at], code)),
                    near[at].get(picture, -1.0),
                    -at,
                ),
            )
        ].start
        for picture in pictures
    )


def _clauses(written: Sequence[str]) -> list[range]:
    """Return the words between two commas or stops."""
    clauses, first = [], 0
    for number, word in enumerate(written):
        length = sum(map(len, written[first : number + 1])) + number - first
        if number + 1 == len(written) or (word.endswith(_ENDS) and length >= _SHORTEST):
            clauses.append(range(first, number + 1))
            first = number + 1
    return clauses
