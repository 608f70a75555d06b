"""A language is one file: what is read of it, and what is said where it is wrong."""

import ast
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from num2words import CONVERTER_CLASSES

from svc.base.text import languages as offered
from svc.media import languages
from svc.media.captions import description
from svc.media.languages import (
    Agendas,
    Everywhere,
    Facts,
    Grammar,
    Numbers,
    Phrases,
    Sentences,
    merge_words,
    read_words,
)
from svc.media.maths import reading as formulas
from svc.media.model import Point, Presenter
from svc.media.script import agendas, descriptions, fact_check, phrases
from svc.media.text import signs, tokens
from svc.media.text.grammar import negations
from svc.media.video import mp4

FOLDER = Path(offered.__file__).parent
MEDIA = Path(languages.__file__).parent
CODES = sorted(path.stem for path in FOLDER.glob("*.toml"))
REGIONS = [code for code in CODES if "-" in code]

# a language that no file of the service has
MADE_UP = """\
# Esperanto, as far as this test goes.
voice = "art/eo"
iso_639_2 = "epo"
sample = "Saluton."

[sentences]
separators = ",;"

[everywhere]
titles = "s-ro"
closing = "ktp."

[numbers]
decimal = "komo"
minus = "minus"
plus = "plus"
to = "ĝis"
number = "numero"

[numbers.fractions]
"1/2" = "duono"

[money]

[money.currencies]
"$" = ["dolaro", "dolaroj"]

[units]
per = "po"

[units.periods]
mon = "monato"

[times]
with_minutes = "la {0} horo kaj {1}"

[dates]
ordinal = '(\\d+)-a'

[abbreviations]
titles = "d-ro"

[abbreviations.spoken]
"ekz." = "ekzemple"

[abbreviations.before_a_number]
"p." = "paĝo"

[roman]
parts = "ĉapitro"
joiners = ["kaj", "aŭ", "ĝis"]

[articles]

[lines]

[addresses]
dot = "punkto"
at = "ĉe"

[signs]

[signs.names]
"≈" = "proksimume"

[formulas]

[formulas.said]
"+" = "plus"

[phrases]
sign_off = "Video de {}."
code = "La kodo"
disclosure = "Programo faris ĉi tiun videon"

[phrases.alerts]
warning = "Averto"

[phrases.descriptions]
points = "{name} kaj listo."

[agendas]
sure = ["tagordo"]

[facts]
rising = "kresk"
falling = "falas"

[grammar]
negations = "ne"

[pictures]

[readings]
"""


def forget_words():
    """Have the files read again, and what was made of them by whatever reads texts."""
    for name, module in list(sys.modules.items()):
        if name.startswith(("svc.media.languages", "svc.media.text", "svc.media.script")):
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the made-up language and English, in place of the service's own."""
    (tmp_path / "eo.toml").write_text(MADE_UP, "utf-8")
    (tmp_path / "en.toml").write_bytes((FOLDER / "en.toml").read_bytes())
    monkeypatch.setattr(offered, "FOLDER", tmp_path)
    forget_words()
    yield tmp_path
    monkeypatch.undo()
    forget_words()


@pytest.mark.parametrize("code", CODES)
def test_every_file_is_right_and_has_every_section(code):
    languages.check_file(code)
    assert code in offered.LANGUAGES | offered.FURTHER


def test_one_more_file_is_one_more_language(folder, monkeypatch):
    made_up = offered.read_languages(folder)["eo"]
    assert (made_up.voice, made_up.sample) == ("art/eo", "Saluton.")
    monkeypatch.setitem(offered._BY_LOWER_CODE, "eo", made_up)
    assert mp4.find_iso_639_2("eo") == "epo"
    assert phrases.find_sign_off("Ada", "eo") == "Video de Ada."
    assert phrases.choose_code_sentence(1, "eo") == "La kodo"
    assert phrases.find_alert_title("warning", "eo") == "Averto"
    assert description.find_disclosure("eo", []) == "Programo faris ĉi tiun videon."
    points, ada = (Point("x", 0, 0),), Presenter("Ada")
    described = descriptions.describe_scene("points", "Tajdoj", points, ada, "eo")
    assert described == "Ada kaj listo."
    assert agendas.is_surely_agenda("Tagordo:", "eo")
    assert negations.is_negation("Ne", "eo")
    assert signs.name_sign("≈", "eo") == "proksimume"
    assert [token.spoken for token in formulas.read_formula("x+y", "eo")] == ["X", "plus", "Y."]
    assert fact_check.find_reversed_sentence("La vendo falas.", "La vendo kreskas.", "eo")


@pytest.mark.parametrize(
    "written, spoken",
    [
        ("−3,5", "Minus 3 komo 5."),
        ("5–8", "5 ĝis 8."),
        ("½", "Duono."),
        ("#3", "Numero 3."),
        ("$5/mon", "5 dolaroj po monato."),
        ("14:30", "La 14 horo kaj 30."),
        ("a.b@c.org", "A punkto b ĉe c punkto org."),
        ("S-ro. Ada, d-ro. Bo, ktp. Jes", "S-ro Ada, d-ro Bo, ktp. Jes."),
        ("Vidu ekz. p. 5", "Vidu ekzemple paĝo 5."),
        ("Ĉapitro IV", "Ĉapitro 4."),
    ],
)
def test_a_text_is_spoken_with_the_words_of_its_file(folder, written, spoken):
    said = " ".join(token.spoken for token in tokens.tokenize_text(written, "eo"))
    assert said == spoken


