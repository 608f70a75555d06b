"""The signs of life of this process, where several machines share the database."""

import os
import platform
import threading
from collections.abc import Callable

from svc.base.crypto.signing import KeyMissing, KeyRing
from svc.base.version import VERSION
from svc.domain.lifecycle import render_queue
from svc.domain.monitoring import workers
from svc.domain.monitoring.workers import Keys, Process, Role
from svc.store import newer_schema
from svc.store.claims import Driver
from svc.store.database import db
from svc.store.engine.jobs import BEAT_SECONDS


class Presence:
    """Gives signs of life from the first :meth:`start` to :meth:`stop`, by a thread of its own.

    Without other machines, none.
    """

    def __init__(
        self,
        clock: Callable[[], int],
        can_run: frozenset[str] = render_queue.ALL_ABILITIES,
        ring: KeyRing | None = None,
    ):
        """``ring``: the master keys, which others wait for before they sign with a new one."""
        self._ring = ring
        self._clock, self._can_run, self._started_at = clock, sorted(can_run), clock()
        self._turn, self._stopping = threading.Lock(), threading.Event()
        self._shown: tuple[Process, Role, int, str | None] | None = None
        self._newer_schema: str | None = None
        self._thread = threading.Thread(target=self._run, name="presence", daemon=True)

    @property
    def newer_schema(self) -> str | None:
        """Why this program can no longer work, as of the last sign of life; None: it can."""
        return self._newer_schema

    def start(self, driver: Driver, role: Role, steps: int, sick: str | None = None) -> None:
        """Give a sign of life at once, and go on.

        ``steps``: how many it runs at the same time; ``sick``: why it takes none.
        """
        if not driver.place:
            return
        process = Process(
            driver.boot,
            platform.node()[:200],
            os.getpid(),
            VERSION,
            self._can_run,
            self._started_at,
        )
        with self._turn:
            if (process, role, steps, sick) == self._shown:
                return
            if self._shown is not None and self._shown[0].id != process.id:
                self._leave()
            self._shown = process, role, steps, sick
            if self._thread.ident is None:  # also if the first sign fails
                self._thread.start()
            self._beat()

    def stop(self) -> None:
        """Take leave."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join()
        try:
            with self._turn:
                self._leave()
        except db.Error:
            pass  # it is seen that this process is silent

    def _leave(self) -> None:
        if self._shown is not None:
            workers.remove_process(self._shown[0].id)
        self._shown = None

    def _beat(self) -> None:
        if self._shown is not None:
            process, role, steps, sick = self._shown
            keys = _list_keys(self._ring) if self._ring else None
            with db.transaction(durable=False, in_turn=False):
                self._newer_schema = newer_schema.find_problem()
                workers.record_heartbeat(process, role, steps, self._clock(), sick, keys)

    def _run(self) -> None:
        while not self._stopping.wait(BEAT_SECONDS):
            try:
                with self._turn:
                    self._beat()
            except db.Error:
                pass  # others report that the database does not answer


def _list_keys(ring: KeyRing) -> Keys:
    held = ring.held
    try:
        return Keys(held, ring.newest)
    except KeyMissing:
        return Keys(held, None)
