"""Words that are too long for a caption: an address is shown by its host, which is what is said of
it, and never in part.

A script has every word whole, the pieces of a long one beginning with GLUE; so have transcripts.
Captions in the picture show the host of an address that is longer than a word; caption files, from
which it is copied, show all of it on up to two lines.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

from svc.base.text.languages import is_right_to_left
from svc.media.text import addresses, columns, line_breaks
from svc.media.text.line_breaks import GLUE

# The most columns of a word in one piece: enough for the longest ordinary words of all languages,
# and for a narrow caption line.
LONGEST_WORD = 30
LONGEST_IN_PIECES = 60  # columns of an address: two lines of a caption file
# The most columns of an address on one line in a text from right to left: on two, its parts would
# change places.
_LONGEST_ON_A_LINE = 40


def shorten_for_pictures(words: Sequence[str]) -> tuple[str, ...]:
    """Return ``words`` as a caption in the picture shows them, one for one;
    the pieces after a host are GLUE.
    """
    return _shorten_words(tuple(words), LONGEST_WORD)


def split_for_files(words: Sequence[str], language: str) -> tuple[str, ...]:
    """Return ``words`` as the caption files of ``language`` (BCP 47) show them, one for one."""
    return _shorten_words(
        tuple(words), _LONGEST_ON_A_LINE if is_right_to_left(language) else LONGEST_IN_PIECES
    )


def shorten_for_full_text(words: Sequence[str]) -> tuple[str, ...]:
    """Return ``words`` as a picture with all of the text shows them, one for one:
    an address as far as it can be read there.
    """
    return _shorten_words(tuple(words), LONGEST_IN_PIECES)


def cut_word(word: str) -> str:
    """Return a long ``word`` by its host, or else, as a row of signs, by its beginning."""
    if (shown := addresses.shorten_to_host(word)) != word:
        is_short = columns.count_columns(shown) <= _LONGEST_ON_A_LINE
        host = shown if is_short else shown.strip(addresses.AROUND)
        if columns.count_columns(host) <= _LONGEST_ON_A_LINE:
            return host
        return "…" + _begin(host[::-1], _LONGEST_ON_A_LINE - 1)[::-1]
    return _begin(word, LONGEST_WORD - 1) + "…"


def _begin(word: str, most: int) -> str:
    """Return as much of ``word`` as has at most so many columns."""
    ends = accumulate(map(columns.count_columns, word[:most]))
    return word[: sum(end <= most for end in ends)]


@lru_cache(maxsize=4096)
def _shorten_words(words: tuple[str, ...], longest: int) -> tuple[str, ...]:
    result: list[str] = []
    while len(result) < len(words):
        first, end = len(result), _end(words, len(result))
        glue, whole = (
            GLUE * words[first].startswith(GLUE),
            "".join(word.removeprefix(GLUE) for word in words[first:end]),
        )
        length = columns.count_columns(whole)
        is_long = end - first == 1 and length > LONGEST_IN_PIECES
        if is_long or (length > longest and addresses.shorten_to_host(whole) != whole):
            result += [glue + cut_word(whole), *[GLUE] * (end - first - 1)]
        else:
            result += words[first:end]
    return tuple(result)


def _end(words: tuple[str, ...], first: int) -> int:
    """Return the end of the word that begins at ``first``; in a script without spaces,
    of its run of other letters.
    """
    end = first + 1
    while (
        end < len(words)
        and words[end].startswith(GLUE)
        and not _is_apart(words[end - 1], words[end].removeprefix(GLUE))
    ):
        end += 1
    return end


def _is_apart(word: str, following: str) -> bool:
    return addresses.begins_address(following) or line_breaks.has_unspaced(word + following)
