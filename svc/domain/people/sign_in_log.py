"""What the audit log knows of signing in and out. Bad sign-ins are counted, and entered at the first, tenth, hundredth … one.

So a flood of them makes a handful of entries in a quarter of an hour. What was typed for an address that nobody has is not
kept: it may be a password.
"""

from typing import Any

from svc.domain.people import audit, throttle
from svc.domain.people.audit import Actor
from svc.domain.tables import Person
from svc.store import database

_NOBODY = Actor(None, "somebody not signed in")


def entered(row: Person, action: str, now: int, **after: Any) -> None:
    """Enter something about a person that this person did. Inside write()."""
    audit.record(
        Actor(row["id"], row["email"]), action, row["email"], now, subject_id=row["id"], partner_id=row["partner_id"],
        after=after or None,
    )  # fmt: skip


def failed(row: Person | None, address: str, now: int, reason: str) -> None:
    """Count a sign-in that failed, and enter it if its number is one of those. ``row`` None: nobody has the address."""
    with database.write(durable=False):
        tries = throttle.count(f"log {row['id'] if row else 'nobody'}", now)
        if str(tries).strip("0") != "1":
            return
        after = {"failures in 15 min": tries, "network": throttle.network(address), "reason": reason}
        audit.record(
            _NOBODY, "user.sign-in-failed", row["email"] if row else "an unknown address", now,
            subject_id=row["id"] if row else None, partner_id=row["partner_id"] if row else None, after=after,
        )  # fmt: skip
