"""The words of each language, from its file in ``svc/base/text/languages``.

A file is a language: ``de.toml`` has all that is German. Its first lines are those of
:class:`svc.base.text.languages.Language`; each class below is a section of it, and each attribute
a key. A section is parsed when it is first asked for. The file of a region (``es-419.toml``) has
only what differs from its language (``es.toml``).

What babel, num2words or CLDR's data have is not repeated in a file.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from svc.base.text import alerts, countries, languages
from svc.media.visual_kinds import VISUAL_KINDS

Words = frozenset[str]  # in a file: text with spaces between the words
Forms = tuple[str, ...]  # in a file: a list, whose order says which is which
Pattern = re.Pattern[str] | None  # in a file: text, a regular expression
Section = TypeVar("Section")


@dataclass(frozen=True)
class Sentences:
    """How sentences are written."""

    full_stop: str = "."
    separators: str = ",;"  # comma and semicolon
    # Words that begin a sentence, and are no surname after an initial.
    starts: Words = frozenset()
    # Whether speech has quotation marks, and no dash before it.
    quotes_speech: bool = False
    # Words by which who speaks means himself: "I", "my".
    first_person: Words = frozenset()
    # In small letters: what those are called who speak in a dialogue and have no name: "customer",
    # "q".
    speakers: Words = frozenset()
    # Found in a word with the ending of its other gender behind dots: agent.e.s. Its groups are
    # said, which are the word and the sign of its plural.
    both_genders: Pattern = None
    before_both_genders: Words = frozenset()  # words before such a word, and no host: les agent.es
    # By the whole of a word with the ending of another form behind a sign: what is said: item(s),
    # alumnos/as, Lehrer:in. Its last bracket is left out.
    variants: dict[str, str] = field(default_factory=dict)
    elides: bool = False  # whether an article is written with an apostrophe: l'Avv.
    # The letters of the other script in which the language is written as well, by those of its own:
    # what is looked up in texts is then found in both (:func:`add_other_script`).
    other_script: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Everywhere:
    """Words that are recognised in texts of every language, as texts mix them: "Dr.", "etc."."""

    abbreviations: Words = frozenset()  # with their dot, which the voice does not read
    titles: Words = frozenset()  # before names, without their dot, which never ends a sentence
    # Given names in short, with a capital and a dot, which no list of a library has: "Wm. Reid".
    given_names: Words = frozenset()
    # Those titles that are words of some language (she in Swedish), unless they have a capital.
    titles_like_words: Words = frozenset()
    person_titles: Words = frozenset()  # as they are written before a name that is no picture
    # With a capital: the first words of names of places, which stay with the next: "San", "New";
    # chosen by hand among the commonest of towns (geonames.org), in languages that briefs are
    # written in.
    place_starts: Words = frozenset()
    firm_kin: Words = frozenset()  # words after "and" that end the name of a firm: "sons"
    # Abbreviations that close an enumeration: before a capital letter they end the sentence as
    # well.
    closing: Words = frozenset()
    # Abbreviations after which a capital letter means that the sentence has ended.
    may_end: Words = frozenset()
    counted: Words = frozenset()  # the same, of what is counted: "5 pers."
    of_a_price: Words = frozenset()  # the same, unless capitals follow: "incl. IVA"
    before_a_number: Words = frozenset()  # abbreviations that are other words elsewhere: "no."
    shortened: Words = frozenset()  # abbreviations in no list, before a small letter
    spelled_letters: Words = frozenset()  # Latin letters by their names: ए. पी. जे.
    letter_names: Words = frozenset()  # words before a letter that names one of several: "plan"
    number_names: Words = frozenset()  # words before a number that names one of several: "page"
    code_names: Words = frozenset()  # words before a number that is a code: "PIN", "postcode"
    codes: Words = frozenset()  # words beside one that it goes to or is told for: "text", "dial"
    # Words after a number that is a name: "1042 No'lu"; and those beside the minutes that a text
    # takes to read, which are no news: "4 min read", "Lesezeit".
    named_by_number: Words = frozenset()
    reading_time: Words = frozenset()
    # Books of scripture, in full and in short, before a chapter and a verse: Luke 2:15.
    books: Words = frozenset()
    laws: Words = frozenset()  # words before the two parts of a number: loi 96-542
    # What the parts of laws and contracts are called, beside # for their number: "§ #", "# cikk".
    law_parts: Forms = ()
    versions: Words = frozenset()  # words beside the number of a version: Fassung 2.0
    programs: Words = frozenset()  # names before one: Python 3.10
    not_counted: Words = frozenset()  # words after a number that it does not count: "and"
    after_unknowns: Words = frozenset()  # words after 2x in an equation that is told
    telephone: Words = frozenset()  # words before a telephone number
    telephone_with_mark: Words = frozenset()  # those that mean something else without a colon
    currency_words: Words = frozenset()  # currencies after a number, in small letters: "euros"
    long_codes: Words = frozenset()  # words before a code that is told in groups: "EAN", "CNPJ"
    eras: Words = frozenset()  # after years that fall
    stages: Words = frozenset()  # words before the number of a point of a timeline: "week"
    figure_columns: Forms = ()  # regular expressions: what a column of names in digits is called
    within_names: Words = frozenset()  # small words within names and titles of works
    within_sources: Words = frozenset()  # small words within the source of a quotation
    of_a_country: Words = frozenset()  # before a country that only says whose a thing is
    makers: Words = frozenset()  # before a model's number, which is no range: Boeing 737-800


@dataclass(frozen=True)
class Numbers:
    """Numbers in words."""

    # Num2words' code of the language, where its words are correct; else the voice reads digits.
    num2words: str = ""
    # By a word for between: the words that may join the second of two numbers to the first.
    between: dict[str, str] = field(default_factory=dict)
    # What is said for § after its number, which is an ordinal then: Swedish 5 §.
    section_after: str = ""
    sections_after: str = ""  # likewise for §§ after several numbers
    # The words of numbers, where num2words has not the language, or is wrong: by their number, from
    # 0 to 20, the tens and the hundreds; those of a thousand and more, as they stand alone and for
    # CLDR's one, few and other; and the word before the last of several.
    words: dict[str, str] = field(default_factory=dict)
    scales: dict[str, Forms] = field(default_factory=dict)
    joins_last: str = ""
    # By a country of the language: another code, where its words differ.
    num2words_in: dict[str, str] = field(default_factory=dict)
    # By what is found in the words of num2words: what is written instead.
    respelled: dict[str, str] = field(default_factory=dict)
    # By a country of the language: likewise, besides those.
    respelled_in: dict[str, dict[str, str]] = field(default_factory=dict)
    # By what is found in a number and what it counts: the words instead, in the gender of that. A
    # name in braces stands for one of named_patterns.
    agrees: dict[str, str] = field(default_factory=dict)
    named_patterns: dict[str, str] = field(default_factory=dict)
    # By an article before a number: a noun of its gender, with which the number agrees where no
    # other is there: a las 21.
    counts_after: dict[str, str] = field(default_factory=dict)
    # By what is said for 1 after an elided article: what is found in both and the word after:
    # all'1.
    elided_one: dict[str, Pattern] = field(default_factory=dict)
    # By a word that loses its vowel before the word for one: what is left of it: d’ of d’un.
    elided_before_one: dict[str, str] = field(default_factory=dict)
    decimal: str = ""  # between the whole part of a number and its decimals
    # By the decimal sign of a country of the language: the same, where countries differ.
    decimal_by_sign: dict[str, str] = field(default_factory=dict)
    decimals_as_a_number: bool = False  # 3.25 is "three point twenty-five"
    # The words after the decimals, if these are one number: tenths, hundredths, thousandths.
    decimal_places: Forms = ()
    # The case of one of what a number with decimals counts, where CLDR has another.
    after_decimals: str = ""
    groups_by_spaces: bool = False  # as in ISO 80000-1, besides CLDR's sign
    groups_both_ways: bool = False  # 1,500 and 1.500
    years_in_hundreds: bool = False  # nineteen ninety-nine
    ordinals: Forms = ()  # from first to thirty-first, where num2words has none: masculine
    # Ordinals that `ordinals` cannot have, by their number: the tens from 40, 100, and where more
    # are known the hundreds up to 1000; in Slovenian zero.
    round_ordinals: dict[str, str] = field(default_factory=dict)
    ordinals_in_each_word: bool = False  # whether tens and ones are both ordinals
    hundreds: str = ""  # in a year, where num2words counts thousands: artonhundra
    minus: str = ""
    plus: str = ""
    to: str = ""  # in a range of numbers
    # Prepositions and articles before a number, besides those that other keys list.
    before: Words = frozenset()
    # The case that `to` takes; and, where the first of two numbers has to stand in one as well,
    # that case and the word before it: от 5 до 10.
    to_case: str = ""
    from_case: str = ""
    opens: str = ""
    to_of_scores: bool = False  # whether it is said of what falls, too: three to one, no 3 bis 1
    joins: Words = frozenset()  # words between two numbers that the word before both governs
    # The two words before a number that counts something by a period, and does not name which one
    # that is: pro Tag 1 Tablette.
    counts_by: Pattern = None
    # What is said for the sign of an age, and the years that it is counted in: - de 12 ans, +65
    # años. The word between both is the last of what is said.
    younger: str = ""
    older: str = ""
    years: Words = frozenset()
    # By a case: how a number with one or two decimals is said in it. {0} is the whole number, one
    # and several, then tenths and hundredths: до двенадцати целых трёх десятых.
    decimals_in_cases: dict[str, Forms] = field(default_factory=dict)
    # By the word after a range: the word between both ends, 8–17 között.
    joins_before: dict[str, str] = field(default_factory=dict)
    # By case: the words before a number that put it, and what it counts, in this case.
    governs: dict[str, str] = field(default_factory=dict)
    governs_several: str = ""  # the case that they all put several in: Latvian's dative
    # Those words of `governs` after which a percentage is what something differs by, and is not
    # inflected: o 25 %.
    differs_by: Words = frozenset()
    # By case: the words after a number that put it in this case: Finnish "asti".
    governs_before: dict[str, str] = field(default_factory=dict)
    # By case: what is found in the word before a number and the noun after it, where the noun shows
    # it.
    case_by_noun: dict[str, Pattern] = field(default_factory=dict)
    # By gender, as "one neuter" or "two feminine genitive": what is found in the noun after 1 or 2.
    gender_by_noun: dict[str, Pattern] = field(default_factory=dict)
    # By case and gender, as "genitive feminine", or "oblique" for all cases that have no word of
    # their own: what a word of a number becomes, where neither num2words nor CLDR (cases.json) has
    # it. A name with a hyphen is the end of a word: "-t".
    in_cases: dict[str, dict[str, str]] = field(default_factory=dict)
    before_counted: str = ""  # the word that parts a number from what it counts: 21 de zile
    all_agree: bool = False  # whether numbers from three to nine have genders
    num2words_has_cases: bool = False
    # By what a number is one word with, after its hyphen, if any (a regular expression, which may
    # look back at the digits): what is said. {word} is that, or its group of this name; {number} is
    # the cardinal. Another name is a list of in_compounds, which has the numbers that are no
    # cardinals there, or the case of the cardinal: 3-mal, 5-letni, 5-ти. A space parts what is
    # found at the beginning of the word after: 7-ма души.
    joined: dict[str, str] = field(default_factory=dict)
    in_compounds: dict[str, dict[str, str]] = field(default_factory=dict)
    numbers_are_one_word: bool = False
    # The marks between a figure and its ending, 2026'da; and the cases that endings stand for.
    ending_marks: str = ""
    endings: dict[str, str] = field(default_factory=dict)
    # By the end of a word of a number: what it is before an ending with a vowel: három, hármas.
    before_vowels: dict[str, str] = field(default_factory=dict)
    before_consonants: dict[str, str] = field(default_factory=dict)  # likewise: nulla, nullás
    # By decimal place: what is found in the endings that it takes. Before others it is left out:
    # 1,5-ös.
    place_endings: dict[str, Pattern] = field(default_factory=dict)
    uninflected_after_to: bool = False
    ratio: str = ""  # 3:1
    of_year: str = ""  # between the number of a law and its year: 104/1992
    out_of: str = ""  # 4.5/5
    over: str = ""  # 120/80, of the blood
    by: str = ""  # 1920x1080; after a hyphen, the ending of the number before it
    # How many times something is: by the number, or 1.5, all that is said; and by CLDR's plural
    # forms what is said after the number. {0} is the number if it is not in front, and a hyphen
    # begins an ending of it.
    times: dict[str, str] = field(default_factory=dict)
    # By the case that the word before takes: likewise, where every number is said in that case:
    # līdz 10x.
    times_in_cases: dict[str, dict[str, str]] = field(default_factory=dict)
    # A number with a х and the word after it, where this is the number's ending: 3х дней.
    ends_in_x: Pattern = None
    # By a word before a number of times: the other word that it has then: Turkish "günde 3x".
    times_after: dict[str, str] = field(default_factory=dict)
    one_with_unit: str = ""
    one_with_scale: str = ""  # where it differs from that with a unit
    number: str = ""  # before a rank: #1
    to_the_power: str = ""
    sections: str = ""  # §§ 3-5
    stars: str = ""
    # "1/2", "1/3", "2/3", "1/4", "3/4"; and "and", which joins them to a whole number
    fractions: dict[str, str] = field(default_factory=dict)
    # What is said for a number and a half: by the number, by it and its case, by it and "feminine",
    # and by "other" and "other feminine", where {0} is the number.
    halves: dict[str, str] = field(default_factory=dict)
    # Found in a feminine noun after such a number; without it, the articles tell the gender.
    half_feminine: Pattern = None
    # What is said for half of a masculine and of a feminine noun, or of a common and a neuter one:
    # media hora, ett halvt år.
    half_of: Forms = ()
    # Between a third or a quarter and its unit: "un tercio de litro".
    of_parts: str = ""
    half_in_singular: bool = False  # whether a number and a half count in the singular
    # By the plural of a noun: its singular, where one and a half is said with that: o oră și
    # jumătate.
    singulars: dict[str, str] = field(default_factory=dict)
    # Figures and nouns that are said as one word: Italian 1 ora, un'ora, Arabic 2 days.
    one_joins: Pattern = None
    # The words for a half after a masculine and a feminine noun that stands between: une heure et
    # demie.
    half_after: Forms = ()
    decade: Pattern = None  # its first group is the number
    pieces: Words = frozenset()  # of numbers that are written as one word


@dataclass(frozen=True)
class Money:
    """Amounts of money, and scales of numbers."""

    # By how a currency is written, besides units.CURRENCIES: ISO 4217's code.
    signs: dict[str, str] = field(default_factory=dict)
    # By how a currency is written, a sign, a short word or a code: the names of one and of several,
    # or of one, two, a few, many and others. CLDR would add a country to the dollar, which no text
    # means.
    currencies: dict[str, Forms] = field(default_factory=dict)
    # By a word for a currency that is none of CLDR's names, in small letters: its sign.
    names: dict[str, str] = field(default_factory=dict)
    home: Pattern = None  # found in CLDR's name of the own currency: its country, which nobody says
    # Found in CLDR's name of the currency of the brief's country, where the sign of that is one of
    # svc.base.text.countries: the country, which nobody there says.
    country: Pattern = None
    own_signs: Words = frozenset()  # those signs; filled in by read_words
    # By ISO 4217's code: the gender, where it is not masculine; and by case and code the names of
    # one and of several, or of one, (two,) a few and others, as CLDR has only the nominative.
    genders: dict[str, str] = field(default_factory=dict)
    in_cases: dict[str, dict[str, Forms]] = field(default_factory=dict)
    # By the sign and the ending that a mark adds to it: the name with that ending, 100 TL'ye.
    with_endings: dict[str, dict[str, str]] = field(default_factory=dict)
    cents: dict[str, Forms] = field(default_factory=dict)  # of amounts below one: one, and several
    # By what stands after cents themselves, 99p: the sign of their currency.
    cent_signs: dict[str, str] = field(default_factory=dict)
    # The sign of the currency of an amount that has none, but a dash in place of cents: 45,-.
    dashed: str = ""
    joins_cents: str = ""  # between the currency and its cents: "doze euros e cinquenta"
    names_cents: bool = False  # whether cents after a currency are named: "con cincuenta centavos"
    # By a scale after an amount whose sign is in front: what is spoken between the number and the
    # currency.
    scales: dict[str, str] = field(default_factory=dict)
    # By a scale just before the sign (3 M€): the forms for CLDR's one and other, or one, few, many
    # and other.
    short_scales: dict[str, Forms] = field(default_factory=dict)
    # By the case that the word before takes, and a short scale: the forms for one and for several:
    # przed 25 tys.
    scales_in_cases: dict[str, dict[str, Forms]] = field(default_factory=dict)
    scales_alone: Forms = ()  # those that after a number without a currency mean nothing else
    of: Words = frozenset()  # after a scale: 2,5 M de vues
    # The word between a scale and a currency: 2 millones de euros.
    after_scale: str = ""
    plural_noun: Pattern = None  # found in a noun that may follow 10k
    counted_by_millions: Words = frozenset()  # nouns after 2.5m, where m is no metre


@dataclass(frozen=True)
class Units:
    """Units besides those of svc.media.text.units; babel has their words and their plurals."""

    own: dict[str, str] = field(default_factory=dict)  # by how they are written here: CLDR's name
    # The units that CLDR has no words for, or a sign only: the forms for CLDR's one and other; for
    # zero, one and other; for one, few, many and other; for one, two, few, many and other; or a
    # single one. {0} is the number where it is not in front.
    named: dict[str, Forms] = field(default_factory=dict)
    unsaid: Pattern = None  # found in CLDR's names of units, and left out: "metric" of tons
    # By a unit that is short for something else as well: found in the words before it with its
    # number, where it is that: حتى 11 م, which abbreviations.after_a_number has.
    as_words_after: dict[str, Pattern] = field(default_factory=dict)
    # By a unit that is a common word as well: found in a number, this and the word after, where it
    # is that word: 2020 ha sido.
    as_words: dict[str, Pattern] = field(default_factory=dict)
    per: str = ""  # between an amount and what it is for: $12/mo
    before_alone: Words = frozenset()  # other words before a unit without a number: le kg
    # The words of an amount for each of something, where what it is for comes first: {0} is the
    # amount, {1} what it is for.
    per_thing: str = ""
    # By what is short for it: what an amount is for, "month" of $12/mo.
    periods: dict[str, str] = field(default_factory=dict)
    # By a period, or what is short for it: what is said in place of `per` and the period: 5 € al
    # mes.
    per_period: dict[str, str] = field(default_factory=dict)
    counts_per: bool = False  # whether a quantity can be given for one of any thing
    hyphenates: bool = False  # 5-km run


@dataclass(frozen=True)
class Times:
    """Times of day."""

    with_minutes: str = "{0} {1}"  # {0}: the hour, {1}: the minutes
    full_hour: str = "{0}"
    # By the minutes: what is said in place of them, النصف for half past.
    quarters: dict[str, str] = field(default_factory=dict)
    one_oclock: str = ""
    hours: Forms = ()  # from midnight, where they are no cardinals
    hour_noun: str = ""  # a noun of the gender that hours are said in, where cardinals have one
    before: Words = frozenset()  # words before a time that is written with a dot: om 14.15
    before_hours: Words = frozenset()  # those before which a whole number is an hour: godz. 17
    hour_words: Forms = ()  # 14:30 Uhr
    after_minutes: Forms = ()  # 18:00 h
    hours_with_h: bool = False  # 14h30
    # Words after a time that is written with a dot: 9.30 alkaen.
    after: Words = frozenset()
    # The words beside a time with a dot, whatever its minutes: 7.05 treni.
    nouns: Words = frozenset()
    # The ending of an hour that is an ordinal; and, by other endings, the words before that take
    # them: o czternastej, przed siódmą.
    hour_ending: str = ""
    inflecting: dict[str, Words] = field(default_factory=dict)
    opens: str = ""  # before the first of two times, where the second has to
    # By the word before a time with a dot, of which another follows: the word between them: van
    # 9.30 tot 17.00.
    pairs: dict[str, str] = field(default_factory=dict)
    until: Words = frozenset()  # before the second of them
    # Words between two times of which only the second has the word for an hour: 4.30 से 6 बजे.
    before_second: Words = frozenset()
    # Words that say what hours are beside them, in whatever order: 9 pagi, saa 3 asubuhi, thứ 2.
    day_parts: Words = frozenset()
    at: Words = frozenset()  # further words before a time of day, by which it is told from a length
    # Words between which and a time of day another one is meant: halb 8 Uhr, quarter to 8 pm.
    parts: Words = frozenset()


@dataclass(frozen=True)
class Dates:
    """Dates, ordinals and names of days; babel has the names of months and days."""

    before: Words = frozenset()  # words before 4/1, if it is a day of a month
    # By a name in short that CLDR has otherwise: the number of its month, sept.
    months_in_short: dict[str, int] = field(default_factory=dict)
    # Words before 30/11, if it is one, that stand before parts such as 3/4 as well.
    near: Words = frozenset()
    day_form: str = "d MMMM"  # CLDR's pattern of such a day
    # An ordinal in figures: its groups are the number and, where it decides the form, what is
    # written of its ending.
    ordinal: Pattern = None
    # By the ending that was written: what the end of the ordinal becomes, or, if
    # ordinals_in_each_word, of each of its words, 1ª, 5-та, 5η.
    ordinal_forms: dict[str, dict[str, str]] = field(default_factory=dict)
    # The months of a calendar of the language's own; own_years finds which years are of that:
    # 1405/06/12.
    own_months: Forms = ()
    own_years: Pattern = None
    # By an ending that is meant where others are written alike: what is found in the number with
    # its ending, the word before and the one after, with spaces between them: "7-й о годині".
    endings_meant: dict[str, Pattern] = field(default_factory=dict)
    # By the ending of an ordinal that is written without one: what is found in the number, or
    # several, and a noun whose form shows that it is not counted, 5 класс.
    unmarked: dict[str, Pattern] = field(default_factory=dict)
    ordinals_by_dot: bool = False  # 3. Mai
    day_and_month: bool = False  # whether a day and a month are written with dots: 31.12.
    # By "date", or by the case that the word before takes: the months as they stand in dates of
    # digits, where CLDR has them in the nominative.
    months: dict[str, Forms] = field(default_factory=dict)
    # The words before and between two days with months, from one to the other: "с по". A group has
    # those that stand between no times of day.
    pairs: Pattern = None
    # What is said for two days before their month, 3–5 мая, with {0} and {1} for their words; and
    # by what is found in that: what is said instead.
    days_between: str = ""
    days_elided: dict[str, str] = field(default_factory=dict)
    ordinals_by_dot_unread: bool = False  # likewise, before a small letter; the voice reads them
    years_by_dot: bool = False
    # By the ending of its ordinal: the words before a decade with a dot: w latach 90.
    before_decades: dict[str, Words] = field(default_factory=dict)
    ordinals_in_words: bool = False  # whether those with a dot are: most voices read the dot
    articles: Words = frozenset()  # words before an ordinal with a dot and a noun
    counted: Pattern = None  # nouns after such an ordinal
    # By what they count, with or without the word before: the endings of hard and of soft ordinals:
    # "v století"; "day" stands for a month, "queen" for one.
    inflected: dict[str, Forms] = field(default_factory=dict)
    # By what is found in an adjective after them, whose end shows theirs: the endings of ordinals:
    # w 1. miejskim. With a space, it is found in an adjective and its noun.
    inflected_like: dict[str, Forms] = field(default_factory=dict)
    # Found in an adjective whose end shows no gender: that of an ordinal before it is the noun's.
    adjective: Pattern = None
    # By the ending that an ordinal has where nothing is before it: the nouns: zwanzigstes
    # Jahrhundert.
    strong_endings: dict[str, str] = field(default_factory=dict)
    of_year: str = ""  # the word for a year that ends a date, if that is an ordinal
    # By the word after a year that is an ordinal: its case (n, g or p), or its ending in Polish and
    # Ukrainian.
    year_cases: dict[str, str] = field(default_factory=dict)
    # By a short word for a year: what it is after a year in the locative: в 1999 г.
    year_locatives: dict[str, str] = field(default_factory=dict)
    # By a word before a year: those after it that lead to another: с 2019 по 2024 год.
    year_pairs: dict[str, str] = field(default_factory=dict)
    # By what is short for a day after its number, or for a year, and by case: the ending of the
    # number, and the word after one and after several. "date" is the case where nothing governs it.
    short_words: dict[str, dict[str, Forms]] = field(default_factory=dict)
    # The number of abbreviated days besides CLDR's; 0: Monday.
    days: dict[str, int] = field(default_factory=dict)
    reads_days: bool = False  # whether abbreviated days are read in full
    # Whether months are written as Roman numerals behind the day: 28 III.
    roman_months: bool = False
    short_months: Words = frozenset()  # those that are read in full after a day, without a dot, too
    days_like_words: Words = frozenset()  # abbreviated days that are common words as well
    shortest_day: int = 0  # letters of an abbreviated day without a dot; 0: each has one
    # The number of abbreviated days where they stand in a span: lu–vi.
    days_in_spans: dict[str, int] = field(default_factory=dict)
    # All seven days with their prepositions, where both days of a span are inflected: "od pondělí".
    days_from: Forms = ()
    days_to: Forms = ()


@dataclass(frozen=True)
class Abbreviations:
    """Abbreviations: chosen from CLDR 46's sentence break suppressions and from the non-breaking
    prefixes of the Moses tokenizer, without those that are ordinary words as well."""

    caseless: bool = False  # whether the script has no capitals, which show names
    titles: Words = frozenset()  # before names, without their dot, which never ends a sentence
    # Titles of one letter in a script without capitals.
    letter_titles: dict[str, str] = field(default_factory=dict)
    spoken: dict[str, str] = field(default_factory=dict)  # in full; empty: without the dot
    # Abbreviations that are also written with spaces, with and without expansion.
    in_pieces: dict[str, str] = field(default_factory=dict)
    # Those of single letters that have capitals where a sentence begins, or anywhere, before nouns
    # and names: Z. B. Müller. With capitals, others are initials there: S. A. Müller.
    with_capitals: Words = frozenset()
    # Abbreviations before a number: elsewhere the dot ends the sentence.
    before_a_number: dict[str, str] = field(default_factory=dict)
    # Those that are words as well, and so only after a mark or such words as "see" and "in", which
    # refer to something: se bil. 3; and those that are units as well, after a number: 5 pkt.
    also_words: Words = frozenset()
    also_units: Words = frozenset()
    refers: Words = frozenset()
    # Abbreviations before a capital. A single letter with a capital stands for itself: "D." is don,
    # "П." an initial.
    before_a_capital: dict[str, str] = field(default_factory=dict)
    # Abbreviations before a capital where the name after it ends in -a: D. Maria.
    before_a_woman: dict[str, str] = field(default_factory=dict)
    after_a_capital: dict[str, str] = field(default_factory=dict)  # streets: "Baker St."
    # Abbreviations of one letter that name a street, before a name with a number, or after a word
    # of place. Elsewhere they are initials: R. Augusta, 1500.
    street_letters: dict[str, str] = field(default_factory=dict)
    before_streets: Words = frozenset()
    # By the word before it and the abbreviation, "o godz.": what is said for the abbreviation.
    after_a_word: dict[str, str] = field(default_factory=dict)
    # By what is found in the whole of a figure and an abbreviation behind it: what is said for the
    # latter: 9 ص.
    after_a_number: dict[str, str] = field(default_factory=dict)
    # By what is found at the beginning of the word before, an abbreviation and the word after it,
    # with spaces between them: what is said for the abbreviation: pw. św. Anny.
    in_a_phrase: dict[str, str] = field(default_factory=dict)
    # What is found at the beginning of a word whose name follows it in the genitive, such as one
    # for a street, and of that name, with a space between them; and how a short title between both,
    # with or without its dot, is said: ul. gen. Bema.
    before_a_name: str = ""
    title_in_a_name: dict[str, str] = field(default_factory=dict)
    with_slash: str = ""  # c/
    street_end: Forms = ()  # of a compound: its abbreviation, and in full
    # Capitals that are said as words, and are in no dictionary.
    as_words: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Roman:
    """Roman numerals."""

    parts: Words = frozenset()  # of a work: after these, a single letter is a numeral as well
    kinds: Words = frozenset()  # after these, a single letter may be a letter: Type C
    joiners: Forms = ()  # and, or, to
    after_names: bool = False  # whether those after other names are read: Apollo XI
    has_pronoun_i: bool = False
    kings: Words = frozenset()
    queens: Words = frozenset()
    last_ordinal: int = 0  # later rulers are said as cardinals: Alfonso trece
    # By the form of the ordinal (Russian gender and case, the Polish ending): the rulers.
    inflected_rulers: dict[str, str] = field(default_factory=dict)
    # By the word after a century: the form of the ordinal.
    centuries: dict[str, str] = field(default_factory=dict)
    # By the short word after a century: its readings at the beginning, after one of the words of
    # the locative, and elsewhere.
    short_centuries: dict[str, Forms] = field(default_factory=dict)
    # Words before a century, which is an ordinal up to last_ordinal: siglo XXI.
    before_centuries: Words = frozenset()
    # Whether a numeral with a dot is an ordinal before a small letter or a ruler: II. Abdülhamid.
    ordinals_by_dot: bool = False
    centuries_in_digits: Words = frozenset()  # likewise, where the voice reads digits rightly
    locative: Words = frozenset()  # words before a century in the locative


@dataclass(frozen=True)
class Articles:
    """One of something with its article."""

    indefinite: Forms = ()  # of a masculine and of a feminine noun
    feminine: Pattern = None  # the nouns that are by their ending
    masculine: Pattern = None  # of the others
    dative: Forms = ()  # the same articles in the dative
    before_dative: Words = frozenset()  # words before them that take it


@dataclass(frozen=True)
class Lines:
    """Where lines of text end."""

    # Articles and short words that lead to the next one: a line ends rather before one of them.
    rarely_end_with: Words = frozenset()
    # Unstressed pronouns and "not" before a verb, on whose line they are: "ci sono", "il y a".
    before_verbs: Words = frozenset()
    # Where the parts of long compounds meet, at which these are broken first: what is found there,
    # and the words that go on after many others.
    joints: Pattern = None
    heads: Words = frozenset()


@dataclass(frozen=True)
class Addresses:
    """Addresses and telephone numbers."""

    dot: str = ""  # in an address of the internet
    at: str = ""  # in an e-mail address
    # Words before an emergency number, of which each digit is said: Notruf: 112.
    emergency: Words = frozenset()
    calling: Words = frozenset()
    no_towns: Words = frozenset()  # nouns that 10-200 counts, with a capital in a heading
    postcode: Pattern = None  # one of two groups with a hyphen, before the name of a town: 00-950


@dataclass(frozen=True)
class Signs:
    """Signs by name."""

    # The names of signs where a speaker says less than CLDR (signs.json).
    names: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Formulas:
    """Formulas read aloud."""

    # What is said for signs and functions, and "from", "until" and "of" of a sum.
    said: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Phrases:
    """What the service itself says, as it stands in every script or document."""

    sign_off: str = ""  # {}: the account's name
    code: str = ""  # what is said over code that no sentence introduces
    disclosure: str = ""  # how the video was made, without a full stop
    alerts: dict[str, str] = field(default_factory=dict)  # titles by kind: svc.base.text.alerts
    # By what a scene shows: its description. {name} is the presenter's, {heading} and {address} are
    # the brief's own words.
    descriptions: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Agendas:
    """What agendas are headed by, in small letters."""

    sure: Forms = ()
    perhaps: Forms = ()  # those only if their points have times
    # What a point is called in front of its title, with # for its number: "top #".
    items: Forms = ()
    # What the item is called that has all that is in no other: "verschiedenes".
    miscellany: Forms = ()


@dataclass(frozen=True)
class Facts:
    """Words by which a model's script is compared with its brief."""

    rising: Words = frozenset()  # beginnings of words that say that something rises
    falling: Words = frozenset()
    common: Words = frozenset()  # words that every text of the language has


