"""Rendered scenes in the bucket, so that a machine need not render again what another one has for
the same partner.

They are a help and no more: what fails is left out, and they may be removed at any time. Only the
parent of a step reaches the bucket. Each partner has its own, so that a step which its input has
compromised spoils no other partner's scenes.
"""

import hashlib
import queue
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from svc.adapters.storage import Storage
from svc.base.errors import FileStoreUnavailable
from svc.media.cache import DIGEST, Cache

FOLDER = "scenes"
MOST_SCENES = 2000  # of one step that are looked for, and that are sent
_MOST_BYTES = 1 << 30  # that one step sends
_LARGEST = 64 << 20  # bytes of a scene
_AT_ONCE = 4


class SharedScenes:
    """The scenes of all partners."""

    def __init__(self, storage: Storage, folder: Path, most_bytes: int):
        """``folder``, ``most_bytes``: of this machine's cache."""
        self._storage, self._folder, self._most_bytes = storage, folder, most_bytes
        self._pool = ThreadPoolExecutor(_AT_ONCE, "scenes")

    def prepare_for_step(self, name: str, partner_id: str) -> "StepScenes | None":
        """Return the scenes for one run of a step; None: it shares none."""
        if name != "video" or not self._storage.files.is_remote or self._most_bytes <= 0:
            return None
        return StepScenes(self._storage, self._folder, self._most_bytes, partner_id, self._pool)

    def stop(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


class StepScenes:
    """Implements svc.work.step_process.runner.Scenes.

    Its methods return at once; a pool's threads do the work.
    """

    def __init__(
        self,
        storage: Storage,
        folder: Path,
        most_bytes: int,
        partner_id: str,
        pool: ThreadPoolExecutor,
    ):
        self._storage, self._folder, self._cache = storage, folder, Cache(folder, most_bytes)
        self._partner_id, self._pool = partner_id, pool
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._turn = threading.Lock()
        self._looked_for, self._pending, self._sent, self._bytes, self._failed = 0, 0, 0, 0, False

    @property
    def is_asked(self) -> bool:
        return self._pending > 0

    def fetch(self, name: str) -> None:
        self._pending += 1
        self._looked_for += 1
        if self._failed or self._looked_for > MOST_SCENES or not self._submit(self._fetch, name):
            self._answers.put(name)

    def keep(self, name: str) -> None:
        self._sent += 1
        if not self._failed and self._sent <= MOST_SCENES:
            self._submit(self._keep, name)

    def take_answers(self) -> list[str]:
        answered = []
        while not self._answers.empty():
            answered.append(self._answers.get())
        self._pending -= len(answered)
        return answered

    def _submit(self, work: Callable[[str], None], name: str) -> bool:
        try:
            self._pool.submit(work, name)
        except RuntimeError:  # the engine is stopping
            return False
        return True

    def _fetch(self, name: str) -> None:
        try:
            stored = self._storage.files.read(self._place(name), 0, _LARGEST)
            if hashlib.sha256(stored[DIGEST:]).digest() == stored[:DIGEST]:
                self._cache.keep(name, stored[DIGEST:])
        except OSError as error:
            self._failed = self._failed or isinstance(error, FileStoreUnavailable)
        finally:
            self._answers.put(name)

    def _keep(self, name: str) -> None:
        try:
            size = (self._folder / name).lstat().st_size
            with self._turn:
                self._bytes += size
                is_within = self._bytes <= _MOST_BYTES
            if size <= _LARGEST and is_within:
                self._storage.keep(self._folder / name, self._place(name), fixed=True)
        except (OSError, ValueError) as error:
            # ValueError: the step, which is untrusted, left no file, or changes it
            self._failed = self._failed or isinstance(error, FileStoreUnavailable)

    def _place(self, name: str) -> str:
        return f"{FOLDER}/{self._partner_id}/{name}"
