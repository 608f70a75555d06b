"""Roman numerals that are read as ordinals before or by themselves: ``XIXe siècle``,
``w XX wieku``, ``XX век``.

Voices of other languages read such numerals well.
"""

import re
from collections.abc import Sequence

from svc.media.languages import Dates, Numbers, Roman, read_words
from svc.media.text.numerals import (
    OPENERS,
    PAUSES,
    STOPS,
    base_language,
    extract_stops,
    spell_cardinal,
    spell_ordinal,
)

# A numeral up to 99: a longer one would be a size, a name or a word.
NUMERAL = r"(?:X[LC]|L?X{0,3})(?:I[XV]|V?I{0,3})"
_WORD = re.compile(
    rf"(?P<first>{NUMERAL})(?P<ending>(?:e|ème|er|re|ère|ᵉ|-lea|-a)?)"
    rf"(?:\.?[-–—](?P<last>{NUMERAL})(?:e|ème|ᵉ)?)?(?P<closes>[\"'”’»)\]{PAUSES}.…]*)"
)
# The endings of the Ukrainian third, which is soft.
_SOFT = {
    "і": "і",
    "их": "іх",
    "е": "є",
    "им": "ім",
    "ий": "ій",
    "ій": "ій",
    "а": "я",
    "у": "ю",
    "ої": "ьої",
}
_ROMANIAN_FEMININE = {"doi": "doua", "trei": "treia"}
_WITH_CENTURY = 2  # words before the word for a century: В XX
_DOTTED = re.compile(r"(?:[1-9]|1\d|2[01])\.")
_LATVIAN = "ais"  # the end of a Latvian ordinal: trešais, trešā
# The case endings of an Estonian noun, which an adjective before it has as well; instead of these,
# which come last, it has the genitive.
_ESTONIAN_GENITIVE = ("ni", "na", "ga", "ta")
_ESTONIAN_CASES = ("sse", "st", "lt", "le", "ks", "s", "l", *_ESTONIAN_GENITIVE)
_SOFT_ENDS = ("í", "ći", "ji", "ћи")  # of Czech, Slovak, Croatian, Slovenian and Serbian ordinals
_SHORT = str.maketrans("áéúý", "aeuy")
_LAST_LISTED = 31
_LAST_IN_ONE_WORD = 20  # of the numbers
_LAST_OF_OTHER_STEMS = 4  # Catalan quart, beside quatrè of vint-i-quatrè
_HUNDRED = 100
CYRILLIC = str.maketrans("ХІС", "XIC")  # letters that look like those of numerals
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}


def inflect_ordinal(number: int, language: str, before: str, noun: str) -> str | None:
    """Return an ordinal in the form that what it counts, and the word before, require:
    ``devatenáctém``; None: it is not known. ``noun``: "day" for a month, "queen" for one."""
    forms = read_words(language, Dates).inflected
    endings = forms.get(f"{before.lower()} {noun}") or forms.get(noun)
    if endings is None:
        return None
    return _inflect_each_word(number, language, endings)


def inflect_like_adjective(number: int, language: str, adjective: str) -> str | None:
    """Return an ordinal in the form of the ``adjective`` after it, ``pierwszym``, which may have
    its noun with it; None: its end is not known."""
    known = read_words(language, Dates).inflected_like
    is_pair = " " in adjective
    endings = next(
        (
            ends
            for form, ends in known.items()
            if (" " in form) == is_pair and re.search(form, adjective)
        ),
        None,
    )
    return None if endings is None else _inflect_each_word(number, language, endings)


def inflect_estonian(number: int, noun: str) -> str | None:
    """Return an ordinal in the case of the Estonian ``noun`` after it, ``kolmandal`` before
    ``mail``; None: no case is known from its end. Words before the last keep the genitive."""
    case = next((end for end in _ESTONIAN_CASES if noun.endswith(end)), None)
    if case is None or not 0 < number <= _LAST_LISTED:
        return None
    words = spell_ordinal(number, "et")
    stem = words[:-2] + "se" if words.endswith("ne") else f"{words[:-1]}nda"
    return stem if case in _ESTONIAN_GENITIVE else stem + case


def _inflect_each_word(number: int, language: str, endings: Sequence[str]) -> str | None:
    is_round = str(number) in read_words(language, Numbers).round_ordinals
    if not number and not is_round:
        return None
    if base_language(language) == "pl":
        return polish(number, endings[0])
    if number > _LAST_LISTED and not (is_round or read_words(language, Dates).ordinals_in_words):
        return _inflect_last_word(number, language, endings)
    return " ".join(
        _replace_ending(word, *endings) for word in spell_ordinal(number, language).split()
    )


