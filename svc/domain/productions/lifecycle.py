"""The life cycle of a production: the only module that changes its status, its claim and its ``updated_at``.

:data:`TRANSITIONS` is the state machine, and ``docs/architecture.md`` shows it. Every statement here is a compare and set:
it names the states, the condition and the claim that it expects, and the caller checks whether a row was changed. The effects
of a change (steps, publications, the ledger, events) are in ``progress``, ``endings`` and ``distribution``, which call this
module inside write().
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from svc.base import clock, states
from svc.base.states import AWAITING_APPROVAL, CANCELLED, DISTRIBUTING, FAILED, PRODUCING, PUBLISHED, QUEUED
from svc.store import claims, database
from svc.store.claims import LostClaim

NO_CLAIM = ""  # the claim token of a caller that holds none: no production has it
LEASE = 30 * clock.SECOND  # of a claim, which its holder renews while the step runs
REQUESTED, AWAITED, APPROVED = "Requested", "Awaited", "Approved"  # the review of a script: productions.review
DONE = "Done"  # or AWAITED: the translation of a brief: productions.translation
OWN_COLUMNS = frozenset({"status", "claim_token", "claim_boot", "claim_until", "updated_at"})
START, END = "<!-- transitions -->", "<!-- /transitions -->"  # around the table in docs/architecture.md


class Cause(StrEnum):
    """The event that moves a production from one status to another."""

    TRIGGERED = "triggered"
    STEP_COMPLETED = "step completed"
    LAST_STEP_COMPLETED = "last step completed"
    REOPENED = "reopened"
    PUBLISHING_STARTED = "publishing started"
    PUBLISHED = "published"
    STEP_FAILED = "step failed"
    EXPIRED = "expired"
    REJECTED = "rejected"
    SCRIPT_REJECTED = "script rejected"
    NOTHING_PUBLISHED = "nothing published"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class Condition:
    """A condition of a transition besides the status: as SQL, and in words for the documentation."""

    sql: str
    words: str


@dataclass(frozen=True)
class Transition:
    """A change from any status of ``sources`` to ``target``, allowed if ``condition`` holds. No source: a new production."""

    sources: tuple[str, ...]
    target: str
    condition: Condition


ALWAYS = Condition("TRUE", "the brief passes every gate")
HELD = Condition("claim_token = :token AND cancel_token IS NULL", "the caller holds the claim, and no cancel is requested")
UNCANCELLED = Condition("cancel_token IS NULL", "no cancel is requested")
UNRELEASED = Condition("released_at IS NULL AND cancel_token IS NULL", "it is not released, and no cancel is requested")
RELEASED = Condition("released_at IS NOT NULL AND cancel_token IS NULL", "it is released, and no cancel is requested")
REVIEWED = Condition(
    f"review = '{AWAITED}' AND cancel_token IS NULL", "its script awaits its review, and no cancel is requested"
)
CANCELLING = Condition("cancel_token IS NOT NULL", "a cancel is requested")

TRANSITIONS: Mapping[Cause, Transition] = {
    Cause.TRIGGERED: Transition((), QUEUED, ALWAYS),
    Cause.STEP_COMPLETED: Transition((QUEUED, PRODUCING), PRODUCING, HELD),
    Cause.LAST_STEP_COMPLETED: Transition((PRODUCING,), AWAITING_APPROVAL, HELD),
    Cause.REOPENED: Transition((AWAITING_APPROVAL,), PRODUCING, UNRELEASED),
    Cause.PUBLISHING_STARTED: Transition((AWAITING_APPROVAL,), DISTRIBUTING, RELEASED),
    Cause.PUBLISHED: Transition((DISTRIBUTING,), PUBLISHED, UNCANCELLED),
    Cause.STEP_FAILED: Transition((QUEUED, PRODUCING), FAILED, HELD),
    Cause.EXPIRED: Transition((QUEUED, PRODUCING, AWAITING_APPROVAL), FAILED, UNRELEASED),
    Cause.REJECTED: Transition((AWAITING_APPROVAL,), FAILED, UNCANCELLED),
    Cause.SCRIPT_REJECTED: Transition((PRODUCING,), FAILED, REVIEWED),
    Cause.NOTHING_PUBLISHED: Transition((DISTRIBUTING,), FAILED, UNCANCELLED),
    Cause.CANCELLED: Transition(states.OPEN, CANCELLED, CANCELLING),
}

_CHANGED = "updated_at = max(:now, updated_at + 1)"
_EFFECTS = {  # of a transition on claim and cancel, by target
    PRODUCING: ", claim_until = CASE WHEN claim_token IS NULL THEN NULL ELSE :until END",
    AWAITING_APPROVAL: f", {claims.FREED}",
    **dict.fromkeys(states.TERMINAL, f", {claims.FREED}, cancel_token = NULL, finished_at = :now"),
}
_HELD = f"id = :id AND status IN ('{QUEUED}', '{PRODUCING}') AND {HELD.sql}"
_REVIEWED = f"id = :id AND status = '{PRODUCING}' AND review = '{AWAITED}' AND cancel_token IS NULL"
# A production that a sandbox scenario holds in its status has no step to run: it is not claimed and leaves the queue.
_TAKE = f"""
    UPDATE productions SET claim_token = :token, claim_boot = :boot, claim_until = :until
    WHERE id = :id AND status IN ('{QUEUED}', '{PRODUCING}') AND held_in IS DISTINCT FROM status AND cancel_token IS NULL
      AND {claims.FREE}
