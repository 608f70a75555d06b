"""The life cycle of a production: the only module that changes its status, its claim and its
``updated_at``.

:data:`TRANSITIONS` is the state machine, and ``docs/architecture.md`` shows it. Every statement
here is a compare and set: it names the states, the condition and the claim that it expects, and the
caller checks whether a row was changed. The effects of a change (steps, publications, the ledger,
events) are in ``progress``, ``endings`` and ``distribution``, which call this module inside
a transaction.
"""

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from svc.base import clock, states
from svc.base.states import (
    AWAITING_APPROVAL,
    CANCELLED,
    DISTRIBUTING,
    FAILED,
    PRODUCING,
    PUBLISHED,
    QUEUED,
)
from svc.store import claims
from svc.store.claims import LostClaim
from svc.store.database import Row
from svc.store.expressions import SQL, Case, elements, greatest, is_distinct
from svc.store.models.productions import Production, ShownProduction
from svc.store.queries import Insertion, Prepared, slot, slots

NO_CLAIM = ""  # the claim token of a caller that holds none: no production has it
LEASE = 30 * clock.SECOND  # of a claim, which its holder renews while the step runs
# The values of productions.review: how far the review of a script is.
REQUESTED, AWAITED, APPROVED = "Requested", "Awaited", "Approved"
DONE = "Done"  # or AWAITED: the translation of a brief: productions.translation
ENDED = "Ended"  # shown in place of AWAITED when the production ended before its translation
OWN_COLUMNS = frozenset({"status", "claim_token", "claim_boot", "claim_until", "updated_at"})
# The marks around the table in docs/architecture.md.
START, END = "<!-- transitions -->", "<!-- /transitions -->"


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


@dataclass(frozen=True, eq=False)
class Condition:
    """A condition of a transition besides the status: for a query,
    and in words for the documentation.
    """

    holds: Any
    words: str


@dataclass(frozen=True)
class Transition:
    """A change from any status of ``sources`` to ``target``, allowed if ``condition`` holds.

    No source: a new production.
    """

    sources: tuple[str, ...]
    target: str
    condition: Condition


_UNCANCELLED = Production.cancel_token.is_null()
ALWAYS = Condition(SQL("TRUE"), "the brief passes every gate")
HELD = Condition(
    (Production.claim_token == slot("token")) & _UNCANCELLED,
    "the caller holds the claim, and no cancel is requested",
)
UNCANCELLED = Condition(_UNCANCELLED, "no cancel is requested")
UNRELEASED = Condition(
    Production.released_at.is_null() & _UNCANCELLED,
    "it is not released, and no cancel is requested",
)
RELEASED = Condition(
    Production.released_at.is_null(False) & _UNCANCELLED,
    "it is released, and no cancel is requested",
)
REVIEWED = Condition(
    (Production.review == AWAITED) & _UNCANCELLED,
    "its script awaits its review, and no cancel is requested",
)
CANCELLING = Condition(Production.cancel_token.is_null(False), "a cancel is requested")

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
    Cause.CANCELLED: Transition(states.OPEN_STATES, CANCELLED, CANCELLING),
}

