"""The queue of steps: decides which production's step runs next. No other module knows the rule.

Partners take turns by weight (start-time fair queueing: Goyal, Vin and Cheng 1996): each has a ``turn``, a virtual time in
milliseconds of work divided by the weight of its tier, and the lowest is next. A partner that was idle joins at the
present virtual time: it is next at once, but accumulates no credit. In order of importance:

1. productions that an operator moved to the front;
2. partners that leave a worker free before one that would occupy all workers;
3. live before sandbox;
4. the lowest turn, and within a partner the production that has waited longest.

``productions.not_before`` is the time from which the next step may run, and orders the partner's queue; NULL: a sandbox
scenario holds the production, so there is no step to run.
"""

import functools
import json

from svc.base import ids, states, voices
from svc.base.errors import Conflict, NotFound, NotYours
from svc.base.steps import SPEAKING, STEPS
from svc.base.text.languages import FURTHER
from svc.domain import rows
from svc.domain.people import audit
from svc.domain.people.users import Viewer
from svc.domain.productions import lifecycle, stages
from svc.domain.productions.lifecycle import Claim
from svc.domain.tables.productions import Production, QueuedProduction, QueuePause, QueueShare
from svc.domain.tiers import RENDER_WEIGHTS
from svc.store import claims, database, meta, wake

FRONT, LIVE, SANDBOX = 0, 1, 2  # productions.lane
_UNKNOWN_COST = 1000.0  # milliseconds charged for a step until one of its kind has been measured

WEIGHT = f"CASE a.tier {' '.join(f'WHEN {name!r} THEN {weight}' for name, weight in RENDER_WEIGHTS.items())} ELSE 1 END"
STEP_NAMES = frozenset(name for name, _ in STEPS)
ALL = STEP_NAMES.union(voices.OPTIONAL, FURTHER)  # what a process can run that lacks nothing: steps, voice models, languages
_SPEAKING = tuple(position for position, (name, _) in enumerate(STEPS) if name in SPEAKING)
_SIGN = 10_000  # milliseconds for which a process is taken for alive after its last sign
# Exactly the condition of the index, so that SQLite uses it.
OPEN = "status IN ('Queued', 'Producing')"
# All partners with open productions, found by one index lookup each.
PARTNERS = f"""
    waiting (partner_id) AS (
        SELECT min(partner_id) FROM productions WHERE {OPEN}
        UNION ALL SELECT (SELECT min(p.partner_id) FROM productions p WHERE p.{OPEN} AND p.partner_id > w.partner_id)
        FROM waiting w WHERE w.partner_id IS NOT NULL
    ),
    lanes (lane) AS (VALUES ({FRONT}), ({LIVE}), ({SANDBOX}))
"""
_NEXT = f"""
    WITH RECURSIVE {PARTNERS}, running (partner_id, number) AS (
        SELECT partner_id, count(*) FROM productions
        WHERE claim_token IS NOT NULL AND claim_until > :now GROUP BY partner_id
    )
    SELECT p.id, p.partner_id, p.correlation_id, p.claim_token, p.steps_complete, {WEIGHT} AS weight,
        :ceiling AS ceiling
    FROM waiting w CROSS JOIN lanes l CROSS JOIN productions p ON p.id = (
        SELECT c.id FROM productions c
        WHERE c.{OPEN} AND c.partner_id = w.partner_id AND c.lane = l.lane AND c.not_before <= :now
          AND c.held_in IS DISTINCT FROM c.status AND c.cancel_token IS NULL
          AND (c.claim_token IS NULL OR c.claim_until <= :now){{can_run}}
        ORDER BY c.not_before, c.id LIMIT 1
    )
    JOIN partners a ON a.id = w.partner_id
    LEFT JOIN render_queues q ON q.partner_id = w.partner_id LEFT JOIN running r ON r.partner_id = w.partner_id
    WHERE q.paused_at IS NULL AND coalesce(r.number, 0) < :ceiling
    ORDER BY CASE WHEN l.lane = {FRONT} THEN 0 WHEN coalesce(r.number, 0) < :share THEN 1 ELSE 2 END, l.lane,
        CASE WHEN coalesce(q.turn, 0) > :turn THEN q.turn ELSE :turn END, p.not_before, p.id LIMIT 1
"""
# Read again in the transaction of a claim, as other machines claim too. The name belongs to svc.store.meta.
_PRESENT = """
    SELECT (SELECT count(*) FROM productions WHERE claim_token IS NOT NULL AND claim_until > :now AND partner_id = :partner)
            AS running,
        coalesce((SELECT turn FROM render_queues WHERE partner_id = :partner), 0) AS turn,
        coalesce((SELECT value FROM meta WHERE name = 'queue_turn'), '0') AS turn_of_all
"""
_SET_TURN = """
    INSERT INTO render_queues (partner_id, turn) VALUES (?, ?) ON CONFLICT (partner_id) DO UPDATE SET turn = excluded.turn
"""
_SET_PAUSE = """
    INSERT INTO render_queues (partner_id, paused_at) VALUES (?, ?)
    ON CONFLICT (partner_id) DO UPDATE SET paused_at = excluded.paused_at
"""
_COUNT = f"""
    WITH RECURSIVE {PARTNERS}
    SELECT w.partner_id, a.name, a.tier, {WEIGHT} AS weight, q.paused_at,
        (SELECT count(*) FROM productions p WHERE p.{OPEN} AND p.partner_id = w.partner_id AND p.not_before IS NOT NULL)
            AS waiting,
        (SELECT count(*) FROM productions p WHERE p.claim_token IS NOT NULL AND p.partner_id = w.partner_id) AS running
    FROM (
        SELECT partner_id FROM waiting UNION SELECT partner_id FROM render_queues WHERE paused_at IS NOT NULL
    ) AS w JOIN partners a ON a.id = w.partner_id LEFT JOIN render_queues q ON q.partner_id = w.partner_id
    ORDER BY a.name, w.partner_id
"""
_PAUSES = """
    SELECT q.partner_id, a.name, q.paused_at FROM render_queues q JOIN partners a ON a.id = q.partner_id
    WHERE q.paused_at IS NOT NULL AND (:partner IS NULL OR q.partner_id = :partner) ORDER BY q.paused_at, q.partner_id LIMIT 20
"""


