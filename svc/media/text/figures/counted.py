"""One of something with its article, and numbers of stars: ``1 Tasse``, ``1 cebolla``, ``4.8★``."""

import re

from svc.media.text import vocabulary
from svc.media.text.numerals import DIGITS, base_language, number_in_words

_STARS = re.compile(f"({DIGITS})★+")
_LABEL_WORDS = (  # after which 1 is a name: Kapitel 1 beginnt
    "kapitel teil schritt punkt nummer artikel absatz satz seite phase stufe klasse typ tag woche "
    "band abschnitt platz version ziffer raum gleis formel lektion modul quartal capítulo parte "
    "paso fase artículo página nivel tipo número punto tema lección unidad día semana capitolo "
    "passo articolo pagina livello numero punto lezione giorno settimana passo artigo nível lição "
    "dia chapitre partie étape article niveau numéro leçon jour semaine point module page"
)
_OTHER_WORDS = (
    "de del y o u a en con por para al el la los las es son como e em com do da os as ou à au aux "
    "et ou en dans avec pour sur le les des du est sont à di il lo gli un una per su che ed sono "
    "und oder bis von in im am an auf mit zu ist sind war wird"
)
_BEFORE_ONE = frozenset(("a", "an", "each", "every", "another", "this", "that", "one", "per"))
_BEFORE_ANY = frozenset(
    ("the", "our", "its", "his", "her", "their", "my", "your", "these", "those")
)
_VERBS = frozenset((  # after these, the quantity was meant: the 5 km we ran, the $5 spent
    "we", "you", "they", "I", "he", "she", "it", "are", "were", "has", "have", "had", "spent",
    "paid", "lost", "won", "left", "goes", "go", "went", "needs", "need", "makes", "make", "cost",
    "costs", "must", "should", "would", "could", "may", "do", "does", "did", "there", "here", "not",
    "so", "too", "all", "our", "its", "his", "her", "their", "you", "your", "my",
))  # fmt: skip
_AFTER_A_QUANTITY = frozenset((  # words before which it is no adjective
    "of", "in", "at", "to", "from", "or", "and", "is", "was", "for", "on", "by", "with", "per", "a",
    "an", "the", "as", "if", "but", "when", "while", "than", "that", "which", "who", "will", "can",
    "may", "over", "under",
))  # fmt: skip
_LABELS, _NO_NOUNS = frozenset(_LABEL_WORDS.split()), frozenset(_OTHER_WORDS.split())
_FEMININE = {
    "de": re.compile(
        r"(?!\w*byte$)[A-ZÄÖÜ]\w*(?:e|ung|heit|keit|schaft|ion|tät|ik|ei)|[a-zäöü]\w+e"
    ),
    "fr": re.compile(
        r"\w+(?:[st]ion|té|tte|lle|sse|nce|ure|[ai]ne|ère|euse|trice|ée|ie|ise|ade|onne|che|eure|"
        r"onde|ute|ate)"
    ),
    "es": re.compile(r"\w+(?:a|[cs]ión|dad|tud|ez)"),
    "it": re.compile(r"\w+(?:a|[sz]ione|tà)"),
    "pt": re.compile(r"\w+(?:a|ção|são|dade)"),
}
_MASCULINE = {
    "de": re.compile(r"[A-ZÄÖÜ]\w+|[a-zäöü]\w+e[rs]"),
    **dict.fromkeys(("fr", "es", "it", "pt"), re.compile(r"\w{3,}")),
}
_ARTICLES = {
    "de": ("ein", "eine"),
    "fr": ("un", "une"),
    "es": ("un", "una"),
    "it": ("un", "una"),
    "pt": ("um", "uma"),
}
_NEUTER = re.compile(r"(?:gramm|pfund|byte|bit|grad|watt|volt)$", re.IGNORECASE)
_BEFORE_UNO = re.compile(r"s[^aeiouh]|z|gn|ps|[xy]", re.IGNORECASE)


def read_one(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return 1 before a noun as the article that its ending suggests; None: no noun follows,
    or 1 is a name there.
    """
    base, noun = base_language(language), after.rstrip(".,;:!?)")
    if text != "1" or base not in _ARTICLES or not noun.isalpha() or noun.lower() in _NO_NOUNS:
        return None
    return None if before.lower().strip("(") in _LABELS else article(noun, base)


def article(noun: str, base: str) -> str | None:
    """Return the article for one ``noun`` that its ending suggests; None: it is not known."""
    if base not in _ARTICLES:
        return None
    if _FEMININE[base].fullmatch(noun):
        return _ARTICLES[base][1]
    if base == "it" and _BEFORE_UNO.match(noun):
        return "uno"
    return _ARTICLES[base][0] if _MASCULINE[base].fullmatch(noun) else None


def is_adjective(before: str, after: str, language: str) -> bool:
    """Return whether a quantity stands before a noun like an adjective,
    and so in the singular in English: ``a 40 cm gap``.
    """
    first, noun = before.lower().lstrip("(“\"'"), after.rstrip(".,;:!?)…")
    if base_language(language) != "en" or not noun[:1].isalpha() or noun in _AFTER_A_QUANTITY:
        return False
    return first in _BEFORE_ONE or (
        first in _BEFORE_ANY and not noun.endswith("ed") and noun not in _VERBS
    )


def half_of(noun: str) -> str:
    """Return German for half of one ``noun``, such as a unit."""
    return (
        "eine halbe"
        if article(noun, "de") == "eine"
        else "ein halbes"
        if _NEUTER.search(noun)
        else "ein halber"
    )


def read_stars(text: str, language: str, before: str = "", after: str = "") -> str | None:
    """Return a number of stars in words; None: ``text`` is none."""
    match, stars = _STARS.fullmatch(text), vocabulary.STARS.get(base_language(language))
    return (
        f"{number_in_words(match[1], language, alone=False)} {stars}" if match and stars else None
    )
