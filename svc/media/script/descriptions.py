"""Describing in one sentence what a scene shows, for people who cannot see it."""

from svc.base.text import links
from svc.media.maps import named
from svc.media.model import NO_VISUAL, Point, Presenter, Visual
from svc.media.text import tokens

_LONGEST_NAME, _LONGEST_ROLE = 40, 60  # characters
_STOPS = (".", "!", "?", "…", "。", "！", "？")
_FEWEST = 2  # rows of a chart that have a range

# {heading}, {name} (the presenter's) and {address} are the brief's own words. List items are left
# out: they are spoken.
_PHRASES = {
    "en": {
        "title": "{name}, and the title: {heading}.",
        "points": "{name}, and a list.",
        "agenda": "{name}, and an agenda.",
        "points and map": "{name}, and a list beside a map.",
        "prose": "{name} speaks.",
        "quote": "{name}, and a quotation.",
        "quote and picture": "{name}, and a quotation beside a picture.",
        "number": "{name}, and a large figure.",
        "comparison": "{name}, and two columns side by side.",
        "table": "{name}, and a table.",
        "bars": "{name}, and a bar chart.",
        "line": "{name}, and a line chart.",
        "image": "{name}, and a picture.",
        "pictures": "{name}, and pictures to compare.",
        "code": "{name}, and lines of code.",
        "formula": "{name}, and a formula.",
        "alert": "{name}, and a card that stands out.",
        "verse": "{name}, and lines of text, one below the other.",
        "dialogue": "{name}, and a conversation.",
        "contact": "{name}, and contact details.",
        "flow": "{name}, and a flowchart.",
        "close": "The address {address}, and a code to scan.",
    },
    "de": {
        "title": "{name} und der Titel: {heading}.",
        "points": "{name} und eine Liste.",
        "agenda": "{name} und eine Tagesordnung.",
        "points and map": "{name} und eine Liste neben einer Karte.",
        "prose": "{name} spricht.",
        "quote": "{name} und ein Zitat.",
        "quote and picture": "{name} und ein Zitat neben einem Bild.",
        "number": "{name} und eine große Zahl.",
        "comparison": "{name} und zwei Spalten nebeneinander.",
        "table": "{name} und eine Tabelle.",
        "bars": "{name} und ein Balkendiagramm.",
        "line": "{name} und ein Liniendiagramm.",
        "image": "{name} und ein Bild.",
        "pictures": "{name} und Bilder zum Vergleich.",
        "code": "{name} und Programmzeilen.",
        "formula": "{name} und eine Formel.",
        "alert": "{name} und eine hervorgehobene Karte.",
        "verse": "{name} und Zeilen untereinander.",
        "dialogue": "{name} und ein Gespräch.",
        "contact": "{name} und Kontaktdaten.",
        "flow": "{name} und ein Ablaufdiagramm.",
        "close": "Die Adresse {address} und ein Code zum Scannen.",
    },
    "fr": {
        "title": "{name} et le titre : {heading}.",
        "points": "{name} et une liste.",
        "agenda": "{name} et un ordre du jour.",
        "points and map": "{name} et une liste à côté d'une carte.",
        "prose": "{name} parle.",
        "quote": "{name} et une citation.",
        "quote and picture": "{name} et une citation à côté d'une image.",
        "number": "{name} et un grand chiffre.",
        "comparison": "{name} et deux colonnes côte à côte.",
        "table": "{name} et un tableau.",
        "bars": "{name} et un diagramme à barres.",
        "line": "{name} et une courbe.",
        "image": "{name} et une image.",
        "pictures": "{name} et des images à comparer.",
        "code": "{name} et des lignes de code.",
        "formula": "{name} et une formule.",
        "alert": "{name} et une carte mise en évidence.",
        "verse": "{name} et des lignes de texte.",
        "dialogue": "{name} et un dialogue.",
        "contact": "{name} et des coordonnées.",
        "flow": "{name} et un organigramme.",
        "close": "L'adresse {address} et un code à scanner.",
    },
    "es": {
        "title": "{name} y el título: {heading}.",
        "points": "{name} y una lista.",
        "agenda": "{name} y un orden del día.",
        "points and map": "{name} y una lista junto a un mapa.",
        "prose": "{name} habla.",
        "quote": "{name} y una cita.",
        "quote and picture": "{name} y una cita junto a una imagen.",
        "number": "{name} y una gran cifra.",
        "comparison": "{name} y dos columnas.",
        "table": "{name} y una tabla.",
        "bars": "{name} y un gráfico de barras.",
        "line": "{name} y un gráfico de líneas.",
        "image": "{name} y una imagen.",
        "pictures": "{name} e imágenes para comparar.",
        "code": "{name} y líneas de código.",
        "formula": "{name} y una fórmula.",
        "alert": "{name} y una tarjeta destacada.",
        "verse": "{name} y líneas de texto.",
        "dialogue": "{name} y un diálogo.",
        "contact": "{name} y datos de contacto.",
        "flow": "{name} y un diagrama de flujo.",
        "close": "La dirección {address} y un código para escanear.",
    },
    "it": {
        "title": "{name} e il titolo: {heading}.",
        "points": "{name} e un elenco.",
        "agenda": "{name} e un ordine del giorno.",
        "points and map": "{name} e un elenco accanto a una mappa.",
        "prose": "{name} parla.",
        "quote": "{name} e una citazione.",
        "quote and picture": "{name} e una citazione accanto a un'immagine.",
        "number": "{name} e una grande cifra.",
        "comparison": "{name} e due colonne.",
        "table": "{name} e una tabella.",
        "bars": "{name} e un grafico a barre.",
        "line": "{name} e un grafico a linee.",
        "image": "{name} e un'immagine.",
        "pictures": "{name} e immagini a confronto.",
        "code": "{name} e righe di codice.",
        "formula": "{name} e una formula.",
        "alert": "{name} e una scheda in evidenza.",
        "verse": "{name} e righe di testo.",
        "dialogue": "{name} e un dialogo.",
        "contact": "{name} e i recapiti.",
        "flow": "{name} e un diagramma di flusso.",
        "close": "L'indirizzo {address} e un codice da scansionare.",
    },
    "pt": {
        "title": "{name} e o título: {heading}.",
        "points": "{name} e uma lista.",
        "agenda": "{name} e uma ordem do dia.",
        "points and map": "{name} e uma lista ao lado de um mapa.",
        "prose": "{name} fala.",
        "quote": "{name} e uma citação.",
        "quote and picture": "{name} e uma citação ao lado de uma imagem.",
        "number": "{name} e um grande número.",
        "comparison": "{name} e duas colunas.",
        "table": "{name} e uma tabela.",
        "bars": "{name} e um gráfico de barras.",
        "line": "{name} e um gráfico de linhas.",
        "image": "{name} e uma imagem.",
        "pictures": "{name} e imagens para comparar.",
        "code": "{name} e linhas de código.",
        "formula": "{name} e uma fórmula.",
        "alert": "{name} e um cartão em destaque.",
        "verse": "{name} e linhas de texto.",
        "dialogue": "{name} e um diálogo.",
        "contact": "{name} e dados de contacto.",
        "flow": "{name} e um fluxograma.",
        "close": "O endereço {address} e um código para digitalizar.",
    },
    "nl": {
        "title": "{name} en de titel: {heading}.",
        "points": "{name} en een lijst.",
        "agenda": "{name} en een agenda.",
        "points and map": "{name} en een lijst naast een kaart.",
        "prose": "{name} spreekt.",
        "quote": "{name} en een citaat.",
        "quote and picture": "{name} en een citaat naast een afbeelding.",
        "number": "{name} en een groot getal.",
        "comparison": "{name} en twee kolommen naast elkaar.",
        "table": "{name} en een tabel.",
        "bars": "{name} en een staafdiagram.",
        "line": "{name} en een lijndiagram.",
        "image": "{name} en een afbeelding.",
        "pictures": "{name} en afbeeldingen om te vergelijken.",
        "code": "{name} en regels code.",
        "formula": "{name} en een formule.",
        "alert": "{name} en een kaart die opvalt.",
        "verse": "{name} en regels tekst.",
        "dialogue": "{name} en een gesprek.",
        "contact": "{name} en contactgegevens.",
        "flow": "{name} en een stroomdiagram.",
        "close": "Het adres {address} en een code om te scannen.",
    },
}


