"""Whose step is next: partners by weight, live before sandbox, ceilings, pauses,
and waiting by time.
"""

from collections import Counter

import pytest
from support import plain_sql
from support.cast import body
from support.plans import instructions
from support.stage import DRIVER, make

from svc.base.errors import Conflict, NotFound
from svc.base.steps import STEPS
from svc.domain.audit.audit import Actor
from svc.domain.lifecycle import clock_jump, endings, lifecycle, render_queue
from svc.domain.lifecycle.lifecycle import Cause
from svc.domain.partners import admin as partner_admin
from svc.domain.people import identity
from svc.domain.people.users import Viewer
from svc.domain.productions import admin as production_admin
from svc.domain.productions import progress
from svc.store import claims
from svc.store.database import db

US = Viewer(None, "us", "us", identity.OPERATOR, None)
SLOW = "---\nsandbox:\n  slowStep: script\n  slowSeconds: 60\n---\n"


def run(clock, workers=1, ceiling=0, seconds=1.0):
    """Run one step; whose it was."""
    claim = render_queue.claim_next(DRIVER, clock(), workers, ceiling)
    if claim is None:
        return None
    step = progress.start_step(claim, clock())
    if step is not None:
        progress.complete_step(
            claim, step, clock.tick(seconds), [make()], took=round(1000 * seconds)
        )
    render_queue.release_claim(claim, 1000 * seconds)
    return claim.partner_id


def many(person, number, **changes):
    return [body(person.trigger(**changes))["productionId"] for _ in range(number)]


def mine(person):
    return person.seeded["partnerId"]


def place(production):
    return plain_sql.row("SELECT not_before FROM productions WHERE id = ?", (production,))[0]


def test_forty_of_one_partner_do_not_make_another_wait(partner, stranger, clock):
    many(partner, 40)
    for _ in range(3):
        run(clock)
    many(stranger, 1)
    assert run(clock) == mine(stranger)
    turns = Counter(run(clock) for _ in range(10))
    assert turns[mine(stranger)] in (5, 6)


def test_a_running_production_gives_way_between_its_steps_to_a_live_one(partner, stranger, clock):
    many(partner, 2)
    run(clock)
    many(stranger.live(), 1)
    assert [run(clock) for _ in range(7)] == [mine(stranger)] * 7
    assert run(clock) == mine(partner)


def test_turns_follow_the_weight_of_the_tier(person, clock):
    small, large = person("Standard"), person("Enterprise")
    for each in (small, large):
        many(each, 15)
    turns = Counter(run(clock) for _ in range(60))
    assert turns[mine(large)] == pytest.approx(2 * turns[mine(small)], abs=3)


def test_long_steps_cost_more_turns_than_short_ones(partner, stranger, clock):
    for each in (partner, stranger):
        many(each, 20)
    spent = Counter()
    for _ in range(60):
        claim = render_queue.claim_next(DRIVER, clock())
        seconds = 10 if claim.partner_id == mine(partner) else 1
        render_queue.release_claim(claim, 1000 * seconds)
        spent[claim.partner_id] += seconds
    assert spent[mine(partner)] == pytest.approx(spent[mine(stranger)], abs=12)


def test_within_a_partner_the_oldest_is_finished_first(partner, clock):
    first, second = many(partner, 1), (clock.tick(), many(partner, 1))[1]
    for _ in range(len(STEPS)):
        run(clock)
    states = [
        plain_sql.row("SELECT steps_complete FROM productions WHERE id = ?", (each[0],))[0]
        for each in (first, second)
    ]
    assert states == [len(STEPS), 0]


def test_one_partner_does_not_hold_all_workers_while_another_waits(partner, stranger, clock):
    many(partner.live(), 5)
    many(stranger, 1)  # in a sandbox, and yet
    claims_ = [render_queue.claim_next(DRIVER, clock(), workers=3) for _ in range(3)]
    assert Counter(each.partner_id for each in claims_) == {mine(partner): 2, mine(stranger): 1}


