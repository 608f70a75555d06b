"""Readiness: whether the service can answer requests, by the health checks that decide it."""

import threading
import time
from collections.abc import Callable

from svc.base import clock, outage
from svc.base.outage import Outage
from svc.base.settings import Settings
from svc.domain.monitoring import health_checks
from svc.domain.monitoring.health_checks import HealthCheck, Installation, Problem
from svc.store.database import db

_KNOWN_SECONDS = 1.0
_FAILING_FOR = clock.MINUTE  # since the last failure


def report_outage(trouble: Outage | None, now: int) -> None:
    """Report an outage to all processes: if the database or its disk is affected,
    none of them is ready from now on.
    """
    memory = db.shared_if_open()
    if memory is not None and trouble is outage.DAMAGED:
        memory.note_damage(now)
    elif memory is not None and trouble is outage.FAILING:
        memory.note_failing(now)


def find_reported_outage(now: int) -> Outage | None:
    """Return the outage of the database or its disk that any process reported;
    None: there is none.
    """
    memory = db.shared_if_open()
    if memory is None:
        return None
    if memory.damaged_at:
        return outage.DAMAGED
    return outage.FAILING if memory.failing_at and now - memory.failing_at < _FAILING_FOR else None


class Probe:
    """Checks readiness at most once a second, because anybody may send any number of requests."""

    def __init__(self, settings: Settings, files_problem: Callable[[], str | None] = lambda: None):
        """``files_problem``: returns a sentence if the store of the finished files
        does not answer.
        """
        self._settings, self._files_problem = settings, files_problem
        # By check: until when its result is known, and that result.
        self._results: dict[str, tuple[float, list[Problem]]] = {}
        self._turn = threading.Lock()
        self._known_until = 0.0
        self._found: dict[str, list[Problem]] | None = None  # None: nothing was checked yet

    def describe_problems(self, now: int) -> dict[str, str]:
        """Return the problems by check; empty: it is ready."""
        by_check = self.find_problems(now).items()
        return {name: "; ".join(each.text for each in problems) for name, problems in by_check}

    def find_problems(self, now: int) -> dict[str, list[Problem]]:
        """Return the problems that checks of readiness found, by check.

        While another request checks, which may take long where a disk or a bucket is slow, the last
        result is returned.
        """
        last = self._found
        if not self._turn.acquire(blocking=last is None):
            return last or {}
        try:
            if self._found is None or time.monotonic() >= self._known_until:
                installation = Installation(self._settings, now, self._files_problem)
                checks = [check for check in health_checks.list_checks() if check.is_readiness]
                results = {check.name: self._result_of(check, installation) for check in checks}
                self._found = {name: problems for name, problems in results.items() if problems}
                self._known_until = time.monotonic() + _KNOWN_SECONDS
            return self._found
        finally:
            self._turn.release()

    def _result_of(self, check: HealthCheck, installation: Installation) -> list[Problem]:
        """Return the problems that a check finds. If it fails to run, that is a problem, too."""
        until, problems = self._results.get(check.name, (0.0, []))
        if time.monotonic() >= until:
            try:
                problems = check.find_problems(installation)
            except (db.Error, OSError) as failed:
                problems = [Problem(f"cannot be determined: {failed}")]
            self._results[check.name] = time.monotonic() + check.known_seconds, problems
        return problems
