"""The clock is set: noticed once, whoever drives, and what waits for a time waits as long as
it had to.
"""

import re

import pytest
from support import plain_sql
from support.outbox import DRIVER, NOON, RING, Partner, claim, record
from support.plans import Recorder

from svc.adapters.http import Sender
from svc.base import clock, ids
from svc.domain import retry_schedule
from svc.domain.lifecycle import clock_jump
from svc.domain.monitoring import alerts, engine_heartbeat
from svc.domain.webhooks.outbox import Attempt
from svc.platforms import answers
from svc.store import database
from svc.store.database import db
from svc.work.clock_watch import ClockWatch
from svc.work.delivery.dispatcher import Dispatcher

HOUR = clock.HOUR


class Times:
    """A clock that can be set, beside time that cannot."""

    def __init__(self):
        self.clock, self.steady = NOON, 5_000

    def keeper(self) -> ClockWatch:
        return ClockWatch(lambda: self.clock, lambda: self.steady)

    def set(self, milliseconds: int) -> None:
        self.clock += milliseconds

    def sleep(self, milliseconds: int) -> None:
        self.clock += milliseconds
        self.steady += milliseconds


@pytest.fixture
def times() -> Times:
    return Times()


@pytest.fixture
def partner(tmp_path):
    database.open_database(tmp_path / "service.db")
    made = Partner()
    made.subscribe()
    yield made
    db.close()


def test_a_jump_is_told_until_it_was_followed(times):
    keeper = times.keeper()
    times.sleep(86_400_000)
    assert keeper.notice_jump() == 0
    times.set(HOUR)
    assert keeper.notice_jump() == keeper.notice_jump() == HOUR
    keeper.record_move(HOUR)
    assert keeper.notice_jump() == 0


def test_a_clock_that_is_nudged_has_not_jumped(times):
    keeper = times.keeper()
    for _ in range(10):
        times.set(4_000)
        assert keeper.notice_jump() == 0


def test_whoever_drives_next_sees_a_jump_that_nobody_saw_and_none_twice(times, partner):
    dead, waiting = times.keeper(), times.keeper()
    with db.transaction():
        clock_jump.store_difference("this start", dead.difference)
    times.set(-HOUR)
    waiting.resume(clock_jump.read_stored_difference("this start"))
    assert waiting.notice_jump() == -HOUR
    clock_jump.move_retries(-HOUR, times.clock, "this start", waiting.difference - HOUR)
    another = times.keeper()
    another.resume(clock_jump.read_stored_difference("this start"))
    assert another.notice_jump() == 0
    another.resume(clock_jump.read_stored_difference("another start of the machine"))
    assert another.notice_jump() == 0 and clock_jump.read_stored_difference("") is None


def due(production: str) -> list[int]:
    found = plain_sql.rows(
        "SELECT next_attempt_at FROM deliveries WHERE production_id = ? ORDER BY sequence",
        (production,),
    )
    return [each[0] for each in found]


@pytest.mark.parametrize(
    ("tried", "planned", "jump", "expected"),
    [
        (1, 30_000, HOUR, HOUR + 30_000),
        (1, 30_000, -HOUR, -HOUR + 30_000),
        (1, -1_000, -HOUR, -HOUR),  # due already: at once
        (0, -1_000, -HOUR, -HOUR),
        (0, HOUR - 1_000, HOUR, HOUR - 1_000),  # came after the clock was set: due, and stays so
        (0, -1_000, HOUR, -1_000),
    ],
)
def test_what_waits_waits_as_long_as_it_had_to(partner, tried, planned, jump, expected):
    production = partner.produce()
    record(production)
    with db.transaction():
        plain_sql.execute(
            "UPDATE deliveries SET failures = ?, next_attempt_at = ?", (tried, NOON + planned)
        )
    clock_jump.move_retries(jump, NOON + jump, "", 0)
    assert due(production["id"]) == [NOON + expected]


@pytest.mark.parametrize(
    ("tried", "planned", "expected"),
    [
        (0, HOUR, 0),  # written by a clock that was set back before the row was committed
        (0, -1_000, -1_000),
        (1, HOUR, 0),
        (1, 5 * clock.MINUTE, 5 * clock.MINUTE),  # the longest delay that a rule has
        # planned while this waited for the write lock
        (1, 5 * clock.MINUTE + 30_000, 5 * clock.MINUTE + 30_000),
    ],
)
def test_what_no_rule_schedules_is_made_due(partner, tried, planned, expected):
    production = partner.produce()
    record(production)
    with db.transaction():
        plain_sql.execute(
            "UPDATE deliveries SET failures = ?, next_attempt_at = ?", (tried, NOON + planned)
        )
    assert clock_jump.release_stranded(NOON) == (expected != planned)
    assert due(production["id"]) == [NOON + expected]
    assert clock_jump.release_stranded(NOON) == 0


