"""How figures, units and signs are spoken, on a committed table,
with espeak-ng's own reading of numbers as a second source.
"""

import json
import re
from difflib import SequenceMatcher
from pathlib import Path

import pytest
from babel.dates import get_day_names
from babel.numbers import get_currency_name
from babel.units import format_unit
from support.tables import each_of

from svc.base.text.languages import LANGUAGES
from svc.media.languages import Addresses, Dates, Money, Numbers, Units, read_words
from svc.media.speech.trained.phonemes import phonemize
from svc.media.text import cases, numerals, signs, units
from svc.media.text.read_aloud import read
from svc.media.text.tokens import tokenize_text

ROWS = [
    line.split("\t")[:3]
    for line in Path(__file__).with_name("spoken.tsv").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
NUMBERS = ("5", "12", "37", "80", "112", "120", "911", "20000", "150000")
ALIKE = 0.6  # of the phonemes: espeak-ng joins and stresses the words of a number in its own way
_NEAREST = 3  # numbers whose sound may be as much like an ordinal
BY_A_COMMA = ("bg", "ca", "de", "fr", "es", "hr", "it", "lt", "lv", "mk", "pt", "nl", "pl", "ro")
CASES = ("genitive", "dative", "instrumental", "locative")


@each_of(
    ("language", "written", "spoken"),
    ROWS,
)
def test_what_is_written_is_spoken_as_the_table_has_it(
    language: str, written: str, spoken: str
) -> None:
    assert read(written, language) == spoken


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "it", "pt"])
def test_each_kind_is_in_the_table_in_six_languages(language: str) -> None:
    listed = " | ".join(text for code, text, _ in ROWS if code.partition("-")[0] == language)
    kinds = (
        "(37 °C)",
        "mmHg",
        "mg/kg",
        "m/s²",
        "4,8/5" if language != "en" else "4.8/5",
        "$5-10",
        "NaCl",
        "§12",
        "XIV",
        "<5 min",
    )
    assert [kind for kind in kinds if kind.lower() not in listed.lower()] == []


@pytest.mark.parametrize("language", ["en", *BY_A_COMMA])
def test_numbers_are_read_as_another_program_reads_them(language: str) -> None:
    """Compared by their sounds: the digits as espeak-ng reads them, and our words for them."""
    numbers = [*NUMBERS, "4,8" if language in BY_A_COMMA else "4.8"]
    words = [read(number, language).rstrip(".").lower() for number in numbers]
    phonemes = phonemize(
        [*((number,) for number in numbers), *(tuple(text.split()) for text in words)], language
    )
    sounds = ["".join(filter(str.isalpha, "".join(pieces))) for pieces in phonemes]
    likeness = {
        f"{number} {text}": SequenceMatcher(None, theirs, ours, autojunk=False).ratio()
        for number, text, theirs, ours in zip(
            numbers, words, sounds[: len(numbers)], sounds[len(numbers) :], strict=True
        )
    }
    assert {case: ratio for case, ratio in likeness.items() if ratio < ALIKE} == {}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("a 40 cm gap", "a gap of 40 cm"),  # in front of a noun, and after it
        ("2.5m views", "a wall 2.5m tall"),  # millions, and meters
        ("10k steps", "a 10k run"),
        ("Call 911", "911 people came"),
        ("READ THIS NOW", "NASA"),
        ("Apollo XI", "Malcolm X"),
    ],
)
def test_what_looks_alike_is_told_apart_by_what_stands_beside_it(first: str, second: str) -> None:
    said = read(first, "en"), read(second, "en")
    tables = {text: spoken for language, text, spoken in ROWS if language == "en"}
    assert said[0] != said[1]
    assert all(
        tables.get(text, spoken) == spoken
        for text, spoken in zip((first, second), said, strict=True)
    )


