"""Abbreviations: which dots end no sentence, and how they are spoken."""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Literal

from babel.dates import get_day_names, get_month_names
from yasbd.rules import get_supported_langs, load_rule

from svc.media.languages import (
    Abbreviations,
    Dates,
    Everywhere,
    Grammar,
    Numbers,
    Sentences,
    add_other_script,
    merge_words,
    read_words,
    read_words_by_language,
)
from svc.media.text.figures import labels
from svc.media.text.numerals import OPENERS, SPACE, base_language, find_locale

# U.S., J.-C., EE.UU., and no numeral
_INITIALS = re.compile(r"(?:[^\W\d_]\.(?:-|(?=.)|$)){2,}|(?:([^\W\d_IXix])\1\.){1,2}")
_LETTERS = re.compile(r"(?:[^\W\d_]\.){2,}")
_INITIAL = re.compile(r"[^\W\d_]\.")
# A syllable of a script without capitals, which is an initial before a name: रा. कु. वर्मा.
_SYLLABLE = re.compile(r"[^\W\d_][\u0900-\u0903\u093a-\u094f]*\.")
_NUMBER = re.compile(
    rf"§+$|[{re.escape(OPENERS)}§#]*(?:[-+−≥≤<>~]?[$€£¥]?\d|[IVXLCM]{{2,}}[.,;:)]?$|[A-Za-z]?\d)"
)
_ENDS_OF_COMPOUNDS = ("nr.", "nro.")  # KvK-nr., Vertragsnr.
_DAY = re.compile(r"(?:0?[1-9]|[12]\d|3[01])\.?")
_YEAR = re.compile(r"(?:1\d|20)\d\d(?!,?\d)")
# A number that begins with letters, as those of firms, policies and paragraphs do: HRB 1234, B-123.
_LETTERED_NUMBER = re.compile(
    rf"[{re.escape(OPENERS)}]?(?P<letters>[^\W\d_]{{1,4}})\.?(?:[-–/{SPACE} ]\.?|)(?P<digits>\d\S*)"
)
_LONGEST = 4  # letters of an abbreviation that no list needs to know, before a small letter
_VOWELS = frozenset("aeiouyæœøıаеёиоуыэюяєіъαεηιουω")  # without their marks
_HAVE_STREETS = ("de", "en")  # which others take over with the rest of a list
_STREETS_OF_LIBRARY = "STREET_ABBRVS"  # which the library's type of rules lacks
_MOST_PARTS = 4  # z. B., i. d. R., s. r. o.

_MOST_OF_STREET = 6  # words of its name and number
_HOUSE = re.compile(r"\d{1,5}(?:[-/]?\d{0,3}[A-Za-z]?)?[.,;:)]*")
_BEFORE_HOUSE = ("nº", "n.º", "n°", "n.", "nr.", "no", "no.", "s/n")
_WIDTHS: tuple[Literal["abbreviated", "short"], ...] = ("abbreviated", "short")
_ELIDED = re.compile(r"([^\W\d_]{1,5}['’])([^\W\d_]{2,5}\.)")  # l'Avv., dell'Ing.


def read_street(words: Sequence[str], index: int, language: str) -> str | None:
    """Return the word for a street of which only a letter is written, ``R. Augusta, 1500``; None:
    it is an initial, unless a house has a number there, or a word of place is before it."""
    known = read_words(base_language(language), Abbreviations)
    bare = words[index].lstrip(OPENERS)
    if bare not in known.street_letters or index + 1 == len(words):
        return None
    before = words[index - 1] if index else ""
    is_title = before.endswith(".") and is_listed(before.lstrip(OPENERS), language)
    if is_title or (before[:1].isupper() and before[-1:].isalnum()):  # Sr. R. Silva, José R. Silva
        return None
    of_place = before.lower().rstrip(":") in known.before_streets
    if not (
        of_place or _has_house_number(words[index + 1 : index + 1 + _MOST_OF_STREET], language)
    ):
        return None
    return words[index][: -len(bare)] + known.street_letters[bare]


def _has_house_number(following: Sequence[str], language: str) -> bool:
    """Return whether a name with the number of a house begins a text, and no person with an age:
    ``Augusta, 1500``, not ``Silva, 45 anos``."""
    small = read_words(base_language(language), Everywhere).within_names
    for place, word in enumerate(following):
        if _HOUSE.fullmatch(word) or word.lower() in _BEFORE_HOUSE:
            after = following[place + 1] if place + 1 < len(following) else ""
            return place > 0 and not after[:1].islower()
        if not (word[:1].isupper() or word in small) or word.endswith("."):
            return False
    return False


