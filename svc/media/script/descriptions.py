"""Describing in one sentence what a scene shows, for people who cannot see it."""

from svc.media.model import NO_VISUAL, Point, Presenter, Visual
from svc.media.text import tokens

_LONGEST_NAME, _LONGEST_ROLE = 40, 60  # characters
_FEWEST = 2  # rows of a chart that have a range

# {heading} and {name} (the presenter's) are the brief's own words. List items are left out, because the narration reads them.
_PHRASES = {
    "en": {
        "title": "{name}, and the title: {heading}.",
        "points": "{name}, and a list.",
        "prose": "{name} speaks.",
        "quote": "{name}, and a quotation.",
        "number": "{name}, and a large figure.",
        "comparison": "{name}, and two columns side by side.",
        "table": "{name}, and a table.",
        "bars": "{name}, and a bar chart.",
        "line": "{name}, and a line chart.",
        "image": "{name}, and a picture.",
        "code": "{name}, and lines of code.",
        "formula": "{name}, and a formula.",
        "close": "The title again: {heading}.",
    },
    "de": {
        "title": "{name} und der Titel: {heading}.",
        "points": "{name} und eine Liste.",
        "prose": "{name} spricht.",
        "quote": "{name} und ein Zitat.",
        "number": "{name} und eine große Zahl.",
        "comparison": "{name} und zwei Spalten nebeneinander.",
        "table": "{name} und eine Tabelle.",
        "bars": "{name} und ein Balkendiagramm.",
        "line": "{name} und ein Liniendiagramm.",
        "image": "{name} und ein Bild.",
        "code": "{name} und Programmzeilen.",
        "formula": "{name} und eine Formel.",
        "close": "Noch einmal der Titel: {heading}.",
    },
    "fr": {
        "title": "{name} et le titre : {heading}.",
        "points": "{name} et une liste.",
        "prose": "{name} parle.",
        "quote": "{name} et une citation.",
        "number": "{name} et un grand chiffre.",
        "comparison": "{name} et deux colonnes côte à côte.",
        "table": "{name} et un tableau.",
        "bars": "{name} et un diagramme à barres.",
        "line": "{name} et une courbe.",
        "image": "{name} et une image.",
        "code": "{name} et des lignes de code.",
        "formula": "{name} et une formule.",
        "close": "De nouveau le titre : {heading}.",
    },
    "es": {
        "title": "{name} y el título: {heading}.",
        "points": "{name} y una lista.",
        "prose": "{name} habla.",
        "quote": "{name} y una cita.",
        "number": "{name} y una gran cifra.",
        "comparison": "{name} y dos columnas.",
        "table": "{name} y una tabla.",
        "bars": "{name} y un gráfico de barras.",
        "line": "{name} y un gráfico de líneas.",
        "image": "{name} y una imagen.",
        "code": "{name} y líneas de código.",
        "formula": "{name} y una fórmula.",
        "close": "De nuevo el título: {heading}.",
    },
    "it": {
        "title": "{name} e il titolo: {heading}.",
        "points": "{name} e un elenco.",
        "prose": "{name} parla.",
        "quote": "{name} e una citazione.",
        "number": "{name} e una grande cifra.",
        "comparison": "{name} e due colonne.",
        "table": "{name} e una tabella.",
        "bars": "{name} e un grafico a barre.",
        "line": "{name} e un grafico a linee.",
        "image": "{name} e un'immagine.",
        "code": "{name} e righe di codice.",
        "formula": "{name} e una formula.",
        "close": "Di nuovo il titolo: {heading}.",
    },
    "pt": {
        "title": "{name} e o título: {heading}.",
        "points": "{name} e uma lista.",
        "prose": "{name} fala.",
        "quote": "{name} e uma citação.",
        "number": "{name} e um grande número.",
        "comparison": "{name} e duas colunas.",
        "table": "{name} e uma tabela.",
        "bars": "{name} e um gráfico de barras.",
        "line": "{name} e um gráfico de linhas.",
        "image": "{name} e uma imagem.",
        "code": "{name} e linhas de código.",
        "formula": "{name} e uma fórmula.",
        "close": "De novo o título: {heading}.",
    },
    "nl": {
        "title": "{name} en de titel: {heading}.",
        "points": "{name} en een lijst.",
        "prose": "{name} spreekt.",
        "quote": "{name} en een citaat.",
        "number": "{name} en een groot getal.",
        "comparison": "{name} en twee kolommen naast elkaar.",
        "table": "{name} en een tabel.",
        "bars": "{name} en een staafdiagram.",
        "line": "{name} en een lijndiagram.",
        "image": "{name} en een afbeelding.",
        "code": "{name} en regels code.",
        "formula": "{name} en een formule.",
        "close": "Nogmaals de titel: {heading}.",
    },
}


_PLAIN = ("prose", "close")  # layouts that show nothing but what is spoken
_CHARTS = ("bars", "line")


def describe(
    layout: str,
    heading: str,
    points: tuple[Point, ...],
    presenter: Presenter,
    language: str,
    sight: Visual = NO_VISUAL,
    role: str = "",
) -> str:
    """Return what a scene shows besides its spoken words, in ``language``; without phrases for that language, only the heading
    and the points. ``sight``: the chart whose range is told. ``role``: the presenter's, which the title names if it is shown.

    The result is empty if there is nothing to describe.
    """
    if layout in _PLAIN:
        return ""
    name = tokens.shorten(tokens.clean(presenter.name), _LONGEST_NAME)
    if role and name and layout == "title" and presenter.is_shown:
        name = f"{name}, {tokens.shorten(tokens.clean(role), _LONGEST_ROLE)}"
    phrases = _PHRASES.get(language.partition("-")[0])
    if phrases is None or not name:
        named = [name] if role and layout == "title" and presenter.is_shown else []
        return _sentences([*named, heading, *(point.text for point in points)])
    phrase = phrases[layout] if presenter.is_shown else _without_presenter(phrases[layout])
    phrase = phrase.format(heading=heading.rstrip(". "), name=name)
    shown = _range(sight) if layout in _CHARTS else ""
    return f"{phrase.rstrip('.')}: {shown}." if shown else phrase


def _without_presenter(phrase: str) -> str:
    """Return a phrase that begins with the presenter's name and "and" without both: "{name}, and a list." as "A list."."""
    rest = phrase.split(" ", 2)[2]
    return rest[0].upper() + rest[1:]


def _range(sight: Visual) -> str:
    """Return the ends of a chart's first series: of a line its first and last row, of bars the least and the greatest."""
    rows = [(values[0], row) for values, row in zip(sight.values, sight.rows, strict=False) if values and len(row) > 1]
    if len(rows) < _FEWEST:
        return ""
    ends = (rows[0], rows[-1]) if sight.kind == "line" else (min(rows), max(rows))
    return "; ".join(f"{row[0]}, {row[1]}" for _, row in ends)


def _sentences(parts: list[str]) -> str:
    return " ".join(part if part.endswith((".", "!", "?", "…")) else f"{part}." for part in parts if part)