@each_of(
    ("language", "counted", "named"),
    [
        ("ru", "добавьте 2 ложки", "шаг 2 возьми"),  # two spoons, and step two
        ("ru", "до 1500 рублей", "до 1500"),  # an amount, and perhaps a year
        ("pl", "po 2 godzinach", "krok 2 dodaj"),
        ("uk", "через 2 хвилини", "крок 2 візьми"),
        ("cs", "za 2 minuty", "krok 2 vezmi"),
        ("tr", "3-5 gün", "5-3 kazandı"),  # three to five days, and a score
    ],
)
def test_a_number_that_names_something_is_not_inflected(
    language: str, counted: str, named: str
) -> None:
    digits = [re.findall(r"\d+(?:-\d+)?", text)[0] for text in (counted, named)]
    plain = " ".join(
        numerals.spell_number(part, language, alone=False) for part in digits[1].split("-")
    )
    assert f" {plain} " in f" {read(named, language)} ".replace(".", " ").lower()
    assert plain not in read(counted, language).lower().split(), digits[0]


@pytest.mark.parametrize("language", ["cs", "pl", "ru", "sk", "sl", "uk"])
@pytest.mark.parametrize("case", CASES)
def test_every_number_has_words_in_each_case(language: str, case: str) -> None:
    """Of numbers up to 99, none but those that end with one is as in the nominative, and none has
    a digit; what a language has in words is asked of it by :mod:`svc.media.text.cases` alone."""
    said = {
        number: cases.count_in_words(str(number), cases.Form(case), language)
        for number in range(2, 100)
    }
    unchanged = [
        number
        for number, words in said.items()
        if not words or words == numerals.spell_cardinal(number, language)
    ]
    assert unchanged == []


@pytest.mark.parametrize("language", ["cs", "hr", "lt", "lv", "pl", "ru", "sk", "sl", "sr", "uk"])
def test_every_unit_of_length_weight_and_time_has_cases(language: str) -> None:
    """And CLDR's plural of the genitive is that of the file: of 10, which the nominative takes."""
    listed = [
        f"{kind}-{unit}"
        for kind, names in {
            "length": ("meter", "kilometer", "centimeter"),
            "mass": ("gram", "kilogram"),
            "duration": ("second", "minute", "hour"),
            "volume": ("liter", "milliliter"),
        }.items()
        for unit in names
        if (language, unit) != ("sl", "milliliter")  # which babel's CLDR misspells
    ]
    for unit in listed:
        ten = format_unit(10, unit, "long", "0", numerals.find_locale(language)).removeprefix("10 ")
        said = cases.spell_quantity("10", unit, "genitive", language) or ""
        assert said.endswith(f" {ten}"), (unit, said, ten)


@pytest.mark.parametrize("language", ["cs", "pl", "ru", "sk", "uk"])
def test_currencies_of_a_file_have_every_case(language: str) -> None:
    """The genitive of several is CLDR's plural for five, without the own country, and no case
    repeats its nominative, but of a word that is never inflected."""
    listed = read_words(language, Money).in_cases
    assert {case: set(listed[case]) for case in CASES} == dict.fromkeys(
        CASES, set(listed[CASES[0]])
    )
    for code, (_, several) in listed["genitive"].items():
        names = [
            get_currency_name(code, count=number, locale=numerals.find_locale(language))
            for number in (1, 2, 5)
        ]
        home = read_words(language, Money).home
        assert several == (home.sub("", names[-1]) if home else names[-1])
        inflected = {form for case in CASES for form in listed[case][code]}
        assert len(inflected) == 1 or not inflected & set(names[:1])