_CHANGED = {"updated_at": greatest(slot("now"), Production.updated_at + 1)}
_STILL_CLAIMED = Case(None, [(Production.claim_token.is_null(), None)], slot("until"))
_ENDED = {**claims.UNCLAIMED, "cancel_token": None, "finished_at": slot("now")}
_EFFECTS: dict[str, dict[str, Any]] = {  # of a transition on claim and cancel, by target
    PRODUCING: {"claim_until": _STILL_CLAIMED},
    AWAITING_APPROVAL: claims.UNCLAIMED,
    **dict.fromkeys(states.TERMINAL_STATES, _ENDED),
}
_THIS_ONE = Production.id == slot("id")
_IS_MADE = Production.status.in_((QUEUED, PRODUCING))
_HELD = _THIS_ONE & _IS_MADE & HELD.holds
_REVIEWED = _THIS_ONE & (Production.status == PRODUCING) & REVIEWED.holds
# A production that a sandbox scenario holds in its status has no step to run: it is not claimed and
# leaves the queue.
_TAKE = Prepared(
    Production.update(
        claim_token=slot("token"), claim_boot=slot("boot"), claim_until=slot("until")
    ).where(
        _THIS_ONE,
        _IS_MADE,
        is_distinct(Production.held_in, Production.status),
        _UNCANCELLED,
        Production.claim_token.is_null(),  # one whose lease has expired is counted as lost first
    )
)
_STAYS_IN_QUEUE = Case(
    None, [(Production.held_in == Production.status, None)], Production.not_before
)
_GIVE_BACK = Prepared(
    Production.update(**claims.UNCLAIMED, not_before=_STAYS_IN_QUEUE).where(
        _THIS_ONE, Production.claim_token == slot("token")
    )
)
_AWAIT_REVIEW = Prepared(
    Production.update(
        **_CHANGED, held_in=Production.status, review=AWAITED, estimated_at=None
    ).where(_HELD)
)
_KEEP = Prepared(Production.update(claim_token=slot("token")).where(_HELD))
_NOTE_CHANGE = Prepared(Production.update(_CHANGED).where(_HELD))
_PUT_OFF = Prepared(
    Production.update(
        **claims.UNCLAIMED,
        **_CHANGED,
        not_before=Case(
            None, [(Production.held_in == Production.status, None)], slot("later").cast("bigint")
        ),
        step_fraction=0,
    ).where(_HELD)
)
_KEEP_APPROVAL = Prepared(
    Production.update(review=APPROVED).where(
        _THIS_ONE, Production.review == REQUESTED, Production.status == QUEUED
    )
)
_TOUCH_REVIEW = Prepared(Production.update(_CHANGED).where(_REVIEWED))
_END_REVIEW = Prepared(
    Production.update(
        **_CHANGED, review=APPROVED, held_in=slot("held"), not_before=slot("later")
    ).where(_REVIEWED)
)
_RELEASE_EARLIER_BOOTS = Prepared(
    Production.update(claims.UNCLAIMED).where(claims.is_of_earlier_boots(Production))
)
_RELEASE_OF = Prepared(
    Production.update(claims.UNCLAIMED).where(
        Production.claim_token.is_null(False), Production.claim_boot == slot("boot")
    )
)
_STILL_HELD = Prepared(
    Production.select(Production.claim_token).where(
        Production.claim_token.in_(elements(slot("tokens"))), _UNCANCELLED, _IS_MADE
    )
)
_RELEASE = Prepared(
    Production.update(**_CHANGED, released_at=slot("now")).where(
        _THIS_ONE, Production.status == AWAITING_APPROVAL, UNRELEASED.holds
    )
)
_REQUEST_CANCEL = Prepared(
    Production.update(
        **_CHANGED,
        cancel_token=slot("token"),
        cancel_requested_at=slot("now"),
        cancel_correlation_id=slot("correlation"),
    ).where(_THIS_ONE, _UNCANCELLED, Production.status.in_(states.OPEN_STATES))
)
_TOUCH = Prepared(Production.update(_CHANGED).where(_THIS_ONE))
_BRING_EXPIRY_BACK = Prepared(
    Production.update(
        **_CHANGED, expires_at=Production.expires_at + slot("jump").cast("bigint")
    ).where(
        Production.id > slot("since"),  # ids begin with the time: a range of the table
        _IS_MADE | (Production.status == AWAITING_APPROVAL),
        Production.expires_at.is_null(False),
    )
)
_STATUS = Prepared(Production.select(Production.status).where(_THIS_ONE))
_PARTNER = Prepared(Production.select(Production.partner_id).where(_THIS_ONE))


@dataclass(frozen=True)
class Claim:
    """The right to run one step of a production until the lease ends.

    ``cost``: the milliseconds that its partner was charged for that step; ``weight``: of the
    partner's tier.
    """

    production_id: str
    token: str
    partner_id: str
    correlation_id: str
    cost: float = 0.0
    weight: int = 1


def insert_production(columns: Mapping[str, Any], now: int) -> dict[str, Any]:
    """Insert a triggered production and return its row.

    ``columns``: all but :data:`OWN_COLUMNS`.
    """
    row = {**columns, "status": TRANSITIONS[Cause.TRIGGERED].target, "updated_at": now}
    _make_insertion(*row).execute([tuple(row.values())])
    return row


@functools.cache
def _make_insertion(*columns: str) -> Insertion:
    # Its values are given in order: by name, so many take 7 µs more.
    return Insertion([getattr(Production, column) for column in columns])


