"""A bounded cache folder for expensive results, keyed by a hash of their inputs and safe to
share between processes.
"""

import hashlib
import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from svc.base import atomic_file

MOST_BYTES = 1024 * 1024 * 1024
# The share of the bound that an eviction leaves in use, so that the next one is not needed at once.
_FILL_LEVEL = 0.9
# A process counts the folder anew after it has added 1/16 of the bound: other processes add to it
# as well.
_RECOUNT_SHARE = 16
DIGEST = 32  # bytes of SHA-256 before the content: a truncated or corrupted file counts as missing
_ABANDONED = 3600.0  # seconds after which a partial file belongs to a process that died


def make_cache_key(*parts) -> str:
    """Return the cache name for ``parts``: any JSON values,
    including the name and version of what makes the content.
    """
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


class Sharing(Protocol):
    """What other machines have."""

    def fetch(self, name: str) -> None:
        """Add what is stored under ``name`` elsewhere to the folder, if there is any."""

    def note_added(self, name: str) -> None:
        """Note that something was added to the folder."""


class Cache:
    """A cache of about ``most_bytes`` in ``folder``, which is created when needed; the least
    recently used entries are evicted.

    The cache is optional: without a folder (None), or when the disk is full, it stores nothing and
    raises nothing.
    """

    def __init__(
        self,
        folder: Path | None = None,
        most_bytes: int = MOST_BYTES,
        sharing: Sharing | None = None,
    ):
        self._folder = folder if most_bytes > 0 else None
        self._most_bytes = most_bytes
        self._sharing = sharing
        # bytes since the last count; starts high, so that the first addition counts the folder
        self._added = most_bytes

    def find(self, name: str) -> bytes | None:
        """Return the content stored under ``name``; None if it is missing or damaged."""
        content = self._read(name)
        if content is None and self._sharing is not None:
            self._sharing.fetch(name)
            content = self._read(name)
        return content

    def _read(self, name: str) -> bytes | None:
        if self._folder is None:
            return None
        path = self._folder / name
        try:
            stored = path.read_bytes()
            if hashlib.sha256(stored[DIGEST:]).digest() == stored[:DIGEST]:
                os.utime(path)
                return stored[DIGEST:]
            path.unlink()
        except OSError:
            pass  # missing, just evicted by another process, or not readable
        return None

    def keep(self, name: str, content: bytes) -> None:
        """Store ``content`` under ``name`` (see :func:`make_cache_key`).

        It appears complete or not at all.
        """
        if self._folder is None or len(content) + DIGEST > self._most_bytes * _FILL_LEVEL:
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with atomic_file.replace(self._folder / name, unique=True) as partial:
                partial.write_bytes(hashlib.sha256(content).digest() + content)
        except OSError:  # for example, the disk is full
            return
        if self._sharing is not None:
            self._sharing.note_added(name)
        self._added += len(content) + DIGEST
        if self._added >= self._most_bytes / _RECOUNT_SHARE:
            self._evict()
            self._added = 0

    def clear(self) -> int:
        """Remove all entries, for example when the disk is full,
        and return how many bytes were freed.
        """
        freed = 0
        for path in self._folder.iterdir() if self._folder and self._folder.is_dir() else ():
            with suppress(OSError):  # another process has just removed it
                size = path.stat().st_size
                path.unlink()
                freed += size
        return freed

    def _evict(self) -> None:
        """Remove the least recently used entries if the folder exceeds its bound."""
        removable, total, abandoned = [], 0, time.time() - _ABANDONED
        with os.scandir(self._folder) as entries:
            for entry in entries:
                with suppress(OSError):  # another process has just removed it
                    stat = entry.stat(follow_symlinks=False)
                    if entry.name.endswith(".part") and stat.st_mtime < abandoned:
                        Path(entry.path).unlink()
                        continue
                    removable.append((stat.st_mtime_ns, stat.st_size, entry.path))
                    total += stat.st_size
        if total <= self._most_bytes:
            return
        for _, size, path in sorted(removable):
            if total <= self._most_bytes * _FILL_LEVEL:
                return
            with suppress(OSError):
                Path(path).unlink()
                total -= size
