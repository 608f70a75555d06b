"""The file of master keys, one ``version:hex`` per line: created on the first start,
and rotated while processes run.
"""

import fcntl
import hmac
import logging
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from svc.base import atomic_file
from svc.base.crypto.signing import KeyRing
from svc.base.errors import SettingsError

log = logging.getLogger("svc.key_ring")

_SHORTEST = 32  # bytes of a key


class FileRing(KeyRing):
    """The master keys of a file, read again whenever it has changed: a rotation takes effect at
    once in every process.

    ``belongs``: called with keys of which none is known, to decide whether they are this
    installation's nevertheless, for example after a rotation and a retirement that this process
    missed. SettingsError: the file has no usable key. After a successful read, the known keys stay
    in use even if the file becomes unreadable.
    """

    def __init__(
        self, path: Path, belongs: Callable[[Mapping[int, bytes]], bool] = lambda keys: False
    ):
        self._path, self._seen, self._belongs = path, _mark(path), belongs
        super().__init__(read(path))

    @property
    def newest(self) -> int:
        self._follow()
        return super().newest

    @property
    def versions(self) -> list[int]:
        self._follow()
        return super().versions

    def derive(self, purpose: str, version: int | None = None) -> bytes:
        self._follow()
        return super().derive(purpose, version)

    def _follow(self) -> None:
        mark = _mark(self._path)
        if mark == self._seen:
            return
        self._seen = mark
        try:
            keys = read(self._path)
        except (OSError, SettingsError) as error:
            log.error(
                "cannot read the file of master keys, so the current ones stay in use: %s", error
            )
            return
        shared = keys.keys() & self._keys.keys()
        same = all(hmac.compare_digest(keys[version], self._keys[version]) for version in shared)
        if not same or not (shared or self._belongs(keys)):
            log.error(
                "%s belongs to another installation, so the current master keys stay in use",
                self._path,
            )
            return
        self._keys = keys


def _mark(path: Path) -> tuple[int, int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_mtime_ns, stat.st_size


def read(path: Path) -> dict[int, bytes]:
    """Return the keys by version. SettingsError: there is no usable key."""
    try:
        return parse(path.read_text("ascii"))
    except ValueError as error:
        message = (
            f"{path} contains no usable key; restore it from your backup: it signs links and "
            "webhooks"
        )
        raise SettingsError(message) from error


def parse(text: str) -> dict[int, bytes]:
    """Return the keys by version in the text of such a file. ValueError: there is no usable key."""
    lines = [line.partition(":") for line in text.split()]
    keys = {int(version): bytes.fromhex(value) for version, _, value in lines}
    if not keys or any(len(value) < _SHORTEST for value in keys.values()):
        raise ValueError("no usable key")
    return keys


def fingerprint(key: bytes) -> str:
    """Return a fingerprint that identifies a key and reveals nothing about it or about the keys
    derived from it.
    """
    return hmac.digest(key, b"fingerprint of a master key", "sha256").hex()


def make(path: Path) -> None:
    """Write the first key.

    The first process to link its file wins, so that simultaneous first starts agree on one key.
    """
    with suppress(FileExistsError):
        _link(path, _line(1))
    # The database stores its fingerprint from now on, so the file must survive a power failure.
    atomic_file.sync_folder(path.parent)


def put(path: Path, keys: Mapping[int, bytes]) -> None:
    """Write these keys, by version, to a new file. FileExistsError: the file exists."""
    _link(path, _text(keys))
    atomic_file.sync_folder(path.parent)


def _link(path: Path, text: str) -> None:
    with _partial(path, text) as partial:
        os.link(partial, path)


def _text(keys: Mapping[int, bytes]) -> str:
    return "".join(f"{version}:{key.hex()}\n" for version, key in sorted(keys.items()))


def rotate(path: Path) -> int:
    """Add a key, with which new subscriptions, links and sessions are signed from now on, and
    return its version.

    The older keys stay: subscriptions keep the secret with which they were registered.
    """
    with _turn(path):
        version = max(read(path)) + 1
        _replace(path, path.read_text("ascii") + _line(version))
    return version


def retire(path: Path, version: int) -> None:
    """Remove a key, for example one that was leaked: its signatures become invalid in every process
    at once.

    SettingsError: there is no such key, or it is the newest.
    """
    with _turn(path):
        keys = read(path)
        require_retirable(keys, version)
        _replace(path, _text({number: key for number, key in keys.items() if number != version}))


def require_retirable(keys: Mapping[int, bytes], version: int) -> None:
    """Raise SettingsError if there is no such key, or if it is the newest."""
    if version not in keys:
        known = ", ".join(map(str, sorted(keys)))
        raise SettingsError(f"there is no master key {version}; those in use: {known}")
    if version == max(keys):
        raise SettingsError(
            f"master key {version} is the newest, which signs; call `key-ring rotate` before you "
            "retire it"
        )


@contextmanager
def _turn(path: Path) -> Iterator[None]:
    """Hold the lock for changing the file, and fsync the folder afterwards.

    It is a file of its own: the engine holds a lock on the folder for as long as it drives.
    """
    folder = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        lock = os.open(
            path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
        )
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
            os.fsync(folder)
        finally:
            os.close(lock)
    finally:
        os.close(folder)


def _replace(path: Path, text: str) -> None:
    with _partial(path, text) as partial:
        owner = path.stat()
        os.chown(partial, owner.st_uid, owner.st_gid)  # for example when root runs the command
        partial.replace(path)


def _line(version: int) -> str:
    return f"{version}:{secrets.token_hex(_SHORTEST)}\n"


@contextmanager
def _partial(path: Path, text: str) -> Iterator[Path]:
    """Yield a durable file of mode 0600 beside ``path``, which is removed afterwards."""
    with atomic_file.part_of(path, unique=True) as partial:
        with atomic_file.durable(partial) as file:
            file.write(text.encode("ascii"))
        yield partial
