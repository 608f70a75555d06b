"""The queue of steps: decides which production's step runs next. No other module knows the rule.

Partners take turns by weight (start-time fair queueing: Goyal, Vin and Cheng 1996): each has a
``turn``, a virtual time in milliseconds of work divided by the weight of its tier, and the lowest
is next. A partner that was idle joins at the present virtual time: it is next at once, but
accumulates no credit. In order of importance:

1. productions that an operator moved to the front;
2. partners that leave a worker free before one that would occupy all workers;
3. live before sandbox;
4. the lowest turn, and within a partner the production that has waited longest.

A running step gives way only to a live production of a partner that runs none and has waited for
:data:`PATIENCE` (:func:`find_step_to_put_back`). What it has rendered is kept.

``productions.not_before`` is the time from which the next step may run, and orders the partner's
queue; NULL: a sandbox scenario holds the production, so there is no step to run.
"""

import functools
import json
from collections import Counter
from collections.abc import Collection
from typing import Any

from svc.base import clock, ids, states, voices
from svc.base.errors import Conflict, NotFound, NotYours
from svc.base.steps import SPEAKING_STEPS, STEPS
from svc.base.text.languages import FURTHER
from svc.domain.audit import audit
from svc.domain.lifecycle import lifecycle, losses, stages, step_queues
from svc.domain.lifecycle.lifecycle import Claim
from svc.domain.people.users import Viewer
from svc.domain.tables.productions import Production as ProductionRow
from svc.domain.tables.productions import QueuedProduction, QueuePause, QueueShare
from svc.domain.tiers import RENDER_WEIGHTS
from svc.store import claims, meta, newer_schema, wake
from svc.store.database import MOMENT, Busy, Row, db
from svc.store.expressions import (
    JOIN,
    SQL,
    Case,
    Select,
    elements,
    fn,
    is_distinct,
    table_of_constants,
)
from svc.store.models.partners import Partner
from svc.store.models.productions import Production, ProductionStep, RenderQueue, StepPace
from svc.store.models.service import NamedValue
from svc.store.queries import Prepared, slot, slots

FRONT, LIVE, SANDBOX = 0, 1, 2  # productions.lane
# How many milliseconds a step is waited for: most end sooner, and one that is put back begins anew.
PATIENCE = 2 * clock.SECOND
_UNKNOWN_COST = 1000.0  # milliseconds charged for a step until one of its kind has been measured

