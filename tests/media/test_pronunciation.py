"""An account's pronunciations in the script and in speech; the captions keep what was written."""

import dataclasses

import pytest

from svc.media.model import Presenter, Pronunciation, Rendition, Script, VideoBrief, load
from svc.media.script import step
from svc.media.speech import narration
from svc.media.text.pronunciation import lexicon
from svc.media.text.tokens import tokenize_text
from svc.media.voice import SpokenPassage

ENTRIES = (
    Pronunciation("SQL", "sequel"),
    Pronunciation("kestrel", "kess trel"),
    Pronunciation("New York City", "N Y C"),
    Pronunciation("C++", "see plus plus"),
    Pronunciation("Dr. Who", "doctor hoo"),
    Pronunciation("nginx", "engine [[x]] <b>"),
)


def said(text: str, *entries: Pronunciation, language: str = "en") -> str:
    result = tokenize_text(text, language)
    words, spoken = [token.written for token in result], [token.spoken for token in result]
    parts = lexicon.replace_words(words, spoken, entries or ENTRIES, language)
    assert len(parts) == len(words) and all(part.strip() for part in parts)
    return " ".join(parts)


@pytest.mark.parametrize(
    ("written", "heard"),
    [
        ("We use SQL, and “SQL”.", "We use sequel, and sequel."),
        ("SQL is old.", "Sequel is old."),
        ("sql and MySQL stay", "Sql and MySQL stay."),
        ("Kestrel, KESTREL and kestrels", "Kess trel, kess trel and kestrels."),
        ("In New York City (New York City) now", "In N Y C N Y C now."),
        ("New York is not it", "New York is not it."),
        ("Write C++ now", "Write see plus plus now."),
        ("Ask Dr. Who! Or Dr. Smith.", "Ask doctor hoo! Or Dr Smith."),
        ("run nginx", "Run engine x b."),
    ],
)
def test_whole_words_are_spoken_as_the_lexicon_says(written, heard):
    assert said(written) == heard


@pytest.mark.parametrize(
    ("written", "heard"),
    [
        ("an SQL-based and a non-SQL-based tool", "An sequel-based and a non-sequel-based tool."),
        ("Kestrel's wings, KESTREL’s too", "Kess trel's wings, kess trel’s too."),
        ("SQL's. SQL!", "Sequel's. Sequel!"),
        ("SQL/NoSQL, SQL-Kestrel", "Sequel NoSQL, sequel-kess trel."),
        ("MySQL, NoSQL, SQL2, XSQLY and SQLé", "MySQL, NoSQL, SQL2, XSQLY and SQLé."),
        ("MySQL-SQL", "MySQL-sequel."),
        ("New York City's and post-New York City-based", "N Y C's and post-N Y C-based."),
        ("C++17 and C++-like", "See plus plus seventeen and see plus plus-like."),
        ("SQL-2019, SQL-5%", "Sequel-twenty nineteen, sequel-five percent."),
        ("SQL→Kestrel, “SQL”-like", "Sequel to kess trel, sequel-like."),
        (
            "kestrel.com and https://www.kestrel.com/SQL/kestrel",
            "Kess trel dot com and kess trel dot com.",
        ),
        ("SQL_table", "Sequel table."),
        ("O'SQL, SQL&Co", "O'SQL, SQL&Co."),
        ("Ask Dr. Who's", "Ask doctor hoo's."),
    ],
)
def test_a_word_is_found_in_a_compound_and_with_an_ending_and_not_within_another_word(
    written, heard
):
    assert said(written) == heard


def test_two_entries_are_found_in_one_compound():
    assert said("SQL/NoSQL", *ENTRIES, Pronunciation("NoSQL", "no sequel")) == "Sequel no sequel."


@pytest.mark.parametrize(
    ("language", "written", "heard"),
    [
        ("de", "Die SQL-Abfrage, SQL-Abfragen.", "Die sequel-Abfrage, sequel-Abfragen."),
        ("fr", "l'SQL et d’SQL", "L'sequel et d’sequel."),
        ("tr", "SQL'in ve SQL'e", "Sequel'in ve sequel'e."),
        ("ru", "SQL-запрос и MySQL", "Sequel-запрос и MySQL."),
        ("ar", "بالSQL", "بالsequel."),
        ("ja", "SQLを使う。MySQLも", "Sequelを 使う。 MySQLも。"),
        ("ja", "東京都の名と東京都庁", "とうきょうとの 名と 東京都庁。"),
        ("ko", "SQL은 MySQL은 서울은 서울특별시", "Sequel은 MySQL은 seo ul은 서울특별시."),
        ("zh", "使用SQL数据库", "使用 sequel数 据 库。"),
        ("th", "ใช้SQLกับ", "ใช้ sequel กับ"),
        ("he", "ב-SQL", "ב-sequel."),
    ],
)
def test_words_in_other_languages_are_found_with_their_endings(language, written, heard):
    names = (Pronunciation("東京都", "とうきょうと"), Pronunciation("서울", "seo ul"))
    assert said(written, *ENTRIES, *names, language=language).replace("\u2060", "") == heard


