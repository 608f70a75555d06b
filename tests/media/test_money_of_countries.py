"""Numbers and money as they are read in the country of a brief, not only in its language."""

import json
import runpy
from decimal import Decimal
from pathlib import Path

import pytest
from babel import Locale, localedata
from babel.numbers import get_currency_name, get_currency_symbol
from num2words import num2words
from support.tables import each_of

from svc.base.text import countries
from svc.base.text.countries import in_country
from svc.base.text.languages import FURTHER, LANGUAGES, find_language
from svc.media.languages import Grammar, Money, Numbers, read_words
from svc.media.script.from_brief import write_script
from svc.media.text import amounts, numerals
from svc.media.text.tokens import join_words, tokenize_text
from svc.media.video import audio_description
from tests.media.conftest import brief_of

ROOT = Path(__file__).parents[2]
SAID = [
    # The sign of the dollar is the country's own currency where its language is spoken.
    ("es-419", "MX", "Cuesta $1", "Cuesta un peso."),
    ("es-419", "MX", "Cuesta $21", "Cuesta veintiún pesos."),
    ("es-419", "MX", "Cuesta 20 $", "Cuesta veinte pesos."),
    ("es-419", "MX", "-$5,000", "Menos cinco mil pesos."),
    ("es-419", "MX", "Entre $50 y $100", "Entre cincuenta pesos y cien pesos."),
    ("es-419", "MX", "De $5-$10", "De cinco a diez pesos."),
    ("es-419", "MX", "Son $5 millones", "Son cinco millones de pesos."),
    ("es-419", "MX", "Son $5 mil", "Son cinco mil pesos."),
    ("es-419", "MX", "Son $5 mil millones", "Son cinco mil millones de pesos."),
    ("es-419", "MX", "Cuesta $500/mes", "Cuesta quinientos pesos al mes."),
    ("es", "MX", "Cuesta $500", "Cuesta quinientos pesos."),
    ("es", "AR", "Cuesta $ 3.500", "Cuesta tres mil quinientos pesos."),
    (
        "es-419",
        "CL",
        "Sube a $12.345",
        "Sube a doce mil trescientos cuarenta y cinco pesos.",
    ),
    ("es-419", "CO", "Son $1.500.000", "Son un millón quinientos mil pesos."),
    ("es-419", "CU", "Cuesta $25", "Cuesta veinticinco pesos."),
    ("es-419", "DO", "Son RD$1500 o $150", "Son mil quinientos pesos o ciento cincuenta pesos."),
    ("es-419", "US", "Cuesta $20", "Cuesta veinte dólares."),
    ("es-419", "EC", "Cuesta $20", "Cuesta veinte dólares."),
    ("es-419", "SV", "Cuesta $20", "Cuesta veinte dólares."),
    ("es-419", "PA", "Son B/. 20 o $20", "Son veinte balboas o veinte dólares."),
    ("es-419", "PR", "Cuesta $5.25", "Cuesta cinco dólares con veinticinco centavos."),
    ("es-419", "PH", "Son ₱500 o $20", "Son quinientos pesos o veinte dólares."),
    ("es", "ES", "Cuesta 20 $", "Cuesta veinte dólares."),
    ("es", "DE", "Cuesta 20 $", "Cuesta veinte dólares."),
    ("en", "CA", "It costs $12.50", "It costs twelve dollars fifty."),
    ("en", "AU", "It costs $12.50", "It costs twelve dollars fifty."),
    ("en", "NZ", "It costs $5", "It costs five dollars."),
    ("en", "SG", "It costs $0.50", "It costs fifty cents."),
    ("en", "HK", "It costs $50", "It costs fifty dollars."),
    ("fr", "CA", "Ça coûte 12,50 $", "Ça coûte douze dollars cinquante."),
    ("nl", "SR", "Het kost $ 50", "Het kost vijftig dollar."),
    ("ms", "SG", "Harga $50", "Harga 50 Dolar."),
    # In a language that is not the country's, it stays the dollar.
    ("en", "MX", "It costs $20", "It costs twenty dollars."),
    ("de", "MX", "Es kostet $20", "Es kostet zwanzig Dollar."),
    ("de", "US", "Es kostet $20", "Es kostet zwanzig Dollar."),
    ("pl", "CA", "To kosztuje 20 $", "To kosztuje dwadzieścia dolarów amerykańskich."),
    ("pt-BR", "BR", "São R$ 5 ou $ 20", "São cinco reais ou vinte dólares."),
    ("pt-BR", "BR", "São R$ 5 mil", "São cinco mil reais."),
    # What names its currency stays that.
    ("es-419", "AR", "Son US$ 20", "Son veinte dólares estadounidenses."),
    ("es-419", "AR", "Son U$S 20", "Son veinte dólares estadounidenses."),
    ("es-419", "AR", "Son 20 USD", "Son veinte dólares estadounidenses."),
    ("es-419", "AR", "Son MX$ 50", "Son cincuenta pesos mexicanos."),
    ("es-419", "MX", "Son $1,500 MXN", "Son mil quinientos pesos mexicanos."),
    ("es-419", "CO", "Son 25.000 COP", "Son veinticinco mil pesos colombianos."),
    ("en", "AU", "It costs A$20", "It costs twenty Australian dollars."),
    ("en", "CA", "It costs C$5", "It costs five Canadian dollars."),
    # Other signs of several currencies, and those that are letters.
    ("ar", "EG", "السعر 50 £", "السعر خمسون جنيهًا."),
    ("ar", "SA", "السعر 50 £", "السعر خمسون جنيه إسترليني."),
    ("en", "GI", "It costs £50", "It costs fifty pounds."),
    ("en", "IN", "It costs Rs 500", "It costs five hundred rupees."),
    ("en", "PK", "It costs Rs. 500 now", "It costs five hundred rupees now."),
    ("en", "LK", "It costs Rs 500", "It costs five hundred Sri Lankan rupees."),
    ("fr", "MU", "Ça coûte Rs 500", "Ça coûte cinq cents roupies."),
    ("ur", "PK", "قیمت Rs 500", "قیمت 500 روپے."),
    ("hi", "IN", "कीमत Rs 500", "कीमत 500 रुपए."),
    ("es-419", "GT", "Son Q150.50", "Son ciento cincuenta quetzales con cincuenta centavos."),
    ("es-419", "HN", "L150 y 500 L", "Ciento cincuenta lempiras y quinientos litros."),
    ("es-419", "PE", "Son S/ 150.50", "Son ciento cincuenta soles con cincuenta céntimos."),
    ("es-419", "BO", "Son Bs 150 o 20 Bs.", "Son ciento cincuenta bolivianos o veinte bolivianos."),
    ("es-419", "VE", "Son Bs. 1.500,50", "Son mil quinientos bolívares con cincuenta céntimos."),
    ("es-419", "CR", "Son ₡1 500", "Son mil quinientos colones."),
    ("es-419", "PY", "₲ 1.500 o Gs. 500", "Mil quinientos guaraníes o quinientos guaraníes."),
    ("es-419", "NI", "C$200 o $200", "Doscientos córdobas o doscientos dólares."),
    ("es-419", "UY", "$ 12,50", "Doce pesos con cincuenta centésimos."),
    ("en", "ZA", "It costs R1 500,50", "It costs one thousand five hundred rand fifty."),
    ("en", "ZA", "From R150-R200", "From one hundred and fifty to two hundred rand."),
    ("en", "ZA", "It costs R5 million", "It costs five million rand."),
    ("en", "US", "Q150, L150, R150, Rs", "Q150, L150, R150, Rs."),
    ("en", "BW", "It costs P 150", "It costs one hundred and fifty pula."),
    ("en", "NG", "It costs ₦500", "It costs five hundred naira."),
    ("en", "KE", "It costs KSh 500", "It costs five hundred shillings."),
    ("en", "CN", "It costs ¥500", "It costs five hundred Chinese yuan."),
    ("en", "JP", "It costs ¥500", "It costs five hundred Japanese yen."),
    ("nb", "NO", "kr. 50 og 50 kr", "Femti kroner og femti kroner."),
    ("da", "DK", "Det koster kr. 50", "Det koster halvtreds kroner."),
    ("sv", "SE", "Det kostar 50 kr", "Det kostar femtio kronor."),
    ("en", "DK", "It costs 50 kr", "It costs fifty kroner."),
    ("en", "NO", "It costs 50 kr", "It costs fifty kroner."),
    ("ro", "MD", "Costă 50 lei", "Costă cincizeci de lei."),
    ("fr", "SN", "Ça coûte 5 000 FCFA", "Ça coûte cinq mille francs CFA."),
    ("de", "CH", "1'500.50 Fr. heute", "Eintausendfünfhundert Franken fünfzig heute."),
    ("de", "CH", "Eintritt Fr. 20.–", "Eintritt zwanzig Franken."),
    ("de", "CH", "Fr. 12. Mai, Fr. 12.50", "Freitag zwölften Mai, zwölf Franken fünfzig."),
    ("de", "CH", "Mo–Fr 8–12 Uhr", "Montag bis Freitag acht bis zwölf Uhr."),
    ("de", "CH", "Am Fr 10 Uhr", "Am Freitag zehn Uhr."),
    ("de", "DE", "Am Fr. 12. Mai", "Am Freitag zwölften Mai."),
    ("it", "CH", "Costa Fr. 12.50", "Costa dodici franchi cinquanta."),
    ("fr", "CH", "Prix : 20 fr.", "Prix: vingt francs."),
    ("es-419", "MX", "Son $500 pesos", "Son quinientos pesos."),
    ("en", "US", "A $5 dollar bill", "A five dollar bill."),
    ("es-419", "AR", "Son ARS 500", "Son quinientos pesos argentinos."),
    ("es-419", "CO", "Son COP 20.000", "Son veinte mil pesos colombianos."),
    ("es-419", "CO", "En la COP 28", "En la COP veintiocho."),
    ("es-419", "HN", "Son L. 500 y Lps. 20", "Son quinientos lempiras y veinte lempiras."),
    ("es-419", "HN", "Nivel L 2", "Nivel L dos."),
    ("en", "ZA", "Plan R12, R2m", "Plan R12, two million rand."),
    ("en", "IN", "Rs. 1,50,000/-", "One lakh fifty thousand rupees."),
    ("es-419", "CR", "Son ¢500", "Son quinientos colones."),
    # The signs before decimals and between thousands.
    ("es-419", "MX", "$1,500.50", "Mil quinientos pesos con cincuenta centavos."),
    ("es-419", "AR", "$1.500,50", "Mil quinientos pesos con cincuenta centavos."),
    ("es-419", "AR", "$1,500", "Mil quinientos pesos."),
    ("es-419", "MX", "Mide 3.5 km", "Mide tres punto cinco kilómetros."),
    ("es-419", "AR", "Mide 3,5 km", "Mide tres coma cinco kilómetros."),
    ("es-419", "AR", "Pesa 1,500 kg", "Pesa uno coma cinco cero cero kilogramos."),
    ("es-419", "MX", "Pesa 1,500 kg", "Pesa mil quinientos kilogramos."),
    ("es-419", "CR", "Son 1 500,5 km", "Son mil quinientos coma cinco kilómetros."),
    ("es", "US", "Son 1.500 casas", "Son mil quinientas casas."),
    ("es", "US", "Son 1,500 casas", "Son mil quinientas casas."),
    ("es", "ES", "12,50 €", "Doce euros con cincuenta céntimos."),
    ("ar", "DZ", "1,500 متر", "واحد فاصلة خمسة صفر صفر متر."),
    ("ar", "EG", "1,500 متر", "ألف و خمسمائة متر."),
    ("de", "AT", "€ 1 500,50", "Eintausendfünfhundert Euro fünfzig."),
    ("fr", "FR", "€1 500", "Mille cinq cents euros."),
    ("fr", "CA", "1 500,50 $", "Mille cinq cents dollars cinquante."),
    ("en", "IN", "₹1,50,000", "One lakh fifty thousand rupees."),
    ("en", "ZA", "1 500,5 litres", "One thousand five hundred point five litres."),
    ("en", "DE", "1,500 people", "One thousand five hundred people."),
    ("fr", "FR", "71, 80, 95", "Soixante et onze, quatre-vingts, quatre-vingt-quinze."),
    ("fr", "BE", "71, 80, 95", "Septante et un, quatre-vingts, nonante-cinq."),
    ("fr", "CH", "77 %, 91 %", "Septante-sept pour cent, nonante et un pour cent."),
    ("fr", "BE", "le 70e, le 95e", "Le septantième, le nonante-cinquième."),
]


