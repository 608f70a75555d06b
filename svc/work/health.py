"""Whether this process is fit to run steps: after three failures in a row it takes none until its
place is usable again.

Failures are what fails outside a step's process, an outage of the machine, and a step's process
that dies. What a step itself reports is none.
"""

import errno
import shutil
import tempfile
import threading
import time
from collections.abc import Callable

from svc.adapters.storage import Storage
from svc.base import clock, disk, outage
from svc.base.outage import Outage
from svc.base.settings import Settings
from svc.domain.retry_schedule import SICK_DELAYS

FAILURES_ALLOWED = 3  # in a row
NO_ROOM = 1024 * 1024  # bytes
_LOOK_SECONDS = 2.0  # between looks at a place that is not usable


class Health:
    """Counts failures in a row; any thread may call it."""

    def __init__(
        self,
        find_problem: Callable[[Outage | None], str | None],
        steady: Callable[[], float] = time.monotonic,
    ):
        """``find_problem``: returns why the place of the process is not usable, or None, after a
        failure because of an outage.
        """
        self._find_problem, self._steady, self._turn = find_problem, steady, threading.Lock()
        self._failures: list[str] = []  # the productions; empty: an outage
        self._outage: Outage | None = None  # of the last failure
        self._times = 0  # that it became sick in a row
        self._sickness: str | None = None
        self._look_at = 0.0

    @property
    def sickness(self) -> str | None:
        """Why the process takes no steps; None: it takes them."""
        return self._sickness

    @property
    def is_proven(self) -> bool:
        """Whether a step has succeeded since the process was last sick."""
        return not self._times

    def record_failure(self, production_id: str, why: str, trouble: Outage | None = None) -> None:
        """Record a failure at a production.

        Without a known ``trouble`` the production may be to blame, so that failures at the same one
        count once.
        """
        with self._turn:
            subject = "" if trouble else production_id
            if subject and subject in self._failures and not self._is_on_trial():
                return
            self._failures.append(subject)
            self._outage = trouble
            if self._sickness is None and len(self._failures) >= FAILURES_ALLOWED:
                seconds = SICK_DELAYS[min(self._times, len(SICK_DELAYS) - 1)] / clock.SECOND
                self._sickness, self._look_at = why, self._steady() + seconds
                self._times += 1

    def _is_on_trial(self) -> bool:
        return self._times > 0

    def record_success(self) -> None:
        """Record that a step had a result here."""
        with self._turn:
            self._failures.clear()
            self._times, self._sickness = 0, None

    def check_place(self) -> None:
        """See whether the place of a sick process is usable again, if it is time to: then it takes
        steps again, and is sick at once if the next one fails.
        """
        with self._turn:
            if self._sickness is None or self._steady() < self._look_at:
                return
            trouble = self._outage
        problem = self._find_problem(trouble)  # may take long
        with self._turn:
            if self._sickness is None:
                return
            if problem:
                self._sickness, self._look_at = problem, self._steady() + _LOOK_SECONDS
            else:
                self._sickness = None
                del self._failures[FAILURES_ALLOWED - 1 :]


def has_no_room(settings: Settings) -> bool:
    """Return whether the disk of the data directory is full."""
    return shutil.disk_usage(settings.data_dir).free < NO_ROOM


def find_problem(settings: Settings, storage: Storage, trouble: Outage | None) -> str | None:
    """Return why steps cannot be run in this data directory; None: they can.

    ``trouble``: what the last step failed with.
    """
    folder = settings.work_dir
    if problem := disk.find_unusable_folder(settings.data_dir):
        return problem
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if has_no_room(settings):
            raise OSError(errno.ENOSPC, "No space left on device")
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(4096))
    except OSError as failure:
        recognised = outage.recognise(failure)
        return f"{recognised.mend if recognised else 'Steps cannot be run.'} ({failure})"
    return storage.files.find_problem() if trouble is outage.FILE_STORE_UNAVAILABLE else None
