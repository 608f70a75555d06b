"""Worries: trouble with the machine is told when it begins, by log and to people, and entered as an alert when it is over."""

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

AGAIN_SECONDS = 2.0  # until what could not be written is tried again
_SAID_EVERY = 60.0  # seconds
_QUIET = 10.0  # seconds without any, until trouble counts as over
_T = TypeVar("_T")


class Worries:
    """What the process that drives is worried about. While the disk is full, the alert itself can only wait in memory."""

    def __init__(self, now: Callable[[], int], stopping: threading.Event, give_up: Callable[[], int] = lambda: 0):
        """``give_up``: removes what can be made again when the disk is full, and says how many bytes that were."""
        self._clock, self.stopping, self._give_up = now, stopping, give_up
        self._turn = threading.Lock()
        self._worries: dict[str, _Worry] = {}

    def note(self, failure: BaseException) -> Trouble | None:
        """Take note of an exception; its trouble, or None if it is a mistake and nothing to wait for."""
        found = outage.recognise(failure)
        if found is not None:
            readiness.note(found, self._clock())
            self.worry(found, failure)
        return found

    def worry(self, found: Trouble, why: object) -> None:
        """There is trouble: say so, at most once a minute."""
        with self._turn:
            worry = self._worries.setdefault(found.name, _Worry(found, self._clock()))
            worry.met = time.monotonic()
            if worry.met < worry.say_again:
                return
            worry.say_again = worry.met + _SAID_EVERY
        log.critical("%s (%s)", found.mend, why, extra={"alert": found.name})
        if found is outage.DISK_FULL and (freed := self._give_up()):
            log.warning("%d MB of scenes that can be made again were given up", freed // 1_000_000)

    def enter_fault(self, name: str) -> None:
        """A part of the engine failed by a mistake of ours: an alert, at most a few times a day."""
        message = f"The engine's part “{name}” failed and is tried again; the log has the traceback."
        try:
            with database.write():
                alerts.raise_once("EngineFault", "critical", message, self._clock(), subject_id=name)
        except Exception:
            log.exception("the alert about %s could not be entered", name)

    def until_written(self, call: Callable[..., _T], *given: object) -> _T:
        """Call until no trouble is in the way, since what it would write is true; its result. It raises what is a mistake,
        and the trouble itself when the process is told to end meanwhile."""
        while True:
            try:
                return call(*given)
            except Exception as failure:
                if self.note(failure) is None or self.stopping.wait(AGAIN_SECONDS):
                    raise

    def take_untold(self) -> list[Trouble]:
        """What people are to be told of now; nothing of it a second time."""
        with self._turn:
            found = [each for each in self._worries.values() if not each.told]
            for each in found:
                each.told = True
            return [each.trouble for each in found]

    def relieved(self) -> None:
        """Something has just been written: trouble that was not met for a while is over, and is entered as an alert."""
        with self._turn:
            quiet = time.monotonic() - _QUIET
            over = [each for each in self._worries.values() if each.met < quiet]
            lasts = [each for each in self._worries.values() if each.trouble is outage.DAMAGED and not each.entered]
        for each in lasts:  # it is over when somebody restores a backup, which knows nothing of it
            with database.write():
                alerts.raise_once(each.trouble.name, "critical", each.trouble.mend, self._clock())
            each.entered = True
        for each in over:
            seconds = max(0, self._clock() - each.since) // 1000
            message = f"{each.trouble.mend} It began {seconds} s ago and is over."
            with database.write():
                alerts.raise_alert(each.trouble.name, "critical", message, self._clock())
            with self._turn:
                del self._worries[each.trouble.name]


@dataclass
class _Worry:
    trouble: Trouble
    since: int
    met: float = 0.0  # as time.monotonic(), like the next
    say_again: float = 0.0
    told: bool = False
    entered: bool = False


def guarded(worries: Worries, job: Callable[[], None]) -> Callable[[], None]:
    """A tick that trouble does not end with a traceback: it is noted, and the next tick tries again."""

    def run() -> None:
        try:
            job()
        except Exception as failure:
            if worries.note(failure) is None:
                log.exception("%s stumbled; the next tick tries again", job.__name__.strip("_"))
                worries.enter_fault(job.__name__.strip("_"))

    return run