@dataclass(frozen=True)
class Grammar:
    """The words on which the sense of a sentence hangs, in small letters; no library knows for so
    many languages which words negate, suppose or contrast, and which begin a clause."""

    negations: Words = frozenset()
    # Those of the negations that say nothing of what goes before them: "without".
    negates_after: Words = frozenset()
    # Found where a "not" denies nothing: "a meno che non piova".
    expletive: Pattern = None
    # Prepositions of phrases that say where or when, and can be left out of a long sentence.
    free_phrases: Words = frozenset()
    # For the beginnings of long sentences that are shown alone. Found in a word in small letters
    # that is a finite verb, besides `verb`; found at the beginning of what follows a comma, and may
    # be left out, besides `goes_on`; and the words within that begin a clause with its own verb.
    verbs_of_long: Pattern = None
    after_long: Pattern = None
    within_long: Words = frozenset()
    negation_form: Pattern = None  # found in a word that negates by its form
    turns: Words = frozenset()  # words of a condition, a contrast or hearsay
    limits: Words = frozenset()  # words of a limit, which may be on what comes later: "only"
    # Found at the beginning of what holds nothing up, and may be left out: "even if it rains".
    concedes: Pattern = None
    # Found in a clause with a "not" that leads to what follows its colon: "do not forget".
    leads: Pattern = None
    # Found at the beginning of a cause or a purpose, which may be left out: "owing to the frost".
    causes: Pattern = None
    # Found at the beginning of a clause that begins with its subject: "the train".
    subject: Pattern = None
    former: Words = frozenset()  # words of what is no longer so: "formerly"
    former_or_before: Words = frozenset()  # those of them that may as well say "before": "antes"
    former_not_before: Words = frozenset()  # words after one of these that make it say so
    # Words that go on after a complete clause and a comma: "and", "which", "because".
    goes_on: Words = frozenset()
    # Those of goes_on that may limit what they follow, where every relative clause has a comma.
    relatives: Words = frozenset()
    # Relative pronouns where `relatives` has none: before one, a subject may stand without its
    # verb.
    relating: Words = frozenset()
    definite: Words = frozenset()  # words before a noun that say which one is meant: "the"
    # Words before a noun that leave open which one is meant, where relative clauses have a comma:
    # "der".
    articles: Words = frozenset()
    # Words that begin a clause, after a comma, that the one before it lacks: "wer".
    completes: Words = frozenset()
    reasons: Words = frozenset()  # words that begin a reason, also without a comma
    # Words that begin what is no complete clause in front of a comma: "after", "if".
    opens: Words = frozenset()
    # Those of opens that stand before a noun, after which a clause may follow without a comma:
    # "from".
    fronts: Words = frozenset()
    opens_with: Pattern = None  # found where several words begin such a clause: "as long as"
    # Further words before a noun with which a phrase begins: "within". A clause that begins with
    # one may be complete, as in German.
    prepositions: Words = frozenset()
    postpositions: Words = frozenset()  # words after the noun that they belong to
    auxiliaries: Words = frozenset()  # verbs that belong to what follows: "will", "is"
    # Words of quantity and degree, and others that belong to the next word: "every", "almost".
    quantities: Words = frozenset()
    belongs: Words = frozenset()  # words between a thing and what it is of: "of"
    joins: Words = frozenset()  # words between the last two things of a list
    pronouns: Words = frozenset()  # words that stand for what was named before
    # Found in a clause that goes on from the sentence before: "also", "rejected it".
    refers: Pattern = None
    # Words that point, with what follows them, to what was said before: "these hours". The next key
    # has the words after which they only lead to a clause: "ce que".
    demonstratives: Words = frozenset()
    not_demonstrative_before: Words = frozenset()
    # Found in a sentence whose subject, place or owner was named before: "In 1903 he moved".
    leans: Pattern = None
    # Found at the beginning of a sentence that names its subject or needs none, where others leave
    # out the pronoun: "Murió en 1957".
    names_subject: Pattern = None
    house: Pattern = None  # found in the address of a house: "Hauptstraße 5"
    titles: Words = frozenset()  # words before the name of a person, besides abbreviations
    # Found in a sentence that says who was there, or was not: "Apologies".
    attends: Pattern = None
    # Verbs after the name and the version of what is released: "ships", "drops".
    releases: Words = frozenset()
    says: Words = frozenset()  # words that say who says it, beside what is said
    greetings: Words = frozenset()  # words that begin an address to the reader, up to its comma
    # Words with which one ends where it begins with anyone: "保護者の皆様、".
    greeting_ends: Words = frozenset()
    # Found in what is only polite, in languages without vectors: "vi ber om ursäkt".
    courtesies: Pattern = None
    # Found in a sentence of few words whose verb was said before or is said after: "We never will."
    unfinished: Pattern = None
    verb: Pattern = None  # found in a clause that certainly has a verb; case counts