def say(text: str, language: str, country: str) -> str:
    words = tokenize_text(text, in_country(language, country))
    return join_words(word.spoken for word in words)


@each_of("language, country, text, said", [row for row in SAID if row[3]])
def test_numbers_and_money_are_read_as_in_the_country(language, country, text, said):
    assert say(text, language, country) == said


def test_the_quarter_of_a_year_is_no_amount_of_quetzals():
    assert say("En el Q1, con Q 5 o Q5 millones", "es-419", "GT") == (
        "En el Q1, con cinco quetzales o cinco millones de quetzales."
    )


@each_of("language, country", [("en", "US"), ("de", "DE"), ("pt", "PT"), ("es-419", "MX")])
def test_a_language_in_a_country_is_still_that_language(language, country):
    assert find_language(in_country(language, country)) is find_language(language)
    assert countries.strip_country(in_country(language, country)) == language


@each_of("language", sorted(FURTHER))
def test_a_language_that_is_given_to_the_voice_as_written_has_no_country(language):
    assert in_country(language, "CN") == language


@each_of(
    "language, country, written, said",
    [
        ("en", "US", "Due 12/3/2026", "Due December third twenty twenty-six."),
        ("en", "PH", "Due 12/3/2026", "Due December third twenty twenty-six."),
        # Both orders are written in Canada.
        ("en", "CA", "Due 12/3/2026", "Due December third twenty twenty-six."),
        ("en", "GB", "Due 12/3/2026", "Due March twelfth twenty twenty-six."),
        ("en", "AU", "Due 12/3/2026", "Due March twelfth twenty twenty-six."),
        ("en", "IN", "Due 12/3/2026", "Due March twelfth twenty twenty-six."),
        ("en", "ZA", "Due 12/3/26", "Due March twelfth twenty twenty-six."),
        ("en", "DE", "Due 12/3/2026", "Due March twelfth twenty twenty-six."),
        # No country of English: the language's own order.
        ("en", "CN", "Due 12/3/2026", "Due December third twenty twenty-six."),
        ("en", "AU", "on Sat 4/1", "On Saturday January fourth."),
        ("en", "US", "on Sat 4/1", "On Saturday April first."),
        ("en", "AU", "Due 12/31/2026", "Due December thirty-first twenty twenty-six."),
        ("en", "US", "Due 31/12/2026", "Due December thirty-first twenty twenty-six."),
        ("en-GB", "US", "Due 12/3/2026", "Due the twelfth of March twenty twenty-six."),
        ("es-419", "MX", "El 12/3/2026", "El doce de marzo de dos mil veintiséis."),
        ("es-419", "PA", "El 12/3/2026", "El tres de diciembre de dos mil veintiséis."),
        ("es-419", "PA", "El 31/12/2026", "El treinta y uno de diciembre de dos mil veintiséis."),
        ("fr", "CA", "Le 12/3/2026", "Le douze mars deux mille vingt-six."),
    ],
)
def test_days_and_months_stand_in_the_order_of_the_country(language, country, written, said):
    words = tokenize_text(written, in_country(language, country))
    assert join_words(word.spoken for word in words) == said
    assert join_words(word.written for word in words).replace("\u00a0", " ") == written