def compose_ordinal(number: int, language: str) -> str | None:
    """Return an ordinal in words; None: neither num2words nor the language's file has them."""
    known = read_words(base_language(language), Numbers)
    ones, below_hundred = number % 10, number % 100
    if not known.ordinals or number <= _LAST_LISTED or str(number) in known.round_ordinals:
        return spell_ordinal(number, language) if number else None
    if known.ordinals_in_each_word:
        return _compose_each_word(number, language)
    if known.words:
        last = below_hundred if below_hundred <= _LAST_IN_ONE_WORD else ones or below_hundred
        *several, _ = spell_cardinal(number, language).split()
        return " ".join([*several, spell_ordinal(last, language)]) if last else None
    if number > _HUNDRED and below_hundred:  # cent vint-i-cinquè
        hundreds = spell_cardinal(number - below_hundred, language)
        last = (
            below_hundred
            if below_hundred > _LAST_OF_OTHER_STEMS
            else below_hundred + _LAST_IN_ONE_WORD
        )
        said = compose_ordinal(last, language) or ""
        return f"{hundreds} {said if last == below_hundred else said.rpartition('-')[2]}"
    first, hyphen, _ = spell_cardinal(number, language).rpartition("-")
    if hyphen and ones:  # setanta-cinquè, as vint-i-cinquè
        return f"{first}-{spell_ordinal(_LAST_IN_ONE_WORD + ones, language).rpartition('-')[2]}"
    return None


def _compose_each_word(number: int, language: str) -> str | None:
    """Return an ordinal of which thousands, hundreds, tens and ones are all ordinals: Greek
    ``εκατοστός τεσσαρακοστός πέμπτος``."""
    for scale in (1000, 100, 10):
        rest = number % scale
        if not rest or number < scale:
            continue
        first = _spell_round_ordinal(number - rest, language)
        last = compose_ordinal(rest, language)
        return f"{first} {last}" if first and last else None
    return None


def _spell_round_ordinal(number: int, language: str) -> str | None:
    """Return the ordinal of a number that the language's file has; None: it has not."""
    known = read_words(base_language(language), Numbers)
    if number <= _LAST_LISTED:
        return spell_ordinal(number, language)
    return known.round_ordinals.get(str(number))


def _inflect_last_word(number: int, language: str, endings: Sequence[str]) -> str | None:
    """Return an ordinal of whose words only the last is one, where the language's file has all
    words: ``dvije tisuće dvadeset pete``; None: its last word is not listed."""
    last = number % 100 if number % 100 <= _LAST_IN_ONE_WORD else number % 10
    dates = read_words(language, Dates)
    is_listed = read_words(language, Numbers).words or (
        dates.years_by_dot and not dates.ordinals_in_words
    )
    if not last or not is_listed:
        return None
    *first, _ = spell_cardinal(number, language).split()
    return " ".join([*first, _replace_ending(spell_ordinal(last, language), *endings)])


def _replace_ending(word: str, hard: str, soft: str) -> str:
    if word.endswith(_LATVIAN):
        return word.removesuffix(_LATVIAN) + hard
    if word.endswith(_SOFT_ENDS):
        return word[:-1] + soft
    if not word.endswith(("ý", "y", "i", "и")) or word == "и":
        return word  # dvadeset prvi
    # After a long vowel, Slovak has a short one: piaty, piateho.
    return word[:-1] + (hard.translate(_SHORT) if word.endswith("y") else hard)


def expand_centuries(words: Sequence[str], language: str) -> list[str]:
    """Return ``words`` with the short word for a century after its number in full, ``XX в.``, in
    the form that the word before the number requires."""
    base = base_language(language)
    known = read_words(base, Roman)
    result = list(words)
    for index, word in enumerate(words if known.short_centuries else ()):
        bare = word.rstrip(f"{PAUSES})]»”\"'")
        forms = known.short_centuries.get(bare)
        if not forms or not index or not _numbers_century(words[index - 1], base):
            continue
        before = words[index - 2].lower().lstrip(OPENERS) if index > 1 else ""
        full = forms[0 if not before else 1 if before in known.locative else 2]
        marks = word[len(bare) :]
        begins = index <= _WITH_CENTURY or words[index - _WITH_CENTURY - 1][-1:] in STOPS
        is_end = (
            not marks
            and (  # В XXI в. Москва
                index + 1 == len(words) or (words[index + 1][:1].isupper() and not begins)
            )
        )
        result[index] = full + (marks or "." * is_end)
    return result


