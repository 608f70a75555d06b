"""How long running steps go on in a process that is told to end (SVC_DRAIN_SECONDS)."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from svc.store.engine.jobs import Jobs
from svc.work.pipeline import Pipeline

log = logging.getLogger("svc.draining")


class Drain:
    """Lets running steps end, while no other one is begun."""

    def __init__(self, seconds: float, steady: Callable[[], float] = time.monotonic):
        self._seconds, self._steady = seconds, steady
        self._until: float | None = None
        # whether something waits for the end: before and after that, there is nothing to drain
        self.is_enabled = False

    @contextmanager
    def enable(self) -> Iterator[None]:
        """Let steps of the block run on after the process is told to end, until
        :meth:`is_over`.
        """
        self.is_enabled = self._seconds > 0
        try:
            yield
        finally:
            self.is_enabled = False

    def is_over(self, pipeline: Pipeline, jobs: Jobs | None) -> bool:
        """Take no further steps, and return whether those that run have ended or had their time."""
        if self._until is None:
            self._until = self._steady() + self._seconds
            pipeline.begin_to_drain()
            if jobs is not None:
                jobs.begin_to_stop()
            if not pipeline.is_idle:
                log.info("running steps may end within %g s; none is begun", self._seconds)
        return pipeline.is_idle or self._steady() >= self._until