def test_an_entry_with_signs_is_for_the_word_with_these_signs():
    entries = [
        Pronunciation(*pair)
        for pair in (
            ("(SQL)", "the language"),
            ("Yahoo!", "yah hoo"),
            ("Inc.", "incorporated"),
            (".NET", "dot net"),
        )
    ]
    assert said("Use (SQL), SQL and (SQL is)", *entries) == "Use the language, SQL and (SQL is)."
    assert said("Yahoo! Yahoo is", *entries) == "Yah hoo! Yahoo is."
    assert said("Acme Inc. and .NET, ASP.NET of Acme Inc.", *entries) == (
        "Acme incorporated and dot net, ASP dot NET of Acme incorporated."
    )


@pytest.mark.parametrize(
    ("written", "heard"),
    [
        (
            "It has 5 km, 5km and $5 million",
            "It has five kay em, five kilometers and five dollars mill yun.",
        ),
        ("It costs US$5 in the US", "It costs five US dollars in the you ess."),
        ("CO2-neutral CO2.", "See oh two-neutral see oh two."),
        ("After World War II's end, World War II.", "After the second war's end, the second war."),
        ("It is 5,5, $5 and 5", "It is five point five, five dollars and fiver."),
        ("I'm what I can't and can", "I'm what eye can't and cann."),
    ],
)
def test_entries_change_no_figure_and_no_contraction_by_half(written, heard):
    entries = [
        Pronunciation(*pair)
        for pair in (
            ("km", "kay em"),
            ("million", "mill yun"),
            ("US", "you ess"),
            ("CO2", "see oh two"),
            ("5", "fiver"),
            ("I", "eye"),
            ("World War II", "the second war"),
            ("can", "cann"),
        )
    ]
    assert said(written, *entries) == heard


def test_a_sentence_ends_where_it_ended_without_the_lexicon():
    entries = (Pronunciation("Plan B", "plan bee"), Pronunciation("Vitamin C", "vitamin see"))
    assert said("This is Plan B. It works. Vitamin C. 20 mg", *entries) == (
        "This is plan bee. It works. Vitamin see. Twenty milligrams."
    )


def test_a_compound_in_several_lines_of_captions_is_spoken_whole():
    heard = said("Ein SQL-Datenbankverwaltungssystemzugriff ist", language="de")
    assert heard.replace(" ", "") == "Einsequel-Datenbankverwaltungssystemzugriffist."


def test_the_same_lexicon_applied_again_changes_nothing():
    """A script that is corrected has been through it before."""
    entries = (*ENTRIES, Pronunciation("kite", "kite bird"))
    result = tokenize_text(
        "Kestrel.com, kite.com, SQL/NoSQL, kite-based, New York City's (SQL).", "en"
    )
    words = [token.written for token in result]
    once = lexicon.replace_words(words, [token.spoken for token in result], entries, "en")
    assert (
        once[1] == "kite bird dot com,"
        and lexicon.replace_words(words, once, entries, "en") == once
    )


def test_the_longest_entry_wins_and_the_exact_form_before_any_other():
    entries = (
        Pronunciation("us", "uss"),
        Pronunciation("US", "you ess"),
        Pronunciation("US Army", "the army"),
    )
    assert said("The US Army, the US and us", *entries) == "The the army, the you ess and uss."


def test_an_entry_with_fewer_words_than_are_written_is_left_out():
    assert said("In New York now", Pronunciation("New York", "Enwai")) == "In New York now."


def test_an_entry_is_for_the_written_form_of_a_figure_too():
    assert (
        said("Drink 7 Up and 5 km", Pronunciation("5 km", "five kay"))
        == "Drink seven Up and five kay."
    )


def test_the_script_keeps_the_written_words(tmp_path):
    brief = VideoBrief(
        "p",
        "SQL",
        "SQL",
        "en",
        "US",
        "Learn SQL today.",
        Presenter("Ada"),
        (Rendition("landscape", 320, 180),),
        lexicon=ENTRIES,
    )
    step.write_step(brief, tmp_path, lambda fraction: None)
    script = load(Script, tmp_path / "script.json")
    scene = next(scene for scene in script.scenes if scene.layout == "prose")
    assert (
        " ".join(scene.words) == "Learn SQL today."
        and " ".join(scene.spoken) == "Learn sequel today."
    )
    step.write_step(dataclasses.replace(brief, lexicon=()), tmp_path, lambda fraction: None)
    assert "sequel" not in (tmp_path / "script.json").read_text()


def test_the_voice_takes_the_time_of_what_the_lexicon_says():
    def seconds(*words: str) -> float:
        ((samples, _),) = narration.speak([SpokenPassage(words)], "en", Presenter("Ada"))
        return len(samples)

    assert seconds("Learn", "sequel", "today.") < seconds("Learn", "SQL", "today.")