def find_lettered_number(words: Sequence[str], index: int, language: str) -> str:
    """Return the digits of a number that begins with capitals, after an abbreviation that stands
    before numbers: ``448`` of ``company no. SC 448``; empty: there is none, or the abbreviation may
    be an answer, as ``No.`` is where a sentence begins."""
    bare, base = words[index].lstrip(OPENERS), base_language(language)
    elided = _ELIDED.fullmatch(bare) if read_words(base, Sentences).elides else None
    name = (elided[2] if elided else bare).lower()
    known = merge_words(Everywhere).before_a_number.union(
        read_words(base, Abbreviations).before_a_number
    )
    ends = tuple(each for each in known if each.endswith(_ENDS_OF_COMPOUNDS))
    if name not in known and not (ends and name.endswith(ends)):
        return ""
    number = _LETTERED_NUMBER.match(" ".join(words[index + 1 : index + 3]))
    if number is None or not number["letters"].isupper():
        return ""
    begins = index == 0 or words[index - 1].endswith((".", "!", "?", "…", ":"))
    is_answer = name.removesuffix(".") in read_words(language, Grammar).negations
    return "" if begins and is_answer and bare[:1].isupper() else number["digits"]


def count_joined(parts: list[str], language: str) -> int:
    """Return how many of ``parts``, the pieces from here on,
    are one abbreviation written with spaces (``z. B.``); 0: none.
    """
    known = _load_known(base_language(language))
    written = ""
    length = 0
    for count, part in enumerate(parts[:_MOST_PARTS], 1):
        written += part.lstrip(OPENERS) if count == 1 else part
        bare = written.lower().rstrip(",;:)!?")
        if count > 1 and (
            bare in known or (count == 2 and _INITIALS.fullmatch(bare) and bare[0] == bare[1])
        ):
            length = count
        # c. à s.
        if not part.endswith(".") and not part.rstrip(",;:)!?").endswith(".") and part != "à":
            break
    return length


def expand_abbreviation(bare: str, language: str, before: str, after: str) -> str | None:
    """Return how ``bare`` (with its dot) is spoken: in full, or without its dots;
    None: it is not an abbreviation here.
    """
    base = base_language(language)
    spelled = merge_words(Everywhere).spelled_letters
    if before[-1:].isdecimal() and (behind := find_after_number(before, bare, language)):
        return behind
    numbered = read_words(base, Abbreviations).before_a_number.get(bare)
    if read_words(base, Abbreviations).caseless and numbered and _NUMBER.match(after):  # ई. 2019
        return numbered
    if read_words(base, Abbreviations).caseless and (
        _INITIAL.fullmatch(bare) or (bare[-1:] == "." and bare[:-1] in spelled)
    ):
        return _speak_caseless_initial(bare[:-1], base, before, after)
    if read_words(base, Sentences).elides and (parts := _ELIDED.fullmatch(bare)):
        said = _speak_abbreviation(parts[2], language, before, after)
        return said and parts[1] + said
    if read_words(base, Abbreviations).caseless and _is_initial_in_a_row(
        bare, language, before, after
    ):
        return bare[:-1]
    known = read_words(base, Abbreviations)
    title = _find_title_in_a_name(bare, base)
    if title and after[:1].isupper() and re.match(known.before_a_name, f"{before} {after}"):
        return title
    phrase = f"{before} {bare} {after}"
    for form, said in known.in_a_phrase.items():
        if re.match(form, phrase):
            return said
    inflected = known.after_a_word.get(f"{before} {bare}".lower().replace(SPACE, " "))
    return inflected or _speak_abbreviation(bare, language, before, after)


def _find_title_in_a_name(bare: str, base: str) -> str:
    """Return how a short title is said in the name of a street; empty: ``bare`` is none. A single
    letter with a capital is an initial: ``ul. O. Kolberga``."""
    titles, name = read_words(base, Abbreviations).title_in_a_name, bare.removesuffix(".")
    return titles.get(name.lower() if len(name) > 1 else name, "")