def _numbers_century(word: str, base: str) -> bool:
    """Return whether ``word`` is the number of a century, or of the first and last of several."""
    match = _WORD.fullmatch(word.lstrip(OPENERS).translate(CYRILLIC))
    if match is not None and match["first"]:
        return True
    return read_words(base, Dates).ordinals_by_dot and _DOTTED.fullmatch(word) is not None


def read_century(pieces: Sequence[str], index: int, language: str) -> str | None:
    """Return how the numeral at ``index`` is spoken, or the two of a range,
    with the punctuation after; None: it is none.
    """
    base = base_language(language)
    match = _WORD.fullmatch(pieces[index].translate(CYRILLIC))
    if match is None or not match["first"]:
        return None
    before, after = (
        pieces[index - 1] if index else "",
        pieces[index + 1] if index + 1 < len(pieces) else "",
    )
    numbers = [parse_numeral(match[name]) for name in ("first", "last") if match[name]]
    marks = extract_stops(match["closes"])
    known = read_words(base, Roman)
    if known.ordinals_by_dot:  # as after digits
        ranks = [inflect_ordinal(number, base, before, after.rstrip(PAUSES)) for number in numbers]
        has_genders = bool(read_words(base, Dates).inflected)
        is_counted = after.rstrip(PAUSES) in known.kings or (
            after[:1].islower() and not has_genders
        )
        if marks[:1] != "." or not (ranks[-1] or is_counted):
            return None
        said = [
            rank or spell_ordinal(number, base) for rank, number in zip(ranks, numbers, strict=True)
        ]
        return _join_ordinals(said, base) + marks[1:]
    if not match["ending"] and _is_after_century(pieces, index, base):
        said = [rank_in_words(number, language) for number in numbers]
        return f" {read_words(language, Numbers).to} ".join(said) + marks
    after = _speak_century(pieces, index, base) or after
    read = _READERS.get(base, _keep_digits)
    following = after.rstrip(f'{PAUSES}.…)»”"')
    words = [read(number, match["ending"], before, following, base) for number in numbers]
    return None if None in words else _join_ordinals(list(map(str, words)), base) + marks


def _join_ordinals(ordinals: list[str], base: str) -> str:
    """Return the first and the last of several centuries with the word for "to" between them, but
    not where that would inflect them: ``dix-neuvième à vingtième``."""
    numbers = read_words(base, Numbers)
    joiner = f" {numbers.to} " if numbers.to and not numbers.to_case else " "
    return joiner.join(ordinals)


def _is_after_century(pieces: Sequence[str], index: int, base: str) -> bool:
    """Return whether the word for a century is before a numeral, or before another one that is
    joined to it: ``siglos XVI y XVII``."""
    known = read_words(base, Roman)
    if not known.before_centuries or not index:
        return False
    if pieces[index - 1].lower().lstrip(OPENERS) in known.before_centuries:
        return True
    is_joined = pieces[index - 1] in known.joiners and index > 1
    return is_joined and _is_after_century(pieces, index - 2, base)


def _speak_century(pieces: Sequence[str], index: int, base: str) -> str:
    """Return the word for a century after another numeral that is joined to the one at ``index``:
    ``XIX и XX веков``; empty: there is none."""
    first, *rest = (*pieces[index + 1 : index + 4], "", "", "")
    return rest[1] if is_numeral(rest[0]) and first in read_words(base, Roman).joiners else ""


def is_numeral(word: str) -> bool:
    """Return whether ``word`` is a Roman numeral, also one in Cyrillic letters: ``ХХ``."""
    return bool(word) and re.fullmatch(NUMERAL, word.translate(CYRILLIC)) is not None


def rank_in_words(number: int, language: str) -> str:
    """Return what stands after a century or a ruler: an ordinal, or a cardinal where later ones
    are said so."""
    last = read_words(language, Roman).last_ordinal
    return (
        spell_cardinal(number, language)
        if last and number > last
        else spell_ordinal(number, language)
    )


def _read_french(number: int, ending: str, before: str, after: str, base: str) -> str | None:
    if not ending and after in read_words(base, Roman).centuries:
        return spell_ordinal(number, "fr")
    if not ending or (number, ending) == (50, "e"):  # Le, the article
        return None
    if number == 1:
        return "première" if ending in ("re", "ère") else "premier"
    return spell_ordinal(number, "fr")


def _read_russian(number: int, ending: str, before: str, after: str, base: str) -> str | None:
    case, gender = read_words(base, Roman).centuries.get(after, " ").split(" ")
    return spell_ordinal(number, "ru", case=case, gender=gender) if case and not ending else None


