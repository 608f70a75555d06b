"""Transactions of one partner: one that hangs holds up no other partner, and what a partner's own
transactions count on stays exact.
"""

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from support import plain_sql, stage
from support.cast import body
from support.frozen import until, waits_for_a_turn

from svc.domain.access.rate_limit import Budget
from svc.domain.briefing import batches
from svc.domain.lifecycle import (
    batch_endings,
    completion_estimates,
    endings,
    lifecycle,
    render_queue,
    title_words,
)
from svc.domain.productions import productions, progress, publications
from svc.domain.usage import counters, model_costs
from svc.domain.usage.model_costs import Prices
from svc.domain.usage.recorder import Recorder
from svc.domain.webhooks import usage_thresholds
from svc.store import meta
from svc.store.claims import LostClaim
from svc.store.database import Busy, db

EVENTS = "SELECT production_id, position FROM events WHERE partner_id = ? ORDER BY position"

pytest_plugins = ("tests.support.frozen",)
pytestmark = pytest.mark.usefixtures("only_on_postgres")


def made_by(person) -> str:
    return body(person.trigger())["productionId"]


def begun(person, clock):
    """A claim of a production whose first step has begun, and that step."""
    production_id = made_by(person)
    claim = render_queue.claim_next(stage.DRIVER, clock(), 4)
    assert claim.production_id == production_id
    return claim, progress.start_step(claim, clock())


# Each makes ready what one partner does then.


def trigger(person, clock):
    return person.trigger


def complete_step(person, clock):
    claim, step = begun(person, clock)
    return lambda: progress.complete_step(claim, step, clock())


def complete_last_step(person, clock):
    made_by(person)
    claim = stage.complete_steps(clock, 6)
    step = progress.start_step(claim, clock())
    return lambda: progress.complete_step(claim, step, clock(), [stage.make()])


def fail_step(person, clock):
    claim, step = begun(person, clock)
    return lambda: progress.fail_step(claim, step, "STEP_FAILED", "a fault", clock())


def postpone_step(person, clock):
    claim, step = begun(person, clock)
    return lambda: progress.postpone_step(claim, step, "MODEL_AWAY", "it is away", clock())


def charge_model(person, clock):
    claim, _ = begun(person, clock)
    charge = {"purpose": "script", "model": "m", "units_in": 1, "units_out": 1}
    return lambda: model_costs.record(claim.production_id, charge, Prices(), clock())


def request_cancel(person, clock):
    production_id = made_by(person)
    return lambda: productions.request_cancel(production_id, clock())


def finish_cancel(person, clock):
    production_id = made_by(person)
    productions.request_cancel(production_id, clock())
    return lambda: endings.finish_cancel(production_id, clock())


def released(person, clock):
    """A claim of a publication of this partner."""
    made_by(person)
    stage.complete_steps(clock)
    while (claim := publications.claim_next(stage.DRIVER, clock())).partner_id != (
        person.seeded["partnerId"]
    ):
        pass  # a production is published in several places
    return claim


def claim_publication(person, clock):
    made_by(person)
    stage.complete_steps(clock)
    return lambda: publications.claim_next(stage.DRIVER, clock())


def record_published(person, clock):
    claim = released(person, clock)
    return lambda: publications.record_published(claim, "post", clock())


def record_failed(person, clock):
    claim = released(person, clock)
    return lambda: publications.record_failed(claim, "refused", False, clock())


def give_publication_back(person, clock):
    claim = released(person, clock)
    return lambda: publications.release_claim(claim)


def order(person, number, mode="each"):
    items = [person.brief() for _ in range(number)]
    path = f"/v1/accounts/{person.seeded['sandboxAccountId']}/batches"
    return person.post(path, json={"items": items, "mode": mode})


def order_batch(person, clock):
    return lambda: order(person, 2)


def order_batch_of_all(person, clock):
    return lambda: order(person, 2, "atomic")


@pytest.mark.parametrize(
    "ready",
    [
        trigger,
        order_batch,
        order_batch_of_all,
        complete_step,
        complete_last_step,
        fail_step,
        postpone_step,
        charge_model,
        request_cancel,
        finish_cancel,
        claim_publication,
        record_published,
        record_failed,
        give_publication_back,
    ],
    ids=lambda each: each.__name__,
)
def test_one_partner_that_hangs_holds_up_no_other(
    ready, partner, stranger, clock, frozen, impatient
):
    """Both do the same; the rows that they share are those of all kinds of writes."""
    act, others_act = ready(partner, clock), ready(stranger, clock)
    with frozen(others_act):
        impatient()
        assert getattr(act(), "status_code", 200) < 300


# Each makes something ready for a periodic task; returns the task, and whether it is done.


