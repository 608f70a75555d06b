"""What people do to productions: trigger, retry, release, reject, cancel; each is entered in the audit log."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from svc.base import states
from svc.base.errors import CommandError, Conflict, NotFound, NotYours
from svc.base.text.text_rules import is_storable
from svc.domain import form_fields, rows, tables
from svc.domain.partners import status as partner_status
from svc.domain.people import audit
from svc.domain.people.users import Viewer
from svc.domain.productions import briefs, distribution, productions, render_queue
from svc.domain.productions import detail as production_detail
from svc.domain.productions.briefs import Brief
from svc.domain.productions.detail import WholeProduction
from svc.domain.usage.model_costs import Prices
from svc.store import database

RETRIED = frozenset((states.FAILED, states.CANCELLED))
LONGEST_REASON = 500

_ACCOUNTS = """
    SELECT * FROM accounts WHERE partner_id = :partner AND status IN ('Active', 'Pilot')
      AND (:everywhere OR environment = 'sandbox') ORDER BY created_at, id LIMIT 200
"""


def text(longest: int, shortest: int = 0) -> form_fields.Reader:
    """Text that can be stored and shown, as the API takes it; lines end as the API's do, and its ends are trimmed."""

    def reader(given: str) -> str | None:
        kept = given.replace("\r\n", "\n").strip()
        if not is_storable(kept):
            raise ValueError("Leave out control characters.")
        if not shortest <= len(kept) <= longest:
            raise ValueError(f"Give {shortest} to {longest:,} characters; this is {len(kept):,}.")
        return kept or None

    return reader


_BRIEF: dict[str, form_fields.Reader] = {
    "topic": text(briefs.TOPIC.longest, briefs.TOPIC.shortest), "languageId": str, "countryId": str, "avatarId": str,
    "projectTypeSlug": lambda given: given or None, "subjectOverride": text(briefs.SUBJECT.longest),
    "metadataMD": text(briefs.METADATA.longest),
}  # fmt: skip
_NAMES = {
    "topic": "topic", "languageId": "language_id", "countryId": "country_id", "avatarId": "avatar_id",
    "projectTypeSlug": "project_type", "subjectOverride": "subject_override", "metadataMD": "metadata_md",
}  # fmt: skip


def read(given: Mapping[str, str]) -> Brief:
    """The brief that somebody typed, under the API's names. InvalidRequest: names each field that is wrong."""
    typed = form_fields.read(_BRIEF, {name: given.get(name, "") for name in _BRIEF})
    return Brief(**{_NAMES[name]: value for name, value in typed.items()})


def accounts(viewer: Viewer, partner_id: str) -> list[tables.Account]:
    """Where this person may trigger productions of a partner: an operator everywhere, its people in its sandboxes.

    What is live is triggered with a live key, which the operator alone hands out (specification, "Authentication" 3).
    """
    if not (viewer.sees(partner_id) and viewer.may_change):
        return []
    return rows.every(tables.Account, _ACCOUNTS, {"partner": partner_id, "everywhere": viewer.is_operator})


def trigger(viewer: Viewer, account_id: str, given: Mapping[str, str], now: int, correlation_id: str, prices: Prices) -> str:
    """Trigger a production that no API call asked for, through the gates of the API; its id.

    ``prices``: what configured models charge. NotFound, NotYours: of the account; InvalidRequest; the refusals of the gates.
    """
    account = account_of(viewer, account_id)
    partner_status.require_active(account["partner_id"])
    if not may_trigger(viewer, account):
        raise NotYours("People of a partner trigger productions in its sandboxes; live ones are triggered with a live key.")
    return _trigger(viewer, account, read(given), now, correlation_id, prices, "production.trigger")


def account_of(viewer: Viewer, account_id: str) -> tables.Account:
    """An account that this person may see. NotFound."""
    found = rows.first(tables.Account, "SELECT * FROM accounts WHERE id = ?", (account_id,))
    if found is None or not viewer.sees(found["partner_id"]):
        raise NotFound("There is no such account.")
    return found


def may_trigger(viewer: Viewer, account: tables.Account | WholeProduction) -> bool:
    """Whether this person may have productions of an account made. ``account`` has its environment."""
    return viewer.is_operator or (viewer.may_change and account["environment"] == "sandbox")


