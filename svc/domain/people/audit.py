"""The audit log: who changed what and when, with the values before and after."""

import functools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from svc.base import clock
from svc.domain.paging import Page
from svc.domain.people import audit_chain
from svc.domain.tables.people import AuditEntry
from svc.store.database import db
from svc.store.expressions import LAST_CHARACTER
from svc.store.models import people as models
from svc.store.queries import Prepared, slot


@dataclass(frozen=True, slots=True)
class Actor:
    """The person who acts: a user of the console, or a user of the command line (``id`` None)."""

    id: str | None
    name: str


def record(
    actor: Actor,
    action: str,
    subject: str,
    now: int,
    *,
    subject_id: str | None = None,
    partner_id: str | None = None,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    """Add an entry to the audit log. Call it inside the transaction of the change.

    Values that are equal in ``before`` and ``after`` are left out.
    """
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
            "partner_id": partner_id,
            "subject_id": subject_id,
            "subject": subject,
            "before": _json(before),
            "after": _json(after),
        }
    )


@contextmanager
def recording(actor: Actor, action: str, subject: str, now: int, **more: Any) -> Iterator[None]:
    """Run the block and record it in one transaction; an exception rolls both back.

    ``more``: arguments of :func:`record`.
    """
    with db.transaction():
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
    """Return a page of entries, newest first.

    Filters: None matches all; ``action``: 'key.revoke', or 'key.' as a prefix.
    """
    given = {
        "actor_id": actor_id,
        "partner_id": partner_id,
        "subject_id": subject_id,
        "action": action,
    }
    filters = {name: value for name, value in given.items() if value is not None}
    query = _page_query(*filters, is_prefix=action is not None and action.endswith("."))
    entries = query.rows(before=page.row_number, most=page.limit + 1, **filters)
    return page.envelope(entries, view, key=lambda row: (row["at"], row["id"]))


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