WEIGHT = Case(Partner.tier, list(RENDER_WEIGHTS.items()), 1)
STEP_NAMES = frozenset(name for name, _ in STEPS)
# What a process can run that lacks nothing: steps, voice models and languages.
ALL_ABILITIES = STEP_NAMES.union(voices.OPTIONAL, FURTHER)
_SPEAKING = tuple(position for position, (name, _) in enumerate(STEPS) if name in SPEAKING_STEPS)
# Exactly the condition of the index, so that SQLite uses it.
_IS_OPEN = Production.status.in_((states.QUEUED, states.PRODUCING))
_FIRST = Production.select(fn.min(Production.partner_id)).where(_IS_OPEN)
_KNOWN = _FIRST.cte("waiting", recursive=True, columns=("partner_id",))
_LATER = _FIRST.where(Production.partner_id > _KNOWN.c.partner_id)
# All partners with open productions, found by one index lookup each.
WAITING_STEPS = _KNOWN.union_all(
    Select((_KNOWN,), (_LATER,)).where(_KNOWN.c.partner_id.is_null(False))
)
LANES = table_of_constants("lanes", "lane", (FRONT, LIVE, SANDBOX))
_IS_CLAIMED = Production.claim_token.is_null(False)
_RUNS = _IS_CLAIMED & (Production.claim_until > slot("now"))
_NUMBER = fn.count(SQL("1"))
_RUNNING = (
    Production.select(Production.partner_id, _NUMBER)
    .where(_RUNS)
    .group_by(Production.partner_id)
    .cte("running", columns=("partner_id", "number"))
)
_RUNNING_STEPS = Prepared(
    Production.select(
        Production.claim_token,
        Production.partner_id,
        Production.lane,
        Production.cancel_token,
        fn.coalesce(
            ProductionStep.select(ProductionStep.started_at).where(
                ProductionStep.production_id == Production.id,
                ProductionStep.position == Production.steps_complete,
            ),
            0,
        ).alias("started_at"),
    ).where(_RUNS)
)
_CANDIDATE = Production.alias("candidate")
_NAMED = NamedValue.select(NamedValue.value)
_OF_PARTNER = RenderQueue.partner_id == slot("partner_id")
# Read again in the transaction of a claim, as other machines claim too. The name belongs to
# svc.store.meta.
_PRESENT = Prepared(
    Select(
        columns=(
            Production.select(_NUMBER)
            .where(_RUNS, Production.partner_id == slot("partner_id"))
            .alias("running"),
            fn.coalesce(RenderQueue.select(RenderQueue.turn).where(_OF_PARTNER), 0).alias("turn"),
            fn.coalesce(_NAMED.where(NamedValue.name == "queue_turn"), "0").alias("turn_of_all"),
        )
    )
)
# One that was overtaken by others' claims changes nothing.
_RAISE_TURN = Prepared(
    NamedValue.insert(name="queue_turn", value=slot("turn").cast("text")).on_conflict(
        conflict_target=[NamedValue.name],
        preserve=[NamedValue.value],
        where=NamedValue.value.cast("double precision") < slot("turn"),
    )
)
_SET_TURN = Prepared(
    RenderQueue.insert(slots("partner_id", "turn")).on_conflict(
        conflict_target=[RenderQueue.partner_id], preserve=[RenderQueue.turn]
    )
)
_SET_PAUSE = Prepared(
    RenderQueue.insert(slots("partner_id", "paused_at")).on_conflict(
        conflict_target=[RenderQueue.partner_id], preserve=[RenderQueue.paused_at]
    )
)
_CHARGE = Prepared(
    RenderQueue.update(turn=RenderQueue.turn + slot("milliseconds")).where(_OF_PARTNER)
)
_PAUSED_AT = Prepared(RenderQueue.select(RenderQueue.paused_at).where(_OF_PARTNER))
_COST = Prepared(StepPace.select(StepPace.mean_ms).where(StepPace.step == slot("step")))
_NAME = Prepared(Partner.select(Partner.name).where(Partner.id == slot("id")))
_MOVE_TO_FRONT = Prepared(
    Production.update(lane=FRONT).where(
        Production.id == slot("id"), _IS_OPEN, Production.cancel_token.is_null()
    )
)
_BEING_MADE = Prepared(
    Production.select(Production.id).where(Production.id.in_(elements(slot("ids"))), _IS_OPEN)
)
_ALL_BEING_MADE = Prepared(
    Production.select(Production.id).where(_IS_OPEN, Production.cancel_token.is_null())
)
_IS_PAUSED = RenderQueue.paused_at.is_null(False)
_SHOWN = (
    Select((WAITING_STEPS,), (WAITING_STEPS.c.partner_id,))
    | RenderQueue.select(RenderQueue.partner_id).where(_IS_PAUSED)
).alias("shown")
_OF_SHOWN = Production.partner_id == _SHOWN.c.partner_id
_COUNT = Prepared(
    Select(
        (_SHOWN,),
        (
            _SHOWN.c.partner_id,
            Partner.name,
            Partner.tier,
            WEIGHT.alias("weight"),
            RenderQueue.paused_at,
            Production.select(_NUMBER)
            .where(_IS_OPEN, _OF_SHOWN, Production.not_before.is_null(False))
            .alias("waiting"),
            Production.select(_NUMBER).where(_IS_CLAIMED, _OF_SHOWN).alias("running"),
        ),
    )
    .join(Partner, on=Partner.id == _SHOWN.c.partner_id)
    .join(RenderQueue, JOIN.LEFT_OUTER, on=RenderQueue.partner_id == _SHOWN.c.partner_id)
    .order_by(Partner.name, _SHOWN.c.partner_id)
    .with_cte(WAITING_STEPS),
    QueueShare,
)
_PAUSED = (
    RenderQueue.select(RenderQueue.partner_id, Partner.name, RenderQueue.paused_at)
    .join(Partner, on=Partner.id == RenderQueue.partner_id)
    .where(_IS_PAUSED)
    .order_by(RenderQueue.paused_at, RenderQueue.partner_id)
    .limit(20)
)
_PAUSES = Prepared(_PAUSED, QueuePause)
_PAUSES_OF_PARTNER = Prepared(_PAUSED.where(_OF_PARTNER), QueuePause)


def find_lane(environment: str) -> int:
    """Return the lane of a production. ``environment``: of its account, 'live' or 'sandbox'."""
    return SANDBOX if environment == "sandbox" else LIVE


