"""Roman numerals in words, after words that are numbered by
them: ``World War II``, ``Kapitel IV``.
"""

import re
from collections.abc import Sequence

from svc.media.text.figures import centuries, regnal
from svc.media.text.numerals import OPENERS, PAUSES, base_language, cardinal, stops

_WORD = re.compile(
    rf"(?P<first>{centuries.NUMERAL})(?:[-–](?P<last>{centuries.NUMERAL}))?"
    rf"(?P<rest>(?:['’]s|[-‑][a-z]\w*)?)(?P<closes>[\"'”’»)\]]*[{PAUSES}.…]*[\"'”’»)\]]*)"
)
LETTERS = frozenset("IVXL")  # with which a numeral begins
_PARTS = {  # of a work: after these, a single letter is a numeral as well
    "en": (
        "war wars ww chapter chapters chap ch part parts pt volume volumes vol book books act "
        "acts scene scenes article articles art title titles section sections sec"
    ),
    "de": "kapitel kap teil teile band bd akt szene buch artikel art abschnitt",
    "fr": "chapitre chap partie tome volume vol livre acte scène titre article art",
    "es": "capítulo cap parte tomo volumen vol libro acto escena título artículo art",
    "it": "capitolo cap parte volume vol libro atto scena titolo articolo art",
    "pt": "capítulo cap parte volume vol livro ato acto cena título artigo art",
    "nl": "hoofdstuk deel band boek akte artikel",
    "sv": "kapitel del band bok akt artikel",
    "pl": "rozdział rozdziale część części tom tomie akt scena księga artykuł",
    "ru": "глава главе главы часть части том томе раздел разделе книга книге акт сцена статья",
    "uk": "розділ розділі частина частині том томі книга акт сцена стаття",
    "da": "kapitel del bind bog akt artikel",
    "nb": "kapittel del bind bok akt artikkel",
}
_KINDS = {  # after these, a single letter may be a letter: Type C
    "en": (
        "phase stage level type class appendix annex schedule division tier bowl mark phases "
        "stages levels types"
    ),
    "de": "phase stufe typ klasse anhang anlage",
    "fr": "phase niveau type classe annexe",
    "es": "fase nivel tipo clase anexo",
    "it": "fase livello tipo classe allegato",
    "pt": "fase nível tipo classe anexo",
    "nl": "fase niveau type klasse bijlage",
    "sv": "fas nivå typ klass bilaga",
    "da": "fase niveau type klasse bilag",
    "nb": "fase nivå type klasse vedlegg",
    "pl": "faza etap typ klasa poziom",
    "ru": "фаза этап тип класс уровень",
    "uk": "фаза етап тип клас рівень",
}
_AND = {
    "en": "and or to",
    "de": "und oder bis",
    "fr": "et ou à",
    "es": "y o a",
    "it": "e o a",
    "pt": "e ou a",
    "nl": "en of tot",
    "sv": "och eller till",
    "da": "og eller til",
    "nb": "og eller til",
    "pl": "i lub do",
    "ru": "и или до",
    "uk": "і або до",
}
# which have a full stop of their own
_SHORT = frozenset(["chap", "ch", "pt", "vol", "art", "sec", "kap", "bd", "cap"])
# whose voices say "Roman eleven", or letters
_AFTER_NAMES = frozenset(("en", "de", "fr", "nl", "sv", "da", "nb"))
_MEAN_MORE = frozenset(("IV", "VI", "XX", "XL"))  # a drip, an editor, sizes
_SHORTEST_NAME = 3  # letters; shorter ones are words
_WITH_A_PRONOUN = ("en", "da")  # written I
# What may follow the numeral I, but not the pronoun.
_AFTER_ONE = frozenset((
    "of", "and", "or", "to", "in", "is", "has", "by", "from", "for", "with", "on", "at", "between",
    "–", "-", "ended", "began",
))  # fmt: skip
_NOT_A_VERB = frozenset(["was", "always", "sometimes", "perhaps"])


def read_roman(pieces: Sequence[str], index: int, language: str) -> str | None:
    """Return how the Roman numeral at ``index`` is spoken, with the punctuation around it; None: it
    is none.

    ``pieces``: the text between spaces.
    """
    if pieces[index][0] in OPENERS:
        pieces = [*pieces[:index], pieces[index].lstrip(OPENERS), *pieces[index + 1 :]]
    if (said := centuries.read_century(pieces, index, language)) is not None:
        return said
    match = _WORD.fullmatch(pieces[index])
    if match is None or not match["first"]:
        return None
    if (
        not match["last"]
        and (
            said := regnal.read_regnal(
                pieces, index, match, centuries.value(match["first"]), language
            )
        )
        is not None
    ):
        return said
    if not (
        _counts(pieces, index, match, language) or _follows_name(pieces, index, match, language)
    ):
        return None
    numerals = [
        cardinal(centuries.value(match[name]), language)
        for name in ("first", "last")
        if match[name]
    ]
    joiner = f" {_AND[base_language(language)].split()[2]} "
    return f"{joiner.join(numerals)}{match['rest']}{stops(match['closes'])}"


def _counts(pieces: Sequence[str], index: int, match: re.Match[str], language: str) -> bool:
    """Return whether the numeral belongs to the word before it,
    or to a numeral that does: ``Parts II and V``.
    """
    base, before = base_language(language), pieces[index - 1] if index else ""
    if base not in _PARTS:
        return False
    alone = len(match["first"]) == 1 and not match["last"]
    if before in _AND[base].split() and index > 1 and match["first"] != "I":
        return read_roman(pieces, index - 2, language) is not None
    word = before.lower().lstrip(OPENERS).removesuffix(".")
    if before.endswith(".") and word not in _SHORT:  # a sentence ends there
        return False
    if word not in _PARTS[base].split() and (alone or word not in _KINDS[base].split()):
        return False
    is_pronoun = base in _WITH_A_PRONOUN and pieces[index] == "I" and not _is_one(pieces, index)
    return not is_pronoun


def _follows_name(pieces: Sequence[str], index: int, match: re.Match[str], language: str) -> bool:
    """Return whether the numeral numbers a name that no list has: ``Apollo XI``, ``Rocky III``.

    IV may be a drip, XX a size.
    """
    before = pieces[index - 1].lstrip(OPENERS) if index else ""
    is_name = (
        before[:1].isupper()
        and before[1:].islower()
        and before.isalpha()
        and len(before) > _SHORTEST_NAME
    )
    if base_language(language) not in _AFTER_NAMES or not is_name or match["last"]:
        return False
    return len(match["first"]) > 1 and match["first"] not in _MEAN_MORE


def _is_one(pieces: Sequence[str], index: int) -> bool:
    """Return whether I is a number: ``World War I``, ``Part I of``, and not ``the part I like``."""
    before = pieces[index - 1]
    if index > 1 and (pieces[index - 2], before) == ("World", "War"):
        return True
    after = pieces[index + 1] if index + 1 < len(pieces) else ""
    if not before[:1].isupper():
        return False
    word = after.rstrip(f".…{PAUSES}")
    verb = word.endswith("s") and not word.endswith("ss") and word not in _NOT_A_VERB
    return not after[:1].islower() or verb or word in _AFTER_ONE
