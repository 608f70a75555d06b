"""How productions move through their states."""

import pytest
from support import plain_sql
from support.cast import body
from support.stage import DRIVER, claim, complete_steps, make, publish_all

from svc.base.errors import CommandError
from svc.domain.lifecycle import endings, lifecycle, render_queue
from svc.domain.lifecycle.lifecycle import Cause
from svc.domain.productions import distribution, progress, publications, release_reminders
from svc.store.claims import Driver, LostClaim
from svc.store.database import db


@pytest.fixture
def production(partner):
    """The id of a production of a sandbox account, which releases by itself."""
    return body(partner.trigger())["productionId"]


@pytest.fixture
def held_back(partner):
    """The id of a production of a live account, which waits for its release."""
    return body(partner.live().trigger())["productionId"]


def events(production):
    return [
        (row["sequence"], row["event_type"])
        for row in plain_sql.rows(
            "SELECT * FROM events WHERE production_id = ? ORDER BY sequence", (production,)
        )
    ]


def status(production):
    return plain_sql.row("SELECT status FROM productions WHERE id = ?", (production,))["status"]


def test_a_production_goes_all_the_way_with_events_without_gaps(production, clock):
    complete_steps(clock)
    assert publish_all(clock) == ["Watch", "WatchVertical"]
    kinds = [kind for _, kind in events(production)]
    assert kinds == [
        "production.queued",
        *["production.step.complete"] * 7,
        "deliverable.ready",
        "production.awaiting_approval",
        "production.distributing",
        "production.published",
    ]
    assert [number for number, _ in events(production)] == list(range(1, 13))
    assert status(production) == "Published"


def test_the_status_is_queued_until_the_first_step_is_complete(production, clock, partner):
    held = claim(clock)
    step = progress.start_step(held, clock())
    assert status(production) == "Queued"
    progress.complete_step(held, step, clock.tick(1))
    found = body(partner.get(f"/v1/productions/{production}"))
    assert (found["status"], found["stepsComplete"], found["currentStep"]) == (
        "Producing",
        1,
        "Script written",
    )
    assert found["pollAfterSeconds"] == 30 and found["progressPercent"] == 14
    assert found["steps"][0] == {
        "name": "script",
        "status": "Completed",
        "startedAt": "2026-11-21T12:00:00.000Z",
        "completedAt": "2026-11-21T12:00:01.000Z",
    }


def test_a_claimed_production_is_claimed_by_nobody_else_until_its_lease_ends(production, clock):
    held = claim(clock)
    assert claim(clock) is None
    clock.tick(30)
    assert claim(clock).production_id == held.production_id


def test_a_lost_claim_changes_nothing(production, clock):
    late = claim(clock)
    step = progress.start_step(late, clock())
    clock.tick(31)
    claim(clock)
    for change in (
        lambda: progress.complete_step(late, step, clock()),
        lambda: progress.fail_step(late, step, "X", "x", clock()),
        lambda: progress.renew(late, clock(), 0.5),
        lambda: progress.record_crash(late, step, "x", clock()),
    ):
        with pytest.raises(LostClaim):
            change()
    assert events(production) == [(1, "production.queued")]


def test_claims_of_an_earlier_boot_are_ready_at_once(production, clock):
    claim(clock)
    with db.transaction():
        assert lifecycle.release_earlier_boots(DRIVER) == 0
        assert lifecycle.release_earlier_boots(Driver("next boot")) == 1
    assert claim(clock) is not None


def test_a_step_that_crashes_is_tried_three_times(production, clock):
    for expected in (True, True, False):
        held = claim(clock)
        step = progress.start_step(held, clock())
        assert progress.record_crash(held, step, "ended by signal 9", clock()) is expected
        render_queue.release_claim(held)
        clock.tick(10)
    row = plain_sql.row("SELECT * FROM productions WHERE id = ?", (production,))
    assert (row["status"], row["error_code"], row["failed_step"]) == (
        "Failed",
        "STEP_CRASHED",
        "script",
    )


