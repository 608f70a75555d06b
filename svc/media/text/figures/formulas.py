"""Chemical formulas letter by letter, with their numbers in words:
``CO2``, ``H₂SO₄``, ``CO2-Ausstoß``.
"""

import re

from svc.media.text.numerals import spell_cardinal

_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_DIGIT = re.compile("[2-9₂-₉]")  # in the numbers of a formula; 1 is not written
# Elements and groups in brackets with their numbers, then an "e" or the rest of a compound word.
_FORMULA = re.compile(
    r"((?:[A-Z][a-z]?\d{0,2}|\((?:[A-Z][a-z]?\d?)+\)\d){2,8})(?![a-df-z])(e?)((?:['’]s?|"
    r"[-‑][^\W\d].*)?)"
)
_NOT_FORMULAS = frozenset(("NaN",))  # not a number
_WITHOUT_NUMBERS = re.compile(r"((?:[A-Z][a-z]?){2,4})([-‑][^\W\d].*)?")
_SYMBOL = re.compile(r"[A-Z][a-z]?")
# The symbols of one letter, and the common ones of two: more would match more words and names.
_ONE_LETTER = frozenset("HBCNOFPSKVIUWY")
_TWO_LETTERS = frozenset((
    "He", "Li", "Ne", "Na", "Mg", "Al", "Si", "Cl", "Ar", "Ca", "Ti", "Cr", "Mn", "Fe", "Ni", "Cu",
    "Zn", "Ga", "Ge", "Se", "Br", "Kr", "Ag", "Cd", "Sn", "Sb", "Te", "Xe", "Cs", "Ba", "Pt", "Au",
    "Hg", "Pb", "Bi",
))  # fmt: skip
_LARGEST = 24  # of the numbers: COP28 is a conference
_LONG_RUN = re.compile("[A-Z]{3,}")
_ACID = re.compile("[HCNSPK]+O")  # what three letters in a row may be: HNO3, and not COP or PIN


def read_formula(text: str, language: str) -> str | None:
    """Return how a chemical formula is spoken: ``text`` is the formula, or a compound word that
    begins with it. None: it has none.
    """
    if not _DIGIT.search(text):
        return _read_without_numbers(text)
    match = _FORMULA.fullmatch(text.translate(_SUBSCRIPTS))
    if match is None or not _is_formula(match[1]):
        return None
    formula = re.sub("[()]", " ", match[1])
    spelled = re.sub(
        r"[A-Za-z]",
        lambda letter: f" {letter[0].upper()}",
        re.sub(r"\d+", lambda number: f" {number[0]}", formula),
    )
    words = [
        spell_cardinal(int(part), language) if part.isdecimal() else part
        for part in f"{spelled} {match[2]}".split()
    ]
    return " ".join(words) + match[3]


def _read_without_numbers(text: str) -> str | None:
    """Return how a formula without numbers is spoken, ``NaCl``: letter by letter.

    None: it is none, or may be a name or a word.
    """
    match = _WITHOUT_NUMBERS.fullmatch(text)
    symbols = _SYMBOL.findall(match[1]) if match else []
    if (
        match is None
        or match[1] in _NOT_FORMULAS
        or any(
            symbol not in (_ONE_LETTER if len(symbol) == 1 else _TWO_LETTERS) for symbol in symbols
        )
    ):
        return None
    return (
        " ".join(match[1].upper()) + (match[2] or "")
        if any(symbol in _TWO_LETTERS for symbol in symbols)
        else None
    )


def _is_formula(text: str) -> bool:
    """Return whether all parts are elements with small numbers, and the letters no word."""
    symbols = _SYMBOL.findall(text)
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    elements = all(
        symbol in (_ONE_LETTER if len(symbol) == 1 else _TWO_LETTERS) for symbol in symbols
    )
    runs = _LONG_RUN.findall(text)
    return (
        elements
        and len(symbols) > 1
        and bool(numbers)
        and all(2 <= number <= _LARGEST for number in numbers)
        and all(_ACID.fullmatch(run) for run in runs)
    )