def test_the_table_is_that_of_babel():
    script = runpy.run_path(str(ROOT / ".ci" / "countries.py"))
    listed = json.loads(Path(countries.__file__).with_suffix(".json").read_text("utf-8"))
    assert listed["currencies"] == script["list_currencies"]()
    assert listed["numbers"] == {
        code: script["list_numbers"](code)
        for code in sorted({code.partition("-")[0] for code in LANGUAGES})
    }
    assert listed["months_first"] == {
        code: script["list_month_first"](code) for code in listed["months_first"]
    }


@each_of(
    "language, country",
    [
        (base, each)
        for base in ("ar", "en", "es", "fr", "ms", "nl", "pt")
        for each in json.loads(Path(countries.__file__).with_suffix(".json").read_text("utf-8"))[
            "numbers"
        ][base]
    ],
)
def test_the_dollar_sign_means_what_cldr_has_in_the_country(language, country):
    """CLDR says by which sign a country's currency is written in a language of the country."""
    identifier = f"{language}_{country}"
    if not localedata.exists(identifier):
        return
    locale = Locale.parse(identifier)
    money = read_words(in_country(language, country), Money)
    codes = [code for code in localedata_codes(country) if code in countries.SHARED_SIGNS["$"]]
    own = [code for code in codes if get_currency_symbol(code, locale) in ("$", f"{code[:2]}$")]
    if own:
        assert money.signs["$"] in own
        name = get_currency_name(money.signs["$"], Decimal(5), locale)
        noun = say("$5", language, country).rstrip(".").split()[-1]
        assert noun.casefold() in name.casefold().split()