def move(production_id: str, cause: Cause, now: int, token: str = NO_CLAIM, **columns: Any) -> bool:
    """Make the transition of ``cause``; return False, with nothing changed, if its status or
    condition does not hold.

    Args:
        token: Of the claim, if the condition requires that the caller holds it.
        columns: Other columns to set.
    """
    transition = TRANSITIONS[cause]
    values = {**columns, "id": production_id, "now": now}
    if transition.target == PRODUCING:
        values["until"] = now + LEASE
    if transition.condition is HELD:
        values["token"] = token
    return bool(_transition_query(cause, *columns).execute(**values))


@functools.cache
def _transition_query(cause: Cause, *columns: str) -> Prepared[Row]:
    """Return the query of a transition that also sets ``columns``."""
    transition = TRANSITIONS[cause]
    effects = {**_CHANGED, **_EFFECTS.get(transition.target, {}), **_make_caller_slots(*columns)}
    return Prepared(
        Production.update(**effects, status=transition.target).where(
            _THIS_ONE, Production.status.in_(transition.sources), transition.condition.holds
        )
    )


def claim_production(production_id: str, token: str, boot: str, now: int) -> bool:
    """Claim a production for its next step, for one :data:`LEASE`;
    return False if it is claimed or has no step to run.
    """
    return bool(_TAKE.execute(id=production_id, token=token, boot=boot, until=now + LEASE))


def renew_lease(claim: Claim, now: int, **columns: Any) -> None:
    """Extend the lease of a claim, and set ``columns`` that the status call shows.

    LostClaim: the claim does not hold.
    """
    _change_held(claim, _renewal_query(*columns), now=now, until=now + LEASE, **columns)


@functools.cache
def _renewal_query(*columns: str) -> Prepared[Row]:
    changes = {**_CHANGED, "claim_until": slot("until"), **_make_caller_slots(*columns)}
    return Prepared(Production.update(changes).where(_HELD))


def set_held(claim: Claim, **columns: Any) -> None:
    """Set columns that the status call does not show. LostClaim: the claim does not hold."""
    _change_held(claim, _setting_query(*columns), **columns)


@functools.cache
def _setting_query(*columns: str) -> Prepared[Row]:
    return Prepared(Production.update(_make_caller_slots(*columns)).where(_HELD))


def await_review(claim: Claim, now: int) -> None:
    """Stop the production after the step that was just completed, until :func:`end_review`.

    LostClaim.
    """
    _change_held(claim, _AWAIT_REVIEW, now=now)


def is_review_awaited(row: ShownProduction) -> bool:
    """Return whether a person is to review the script of a production. The column stays as it was
    when the production ends.
    """
    return (
        row["review"] == AWAITED
        and row["status"] == PRODUCING
        and row["cancel_requested_at"] is None
    )


def is_translation_awaited(row: ShownProduction) -> bool:
    """Return whether a person is to translate the brief of a production, likewise."""
    return (
        row["translation"] == AWAITED
        and row["status"] == QUEUED
        and row["cancel_requested_at"] is None
    )


def keep_approval(production_id: str) -> None:
    """Let a production that was triggered again go on without another review of its script,
    which was approved.
    """
    _KEEP_APPROVAL.execute(id=production_id)


def note_review_change(production_id: str, now: int) -> bool:
    """Record that what is reviewed has changed; return False if the production does not
    await a review.
    """
    return bool(_TOUCH_REVIEW.execute(id=production_id, now=now))


def end_review(production_id: str, now: int, held_in: str | None) -> bool:
    """Let a production go on; return False if it does not await a review.

    ``held_in``: where a scenario holds it later.
    """
    later = None if held_in == PRODUCING else now
    return bool(_END_REVIEW.execute(id=production_id, now=now, held=held_in, later=later))


def end_translation(production_id: str, now: int, held_in: str | None, **columns: Any) -> bool:
    """Set the translated texts of a production and let it begin; return False if it does not await
    them.

    ``held_in``: where a scenario holds it.
    """
    later = None if held_in == QUEUED else now
    query = _translation_end_query(*columns)
    return bool(query.execute(**columns, id=production_id, now=now, held=held_in, later=later))


