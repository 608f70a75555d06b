"""Steps whose process was lost before they had a result: each loss counts once, the next attempt
waits, and after the last one the production fails.
"""

import pytest
from support import plain_sql
from support.cast import body
from support.stage import DRIVER, complete_steps
from support.tables import each_of

from svc.base import clock as wall_clock
from svc.base.steps import STEPS
from svc.domain import retry_schedule
from svc.domain.lifecycle import clock_jump, endings, lifecycle, losses, render_queue
from svc.domain.people import identity
from svc.domain.people.users import Viewer
from svc.domain.productions import admin, progress
from svc.domain.usage.model_costs import Prices
from svc.store.claims import Driver, LostClaim
from svc.store.database import db

US = Viewer(None, "us", "us", identity.OPERATOR, None)
NEXT = Driver("next boot")
ALLOWED = len(retry_schedule.LOSS_DELAYS)
SLOW = "---\nsandbox:\n  slowStep: script\n  slowSeconds: 60\n---\n"


@pytest.fixture
def production(partner):
    """The id of a production of a sandbox account."""
    return body(partner.trigger())["productionId"]


def claim(clock, driver=DRIVER):
    return render_queue.claim_next(driver, clock())


def die(clock, held) -> None:
    """The process that holds the claim ends, and another one of its directory begins."""
    losses.release_earlier_boots(Driver("after " + held.token), clock())


def sleep(clock, held) -> None:
    """The process sleeps for longer than its lease, until somebody looks for work."""
    clock.tick(lifecycle.LEASE / wall_clock.SECOND)
    losses.release_expired(held.production_id, held.token, clock())


def fall_silent(clock, held) -> None:
    """Another server sees that the process gives no sign of life."""
    losses.release_claims_of(DRIVER.boot, clock())


def fail_outside(clock, held) -> None:
    """The process fails outside the step."""
    losses.record_failure(held, "RuntimeError: it broke", clock())


WAYS = {"died": die, "slept": sleep, "silent": fall_silent, "failed": fail_outside}


def lose(clock, number: int, way=die) -> None:
    """Claim the production that is next and lose it, so often; it waits in between."""
    for _ in range(number):
        clock.tick(retry_schedule.LONGEST_OF_STEPS / wall_clock.SECOND)
        held = claim(clock)
        progress.start_step(held, clock())
        way(clock, held)


def state(production) -> tuple:
    row = plain_sql.one("SELECT * FROM productions WHERE id = ?", (production,))
    return row["status"], row["error_code"], row["failed_step"], row["claim_token"]


def counted(production) -> int:
    sql = "SELECT coalesce(max(losses), 0) FROM production_steps WHERE production_id = ?"
    return plain_sql.one(sql, (production,))[0]


def waits(production, clock) -> int:
    """How many milliseconds the production still waits."""
    sql = "SELECT not_before FROM productions WHERE id = ?"
    return max(0, plain_sql.one(sql, (production,))[0] - clock())


def told(name="StepLost") -> list[tuple[str, str]]:
    sql = "SELECT severity, message FROM alerts WHERE name = ? ORDER BY id"
    return [(row["severity"], row["message"]) for row in plain_sql.rows(sql, (name,))]


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_each_way_of_losing_a_step_counts_and_the_last_one_fails_it(
    production, clock, partner, way
):
    for number, delay in enumerate(retry_schedule.LOSS_DELAYS, 1):
        held = claim(clock)
        progress.start_step(held, clock())
        way(clock, held)
        assert (counted(production), waits(production, clock)) == (number, delay)
        if delay:
            clock.tick((delay - 1) / wall_clock.SECOND)
            assert claim(clock) is None
            clock.tick()
    lose(clock, 1, way)
    assert state(production) == ("Failed", "STEP_ABANDONED", "script", None)
    found = body(partner.get(f"/v1/productions/{production}"))
    assert found["errorMessage"] == (
        f"The step script was begun {ALLOWED + 1} times, and each time the process that ran it was "
        "lost before it had a result."
    )
    assert found["steps"][0]["status"] == "Failed"
    last = body(partner.get(f"/v1/productions/{production}/events"))["data"][-1]
    assert (last["eventType"], last["data"]["errorCode"]) == ("production.failed", "STEP_ABANDONED")
    assert [severity for severity, _ in told()] == ["warning", "critical"]


