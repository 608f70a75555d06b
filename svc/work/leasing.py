"""A pool of workers, each of which carries out one claim and then takes the next."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from svc.work.outages import Outages, guard_job

_Claim = TypeVar("_Claim")


class Workers(Generic[_Claim]):
    """Carries out at most ``number`` claims concurrently; 0: none."""

    def __init__(
        self,
        name: str,
        number: int,
        claim_next: Callable[[], _Claim | None],
        carry_out: Callable[[_Claim], None],
        outages: Outages,
    ):
        """``claim_next``: returns the next claim, or None; ``carry_out``: must release its claim,
        and must not raise.
        """
        self._claim_next, self._carry_out, self._outages = claim_next, carry_out, outages
        self._pool = ThreadPoolExecutor(max(1, number), name)
        self._free = threading.Semaphore(number)
        self._turn = threading.Lock()
        self.stopping = threading.Event()

    def claim_work(self) -> None:
        """Take a claim for each free worker; returns at once."""
        with self._turn:
            while not self.stopping.is_set() and self._free.acquire(blocking=False):
                claim = None
                try:
                    claim = self._claim_next()
                finally:
                    if claim is None:
                        self._free.release()
                if claim is None:
                    return
                self._pool.submit(self._work, claim)

    def _work(self, claim: _Claim) -> None:
        try:
            self._carry_out(claim)
        finally:
            self._free.release()
            if not self.stopping.is_set():
                guard_job(self._outages, self.claim_work)()

    def stop(self) -> None:
        """Take no further claims; returns when every worker has ended."""
        with self._turn:  # so that no claim submits work after this
            self.stopping.set()
        self._pool.shutdown(wait=True)