@each_of(
    ("language", "amount", "spoken"),
    [
        ("ru", "к 5 ₽", "К пяти рублям."),
        ("ru", "над 2 грн", "Над двумя гривнами."),
        ("ru", "о 3 €", "О трёх евро."),
        ("uk", "між 5 і 10 $", "Між п'ятьма і десятьма доларами США."),
        ("pl", "dzięki 2000 zł", "Dzięki dwóm tysiącom złotych."),
        ("cs", "o 5 $", "O pěti amerických dolarech."),
        ("cs", "k 1 Kč", "K jedné koruně."),
        ("sk", "k 5 €", "K piatim eurám."),
        ("hr", "od 1 $", "Od jednog američkog dolara."),
        ("hr", "od 2 $", "Od dva američka dolara."),
        ("sl", "s 3 €", "S tremi evri."),
        ("lt", "už 10 Eur", "Už dešimt eurų."),
        ("lt", "už 21 Eur", "Už dvidešimt vieną eurą."),
        ("lv", "ar 5 $", "Ar pieciem ASV dolāriem."),
        ("ru", "до 2,50 €", "До двух евро пятьдесят."),
    ],
)
def test_amounts_stand_in_the_case_of_their_sentence(
    language: str, amount: str, spoken: str
) -> None:
    """A thousand is followed by the genitive, and one by the singular; cents stay as they are."""
    assert read(amount, language) == spoken


@each_of(
    ("language", "quantity", "spoken"),
    [
        ("lv", "bez 1 min", "Bez vienas minūtes."),
        ("lv", "bez 2 min", "Bez divām minūtēm."),  # several stand in the dative
        ("lv", "ar 1 min", "Ar vienu minūti."),
        ("lt", "per 3 min", "Per tris minutes."),
        ("lt", "per 13 min", "Per trylika minučių."),
        ("hr", "do 1 min", "Do jedne minute."),
        ("hr", "do 2 min", "Do dvije minute."),  # and are not inflected
        ("sl", "čez 1 min", "Čez eno minuto."),
        ("sl", "čez 2 min", "Čez dve minuti."),  # the dual
        ("sl", "čez 3 min", "Čez tri minute."),
        ("sl", "čez 5 min", "Čez pet minut."),
        ("pl", "od 21 km", "Od dwudziestu jeden kilometrów."),  # 21 is several in Polish
        ("hr", "od 21 km", "Od dvadeset jednog kilometra."),
    ],
)
def test_a_case_has_a_form_for_each_plural(language: str, quantity: str, spoken: str) -> None:
    """CLDR's plural forms of one, two, few and other stand in a case as in the nominative."""
    assert read(quantity, language) == spoken


NAMED_SIGNS = json.loads(Path(signs.__file__).with_name("signs.json").read_text("utf-8"))


@pytest.mark.parametrize("code", LANGUAGES)
def test_an_x_is_times_or_by_in_every_language(code: str) -> None:
    """Neither the letter nor CLDR's name of the sign is said, and one, two and three times have
    other words than each other."""
    together = ("3x4 m", "3 x 4 m", "3×4", "2x 500 ml", "2x100 €", "2–3x", "5x-10x")
    said = [read(text, code) for text in together]
    times = [read(f"{number}x abc", code) for number in (1, 2, 3, 4, 5, 11, 21)]
    sign = NAMED_SIGNS.get(code, {}).get("×", "×")
    assert not [text for text in (*said, *times) if re.search(r"\b\d*x\b|×", text) or sign in text]
    assert len(set(times)) == len(times)


@each_of(
    ("language", "text", "spoken"),
    [
        ("de", "Zoom 1x", "Zoom 1x."),  # counts nothing
        ("de", "2x + 3 = 7", "2x + drei gleich sieben."),  # an unknown
        ("en", "0x1F", "0x1F."),
        ("ru", "2х + 3 = 7", "2х + три равно семь."),
        ("ru", "в 2х частях, в 2х больше", "В двух частях, в два раза больше."),  # an ending
        ("ru", "3х разовое, 3х быстрое", "Трёх разовое, три раза быстрое."),
        ("ru", "из 12х", "Из двенадцати раз."),  # no ending of twelve
        ("uk", "до 3х років, до 5х", "До трьох років, до п'яти разів."),
        ("pl", "2x, 5x, 2,5x", "Dwa razy, pięć razy, dwa przecinek pięć raza."),
        ("hu", "3 x 4, 3 y 4", "Háromszor négy, három y négy."),
        ("en", "2 x 4 m", "Two by four meters."),  # sides
        ("en", "2 x 4 kg", "Two times four kilograms."),
        ("en", "2x4 kg", "Two times four kilograms."),
        ("hu", "3x4x5 m", "Háromszor négyszer öt méter."),
        ("tr", "günde 3x", "Günde üç kez."),  # how often, and how much more
        ("tr", "3x daha hızlı", "Üç kat daha hızlı."),
        ("ro", "de 3x mai mare", "De trei ori mai mare."),  # whose first word is there
        ("ro", "3x mai mare", "De trei ori mai mare."),
    ],
)
def test_an_x_is_told_apart_by_what_stands_beside_it(language: str, text: str, spoken: str) -> None:
    assert read(text, language) == spoken