@dataclass(frozen=True)
class Pictures:
    """What helps to choose pictures."""

    # A name with its title in a script without capitals (a pattern of the library regex).
    person: str = ""
    flags: Words = frozenset()  # words beside which a country's name means its flag or its team
    # Keywords of pictures, parts of longer names, that mean something else by themselves: "campaña"
    # of "tienda de campaña".
    no_names: Words = frozenset()
    plural_s: bool = False  # whether plurals in -s need not be listed
    # What is found before something whose place is taken, "instead of", and in the next field after
    # it.
    instead_of: Pattern = None
    instead_after: Pattern = None
    # Found in what says that something does not take place, or not then: "postponed".
    called_off: Pattern = None
    # Found where a day, "#", is part of the name of a street, a bridge or an event: "rue du #".
    named_by_day: Pattern = None
    mourns: Pattern = None  # what a notice of a death is called, by which all of a film is sombre
    # Words of such notices that have a cheerful sense as well, "in memory of": by them a film is
    # sombre where they are in its title or a heading, or beside another.
    may_mourn: Pattern = None


@dataclass(frozen=True)
class Readings:
    """How a voice reads words that its reader's dictionary reads otherwise."""

    # Japanese: in katakana; Mandarin: in pinyin, a syllable with the number of its tone a sign
    words: dict[str, str] = field(default_factory=dict)