_CHARTS = ("bars", "line")


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
    phrases = _PHRASES.get(language.partition("-")[0])
    if phrases is None or not name:
        named = [name] if role and layout == "title" and presenter.is_shown else []
        return _sentences([*named, heading, *(point.text for point in points), sight.alt])
    phrase = phrases[_kind(layout, points, sight, language)]
    phrase = phrase if presenter.is_shown else _without_presenter(phrase)
    phrase = phrase.format(heading=heading.rstrip(". "), name=name)
    shown = _range(sight) if layout in _CHARTS else sight.alt
    return f"{phrase.rstrip('.')}: {shown}." if shown else phrase


def _link(sight: Visual, language: str) -> str:
    """Return what says that the close shows a link; empty if it shows none."""
    address = links.display_address(sight.note)
    phrases = _PHRASES.get(language.partition("-")[0], {"close": "{address}."})
    return phrases["close"].format(address=address) if address else ""


def _kind(layout: str, points: tuple[Point, ...], sight: Visual, language: str) -> str:
    """Return what a scene shows, as a key of its language's phrases."""
    if layout == "points" and not any(point.level for point in points):
        return (
            "points and map"
            if named.find_countries(tuple(point.text for point in points), language)
            else layout
        )
    return "quote and picture" if layout == "quote" and sight.file else layout


def _without_presenter(phrase: str) -> str:
    """Return a phrase that begins with the presenter's name and "and" without both: "{name},
    and a list." as "A list.".
    """
    rest = phrase.split(" ", 2)[2]
    return rest[0].upper() + rest[1:]


def _range(sight: Visual) -> str:
    """Return the ends of a chart's first series: of a line its first and last row,
    of bars the least and the greatest.
    """
    rows = [
        (values[0], row)
        for values, row in zip(sight.values, sight.rows, strict=False)
        if values and len(row) > 1
    ]
    if len(rows) < _FEWEST:
        return ""
    ends = (rows[0], rows[-1]) if sight.kind == "line" else (min(rows), max(rows))
    return "; ".join(f"{row[0]}, {row[1]}" for _, row in ends)


def _sentences(parts: list[str]) -> str:
    return tokens.text_of(
        part if part.endswith(_STOPS) else f"{part}{_stop_after(part)}" for part in parts if part
    )


def _stop_after(text: str) -> str:
    return "。" if tokens.wide_signs(text[-1]) and not "가" <= text[-1] <= "힣" else "."