def _is_initial_in_a_row(bare: str, language: str, before: str, after: str) -> bool:
    """Return whether ``bare`` is one of several initials of a script without capitals: either of
    ``रा. कु. वर्मा``, though the second alone is short for a title."""
    if not _SYLLABLE.fullmatch(bare) or len(bare) < len("रा."):
        return False
    is_second = _SYLLABLE.fullmatch(before) is not None
    if is_listed(bare, language):
        return is_second and not is_listed(before, language)
    return is_second or _SYLLABLE.fullmatch(after) is not None


def find_after_number(figure: str, bare: str, language: str) -> str:
    """Return what is said for an abbreviation behind a figure, ``9 ص``, ``2025 م``; empty: it is
    none."""
    listed = read_words(base_language(language), Abbreviations).after_a_number
    pair = f"{figure} {bare}"
    return next((said for form, said in listed.items() if re.fullmatch(form, pair)), "")


def _speak_abbreviation(bare: str, language: str, before: str, after: str) -> str | None:
    name, base = bare.lower().replace(SPACE, ""), base_language(language)
    before_number = bool(_NUMBER.match(after))
    is_name = before and bare in ("C.", "Max.")
    if (
        before_number
        and not is_name
        and not _is_word(name, base, before)
        and (full := read_words(base, Abbreviations).before_a_number.get(name))
    ):
        return full
    dotted = name.endswith(".")
    is_month = _DAY.fullmatch(before) and name in read_words(base, Dates).short_months
    if (
        (dotted or base == "en" or is_month)
        and (before_number or before[:1].isdecimal())
        and (month := list_months(base).get(name.rstrip(".")))
    ):
        return month
    if (named := _expand(bare, base, before, after)) is not None:
        return named
    if name == "est." and base == "en":
        return (
            "established"
            if _YEAR.match(after)
            else "estimated"
            if before_number or after[:1].islower()
            else None
        )
    if name == "i.a." and base == "de" and bare[-2:-1] == "A":
        return "im Auftrag"
    if name == "г." and not before[:1].isdecimal():
        # Г. Иванов, an initial
        return "Г" if bare[0].isupper() and after[:1].isupper() else "город"
    everywhere = merge_words(Everywhere)
    # núm. de cuenta; "no." is an answer, too
    goes_on = after[:1].islower() and name != "no."
    if name in everywhere.before_a_number and not (before_number or goes_on):
        return None
    if (full := _load_known(base).get(name)) is not None:
        return (
            _spell_initials(bare, language, before, after)
            or full
            or " ".join(bare.replace(".", "").split())
        )
    is_name_in_short = is_given_name(bare, after, language)
    if (
        name in everywhere.abbreviations
        or is_name_in_short
        or (dotted and _is_title(bare[:-1], base))
    ):
        return bare.replace(".", " ").strip()
    if _INITIAL.fullmatch(bare) and (bare[0].isupper() or after[:1].islower()):
        return None if labels.ends_sentence(bare[0], before, after, language) else bare[0]
    return " ".join(re.sub(rf"[.\-{SPACE}]", "", bare)) if _INITIALS.fullmatch(name) else None


def _is_word(name: str, base: str, before: str) -> bool:
    """Return whether an abbreviation before a number is the word that it also is, at the end of a
    sentence: ``Wir tranken Sekt. 3 Gäste``, or a unit: ``5 pkt. 3``."""
    known = read_words(base, Abbreviations)
    if before[-1:].isdecimal():
        return name in known.also_units | known.also_words
    is_led = before.lower() in known.refers
    return name in known.also_words and before[-1:].isalpha() and not is_led


def _spell_initials(bare: str, language: str, before: str, after: str) -> str:
    """Return the letters of what :func:`_are_initials`; empty: it is none."""
    are_initials = _are_initials(bare, language, before, after)
    return " ".join(bare.replace(".", " ").split()) if are_initials else ""


def _are_initials(bare: str, language: str, before: str, after: str) -> bool:
    """Return whether letters that are an abbreviation elsewhere are initials: they have capitals,
    which that has not, within a sentence, or before a name: ``S. A. Müller``."""
    name, base = bare.replace(SPACE, ""), base_language(language)
    if not (_LETTERS.fullmatch(name) and name.isupper()) or before[-1:].isnumeric():
        return False
    if name.lower() in read_words(base, Abbreviations).with_capitals or after.isupper():
        return False
    if not _load_known(base).get(name.lower()):
        return False
    follows = after.lstrip(OPENERS)
    is_name = follows[:1].isupper() and not labels.is_sentence_start(follows, language)
    starts = not before or not before[-1].isalnum() or (len(before) > 1 and before.isupper())
    return is_name or (not starts and follows[:1].islower())