def lane_of(environment: str) -> int:
    """Return the lane of a production. ``environment``: of its account, 'live' or 'sandbox'."""
    return SANDBOX if environment == "sandbox" else LIVE


def claim_next(
    driver: claims.Driver, now: int, workers: int = 1, ceiling: int = 0, can_run: frozenset[str] = ALL
) -> tuple[Claim | None, bool]:
    """Lease the production whose step is next; return its claim, or None, and whether it replaces an expired lease.

    Args:
        workers: The number of steps that this process runs concurrently; those of other machines are added.
        ceiling: How many of all of them one partner may use; 0: all of them, while no other partner waits.
        can_run: The names of the steps that this process may run, of the models of svc.base.voices.OPTIONAL that it has, and
            the codes of further languages (svc.base.text.languages) that it speaks. A production that wants another model waits
            for a living process that has it, if there is one; one in another further language, for one that speaks it.
    """
    while (chosen := _choose(now, workers, ceiling, can_run)) is not None:
        if (claim := _take(driver, chosen, now)) is not None:
            return claim, chosen["claim_token"] is not None
    return None, False


def _take(driver: claims.Driver, chosen: database.Row, now: int) -> Claim | None:
    """Lease the chosen production; None: it is claimed or cancelled meanwhile, or its partner has reached the ceiling."""
    token, partner_id = claims.new_token(), chosen["partner_id"]
    with database.write(durable=False):
        present = database.one(_PRESENT, {"partner": partner_id, "now": now})
        if present["running"] >= chosen["ceiling"] or not lifecycle.take(chosen["id"], token, driver.boot, now):
            return None
        cost, start = _cost(chosen["steps_complete"]), max(float(present["turn_of_all"]), present["turn"])
        database.execute(_SET_TURN, (partner_id, start + cost / chosen["weight"]))
        meta.put("queue_turn", start)
    return Claim(chosen["id"], token, partner_id, chosen["correlation_id"], cost, chosen["weight"])


def is_waiting(now: int, ceiling: int = 0) -> bool:
    """Return whether a step waits that some process could run now."""
    return _choose(now, 1, ceiling, ALL) is not None


def _choose(now: int, workers: int, ceiling: int, can_run: frozenset[str]) -> database.Row | None:
    """Return the production whose step is next; None: there is none, or the queue is paused."""
    values = meta.texts("queue_paused", "queue_turn", "render_workers")
    if "queue_paused" in values:
        return None
    workers = max(workers, int(values.get("render_workers", 0)))  # of all machines
    turn, share = float(values.get("queue_turn", 0)), max(1, workers - 1)
    return database.row(_next(can_run), {"now": now, "turn": turn, "ceiling": ceiling or workers, "share": share})


@functools.cache
def _next(can_run: frozenset[str]) -> str:
    able = [position for position, (name, _) in enumerate(STEPS) if name in can_run]
    steps = "" if can_run >= STEP_NAMES else f" AND c.steps_complete IN ({', '.join(map(str, able)) or 'NULL'})"
    models = "".join(_left_to_others(model) for model in voices.OPTIONAL if model not in can_run)
    return _NEXT.format(can_run=steps + _in_languages_of(can_run) + models)


def _in_languages_of(can_run: frozenset[str]) -> str:
    """Return the condition that leaves out productions in further languages that a process does not speak."""
    strange = [f"'{ids.named('language', code)}'" for code in FURTHER if code not in can_run]
    return f" AND c.language_id NOT IN ({', '.join(strange)})" if strange else ""


def _left_to_others(model: str) -> str:
    """Return the condition that leaves the speaking steps to a living process that has a model, if there is one."""
    return f"""
          AND (c.voice_model IS DISTINCT FROM '{model}' OR c.steps_complete NOT IN {_SPEAKING} OR NOT EXISTS (
              SELECT 1 FROM workers k WHERE k.steps > 0 AND k.seen_at > :now - {_SIGN}
                AND k.can_run LIKE '%"{model}"%' AND k.can_run LIKE '%"narration"%' AND k.can_run LIKE '%"description"%'))"""


