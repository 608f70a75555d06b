"""Makes previews beside the requests that ask for them; a later request gets what was made,
or the error.
"""

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path

from svc.base import threads
from svc.base.errors import InternalError, ServiceError

log = logging.getLogger("svc.previews")

_KEPT = 100  # jobs that have failed, until somebody asks why


class _Job:
    """One file that is made in a thread of its own."""

    def __init__(self, place: threads.BackgroundWork):
        self.place = place
        self.ended = threading.Event()
        self.error: ServiceError | None = None

    def start(self, prepare: Callable[[], Callable[[], object]]) -> None:
        """Prepare the file in this thread, and make it in another one."""
        try:
            thread = threading.Thread(
                target=self._run, args=(prepare(),), name="preview", daemon=True
            )
            thread.start()
        except BaseException as failure:  # also where no more threads can be started
            self.error = failure if isinstance(failure, ServiceError) else InternalError()
            self.place.end()
            self.ended.set()  # for others who ask for it meanwhile
            raise

    def _run(self, make: Callable[[], object]) -> None:
        try:
            make()
        except ServiceError as refused:
            self.error = refused
        except Exception:
            log.exception("a preview failed")
            self.error = InternalError()
        finally:
            self.place.end(time.thread_time())
            self.ended.set()


class PreviewJobs:
    """The previews that this process makes. Thread-safe."""

    def __init__(self) -> None:
        self._jobs: dict[Path, _Job] = {}
        self._lock = threading.Lock()

    def ensure_made(
        self,
        owner: str,
        target: Path,
        prepare: Callable[[], Callable[[], object]],
        seconds: float,
    ) -> bool:
        """Return whether ``target`` is there. False: it is being made; ask again.

        ``prepare`` is called in this thread, and only where there is room for another file: a
        refusal costs nothing of it. It returns what makes the file.

        The request waits at most ``seconds``, if there is a thread for waiting. Raises the error of
        the last attempt, once; the next call is another attempt. RateLimitExceeded,
        ServiceUnavailable: too much is being made, for this owner or for all.
        """
        if target.exists():
            return True
        with self._lock:
            job = self._jobs.get(target)
            is_new = job is None
            if job is None:
                job = _Job(threads.thread_shares.begin_background_work(owner))
                self._jobs[target] = job
                self._forget_some()
        if is_new:
            try:
                job.start(prepare)
            except BaseException:
                self._forget(target, job)
                raise
        with threads.thread_shares.admit_wait(owner) as may_wait:
            ended = job.ended.wait(seconds if may_wait else 0)
        if not ended:
            job.place.detach()
            return False
        self._forget(target, job)
        if job.error is not None:
            raise job.error
        return True

    def _forget(self, target: Path, job: _Job) -> None:
        with self._lock:
            if self._jobs.get(target) is job:
                del self._jobs[target]

    def _forget_some(self) -> None:
        ended = [target for target, job in self._jobs.items() if job.ended.is_set()]
        for target in ended[:-_KEPT]:
            del self._jobs[target]
