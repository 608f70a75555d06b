"""Status, lists, cancelling and events of productions; deliverables and their links."""

import pytest
from support import plain_sql
from support.cast import body, refused
from support.scripts import render
from support.stage import DRIVER, claim, complete_cancels, complete_steps, make, publish_all

from svc.base import ids
from svc.domain.lifecycle import deliverables, endings, render_queue, title_words
from svc.domain.productions import progress, publications
from svc.domain.webhooks import long_polls
from svc.store.claims import LostClaim
from svc.store.database import db


@pytest.fixture
def production(partner):
    return body(partner.trigger())["productionId"]


def test_both_status_paths_answer_the_same(partner, production):
    short = partner.get(f"/v1/productions/{production}")
    assert body(short) == body(
        partner.get(f"/v1/accounts/{partner.account}/productions/{production}")
    )


def test_a_production_is_not_found_under_another_account_or_by_a_stranger(
    partner, stranger, production
):
    refused(
        partner.get(f"/v1/accounts/{stranger.account}/productions/{production}"), 404, "NOT_FOUND"
    )
    for path in ("", "/deliverables", "/events"):
        refused(stranger.get(f"/v1/productions/{production}{path}"), 404, "NOT_FOUND")
        refused(partner.live().get(f"/v1/productions/{production}{path}"), 404, "NOT_FOUND")
    refused(stranger.delete(f"/v1/productions/{production}"), 404, "NOT_FOUND")
    refused(partner.get("/v1/productions/nothing"), 404, "NOT_FOUND")


def test_the_list_is_newest_first_and_filtered(partner, clock):
    made = []
    for _ in range(5):
        made.append(body(partner.trigger())["productionId"])
        clock.tick(1)
    held = claim(clock)
    progress.complete_step(held, progress.start_step(held, clock()), clock())
    path = f"/v1/accounts/{partner.account}/productions"

    def listed(query):
        return [each["productionId"] for each in body(partner.get(f"{path}?{query}"))["data"]]

    assert listed("") == made[::-1]
    assert listed("status=Producing") == made[:1]
    assert listed("status=Producing&status=Queued") == made[::-1]
    assert listed("status=Failed") == []
    assert listed("from=2026-11-21T12:00:01Z&to=2026-11-21T12:00:03.000Z") == made[3:0:-1]
    assert listed("from=2026-11-21T13:00:01%2B01:00&limit=2") == made[:2:-1]


def test_a_list_of_several_states_pages_without_losing_any(partner, clock):
    made = [body(partner.trigger())["productionId"] for _ in range(7)]
    for _ in range(3):
        held = claim(clock)
        progress.complete_step(held, progress.start_step(held, clock()), clock())
        render_queue.release_claim(held)
    path, query, seen = (
        f"/v1/accounts/{partner.account}/productions?status=Queued&status=Producing&limit=2",
        "",
        [],
    )
    while query is not None:
        page = body(partner.get(path + query))
        seen += [each["productionId"] for each in page["data"]]
        query = f"&cursor={page['nextCursor']}" if page["hasMore"] else None
    assert sorted(seen) == sorted(made)


@pytest.mark.parametrize("query", ["status=Done", "limit=0", "x=1"])
def test_a_bad_filter_is_refused(partner, query):
    refused(
        partner.get(f"/v1/accounts/{partner.account}/productions?{query}"), 400, "INVALID_REQUEST"
    )


def cancelled_by_the_driver(monkeypatch, clock):
    """Finish a cancel while the call waits for its next look, as the driver would;
    meanwhile no time passes.
    """

    def look(_version, _deadline):
        for row in plain_sql.rows("SELECT id FROM productions WHERE cancel_token IS NOT NULL"):
            endings.finish_cancel(row["id"], clock())

    monkeypatch.setattr("svc.api.resources.productions._CANCEL_SECONDS", 60.0)
    monkeypatch.setattr(long_polls.room, "_sleep", look)


def test_a_cancel_that_is_done_in_time_answers_200(partner, production, clock, monkeypatch):
    cancelled_by_the_driver(monkeypatch, clock)
    answer = partner.delete(f"/v1/productions/{production}")
    assert answer.status_code == 200
    found = body(answer)
    assert (
        found["status"] == "Cancelled" and found["cancelRequestedAt"] == "2026-11-21T12:00:00.000Z"
    )
    last = body(partner.get(f"/v1/productions/{production}/events"))["data"][-1]
    assert (last["eventType"], last["data"]) == ("production.cancelled", {"status": "Cancelled"})


