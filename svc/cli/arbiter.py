"""gunicorn's parent process, which on a reload ends no old worker before the new ones accept connections."""

import signal
import time

from gunicorn import arbiter
from gunicorn.errors import HaltServer

# For one worker. Less than the patience of a new release that has to migrate the database, which waits for the old workers to
# end: those are then told to, as gunicorn does at once.
READY_SECONDS = 25.0
_LOOK_EVERY = 0.02
_ENDS = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)


class _Failed(Exception):
    """A new worker does not start; the text says why."""


class Arbiter(arbiter.Arbiter):
    """gunicorn starts the new workers and tells the old ones to end at the same moment: for as long as the new ones load the
    application nobody accepts. Here one new worker after the other is started and waited for, and then the old ones end."""

    _ready_until = 0.0  # by time.monotonic(); 0: this is no reload

    def reload(self) -> None:
        """Start new workers, then end the old ones. If a new one cannot start, the old ones go on."""
        old = set(self.WORKERS)
        self._ready_until = time.monotonic() + READY_SECONDS
        try:
            super().reload()
        except _Failed as failed:
            self.log.critical("the reload failed, and the earlier workers go on serving: %s", failed)
            for pid in set(self.WORKERS) - old:
                self.WORKERS[pid].leaves = True
                self.kill_worker(pid, signal.SIGTERM)
        finally:
            self._ready_until = 0.0

    def spawn_worker(self) -> int:
        pid = super().spawn_worker()
        while self._ready_until > time.monotonic():
            if self._accepts(pid):
                self._ready_until = time.monotonic() + READY_SECONDS  # for the next one
                break
            time.sleep(_LOOK_EVERY)
        return pid

    def _accepts(self, pid: int) -> bool:
        """Whether the worker accepts connections. _Failed: it never will."""
        try:
            self.reap_workers()
        except HaltServer as refused:
            raise _Failed(refused.reason) from refused
        worker = self.WORKERS.get(pid)
        if worker is None:
            raise _Failed("a new worker ended while it started")
        if self._is_told_to_end():
            raise _Failed("the service is told to end")
        return worker.accepts

    def _is_told_to_end(self) -> bool:
        waiting = [self.SIG_QUEUE.get_nowait() for _ in range(self.SIG_QUEUE.qsize())]
        for number in waiting:
            self.SIG_QUEUE.put_nowait(number)
        return any(number in _ENDS for number in waiting)

    def manage_workers(self) -> None:
        """As gunicorn, which ends the oldest of too many: never in the place of a new one that is ending already."""
        leaving = {pid: self.WORKERS.pop(pid) for pid, worker in list(self.WORKERS.items()) if worker.leaves}
        try:
            super().manage_workers()
        finally:
            self.WORKERS.update(leaving)


def take_over(gunicorn: arbiter.Arbiter) -> None:
    """Make gunicorn's parent process one of ours: its configuration can name the workers' class, and not this one."""
    gunicorn.__class__ = Arbiter
