"""Which pictures of a moment (``calendar:23``, ``clock:1930``) a sentence may have beside it."""

from collections.abc import Sequence

from svc.media.languages import Pictures, read_words
from svc.media.text import named_moments


def list_moments(words: Sequence[str], language: str) -> tuple[str, ...]:
    """Return the names of the pictures of the day and of the time of day that a sentence of
    ``words`` names; none of what it does not name, or names several of. Nor of a day with its year
    that has no time: it is that of a law, of a version, or of long ago; and of what is called
    off.
    """
    called_off = read_words(language, Pictures).called_off
    if called_off and called_off.search(" ".join(words)):
        return ()
    day = named_moments.find_day(words, language)
    time = named_moments.find_time(words, language)
    leaf = [f"calendar:{day.day}"] if day and (time or not day.has_year) else []
    return (*leaf, *([f"clock:{time[0]:02}{time[1]:02}"] if time else []))