@each_of(
    ("language", "text", "spoken"),
    [
        ("bg", "2-ма души", "Двама души."),  # two people, and no second one
        ("bg", "7-ма глава", "Седма глава."),
        ("bg", "100-та, 100 000-та", "Стотна, 100 000-та."),  # of the latter no word is known
        ("bg", "2-та отбора, 12-та глава", "Двата отбора, дванадесета глава."),
        ("bg", "2024-та", "Две хиляди двадесет и четвърта."),  # only its last word is inflected
        ("uk", "8-му, 8-ма, 10-ма", "Восьмому, восьма, десятьма."),
        ("uk", "3-ьох, 3-ього", "Трьох, третього."),
        ("ru", "4-х, 14-х", "Четырёх, четырнадцатых."),
        ("pl", "2-ch, 12-ch", "Dwóch, 12-ch."),
        ("el", "40ός, 40ος, 40ή, 40η", "Τεσσαρακοστός, τεσσαρακοστός, τεσσαρακοστή, τεσσαρακοστή."),
        ("ca", "4t, 104è", "Quart, cent quatrè."),  # of another stem
        ("ca", "XXIª, Va", "Vint-i-unena, Va."),  # a word
        ("en", "XXIst, Lth", "Twenty-first, Lth."),
        ("ca", "4t lloc, 5 t", "Quart lloc, cinc tones."),
        ("ca", "3n", "3n."),
        ("ru", "10-е годы", "Десятые годы."),
        ("ru", "10-е издание", "Десятое издание."),
        ("ru", "V-й, V", "Пятый, V."),
        ("el", "45ος, 3045ος", "Τεσσαρακοστός πέμπτος, 3045ος."),
        ("fr", "1er, 1re, 2nde, 22e", "Premier, première, seconde, vingt-deuxième."),
        ("es", "1.er, 1.ª, 1.º", "Primer, primera, primero."),
    ],
)
def test_the_ending_of_an_ordinal_decides_its_form(language: str, text: str, spoken: str) -> None:
    assert read(text, language) == spoken


@pytest.mark.parametrize("language", ["bg", "hr", "lt", "lv", "mk"])
def test_words_of_numbers_differ_and_have_no_digit(language: str) -> None:
    """Every number below ten thousand has words of its own."""
    said = [numerals.spell_cardinal(number, language) for number in range(10_000)]
    assert len(set(said)) == len(said)
    assert not [words for words in said if any(map(str.isdecimal, words)) or words != words.strip()]


@each_of(
    ("language", "counted", "spoken"),
    [
        ("es", "21 km", "Veintiún kilómetros."),
        ("es", "31 toneladas", "Treinta y una toneladas."),
        ("pt", "2 horas", "Duas horas."),
        ("bg", "2 км", "Два километра."),
        ("hr", "2 minute", "Dvije minute."),
        ("lt", "5 min", "Penkios minutės."),
        ("lv", "5 min", "Piecas minūtes."),
        ("ro", "2 milioane €", "Două milioane de euro."),
        ("hu", "2 kg", "Két kilogramm."),
    ],
)
def test_a_number_agrees_with_what_it_counts(language: str, counted: str, spoken: str) -> None:
    """And only with that: the digits of a telephone number stay as they are."""
    assert read(counted, language) == spoken
    digits = read("Tel. 020 212 5212", language).lower()
    alone = numerals.spell_cardinal(2, language)
    assert digits.split(", ")[1].split()[0] == alone


