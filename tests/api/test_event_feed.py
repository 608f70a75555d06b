"""``GET /v1/events``: the feed in the order of commits, and requests that wait for them
without starving others.
"""

import threading
import time
from types import SimpleNamespace

import pytest
from support import plain_sql
from support.cast import body, refused
from support.outbox import record
from support.shares import count_waiting
from support.stage import complete_steps

from svc.base import threads
from svc.domain.webhooks import events, long_polls
from svc.store.database import db

PATIENCE = 60  # seconds until a test gives up


@pytest.fixture
def room(monkeypatch, shares):
    """A room of a server with eight threads: three may wait, two of one partner.

    Time stands still for them.
    """
    monkeypatch.setattr(long_polls, "time", SimpleNamespace(monotonic=lambda: 0.0))
    shares.set_threads(8)
    made = long_polls.WaitingRoom()
    monkeypatch.setattr(long_polls, "room", made)
    return made


def follow(partner, query: str = ""):
    return body(partner.get(f"/v1/events{query}"))


def names(part: dict) -> list[str]:
    return [each["eventType"] for each in part["data"]]


def test_the_feed_is_read_to_its_end_and_goes_on_from_there(partner, clock):
    first = body(partner.trigger())["productionId"]
    clock.tick()
    second = body(partner.trigger())["productionId"]
    part = follow(partner, "?limit=1")
    assert ([each["productionId"] for each in part["data"]], part["hasMore"]) == ([first], True)
    part = follow(partner, f"?limit=1&cursor={part['nextCursor']}")
    assert ([each["productionId"] for each in part["data"]], part["hasMore"]) == ([second], False)
    end = follow(partner, f"?cursor={part['nextCursor']}")
    assert (end["data"], end["hasMore"], end["pollAfterSeconds"]) == ([], False, 5)
    complete_steps(clock, 1)
    assert names(follow(partner, f"?cursor={end['nextCursor']}")) == ["production.step.complete"]


@pytest.mark.parametrize("cursor", ["", "newest", "0"])
def test_a_cursor_of_the_feed_that_is_none_is_refused_with_the_word_that_it_takes(partner, cursor):
    answer = partner.get("/v1/events", query_string={"cursor": cursor})
    assert "latest, or" in refused(answer, 400, "INVALID_REQUEST")["message"]


def test_an_event_looks_as_in_the_list_of_its_production(partner):
    production = body(partner.trigger())["productionId"]
    assert (
        follow(partner)["data"] == body(partner.get(f"/v1/productions/{production}/events"))["data"]
    )


def test_latest_begins_after_the_newest_event_and_from_at_a_moment(partner, clock):
    partner.trigger()
    latest = follow(partner, "?cursor=latest")
    assert latest["data"] == [] and latest["hasMore"] is False
    clock.tick(60)
    later = body(partner.trigger())["productionId"]
    for query in (
        f"?cursor={latest['nextCursor']}",
        "?from=2026-11-21T12:00:30Z",
        "?from=20261121T120030Z",
    ):
        assert [each["productionId"] for each in follow(partner, query)["data"]] == [later]


def test_events_follow_in_the_order_of_commits_though_the_clock_goes_back(partner, clock):
    first = body(partner.trigger())["productionId"]
    cursor = follow(partner)["nextCursor"]
    clock.tick(-3600)
    second = body(partner.trigger())["productionId"]
    assert [each["productionId"] for each in follow(partner, f"?cursor={cursor}")["data"]] == [
        second
    ]
    assert [each["productionId"] for each in follow(partner)["data"]] == [first, second]


def test_events_that_are_pruned_leave_no_place_to_be_taken_again(partner, clock):
    partner.trigger()
    cursor = follow(partner)["nextCursor"]
    with db.transaction():
        plain_sql.execute("DELETE FROM events")
    clock.tick(1)
    partner.trigger()
    assert names(follow(partner, f"?cursor={cursor}")) == ["production.queued"]


def test_what_others_may_see_is_passed_over_a_thousand_at_a_time(partner, monkeypatch):
    monkeypatch.setattr(events, "_LOOKED_AT", 3)
    for _ in range(7):
        partner.live().trigger()
    mine = body(partner.trigger())["productionId"]
    part, seen, calls = follow(partner), [], 1
    while part["hasMore"]:
        part, calls = follow(partner, f"?cursor={part['nextCursor']}"), calls + 1
        seen += [each["productionId"] for each in part["data"]]
    assert (seen, calls) == ([mine], 3)


def test_a_bad_question_is_refused(partner):
    production = body(partner.trigger())["productionId"]
    other = body(partner.get(f"/v1/productions/{production}/events?limit=1"))
    assert other["nextCursor"] is None
    for query in ("waitSeconds=31", "waitSeconds=-1", "cursor=x", "limit=0", "status=x"):
        refused(partner.get(f"/v1/events?{query}"), 400, "INVALID_REQUEST")


def in_thread(call) -> tuple[threading.Thread, list]:
    answered: list = []
    thread = threading.Thread(target=lambda: answered.append(call()), daemon=True)
    thread.start()
    return thread, answered