def _read_polish(number: int, ending: str, before: str, after: str, base: str) -> str | None:
    known = read_words(base, Roman)
    form = known.centuries.get(after)
    form = "ym" if form == "ego" and before.lower() in known.locative else form
    return polish(number, form) if form and not ending else None


def polish(number: int, form: str) -> str:
    """Return a Polish ordinal with another ending: dwudziesty, dwudziestego; trzeci,
    trzeciego, trzecim, trzecia.
    """
    return " ".join(_inflect(word, form) for word in spell_ordinal(number, "pl").split())


def _inflect(word: str, form: str) -> str:
    if form == "y" or not word.endswith(("y", "i")):  # dwa tysiące dwudziesty
        return word
    if form in ("a", "ą") and word.endswith("gi"):  # drugi, druga
        return f"{word[:-1]}{form}"
    return f"{word[:-1]}{form}" if word.endswith("y") else f"{word}{form.replace('y', '')}"


def _read_ukrainian(number: int, ending: str, before: str, after: str, base: str) -> str | None:
    form = read_words(base, Roman).centuries.get(after)
    # At the beginning of a sentence it is the subject.
    form = "е" if after == "століття" and not before else form
    return None if form is None or ending else spell_ukrainian_ordinal(number, form)


def spell_ukrainian_ordinal(number: int, form: str) -> str:
    """Return a Ukrainian ordinal with another ending: двадцяте, двадцятого, третього."""
    if not number:  # of which num2words has none
        return f"нульов{form}"
    *first, last = spell_ordinal(number, "uk").split()
    soft = last.endswith("ій")  # третій
    return " ".join([*first, last[:-2] + (_SOFT.get(form, f"ь{form}") if soft else form)])


def _read_romanian(number: int, ending: str, before: str, after: str, base: str) -> str | None:
    if not ending.startswith("-"):
        return None
    return spell_romanian_ordinal(number, ending)


def spell_romanian_ordinal(number: int, ending: str) -> str:
    """Return a Romanian ordinal after its article, al or a: ``douăzecilea``, ``doua``."""
    said = "întâilea" if number == 1 else spell_ordinal(number, "ro").removeprefix("al ")
    if ending == "-lea" or number == 1:
        return said if ending == "-lea" else "întâia"
    *first, last = said.removesuffix("lea").split()
    if last == "sută":  # a suta, but a două sute una
        return "suta"
    last = last.replace("doispre", "douăspre")
    form = _ROMANIAN_FEMININE.get(last) or (
        last + "a" if last[-1] == "e" else last[:-1] + ("ea" if last[-1] == "i" else "a")
    )
    return " ".join([*first, form])


def _read_dutch(number: int, ending: str, before: str, after: str, base: str) -> str | None:
    return spell_ordinal(number, base) if after in read_words(base, Roman).centuries else None


def _read_lithuanian(number: int, ending: str, before: str, after: str, base: str) -> str | None:
    """Return ``dvidešimto`` or ``devyniolikto``, whose stems no library has."""
    known, form = read_words(base, Numbers), read_words(base, Roman).centuries.get(after)
    stems = known.in_compounds.get("ordinal", {})
    if form is None or ending:
        return None
    if number > _LAST_IN_ONE_WORD and number % 10:
        return f"{spell_cardinal(number - number % 10, base)} {stems[str(number % 10)]}{form}"
    return stems.get(str(number), spell_cardinal(number, base)) + form


def _speak_as_ordinal(number: int, ending: str, before: str, after: str, base: str) -> str | None:
    known = read_words(base, Roman).centuries
    return spell_ordinal(number, base) if after in known and not ending else None


def _keep_digits(number: int, ending: str, before: str, after: str, base: str) -> str | None:
    """Return a numeral in digits for a language whose voice reads them in front of this word, and
    would say "Roman twenty" or "X X".
    """
    known = read_words(base, Roman).centuries_in_digits
    return str(number) if after in known and not ending else None


_READERS = {
    "fr": _read_french,
    "ru": _read_russian,
    "pl": _read_polish,
    "uk": _read_ukrainian,
    "ro": _read_romanian,
    "nl": _read_dutch,
    "lt": _read_lithuanian,
    **dict.fromkeys(("en", "it", "bg"), _speak_as_ordinal),
}


def parse_numeral(numeral: str) -> int:
    """Return the number that a Roman numeral is."""
    values = [_VALUES[letter] for letter in numeral.translate(CYRILLIC)]
    return sum(
        -value if value < following else value
        for value, following in zip(values, [*values[1:], 0], strict=True)
    )
