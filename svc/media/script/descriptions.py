"""Describing in one sentence what a scene shows, for people who cannot see it."""

from svc.base.text import links
from svc.media.languages import Phrases, read_words
from svc.media.maps import named
from svc.media.model import NO_VISUAL, Point, Presenter, Visual
from svc.media.text import tokens

_LONGEST_NAME, _LONGEST_ROLE = 40, 60  # characters
_STOPS = (".", "!", "?", "…", "。", "！", "？")
_FEWEST = 2  # rows of a chart that have a range


def describe_scene(
    layout: str,
    heading: str,
    points: tuple[Point, ...],
    presenter: Presenter,
    language: str,
    sight: Visual = NO_VISUAL,
    role: str = "",
) -> str:
    """Return what a scene shows besides its spoken words, in ``language``; without phrases for that
    language, only the heading and the points. ``sight``: the chart whose range is told, or the
    picture of a quotation. ``role``: the presenter's, which the title names if it is shown. Of the
    close, its link is described, which nobody speaks.

    The result is empty if there is nothing to describe.
    """
    if layout == "prose":
        return ""
    if layout == "close":
        return _link(sight, language)
    name = tokens.shorten(tokens.clean(presenter.name), _LONGEST_NAME)
    if role and name and layout == "title" and presenter.is_shown:
        name = f"{name}, {tokens.shorten(tokens.clean(role), _LONGEST_ROLE)}"
    phrases = read_words(language, Phrases).descriptions if name else {}
    phrase = phrases.get(_find_kind(layout, points, sight, language)) if phrases else None
    if phrase is None:
        named = [name] if role and layout == "title" and presenter.is_shown else []
        return _join_sentences([*named, heading, *(point.text for point in points), sight.alt])
    phrase = phrase if presenter.is_shown else _remove_presenter(phrase)
    phrase = phrase.format(heading=heading.rstrip(". "), name=name)
    shown = _describe_range(sight) if sight.traits.is_chart else sight.alt
    return f"{phrase.rstrip('.')}: {shown}." if shown else phrase


def _link(sight: Visual, language: str) -> str:
    """Return what says that the close shows a link; empty if it shows none."""
    address = links.display_address(sight.note)
    phrase = read_words(language, Phrases).descriptions.get("close", "{address}.")
    return phrase.format(address=address) if address else ""


def _find_kind(layout: str, points: tuple[Point, ...], sight: Visual, language: str) -> str:
    """Return what a scene shows, as a key of its language's phrases."""
    if layout == "points" and not any(point.level for point in points):
        return (
            "points and map"
            if named.find_countries(tuple(point.text for point in points), language)
            else layout
        )
    return "quote and picture" if layout == "quote" and sight.file else layout


def _remove_presenter(phrase: str) -> str:
    """Return a phrase that begins with the presenter's name and "and" without both: "{name},
    and a list." as "A list.".
    """
    rest = phrase.split(" ", 2)[2]
    return rest[0].upper() + rest[1:]


def _describe_range(sight: Visual) -> str:
    """Return the ends of a chart's first series: its first and last row if they follow one another
    in time, otherwise the least and the greatest.
    """
    rows = [
        (values[0], row)
        for values, row in zip(sight.values, sight.rows, strict=False)
        if values and len(row) > 1
    ]
    if len(rows) < _FEWEST:
        return ""
    in_time = sight.traits.goes_through_time
    ends = (rows[0], rows[-1]) if in_time else (min(rows), max(rows))
    return "; ".join(f"{row[0]}, {row[1]}" for _, row in ends)


def _join_sentences(parts: list[str]) -> str:
    return tokens.join_sentences(
        part if part.endswith(_STOPS) else f"{part}{_stop_after(part)}" for part in parts if part
    )


def _stop_after(text: str) -> str:
    return "。" if tokens.count_wide_signs(text[-1]) and not "가" <= text[-1] <= "힣" else "."
