"""Productions are found by any words of their titles, as soon as they are triggered,
and not when they are gone.
"""

import pytest
from support import plain_sql
from support.cast import body

from svc.base import clock as times
from svc.base import ids
from svc.domain.lifecycle import title_words
from svc.domain.paging import Page
from svc.domain.productions import retention, search
from svc.domain.productions.search import Search
from svc.store import meta
from svc.store.database import db

TITLES = (
    "How the tides work",
    "Ébène and Čapek in Łódź",
    "京都の秋",
    "Tides and winds",
    "…",
    "2026年度第三四半期における売上報告と今後の見通し",
    "가을철 산불 예방 요령과 대피 경로를 알려 드립니다",
)


@pytest.fixture
def titled(partner) -> dict[str, str]:
    """Title to production id."""
    with db.transaction():
        plain_sql.execute("UPDATE accounts SET concurrency_ceiling = 100")
    return {each: body(partner.trigger(topic=each))["productionId"] for each in TITLES}


def found(words: str, **more) -> list[str]:
    return [
        row["title"]
        for row in search.list_page(
            Search(more.pop("partner_id", None), words=words, **more), Page()
        )["data"]
    ]


WANTED = [
    ("tides", {"How the tides work", "Tides and winds"}),
    ("WORK tid", {"How the tides work"}),
    ("how wor", {"How the tides work"}),
    ("ebene capek", {"Ébène and Čapek in Łódź"}),
    ("ÉBÈNE", {"Ébène and Čapek in Łódź"}),
    ("京秋", {"京都の秋"}),
    ("tides capek", set()),
    ("ides", set()),
    ("見通し", {"2026年度第三四半期における売上報告と今後の見通し"}),
    ("드립니다", {"가을철 산불 예방 요령과 대피 경로를 알려 드립니다"}),
]


@pytest.mark.parametrize("is_indexed", [True, False])
def test_any_words_in_any_order_find_a_title_before_and_after_it_is_indexed(
    titled, clock, is_indexed
):
    if is_indexed:
        assert (
            title_words.index_titles(clock()) == len(TITLES)
            and title_words.index_titles(clock()) == 0
        )
    for words, titles in WANTED:
        assert set(found(words)) == titles, words


def test_common_words_find_the_newest(titled, clock, monkeypatch):
    title_words.index_titles(clock())
    monkeypatch.setattr(title_words, "MANY", 1)
    assert found("tides and") == ["Tides and winds"]
    assert set(found("tides")) == {"How the tides work", "Tides and winds"}


def test_words_and_filters_and_partners_meet(titled, clock, partner, stranger):
    stranger.trigger(topic="Tides elsewhere")
    title_words.index_titles(clock())
    mine = partner.seeded["partnerId"]
    assert set(found("tides", partner_id=mine)) == {"How the tides work", "Tides and winds"}
    assert found("tides", partner_id=mine, status="Published") == []
    assert found("tides", account_id=stranger.account) == ["Tides elsewhere"]


def test_a_production_that_was_committed_late_is_indexed_too(titled, clock):
    """Its id may be lower than that of one that was indexed before."""
    title_words.index_titles(clock())
    with db.transaction():
        plain_sql.execute(
            "DELETE FROM title_words WHERE production_id = ?", (min(titled.values()),)
        )
    assert title_words.index_titles(clock()) == 1


def test_after_a_crash_and_after_a_clock_that_was_set_back_nothing_is_missing(
    titled, clock, monkeypatch
):
    monkeypatch.setattr(title_words, "_BATCH", 2)
    monkeypatch.setattr(title_words, "_MOST_BATCHES", 1)
    assert [title_words.index_titles(clock()) for _ in range(5)] == [2, 2, 2, 1, 0]
    with db.transaction():
        meta.put("titles_indexed", ids.make_lowest_id(clock() + times.DAY))
        plain_sql.execute("DELETE FROM title_words")
    assert title_words.index_titles(clock()) == 2


def test_the_words_of_a_removed_production_are_gone(titled, clock):
    title_words.index_titles(clock())
    with db.transaction():
        plain_sql.execute("UPDATE publications SET status = 'Published'")
        plain_sql.execute("UPDATE productions SET status = 'Cancelled', finished_at = 1")
        plain_sql.execute("DELETE FROM deliveries")
    assert retention.prune_productions(clock() + times.DAY, clock()) == len(TITLES)
    assert plain_sql.row("SELECT count(*) FROM title_words")[0] == 0


def test_words_are_bounded():
    assert len(title_words.split_words(" ".join(map(str, range(1000))))) == title_words.MOST_WORDS
    assert title_words.split_words("x" * 500 + " don't a_b") == [
        "x" * title_words.LONGEST_WORD,
        "don",
        "t",
        "a",
        "b",
    ]
