"""Keeping what was made once under a hash of what it was made from, in a bounded folder that several processes may share."""

import hashlib
import json
import os
import time
from contextlib import suppress
from pathlib import Path

MOST_BYTES = 1024 * 1024 * 1024
_ROOM = 0.9  # of the bound that an eviction leaves in use, so that it need not follow at once
_SHARE = 16  # a process counts the folder anew whenever it has added this part of the bound: others add to it as well
_DIGEST = 32  # bytes of SHA-256 before the content: a file that a power failure cut short, or that rotted, is not there
_ABANDONED = 3600.0  # seconds after which a partial file belongs to a process that died


def key(*parts) -> str:
    """The name of what is made from ``parts``: anything that JSON can hold, among it the maker's name and version."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


class Cache:
    """At most about ``most_bytes`` in ``folder``, which is made when needed; what was not used for longest goes first.

    It is never needed: without a folder (None) or without room on the disk it forgets everything, and nothing is raised.
    """

    def __init__(self, folder: Path | None = None, most_bytes: int = MOST_BYTES):
        self._folder, self._most = folder if most_bytes > 0 else None, most_bytes
        self._added = most_bytes  # since the folder was counted: as if it were overdue, so that the first addition counts it

    def find(self, name: str) -> bytes | None:
        """What was kept under ``name``, whole and unchanged; None if there is none."""
        if self._folder is None:
            return None
        path = self._folder / name
        try:
            found = path.read_bytes()
            if hashlib.sha256(found[_DIGEST:]).digest() == found[:_DIGEST]:
                os.utime(path)
                return found[_DIGEST:]
            path.unlink()
        except OSError:
            pass  # not there, just evicted by another process, or not to be read
        return None

    def keep(self, name: str, content: bytes) -> None:
        """Keep ``content`` under ``name``, of :func:`key`; it appears whole, whoever is killed meanwhile."""
        if self._folder is None or len(content) + _DIGEST > self._most * _ROOM:
            return
        partial = self._folder / f"{name}.{os.getpid()}-{os.urandom(4).hex()}.part"
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            partial.write_bytes(hashlib.sha256(content).digest() + content)
            partial.replace(self._folder / name)
        except OSError:  # the disk is full, say
            with suppress(OSError):
                partial.unlink()
            return
        self._added += len(content) + _DIGEST
        if self._added >= self._most / _SHARE:
            self._evict()
            self._added = 0

    def clear(self) -> int:
        """Remove everything, to make room for what cannot be made again; how many bytes that were."""
        freed = 0
        for path in self._folder.iterdir() if self._folder and self._folder.is_dir() else ():
            with suppress(OSError):  # another process has just removed it
                size = path.stat().st_size
                path.unlink()
                freed += size
        return freed

    def _evict(self) -> None:
        """Where the folder has outgrown its bound, remove what was not used for longest."""
        kept, total, abandoned = [], 0, time.time() - _ABANDONED
        with os.scandir(self._folder) as entries:
            for entry in entries:
                with suppress(OSError):  # another process has just removed it
                    stat = entry.stat(follow_symlinks=False)
                    if entry.name.endswith(".part") and stat.st_mtime < abandoned:
                        Path(entry.path).unlink()
                        continue
                    kept.append((stat.st_mtime_ns, stat.st_size, entry.path))
                    total += stat.st_size
        if total <= self._most:
            return
        for _, size, path in sorted(kept):
            if total <= self._most * _ROOM:
                return
            with suppress(OSError):
                Path(path).unlink()
                total -= size