_KINDS = (
    Sentences, Everywhere, Numbers, Money, Units, Times, Dates, Abbreviations, Roman, Articles,
    Lines, Addresses, Signs, Formulas, Phrases, Agendas, Facts, Grammar, Pictures, Readings,
)  # fmt: skip
SECTIONS: dict[str, type] = {kind.__name__.lower(): kind for kind in _KINDS}

# By section and key: the names that a table may have, and how many texts a list has.
_NAMES: dict[str, tuple[str, ...]] = {
    "numbers.times": (
        *map(str, range(1, 21)),
        "1.5",
        "zero",
        "one",
        "two",
        "few",
        "many",
        "other",
    ),
    "numbers.fractions": ("1/2", "1/3", "2/3", "1/4", "3/4", "and"),
    "phrases.alerts": alerts.KINDS,
    # What a scene shows that is not spoken: its layout, or that with more beside it.
    "phrases.descriptions": (
        "title",
        "points",
        "points and map",
        "agenda",
        "quote and picture",
        *filter(None, VISUAL_KINDS),
        "close",
    ),
}
_SIZES: dict[str, tuple[int, ...]] = {
    "money.currencies": (2, 5),
    "money.cents": (2, 4, 5),
    "numbers.decimals_in_cases": (6,),
    "money.short_scales": (2, 4),
    "units.named": (1, 2, 3, 4, 5),
    "numbers.ordinals": (31,),
    "numbers.scales": (4,),
    "dates.inflected": (2,),
    "dates.months": (12,),
    "dates.days_from": (0, 7),
    "dates.days_to": (0, 7),
    "times.hours": (0, 24, 25),
    "abbreviations.street_end": (2,),
    "roman.joiners": (3,),
    "roman.short_centuries": (3,),
    "articles.indefinite": (2,),
    "articles.dative": (0, 2),
}
# The currency of a sign where neither the language nor the country says another.
_USUAL_CURRENCIES = {"$": "USD", "C$": "CAD", "£": "GBP", "¥": "JPY", "kr": "SEK"}
_DAYS = ("dates.days", "dates.days_in_spans")
# The tables whose texts are words that are looked up, and whose names are no words.
_LISTS_BY_NAME = ("numbers.governs", "numbers.governs_before")
_WANTED = {
    Words: "text with spaces between its words",
    Forms: "a list of texts",
    Pattern: "a regular expression",
    str: "text",
    bool: "true or false",
    int: "a whole number",
}