def claim_next(
    driver: claims.Driver,
    now: int,
    workers: int = 1,
    ceiling: int = 0,
    can_run: frozenset[str] = ALL_ABILITIES,
) -> Claim | None:
    """Lease the production whose step is next; return its claim, or None.

    Args:
        workers: The number of steps that this process runs concurrently; those of other machines
            are added.
        ceiling: How many of all of them one partner may use; 0: all of them, while no other partner
            waits.
        can_run: The names of the steps that this process may run, of the models of
            svc.base.voices.OPTIONAL that it has, and the codes of further languages
            (svc.base.text.languages) that it speaks. A production that wants another model waits
            for a living process that has it, if there is one; one in another further language, for
            one that speaks it.

    ProgramOld: the schema is too new for this program, which takes no more work.
    """
    # Partners for which another process is claiming a step or writing, and may hang: others are
    # next. A claim is waited for only if there is nothing else to do.
    busy: set[str] = set()
    waits = False
    while (chosen := _choose_production(now, workers, ceiling, can_run, busy)) is not None or (
        busy and not waits
    ):
        if chosen is None:
            busy, waits = set(), True
        else:
            try:
                if chosen["claim_token"] is not None:
                    losses.release_expired(chosen["id"], chosen["claim_token"], now, MOMENT)
                elif (claim := _lease_production(driver, chosen, now, waits)) is not None:
                    return claim
            except Busy:
                busy.add(chosen["partner_id"])
    return None


def _lease_production(driver: claims.Driver, chosen: Row, now: int, waits: bool) -> Claim | None:
    """Lease the chosen production; None: it is claimed or cancelled meanwhile,
    or its partner has reached the ceiling.

    Only claims of the same partner exclude each other, and only its rows are changed: a process
    that hangs here holds up no other partner. ``waits``: rather than raise Busy.
    """
    token, partner_id = claims.make_token(), chosen["partner_id"]
    with db.transaction(durable=False, in_turn=False):
        if not db.reserve(f"claims of {partner_id}", waits):
            raise Busy(partner_id)
        present = _PRESENT.one(partner_id=partner_id, now=now)
        if present["running"] >= chosen["ceiling"] or not lifecycle.claim_production(
            chosen["id"], token, driver.boot, now
        ):
            return None
        cost = _estimate_step_cost(chosen["steps_complete"])
        start = max(float(present["turn_of_all"]), present["turn"])
        _SET_TURN.execute(partner_id=partner_id, turn=start + cost / chosen["weight"])
        if not driver.place:
            meta.put("queue_turn", start)
    if driver.place:
        # By itself, as all wait for this row: if this process is lost before, the virtual time
        # goes on with the next claim.
        with db.separate_connection() as connection:
            _RAISE_TURN.execute_by(connection, turn=start)
    return Claim(chosen["id"], token, partner_id, chosen["correlation_id"], cost, chosen["weight"])


def find_step_to_put_back(
    now: int, workers: int, ceiling: int = 0, can_run: frozenset[str] = ALL_ABILITIES
) -> str | None:
    """Return the claim token of the running step that is to give way to a live production of
    another partner; None: none is.

    A step may take long, and sandbox steps cost nothing: without this, two of them would keep
    everybody's live productions waiting. The steps of the partner that runs most give way, sandbox
    before live, the newest first. The last live step of a partner goes on, and so does what an
    operator moved to the front. The arguments are those of :func:`claim_next`.
    """
    running = _RUNNING_STEPS.rows(now=now)
    if len(running) < max(workers, meta.read_number("render_workers") or 0):
        return None  # a worker is free
    waiting = _choose_production(now, workers, ceiling, can_run)
    if (
        waiting is None
        or waiting["lane"] == SANDBOX
        or waiting["running"]
        or waiting["not_before"] > now - PATIENCE
    ):
        return None
    if any(each["cancel_token"] for each in running):
        return None  # its worker is about to be free
    number = Counter(each["partner_id"] for each in running)
    may_give_way = [
        each
        for each in running
        if each["lane"] == SANDBOX or (each["lane"] == LIVE and number[each["partner_id"]] > 1)
    ]
    if not may_give_way:
        return None
    newest = max(
        may_give_way,
        key=lambda each: (
            each["lane"],
            number[each["partner_id"]],
            each["started_at"],
            each["claim_token"],
        ),
    )
    token: str = newest["claim_token"]
    return token


