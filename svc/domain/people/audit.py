"""The audit log: who changed what and when, with the values before and after."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from svc.base import clock
from svc.domain import rows
from svc.domain.paging import Page
from svc.domain.people import audit_chain
from svc.domain.tables.people import AuditEntry
from svc.store import database
from svc.store.sql import LAST_CHARACTER

_PAGE = "SELECT * FROM audit WHERE {} ORDER BY id DESC LIMIT :limit"


@dataclass(frozen=True, slots=True)
class Actor:
    """The person who acts: a user of the console, or a user of the command line (``id`` None)."""

    id: str | None
    name: str


def record(
    actor: Actor, action: str, subject: str, now: int, *, subject_id: str | None = None, partner_id: str | None = None,
    before: dict[str, Any] | None = None, after: dict[str, Any] | None = None,
) -> None:  # fmt: skip
    """Add an entry to the audit log. Call it inside write(), in the transaction of the change.

    Values that are equal in ``before`` and ``after`` are left out.
    """
    if before is not None and after is not None:
        same = {name for name in before if name in after and before[name] == after[name]}
        before = {name: value for name, value in before.items() if name not in same}
        after = {name: value for name, value in after.items() if name not in same}
    audit_chain.append({
        "at": now, "actor_id": actor.id, "actor": actor.name, "action": action, "partner_id": partner_id,
        "subject_id": subject_id, "subject": subject, "before": _json(before), "after": _json(after),
    })  # fmt: skip


@contextmanager
def entered(actor: Actor, action: str, subject: str, now: int, **more: Any) -> Iterator[None]:
    """Run the block and record it in one transaction; an exception rolls both back. ``more``: arguments of :func:`record`."""
    with database.write():
        yield
        record(actor, action, subject, now, **more)


def page(
    page: Page,
    *,
    actor_id: str | None = None,
    action: str | None = None,
    partner_id: str | None = None,
    subject_id: str | None = None,
) -> dict[str, Any]:
    """Return a page of entries, newest first. Filters: None matches all; ``action``: 'key.revoke', or 'key.' as a prefix."""
    candidates = {"actor_id": actor_id, "partner_id": partner_id, "subject_id": subject_id}
    filters = {name: value for name, value in candidates.items() if value is not None}
    terms = ["id < :before", *(f"{name} = :{name}" for name in filters)]
    if action is not None:
        terms.append(
            f"action >= :action AND action < :action || '{LAST_CHARACTER}'" if action.endswith(".") else "action = :action"
        )
    values = {"before": page.row_number, "limit": page.limit + 1, "action": action, **filters}
    entries = rows.every(AuditEntry, _PAGE.format(" AND ".join(terms)), values)
    return page.envelope(entries, view, key=lambda row: (row["at"], row["id"]))


def view(row: AuditEntry) -> dict[str, Any]:
    """Return an entry in the form that the console and the command line show."""
    return {
        "auditId": row["id"],
        "at": clock.text(row["at"]),
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


def _json(values: dict[str, Any] | None) -> str | None:
    return json.dumps(values, ensure_ascii=False) if values else None