def localedata_codes(country: str) -> list[str]:
    table = json.loads(Path(countries.__file__).with_suffix(".json").read_text("utf-8"))
    return table["currencies"].get(country, "").split()


@each_of("number", [0, 1, 7, 21, 99, 100, 555, 1000, 1234, 99999, 1500000])
@each_of("country, group", [("MX", ","), ("AR", "."), ("CR", "\u00a0"), ("ES", ".")])
def test_a_whole_number_is_the_same_however_its_country_groups_it(country, group, number):
    written = f"{number:,}".replace(",", group)
    read = numerals.parse_number(written, in_country("es-419", country))
    assert read == number
    said = numerals.spell_cardinal(number, in_country("es-419", country))
    assert said == num2words(number, lang="es")


@each_of("number", [70, 71, 72, 76, 77, 79, 90, 91, 93, 95, 96, 99, 171, 1973, 1995])
def test_belgian_numbers_are_those_of_num2words(number):
    expected = num2words(number, lang="fr_BE").replace("cents ", "cent ")
    assert numerals.spell_cardinal(number, in_country("fr", "BE")) == expected
    assert numerals.spell_cardinal(number, in_country("fr", "FR")) == num2words(number, lang="fr")


def test_what_does_not_depend_on_the_country_is_kept_once_for_all():
    language = in_country("es-419", "MX")
    assert read_words(language, Grammar) is read_words("es-419", Grammar)
    assert numerals.find_locale(language) is numerals.find_locale("es-419")
    assert read_words(language, Numbers) is not read_words("es-419", Numbers)