def test_one_partner_alone_holds_all_workers(partner, clock):
    many(partner, 5)
    assert all(render_queue.claim_next(DRIVER, clock(), workers=3) for _ in range(3))


def test_a_ceiling_holds_even_where_nobody_waits(partner, clock):
    many(partner, 5)
    found = [render_queue.claim_next(DRIVER, clock(), workers=4, ceiling=2) for _ in range(3)]
    assert [bool(each) for each in found] == [True, True, False]
    render_queue.release_claim(found[0])
    assert render_queue.claim_next(DRIVER, clock(), workers=4, ceiling=2)


def hold(clock, workers, *people):
    """Let each of these run a step, in this order; return their claims."""
    claims_ = []
    for person in people:
        many(person, 1)
        claim = render_queue.claim_next(DRIVER, clock(), workers)
        assert claim.partner_id == mine(person)
        progress.start_step(claim, clock())
        claims_.append(claim)
        clock.tick()
    return claims_


def gives_way(clock, workers=2):
    return render_queue.find_step_to_put_back(clock(), workers)


def test_the_newest_sandbox_step_gives_way_to_a_live_production(partner, stranger, clock):
    """Steps take long, and two of one partner's sandbox kept everybody's live work waiting."""
    _, newest = hold(clock, 2, partner, partner)
    many(stranger.live(), 1)
    assert gives_way(clock) is None  # most steps end sooner
    clock.tick(2)
    assert gives_way(clock) == newest.token
    render_queue.release_claim(newest)
    claim = render_queue.claim_next(DRIVER, clock(), 2)
    assert claim.partner_id == mine(stranger)
    many(stranger.live(), 1)
    clock.tick(5)  # less than a lease
    assert gives_way(clock) is None  # one of theirs runs


def test_the_only_worker_gives_way_to_a_live_production_too(partner, stranger, clock):
    [only] = hold(clock, 1, partner)
    many(stranger.live(), 1)
    clock.tick(2)
    assert gives_way(clock, 1) == only.token


def test_no_step_gives_way_to_a_sandbox_production(partner, stranger, clock):
    hold(clock, 2, partner, partner)
    many(stranger, 1)
    clock.tick(5)  # less than a lease
    assert gives_way(clock) is None


def test_no_step_gives_way_while_a_worker_is_free_or_the_queue_is_paused(partner, stranger, clock):
    hold(clock, 2, partner)
    many(stranger.live(), 1)
    clock.tick(2)
    assert gives_way(clock) is None
    hold(clock, 2, stranger.live())
    many(partner.live(), 1)
    clock.tick(2)
    render_queue.pause(US, None, clock())
    assert gives_way(clock) is None


def test_the_last_live_step_of_a_partner_goes_on(person, partner, stranger, clock):
    """Only who runs more than one gives one of them back."""
    _, newest = hold(clock, 2, partner.live(), partner.live())
    many(stranger.live(), 1)
    clock.tick(2)
    assert gives_way(clock) == newest.token
    render_queue.release_claim(newest)
    assert render_queue.claim_next(DRIVER, clock(), 2).partner_id == mine(stranger)
    many(person("Enterprise").live(), 1)
    clock.tick(5)  # less than a lease
    assert gives_way(clock) is None


def test_what_an_operator_moved_to_the_front_gives_way_to_nobody(partner, stranger, clock):
    [only] = hold(clock, 1, partner)
    with db.transaction():
        plain_sql.execute("UPDATE productions SET lane = 0 WHERE id = ?", (only.production_id,))
    many(stranger.live(), 1)
    clock.tick(2)
    assert gives_way(clock, 1) is None


def test_no_second_step_gives_way_while_one_is_being_cancelled(partner, stranger, clock):
    _, newest = hold(clock, 2, partner, partner)
    many(stranger.live(), 1)
    clock.tick(2)
    with db.transaction():
        lifecycle.request_cancel(newest.production_id, clock(), None)
    assert gives_way(clock) is None


