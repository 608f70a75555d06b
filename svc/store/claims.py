"""Claims: work is leased by compare and set, never removed, so that a crash anywhere leaves it to be done.

A table with claims has the columns ``claim_token``, ``claim_boot`` and ``claim_until``. A claim is lost when its lease has
run out and somebody else took the row; a late worker then finds that its token is no longer there and changes nothing.
"""

import uuid
from dataclasses import dataclass

FREE = "(claim_token IS NULL OR claim_until <= :now)"  # part of a WHERE: nobody holds the row
OF_EARLIER_BOOTS = "claim_token IS NOT NULL AND claim_boot IS NOT :boot"  # likewise: an earlier process holds it
FREED = "claim_token = NULL, claim_boot = NULL, claim_until = NULL"  # part of a SET


class LostClaim(Exception):
    """Somebody else holds the row now, or its state has moved on: what this worker did no longer counts."""


@dataclass(frozen=True)
class Driver:
    """The process that drives the work, since it took the lock on the data directory."""

    boot: str

    @classmethod
    def start(cls) -> "Driver":
        return cls(uuid.uuid4().hex)


def new_token() -> str:
    return uuid.uuid4().hex
