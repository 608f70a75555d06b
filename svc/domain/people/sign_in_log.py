"""Audit log entries for signing in and out. Of failed sign-ins only the first, tenth, hundredth …
gets an entry.

So a flood of failures causes a handful of entries in 15 minutes. An unknown address is not stored:
it may be a password that was typed into the wrong field.
"""

from contextlib import AbstractContextManager
from typing import Any

from svc.base import client_addresses
from svc.domain.audit import audit
from svc.domain.audit.audit import Actor
from svc.domain.people import throttle
from svc.domain.tables.people import Person
from svc.store.database import db

_NOBODY = Actor(None, "somebody not signed in")


def recording(
    row: Person, action: str, now: int, **after: Any
) -> AbstractContextManager[audit.Entry]:
    """Record an action of a user on their own account, as :func:`audit.recording` does."""
    return audit.recording(
        Actor(row["id"], row["email"]),
        action,
        row["email"],
        now,
        subject_id=row["id"],
        partner_id=row["partner_id"],
        after=after or None,
    )


def record_failure(row: Person | None, address: str, now: int, reason: str) -> None:
    """Count a failed sign-in, and record the first, tenth, hundredth … one.

    ``row`` None: no user has the address.
    """
    with db.transaction(durable=False):
        tries = throttle.count_event(f"log {row['id'] if row else 'nobody'}", now)
        if str(tries).strip("0") != "1":
            return
        after = {
            "failures in 15 min": tries,
            "network": client_addresses.find_network(address),
            "reason": reason,
        }
        with audit.recording(
            _NOBODY,
            "user.sign-in-failed",
            row["email"] if row else "an unknown address",
            now,
            subject_id=row["id"] if row else None,
            partner_id=row["partner_id"] if row else None,
            after=after,
        ):
            pass  # the failure itself changes nothing