def _trigger(
    viewer: Viewer, account: tables.Account, brief: Brief, now: int, correlation_id: str, prices: Prices, action: str,
    retried: str | None = None,
) -> str:  # fmt: skip
    screening = productions.screen(account["id"], brief)
    with database.write():
        made = productions.trigger(
            account, brief, now, correlation_id=correlation_id, ttl_hours=None, prices=prices, screening=screening
        )
        if retried:
            sql = "UPDATE productions SET retry_of = ? WHERE id = ?"
            database.execute(sql, (retried, made.production_id))
        audit.record(
            viewer.actor, action, json.loads(made.text)["title"], now, subject_id=made.production_id,
            partner_id=account["partner_id"],
            after={"account": account["name"], "retryOf": retried} if retried else {"account": account["name"]},
        )  # fmt: skip
    return made.production_id


def retry(viewer: Viewer, production_id: str, now: int, correlation_id: str, prices: Prices) -> str:
    """Take up the brief of a production that failed or was cancelled as a new one, which names the old; its id.

    NotFound, NotYours, PartnerNotActive, Conflict: it is in another state; the refusals of the gates.
    """
    found = production_detail.find(viewer.partner_id, production_id)
    account = rows.one(tables.Account, "SELECT * FROM accounts WHERE id = ?", (found["account_id"],))
    partner_status.require_active(account["partner_id"])
    if not may_trigger(viewer, account):
        raise NotYours("Trigger this one again with a live key; in the console a partner's people retry in its sandboxes.")
    if found["status"] not in RETRIED:
        raise Conflict(f"Only a production that failed or was cancelled can be retried; this one is {found['status']}.")
    brief = Brief(
        found["topic"], found["language_id"], found["country_id"], found["avatar_id"], found["project_type"],
        found["metadata_md"], found["subject_override"], found["external_id"],
    )  # fmt: skip
    return _trigger(viewer, account, brief, now, correlation_id, prices, "production.retry", production_id)


def release(viewer: Viewer, production_id: str, now: int) -> None:
    """Let a production be published. NotFound, NotYours: operators alone; Conflict: it does not await approval."""
    found = _for_operator(viewer, production_id)
    with _entered(viewer, "production.release", found, now):
        distribution.release(production_id, now)


def reject(viewer: Viewer, production_id: str, reason: str, now: int) -> None:
    """Refuse to publish a production; the partner is told the reason. As :func:`release`; InvalidRequest: no reason."""
    found = _for_operator(viewer, production_id)
    reason = form_fields.read({"reason": text(LONGEST_REASON, 1)}, {"reason": reason})["reason"]
    with _entered(viewer, "production.reject", found, now, after={"reason": reason}):
        distribution.reject(production_id, reason, now)


def cancel(viewer: Viewer, production_id: str, now: int, correlation_id: str | None = None) -> None:
    """Stop a production, whoever triggered it. NotFound, NotYours, AlreadyTerminal, CancelInProgress."""
    found = production_detail.find(viewer.partner_id, production_id)
    if not viewer.may_change:
        raise NotYours()
    with _entered(viewer, "production.cancel", found, now):
        productions.request_cancel(production_id, now, correlation_id)


def move_to_front(viewer: Viewer, production_id: str, now: int) -> None:
    """Have a production made before every other. NotFound, NotYours: operators alone; Conflict: it is not being made."""
    render_queue.move_to_front(viewer, production_detail.find(viewer.partner_id, production_id), now)


def allowed(viewer: Viewer, production: WholeProduction) -> set[str]:
    """What this person may do to a production in its present state: of release, reject, front, cancel, retry."""
    status, found = production["status"], set()
    waits = status == states.AWAITING_APPROVAL and production["released_at"] is None
    if production["cancel_token"] is None and viewer.may_change and status not in states.TERMINAL:
        found.add("cancel")
        if waits and viewer.is_operator:
            found |= {"release", "reject"}
        if status in (states.QUEUED, states.PRODUCING) and production["lane"] != render_queue.FRONT and viewer.is_operator:
            found.add("front")
    if status in RETRIED and may_trigger(viewer, production):
        found.add("retry")
    return found


def _for_operator(viewer: Viewer, production_id: str) -> WholeProduction:
    found = production_detail.find(viewer.partner_id, production_id)
    if not viewer.is_operator:
        raise NotYours("Only operators release and reject productions.")
    return found


@contextmanager
def _entered(
    viewer: Viewer, action: str, production: WholeProduction, now: int, after: dict[str, Any] | None = None
) -> Iterator[None]:
    """As audit.entered; what the command line would be told is a Conflict for whoever sits at a page."""
    more = {"subject_id": production["id"], "partner_id": production["partner_id"], "after": after}
    try:
        with audit.entered(viewer.actor, action, production["title"], now, **more):
            yield
    except CommandError as refused:
        raise Conflict(str(refused)) from refused