def test_a_region_says_what_differs_and_has_the_rest_of_its_language():
    assert read_words("es-419", Numbers).decimal != read_words("es", Numbers).decimal
    assert read_words("es-419", Grammar) == read_words("es", Grammar)
    assert read_words("de-AT", Numbers) == read_words("de", Numbers)
    assert read_words("zh-TW", Sentences).full_stop == "。"
    for code in REGIONS:
        text = (FOLDER / f"{code}.toml").read_text("utf-8")
        assert len(text) < len((FOLDER / f"{code.partition('-')[0]}.toml").read_text("utf-8"))


@pytest.mark.parametrize("language", ["es", "es-419", "pt", "pt-BR"])
def test_a_title_ends_no_sentence_in_a_region_either(language):
    said = tokens.tokenize_text("El Sr. García llega", language)
    assert [token.ends for token in said] == [False, False, False, True]


def test_a_language_without_a_file_has_no_words():
    assert read_words("xx", Numbers) == Numbers() and read_words("xx", Agendas) == Agendas()


def test_words_for_all_languages_are_those_of_each(folder):
    everywhere = merge_words(Everywhere)
    assert {"ktp.", "etc."} <= everywhere.closing and "tel" in everywhere.telephone
    assert merge_words(Facts).rising > read_words("eo", Facts).rising


def test_every_key_of_a_file_is_read_by_the_engine():
    trees = [ast.parse(module.read_text("utf-8")) for module in MEDIA.rglob("*.py")]
    read = {each.attr for tree in trees for each in ast.walk(tree) if type(each) is ast.Attribute}
    keys = {(name, key.name) for name, kind in languages.SECTIONS.items() for key in fields(kind)}
    assert {(name, key) for name, key in keys if key not in read} == set()


def test_num2words_has_every_code_that_a_file_names():
    codes = {code: read_words(code, Numbers).num2words for code in CODES}
    assert {code for code in codes.values() if code} <= CONVERTER_CLASSES.keys()
    of_countries = [read_words(code, Numbers).num2words_in.values() for code in CODES]
    assert set().union(*of_countries) <= CONVERTER_CLASSES.keys()
    assert (codes["pt"], codes["pt-BR"], codes["sw"]) == ("pt", "pt_BR", "")


def test_languages_with_descriptions_describe_whatever_english_does():
    kinds = read_words("en", Phrases).descriptions.keys()
    described = [
        phrases.descriptions for phrases in languages.read_words_by_language(Phrases).values()
    ]
    assert all(each.keys() == kinds for each in described if each)


@pytest.mark.parametrize(
    "right, wrong, said",
    [
        (
            'decimal = "komo"',
            'decimel = "komo"',
            r"\[numbers\]: no key decimel; did you mean decim",
        ),
        ("[signs]\n", "[sign]\n", "no section sign; did you mean signs?"),
        ("[articles]\n", "", r"no section \[articles\]; a language that has nothing of it says so"),
        ('to = "ĝis"', "to = 3", r"\[numbers\] to: text, not 3"),
        ('closing = "ktp."', 'closing = ["ktp."]', "closing: text with spaces between its words"),
        ("'(\\d+)-a'", "'(\\d+-a'", r"\[dates\] ordinal: no regular expression: missing \)"),
        ('["kaj", "aŭ", "ĝis"]', '["kaj"]', r"joiners: a list of 3 texts, not \['kaj'\]"),
        ('"1/2" = "duono"', 'half = "duono"', "fractions: no name half; there are 1/2, 1/3"),
        (
            'warning = "Averto"',
            'warnin = "Averto"',
            "alerts: no name warnin; did you mean warning?",
        ),
        ('points = "', 'prose = "', "descriptions: no name prose"),
        ('minus = "minus"', 'minus = "minus', r"eo.toml \[numbers\]: .*line 3"),
        ("ordinal = ", "days.lu = 7\nordinal = ", "days: days from 0, Monday, to 6, not 7"),
        ('sure = ["tagordo"]', 'sure = "tagordo"', "sure: a list of texts, not 'tagordo'"),
    ],
)
def test_what_is_wrong_in_a_file_is_said_with_what_is_right(folder, right, wrong, said):
    assert right in MADE_UP
    (folder / "eo.toml").write_text(MADE_UP.replace(right, wrong), "utf-8")
    forget_words()
    with pytest.raises(ValueError, match=said) as failed:
        languages.check_file("eo")
    assert str(failed.value).startswith("eo.toml")


@pytest.mark.parametrize(
    "right, wrong, said",
    [
        ('voice = "art/eo"', 'voise = "art/eo"', "no key voise; did you mean voice?"),
        ('voice = "art/eo"', "", "no key voice; where espeak-ng has no good voice, it is empty"),
        ('iso_639_2 = "epo"', "iso_639_2 = 5", "iso_639_2: text, not 5"),
        ('voice = "art/eo"', 'voice = "art/eo', "Illegal character|Unterminated|line"),
    ],
)
def test_what_is_wrong_in_the_first_lines_is_said_before_anything_is_offered(
    folder, right, wrong, said
):
    (folder / "eo.toml").write_text(MADE_UP.replace(right, wrong, 1), "utf-8")
    with pytest.raises(ValueError, match=said) as failed:
        offered.read_languages(folder)
    assert str(failed.value).startswith("eo.toml")