def test_a_partner_that_was_away_saves_no_turns_up(partner, stranger, clock):
    many(partner, 6)
    for _ in range(30):
        run(clock)
    many(stranger, 5)
    assert Counter(run(clock) for _ in range(8))[mine(stranger)] <= 5


def test_a_paused_partner_waits_while_others_go_on(partner, stranger, clock):
    many(partner, 1)
    held = render_queue.claim_next(DRIVER, clock())
    render_queue.pause(US, mine(partner), clock())
    step = progress.start_step(held, clock())  # what runs is finished
    progress.complete_step(held, step, clock.tick(1))
    render_queue.release_claim(held, 1000)
    assert run(clock) is None
    many(stranger, 1)
    assert run(clock) == mine(stranger)
    render_queue.resume(US, mine(partner), clock())
    assert mine(partner) in {run(clock) for _ in range(3)}
    actions = [
        row["action"]
        for row in plain_sql.rows("SELECT action FROM audit WHERE action LIKE 'queue%' ORDER BY id")
    ]
    assert actions == ["queue.pause", "queue.resume"]


@pytest.mark.slow
def test_a_paused_queue_starts_nothing_and_still_cancels_and_expires(partner, clock):
    cancelled, expired = many(partner, 2)
    render_queue.pause(US, None, clock())
    assert run(clock) is None
    assert partner.delete(f"/v1/productions/{cancelled}").status_code == 202
    assert endings.finish_cancel(cancelled, clock())
    clock.tick(73 * 3600)
    assert endings.expire_unreleased(clock()) == 1
    assert body(partner.get(f"/v1/productions/{expired}"))["errorCode"] == "EXPIRED"
    render_queue.resume(US, None, clock())
    assert run(clock) is None


def test_pausing_nobody_is_refused(partner, clock):
    with pytest.raises(NotFound):
        render_queue.pause(US, "nobody", clock())


def test_a_production_moved_to_the_front_goes_before_live_ones_but_not_past_a_pause(
    partner, stranger, clock
):
    many(partner.live(), 3)
    [chosen] = many(stranger, 1)
    production_admin.move_to_front(US, chosen, clock())
    render_queue.pause(US, mine(stranger), clock())
    assert run(clock) == mine(partner)
    render_queue.resume(US, mine(stranger), clock())
    assert [run(clock) for _ in range(7)] == [mine(stranger)] * 7


def test_only_what_is_being_made_is_moved_to_the_front(partner, clock):
    [production] = many(partner, 1)
    endings.fail_production(production, Cause.EXPIRED, "EXPIRED", "", clock())
    with pytest.raises(Conflict, match="Failed"):
        production_admin.move_to_front(US, production, clock())


def test_a_slow_scenario_waits_by_time_and_not_in_a_worker(partner, stranger, clock):
    [slow] = many(partner, 1, metadataMD=SLOW)
    run(clock)  # begins to wait
    assert body(partner.get(f"/v1/productions/{slow}"))["steps"][0]["status"] == "Running"
    assert place(slow) > clock() + 50_000 and run(clock) is None
    many(stranger, 1)
    assert run(clock) == mine(stranger)
    while run(clock):
        pass
    clock.tick(60)
    assert run(clock) == mine(partner)
    assert body(partner.get(f"/v1/productions/{slow}"))["stepsComplete"] == 1


@pytest.mark.slow
def test_what_waits_by_time_is_cancelled_and_expires_like_any_other(partner, clock):
    cancelled, expired = many(partner, 2, metadataMD=SLOW)
    run(clock), run(clock)
    assert partner.delete(f"/v1/productions/{cancelled}").status_code == 202
    assert endings.finish_cancel(cancelled, clock())
    clock.tick(60)
    held = render_queue.claim_next(DRIVER, clock())
    assert held.production_id == expired
    render_queue.release_claim(held)
    clock.tick(73 * 3600)
    assert endings.expire_unreleased(clock()) == 1 and run(clock) is None