@pytest.mark.parametrize(
    "language", ["bg", "cs", "de", "fi", "hr", "hu", "it", "nl", "pl", "ro", "uk"]
)
def test_a_scale_of_cldr_is_said_with_its_currency(language: str) -> None:
    """The sign after a scale in full, and after its abbreviation, is said by name."""
    formats = numerals.find_locale(language).compact_decimal_formats
    name = get_currency_name("EUR", count=5, locale=numerals.find_locale(language))
    plural = numerals.find_locale(language).plural_form(5)
    short, full = (
        formats[width][form]["1000000000"].pattern.replace("'.'", ".").strip("0\u00a0 ")
        for width, form in (("short", "other"), ("long", plural))
    )
    for scale in (short, full):
        said = read(f"5 {scale} €", language)
        assert f" {full} " in said and said.endswith(f" {name}."), (scale, said)


@each_of(
    ("language", "text", "is_time"),
    [
        ("nl", "begint 9.30", True),
        ("nl", "voor 9.50 kg", False),
        ("nl", "versie 9.30", False),
        ("fi", "9.30 alkaen", True),
        ("fi", "versio 9.30", False),
        ("it", "prima delle 9.30", True),
        ("it", "le 9.30 kg", False),
        ("sv", "efter 9.30", True),
        ("sv", "efter 9.35", False),
        ("sv", "kl. 9–16.30", True),
        ("sv", "mellan 9.30 och 11.20 kg", False),
        ("it", "tra 9.30 e 11.30", True),
        ("it", "tra 9.30 e 11.20 kg", False),
        ("nl", "tussen 9.30 en 11.20 kg", False),
        ("fi", "klo 9–16.30", True),
    ],
)
def test_a_dot_parts_hours_where_the_words_beside_say_so(
    language: str, text: str, is_time: bool
) -> None:
    """Only quarters of an hour, and nothing that is measured."""
    signs = {read_words(language, Numbers).decimal, read_words(language, Addresses).dot}
    assert signs.isdisjoint(read(text, language).lower().split()) == is_time


@each_of(
    ("language", "text", "spoken"),
    [
        ("en", "99p and 1p", "Ninety-nine pence and one penny."),
        ("en", "1080p and p. 30", "1080p and page thirty."),
        ("de", "99 ct", "Neunundneunzig Cent."),
    ],
)
def test_cents_have_a_sign_of_their_own(language: str, text: str, spoken: str) -> None:
    assert read(text, language) == spoken


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_cyrillic_x_is_read_as_a_latin_one(code: str) -> None:
    """Beside a digit, but where it is the ending of a number."""
    texts = (
        "3{0}4 m",
        "3 {0} 4 m",
        "2{0}500 ml",
        "5{0} abc",
        "2–5{0}",
        "19{0}10",
        "5{0}, 2 km",
    )
    assert [read(text.format("х"), code) for text in texts] == [
        read(text.format("x"), code) for text in texts
    ]


@each_of(
    ("language", "number", "value"),
    [
        ("de", "3,14159", "drei Komma eins vier eins fünf neun"),
        ("de", "1,234.56", "eintausendzweihundertvierunddreißig Komma fünf sechs"),
        ("en", "1.234,56", "one thousand, two hundred and thirty-four point five six"),
        ("hu", "3,14159", "három egész egy négy egy öt kilenc"),
        ("hu", "3,05", "három egész öt század"),
        ("hu", "3,001", "három egész egy ezred"),
    ],
)
def test_decimals_of_any_length_are_no_groups(language: str, number: str, value: str) -> None:
    said = numerals.spell_number(number, language, alone=False).replace(",", "")
    assert said == value.replace(",", "")


@pytest.mark.parametrize("digits", ["0,5", "1,5", "2,0", "2,5", "3,25", "21,5", "1.234,5"])
def test_a_slovenian_unit_after_decimals_is_of_one(digits: str) -> None:
    """It stands in the genitive of the singular, as CLDR has it, whatever the number is."""
    listed = [
        ("km", "kilometra"),
        ("kg", "kilograma"),
        ("h", "ure"),
        ("l", "litra"),
        ("%", "odstotka"),
        ("m²", "kvadratnega metra"),
        ("km/h", "kilometra na uro"),
        ("mg/l", "miligrama na liter"),
    ]
    said = {unit: read(f"{digits} {unit}", "sl").rstrip(".") for unit, _ in listed}
    assert [unit for unit, one in listed if not said[unit].endswith(f" {one}")] == []