def batch_that_waits(person, clock):
    with db.transaction():
        sql = "UPDATE customers SET concurrency_ceiling = ? WHERE partner_id = ?"
        plain_sql.execute(sql, (1, person.seeded["partnerId"]))
    order(person, 2)
    with db.transaction():
        plain_sql.execute(sql, (None, person.seeded["partnerId"]))
    triggered = "SELECT count(*) FROM productions WHERE partner_id = ?"
    return lambda: batches.trigger_waiting(clock(), 72, Prices()), triggered, 2


def batch_that_is_cancelled(person, clock):
    order(person, 2)
    with db.transaction():
        sql = "UPDATE batches SET under_way = 'cancel' WHERE partner_id = ?"
        plain_sql.execute(sql, (person.seeded["partnerId"],))
    cancelled = "SELECT count(cancel_requested_at) FROM productions WHERE partner_id = ?"
    return lambda: batches.continue_batches(clock(), 72, Prices()), cancelled, 2


def batch_that_ended(person, clock):
    order(person, 1)
    with db.transaction():
        plain_sql.execute("UPDATE productions SET status = 'Failed'")
    finished = "SELECT count(finished_at) FROM batches WHERE partner_id = ?"
    return lambda: batch_endings.finish_ended(clock()), finished, 1


def production_that_expires(person, clock):
    made_by(person)
    failed = "SELECT count(*) FROM productions WHERE status = 'Failed' AND partner_id = ?"
    return lambda: endings.expire_unreleased(clock() + 100 * 86_400_000), failed, 1


def threshold_that_is_reached(person, clock):
    with db.transaction():
        plain_sql.execute("UPDATE accounts SET monthly_ceiling = 500000")
    person.live().trigger()
    told = "SELECT count(*) FROM usage_thresholds WHERE partner_id = ?"
    return lambda: usage_thresholds.record_events(clock()), told, 2


def title_that_is_new(person, clock):
    made_by(person)
    indexed = "SELECT count(DISTINCT production_id) FROM title_words WHERE partner_id = ?"
    return lambda: title_words.index_titles(clock()), indexed, 1


@pytest.mark.parametrize(
    "ready",
    [
        batch_that_waits,
        batch_that_is_cancelled,
        batch_that_ended,
        production_that_expires,
        threshold_that_is_reached,
        title_that_is_new,
    ],
    ids=lambda each: each.__name__,
)
def test_a_periodic_task_serves_others_where_one_partner_hangs(
    ready, app, partner, stranger, clock, frozen
):
    """What the one that hangs has is older, and is done by a later run."""
    ready(stranger, clock)
    clock.tick(1)
    task, sql, number = ready(partner, clock)
    app.extensions["svc"].recorder.flush()  # so that only the one that hangs is waited for

    def done(person):
        return plain_sql.one(sql, (person.seeded["partnerId"],))[0] == number

    with frozen(hold_turn_of(stranger)):
        task()
        assert (done(stranger), done(partner)) == (False, True)
    task()
    assert done(stranger)


def hold_turn_of(person):
    """A transaction of a partner that changes nothing."""

    def hold():
        with db.transaction(partner=person.seeded["partnerId"]):
            pass

    return hold


def test_an_expired_lease_is_left_where_its_partner_hangs(partner, stranger, clock, frozen):
    """It is taken back later; what others have is taken back, and claimed, now."""
    for each in (stranger, partner):
        made_by(each)
        stage.claim(clock)
    clock.tick(60)
    sql = "SELECT claim_token IS NOT NULL AND claim_until < ? FROM productions WHERE partner_id = ?"

    def is_expired(person):
        return bool(plain_sql.one(sql, (clock(), person.seeded["partnerId"]))[0])

    with frozen(hold_turn_of(stranger)):
        while stage.claim(clock):
            pass
        assert (is_expired(stranger), is_expired(partner)) == (True, False)
    while stage.claim(clock):
        pass
    assert not is_expired(stranger)


def test_the_publication_of_another_partner_is_next_where_one_hangs(
    partner, stranger, clock, frozen
):
    """That of the one that hangs has been due for longer."""
    for each in (stranger, partner):
        made_by(each)
        stage.complete_steps(clock)
        clock.tick(1)
    with frozen(stranger.trigger):
        claim = publications.claim_next(stage.DRIVER, clock())
        assert claim.partner_id == partner.seeded["partnerId"]
        publications.record_published(claim, "post", clock())
        while claim := publications.claim_next(stage.DRIVER, clock()):
            assert claim.partner_id == partner.seeded["partnerId"]
    assert (
        publications.claim_next(stage.DRIVER, clock()).partner_id == (stranger.seeded["partnerId"])
    )