def give_back(claim: Claim, took: float | None = None) -> None:
    """Release a claim, so that any process can run the next step.

    ``took``: milliseconds that the step ran, charged to the partner in place of the expected cost; None: it did not run.
    """
    with database.write(durable=False):
        lifecycle.give_back(claim)
        database.announce()  # another machine may be free for it
        database.execute(
            "UPDATE render_queues SET turn = turn + ? WHERE partner_id = ?",
            (((took or 0.0) - claim.cost) / claim.weight, claim.partner_id),
        )


def _cost(steps_complete: int) -> float:
    """Return the average duration of the next step in milliseconds, at least 1."""
    name = STEPS[steps_complete][0] if steps_complete < len(STEPS) else ""
    row = database.row("SELECT mean_ms FROM step_paces WHERE step = ?", (name,))
    return max(1.0, row["mean_ms"]) if row else _UNKNOWN_COST


def paused_at(partner_id: str | None = None) -> int | None:
    """Return when the queue of a partner (None: the whole queue) was paused; None: it is not paused."""
    if partner_id is None:
        return meta.number("queue_paused")
    row = database.row("SELECT paused_at FROM render_queues WHERE partner_id = ?", (partner_id,))
    return row["paused_at"] if row else None


def pause(viewer: Viewer, partner_id: str | None, now: int) -> None:
    """Start no further step of a partner (None: of all partners) until :func:`resume`; running steps finish.

    NotFound: there is no such partner; NotYours: the viewer is not an operator.
    """
    _switch(viewer, partner_id, now, True)


def resume(viewer: Viewer, partner_id: str | None, now: int) -> None:
    """Undo :func:`pause`; the errors are the same."""
    _switch(viewer, partner_id, now, False)


def _switch(viewer: Viewer, partner_id: str | None, now: int, paused: bool) -> None:
    if not viewer.is_operator:
        raise NotYours("Only operators pause the queue.")
    name = "The whole queue" if partner_id is None else _name(partner_id)
    if (paused_at(partner_id) is not None) == paused:
        return
    action = "queue.pause" if paused else "queue.resume"
    with audit.entered(viewer.actor, action, name, now, subject_id=partner_id, partner_id=partner_id):
        if partner_id is not None:
            database.execute(_SET_PAUSE, (partner_id, now if paused else None))
        elif paused:
            meta.put("queue_paused", now)
        else:
            meta.remove("queue_paused")
        wake.on_commit()


def _name(partner_id: str) -> str:
    row = database.row("SELECT name FROM partners WHERE id = ?", (partner_id,))
    if row is None:
        raise NotFound(f"There is no partner {partner_id[:40]!r}.")
    return str(row["name"])


def move_to_front(viewer: Viewer, production: Production, now: int) -> None:
    """Run the steps of a production before all others.

    NotYours: the viewer is not an operator; Conflict: the production has no steps left to run.
    """
    if not viewer.is_operator:
        raise NotYours("Only operators move productions to the front of the queue.")
    with audit.entered(
        viewer.actor,
        "production.front",
        production["title"],
        now,
        subject_id=production["id"],
        partner_id=production["partner_id"],
    ):
        moved = database.execute(
            f"UPDATE productions SET lane = {FRONT} WHERE id = ? AND {OPEN} AND cancel_token IS NULL", (production["id"],)
        )
        if not moved:
            state = production["status"]
            raise Conflict(f"Only a queued or running production can be moved to the front; this one is {state}.")
        wake.on_commit()


def being_made(production_ids: list[str]) -> set[str]:
    """Return the ids of those productions that still have steps to run."""
    sql = f"SELECT id FROM productions WHERE id IN (SELECT value FROM json_each(?)) AND {OPEN}"
    return {row["id"] for row in database.rows(sql, (json.dumps(production_ids),))}


def all_being_made() -> list[str]:
    """Return the ids of all productions that still have steps to run, and of which no cancel is requested."""
    return [row["id"] for row in database.rows(f"SELECT id FROM productions WHERE {OPEN} AND cancel_token IS NULL")]


def overview() -> list[QueueShare]:
    """Return each partner with open productions or a paused queue; ``waiting`` includes the running ones."""
    return rows.every(QueueShare, _COUNT)


def pauses(partner_id: str | None) -> list[QueuePause]:
    """Return the pauses that keep productions of a partner (None: of any) waiting, that of the whole queue first."""
    whole = paused_at()
    found: list[QueuePause] = [] if whole is None else [{"partner_id": None, "name": None, "paused_at": whole}]
    return found + rows.every(QueuePause, _PAUSES, {"partner": partner_id})


def pause_of(production: QueuedProduction, pauses: list[QueuePause]) -> QueuePause | None:
    """Return the pause because of which no step of a production is run; None: its step runs, or it waits for something else."""
    if production["claim_token"] or production["cancel_token"] or production["held_in"] == production["status"]:
        return None
    if stages.of(production) not in (states.QUEUED, states.PRODUCING):
        return None
    return next((each for each in pauses if each["partner_id"] in (None, production["partner_id"])), None)