def test_a_step_that_is_lost_once_keeps_its_place_in_the_queue(partner, clock):
    first = body(partner.trigger())["productionId"]
    clock.tick(1)
    second = body(partner.trigger())["productionId"]
    clock.tick(60)
    assert (held := claim(clock)).production_id == first
    die(clock, held)
    assert claim(clock).production_id == first and counted(second) == 0


def test_a_loss_counts_once_whoever_sees_it(production, clock):
    held = claim(clock)
    clock.tick(31)
    for _ in range(2):
        fall_silent(clock, held)
        losses.release_expired(held.production_id, held.token, clock())
        losses.release_earlier_boots(NEXT, clock())
        with pytest.raises(LostClaim):
            fail_outside(clock, held)
    assert counted(production) == 1


def test_a_loss_before_the_step_began_counts(production, clock, partner):
    lost = claim(clock)
    die(clock, lost)
    assert counted(production) == 1
    [first, *_] = body(partner.get(f"/v1/productions/{production}"))["steps"]
    assert (first["status"], first["startedAt"]) == ("Pending", None)
    step = progress.start_step(claim(clock), clock())
    assert (step["status"], step["losses"], step["started_at"]) == ("Running", 1, clock())


def test_a_machine_that_is_started_anew_twice_alerts_nobody_but_once(production, clock):
    lose(clock, 1)
    assert told() == []
    lose(clock, 1)
    [(severity, message)] = told()
    assert severity == "warning" and "script" in message and "lost 2 times" in message
    assert state(production)[0] == "Queued"


def test_each_step_begins_to_count_anew(production, clock):
    lose(clock, ALLOWED)
    clock.tick(3600)
    render_queue.release_claim(complete_steps(clock, 1))
    lose(clock, ALLOWED)
    assert state(production)[0] == "Producing" and counted(production) == ALLOWED
    lose(clock, 1)
    assert state(production)[:3] == ("Failed", "STEP_ABANDONED", "narration")


def test_steps_lost_with_one_process_do_not_begin_together_again(partner, stranger, clock):
    """One of them may have ended it, and would end it again with the others in it."""
    partner.trigger(), stranger.trigger()
    for _ in range(2):
        assert all(render_queue.claim_next(DRIVER, clock(), workers=4) for _ in range(2))
        losses.release_earlier_boots(NEXT, clock())
    delay = retry_schedule.LOSS_DELAYS[1]
    times = [row[0] - clock() for row in plain_sql.rows("SELECT not_before FROM productions")]
    assert sorted(times) == [delay, 2 * delay]


def test_an_orderly_stop_is_no_loss(production, clock):
    """As of a rolling upgrade, in which each server and worker is stopped once."""
    for number in range(2 * ALLOWED):
        held = claim(clock, Driver(f"boot {number}"))
        progress.start_step(held, clock())
        progress.hand_on(held, clock(), 5.0)
        assert losses.release_earlier_boots(Driver(f"boot {number + 1}"), clock()) == 0
    assert counted(production) == 0 and claim(clock)


def test_a_lease_that_was_renewed_in_the_last_moment_is_no_loss(production, clock):
    held = claim(clock)
    clock.tick(31)
    progress.renew(held, clock(), 0.5)
    losses.release_expired(held.production_id, held.token, clock())
    assert counted(production) == 0 and lifecycle.list_held([held.token])


def test_a_lost_step_that_was_cancelled_is_cancelled(production, clock, partner):
    lose(clock, ALLOWED)
    for way in (die, sleep, fall_silent):
        clock.tick(3600)
        if (held := claim(clock)) is not None:
            partner.delete(f"/v1/productions/{production}")
        else:
            with db.transaction():  # it is still claimed by another one
                plain_sql.execute("UPDATE productions SET claim_token = 'x', claim_boot = 'test'")
            held = lifecycle.Claim(production, "x", "", "")
        way(clock, held)
        assert (state(production)[0], counted(production)) == ("Queued", ALLOWED)
    with pytest.raises(LostClaim):
        fail_outside(clock, held)
    assert endings.finish_cancel(production, clock()) and state(production)[0] == "Cancelled"
    assert [
        each["status"] for each in body(partner.get(f"/v1/productions/{production}"))["steps"]
    ] == ["Cancelled"] * len(STEPS)


