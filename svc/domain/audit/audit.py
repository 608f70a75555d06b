"""The audit log: who changed what and when, with the values before and after."""

import functools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from svc.base import clock
from svc.domain.audit import audit_chain
from svc.domain.paging import Page
from svc.domain.tables.partners import Account
from svc.domain.tables.people import AuditEntry
from svc.store.database import db
from svc.store.expressions import LAST_CHARACTER
from svc.store.models import people as models
from svc.store.queries import Prepared, slot

# What an action is done to, which is the first word of its name. The first kinds are in the part
# of the log that a partner's own people read, the others only in that of the operators.
KINDS_OF_PARTNERS = (
    "account",
    "avatar",
    "batch",
    "connection",
    "customer",
    "key",
    "partner",
    "platform",
    "production",
    "project-type",
    "publication",
    "script",
    "template",
    "translation",
    "user",
    "webhook",
)
KINDS = (*KINDS_OF_PARTNERS, "alert", "audit", "files", "key-ring", "maintenance", "queue", "rule")


@dataclass(frozen=True, slots=True)
class Actor:
    """The person who acts: a user of the console, or a user of the command line (``id`` None)."""

    id: str | None
    name: str


@dataclass(slots=True)
class Entry:
    """What the block of :func:`recording` says about its action. ``subject``: the name of what the
    action changes; values that are equal in ``before`` and ``after`` are left out.
    """

    subject: str | None = None
    subject_id: str | None = None
    partner_id: str | None = None
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None
    is_omitted: bool = False

    def describe(
        self,
        subject: str,
        *,
        subject_id: str | None = None,
        partner_id: str | None = None,
        before: dict[str, Any] | None = None,
        after: dict[str, Any] | None = None,
    ) -> None:
        """Describe what the action changes, once the block knows."""
        self.subject, self.subject_id, self.partner_id = subject, subject_id, partner_id
        self.before, self.after = before, after

    def describe_account(
        self,
        account: Account,
        *,
        before: dict[str, Any] | None = None,
        after: dict[str, Any] | None = None,
    ) -> None:
        """Say what the action changes of an account."""
        self.describe(
            account["name"],
            subject_id=account["id"],
            partner_id=account["partner_id"],
            before=before,
            after=after,
        )

    def omit(self) -> None:
        """Record nothing, because nothing was changed."""
        self.is_omitted = True


@contextmanager
def recording(
    actor: Actor,
    action: str,
    subject: str | None,
    now: int,
    *,
    subject_id: str | None = None,
    partner_id: str | None = None,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
    in_turn_of: str | None = None,
) -> Iterator[Entry]:
    """Run the block and record its action in the same transaction; an exception rolls both back.

    Args:
        actor: Who acts.
        action: What for, such as "key.revoke".
        subject: The name of what the action changes; None: the block describes the entry.
        now: The time (ms).
        subject_id: The id of what the action changes.
        partner_id: The partner whom it concerns, and whose people may read the entry.
        before: The values before the change.
        after: The values after it.
        in_turn_of: The partner to whom all belongs that the block changes, or counts on as it reads
            it (``db.transaction``); None: it runs alone of all writers.

    Raises:
        ValueError: The block ends without a word about what it changed, or ``KINDS`` lacks the
            action's kind, by which people look for it.
    """
    kind = action.partition(".")[0]
    if kind not in KINDS:
        raise ValueError(f"{action} is of no kind of audited actions; add {kind} to audit.KINDS")
    entry = Entry(subject, subject_id, partner_id, before, after)
    with db.transaction(partner=in_turn_of):
        yield entry
        if not entry.is_omitted:
            _append_entry(actor, action, entry, now)


def _append_entry(actor: Actor, action: str, entry: Entry, now: int) -> None:
    if entry.subject is None:
        raise ValueError(f"{action} describes no subject; describe or omit its entry")
    before, after = entry.before, entry.after
    if before is not None and after is not None:
        same = {name for name in before if name in after and before[name] == after[name]}
        before = {name: value for name, value in before.items() if name not in same}
        after = {name: value for name, value in after.items() if name not in same}
    audit_chain.append(
        {
            "at": now,
            "actor_id": actor.id,
            "actor": actor.name,
            "action": action,
            "partner_id": entry.partner_id,
            "subject_id": entry.subject_id,
            "subject": entry.subject,
            "before": _format_json(before),
            "after": _format_json(after),
        }
    )


def list_page(
    page: Page,
    *,
    actor_id: str | None = None,
    action: str | None = None,
    partner_id: str | None = None,
    subject_id: str | None = None,
) -> dict[str, Any]:
    """Return a page of entries, newest first.

    Filters: None matches all; ``action``: 'key.revoke', or 'key.' as a prefix.
    """
    values = {
        "actor_id": actor_id,
        "partner_id": partner_id,
        "subject_id": subject_id,
        "action": action,
    }
    filters = {name: value for name, value in values.items() if value is not None}
    query = _page_query(*filters, is_prefix=action is not None and action.endswith("."))
    entries = query.rows(before=page.row_number, most=page.limit + 1, **filters)
    return page.make_envelope(entries, represent, key=lambda row: (row["at"], row["id"]))


@functools.cache
def _page_query(*columns: str, is_prefix: bool) -> Prepared[AuditEntry]:
    """Return the query of a page with these columns given.

    ``is_prefix``: of the action, its beginning is.
    """
    entry = models.AuditEntry
    query = (
        entry.select()
        .where(entry.id < slot("before"))
        .order_by(entry.id.desc())
        .limit(slot("most"))
    )
    for name in columns:
        column = getattr(entry, name)
        if name == "action" and is_prefix:
            query = query.where(column >= slot(name), column < slot(name).concat(LAST_CHARACTER))
        else:
            query = query.where(column == slot(name))
    return Prepared(query, AuditEntry)


def represent(row: AuditEntry) -> dict[str, Any]:
    """Return an entry in the form that the console and the command line show."""
    return {
        "auditId": row["id"],
        "at": clock.format_time(row["at"]),
        "atMs": row["at"],
        "actorId": row["actor_id"],
        "actor": row["actor"],
        "action": row["action"],
        "partnerId": row["partner_id"],
        "subjectId": row["subject_id"],
        "subject": row["subject"],
        "before": json.loads(row["before"]) if row["before"] else None,
        "after": json.loads(row["after"]) if row["after"] else None,
    }


def _format_json(values: dict[str, Any] | None) -> str | None:
    return json.dumps(values, ensure_ascii=False) if values else None