def read_words(language: str, kind: type[Section]) -> Section:
    """Return a section of the words of ``language`` (BCP 47); an empty one of a language without a
    file. What the file of a region leaves out is that of its language. A language of
    :func:`svc.base.text.countries.in_country` has the numbers and the money of the country.

    ValueError: the file is wrong; the sentence says where, and what would be right.
    """
    # a class has a hash, although its objects have none
    section: Section = _section(language, kind)  # type: ignore[arg-type]
    return section


def read_words_by_language(kind: type[Section]) -> dict[str, Section]:
    """Return a section of each language that has a file, by its code; regions are left out."""
    return {code: read_words(code, kind) for code in _files() if "-" not in code}


def merge_words(kind: type[Section]) -> Section:
    """Return a section with the words of all languages together; only sets of words and lists are
    joined, all else is empty."""
    joined: Section = _join_languages(_name_of(kind))
    return joined


def check_file(code: str) -> None:
    """Read all of the file of a language.

    ValueError: it is wrong; the sentence says where, and what would be right.
    """
    for kind in SECTIONS.values():
        read_words(code, kind)


def add_other_script(names: dict[str, Section], language: str) -> dict[str, Section]:
    """Return ``names`` with each as it is written in the other script of ``language``, if it has
    one: Serbian ``maj`` beside ``мај``."""
    letters = read_words(language, Sentences).other_script
    return {change_script(name, letters): value for name, value in names.items()} | names


