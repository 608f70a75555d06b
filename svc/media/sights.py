"""Saying in one sentence what a scene shows, for those who cannot see it."""

from svc.media import words
from svc.media.programme import Point

_LONGEST_NAME = 40

# {heading} and {name} (the presenter's) are the brief's own words; a list's items are not repeated, the narration reads them.
_PHRASES = {
    "en": {
        "title": "{name}, and the title: {heading}.",
        "points": "{name}, and a list.",
        "prose": "{name} speaks.",
        "close": "The title again: {heading}.",
    },
    "de": {
        "title": "{name} und der Titel: {heading}.",
        "points": "{name} und eine Liste.",
        "prose": "{name} spricht.",
        "close": "Noch einmal der Titel: {heading}.",
    },
    "fr": {
        "title": "{name} et le titre : {heading}.",
        "points": "{name} et une liste.",
        "prose": "{name} parle.",
        "close": "De nouveau le titre : {heading}.",
    },
    "es": {
        "title": "{name} y el título: {heading}.",
        "points": "{name} y una lista.",
        "prose": "{name} habla.",
        "close": "De nuevo el título: {heading}.",
    },
    "it": {
        "title": "{name} e il titolo: {heading}.",
        "points": "{name} e un elenco.",
        "prose": "{name} parla.",
        "close": "Di nuovo il titolo: {heading}.",
    },
    "pt": {
        "title": "{name} e o título: {heading}.",
        "points": "{name} e uma lista.",
        "prose": "{name} fala.",
        "close": "De novo o título: {heading}.",
    },
    "nl": {
        "title": "{name} en de titel: {heading}.",
        "points": "{name} en een lijst.",
        "prose": "{name} spreekt.",
        "close": "Nogmaals de titel: {heading}.",
    },
}


def describe(layout: str, heading: str, points: tuple[Point, ...], presenter: str, language: str) -> str:
    """What is seen in a scene, in ``language``; where that has no phrases, just the heading and the points.

    Empty where there is nothing to say, so that a scene may have no description."""
    name = words.shortened(words.clean(presenter), _LONGEST_NAME)
    phrases = _PHRASES.get(language.partition("-")[0])
    if phrases is None or not name:
        return _sentences([heading, *(point.text for point in points)])
    phrase = phrases[layout].format(heading=heading.rstrip(". "), name=name)
    return phrase if layout in ("title", "close") else _sentences([heading, phrase])


def _sentences(parts: list[str]) -> str:
    return " ".join(part if part.endswith((".", "!", "?", "…")) else f"{part}." for part in parts if part)