def test_the_event_of_a_cancel_carries_the_correlation_id_of_its_request(
    partner, production, clock, monkeypatch
):
    cancelled_by_the_driver(monkeypatch, clock)
    partner.delete(f"/v1/productions/{production}", headers={"X-Correlation-Id": "the-cancel"})
    first, *_, last = body(partner.get(f"/v1/productions/{production}/events"))["data"]
    assert (last["eventType"], last["correlationId"]) == ("production.cancelled", "the-cancel")
    assert first["correlationId"] != "the-cancel"


def test_the_cancel_that_is_refused_leaves_the_correlation_id_of_the_one_in_progress(
    partner, production, clock
):
    for name in ("first", "second"):
        partner.delete(f"/v1/productions/{production}", headers={"X-Correlation-Id": name})
    endings.finish_cancel(production, clock())
    assert (
        body(partner.get(f"/v1/productions/{production}/events"))["data"][-1]["correlationId"]
        == "first"
    )


def test_a_status_that_does_not_exist_is_named_in_a_sentence(partner):
    answer = partner.get(f"/v1/accounts/{partner.account}/productions?status=Queued&status=Lost")
    found = refused(answer, 400, "INVALID_REQUEST")
    assert found["message"].startswith("status must be one of Queued, Producing, ")


def test_cancelling_a_cancelled_production_changes_nothing(partner, production, clock, monkeypatch):
    cancelled_by_the_driver(monkeypatch, clock)
    first = body(partner.delete(f"/v1/productions/{production}"))
    clock.tick(5)
    again = partner.delete(f"/v1/productions/{production}")
    assert again.status_code == 200 and body(again) == first


def test_a_cancel_that_takes_longer_answers_202_and_a_second_one_is_refused(partner, production):
    answer = partner.delete(f"/v1/productions/{production}")
    assert answer.status_code == 202 and body(answer)["status"] == "Queued"
    refused(partner.delete(f"/v1/productions/{production}"), 409, "CANCEL_IN_PROGRESS")


def test_a_cancelled_production_can_no_longer_be_worked_on(partner, production, clock, monkeypatch):
    held = claim(clock)
    step = progress.start_step(held, clock())
    cancelled_by_the_driver(monkeypatch, clock)
    partner.delete(f"/v1/productions/{production}")
    with pytest.raises(LostClaim):
        progress.complete_step(held, step, clock())
    assert claim(clock) is None


def test_a_finished_production_is_not_cancelled(partner, production, clock):
    complete_steps(clock)
    publish_all(clock)
    refused(partner.delete(f"/v1/productions/{production}"), 409, "ALREADY_TERMINAL")


def test_a_production_that_no_api_call_triggered_is_not_cancelled(partner, production):
    with db.transaction():
        plain_sql.execute("UPDATE productions SET api_triggered = 0")
    refused(partner.delete(f"/v1/productions/{production}"), 403, "CANCELLATION_NOT_PERMITTED")


def test_events_after_a_sequence_number_are_for_catching_up(partner, production, clock):
    complete_steps(clock, 3)
    path = f"/v1/productions/{production}/events"
    assert [
        each["sequenceNumber"] for each in body(partner.get(f"{path}?afterSequence=2"))["data"]
    ] == [3, 4]
    page = body(partner.get(f"{path}?limit=3"))
    assert page["hasMore"]
    rest = body(partner.get(f"{path}?limit=3&cursor={page['nextCursor']}"))
    assert [each["sequenceNumber"] for each in page["data"] + rest["data"]] == [1, 2, 3, 4]
    assert rest["nextCursor"] is None
    refused(partner.get(f"{path}?afterSequence=-1"), 400, "INVALID_REQUEST")


@pytest.fixture
def finished(partner, production, clock, tmp_path):
    """A published production with one real file, whose bytes are ``hello``."""
    file = tmp_path / "data" / "media" / production / "transcript.txt"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"hello")
    complete_steps(clock, made=[make(file=f"{production}/transcript.txt")])
    publish_all(clock)
    return production