def test_of_two_publications_that_end_at_once_the_last_one_ends_the_production(
    partner, clock, frozen
):
    """Each would see the other one open, and the production would never end."""
    production_id = made_by(partner)
    stage.complete_steps(clock)
    held = []
    while claim := publications.claim_next(stage.DRIVER, clock()):
        held.append(claim)
    one, *others, last = held
    for each in others:
        publications.record_published(each, "post", clock())
    with ThreadPoolExecutor(1) as threads:
        with frozen(publications.record_published, one, "post", clock()):
            second = threads.submit(publications.record_published, last, "post", clock())
            until(lambda: waits_for_a_turn(second))
        second.result()
    assert lifecycle.find_status(production_id) == "Published"


def test_those_in_turn_wait_for_a_partner_and_let_others_pass(
    partner, stranger, frozen, monkeypatch
):
    """One in turn is alone; while it tries, a third transaction is not kept waiting for long."""

    def in_turn():
        with db.transaction():
            return plain_sql.row("SELECT count(*) FROM productions")[0]

    with ThreadPoolExecutor(1) as threads:
        with frozen(stranger.trigger) as hung:
            waiting = threads.submit(in_turn)
            until(lambda: waits_for_a_turn(waiting))
            assert partner.trigger().status_code == 202
            assert not waiting.done() and not hung.done()
        assert waiting.result() == 2


def test_of_two_triggers_at_once_a_ceiling_of_one_lets_one_through(partner, frozen):
    with db.transaction():
        plain_sql.execute("UPDATE customers SET concurrency_ceiling = 1")
    with ThreadPoolExecutor(1) as threads:
        with frozen(partner.trigger) as first:
            second = threads.submit(partner.trigger)
            until(lambda: waits_for_a_turn(second))
        assert sorted(each.result().status_code for each in (first, second)) == [202, 409]


def test_of_two_triggers_with_one_key_at_once_one_is_made(partner, frozen, monkeypatch):
    """They are of two processes: what each knows of its own requests does not count."""
    monkeypatch.setattr("svc.domain.access.idempotency._answering", NothingKept())
    key = {"Idempotency-Key": "one"}
    with ThreadPoolExecutor(1) as threads:
        with frozen(lambda: partner.trigger(headers=key)) as first:
            second = threads.submit(lambda: partner.trigger(headers=key))
            until(lambda: waits_for_a_turn(second))
        ids = {body(each.result())["productionId"] for each in (first, second)}
    assert len(ids) == plain_sql.row("SELECT count(*) FROM productions")[0] == 1


class NothingKept(set):
    def add(self, item):
        pass


def test_the_feed_of_a_partner_is_in_the_order_of_commits(partner, clock, frozen):
    (one, step), (other, next_step) = begun(partner, clock), begun(partner, clock)
    with ThreadPoolExecutor(1) as threads:
        with frozen(progress.complete_step, one, step, clock()):
            second = threads.submit(progress.complete_step, other, next_step, clock())
            until(lambda: waits_for_a_turn(second))
        second.result()
    rows = plain_sql.rows(EVENTS, (partner.seeded["partnerId"],))
    positions = [row["position"] for row in rows]
    assert len(set(positions)) == len(positions) == 4
    assert [row["production_id"] for row in rows[2:]] == [one.production_id, other.production_id]


def test_a_cancel_and_a_result_at_once_leave_one_ending(partner, clock, frozen):
    claim, step = begun(partner, clock)
    with ThreadPoolExecutor(1) as threads:
        with frozen(productions.request_cancel, claim.production_id, clock()):
            result = threads.submit(progress.complete_step, claim, step, clock())
            until(lambda: waits_for_a_turn(result))
        with pytest.raises(LostClaim):
            result.result()
    assert endings.finish_cancel(claim.production_id, clock())
    assert not endings.finish_cancel(claim.production_id, clock())
    assert lifecycle.find_status(claim.production_id) == "Cancelled"


def test_durations_of_two_partners_at_once_are_both_learnt(partner, stranger, clock, frozen):
    """The row is of all, and is changed after the commit: the second one measures first."""
    complete_one, complete_other = complete_step(partner, clock), complete_step(stranger, clock)
    with frozen(complete_one):
        complete_other()
    assert plain_sql.row("SELECT number FROM step_paces")[0] == 2


def test_a_measurement_that_was_overtaken_is_learnt_again(partner, stranger, clock, monkeypatch):
    """Another one measures between the read and the change, which compares."""
    complete_one, complete_other = complete_step(partner, clock), complete_step(stranger, clock)
    with_measurement = completion_estimates.Pace.with_measurement
    others = [complete_other]

    def overtaken(pace, size, took):
        while others:
            call = others.pop()
            with ThreadPoolExecutor(1) as threads:
                threads.submit(call).result()
        return with_measurement(pace, size, took)

    monkeypatch.setattr(completion_estimates.Pace, "with_measurement", overtaken)
    complete_one()
    assert plain_sql.row("SELECT number FROM step_paces")[0] == 2


