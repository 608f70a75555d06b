"""Signs of life of servers and workers, and what becomes of the work of those that give none."""

import pytest
from support import plain_sql
from support.cast import body
from support.outbox import NOON, Partner, record
from support.outbox import claim as claim_deliveries
from support.stage import make

from svc.domain.lifecycle import render_queue
from svc.domain.monitoring import workers
from svc.domain.monitoring.workers import Process
from svc.domain.productions import progress
from svc.store import claims
from svc.store.database import db
from svc.store.engine.jobs import SILENT_SECONDS
from svc.work.engine import Engine
from svc.work.machines.lost_processes import Watch
from svc.work.machines.presence import Presence
from tests.work.test_finished_files import until

THERE = claims.Driver("there:1-first", "there:")


class Seconds:
    """Steady time of the machine that watches."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def seconds():
    return Seconds()


@pytest.fixture
def watch(seconds):
    return Watch(seconds)


def sign(clock, boot=THERE.boot, role="worker", steps=2, can_run=("script",)):
    workers.record_heartbeat(
        Process(boot, "there", 1, "1.0.0", list(can_run), clock()), role, steps, clock()
    )


def look(watch, seconds, many: float, clock=None, **more) -> int:
    """Look once a second for so long; with a ``clock``, there is a sign of life each time.

    What the last look returned.
    """
    for _ in range(int(many)):
        seconds.now += 1.0
        if clock:
            clock.tick(1)
            sign(clock, **more)
        slots = watch.free_lost_work()
    return slots


def token(production) -> str | None:
    return plain_sql.row("SELECT claim_token FROM productions WHERE id = ?", (production,))[0]


@pytest.fixture
def claimed(partner, clock):
    """A production whose first step a worker elsewhere runs, and its claim."""
    production = body(partner.trigger())["productionId"]
    sign(clock)
    claim = render_queue.claim_next(THERE, clock())
    return production, claim, progress.start_step(claim, clock())


def test_the_steps_of_a_process_without_signs_of_life_are_free_and_its_late_results_change_nothing(
    claimed, watch, seconds, clock
):
    production, late, step = claimed
    assert look(watch, seconds, SILENT_SECONDS) == 2 and token(production)
    assert look(watch, seconds, 2) == 0 and token(production) is None
    new = render_queue.claim_next(claims.Driver("here"), clock())
    assert new.production_id == production
    for attempt in (progress.complete_step, progress.fail_step):
        with pytest.raises(progress.LostClaim):
            attempt(
                late, step, *(("CODE", "why") if attempt is progress.fail_step else ()), clock()
            )
    render_queue.release_claim(late)
    assert token(production) == new.token
    progress.complete_step(new, progress.start_step(new, clock()), clock(), [make()])


def test_each_server_that_watches_frees_all_that_a_silent_one_had(claimed, seconds):
    """No one of them has to drive: one that is frozen itself holds up nothing."""
    production, _, _ = claimed
    receiver = Partner()
    receiver.subscribe()
    record(receiver.produce())
    taken = claim_deliveries(NOON, driver=THERE)
    first, second = Watch(seconds), Watch(seconds)
    for _ in range(int(SILENT_SECONDS) + 1):
        seconds.now += 1.0
        second.list_workers()
    assert token(production) and not claim_deliveries(NOON)  # looking frees nothing
    seconds.now += 1.0
    second.free_lost_work()
    assert token(production) is None
    assert [each.id for each in claim_deliveries(2**50)] == [each.id for each in taken]
    assert first.free_lost_work() == 2  # it has just woken up, and concludes nothing yet


def test_a_process_that_gives_signs_keeps_its_steps_whatever_its_clock_says(
    claimed, watch, seconds, clock
):
    production, _, _ = claimed
    clock.tick(-86_400)  # its clock was set back by a day
    assert look(watch, seconds, 60, clock) == 2 and token(production)


def test_after_a_sleep_of_its_own_the_driver_concludes_nothing(claimed, watch, seconds):
    production, _, _ = claimed
    look(watch, seconds, 2)
    seconds.now += 600  # it slept, or the database did not answer
    assert look(watch, seconds, SILENT_SECONDS - 4) == 2 and token(production)
    look(watch, seconds, 6)
    assert token(production) is None


def test_while_nobody_can_write_nobody_is_lost(claimed, seconds, clock):
    production, _, _ = claimed
    watch = Watch(seconds, own="here:1-this")
    sign(clock, "here:1-this", role="driver", steps=0)
    look(watch, seconds, 60)  # its own signs stop too: some transaction keeps all from writing
    assert token(production)
    look(watch, seconds, SILENT_SECONDS + 2, clock, boot="here:1-this", role="driver", steps=0)
    assert token(production) is None


def test_a_process_that_wakes_up_counts_again_and_loses_its_steps_again(
    claimed, watch, seconds, clock
):
    production, _, _ = claimed
    assert look(watch, seconds, SILENT_SECONDS + 2) == 0
    assert look(watch, seconds, 2, clock) == 2
    assert render_queue.claim_next(THERE, clock())
    assert look(watch, seconds, SILENT_SECONDS + 2) == 0 and token(production) is None


def test_a_cancel_of_a_production_whose_worker_is_silent_is_carried_out(
    claimed, watch, seconds, partner
):
    production, _, _ = claimed
    partner.delete(f"/v1/productions/{production}")
    look(watch, seconds, SILENT_SECONDS + 2)
    assert token(production) is None
    # it is cancelled, not run by somebody else
    assert render_queue.claim_next(claims.Driver("here"), 2**50) is None


def test_a_presence_is_one_row_that_changes_its_role_and_leaves(app, clock):
    presence = Presence(clock, frozenset({"video"}))
    presence.start(THERE, "worker", 1)
    presence.start(claims.Driver("there:1-second", "there:"), "driver", 3)
    [row] = workers.list_with_steps(clock())
    assert (row["id"], row["role"], row["steps"], row["can_run"]) == (
        "there:1-second",
        "driver",
        3,
        '["video"]',
    )
    assert not row["is_silent"]
    presence.stop()
    assert workers.list_with_steps(clock()) == []


def test_a_presence_whose_first_sign_fails_gives_the_next_one(app, clock, monkeypatch):
    monkeypatch.setattr("svc.work.machines.presence.BEAT_SECONDS", 0.02)
    presence, beat = Presence(clock), workers.record_heartbeat
    failures = [db.Error("away")]

    def once(*given):
        if failures:
            raise failures.pop()
        beat(*given)

    monkeypatch.setattr(workers, "record_heartbeat", once)
    with pytest.raises(db.Error):
        presence.start(THERE, "worker", 1, "no room")
    until(lambda: [row["sick"] for row in workers.list_processes()] == ["no room"])
    presence.stop()


def test_a_server_on_sqlite_gives_no_signs(app, partner):
    service = app.extensions["svc"]
    engine = Engine(service.settings, service.storage, service.ring)
    engine.start()
    until(lambda: plain_sql.row("SELECT 1 FROM meta WHERE name = 'heartbeat'"))
    expected = 1 if db.place() else 0
    assert len(workers.list_processes()) == expected
    engine.stop()
    assert workers.list_processes() == []


def test_rows_of_processes_that_are_silent_for_an_hour_are_removed(app, clock):
    sign(clock, "there:1-old")
    clock.tick(3601)
    sign(clock, "there:1-new")
    workers.forget_silent(clock())
    assert [row["id"] for row in workers.list_processes()] == ["there:1-new"]


def test_a_process_is_shown_as_silent_after_fifteen_seconds(app, clock):
    sign(clock)
    clock.tick(15)
    assert not workers.list_with_steps(clock())[0]["is_silent"]
    clock.tick(1)
    assert workers.list_with_steps(clock())[0]["is_silent"]