def change_script(text: str, letters: Mapping[str, str]) -> str:
    """Return ``text`` in the other script, whose ``letters`` are listed by those of its own."""
    return (
        "".join(
            letters.get(each) or letters.get(each.lower(), each.lower()).capitalize()
            if each.isupper()
            else letters.get(each, each)
            for each in text
        )
        if letters
        else text
    )


@cache
def _files() -> dict[str, Path]:
    return {path.stem: path for path in sorted(languages.FOLDER.glob("*.toml"))}


@cache
def _texts(code: str) -> dict[str, str]:
    """Return the text of each section in the file of a language."""
    _, *parts = re.split(r"^(?=\[)", _files()[code].read_text("utf-8"), flags=re.MULTILINE)
    texts: dict[str, str] = {}
    for part in parts:
        name = re.split(r"[].\s]", part[1:], maxsplit=1)[0]
        texts[name] = texts.get(name, "") + part
    languages.check_keys(_files()[code].name, texts, SECTIONS, "section")
    missing = [name for name in SECTIONS if name not in texts]
    if missing and "-" not in code:
        raise ValueError(
            f"{_files()[code].name}: no section [{missing[0]}]; "
            "a language that has nothing of it says so by an empty one"
        )
    return texts


@cache
def _section(language: str, kind: type) -> Any:
    if country := countries.find_country(language):
        section = _section(countries.strip_country(language), kind)
        if kind is Numbers:
            return _adapt_numbers(section, country)
        return _adapt_money(section, country) if kind is Money else section
    base, name = language.partition("-")[0], _name_of(kind)
    values: dict[str, Any] = {}
    for code in dict.fromkeys((base, language)):
        values |= _values(code, name) if code in _files() else {}
    if kind is not Sentences and (letters := read_words(base, Sentences).other_script):
        types = get_type_hints(kind)
        for key, value in values.items():
            values[key] = _in_both_scripts(f"{name}.{key}", value, types[key], letters)
    return kind(**values)


