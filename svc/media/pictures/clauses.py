"""Which clause of a scene asks for each of its pictures: none is shown before that is said."""

from collections.abc import Sequence

from svc.media.pictures import meaning, naming
from svc.media.text import tokens

_CONSIDERED = 24  # pictures of a clause
_ENDS = (*".!?…:;,—–", "।", "؟", "،", "。", "！", "？", "、", "，", "；")
_CLEARLY = 0.2  # how clearly a title names a picture that it is about: "cake", and not "light"
_SHORTEST = 12  # characters of a clause; a shorter one belongs to the next


def find_first_words(
    pictures: Sequence[str], written: Sequence[str], language: str
) -> tuple[int, ...]:
    """Return for each of ``pictures`` the first word of the clause that names it, or else of the
    one that is nearest to it in meaning; 0 if none is near.

    ``written``: the words of the scene.
    """
    clauses = _list_clauses(written)
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


def find_apart(
    pictures: Sequence[str], sentences: Sequence[str], phrase: str, topic: str, language: str
) -> tuple[str, ...]:
    """Return those of ``pictures`` that have nothing to do with ``phrase``, of one of the
    ``sentences`` of a scene: only others name them, neither before nor after its own, nor does
    ``topic``, the words of heading and title, clearly, and it is not near to them. "The light of a
    candle" asks for one, and two sentences later one finger on the rim does not. Beside a sentence
    that denies something, so are all that it does not name: "Do not wear gloves" is shown without
    the glasses that are to be worn.
    """
    code = language.lower().partition("-")[0]
    own = next((at for at, text in enumerate(sentences) if phrase in text), None)
    if own is None:
        return ()
    if any(denied for _, denied in meaning.split_denials(sentences[own], code)):
        return tuple(
            picture
            for picture in dict.fromkeys(filter(None, pictures))
            if not naming.find_words(picture, sentences[own], code)
        )
    apart = []
    for picture in dict.fromkeys(filter(None, pictures)):
        naming_ones = [
            at for at, text in enumerate(sentences) if naming.find_words(picture, text, code)
        ]
        is_far = bool(naming_ones) and all(abs(at - own) > 1 for at in naming_ones)
        clearly = naming.find_named_pictures(topic, code).get(picture, 0.0)
        if is_far and clearly < _CLEARLY:
            apart.append(picture)
    if not apart:
        return ()
    said = meaning.Said((phrase,), "", "", language)
    near = {row.picture for row in meaning.rank_for_scenes([said], _CONSIDERED)[0][0]}
    return tuple(picture for picture in apart if picture not in near)


def _list_clauses(written: Sequence[str]) -> list[range]:
    """Return the words between two commas or stops."""
    clauses, first = [], 0
    for number, word in enumerate(written):
        length = sum(map(len, written[first : number + 1])) + number - first
        if number + 1 == len(written) or (word.endswith(_ENDS) and length >= _SHORTEST):
            clauses.append(range(first, number + 1))
            first = number + 1
    return clauses