DAYS = [code for code in LANGUAGES if read_words(code, Dates).days_from]


@pytest.mark.parametrize("code", DAYS)
def test_days_of_a_span_are_those_of_cldr_inflected(code: str) -> None:
    """Each is the day of its place: its beginning is that of CLDR's name."""
    first, last = read_words(code, Dates).days_from, read_words(code, Dates).days_to
    wide, short = (
        get_day_names(width, "format", numerals.find_locale(code))
        for width in ("wide", "abbreviated")
    )
    for number, form in [*enumerate(first), *enumerate(last)]:
        day = wide[number].lower().replace("ʼ", "'")
        assert form.split()[-1].lower().startswith(day[:2]), (form, day)
    said = read(f"{short[0]}–{short[4]}", code).rstrip(".")
    assert said.lower() == f"{first[0]} {last[4]}".lower()


@each_of(
    ("language", "text", "spoken"),
    [
        ("pl", "o godz. 17", "O godzinie siedemnastej."),
        ("pl", "do godz. 17", "Do godziny siedemnastej."),
        ("pl", "wzrost o 17", "Wzrost o siedemnaście."),
        ("es", "a las 21:00", "A las veintiuna horas."),
        ("es", "a la 1:00", "A la una hora."),
        ("ru", "с пн–пт", "С понедельника по пятницу."),
        ("it", "3° piano, 20° all’ombra", "Terzo piano, venti gradi all’ombra."),
    ],
)
def test_words_beside_a_figure_decide_its_form(language: str, text: str, spoken: str) -> None:
    assert read(text, language) == spoken


@pytest.mark.parametrize("language", ["bg", "cs", "hr", "lv", "sk", "sr"])
def test_listed_ordinals_sound_like_their_numbers(language: str) -> None:
    """Among the numbers as espeak-ng reads them, each ordinal of a file is one of the three that
    are most like its own: no library has those of these languages."""
    # the first three have other stems
    numbers = [
        number for number in range(5, 32) if number in (11, 12, 13) or number % 10 not in (1, 2, 3)
    ]
    ordinals = [read_words(language, Numbers).ordinals[number - 1] for number in numbers]
    phonemes = phonemize(
        [*((str(n),) for n in numbers), *(tuple(o.split()) for o in ordinals)], language
    )
    sounds = ["".join(filter(str.isalpha, "".join(pieces))) for pieces in phonemes]
    read_digits = dict(zip(numbers, sounds[: len(numbers)], strict=True))
    ours = dict(zip(numbers, sounds[len(numbers) :], strict=True))

    def likeness(one: int, other: int) -> float:
        return SequenceMatcher(None, read_digits[other], ours[one], autojunk=False).ratio()

    misplaced = [
        one
        for one in numbers
        if one not in sorted(numbers, key=lambda other: likeness(one, other))[-_NEAREST:]
    ]
    assert misplaced == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_file_names_a_unit_that_cldr_names(code: str) -> None:
    """What babel says is not repeated: a file names units that CLDR has a sign for, or nothing."""
    repeated = []
    for unit in read_words(code, Units).named:
        name = units.UNITS.get(unit)
        said = name and format_unit(7, name, "long", "0", numerals.find_locale(code)).replace(
            "7", ""
        )
        if said and not (set(said) & set("/%٪°") or said.strip() in (unit, name)):
            repeated.append(f"{unit}: {said}")
    assert repeated == []


