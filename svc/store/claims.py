"""Claims: work is leased by compare-and-set and never removed, so a crash at any point leaves it to be done.

A table with claims has the columns ``claim_token``, ``claim_boot`` and ``claim_until``. A claim is lost when its lease has
expired and another worker has claimed the row; the late worker then no longer finds its token and changes nothing.
"""

import os
import uuid
from dataclasses import dataclass

FREE = "(claim_token IS NULL OR claim_until <= :now)"  # for a WHERE clause: the row is not claimed
# For a WHERE clause: the claim is of an earlier process of this data directory, which is gone, as this one holds its lock.
# Those of another machine, which may live, end with their lease.
OF_EARLIER_BOOTS = (
    "claim_token IS NOT NULL AND claim_boot IS DISTINCT FROM :boot "
    "AND substr(coalesce(claim_boot, ''), 1, length(:place)) = :place"
)
FREED = "claim_token = NULL, claim_boot = NULL, claim_until = NULL"  # for a SET clause


class LostClaim(Exception):
    """Another worker has claimed the row, or its state has changed: the result of this worker is discarded."""


@dataclass(frozen=True)
class Driver:
    """The process that runs the engine, or a worker, from the moment when it locked the data directory.

    ``place``: what ``boot`` begins with in all processes of this data directory; empty if there is no other directory.
    """

    boot: str
    place: str = ""

    @classmethod
    def at(cls, place: str) -> "Driver":
        return cls(f"{place}{os.getpid()}-{uuid.uuid4().hex[:12]}", place)

    @classmethod
    def start(cls) -> "Driver":
        return cls(uuid.uuid4().hex)


def new_token() -> str:
    return uuid.uuid4().hex
