"""Amounts with cents whose currency is a word, and what only looks like one."""

from support.tables import each_of

from svc.base.text import countries
from svc.media.text.read_aloud import read


@each_of(
    ("language", "text", "said"),
    [
        ("en", "Set it to 12.50 pounds per square inch.", "twelve point five zero pounds per"),
        ("en", "It costs 12.50 pounds per month.", "twelve pounds fifty per month"),
        ("en", "It was 7.25 pounds at birth.", "seven point two five pounds"),
        ("en", "It is 12.50 pounds at the door.", "twelve pounds fifty at the door"),
        ("en", "The parcel is 4.75 pounds (2.15 kg).", "four point seven five pounds"),
        ("de", "Das Baby wog 7,25 Pfund.", "sieben Komma zwei fünf Pfund"),
        ("de", "Nehmen Sie 2,25 Pfund Mehl.", "zwei Komma zwei fünf Pfund Mehl"),
        ("de", "Es kostet 12,50 Pfund pro Monat.", "zwölf Pfund fünfzig pro Monat"),
        ("fr", "Il pèse 3,50 livres.", "trois virgule cinquante livres"),
        ("fr", "Il coûte 3,50 livres.", "trois livres cinquante"),
        ("es", "Pesa 3,25 libras.", "tres coma veinticinco libras"),
        ("pt", "Pesa 3,25 libras.", "três vírgula vinte e cinco libras"),
        ("nl", "Hij woog 3,25 pond.", "drie komma twee vijf pond"),
        ("nl", "Het kost 12,50 pond per maand.", "twaalf pond vijftig per maand"),
        ("pl", "Kupił 2,25 funta mięsa.", "dwa przecinek dwadzieścia pięć funta mięsa"),
        ("pl", "Kosztuje 2,25 funta za sztukę.", "dwa funty dwadzieścia pięć za sztukę"),
        ("ru", "Вес 3,25 фунта.", "три запятая двадцать пять фунта"),
        ("ru", "Цена 3,25 фунта.", "три фунта двадцать пять"),
    ],
)
def test_pounds_are_money_or_weight(language, text, said):
    country = "GB" if language == "en" else ""
    read_in = countries.in_country(language, country) if country else language
    assert said in read(text, read_in)


def test_a_currency_of_several_countries_has_the_name_of_none():
    """Eleven and more take a form of their own in Arabic, and were said to be Algerian."""
    assert "جزائري" not in read("السعر 12.50 دينار.", "ar")
