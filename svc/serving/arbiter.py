"""Keeps gunicorn's workers serving while others cannot start: during a reload, and when one that
ended is replaced.
"""

import signal
import time

from gunicorn import arbiter
from gunicorn.errors import HaltServer

from svc.serving import options

# Per worker. It is shorter than the time for which a new release waits, before it migrates the
# database, until the old workers have ended: after it they are told to end, as gunicorn does
# immediately.
READY_SECONDS = 25.0
# Until a worker that could not start is tried again, while others serve.
AGAIN_SECONDS = 30.0
_LOOK_EVERY = 0.02
_ENDS = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)


class _Failed(Exception):
    """A new worker failed to start; the message gives the reason."""


class Arbiter(arbiter.Arbiter):
    """gunicorn's arbiter, but a reload leaves no gap, and workers are not ended when that helps
    nobody.

    gunicorn starts the new workers and ends the old ones at the same moment, so nothing is accepted
    while the new ones load the application. This class starts the new workers one by one, waits for
    each, and then ends the old ones.

    gunicorn ends the whole service when a worker cannot start, such as the successor of one that
    was killed, which finds the disk full or the database damaged. Here the service ends only if no
    other worker serves: those that do answer what they can, and say by ``/readyz`` what is wrong.
    """

    _ready_until = 0.0  # by time.monotonic(); 0: no reload is in progress
    _pause_until = 0.0  # by time.monotonic(): no worker is started before, while another one serves

    def reload(self) -> None:
        """Start new workers, then end the old ones.

        If a new worker cannot start, keep the old ones.
        """
        old = set(self.WORKERS)
        self._ready_until = time.monotonic() + READY_SECONDS
        try:
            super().reload()
        except _Failed as failed:
            self.log.critical(
                "the reload failed, and the old workers continue to serve: %s", failed
            )
            for pid in set(self.WORKERS) - old:
                self.WORKERS[pid].leaves = True
                self.kill_worker(pid, signal.SIGTERM)
        finally:
            self._ready_until = 0.0

    def setup(self, app) -> None:
        """Take over the options at a reload. _Failed: they cannot be used."""
        try:
            options.check_options(app.cfg)
        except options.Refused as refused:
            raise _Failed(str(refused)) from None
        super().setup(app)

    def reap_workers(self) -> None:
        """Note the ends of workers. HaltServer: one could not start, and none serves."""
        while True:
            try:
                return super().reap_workers()
            except HaltServer as refused:
                if self._ready_until or not self._is_serving():
                    raise
                self._pause_until = time.monotonic() + AGAIN_SECONDS
                self.log.critical(
                    "a worker could not start, and the others continue to serve: its own line "
                    "says why; another one is started in %d seconds (%s)",
                    AGAIN_SECONDS,
                    refused.reason,
                )

    def _is_serving(self) -> bool:
        return any(worker.accepts and not worker.leaves for worker in self.WORKERS.values())

    def spawn_workers(self) -> None:
        """Start the workers that are missing, but not one after the other that cannot start."""
        if time.monotonic() >= self._pause_until or not self._is_serving():
            super().spawn_workers()

    def spawn_worker(self) -> int:
        pid = super().spawn_worker()
        while self._ready_until > time.monotonic():
            if self._accepts(pid):
                self._ready_until = time.monotonic() + READY_SECONDS  # for the next one
                break
            time.sleep(_LOOK_EVERY)
        return pid

    def _accepts(self, pid: int) -> bool:
        """Return whether the worker accepts connections. _Failed: it never will."""
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
        signals_waiting = [self.SIG_QUEUE.get_nowait() for _ in range(self.SIG_QUEUE.qsize())]
        for number in signals_waiting:
            self.SIG_QUEUE.put_nowait(number)
        return any(number in _ENDS for number in signals_waiting)

    def manage_workers(self) -> None:
        """End surplus workers as gunicorn does, oldest first,
        without counting those that are already ending.
        """
        leaving = {
            pid: self.WORKERS.pop(pid)
            for pid, worker in list(self.WORKERS.items())
            if worker.leaves
        }
        try:
            super().manage_workers()
        finally:
            self.WORKERS.update(leaving)


def replace_arbiter(gunicorn: arbiter.Arbiter) -> None:
    """Make gunicorn's arbiter an :class:`Arbiter`: the configuration can name a worker class,
    but no arbiter class.
    """
    gunicorn.__class__ = Arbiter