@functools.cache
def _translation_end_query(*columns: str) -> Prepared[Row]:
    changes = {
        **_CHANGED,
        "translation": DONE,
        "held_in": slot("held"),
        "not_before": slot("later"),
    }
    return Prepared(
        Production.update(changes | _make_caller_slots(*columns)).where(
            _THIS_ONE, Production.status == QUEUED, Production.translation == AWAITED, _UNCANCELLED
        )
    )


def keep_claim(claim: Claim) -> None:
    """Let the claim be as it is until the transaction ends. LostClaim: it does not hold."""
    _change_held(claim, _KEEP)


def note_change(claim: Claim, now: int) -> None:
    """Record that a step of the production has changed. LostClaim: the claim does not hold."""
    _change_held(claim, _NOTE_CHANGE, now=now)


def postpone(claim: Claim, now: int, not_before: int) -> None:
    """Release the claim, and keep the production unclaimed until ``not_before``.

    LostClaim: the claim does not hold.
    """
    _change_held(claim, _PUT_OFF, now=now, later=not_before)


def release_claim(claim: Claim) -> None:
    """Release the claim, if it still holds."""
    _GIVE_BACK.execute(id=claim.production_id, token=claim.token)


def release_earlier_boots(driver: claims.Driver) -> int:
    """Release every claim of an earlier boot, whose process is gone as this one holds the lock;
    return their number.
    """
    return _RELEASE_EARLIER_BOOTS.execute(boot=driver.boot, place=driver.place)


def release_claims_of(boot: str) -> int:
    """Release every claim of a process that gives no sign of life; return their number.

    Its late results change nothing.
    """
    return _RELEASE_OF.execute(boot=boot)


def list_held(tokens: list[str]) -> set[str]:
    """Return those claim tokens whose claim still holds: it is of nobody else,
    and no cancel is requested.
    """
    return {row["claim_token"] for row in _STILL_HELD.rows(tokens=json.dumps(tokens))}


def release(production_id: str, now: int) -> bool:
    """Mark a production that awaits its release as released;
    return False if it does not await its release.
    """
    return bool(_RELEASE.execute(id=production_id, now=now))


def request_cancel(production_id: str, now: int, correlation_id: str | None) -> bool:
    """Record that a cancel is requested; return False if one is already,
    or the production has ended.
    """
    token = claims.make_token()
    return bool(
        _REQUEST_CANCEL.execute(id=production_id, token=token, now=now, correlation=correlation_id)
    )


def note_visible_change(production_id: str, now: int) -> None:
    """Record a change that the status call shows, such as of a publication."""
    _TOUCH.execute(id=production_id, now=now)


def bring_expiry_back(jump: int, since: str, now: int) -> None:
    """Let productions expire earlier that were triggered by a clock that was ahead: they wait for
    their release no longer than they had to.

    ``jump``: the milliseconds by which the clock was set back, negative; ``since``: the lowest id
    that such a production may have.
    """
    _BRING_EXPIRY_BACK.execute(jump=jump, since=since, now=now)


def find_status(production_id: str) -> str | None:
    """Return the status of a production; None: there is no such production."""
    status: str | None = _STATUS.value(id=production_id)
    return status


def find_partner(production_id: str) -> str | None:
    """Return the partner of a production, which stays the same; None: there is no such
    production.
    """
    partner_id: str | None = _PARTNER.value(id=production_id)
    return partner_id


def _change_held(claim: Claim, change: Prepared[Row], **values: Any) -> None:
    if not change.execute(**values, id=claim.production_id, token=claim.token):
        raise LostClaim(claim.production_id)


def _make_caller_slots(*columns: str) -> dict[str, Any]:
    """Return what sets the caller's ``columns``.

    ValueError: one of them is reserved for this module.
    """
    if not OWN_COLUMNS.isdisjoint(columns):
        raise ValueError(
            "svc.domain.lifecycle.lifecycle alone sets "
            f"{', '.join(sorted(OWN_COLUMNS & {*columns}))}"
        )
    return slots(*columns)


def format_table() -> str:
    """Return :data:`TRANSITIONS` as the Markdown table of ``docs/architecture.md``."""
    lines = ["| from | to | cause | only if |", "|---|---|---|---|"]
    for cause, transition in TRANSITIONS.items():
        sources = ", ".join(f"`{status}`" for status in transition.sources) or "(new)"
        lines.append(
            f"| {sources} | `{transition.target}` | {cause} | {transition.condition.words} |"
        )
    return "\n".join(lines)