def test_deliverables_are_listed_with_links_that_work_without_a_key(partner, finished, clock):
    listed = body(partner.get(f"/v1/productions/{finished}/deliverables"))
    assert {**listed, "data": 1} == {
        "productionId": finished,
        "data": 1,
        "hasMore": False,
        "nextCursor": None,
        "descriptions": [],
    }
    [entry] = listed["data"]
    assert entry["sasExpiresAt"] == "2026-11-21T13:00:09.000Z" and entry["sizeBytes"] == 5
    answer = partner.client.get(entry["sasUrl"], buffered=True)
    assert (answer.status_code, answer.get_data()) == (200, b"hello")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert (
        answer.headers["Content-Disposition"]
        == "attachment; filename=How-tides-work-transcript.txt"
    )
    part = partner.client.get(entry["sasUrl"], buffered=True, headers={"Range": "bytes=1-2"})
    assert (part.status_code, part.get_data(), part.headers["Content-Range"]) == (
        206,
        b"el",
        "bytes 1-2/5",
    )
    head = partner.client.head(entry["sasUrl"], buffered=True)
    assert (head.status_code, head.headers["Content-Length"]) == (200, "5")


@pytest.mark.parametrize("ended_by", ["reopen", "cancel"])
def test_a_link_ends_with_its_file(partner, clock, tmp_path, ended_by):
    """Not an hour after it was made: a file that is withdrawn is to be seen by
    nobody (DECISIONS.md §5, §6).
    """
    live = partner.live()
    production = body(live.trigger(review="none"))["productionId"]
    render(clock, files=1)
    [entry] = body(live.get(f"/v1/productions/{production}/deliverables"))["data"]
    (tmp_path / "data" / "media" / "x").mkdir(parents=True)
    (tmp_path / "data" / "media" / "x" / "0.txt").write_bytes(b"hello")
    assert partner.client.get(entry["sasUrl"], buffered=True).status_code == 200
    if ended_by == "reopen":
        assert live.post(f"/v1/productions/{production}/script/reopen").status_code == 202
    else:
        live.delete(f"/v1/productions/{production}")
        complete_cancels(clock)
    refused(partner.client.get(entry["sasUrl"], buffered=True), 404, "NOT_FOUND")
    assert body(live.get(f"/v1/productions/{production}/deliverables"))["data"] == []


def test_the_texts_beside_the_videos_are_listed_with_the_deliverables_once_they_exist(
    partner, production, clock
):
    deliverables.store_descriptions(
        production, {"Watch": "Tides\n\n0:00 The moon", "Nowhere": "never shown"}
    )
    assert body(partner.get(f"/v1/productions/{production}/deliverables"))["descriptions"] == []
    complete_steps(clock)
    listed = body(partner.get(f"/v1/productions/{production}/deliverables"))
    assert listed["descriptions"] == [{"platform": "Watch", "text": "Tides\n\n0:00 The moon"}]


def test_productions_are_found_by_words_of_their_title(partner, stranger, clock):
    for topic in ("How tides work", "Tides of café life", "The moon"):
        partner.trigger(topic=topic)
        clock.tick(1)
    stranger.trigger(topic="Tides elsewhere")
    url = f"/v1/accounts/{partner.account}/productions"

    def found(query: str) -> list[str]:
        return [each["title"] for each in body(partner.get(f"{url}?{query}"))["data"]]

    for _ in range(2):  # before the index has them, and after
        assert found("q=tid") == ["Tides of café life", "How tides work"]
        assert (
            found("q=CAFE%20tides") == ["Tides of café life"]
            and found("q=moon&status=Failed") == []
        )
        assert found("q=tides&status=Queued&status=Failed") == [
            "Tides of café life",
            "How tides work",
        ]
        assert found("q=elsewhere") == found("q=ides") == []
        first = body(partner.get(f"{url}?q=tides&limit=1"))
        assert first["hasMore"] and found(f"q=tides&limit=1&cursor={first['nextCursor']}") == [
            "How tides work"
        ]
        title_words.index_titles(clock())
    for wrong in (
        "q=",
        "q=%20",
        f"q={'x' * 201}",
        "q=a&q=b",
        "q=tides&externalId=x",
        f"q=tides&groupId={ids.NIL}",
    ):
        refused(partner.get(f"{url}?{wrong}"), 400, "INVALID_REQUEST")


