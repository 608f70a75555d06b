"""How much of a caption line a text takes, in columns: a Latin letter is one, and what is as wide
as two letters is two.
"""

import unicodedata
from functools import lru_cache

import regex

_EMOJI_STYLE = "\ufe0f"


@lru_cache(maxsize=8192)
def measure_display_length(text: str) -> int:
    """Return how many characters of ``text`` are read: combining marks and joiners are not, and
    wide letters and signs, such as Chinese and Korean ones, count twice (UAX #11, "East Asian
    Width")."""
    kinds = [unicodedata.category(character) for character in text]
    return sum(1 for kind in kinds if kind not in ("Mn", "Me", "Cf")) + count_wide_signs(text)


@lru_cache(maxsize=8192)
def count_wide_signs(text: str) -> int:
    """Return how many wide letters and signs ``text`` has, emoji aside."""
    return sum(_is_wide(sign) and unicodedata.category(sign) != "So" for sign in text)


@lru_cache(maxsize=8192)
def count_columns(text: str) -> int:
    """Return how many columns of a line ``text`` takes: as :func:`measure_display_length`, but an
    emoji, which is read at a glance and as wide as two letters, takes two however it is composed.
    """
    if text.isascii():
        return len(text)
    return sum(
        2 if _is_emoji(cluster) else measure_display_length(cluster)
        for cluster in regex.findall(r"\X", text)
    )


def _is_emoji(cluster: str) -> bool:
    is_wide = unicodedata.category(cluster[0]) == "So" and _is_wide(cluster[0])
    return is_wide or _EMOJI_STYLE in cluster


def _is_wide(sign: str) -> bool:
    return unicodedata.east_asian_width(sign) in "WF"