def test_errors_of_estimates_at_once_are_both_averaged(partner, stranger, clock, frozen):
    with db.transaction():
        meta.put("estimate_error", 0)
    ends = [complete_last_step(each, clock) for each in (partner, stranger)]
    with db.transaction():
        plain_sql.execute("UPDATE productions SET promised_at = created_at")
    with frozen(ends[0]):
        ends[1]()
    assert float(meta.read_text("estimate_error")) == pytest.approx(0.19, abs=1e-4)


def test_a_transaction_of_a_partner_refuses_another_ones(partner, stranger):
    mine, others = (each.seeded["partnerId"] for each in (partner, stranger))
    with db.transaction(partner=mine):
        with db.transaction(partner=mine):
            pass
        with pytest.raises(RuntimeError, match="another one's"), db.transaction(partner=others):
            pass
    with db.transaction(), db.transaction(partner=mine), db.transaction(partner=mine):
        pass


def test_a_transaction_of_several_has_the_turns_that_are_free(partner, stranger, frozen):
    """It waits for nobody, and has each of them until it ends."""
    mine, others = (each.seeded["partnerId"] for each in (partner, stranger))
    with frozen(hold_turn_of(stranger)), db.transaction_of_free([mine, others]) as free:
        assert free == {mine}
        with db.transaction(partner=mine):
            pass
        with pytest.raises(RuntimeError, match="another one's"), db.transaction(partner=others):
            pass
        with ThreadPoolExecutor(1) as threads, pytest.raises(Busy):
            threads.submit(try_turn_of, mine).result()
    with db.transaction_of_free([mine, others]) as free:
        assert free == {mine, others}
        with pytest.raises(RuntimeError, match="inside no other"), db.transaction_of_free([mine]):
            pass


def try_turn_of(partner_id) -> None:
    with db.transaction(partner=partner_id, moment=0.001):
        pass


@pytest.fixture
def process(app, partner, stranger, clock, tmp_path_factory):
    """A function: a recorder of another process, with a request of each partner to write."""
    app.extensions["svc"].recorder.flush()  # what came before has no part in this

    def begin() -> Recorder:
        recorder = Recorder(tmp_path_factory.mktemp("journal"))
        for person in (partner, stranger):
            key, partner_id = plain_sql.row(
                "SELECT id, partner_id FROM api_keys WHERE partner_id = ?",
                (person.seeded["partnerId"],),
            )
            caller = SimpleNamespace(partner_id=partner_id, key_id=key, key_prefix="svc_live_x")
            budget = Budget(db.shared().number_request(), True, 60, 59, 0)
            recorder.begin(caller, budget, "GET", "/v1/a", "c", clock())
        return recorder

    begun = []
    yield lambda: begun.append(begin()) or begun[-1]
    for recorder in begun:
        recorder.stop()


def counted_of(*people) -> list[int]:
    rows = dict(map(tuple, plain_sql.rows("SELECT partner_id, counted FROM usage_days")))
    return [rows.get(person.seeded["partnerId"], 0) for person in people]


def count_delivery(person, clock) -> None:
    with db.transaction(partner=person.seeded["partnerId"]):
        counters.count_deliveries([(person.seeded["partnerId"], None, True, clock())])


@pytest.mark.parametrize("is_new", [True, False])
def test_a_recorder_that_hangs_holds_up_nobody(
    process, partner, stranger, clock, frozen, impatient, is_new
):
    """Not even those that count in the row of the same partner and day, be it new or not."""
    if not is_new:
        process().flush()
    before = counted_of(partner, stranger)
    with frozen(process().flush):
        impatient()
        count_delivery(partner, clock)
        with db.transaction():
            plain_sql.execute("UPDATE api_keys SET last_used_at = last_used_at")
    assert counted_of(partner, stranger) == [each + 1 for each in before]


def test_two_recorders_at_once_count_all(process, partner, stranger, frozen):
    one, other = process(), process()
    with frozen(one.flush):
        other.flush()
    assert counted_of(partner, stranger) == [2, 2]


def test_a_recorder_writes_while_a_writer_hangs(process, partner, stranger, frozen, impatient):
    def hang() -> None:
        with db.transaction():
            plain_sql.execute("UPDATE meta SET value = value")

    recorder = process()
    with frozen(hang):
        impatient()
        recorder.flush()
        assert counted_of(partner, stranger) == [1, 1]


def test_what_cannot_be_counted_now_is_counted_once_later(
    process, partner, stranger, clock, frozen
):
    """One hangs that has counted in the same row."""
    process().flush()
    recorder = process()
    with frozen(count_delivery, partner, clock):
        with pytest.raises(db.Error, match="lock timeout"):
            recorder.flush()
        assert counted_of(partner, stranger) == [1, 1]
    recorder.flush()
    assert counted_of(partner, stranger) == [2, 2]