@pytest.mark.parametrize(
    ("title", "query"),
    [
        ("Report of 20261128", "20261128"),
        ("Order 4711-081512 is shipped", "4711-0815"),
        ("Fabaceae of the Alps", "FABACEAE"),
    ],
)
def test_a_word_that_looks_like_an_id_is_found_in_a_title(partner, clock, title, query):
    production = body(partner.trigger(topic=title))["productionId"]
    url = f"/v1/accounts/{partner.account}/productions?q="
    for _ in range(2):  # before the index has it, and after
        assert [each["title"] for each in body(partner.get(url + query))["data"]] == [title]
        title_words.index_titles(clock())
    assert [each["productionId"] for each in body(partner.get(url + production[:13]))["data"]] == [
        production
    ]


def test_a_link_ends_after_an_hour(partner, finished, clock):
    url = body(partner.get(f"/v1/accounts/{partner.account}/productions/{finished}/deliverables"))[
        "data"
    ][0]["sasUrl"]
    clock.tick(3599)
    assert partner.client.get(url, buffered=True).status_code == 200
    clock.tick(1)
    refused(partner.client.get(url, buffered=True), 403, "LINK_EXPIRED")


def test_a_link_of_a_clock_that_was_ahead_is_not_valid_until_then(partner, finished, clock):
    clock.tick(40 * 86_400)
    listed = body(
        partner.get(f"/v1/accounts/{partner.account}/productions/{finished}/deliverables")
    )
    clock.tick(-40 * 86_400)
    url = listed["data"][0]["sasUrl"]
    refused(partner.client.get(url, buffered=True), 403, "LINK_EXPIRED")


def test_a_link_with_any_character_changed_is_refused(partner, finished):
    url = body(partner.get(f"/v1/productions/{finished}/deliverables"))["data"][0][
        "sasUrl"
    ].removeprefix("http://localhost")
    start = len("/files/")
    for place in range(start, len(url)):
        changed = url[:place] + ("B" if url[place] != "B" else "C") + url[place + 1 :]
        answer = partner.client.get(changed)
        assert answer.status_code in (403, 404), changed
        if url[place] not in "/?":
            refused(answer, 403, "LINK_INVALID")
    for more in ("x", "&a=b", "&expires=1"):
        refused(partner.client.get(url + more), 403, "LINK_INVALID")


def test_there_are_no_deliverables_before_they_exist_nor_after_a_failure(
    partner, production, clock
):
    assert body(partner.get(f"/v1/productions/{production}/deliverables"))["data"] == []
    complete_steps(clock)
    assert len(body(partner.get(f"/v1/productions/{production}/deliverables"))["data"]) == 1


def test_a_poll_that_saw_nothing_new_is_answered_304(partner, production, clock):
    path = f"/v1/productions/{production}"
    first = partner.get(path)
    tag = first.headers["ETag"]
    again = partner.get(path, headers={"If-None-Match": tag})
    assert (again.status_code, again.get_data(), again.headers["ETag"]) == (304, b"", tag)
    assert again.headers["X-RateLimit-Remaining"] == "297"
    held = claim(clock)  # no time passes: the version moves all the same
    progress.start_step(held, clock())
    changed = partner.get(path, headers={"If-None-Match": tag})
    assert changed.status_code == 200 and changed.headers["ETag"] != tag


def test_every_change_that_the_status_shows_changes_its_tag(partner, production, clock):
    seen = {}

    def look():
        answer = partner.get(f"/v1/productions/{production}")
        shown, tag = body(answer), answer.headers["ETag"]
        shown.pop("updatedAt")
        assert seen.setdefault(tag, shown) == shown

    held = claim(clock)
    for _ in range(7):
        step = progress.start_step(held, clock())
        look()
        progress.renew(held, clock(), 0.5)
        look()
        progress.complete_step(held, step, clock(), [make()])
        look()
    while publication := publications.claim_next(DRIVER, clock()):
        look()
        publications.record_published(publication, "post", clock())
        look()
    assert len(seen) > 20


def test_an_account_may_be_asked_for_again_cheaply(partner):
    path = f"/v1/accounts/{partner.account}"
    tag = partner.get(path).headers["ETag"]
    assert partner.get(path, headers={"If-None-Match": tag}).status_code == 304