@pytest.mark.parametrize(
    "code", [code for code in LANGUAGES if read_words(code, Numbers).in_compounds and code != "sr"]
)
def test_numbers_in_compounds_begin_as_their_cardinals(code: str) -> None:
    """Each is the number of its place: its first letter is that of num2words' word, or of our own.
    Serbian has no such words; ordinals from first to third have other stems in Lithuanian, and the
    Slovenian collective of four has, četvero; Portuguese days are ordinals of other stems."""
    misplaced = [
        (number, form)
        for kind, forms in read_words(code, Numbers).in_compounds.items()
        for number, form in forms.items()
        if kind != "weekday"
        and not (kind == "ordinal" and number in ("1", "2", "3"))
        and (code, kind, number) != ("sl", "stem", "4")
        and form[0] not in [word[0] for word in numerals.spell_cardinal(int(number), code).split()]
    ]
    assert misplaced == []


@each_of(
    ("language", "text", "spoken"),
    [
        ("de", "3-mal", "Dreimal."),
        ("de", "16-GB-Karte", "Sechzehn Gigabyte Karte."),  # a unit is said by its name
        ("pl", "5-letni", "Pięcioletni."),
        ("pl", "5-ego", "Piątego."),  # an ordinal, and no noun
        ("cs", "25krát", "Dvacet pětkrát."),
        ("ru", "150-летие", "Стопятидесятилетие."),
        ("ru", "2–3-дневный", "Двух-трёхдневный."),
        ("sr", "12-дневни", "12-дневни."),  # no words are known
        ("hu", "2-napos, 2-es", "Kétnapos, kettes."),
        ("hr", "25-godišnji", "Dvadeset petogodišnji."),
    ],
)
def test_a_number_is_one_word_with_what_it_counts(language: str, text: str, spoken: str) -> None:
    assert read(text, language) == spoken


@each_of(
    ("language", "text", "is_street"),
    [
        ("pt", "R. Augusta, 1500", True),
        ("pt", "R. da Prata, 45, 2.º", True),
        ("pt", "Fica na R. Augusta", True),
        ("pt", "A R. Silva chegou", False),
        ("pt", "R. Silva, 45 anos", False),
        ("pt", "A R. Silva, 45, diretora", False),
        ("pt", "José R. Silva, 45", False),
        ("pt", "O Sr. R. Costa, 12", False),
        ("it", "M. V. Bianchi, 12", False),
        ("it", "in V. Roma", True),
    ],
)
def test_a_letter_is_a_street_only_with_a_house_or_a_place(
    language: str, text: str, is_street: bool
) -> None:
    street = {"pt": "rua", "it": "via"}[language]
    assert (street in read(text, language).lower().split()) == is_street


@each_of(
    ("language", "text", "sentences"),
    [
        ("pl", "W latach 90. XX wieku firma rosła. Potem spadła.", 2),
        ("pl", "W latach 90. Polska się zmieniła.", 1),
        ("pl", "Firma bardzo rosła w latach 90. Potem spadła.", 2),
        ("ru", "В XXI в. Москва растёт.", 1),
        ("ru", "Это было в XX в. Потом всё изменилось.", 2),
        ("hi", "दूरी 5 कि.मी. है। वजन 10 कि.ग्रा. है।", 2),
        ("lt", "Vilniaus g. 5 yra namas.", 1),
    ],
)
def test_a_short_word_after_a_number_ends_a_sentence_only_with_it(
    language: str, text: str, sentences: int
) -> None:
    assert sum(token.ends for token in tokenize_text(text, language)) == sentences


def test_a_hindi_unit_is_shown_as_written_and_with_its_number() -> None:
    shown = [
        token.written for token in tokenize_text("घर 250 वर्ग मी. का, ₹1,50,000, 10:30 बजे", "hi")
    ]
    assert shown == ["घर", "250\u00a0वर्ग\u00a0मी.", "का,", "₹1,50,000,", "10:30\u00a0बजे"]


@pytest.mark.parametrize(
    ("written", "language"), [("1., ", "hr"), ("1. i ", "hr"), ("1-й и ", "ru")]
)
def test_ordinals_without_end_are_read(written: str, language: str) -> None:
    """The noun that ordinals share is sought a few words ahead, however many they are."""
    assert len(read(written * 1200 + "razred", language)) > len(written) * 1000
