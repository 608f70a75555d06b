"""Tracks ongoing disk and database outages: each is logged and reported when it begins, and raises an alert when it is over."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from svc.base import outage
from svc.base.outage import Trouble
from svc.domain.monitoring import alerts, readiness
from svc.store import database

log = logging.getLogger("svc.trouble")

AGAIN_SECONDS = 2.0  # until a failed write is tried again
_SAID_EVERY = 60.0  # seconds
_QUIET = 10.0  # seconds without a failure until an outage counts as over
_T = TypeVar("_T")


class Worries:
    """The ongoing outages of the engine's process. While the disk is full, their alerts can only be kept in memory."""

    def __init__(self, now: Callable[[], int], stopping: threading.Event, give_up: Callable[[], int] = lambda: 0):
        """``give_up``: frees space when the disk is full by removing cached files, and returns the bytes freed."""
        self._clock, self.stopping, self._give_up = now, stopping, give_up
        self._turn = threading.Lock()
        self._worries: dict[str, _Worry] = {}

    def note(self, failure: BaseException) -> Trouble | None:
        """Record an exception and return its outage; None: it is a programming error, not an outage."""
        trouble = outage.recognise(failure)
        if trouble is not None:
            readiness.note(trouble, self._clock())
            self.worry(trouble, failure)
        return trouble

    def worry(self, trouble: Trouble, why: object) -> None:
        """Record an outage and log it, at most once a minute. ``why``: its cause, for the log."""
        with self._turn:
            worry = self._worries.setdefault(trouble.name, _Worry(trouble, self._clock()))
            worry.met = time.monotonic()
            if worry.met < worry.say_again:
                return
            worry.say_again = worry.met + _SAID_EVERY
        log.critical("%s (%s)", trouble.mend, why, extra={"alert": trouble.name})
        if trouble is outage.DISK_FULL and (freed := self._give_up()):
            log.warning("removed %d MB of cached scenes to free space", freed // 1_000_000)

    def enter_fault(self, name: str) -> None:
        """Raise an alert, at most a few times a day, about a part of the engine that failed with an unexpected exception."""
        message = f"The engine's part “{name}” failed and is tried again; the log has the traceback."
        try:
            with database.write():
                alerts.raise_once("EngineFault", "critical", message, self._clock(), subject_id=name)
        except Exception:
            log.exception("the alert about %s could not be entered", name)

    def until_written(self, call: Callable[..., _T], *args: object) -> _T:
        """Call ``call`` until no outage prevents it, and return its result.

        Raises any exception that is not an outage, and that of the outage if the process is told to end.
        """
        while True:
            try:
                return call(*args)
            except Exception as failure:
                if self.note(failure) is None or self.stopping.wait(AGAIN_SECONDS):
                    raise

    def take_untold(self) -> list[Trouble]:
        """Return the outages not reported to the operator yet, and mark them as reported."""
        with self._turn:
            worries = [worry for worry in self._worries.values() if not worry.told]
            for worry in worries:
                worry.told = True
            return [worry.trouble for worry in worries]

    def relieved(self) -> None:
        """End the outages that have not recurred for a while, with an alert. Called after a successful write."""
        with self._turn:
            quiet = time.monotonic() - _QUIET
            over = [worry for worry in self._worries.values() if worry.met < quiet]
            permanent = [worry for worry in self._worries.values() if worry.trouble is outage.DAMAGED and not worry.entered]
        for worry in permanent:  # ends with the restoration of a backup, which does not contain the alert
            with database.write():
                alerts.raise_once(worry.trouble.name, "critical", worry.trouble.mend, self._clock())
            worry.entered = True
        for worry in over:
            seconds = max(0, self._clock() - worry.since) // 1000
            message = f"{worry.trouble.mend} It began {seconds} s ago and is over."
            with database.write():
                alerts.raise_alert(worry.trouble.name, "critical", message, self._clock())
            with self._turn:
                del self._worries[worry.trouble.name]


@dataclass
class _Worry:
    trouble: Trouble
    since: int
    met: float = 0.0  # time.monotonic(), like the next
    say_again: float = 0.0
    told: bool = False
    entered: bool = False


def guarded(worries: Worries, job: Callable[[], None]) -> Callable[[], None]:
    """Return ``job`` as a function that does not raise: outages are recorded, other exceptions logged with an alert."""

    def run() -> None:
        try:
            job()
        except Exception as failure:
            if worries.note(failure) is None:
                log.exception("%s failed; the next tick tries again", job.__name__.strip("_"))
                worries.enter_fault(job.__name__.strip("_"))

    return run
