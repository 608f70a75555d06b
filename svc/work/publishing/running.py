"""The publications at places that this process carries out: what really runs there,
and what ends it.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from svc.adapters.deadline import Deadline
from svc.base import clock
from svc.domain.productions import publications
from svc.domain.productions.publications import LEASE, Claim
from svc.store.claims import LostClaim
from svc.store.engine.jobs import IsAborted
from svc.work.publishing.posting import BrokenOff

SECONDS = 600.0  # for all exchanges of an attempt; files that are sent have more, by their size
_RENEW_SECONDS = 5.0


@dataclass
class Attempt:
    """One attempt.

    ``held_until``, ``cut_at``: by the monotonic clock, the end of the lease as this process knows
    it, and when what is asked already is broken off; ``stopping``: nothing more is to be sent.
    """

    claim: Claim
    deadline: Deadline
    held_until: float
    is_aborted: IsAborted
    stopping: threading.Event = field(default_factory=threading.Event)
    cut_at: float | None = None


class Running:
    """The attempts under way.

    A lease is renewed while its attempt runs, and the attempt ends with it. Thread-safe.
    """

    def __init__(self, seconds: float = SECONDS, monotonic: Callable[[], float] = time.monotonic):
        """``seconds``: of an attempt."""
        self._seconds, self._monotonic = seconds, monotonic
        self._attempts: dict[str, Attempt] = {}  # by claim token
        self._renewing, self._renew_at = threading.Lock(), 0.0
        self._stops = False
        self._ended: Exception | None = None

    def list_claims(self) -> list[Claim]:
        """Return the claims whose exchanges run, whether or not their leases hold."""
        return [attempt.claim for attempt in list(self._attempts.values())]

    def add(self, claim: Claim, is_aborted: IsAborted = lambda: False) -> None:
        """Count a claim from now on, until its attempt has ended.

        ``is_aborted``: whether the attempt is to be broken off; see :meth:`end_aborted`.
        """
        deadline = Deadline(self._seconds, self._monotonic)
        attempt = Attempt(claim, deadline, self._lease_end(), is_aborted)
        self._attempts[claim.token] = attempt
        if self._stops:
            attempt.stopping.set()
        if self._ended is not None:
            attempt.deadline.abort(self._ended)

    @contextmanager
    def attempt(self, claim: Claim) -> Iterator[Attempt]:
        """Give the attempt that the block carries out."""
        try:
            attempt = self._attempts[claim.token]
            with attempt.deadline:
                yield attempt
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
                attempt.deadline.abort(LostClaim())
        if not attempts:
            return
        until = self._lease_end()
        lost = publications.renew_leases([attempt.claim for attempt in attempts], now + LEASE)
        for attempt in attempts:
            if attempt.claim in lost:
                attempt.deadline.abort(LostClaim())
            else:
                attempt.held_until = until

    def end_aborted(self, grace: float) -> None:
        """Have attempts that were aborted send nothing more, and abort their exchanges ``grace``
        seconds later.
        """
        for attempt in list(self._attempts.values()):
            if attempt.cut_at is None and attempt.is_aborted():
                attempt.cut_at = self._monotonic() + grace
                attempt.stopping.set()
            if attempt.cut_at is not None and self._monotonic() >= attempt.cut_at:
                attempt.deadline.abort(BrokenOff())

    def stop(self) -> None:
        """Have all attempts send nothing more, and those that are still added."""
        self._stops = True
        for attempt in list(self._attempts.values()):
            attempt.stopping.set()

    def end(self, reason: Exception) -> None:
        """End all attempts now, and those that are still added at once."""
        self._ended = reason
        for attempt in list(self._attempts.values()):
            attempt.deadline.abort(reason)

    def _lease_end(self) -> float:
        return self._monotonic() + LEASE / clock.SECOND
