"""Claims: work is leased by compare-and-set and never removed, so a crash at any point leaves it to
be done.

A table with claims has the columns ``claim_token``, ``claim_boot`` and ``claim_until``. A claim is
lost when its lease has expired and another worker has claimed the row; the late worker then no
longer finds its token and changes nothing.
"""

import os
import uuid
from dataclasses import dataclass
from typing import Any

from svc.store.expressions import fn, is_distinct
from svc.store.queries import slot

# For update() of a model: the row is not claimed any more.
UNCLAIMED: dict[str, Any] = {"claim_token": None, "claim_boot": None, "claim_until": None}


def is_free(model: Any) -> Any:
    """Return the condition that a row is not claimed at the time ``now``."""
    return model.claim_token.is_null() | (model.claim_until <= slot("now"))


def is_of_earlier_boots(model: Any) -> Any:
    """Return the condition that the claim is of an earlier process of this data directory, for
    ``boot`` and ``place``.

    That process is gone, as this one holds its lock. Those of another machine, which may live, end
    with their lease.
    """
    beginning = fn.substr(fn.coalesce(model.claim_boot, ""), 1, fn.length(slot("place")))
    return (
        model.claim_token.is_null(False)
        & is_distinct(model.claim_boot, slot("boot"))
        & (beginning == slot("place"))
    )


class LostClaim(Exception):
    """Another worker has claimed the row, or its state has changed:
    the result of this worker is discarded.
    """


@dataclass(frozen=True)
class Driver:
    """The process that runs the engine, or a worker, from the moment when it locked the data
    directory.

    ``place``: what ``boot`` begins with in all processes of this data directory; empty if there is
    no other directory.
    """

    boot: str
    place: str = ""

    @classmethod
    def start_at(cls, place: str) -> "Driver":
        return cls(f"{place}{os.getpid()}-{uuid.uuid4().hex[:12]}", place)

    @classmethod
    def start(cls) -> "Driver":
        return cls(uuid.uuid4().hex)


def make_token() -> str:
    return uuid.uuid4().hex
