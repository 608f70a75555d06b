"""Title and text of a post, from the templates of a connection, cut to the place's limits as it
counts them.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from svc.base.connectors import Limits

_CHAPTER = re.compile(r"(?:\d+:)?\d{1,2}:\d\d ")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_GAPS = re.compile(r"\n{3,}")
_GRAPHEME = r"\X"
_ELLIPSIS = "…"


@dataclass(frozen=True)
class Description:
    """The parts of the text beside a video, as svc.media.captions.description composes it."""

    summary: str = ""
    chapters: str = ""
    disclosure: str = ""
    hashtags: tuple[str, ...] = ()  # without their sign


def parse_description(description: str) -> Description:
    """Return the parts of a description: title, summary, chapters, disclosure, hashtags,
    each of which may be missing.
    """
    blocks = description.split("\n\n")[1:]
    hashtags = (
        blocks.pop().split()
        if blocks and all(word.startswith("#") for word in blocks[-1].split())
        else []
    )
    disclosure = blocks.pop() if blocks else ""
    chapters = (
        blocks.pop()
        if blocks and all(_CHAPTER.match(line) for line in blocks[-1].split("\n"))
        else ""
    )
    return Description(
        "\n\n".join(blocks), chapters, disclosure, tuple(word[1:] for word in hashtags)
    )


def parse_chapters(chapters: str) -> tuple[tuple[int, str], ...]:
    """Return the second and the title of each chapter of :class:`Description`."""
    return tuple(_format_chapter(line) for line in chapters.split("\n") if line)


def _format_chapter(line: str) -> tuple[int, str]:
    at, _, name = line.partition(" ")
    seconds = 0
    for part in at.split(":"):
        seconds = seconds * 60 + int(part)
    return seconds, name


def fill_title(template: str, values: Mapping[str, str], limits: Limits) -> str:
    """Return the title on one line, within the limit."""
    title_limits = replace(limits, counted=limits.title_counted or limits.counted)
    return cut(" ".join(_fill_template(template, values).split()), limits.title, title_limits)


def fill_text(template: str, values: Mapping[str, str], limits: Limits) -> str:
    """Return the text within the limit.

    It always tells that software made the video: the rest is cut first.
    """
    filled = _GAPS.sub("\n\n", _fill_template(template, values)).strip()
    disclosure = values["disclosure"]
    if disclosure and disclosure not in filled:
        filled = f"{filled}\n\n{disclosure}".strip()
    if (
        not limits.text
        or _choose_measure(limits)(filled) <= limits.text
        or disclosure not in filled
    ):
        return cut(filled, limits.text, limits)
    without_disclosure = _GAPS.sub("\n\n", filled.replace(disclosure, "")).strip()
    remaining = limits.text - _choose_measure(limits)(f"\n\n{disclosure}")
    return (
        f"{cut(without_disclosure, remaining, limits)}\n\n{disclosure}"
        if remaining > 1
        else cut(disclosure, limits.text, limits)
    )


def cut(text: str, most: int, limits: Limits) -> str:
    """Return ``text``, shortened to at most ``most`` units as the place counts them, never within a
    character. 0: no limit.
    """
    measure = _choose_measure(limits)
    if not most or measure(text) <= most:
        return text
    remaining, beginning = most - measure(_ELLIPSIS), ""
    for grapheme in _split_graphemes(text):
        remaining -= measure(grapheme)
        if remaining < 0:
            break
        beginning += grapheme
    return beginning.rstrip() + _ELLIPSIS


def _fill_template(template: str, values: Mapping[str, str]) -> str:
    """Return the template with all values filled in at once, so that a value that looks like a
    placeholder stays.
    """
    return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), template)


def _choose_measure(limits: Limits) -> Callable[[str], int]:
    if limits.counted == "bytes":
        return lambda text: len(text.encode())
    if limits.counted == "graphemes":
        return lambda text: len(_split_graphemes(text))
    return len


def _split_graphemes(text: str) -> list[str]:
    import regex  # few places count so

    return regex.findall(_GRAPHEME, text)
