"""Numbers that are codes, and no amounts: what a text or a call goes to, PINs, postcodes,
references. What stands beside them is in the files of the languages.
"""

from collections.abc import Sequence

from svc.media.languages import Everywhere, merge_words
from svc.media.text.grammar import small_words
from svc.media.text.numerals import CLOSERS, OPENERS, STOPS

_LEAST, _MOST = 3, 9  # digits
_BEFORE, _AFTER = 7, 5  # words between which one says that a number is a code
# Words before one that is a code; whatever seems to be counted by it, if only such as "is" are
# between: "The PIN is 4821 today", but "The code has 2000 lines".
_NEAR = 3
_AROUND = f"{OPENERS}{CLOSERS}{STOPS}"


def is_code(words: Sequence[str], at: int, counted: str = "") -> bool:
    """Return whether the number at a place of a sentence is a code: ``Text 60042``, ``PIN 4821``.

    ``counted``: the word after it that it may count.
    """
    digits = words[at].strip(_AROUND)
    if not digits.isdecimal() or not _LEAST <= len(digits) <= _MOST:
        return False
    said = [word.strip(_AROUND).casefold() for word in words]
    known = merge_words(Everywhere)
    between = list(words[max(0, at - _NEAR) : at])
    while between and said[at - len(between)] not in known.code_names:
        del between[0]
    is_counted = counted.isalpha() and not counted.isupper()  # no "1012 AB"
    if between and (not is_counted or all(map(_joins_name, between[1:]))):
        return True
    beside = {*said[max(0, at - _BEFORE) : at], *said[at + 1 : at + 1 + _AFTER]}
    is_counted = is_counted and counted.casefold() not in known.code_names | known.codes
    return not is_counted and not known.codes.isdisjoint(beside)


def _joins_name(word: str) -> bool:
    """Return whether ``word`` may stand between the name of a code and the code: "is", "to", or
    what is sent in capitals, "HELP"."""
    bare = word.strip(_AROUND)
    joining = small_words.list_leaning_words() | small_words.list_prepositions()
    return bare.isupper() or bare.casefold() in joining | merge_words(Everywhere).after_unknowns
