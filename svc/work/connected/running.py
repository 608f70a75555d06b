"""The publications at places that this process carries out: what really runs there,
and what ends it.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from svc.adapters.deadline import Deadline
from svc.base import clock
from svc.domain.productions import publications
from svc.domain.productions.publications import LEASE, Claim
from svc.store.claims import LostClaim

SECONDS = 600.0  # for all exchanges of an attempt; files that are sent have more, by their size
_RENEW_SECONDS = 5.0


@dataclass
class _Attempt:
    claim: Claim
    deadline: Deadline
    held_until: float  # by the monotonic clock: the end of the lease as this process knows it


class Running:
    """The attempts under way.

    A lease is renewed while its attempt runs, and the attempt ends with it. Thread-safe.
    """

    def __init__(self, seconds: float = SECONDS, monotonic: Callable[[], float] = time.monotonic):
        """``seconds``: of an attempt."""
        self._seconds, self._monotonic = seconds, monotonic
        self._attempts: dict[str, _Attempt] = {}  # by claim token
        self._renewing, self._renew_at = threading.Lock(), 0.0
        self._ended: Exception | None = None

    def claims(self) -> list[Claim]:
        """Return the claims whose exchanges run, whether or not their leases hold."""
        return [attempt.claim for attempt in list(self._attempts.values())]

    def add(self, claim: Claim) -> None:
        """Count a claim from now on, until its attempt has ended."""
        attempt = _Attempt(claim, Deadline(self._seconds, self._monotonic), self._lease_end())
        self._attempts[claim.token] = attempt
        if self._ended is not None:
            attempt.deadline.cut(self._ended)

    @contextmanager
    def attempt(self, claim: Claim) -> Iterator[Deadline]:
        """Give the deadline of the attempt that the block carries out."""
        try:
            with self._attempts[claim.token].deadline as deadline:
                yield deadline
        finally:
            del self._attempts[claim.token]

    def renew(self, now: int) -> None:
        """Renew the leases every few seconds, and end the attempts that have lost theirs."""
        if not self._renewing.acquire(blocking=False):
            return
        try:
            if self._monotonic() >= self._renew_at:
                self._renew(now)
                self._renew_at = self._monotonic() + _RENEW_SECONDS
        finally:
            self._renewing.release()

    def _renew(self, now: int) -> None:
        attempts = list(self._attempts.values())
        for attempt in attempts:
            with suppress(Exception):  # it is raised in the attempt itself
                attempt.deadline.check()
            # the database was away: another machine may have the publication
            if self._monotonic() >= attempt.held_until:
                attempt.deadline.cut(LostClaim())
        if not attempts:
            return
        until = self._lease_end()
        lost = publications.renew_leases([attempt.claim for attempt in attempts], now + LEASE)
        for attempt in attempts:
            if attempt.claim in lost:
                attempt.deadline.cut(LostClaim())
            else:
                attempt.held_until = until

    def end(self, reason: Exception) -> None:
        """End all attempts now, and those that are still added at once."""
        self._ended = reason
        for attempt in list(self._attempts.values()):
            attempt.deadline.cut(reason)

    def _lease_end(self) -> float:
        return self._monotonic() + LEASE / clock.SECOND