"""
_GIVE_BACK = f"""
    UPDATE productions SET {claims.FREED}, not_before = CASE WHEN held_in = status THEN NULL ELSE not_before END
    WHERE id = :id AND claim_token = :token
"""


@dataclass(frozen=True)
class Claim:
    """The right to run one step of a production until the lease ends.

    ``cost``: the milliseconds that its partner was charged for that step; ``weight``: of the partner's tier.
    """

    production_id: str
    token: str
    partner_id: str
    correlation_id: str
    cost: float = 0.0
    weight: int = 1


def enter(columns: Mapping[str, Any], now: int) -> dict[str, Any]:
    """Insert a triggered production and return its row. ``columns``: all but :data:`OWN_COLUMNS`."""
    row = {**columns, "status": TRANSITIONS[Cause.TRIGGERED].target, "updated_at": now}
    database.insert("productions", row)
    return row


def move(production_id: str, cause: Cause, now: int, token: str = NO_CLAIM, **columns: Any) -> bool:
    """Make the transition of ``cause``; return False, with nothing changed, if its status or condition does not hold.

    Args:
        token: Of the claim, if the condition requires that the caller holds it.
        columns: Other columns to set.
    """
    transition = TRANSITIONS[cause]
    sources = ", ".join(f"'{status}'" for status in transition.sources)
    effects = _EFFECTS.get(transition.target, "") + _assignments(columns)
    moved = database.execute(
        f"UPDATE productions SET status = '{transition.target}', {_CHANGED}{effects} "
        f"WHERE id = :id AND status IN ({sources}) AND {transition.condition.sql}",
        {**columns, "id": production_id, "now": now, "until": now + LEASE, "token": token},
    )
    return bool(moved)


def take(production_id: str, token: str, boot: str, now: int) -> bool:
    """Claim a production for its next step, for one :data:`LEASE`; return False if it is claimed or has no step to run."""
    params = {"id": production_id, "token": token, "boot": boot, "until": now + LEASE, "now": now}
    return bool(database.execute(_TAKE, params))


def renew(claim: Claim, now: int, **columns: Any) -> None:
    """Extend the lease of a claim, and set ``columns`` that the status call shows. LostClaim: the claim does not hold."""
    _change_held(claim, f"claim_until = :until, {_CHANGED}{_assignments(columns)}", now, until=now + LEASE, **columns)


def set_held(claim: Claim, **columns: Any) -> None:
    """Set columns that the status call does not show. LostClaim: the claim does not hold."""
    _change_held(claim, _assignments(columns).removeprefix(", "), 0, **columns)


def await_review(claim: Claim, now: int) -> None:
    """Stop the production after the step that was just completed, until :func:`end_review`. LostClaim."""
    _change_held(claim, f"held_in = status, review = '{AWAITED}', estimated_at = NULL, {_CHANGED}", now)


def keep_approval(production_id: str) -> None:
    """Let a production that was triggered again go on without another review of its script, which was approved."""
    sql = f"UPDATE productions SET review = '{APPROVED}' WHERE id = ? AND review = '{REQUESTED}' AND status = '{QUEUED}'"
    database.execute(sql, (production_id,))


def touch_review(production_id: str, now: int) -> bool:
    """Record that what is reviewed has changed; return False if the production does not await a review."""
    return bool(database.execute(f"UPDATE productions SET {_CHANGED} WHERE {_REVIEWED}", {"id": production_id, "now": now}))


def end_review(production_id: str, now: int, held_in: str | None) -> bool:
    """Let a production go on; return False if it does not await a review. ``held_in``: where a scenario holds it later."""
    params = {"id": production_id, "now": now, "held": held_in, "later": None if held_in == PRODUCING else now}
    sql = f"UPDATE productions SET review = '{APPROVED}', held_in = :held, not_before = :later, {_CHANGED} WHERE {_REVIEWED}"
    return bool(database.execute(sql, params))


def end_translation(production_id: str, now: int, held_in: str | None, **columns: Any) -> bool:
    """Set the translated texts of a production and let it begin; return False if it does not await them.

    ``held_in``: where a scenario holds it.
    """
    later = None if held_in == QUEUED else now
    params = {**columns, "id": production_id, "now": now, "held": held_in, "later": later}
    sql = f"""
        UPDATE productions SET translation = '{DONE}', held_in = :held, not_before = :later, {_CHANGED}{_assignments(columns)}
        WHERE id = :id AND status = '{QUEUED}' AND translation = '{AWAITED}' AND cancel_token IS NULL
    """
    return bool(database.execute(sql, params))


def note_change(claim: Claim, now: int) -> None:
    """Record that a step of the production has changed. LostClaim: the claim does not hold."""
    _change_held(claim, _CHANGED, now)


def put_off(claim: Claim, now: int, not_before: int) -> None:
    """Release the claim, and keep the production unclaimed until ``not_before``. LostClaim: the claim does not hold."""
    _change_held(claim, f"{claims.FREED}, not_before = :later, step_fraction = 0, {_CHANGED}", now, later=not_before)


def give_back(claim: Claim) -> None:
    """Release the claim, if it still holds."""
    database.execute(_GIVE_BACK, {"id": claim.production_id, "token": claim.token})


def release_earlier_boots(driver: claims.Driver) -> int:
    """Release every claim of an earlier boot, whose process is gone as this one holds the lock; return their number."""
    sql = f"UPDATE productions SET {claims.FREED} WHERE {claims.OF_EARLIER_BOOTS}"
    return database.execute(sql, {"boot": driver.boot, "place": driver.place})


def release_of(boot: str) -> int:
    """Release every claim of a process that gives no sign of life; return their number. Its late results change nothing."""
    sql = f"UPDATE productions SET {claims.FREED} WHERE claim_token IS NOT NULL AND claim_boot = ?"
    return database.execute(sql, (boot,))


def held(tokens: list[str]) -> set[str]:
    """Return those claim tokens whose claim still holds: it is of nobody else, and no cancel is requested."""
    sql = f"""
        SELECT claim_token FROM productions WHERE claim_token IN (SELECT value FROM json_each(?)) AND cancel_token IS NULL
          AND status IN ('{QUEUED}', '{PRODUCING}')
    """
    return {row["claim_token"] for row in database.rows(sql, (json.dumps(tokens),))}


def release(production_id: str, now: int) -> bool:
    """Mark a production that awaits approval as released; return False if it does not await approval."""
    sql = f"UPDATE productions SET released_at = :now, {_CHANGED} WHERE id = :id AND status = :status AND {UNRELEASED.sql}"
    return bool(database.execute(sql, {"id": production_id, "now": now, "status": AWAITING_APPROVAL}))


def request_cancel(production_id: str, now: int, correlation_id: str | None) -> bool:
    """Record that a cancel is requested; return False if one is already, or the production has ended."""
    sql = f"""
        UPDATE productions SET cancel_token = :token, cancel_requested_at = :now,
            cancel_correlation_id = :correlation, {_CHANGED}
        WHERE id = :id AND cancel_token IS NULL AND status IN {states.OPEN}
    """
    return bool(
        database.execute(sql, {"id": production_id, "token": claims.new_token(), "now": now, "correlation": correlation_id})
    )


def touch(production_id: str, now: int) -> None:
    """Record a change that the status call shows, such as of a publication."""
    database.execute(f"UPDATE productions SET {_CHANGED} WHERE id = :id", {"id": production_id, "now": now})


def status_of(production_id: str) -> str | None:
    """Return the status of a production; None: there is no such production."""
    row = database.row("SELECT status FROM productions WHERE id = ?", (production_id,))
    return row["status"] if row else None


def _change_held(claim: Claim, assignments: str, now: int, **params: Any) -> None:
    params |= {"id": claim.production_id, "token": claim.token, "now": now}
    if not database.execute(f"UPDATE productions SET {assignments} WHERE {_HELD}", params):
        raise LostClaim(claim.production_id)


def _assignments(columns: Mapping[str, Any]) -> str:
    """Return SQL that sets the caller's ``columns``. ValueError: one of them is reserved for this module."""
    if not OWN_COLUMNS.isdisjoint(columns):
        raise ValueError(f"svc.domain.productions.lifecycle alone sets {', '.join(sorted(OWN_COLUMNS & columns.keys()))}")
    return "".join(f", {name} = :{name}" for name in columns)


def table_as_markdown() -> str:
    """Return :data:`TRANSITIONS` as the Markdown table of ``docs/architecture.md``."""
    lines = ["| from | to | cause | only if |", "|---|---|---|---|"]
    for cause, transition in TRANSITIONS.items():
        sources = ", ".join(f"`{status}`" for status in transition.sources) or "(new)"
        lines.append(f"| {sources} | `{transition.target}` | {cause} | {transition.condition.words} |")
    return "\n".join(lines)