def await_waiting(room, number: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while count_waiting(threads.thread_shares) < number and time.monotonic() < deadline:
        time.sleep(0.005)
    assert count_waiting(threads.thread_shares) == number


def test_an_answer_waits_for_the_next_event(partner, app, room):
    thread, answered = in_thread(
        lambda: body(partner.get("/v1/events?waitSeconds=30&cursor=latest"))
    )
    await_waiting(room, 1)
    production = body(partner.trigger())["productionId"]
    thread.join(PATIENCE)
    assert [each["productionId"] for each in answered[0]["data"]] == [production]
    assert answered[0]["pollAfterSeconds"] == 0 and count_waiting(threads.thread_shares) == 0


def test_one_that_waited_counts_once_against_the_budget(partner, room):
    before = int(partner.get("/v1/languages").headers["X-RateLimit-Remaining"])
    thread, answered = in_thread(lambda: partner.get("/v1/events?waitSeconds=30&cursor=latest"))
    await_waiting(room, 1)
    record_something(partner)
    thread.join(PATIENCE)
    assert int(answered[0].headers["X-RateLimit-Remaining"]) == before - 1


def record_something(partner) -> None:
    """An event of a production that no request triggered."""
    customer = plain_sql.row("SELECT customer_id FROM accounts WHERE id = ?", (partner.account,))[0]
    row = {
        "id": "11111111-1111-7111-8111-111111111111",
        "partner_id": partner.seeded["partnerId"],
        "account_id": partner.account,
        "customer_id": customer,
        "status": "Queued",
        "title": "t",
        "topic": "t",
        "language_id": "l",
        "country_id": "c",
        "avatar_id": "a",
        "project_type": "x",
        "api_triggered": 1,
        "auto_release": 0,
        "correlation_id": "x",
        "steps_total": 7,
        "created_at": 0,
        "updated_at": 0,
        "external_id": None,
    }
    with db.transaction():
        plain_sql.insert("productions", row)
    record(row)


def test_a_commit_of_another_process_wakes_too(partner, room):
    thread, answered = in_thread(
        lambda: body(partner.get("/v1/events?waitSeconds=30&cursor=latest"))
    )
    await_waiting(room, 1)
    room.wake = lambda: None  # as there: only the shared memory tells
    partner.trigger()
    thread.join(PATIENCE)
    assert names(answered[0]) == ["production.queued"]


def test_an_event_that_the_key_may_not_see_does_not_end_the_wait(partner, room):
    thread, answered = in_thread(
        lambda: body(partner.get("/v1/events?waitSeconds=30&cursor=latest"))
    )
    await_waiting(room, 1)
    partner.live().trigger()
    mine = body(partner.trigger())["productionId"]
    thread.join(PATIENCE)
    assert [each["productionId"] for each in answered[0]["data"]] == [mine]


def test_no_more_wait_than_may_and_the_rest_are_answered_at_once(partner, stranger, room):
    waiting = [
        in_thread(lambda: body(partner.get("/v1/events?waitSeconds=30&cursor=latest")))
        for _ in range(2)
    ]
    await_waiting(room, 2)
    third = follow(partner, "?waitSeconds=30&cursor=latest")
    assert (third["data"], third["pollAfterSeconds"]) == ([], 5)
    waiting.append(in_thread(lambda: body(stranger.get("/v1/events?waitSeconds=30&cursor=latest"))))
    await_waiting(room, 3)
    assert follow(stranger, "?waitSeconds=30&cursor=latest")["pollAfterSeconds"] == 5
    room.close()
    for thread, answered in waiting:
        thread.join(PATIENCE)
        assert (answered[0]["data"], answered[0]["pollAfterSeconds"]) == ([], 0)


def test_a_single_thread_waits_for_nobody(app, room, shares):
    shares.set_threads(1)
    assert room.wait("somebody", 30, lambda: None) == (None, False)


def test_head_does_not_wait(partner, room):
    answer = partner.request("HEAD", "/v1/events?waitSeconds=30&cursor=latest")
    assert (answer.status_code, answer.get_data()) == (200, b"")


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ("UPDATE api_keys SET revoked_at = 1", 401, "UNAUTHORIZED"),
        ("UPDATE partners SET status = 'Suspended'", 403, "PARTNER_NOT_ACTIVE"),
        ("UPDATE api_keys SET scopes = '[\"accounts:read\"]'", 403, "PERMISSION_DENIED"),
    ],
)
def test_a_right_that_ends_while_a_request_waits_is_asked_for_again(
    partner, room, change, status, code
):
    thread, answered = in_thread(lambda: partner.get("/v1/events?waitSeconds=30&cursor=latest"))
    await_waiting(room, 1)
    with db.transaction():
        plain_sql.execute(change)
    record_something(partner)
    thread.join(PATIENCE)
    refused(answered[0], status, code)


def test_the_feed_needs_the_scope_to_read(partner):
    with db.transaction():
        plain_sql.execute("UPDATE api_keys SET scopes = '[\"accounts:read\"]'")
    refused(partner.get("/v1/events"), 403, "PERMISSION_DENIED")