def never_ends(bare: str, language: str, after: str) -> bool:
    """Return whether the dot of ``bare`` ends no sentence in a language whose text is spoken as it
    is written: it is that of a title, or of a letter of a script without capitals."""
    base, name = base_language(language), bare.lower()
    is_initial = (
        read_words(base, Abbreviations).caseless
        and _INITIAL.fullmatch(bare) is not None
        and not labels.names_letter(after)
    )
    return bool(after) and name.endswith(".") and (is_initial or _is_title(bare[:-1], base))


def is_given_name(bare: str, after: str, language: str) -> bool:
    """Return whether ``bare`` (with its dot) is a given name in short before a surname: Wm. Reid;
    ``after`` is no word that begins a sentence."""
    name, follows = bare.removesuffix("."), after.lstrip(OPENERS)
    return (
        bare.endswith(".")
        and name[:1].isupper()
        and name.casefold() in merge_words(Everywhere).given_names
        and follows[:1].isupper()
        and not labels.is_sentence_start(follows, language)
    )


def is_listed(bare: str, language: str) -> bool:
    """Return whether ``bare`` (with its dot) stands in one of the lists of a language, or is an
    initial or several, so that the rules here know what its dot means."""
    name, base = bare.lower().replace(SPACE, ""), base_language(language)
    everywhere = merge_words(Everywhere)
    lists = (
        _load_known(base),
        read_words(base, Abbreviations).before_a_number,
        everywhere.abbreviations,
        everywhere.counted,
        everywhere.may_end,
        everywhere.of_a_price,
    )
    if (
        any(name in listed for listed in lists)
        or name.rstrip(".")
        in _read_titles(base) | list_months(base).keys() | list_days(base).keys()
    ):
        return True
    return _INITIAL.fullmatch(bare) is not None or _INITIALS.fullmatch(name) is not None


def is_spoken(bare: str, language: str) -> bool:
    """Return whether ``bare`` is an abbreviation that the language's file has in full."""
    return bare.lower() in _load_known(base_language(language))


def is_title(word: str, language: str) -> bool:
    """Return whether ``word`` stands before names, with or without its dot: Dr., sig.ra."""
    return word.casefold().removesuffix(".") in _read_titles(base_language(language))


def is_day_or_month(word: str, language: str) -> bool:
    """Return whether ``word`` is a day or a month, or short for one: 5 p.m. Monday."""
    base, name = base_language(language), word.strip(f"{OPENERS},;:.").casefold()
    known = {**list_days(base), **list_months(base)}
    return len(name) > 2 and (name in known or name in {full.casefold() for full in known.values()})


def _speak_caseless_initial(letter: str, base: str, before: str, after: str) -> str | None:
    """Return how a letter with a dot in front of a name is spoken; None: its dot ends a sentence,
    as after a year or a plan.
    """
    if not after[:1].isalpha() or before[-1:].isdecimal() or labels.names_letter(before):
        return None
    return read_words(base, Abbreviations).letter_titles.get(letter, letter)


def _expand(bare: str, base: str, before: str, after: str) -> str | None:
    """Return a day of the week beside a number, a street after its name,
    or what stands before a name, in full.
    """
    name = bare.lower()
    follows, beside_number = after[:1], bool(_NUMBER.match(after))
    known = read_words(base, Abbreviations)
    if name == "c/" and known.with_slash:
        is_street = base == "es" and (bare[0] == "C" or follows.isupper())
        return "calle" if is_street else known.with_slash
    if (day := _expand_weekday(bare, base, before, after)) is not None:
        return day
    if beside_number and name == "ø" and base == "de":
        return "Durchmesser" if re.search(r"\d\D?[cdm]?m\b", after) else "durchschnittlich"
    if beside_number and known.street_end:
        return _expand_compound(bare, base)
    numbered = after.lower().rstrip(":") in known.before_a_number  # Bağdat Cad. No: 5
    if (
        before[:1].isupper()
        and (not follows.isupper() or numbered)
        and name in known.after_a_capital
    ):
        return known.after_a_capital[name]
    is_initial = _INITIAL.fullmatch(bare) and (
        (before[:1].isupper() and not before.endswith((":", ",")))
        or before.lower() in ("la", "el")
        or labels.names_letter(before)
    )
    is_woman = follows.isupper() and not is_initial and after.rstrip(f".,;:{SPACE}").endswith("a")
    if is_woman and (woman := known.before_a_woman.get(name)):
        return woman
    is_capital = bare.isupper() and _INITIAL.fullmatch(bare) is not None  # П. Иванов, an initial
    small = read_words(base, Everywhere).within_names
    is_named = (
        follows.isupper()
        or (len(name) > 2 and after in small)  # Av. de América
        or _find_title_in_a_name(after, base) != ""  # ul. gen. Bema
        or after.lower() in known.before_a_capital  # ul. sv. Anny
    )
    return (
        known.before_a_capital.get(bare if is_capital else name)
        if is_named and not is_initial and bare != "BD"
        else None
    )


