"""What is spoken of each piece of a word that is too long for one line."""

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise

UNSPOKEN = ","  # the voice pauses at a long row of signs
_PAUSES = frozenset(",.;:!?…،؛؟。、！？।\u2060")
_HOST = re.compile(r"\u2060?[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}\W?")  # is not torn
_HYPHENS = " -\u2010"


def is_unspoken(spoken: str) -> bool:
    """Return whether the voice only pauses where others would say something, as for a hash."""
    return set(spoken) <= _PAUSES


def split_same_letters(spoken: str, chunks: Sequence[str]) -> list[str]:
    """Return what is spoken of each chunk, its very letters and figures;
    empty if it is spoken otherwise than it is written.
    """
    if _keep_letters(spoken).casefold() != _keep_letters("".join(chunks)).casefold():
        return []
    ends = accumulate(len(_keep_letters(chunk)) for chunk in chunks)
    places = [index for index, sign in enumerate(spoken) if sign.isalnum()]
    bounds = [0, *(places[end] if end < len(places) else len(spoken) for end in ends)]
    parts = [spoken[first:end].rstrip(_HYPHENS) for first, end in pairwise(bounds)]
    return parts if all(parts) else []


def _keep_letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def split_evenly(spoken: str, count: int) -> list[str]:
    """Split what is spoken into ``count`` parts of similar length,
    between words where it has enough of them.
    """
    words = spoken.split()
    if 1 < len(words) < count or (len(words) == 1 < count and _HOST.fullmatch(spoken)):
        words += [UNSPOKEN] * (count - len(words))
    elif len(words) < count:
        width = max(1, -(-len(spoken) // count))
        words = [spoken[at : at + width].strip() or UNSPOKEN for at in range(0, len(spoken), width)]
        words += [UNSPOKEN] * (count - len(words))
    return [" ".join(words[first:end]) for first, end in divide_evenly(len(words), count)]


def divide_evenly(total: int, count: int) -> list[tuple[int, int]]:
    """Return the first index and the end of each of ``count`` parts of ``total`` items,
    of nearly the same number.
    """
    return list(pairwise(round(index * total / count) for index in range(count + 1)))
