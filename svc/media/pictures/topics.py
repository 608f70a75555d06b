"""This program's own words for pictures, and the names of pictures and countries that usually mean something else."""

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent


@cache
def ambiguous(code: str) -> frozenset[str]:
    """Return the words of a language that alone name no picture, although they are a picture's name."""
    rows = (row.split() for row in (_FOLDER / "ambiguous.txt").read_text("utf-8").splitlines())
    return frozenset(word for language, *words in rows if language == code for word in words)


@cache
def words(code: str) -> dict[str, str]:
    """Return this program's own words of a language, each with the picture that it means."""
    meanings = {}
    for row in (_FOLDER / "topics.txt").read_text("utf-8").splitlines():
        name, *parts = row.split("; ")
        for part in parts:
            language, _, listed = part.partition(" ")
            if language == code:
                meanings.update(dict.fromkeys(listed.split(", "), name))
    return meanings


@cache
def elsewhere(code: str) -> tuple[str, ...]:
    """Return the names of a language that have a country's name in them and mean no country."""
    rows = (row.partition(" ") for row in (_FOLDER / "elsewhere.txt").read_text("utf-8").splitlines())
    return tuple(name for language, _, listed in rows if language in ("*", code) for name in listed.split(", "))