def _expand_weekday(bare: str, base: str, before: str, after: str) -> str | None:
    """Return an abbreviated day of the week beside a number, a month, a comma,
    a small letter or the word for "to" in full.
    """
    name = bare.lower().removesuffix(".")
    dates = read_words(base, Dates)
    if (
        not dates.reads_days
        or name in dates.days_like_words
        or not (bare[1:].islower() or len(name) == 1)
    ):
        return None
    beside_number, follows = bool(_NUMBER.match(after)), after[:1]
    without_dot = (
        dates.shortest_day > 0
        and bare[:1].isupper()
        and len(bare) >= dates.shortest_day
        and name != "so"
    )
    with_dot = bare.endswith(".") and (
        bare[:1].isupper() if dates.shortest_day else base != "it" or bare.islower()
    )
    beside = with_dot and (
        follows.islower()
        or follows == ","
        or (before != "" and before == read_words(base, Numbers).to)
        or after.strip(",.").lower() in list_months(base)
        or (before.lower() in dates.before and bare.islower())  # du lun. au ven.
    )
    return (
        list_days(base).get(name)
        if (beside_number and (with_dot or without_dot)) or beside
        else None
    )


def _expand_compound(bare: str, base: str) -> str | None:
    """Return ``Kontonr.``, ``Hauptstr.`` and ``Storgt.`` in full;
    None: ``bare`` is no such compound.
    """
    if full := read_words(base, Abbreviations).spoken.get(bare.lower()):  # Tel.-Nr.
        return full
    if base == "de" and bare.lower().endswith("nr."):
        return bare[:-3] + "nummer"
    end, full = read_words(base, Abbreviations).street_end
    is_street = bare.lower().endswith(end) and len(bare) > _LONGEST and bare[:1].isupper()
    return bare[: -len(end)] + full if is_street else None


def also_ends_sentence(bare: str, language: str, before: str, after: str) -> bool:
    """Return whether an abbreviation that may close a sentence does: a capital letter follows."""
    name = bare.lower().replace(SPACE, "")
    if name == "sr." and not bare.isupper() and not (before[:1].isupper() and before[-1].isalpha()):
        return labels.is_sentence_start(after, language)  # of Señor García, not of Davis senior
    if name in ("a.m.", "p.m.") and is_day_or_month(after, language):
        return False
    if name == "co." and after.rstrip(",.;:") in ("KG", "KGaA", "OHG"):
        return False
    if _INITIALS.fullmatch(name) and labels.is_sentence_start(after, language):
        return True
    refers = read_words(base_language(language), Abbreviations).refers
    if name in refers and bare.islower():  # s. a. Kapitel 3
        return False
    if _are_initials(bare, language, before, after):
        return False
    everywhere = merge_words(Everywhere)
    if name in everywhere.counted and bare != "R.":
        return after[:1].isupper() and (
            base_language(language) != "de" or labels.is_sentence_start(after, language)
        )
    if name in everywhere.of_a_price:  # IVA incl. Reservas; but incl. IVA, inkl. MwSt.
        core = after.rstrip(".,")
        is_short = core.isupper() or any(letter.isupper() for letter in core[1:])
        is_noun = base_language(language) == "de" and not labels.is_sentence_start(after, language)
        return core[:1].isupper() and not (is_short or is_noun)
    closing = name in everywhere.closing and (name != "vs." or base_language(language) == "tr")
    is_title = name.removesuffix(".") in read_words(language, Abbreviations).titles
    may_end = closing or (name in everywhere.may_end and not is_title)
    return may_end and after.lstrip(OPENERS)[:1].isupper()