def test_what_waits_by_time_waits_as_long_after_a_restart_and_a_set_clock(partner, clock):
    [slow] = many(partner, 1, metadataMD=SLOW)
    run(clock)
    with db.transaction():
        lifecycle.release_earlier_boots(claims.Driver("another"))
    assert run(clock) is None
    clock.tick(-3600)
    clock_jump.move_retries(-3_600_000, clock(), "boot", 0)
    assert run(clock) is None
    clock.tick(61)
    assert run(clock) == mine(partner)


def test_what_is_held_is_not_in_the_queue(partner, clock):
    [held] = many(partner, 1, metadataMD="---\nsandbox:\n  holdIn: Producing\n---\n")
    assert run(clock) == mine(partner)
    assert run(clock) is None and place(held) is None


def test_a_step_that_is_put_off_leaves_the_worker_to_others(partner, stranger, clock):
    many(partner, 1)
    held = render_queue.claim_next(DRIVER, clock())
    step = progress.start_step(held, clock())
    progress.postpone_step(held, step, "MODEL_UNAVAILABLE", "down", clock())
    render_queue.release_claim(held, 5)
    many(stranger, 1)
    assert run(clock) == mine(stranger)
    clock.tick(31)
    assert mine(partner) in {run(clock) for _ in range(2)}


def test_a_suspended_partner_still_finishes_what_was_taken(partner, clock):
    many(partner, 1)
    partner_admin.change(
        Actor(None, "us"), partner_admin.PARTNER, mine(partner), {"status": "Suspended"}, clock()
    )
    assert run(clock) == mine(partner)


@pytest.mark.sqlite("writes SQL of SQLite alone")
def test_ten_thousand_waiting_productions_do_not_make_a_claim_slow(partner, stranger, clock):
    many(partner, 1, metadataMD=SLOW)
    many(stranger.live(), 1)
    add_waiting(1, 100)
    among_a_hundred = steps_of_a_claim(clock)
    add_waiting(101, 10_000)
    # the index is read at three places for each partner, and not between
    assert steps_of_a_claim(clock) == among_a_hundred


def add_waiting(first: int, last: int) -> None:
    """Add copies of the sandbox's production that may run in ten minutes."""
    copied = ", ".join(
        row["name"]
        for row in plain_sql.rows("PRAGMA table_info(productions)")
        if row["name"] != "id"
    )
    with db.transaction(durable=False):
        plain_sql.execute("PRAGMA defer_foreign_keys = 1")
        plain_sql.execute(f"""
            WITH RECURSIVE n (i) AS (SELECT {first} UNION ALL SELECT i + 1 FROM n WHERE i < {last})
            INSERT INTO productions (id, {copied})
            SELECT printf('%s-%05d', p.id, n.i), {copied} FROM n CROSS JOIN productions p
            WHERE p.lane = 2 AND p.id NOT LIKE '%-_____'
        """)
        plain_sql.execute(
            "UPDATE productions SET not_before = not_before + 600000 "
            "WHERE CAST(substr(id, -5) AS INTEGER) BETWEEN ? AND ? "
            "AND id LIKE '%-_____'",
            (first, last),
        )


def steps_of_a_claim(clock) -> int:
    def claim_and_give_back() -> None:
        render_queue.release_claim(render_queue.claim_next(DRIVER, clock()), 1000)

    claim_and_give_back()  # the first one after a change also reads what is remembered from then on
    return instructions(claim_and_give_back)