def test_a_failed_gate_fails_the_production_and_says_why(production, clock, partner):
    held = complete_steps(clock, 5)
    step = progress.start_step(held, clock())
    progress.fail_step(
        held, step, "QUALITY_GATE_FAILED", "loudness of landscape.mp4: measured −19 LUFS", clock()
    )
    found = body(partner.get(f"/v1/productions/{production}"))
    assert (found["status"], found["errorCode"], found["failedStep"]) == (
        "Failed",
        "QUALITY_GATE_FAILED",
        "checks",
    )
    assert [each["status"] for each in found["platforms"]] == ["Withdrawn", "Withdrawn"]
    assert found["pollAfterSeconds"] is None
    last = body(partner.get(f"/v1/productions/{production}/events"))["data"][-1]
    assert last["data"] == {
        "status": "Failed",
        "errorCode": found["errorCode"],
        "errorMessage": found["errorMessage"],
    }


def test_a_live_production_waits_for_its_release(held_back, clock):
    complete_steps(clock)
    assert status(held_back) == "AwaitingApproval" and publish_all(clock) == []
    distribution.release(held_back, clock())
    assert publish_all(clock) == ["Watch", "WatchVertical"] and status(held_back) == "Published"


def test_only_what_awaits_approval_is_released_or_rejected(held_back, clock):
    for change in (
        lambda: distribution.release(held_back, clock()),
        lambda: distribution.reject(held_back, "no", clock()),
    ):
        with pytest.raises(CommandError):
            change()


def test_a_rejected_production_fails_with_the_operators_reason(held_back, clock):
    complete_steps(clock)
    distribution.reject(held_back, "The logo is wrong.", clock())
    row = plain_sql.row("SELECT * FROM productions WHERE id = ?", (held_back,))
    assert (row["status"], row["error_code"], row["error_message"]) == (
        "Failed",
        "REJECTED_BY_OPERATOR",
        "The logo is wrong.",
    )


def test_a_platform_that_fails_is_tried_again_and_its_sibling_goes_on(production, clock):
    complete_steps(clock)
    first = publications.claim_next(DRIVER, clock())
    publications.record_failed(first, "the disk is away", True, clock())
    assert publish_all(clock) == ["WatchVertical"] and status(production) == "Distributing"
    clock.tick(5)
    assert publish_all(clock) == ["Watch"] and status(production) == "Published"


def test_one_published_platform_is_enough(production, clock):
    complete_steps(clock)
    publications.record_failed(publications.claim_next(DRIVER, clock()), "refused", False, clock())
    publish_all(clock)
    assert status(production) == "Published"
    data = plain_sql.row("SELECT data FROM events WHERE event_type = 'production.published'")[
        "data"
    ]
    assert (
        data == '{"status":"Published","platforms":['
        '{"platform":"WatchVertical","status":"Published","platformPostId":"post-WatchVertical"}]}'
    )


def test_a_production_that_no_platform_published_has_failed(production, clock):
    complete_steps(clock)
    for _ in range(2):
        publications.record_failed(
            publications.claim_next(DRIVER, clock()), "refused", False, clock()
        )
    row = plain_sql.row("SELECT * FROM productions WHERE id = ?", (production,))
    assert (row["status"], row["error_code"]) == ("Failed", "DISTRIBUTION_FAILED")
    assert "Watch: refused" in row["error_message"]


def test_publishing_gives_up_after_four_attempts(production, clock):
    complete_steps(clock)
    for _ in range(8):
        publications.record_failed(
            publications.claim_next(DRIVER, clock()), "refused", True, clock()
        )
        clock.tick(120)
    assert publications.claim_next(DRIVER, clock()) is None and status(production) == "Failed"


def test_a_production_expires_unless_it_was_released(partner, held_back, clock):
    clock.tick()
    other = body(partner.trigger())["productionId"]
    complete_steps(clock)
    clock.tick(72 * 3600)
    assert endings.expire_unreleased(clock()) == 2
    row = plain_sql.row("SELECT * FROM productions WHERE id = ?", (held_back,))
    assert (row["status"], row["error_code"]) == ("Failed", "EXPIRED")
    assert status(other) == "Failed"
    assert endings.expire_unreleased(clock()) == 0


def reminders() -> list[tuple[str, str]]:
    rows = plain_sql.rows("SELECT severity, message FROM alerts WHERE name = 'ReleaseDue'")
    return [tuple(row) for row in rows]