def dot_is_inside(bare: str, language: str, before: str, after: str) -> bool:
    """Return whether the dot of a word that is not read in full stands within a sentence: a small
    letter follows, and the word is an abbreviation. Some writers begin every sentence so."""
    follows = after.lstrip(OPENERS)
    # of 3-Zi.-Whg., Whg; of 125 руб./чел., чел
    short = re.split("[-./]", bare.removesuffix("."))[-1]
    if not bare.endswith(".") or not short.isalpha():
        return False
    if after == ":":
        return len(short) <= _LONGEST
    is_small = follows[:1].isalpha() and follows.islower()
    return is_small and is_shortened(short, language, before)


def is_shortened(word: str, language: str, before: str) -> bool:
    """Return whether a word between a dot and the word ``before`` is an abbreviation by our lists
    or the library's, or by its letters: it has no vowel, and is no acronym."""
    if len(word) == 1 and labels.names_letter(before):
        return False
    name, base = word.lower(), base_language(language)
    everywhere = merge_words(Everywhere)
    is_word = f"{name}." in everywhere.before_a_number or _is_like_a_day(word, base)
    is_known = is_listed(f"{word}.", language) or name in _load_library_list(base)
    is_street = f"{name}." in read_words(base, Abbreviations).after_a_capital
    if name in everywhere.shortened or is_street or (is_known and not is_word):
        return True
    letters = unicodedata.normalize("NFD", name)
    is_acronym = len(word) > 1 and word.isupper()
    return len(word) <= _LONGEST and not is_acronym and _VOWELS.isdisjoint(letters)


@cache
def list_street_words() -> frozenset[str]:
    """Return what stands before the names of streets in all languages, short and in full, in small
    letters; titles before other names are among them."""
    listed = [
        table
        for each in read_words_by_language(Abbreviations).values()
        for table in (each.before_a_capital, each.street_letters)
    ]
    return frozenset(word.lower() for table in listed for pair in table.items() for word in pair)


@cache
def list_months(base: str) -> dict[str, str]:
    """Return the full name of each abbreviated month, without dots, in small letters."""
    short, wide = (
        get_month_names(width, "format", find_locale(base)) for width in ("abbreviated", "wide")
    )
    named = {
        short[number].lower().rstrip("."): wide[number]
        for number in short
        if short[number].lower() != wide[number].lower()
    }
    named |= {name: wide[month] for name, month in read_words(base, Dates).months_in_short.items()}
    listed = {
        name: full for name, full in named.items() if not name[:1].isdecimal() and "." not in name
    }
    return add_other_script(listed, base)


@cache
def list_days(base: str) -> dict[str, str]:
    """Return the full name of each abbreviated day of the week, without dots, in small letters."""
    wide = get_day_names("wide", "format", find_locale(base))
    names = [get_day_names(width, "format", find_locale(base)) for width in _WIDTHS]
    short = {each[day].lower().rstrip("."): full for each in names for day, full in wide.items()}
    short |= {name: wide[day] for name, day in read_words(base, Dates).days.items()}
    listed = {
        name: full
        for name, full in short.items()
        if len(name) > 1 and name != full.lower() and "." not in name
    }
    return add_other_script(listed, base)


def _is_like_a_day(word: str, base: str) -> bool:
    """Return whether ``word``, short for a day, is a common word as well: German so, French mer."""
    name = word.lower()
    is_common = name in read_words(base, Dates).days_like_words or (base == "de" and word == name)
    return is_common and name in list_days(base)


@cache
def _load_library_list(base: str) -> frozenset[str]:
    """Return the library's abbreviations within sentences, without those of streets, and before
    names, dates and numbers, which are common words as well: app, long, pen, German weg."""
    if base not in get_supported_langs():
        return frozenset()
    rules = load_rule(base, ext_registry={})
    words = frozenset(rules.CORP_ENTITY_ABBRVS) | rules.INLINE_ONLY_ABBRVS
    streets = (
        getattr(load_rule(each, ext_registry={}), _STREETS_OF_LIBRARY) for each in _HAVE_STREETS
    )
    return words.difference(*streets)


@cache
def _load_known(base: str) -> dict[str, str]:
    known = read_words(base, Abbreviations)
    return {**known.in_pieces, **known.spoken}


def _is_title(word: str, base: str) -> bool:
    """Return whether ``word`` stands before a name: Rev.

    Brown, but not Swedish hon, which is "she".
    """
    name = word.lower()
    return name in _read_titles(base) and (
        word[:1].isupper() or name not in merge_words(Everywhere).titles_like_words
    )


@cache
def _read_titles(base: str) -> frozenset[str]:
    return merge_words(Everywhere).titles | read_words(base, Abbreviations).titles