def _choose_production(
    now: int,
    workers: int,
    ceiling: int,
    can_run: frozenset[str],
    but: Collection[str] = (),
) -> Row | None:
    """Return the production whose step is next; None: there is none, or the queue is paused.

    ``but``: partners that are left out. ProgramOld: the schema is too new for this program.
    """
    values = meta.read_texts("oldest_program", "queue_paused", "queue_turn", "render_workers")
    newer_schema.require_known(values.get("oldest_program"))
    if "queue_paused" in values:
        return None
    workers = max(workers, int(values.get("render_workers", 0)))  # of all machines
    turn, share = float(values.get("queue_turn", 0)), max(1, workers - 1)
    more = {"but": json.dumps([*but])} if but else {}
    return _next_query(can_run, bool(but)).row(
        now=now, turn=turn, ceiling=ceiling or workers, share=share, **more
    )


@functools.cache
def _next_query(can_run: frozenset[str], leaves_out: bool = False) -> Prepared[Row]:
    """Return the query of the production whose step is next, for a process that can run these.

    ``leaves_out``: some partners.
    """
    first = (
        _CANDIDATE.select(_CANDIDATE.id)
        .where(
            _CANDIDATE.status.in_((states.QUEUED, states.PRODUCING)),
            _CANDIDATE.partner_id == WAITING_STEPS.c.partner_id,
            _CANDIDATE.lane == LANES.c.lane,
            _CANDIDATE.not_before <= slot("now"),
            is_distinct(_CANDIDATE.held_in, _CANDIDATE.status),
            _CANDIDATE.cancel_token.is_null(),
            claims.is_free(_CANDIDATE),
            *_list_conditions(can_run),
        )
        .order_by(_CANDIDATE.not_before, _CANDIDATE.id)
        .limit(1)
    )
    number, turn = fn.coalesce(_RUNNING.c.number, 0), fn.coalesce(RenderQueue.turn, 0)
    ahead = Case(None, [(LANES.c.lane == FRONT, 0), (number < slot("share"), 1)], 2)
    own_turn = Case(None, [(turn > slot("turn"), RenderQueue.turn)], slot("turn"))
    query = (
        Select(
            (WAITING_STEPS,),
            (
                Production.id,
                Production.partner_id,
                Production.correlation_id,
                Production.claim_token,
                Production.steps_complete,
                Production.lane,
                Production.not_before,
                number.alias("running"),
                WEIGHT.alias("weight"),
                slot("ceiling").alias("ceiling"),
            ),
        )
        .join(LANES, JOIN.CROSS)
        .join(Production, JOIN.CROSS)
        .join(Partner, on=Partner.id == WAITING_STEPS.c.partner_id)
        .join(RenderQueue, JOIN.LEFT_OUTER, on=RenderQueue.partner_id == WAITING_STEPS.c.partner_id)
        .join(_RUNNING, JOIN.LEFT_OUTER, on=_RUNNING.c.partner_id == WAITING_STEPS.c.partner_id)
        .where(Production.id == first, RenderQueue.paused_at.is_null(), number < slot("ceiling"))
        .order_by(ahead, LANES.c.lane, own_turn, Production.not_before, Production.id)
        .limit(1)
        .with_cte(WAITING_STEPS, LANES, _RUNNING)
    )
    if leaves_out:
        query = query.where(WAITING_STEPS.c.partner_id.not_in(elements(slot("but"))))
    return Prepared(query)


def _list_conditions(can_run: frozenset[str]) -> list[Any]:
    """Return the conditions of the productions whose next step a process can run."""
    conditions = [
        _make_reserve_condition(model) for model in voices.OPTIONAL if model not in can_run
    ]
    if not can_run >= STEP_NAMES:
        able = [position for position, (name, _) in enumerate(STEPS) if name in can_run]
        conditions.append(_CANDIDATE.steps_complete.in_(able))
    if strange := [ids.derive_id("language", code) for code in FURTHER if code not in can_run]:
        conditions.append(_CANDIDATE.language_id.not_in(strange))
    return conditions


def _make_reserve_condition(model: str) -> Any:
    """Return the condition that leaves the speaking steps to a living process that has a model,
    if there is one.
    """
    another = step_queues.query_speaking_processes(model)
    is_other = is_distinct(_CANDIDATE.voice_model, model)
    return is_other | _CANDIDATE.steps_complete.not_in(_SPEAKING) | ~fn.EXISTS(another)


def release_claim(claim: Claim, took: float | None = None) -> None:
    """Release a claim, so that any process can run the next step.

    ``took``: milliseconds that the step ran, charged to the partner in place of the expected cost;
    None: it did not run.
    """
    with db.transaction(durable=False, in_turn=False):
        lifecycle.release_claim(claim)
        more = ((took or 0.0) - claim.cost) / claim.weight
        _CHARGE.execute(partner_id=claim.partner_id, milliseconds=more)