def _adapt_numbers(section: Numbers, country: countries.Country) -> Numbers:
    """Return the numbers of a language as they are written and said in one of its countries."""
    if not country.is_home:
        return section
    by_sign = section.decimal_by_sign
    return replace(
        section,
        decimal=by_sign.get(country.decimal_sign, section.decimal),
        # where the point parts decimals, Spanish of other countries has thousands before it
        groups_both_ways=country.decimal_sign == "." if by_sign else section.groups_both_ways,
        groups_by_spaces=section.groups_by_spaces or country.group_sign.isspace(),
        num2words=section.num2words_in.get(country.code, section.num2words),
        respelled=section.respelled | section.respelled_in.get(country.code, {}),
    )


_DASHED = ("kr.", "Fr.")  # signs whose countries write 45,- for 45 of them


def _adapt_money(section: Money, country: countries.Country) -> Money:
    """Return the money of a language with the currency of a country: its signs mean that, and the
    names by which the language calls another one by them are left out."""
    other = {
        sign
        for sign, code in country.signs.items()
        if code != section.signs.get(sign, _USUAL_CURRENCIES.get(sign, code))
    }
    return replace(
        section,
        signs={**section.signs, **country.signs},
        currencies={sign: forms for sign, forms in section.currencies.items() if sign not in other},
        own_signs=country.own_signs,
        dashed=next((sign for sign in _DASHED if sign in country.signs), section.dashed),
    )