MARKDOWN = """\
Cuesta $500 al mes.

| Plan | Precio |
|---|---|
| Uno | $1,500 |
| Dos | $2,500 |

::: danger
Son $20.
:::

- Un litro: $25

> Pague $30.
"""


@pytest.mark.parametrize(
    ("country", "named", "other"), [("MX", "pesos", "dólares"), ("EC", "dólares", "pesos")]
)
def test_a_film_says_the_currency_of_its_country_and_shows_what_was_written(country, named, other):
    brief = brief_of(
        language="es-419",
        country=country,
        title="Ahorre $100",
        topic="Ahorre $100",
        metadata_md=MARKDOWN,
    )
    script = write_script(brief)
    said = " ".join(word for scene in script.scenes for word in scene.spoken)
    written = " ".join(word for scene in script.scenes for word in scene.words)
    assert said.count(named) >= 7
    assert other not in said
    assert "$500" in written
    assert named not in written
    described = audio_description._list_tokens(script)
    assert not any(other in token.spoken for tokens in described for token in tokens)


def test_a_chart_measures_what_is_said():
    rows = "| Año | Toneladas |\n|---|---|\n| Uno | 1,500 |\n| Dos | 2,250 |\n| Tres | 980,5 |"
    for country, first in (("AR", 1.5), ("MX", 1500)):
        brief = brief_of(language="es-419", country=country, metadata_md=rows)
        sights = [scene.sight for scene in write_script(brief).scenes]
        assert next(each for each in sights if each.values).values[0] == (first,)


@each_of(
    "text, sign, number",
    [("1,500", ",", 1.5), ("1,500", "", 1500), ("$1,500", ",", 1500), ("1.500", ",", 1500)],
)
def test_a_figure_is_parsed_by_the_sign_of_its_country(text, sign, number):
    assert amounts.parse_amount(text, decimal_sign=sign) == number