def _estimate_step_cost(steps_complete: int) -> float:
    """Return the average duration of the next step in milliseconds, at least 1."""
    name = STEPS[steps_complete][0] if steps_complete < len(STEPS) else ""
    mean = _COST.value(step=name)
    return _UNKNOWN_COST if mean is None else max(1.0, mean)


def find_pause_time(partner_id: str | None = None) -> int | None:
    """Return when the queue of a partner (None: the whole queue) was paused;
    None: it is not paused.
    """
    if partner_id is None:
        return meta.read_number("queue_paused")
    at: int | None = _PAUSED_AT.value(partner_id=partner_id)
    return at


def pause(viewer: Viewer, partner_id: str | None, now: int) -> None:
    """Start no further step of a partner (None: of all partners) until :func:`resume`; running
    steps finish.

    NotFound: there is no such partner; NotYours: the viewer is not an operator.
    """
    _switch_pause(viewer, partner_id, now, True)


def resume(viewer: Viewer, partner_id: str | None, now: int) -> None:
    """Undo :func:`pause`; the errors are the same."""
    _switch_pause(viewer, partner_id, now, False)


def _switch_pause(viewer: Viewer, partner_id: str | None, now: int, paused: bool) -> None:
    if not viewer.is_operator:
        raise NotYours("Only operators pause the queue.")
    name = "The whole queue" if partner_id is None else _find_partner_name(partner_id)
    if (find_pause_time(partner_id) is not None) == paused:
        return
    action = "queue.pause" if paused else "queue.resume"
    with audit.recording(
        viewer.actor, action, name, now, subject_id=partner_id, partner_id=partner_id
    ):
        if partner_id is not None:
            _SET_PAUSE.execute(partner_id=partner_id, paused_at=now if paused else None)
        elif paused:
            meta.put("queue_paused", now)
        else:
            meta.remove("queue_paused")
        wake.wake_on_commit()  # a job for each step that is ready now follows within a second


def _find_partner_name(partner_id: str) -> str:
    name = _NAME.value(id=partner_id)
    if name is None:
        raise NotFound(f"There is no partner {partner_id[:40]!r}.")
    return str(name)


def move_to_front(viewer: Viewer, production: ProductionRow, now: int) -> None:
    """Run the steps of a production before all others.

    NotYours: the viewer is not an operator; Conflict: the production has no steps left to run.
    """
    if not viewer.is_operator:
        raise NotYours("Only operators move productions to the front of the queue.")
    with audit.recording(
        viewer.actor,
        "production.front",
        production["title"],
        now,
        subject_id=production["id"],
        partner_id=production["partner_id"],
    ):
        if not _MOVE_TO_FRONT.execute(id=production["id"]):
            state = production["status"]
            raise Conflict(
                "Only a queued or running production can be moved to the front; this one is "
                f"{state}."
            )
        wake.wake_on_commit()


def list_unfinished_of(production_ids: list[str]) -> set[str]:
    """Return the ids of those productions that still have steps to run."""
    return {row["id"] for row in _BEING_MADE.rows(ids=json.dumps(production_ids))}


def list_unfinished() -> list[str]:
    """Return the ids of all productions that still have steps to run,
    and of which no cancel is requested.
    """
    return [row["id"] for row in _ALL_BEING_MADE.rows()]


def list_shares() -> list[QueueShare]:
    """Return each partner with open productions or a paused queue;
    ``waiting`` includes the running ones.
    """
    return _COUNT.rows()


def list_pauses(partner_id: str | None) -> list[QueuePause]:
    """Return the pauses that keep productions of a partner (None: of any) waiting,
    that of the whole queue first.
    """
    whole = find_pause_time()
    pauses: list[QueuePause] = (
        [] if whole is None else [{"partner_id": None, "name": None, "paused_at": whole}]
    )
    if partner_id is None:
        return pauses + _PAUSES.rows()
    return pauses + _PAUSES_OF_PARTNER.rows(partner_id=partner_id)


def find_pause(production: QueuedProduction, pauses: list[QueuePause]) -> QueuePause | None:
    """Return the pause because of which no step of a production is run; None: its step runs,
    or it waits for something else.
    """
    if (
        production["claim_token"]
        or production["cancel_token"]
        or production["held_in"] == production["status"]
    ):
        return None
    if stages.find_stage(production) not in (states.QUEUED, states.PRODUCING):
        return None
    return next(
        (each for each in pauses if each["partner_id"] in (None, production["partner_id"])), None
    )