def test_operators_alone_pause_and_move(operator, owner, partner):
    [production] = many(partner, 1)
    assert owner.post(f"/console/productions/{production}/front").status_code == 403
    assert owner.post("/console/maintenance/queue", {"paused": "on"}).status_code in (403, 404)
    assert operator.post(f"/console/productions/{production}/front").status_code == 303
    assert plain_sql.row("SELECT lane FROM productions")[0] == render_queue.FRONT
    assert operator.post("/console/maintenance/queue", {"paused": "on"}).status_code == 303
    assert (
        operator.post(
            "/console/maintenance/queue", {"paused": "on", "partner": mine(partner)}
        ).status_code
        == 303
    )
    page = operator.get("/console/maintenance").get_data(as_text=True)
    assert "Resume the whole queue" in page and "Demo partner" in page
    assert render_queue.find_pause_time() and render_queue.find_pause_time(mine(partner))
    assert (
        operator.post("/console/maintenance/queue", {"partner": mine(partner)}).status_code == 303
    )
    assert (
        operator.post(
            "/console/maintenance/queue", {"partner": "nobody", "paused": "on"}
        ).status_code
        == 404
    )
    assert render_queue.find_pause_time() and not render_queue.find_pause_time(mine(partner))


def test_what_was_triggered_since_the_clock_was_set_ahead_waits_for_nothing(partner, clock):
    waiting = body(partner.trigger())["productionId"]
    with db.transaction():
        plain_sql.execute(
            "UPDATE productions SET not_before = not_before + 60000 WHERE id = ?", (waiting,)
        )
    clock.tick(3600)  # the clock was set; the engine has not seen it yet
    new = body(partner.trigger())["productionId"]
    clock.tick()
    clock_jump.move_retries(3_600_000, clock(), "boot", 0)
    assert place(new) <= clock() < place(waiting) == clock() - 1 + 60_000


def test_a_worker_is_given_only_steps_that_it_may_run_and_the_turns_are_kept(
    partner, stranger, clock
):
    many(partner, 2)
    many(stranger, 1)
    narrates = frozenset({"narration"})
    assert render_queue.claim_next(DRIVER, clock(), can_run=narrates) is None
    whose = [run(clock), run(clock)]  # two scripts
    assert sorted(whose) == sorted([mine(partner), mine(stranger)])
    held = [render_queue.claim_next(DRIVER, clock(), 4, can_run=narrates) for _ in range(3)]
    assert sorted(claim.partner_id for claim in held[:2]) == sorted(whose) and held[2] is None
    assert render_queue.claim_next(DRIVER, clock(), 4, can_run=frozenset()) is None


def test_a_ceiling_and_the_free_place_for_others_count_the_steps_of_all_machines(
    partner, stranger, clock
):
    many(partner, 6)
    many(stranger, 1)
    with db.transaction():
        # as the driver counted
        plain_sql.execute("INSERT INTO meta VALUES ('render_workers', '4')")
    there, here = claims.Driver("there:1"), claims.Driver("here:1")
    found = [
        render_queue.claim_next(driver, clock(), 1, 2) for driver in (there, here, there, here)
    ]
    assert [claim and claim.partner_id for claim in found].count(mine(partner)) == 2 and found[
        -1
    ] is None


def test_a_step_that_another_machine_took_in_the_meantime_is_not_taken_twice(
    partner, clock, monkeypatch
):
    """Both machines see it, and then one of them is first."""
    many(partner, 1)
    choose, taken = render_queue._choose_production, []

    def slowly(*given):
        row = choose(*given)
        if not taken:
            taken.append(True)
            taken.append(render_queue.claim_next(claims.Driver("there:1"), clock()))
        return row

    monkeypatch.setattr(render_queue, "_choose_production", slowly)
    assert render_queue.claim_next(DRIVER, clock(), 2) is None and taken[1]


def test_a_ceiling_that_another_machine_reached_in_the_meantime_holds(partner, clock, monkeypatch):
    many(partner, 3)
    choose, taken = render_queue._choose_production, []

    def slowly(*given):
        row = choose(*given)
        if not taken:
            taken.append(True)
            taken.append(render_queue.claim_next(claims.Driver("there:1"), clock(), 4, 1))
        return row

    monkeypatch.setattr(render_queue, "_choose_production", slowly)
    assert render_queue.claim_next(DRIVER, clock(), 4, 1) is None and taken[1]
    turns = plain_sql.row("SELECT turn FROM render_queues")[0]
    assert turns == pytest.approx(taken[1].cost / taken[1].weight)  # only one of them was charged