def test_the_operator_is_reminded_of_what_expires_for_want_of_a_release(held_back, partner, clock):
    complete_steps(clock)
    clock.tick(1800)
    later = body(partner.live().trigger())["productionId"]
    complete_steps(clock)
    first = plain_sql.one("SELECT expires_at FROM productions WHERE id = ?", (held_back,))
    clock.tick((first["expires_at"] - clock()) // 1000 - 12 * 3600 - 1)
    assert release_reminders.remind(clock(), 72) == 0 and reminders() == []
    clock.tick(1)
    assert release_reminders.remind(clock(), 72) == 1
    [(severity, message)] = reminders()
    expires_at = body(partner.live().get(f"/v1/productions/{held_back}"))["expiresAt"]
    assert severity == "warning" and expires_at in message and held_back in message
    assert message.startswith("1 production awaits its release, and expires soon")
    clock.tick(3600)
    assert release_reminders.remind(clock(), 72) == 2 and len(reminders()) == 1
    clock.tick(5 * 3600)  # the later one is told of while there is time
    release_reminders.remind(clock(), 72)
    assert reminders()[1][1].startswith("2 productions await their release, and expire soon")
    distribution.release(held_back, clock())
    distribution.reject(later, "no", clock())
    clock.tick(5 * 3600)
    assert release_reminders.remind(clock(), 72) == 0 and len(reminders()) == 2


def test_nobody_is_reminded_of_what_is_not_finished_held_or_being_cancelled(
    held_back, partner, clock
):
    clock.tick(70 * 3600)
    assert release_reminders.remind(clock(), 72) == 0  # it is queued: no release would help
    clock.tick(-70 * 3600)
    complete_steps(clock)
    clock.tick(70 * 3600)
    assert release_reminders.remind(clock(), 72) == 1
    for column in ("held_in = 'AwaitingApproval'", "held_in = NULL, cancel_token = 'x'"):
        with db.transaction():
            plain_sql.execute(f"UPDATE productions SET {column} WHERE id = ?", (held_back,))
        assert release_reminders.remind(clock(), 72) == 0


def test_a_short_life_is_reminded_of_in_its_last_quarter(held_back, clock):
    complete_steps(clock)
    expires_at = plain_sql.one("SELECT expires_at FROM productions")["expires_at"]
    quarter = 15 * 60 * 1000
    assert release_reminders.remind(expires_at - quarter - 1, 1) == 0
    assert release_reminders.remind(expires_at - quarter, 1) == 1


def test_a_released_production_does_not_expire(held_back, clock):
    complete_steps(clock)
    distribution.release(held_back, clock())
    clock.tick(80 * 3600)
    assert endings.expire_unreleased(clock()) == 0


def test_deliverable_ready_names_the_first_hundred_and_says_so(production, clock):
    complete_steps(clock, made=[make() for _ in range(101)])
    row = plain_sql.row("SELECT * FROM events WHERE event_type = 'deliverable.ready'")
    assert (
        row["truncated"] == 1
        and row["data"].count("deliverableId") == 100
        and "sasUrl" not in row["data"]
    )


def test_spend_is_settled_when_a_production_ends(production, partner, clock):
    complete_steps(clock, 3)
    with db.transaction():
        endings.fail_production(production, Cause.EXPIRED, "X", "x", clock())
    spent = {row["owner_id"]: row["amount"] for row in plain_sql.rows("SELECT * FROM spend_months")}
    assert set(spent.values()) == {500_000 * 3 // 7}


def test_the_estimate_learns_from_what_productions_took(production, partner, clock):
    assert body(partner.get(f"/v1/productions/{production}"))["estimatedCompletionAt"] is None
    complete_steps(clock)
    found = body(partner.trigger())
    assert found["estimatedCompletionAt"] == "2026-11-21T12:00:14.000Z"


def test_a_production_that_is_being_cancelled_promises_no_completion(production, partner, clock):
    complete_steps(clock)
    cancelled = body(partner.trigger())["productionId"]
    claim(clock)
    answer = partner.delete(f"/v1/productions/{cancelled}")
    listed = body(partner.get(f"/v1/accounts/{partner.account}/productions"))["data"][0]
    for shown in (body(answer), body(partner.get(f"/v1/productions/{cancelled}")), listed):
        assert (shown["productionId"], shown["status"]) == (cancelled, "Queued")
        assert shown["cancelRequestedAt"] and shown["estimatedCompletionAt"] is None


def test_a_lost_voice_raises_one_alert(production, clock):
    held = claim(clock)
    for _ in range(2):
        progress.record_voice_lost(held, "The voice heart cannot be loaded.", clock())
    raised = plain_sql.rows("SELECT * FROM alerts WHERE name = 'VoiceLost'")
    assert [row["message"][:66] for row in raised] == [
        "The voice heart cannot be loaded. espeak-ng speaks in its place. `"
    ]
    assert status(production) != "Failed"
