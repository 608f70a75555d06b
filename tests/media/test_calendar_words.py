"""Names of months, weekdays and times in all languages, which are looked up without babel."""

import json
import runpy
from pathlib import Path

import pytest
from babel import localedata

from svc.media.languages import Grammar, read_words_by_language
from svc.media.text.grammar import small_words

ROOT = Path(__file__).parents[2]
LISTS = (
    small_words.list_month_words,
    small_words.list_weekday_words,
    small_words.list_words_of_periods,
)


def test_the_words_of_each_language_are_those_of_babel():
    list_words = runpy.run_path(str(ROOT / ".ci" / "calendar_words.py"))["list_words"]
    listed = json.loads(Path(small_words.__file__).with_name("calendar_words.json").read_text())
    words = {code: list_words(code) for code in read_words_by_language(Grammar)}
    assert {code: each for code, each in listed.items() if code} == words, (
        "run: python .ci/calendar_words.py"
    )


def test_words_of_all_languages_are_looked_up_without_loading_the_locale_of_each(monkeypatch):
    def refuse(name: str, *_: object) -> None:
        pytest.fail(f"the locale {name} was loaded")

    monkeypatch.setattr(localedata, "load", refuse)
    for each in LISTS:
        each.cache_clear()
    months, weekdays, periods = (each() for each in LISTS)
    assert months > {"april", "märz", "февраля"}
    assert weekdays > {"monday", "samstag"}
    assert periods > {"week", "jour"}