def test_a_step_that_never_began_is_cancelled_with_its_production(production, clock, partner):
    die(clock, claim(clock))
    partner.delete(f"/v1/productions/{production}")
    endings.finish_cancel(production, clock())
    steps = body(partner.get(f"/v1/productions/{production}"))["steps"]
    assert {each["status"] for each in steps} == {"Cancelled"}


@pytest.mark.parametrize("whole", [True, False], ids=["whole queue", "partner"])
def test_a_lease_that_expires_in_a_paused_queue_counts_once(production, clock, whole):
    held = claim(clock)
    paused = None if whole else held.partner_id
    render_queue.pause(US, paused, clock())
    for _ in range(5):
        clock.tick(60)
        assert claim(clock) is None
    render_queue.resume(US, paused, clock())
    assert claim(clock) and counted(production) == 1


def test_a_retry_by_hand_begins_to_count_anew(production, clock):
    lose(clock, ALLOWED + 1)
    again = admin.retry(US, production, clock(), "c", Prices())
    assert again != production and counted(again) == 0
    lose(clock, ALLOWED)
    assert state(again)[0] == "Queued" and counted(again) == ALLOWED


def test_an_abandoned_sandbox_production_leaves_its_place_among_those_at_once(partner, clock):
    """It ends as any other failure: what it held of limits and budgets is free."""
    with db.transaction():
        plain_sql.execute("UPDATE accounts SET concurrency_ceiling = 1")
    first = body(partner.trigger())["productionId"]
    assert partner.trigger().status_code == 409
    lose(clock, ALLOWED + 1)
    assert state(first)[1] == "STEP_ABANDONED"
    assert partner.trigger().status_code == 202


def test_a_scenario_that_waits_or_holds_is_no_loss(partner, clock):
    slow = body(partner.trigger(metadataMD=SLOW))["productionId"]
    held = claim(clock)
    assert progress.start_step(held, clock()) is None
    render_queue.release_claim(held)
    assert losses.release_earlier_boots(NEXT, clock()) == 0 and counted(slow) == 0


@pytest.mark.parametrize("way", [die, fail_outside])
def test_a_production_that_a_scenario_holds_stays_held_after_a_loss(partner, clock, way):
    held = body(partner.trigger(metadataMD="---\nsandbox:\n  holdIn: Producing\n---\n"))
    way(clock, complete_steps(clock, 1))
    [not_before] = plain_sql.one(
        "SELECT not_before FROM productions WHERE id = ?", (held["productionId"],)
    )
    assert not_before is None


def test_a_wait_after_a_loss_outlives_a_clock_that_is_set_back(production, clock):
    lose(clock, ALLOWED)
    assert clock_jump.release_stranded(clock()) == 0
    clock.tick(-3600)
    clock_jump.move_retries(-3_600_000, clock(), "boot", 0)
    assert waits(production, clock) == retry_schedule.LOSS_DELAYS[-1]


def test_a_crash_of_a_step_waits_and_is_counted_by_itself(production, clock):
    for delay in retry_schedule.LOSS_DELAYS[: progress.CRASHES_ALLOWED - 1]:
        held = claim(clock)
        assert progress.record_crash(held, progress.start_step(held, clock()), "9", clock())
        render_queue.release_claim(held)
        assert waits(production, clock) == delay
        clock.tick(delay / wall_clock.SECOND)
    assert counted(production) == 0


@each_of(
    ("count", "others", "delay"),
    [(1, 0, 0), (1, 5, 0), (2, 0, 2_000), (3, 1, 20_000), (5, 3, 2_400_000), (5, 99, 2_400_000)],
)
def test_the_delay_grows_with_each_loss_and_with_those_lost_beside_it(count, others, delay):
    assert retry_schedule.find_delay_after_loss(count, others) == delay
    assert delay <= retry_schedule.LONGEST_OF_STEPS