@cache
def _join_languages(name: str) -> Any:
    kind = SECTIONS[name]
    listed: list[Any] = list(read_words_by_language(kind).values())
    types = get_type_hints(kind)
    words = {
        key: Words().union(*(getattr(each, key) for each in listed))
        for key, value_type in types.items()
        if value_type == Words
    }
    forms = {
        key: tuple(part for each in listed for part in getattr(each, key))
        for key, value_type in types.items()
        if value_type == Forms
    }
    return kind(**words, **forms)


def _name_of(kind: type) -> str:
    return kind.__name__.lower()


def _values(code: str, name: str) -> dict[str, Any]:
    """Return what the file of a language says in a section."""
    where = f"{_files()[code].name} [{name}]"
    try:
        section = tomllib.loads(_texts(code).get(name, "")).get(name, {})
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{where}: {error}") from error
    types = get_type_hints(SECTIONS[name])
    languages.check_keys(where, section, types, "key")
    values = {}
    for key, value in section.items():
        values[key] = _converted(f"{where} {key}", value, types[key])
        _check_parts(f"{where} {key}", f"{name}.{key}", values[key])
    return values


def _converted(where: str, value: Any, value_type: Any) -> Any:
    """Return a value of a file as the type that its key wants."""
    if value_type == Words and isinstance(value, str):
        return frozenset(value.split())
    if (
        value_type == Forms
        and isinstance(value, list)
        and all(isinstance(each, str) for each in value)
    ):
        return tuple(value)
    if value_type == Pattern and isinstance(value, str):
        try:
            return re.compile(value)
        except re.error as error:
            raise ValueError(f"{where}: no regular expression: {error}") from error
    if get_origin(value_type) is dict and isinstance(value, dict):
        kind = get_args(value_type)[1]
        return {name: _converted(f"{where}.{name}", each, kind) for name, each in value.items()}
    if value_type in (str, bool, int) and type(value) is value_type:
        return value
    raise ValueError(f"{where}: {_WANTED.get(value_type, 'a table')}, not {value!r}")


def _in_both_scripts(place: str, value: Any, value_type: Any, letters: Mapping[str, str]) -> Any:
    """Return a value of a file with what is looked up in texts in the other script as well; what is
    said stays, and is changed with the whole text (:mod:`svc.media.text.foreign`)."""
    if value_type == Words:
        return value | {change_script(word, letters) for word in value}
    if value_type == Forms and place not in _SIZES:
        return (*value, *(form for each in value if (form := change_script(each, letters)) != each))
    if value_type == Pattern:
        other = change_script(value.pattern, letters)
        return value if other == value.pattern else re.compile(f"(?:{value.pattern})|(?:{other})")
    if get_origin(value_type) is not dict:
        return value
    kind, both = get_args(value_type)[1], {}
    for name, each in value.items():
        both[name] = each
        if kind in (Pattern, Words) or get_origin(kind) is dict:
            both[name] = _in_both_scripts(f"{place}.{name}", each, kind, letters)
        elif place in _LISTS_BY_NAME:
            both[name] = f"{each} {change_script(each, letters)}"
    for name, each in value.items():
        said = change_script(each, letters) if isinstance(each, str) else both[name]
        both.setdefault(change_script(name, letters), said)
    return both


def _check_parts(where: str, place: str, value: Any) -> None:
    """Check the names of a table and the lengths of lists, where they are fixed."""
    if place in _NAMES:
        languages.check_keys(where, value, _NAMES[place], "name")
        if "other" in _NAMES[place] and "other" not in value:
            raise ValueError(f"{where}: no name other, which every language has")
    for each in value.values() if isinstance(value, dict) else (value,):
        if place in _DAYS and each not in range(7):
            raise ValueError(f"{where}: days from 0, Monday, to 6, not {each}")
        if place in _SIZES and len(each) not in _SIZES[place]:
            sizes = " or ".join(map(str, _SIZES[place]))
            raise ValueError(f"{where}: a list of {sizes} texts, not {list(each)!r}")