@pytest.mark.sqlite("reads a query plan")
def test_what_no_rule_schedules_is_looked_for_among_what_waits_alone(partner):
    record(partner.produce())
    with db.transaction():
        plain_sql.execute("UPDATE deliveries SET next_attempt_at = ?", (NOON + HOUR,))
    with Recorder() as recorder:
        assert clock_jump.release_stranded(NOON) == 1
    plans = {
        sql: " ".join(
            row["detail"] for row in plain_sql.rows(f"EXPLAIN QUERY PLAN {sql}", parameters)
        )
        for sql, parameters in recorder.statements.items()
        if "next_attempt_at" in sql
    }
    assert len(plans) == 3  # two looks, and the change of what the first found
    for sql, plan in plans.items():
        index = r"SEARCH \w+ USING (COVERING )?INDEX (deliveries|publications)_due \("
        assert re.search(index, plan) and "SCAN" not in plan, (sql, plan)


def test_an_outcome_that_waited_while_the_clock_was_set_back_makes_nothing_due_in_the_future(
    partner,
):
    record(partner.produce())
    [held] = claim(NOON)
    dispatcher = Dispatcher(DRIVER, Sender(()), RING, workers=1, clock=lambda: NOON)
    try:
        dispatcher._settle(
            [Attempt(held.id, held.token, NOON + HOUR, NOON + HOUR, None, "an error", 1.0)]
        )
        [delivery] = plain_sql.rows(
            "SELECT failures, first_failed_at, next_attempt_at FROM deliveries"
        )
    finally:
        dispatcher.stop()
    assert tuple(delivery) == (1, NOON, NOON)


def test_an_alert_of_a_clock_that_was_ahead_keeps_nobody_from_hearing_of_the_next(partner):
    for at in (NOON + 400 * clock.DAY, NOON, NOON + HOUR):
        alerts.raise_once("BackupFailed", "critical", "The disk is full.", at)
    assert [row["at"] for row in plain_sql.rows("SELECT at FROM alerts ORDER BY id")] == [
        NOON + 400 * clock.DAY,
        NOON,
    ]


@pytest.mark.parametrize(
    ("status", "attempts", "planned", "expected"),
    [
        ("Pending", 0, HOUR, 0),
        ("Publishing", 3, 365 * clock.DAY, 0),
        ("Publishing", 3, 6 * HOUR, 6 * HOUR),  # the longest that a place may ask for
    ],
)
def test_a_publication_of_a_clock_that_was_ahead_is_made_due(
    partner, status, attempts, planned, expected
):
    partner.produce()
    with db.transaction():
        plain_sql.execute(
            "INSERT INTO publications (production_id, account_id, platform, status, attempts, "
            "next_attempt_at) SELECT id, account_id, 'Watch', ?, ?, ? FROM productions",
            (status, attempts, NOON + planned),
        )
    clock_jump.release_stranded(NOON)
    assert plain_sql.one("SELECT next_attempt_at FROM publications")[0] == NOON + expected


def test_the_longest_pause_of_a_place_is_known_to_the_schedule():
    assert answers._LONGEST_PAUSE * clock.SECOND == retry_schedule.LONGEST_PAUSE


def test_a_production_of_a_clock_that_was_ahead_expires_in_time(partner):
    of_now, of_later = partner.produce(), partner.produce()
    with db.transaction():
        for production, at in ((of_now, NOON), (of_later, NOON + 400 * clock.DAY)):
            plain_sql.execute(
                "UPDATE productions SET id = ?, status = 'AwaitingApproval', expires_at = ? "
                "WHERE id = ?",
                (ids.make_id(at), at + 72 * HOUR, production["id"]),
            )
    before = versions()
    clock_jump.move_retries(-400 * clock.DAY, NOON, "", 0)
    assert [
        each["expires_at"] for each in plain_sql.rows("SELECT expires_at FROM productions")
    ] == [NOON + 72 * HOUR] * 2
    # its ETag and the texts that lists keep go by this
    assert [now > then for now, then in zip(versions(), before, strict=True)] == [False, True]


def versions() -> list[int]:
    return [
        each["updated_at"]
        for each in plain_sql.rows("SELECT updated_at FROM productions ORDER BY id")
    ]


def first_engine_since_the_start(last_sign_of_life: int) -> str:
    with db.transaction():
        engine_heartbeat.record_heartbeat(last_sign_of_life)
    clock_jump.doubt_first_time(NOON)
    return " ".join(each["message"] for each in plain_sql.rows("SELECT message FROM alerts"))


def test_a_machine_that_starts_with_its_clock_ahead_removes_nothing_for_a_day(partner):
    message = first_engine_since_the_start(NOON - 365 * clock.DAY)
    assert "or the clock is ahead. Nothing is removed for its age" in message
    assert clock_jump.must_removals_wait(NOON) and not clock_jump.must_removals_wait(
        NOON - 365 * clock.DAY
    )


def test_a_machine_that_starts_with_its_clock_behind_tells_the_operator(partner):
    assert "or is behind now" in first_engine_since_the_start(NOON + clock.DAY)
    assert not clock_jump.must_removals_wait(NOON)


@pytest.mark.parametrize("away", [0, HOUR, clock.DAY - 1, -clock.MINUTE])
def test_a_machine_that_was_off_for_less_than_a_day_is_not_doubted(partner, away):
    assert first_engine_since_the_start(NOON - away) == ""
    assert not clock_jump.must_removals_wait(NOON)
