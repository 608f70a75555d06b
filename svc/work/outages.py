"""Tracks ongoing disk and database outages: each is logged and reported when it begins,
and raises an alert when it is over.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from svc.base import outage
from svc.base.outage import Outage
from svc.base.processes.ending import Ending
from svc.domain.monitoring import alerts, readiness
from svc.store.database import db

log = logging.getLogger("svc.trouble")

AGAIN_SECONDS = 2.0  # until a failed write is tried again
_LOG_EVERY = 60.0  # seconds
_QUIET = 10.0  # seconds without a failure until an outage counts as over
_T = TypeVar("_T")


class Outages:
    """The ongoing outages of the engine's process.

    While the disk is full, their alerts can only be kept in memory.
    """

    def __init__(
        self,
        now: Callable[[], int],
        stopping: threading.Event | Ending,
        free_space: Callable[[], int] = lambda: 0,
    ):
        """``free_space``: frees space when the disk is full by removing cached files,
        and returns the bytes freed.
        """
        self._clock, self.stopping, self._free_space = now, stopping, free_space
        self._turn = threading.Lock()
        self._ongoing: dict[str, _Ongoing] = {}

    def record_failure(self, failure: BaseException) -> Outage | None:
        """Record an exception and return its outage; None: it is a programming error,
        not an outage.
        """
        trouble = outage.recognise(failure)
        if trouble is not None:
            readiness.report_outage(trouble, self._clock())
            self.record(trouble, failure)
        return trouble

    def record(self, trouble: Outage, why: object) -> None:
        """Record an outage and log it, at most once a minute. ``why``: its cause, for the log."""
        with self._turn:
            ongoing = self._ongoing.setdefault(trouble.name, _Ongoing(trouble, self._clock()))
            ongoing.last_seen = time.monotonic()
            if ongoing.last_seen < ongoing.log_again_at:
                return
            ongoing.log_again_at = ongoing.last_seen + _LOG_EVERY
        log.critical("%s (%s)", trouble.mend, why, extra={"alert": trouble.name})
        if trouble is outage.DISK_FULL and (freed := self._free_space()):
            log.warning("removed %d MB of cached scenes to free space", freed // 1_000_000)

    def raise_fault_alert(self, name: str) -> None:
        """Raise an alert, at most a few times a day, about a part of the engine that failed with
        an unexpected exception.
        """
        message = (
            f"The engine's part “{name}” failed and is tried again; the log has the traceback."
        )
        try:
            alerts.raise_once(
                "EngineFault",
                "critical",
                message,
                self._clock(),
                subject_id=name,
                is_for_each_subject=True,
            )
        except Exception:
            log.exception("the alert about %s could not be entered", name)

    def raise_alert(self, trouble: Outage, why: object) -> None:
        """Raise the alert of an outage at once, if the database takes it: it will not be seen to
        end here.
        """
        try:
            message = f"{trouble.mend} ({why})"
            alerts.raise_once(trouble.name, "critical", message, self._clock())
        except db.Error:
            log.exception("the alert about %s could not be entered", trouble.name)

    def retry_until_written(self, call: Callable[..., _T], *args: object) -> _T:
        """Call ``call`` until no outage prevents it, and return its result.

        Raises any exception that is not an outage, and that of the outage if the process is told to
        end.
        """
        while True:
            try:
                return call(*args)
            except Exception as failure:
                if self.record_failure(failure) is None or self.stopping.wait(AGAIN_SECONDS):
                    raise

    def list_unreported(self, address: str) -> list[Outage]:
        """Return the ongoing outages that were not reported to an address of the operator yet."""
        with self._turn:
            return [
                ongoing.trouble
                for ongoing in self._ongoing.values()
                if address not in ongoing.reported_to
            ]

    def mark_reported(self, trouble: Outage, address: str) -> None:
        """Record that an outage was reported to an address of the operator,
        which may be over meanwhile.
        """
        with self._turn:
            if ongoing := self._ongoing.get(trouble.name):
                ongoing.reported_to.add(address)

    def end_quiet_ones(self) -> None:
        """End the outages that have not recurred for a while, with an alert.

        Called after a successful write.
        """
        with self._turn:
            quiet = time.monotonic() - _QUIET
            over = [ongoing for ongoing in self._ongoing.values() if ongoing.last_seen < quiet]
            permanent = [
                ongoing
                for ongoing in self._ongoing.values()
                if ongoing.trouble is outage.DAMAGED and not ongoing.is_alerted
            ]
        # ends with the restoration of a backup, which does not contain the alert
        for ongoing in permanent:
            alerts.raise_once(ongoing.trouble.name, "critical", ongoing.trouble.mend, self._clock())
            ongoing.is_alerted = True
        for ongoing in over:
            seconds = max(0, self._clock() - ongoing.since) // 1000
            message = f"{ongoing.trouble.mend} It began {seconds} s ago and is over."
            with db.transaction(in_turn=False):
                alerts.raise_alert(ongoing.trouble.name, "critical", message, self._clock())
            with self._turn:
                del self._ongoing[ongoing.trouble.name]


@dataclass
class _Ongoing:
    trouble: Outage
    since: int
    last_seen: float = 0.0  # time.monotonic(), like the next
    log_again_at: float = 0.0
    reported_to: set[str] = field(default_factory=set)  # the addresses
    is_alerted: bool = False


def guard_job(outages: Outages, job: Callable[[], None]) -> Callable[[], None]:
    """Wrap ``job`` in a function that does not raise.

    It records outages, and logs other exceptions and raises an alert for them.
    """

    def run() -> None:
        try:
            job()
        except Exception as failure:
            if outages.record_failure(failure) is None:
                log.exception("%s failed; the next tick tries again", job.__name__.strip("_"))
                outages.raise_fault_alert(job.__name__.strip("_"))

    return run
