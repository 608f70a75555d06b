"""The file of master keys, one ``version:hex`` per line: created on the first start,
and rotated while processes run.
"""

import fcntl
import hmac
import logging
import os
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from svc.base import atomic_file, outage
from svc.base.crypto.signing import KeyMissing, KeyRing
from svc.base.errors import SettingsError

log = logging.getLogger("svc.key_ring")

_SHORTEST = 32  # bytes of a key
_NEVER = object()
_AGAIN_SECONDS = 1.0  # between two questions to a database that does not answer
_Mark: TypeAlias = tuple[int, int, int] | None


def _read_boot_time() -> float:
    """Return a steady time that goes on while the machine is suspended, where there is one."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


@dataclass(frozen=True, slots=True)
class Recorded:
    """The database's record of a master key.

    ``waits``: it verifies, and signs only when all processes have it.
    """

    fingerprint: str
    is_retired: bool = False
    waits: bool = False


class FileRing(KeyRing):
    """The master keys of a file, read again whenever it has changed: a rotation takes effect at
    once in every process of one machine.

    Where several machines have such a file each, the database says which key signs. What it says
    is asked for again after ``holds_seconds``, so that a process that slept does not sign with a
    key that was retired meanwhile.
    """

    def __init__(
        self,
        path: Path,
        belongs: Callable[[Mapping[int, bytes]], bool] = lambda keys: False,
        recorded: Callable[[], Mapping[int, Recorded]] = dict,
        holds_seconds: float | None = None,
        steady: Callable[[], float] = _read_boot_time,
    ):
        """``belongs``: called with keys that the known ones do not prove, to decide whether they
        are this installation's nevertheless, for example after a rotation and a retirement that
        this process missed; ``recorded``: returns what the database says of the keys, by version;
        ``holds_seconds``: None where no other machine rotates them.

        SettingsError: the file has no usable key. After a successful read, the known keys stay in
        use even if the file becomes unreadable.
        """
        self._path, self._belongs, self._recorded = path, belongs, recorded
        self._holds_seconds, self._steady = holds_seconds, steady
        self._complained: object = _NEVER
        self._seen, self._file = _mark(path), read(path)
        self._read_before, self._known = dict(self._file), frozenset[int]()
        super().__init__(self._file)
        self._signs, self._lacking = super().newest, frozenset[int]()
        self._learned_at = self._ask_at = float("-inf")
        self._learn()

    @property
    def newest(self) -> int:
        """The version that signs. KeyMissing: others sign with a newer one."""
        self._follow()
        return self._find_signing_version()

    @property
    def versions(self) -> list[int]:
        self._follow()
        if not self._keys:
            self.require_complete()
        return super().versions

    @property
    def held(self) -> list[int]:
        """The versions of the keys that the database knows and this ring has."""
        self._follow()
        return sorted(self._keys.keys() & self._known)

    def derive(self, purpose: str, version: int | None = None) -> bytes:
        self._follow()
        version = version or self._find_signing_version()
        is_retired = version in self._known and version not in self._lacking
        if version not in self._keys and not is_retired:
            self.refresh()  # it may be newer than what was read
            if version in self._lacking:
                raise _make_key_missing_error(self._path, [version])
        return super().derive(purpose, version)

    def refresh(self) -> None:
        self._read(_mark(self._path))
        self._learn(must=True)

    def require_complete(self) -> None:
        self._follow()
        if self._lacking:
            self.refresh()
        if self._lacking:
            raise _make_key_missing_error(self._path, self._lacking)

    def _find_signing_version(self) -> int:
        newer_versions = [version for version in self._lacking if version > self._signs]
        if newer_versions or not self._keys:
            self.refresh()
            if self._lacking and max(self._lacking) > self._signs:
                raise _make_key_missing_error(self._path, self._lacking)
        return self._signs

    def _follow(self) -> None:
        mark = _mark(self._path)
        if mark != self._seen:
            self._read(mark)
            if not self._learn():
                self._seen = None  # again at the next use
        elif self._holds_seconds is not None and self._steady() >= self._ask_at:
            self._learn()

    def _read(self, mark: _Mark) -> None:
        """Read the file, whose state before was ``mark``; a failure leaves the keys in use, and is
        tried again at the next use.
        """
        try:
            keys = read(self._path)
        except (OSError, SettingsError) as error:
            self._log_once(
                mark,
                "cannot read the file of master keys, so the current ones stay in use: %s",
                error,
            )
            return
        shared_versions = keys.keys() & self._file.keys()
        keys_agree = all(
            hmac.compare_digest(keys[version], self._file[version]) for version in shared_versions
        )
        if not (keys_agree and shared_versions) and not self._belongs(keys):
            self._log_once(
                mark,
                "%s belongs to another installation, so the current master keys stay in use",
                self._path,
            )
            return
        # A key that the database still knows stays in use, though a file of an older backup was put
        # here: see _learn.
        self._read_before.update(keys)
        self._file, self._seen, self._complained = keys, mark, _NEVER

    def _log_once(self, mark: _Mark, sentence: str, *values: object) -> None:
        if mark != self._complained:
            log.error(sentence, *values)
        self._complained = mark

    def _learn(self, must: bool = False) -> bool:
        """Ask the database about the keys; return whether it answered. An outage leaves what it
        said before for another moment, unless it ``must`` be known.
        """
        asked_at = self._steady()
        try:
            recorded = self._recorded()
        except Exception as failure:
            if must or outage.recognise(failure) is None:
                raise
            self._ask_at = asked_at + _AGAIN_SECONDS
            return False
        if asked_at < self._learned_at:
            return True  # another thread has asked later
        usable_versions = {
            version: key
            for version, key in self._read_before.items()
            if (
                version in self._file
                if version not in recorded
                else _is_usable(key, recorded[version])
            )
        }
        signing = set(usable_versions)
        if self._holds_seconds is not None:
            signing = {
                version
                for version in usable_versions
                if version in recorded and not recorded[version].waits
            } or signing
        self._lacking = frozenset(
            version
            for version, record in recorded.items()
            if not (record.is_retired or record.waits or version in usable_versions)
        )
        self._keys, self._signs = usable_versions, max(signing, default=0)
        self._known, self._learned_at = frozenset(recorded), asked_at
        self._ask_at = asked_at + (self._holds_seconds or 0.0)
        return True


def _is_usable(key: bytes, record: Recorded) -> bool:
    return not record.is_retired and hmac.compare_digest(
        compute_fingerprint(key), record.fingerprint
    )


def _make_key_missing_error(path: Path, versions: Iterable[int]) -> KeyMissing:
    version_list = ", ".join(map(str, sorted(versions)))
    return KeyMissing(f"{path} lacks master key {version_list}, which the database knows")


def _mark(path: Path) -> _Mark:
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


def compute_fingerprint(key: bytes) -> str:
    """Return a fingerprint that identifies a key and reveals nothing about it or about the keys
    derived from it.
    """
    return hmac.digest(key, b"fingerprint of a master key", "sha256").hex()


def make(path: Path) -> None:
    """Write the first key.

    The first process to link its file wins, so that simultaneous first starts agree on one key.
    """
    with suppress(FileExistsError):
        _write_new_file(path, _format_line(1, make_key()))
    # The database stores its fingerprint from now on, so the file must survive a power failure.
    atomic_file.sync_folder(path.parent)


def put(path: Path, keys: Mapping[int, bytes]) -> None:
    """Write these keys, by version, to a new file. FileExistsError: the file exists."""
    _write_new_file(path, _format_keys(keys))
    atomic_file.sync_folder(path.parent)


def _write_new_file(path: Path, text: str) -> None:
    with _partial(path, text) as partial:
        os.link(partial, path)


def _format_keys(keys: Mapping[int, bytes]) -> str:
    return "".join(_format_line(version, key) for version, key in sorted(keys.items()))


def rotate(path: Path) -> int:
    """Add a key, with which new subscriptions, links and sessions are signed from now on, and
    return its version.

    The older keys stay: subscriptions keep the secret with which they were registered.
    """
    with hold_lock(path):
        version = max(read(path)) + 1
        _replace(path, path.read_text("ascii") + _format_line(version, make_key()))
    return version


def make_key() -> bytes:
    """Return a master key, for :func:`add`."""
    return secrets.token_bytes(_SHORTEST)


def add(path: Path, version: int, key: bytes) -> None:
    """Add a key whose version was agreed with others, inside :func:`hold_lock`."""
    _replace(path, _format_keys(read(path) | {version: key}))


def retire(path: Path, version: int) -> None:
    """Remove a key, for example one that was leaked: its signatures become invalid in every process
    at once.

    SettingsError: there is no such key, or it is the newest.
    """
    with hold_lock(path):
        keys = read(path)
        require_retirable(keys, version)
        _replace(
            path, _format_keys({number: key for number, key in keys.items() if number != version})
        )


def require_retirable(keys: Mapping[int, bytes], version: int) -> None:
    """Raise SettingsError if there is no such key, or if it is the newest."""
    if version not in keys:
        version_list = ", ".join(map(str, sorted(keys)))
        raise SettingsError(f"there is no master key {version}; those in use: {version_list}")
    if version == max(keys):
        raise SettingsError(
            f"master key {version} is the newest, which signs; call `key-ring rotate` before you "
            "retire it"
        )


@contextmanager
def hold_lock(path: Path) -> Iterator[None]:
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


def _format_line(version: int, key: bytes) -> str:
    return f"{version}:{key.hex()}\n"


@contextmanager
def _partial(path: Path, text: str) -> Iterator[Path]:
    """Yield a durable file of mode 0600 beside ``path``, which is removed afterwards."""
    with atomic_file.reserve_part(path, unique=True) as partial:
        with atomic_file.open_durably(partial) as file:
            file.write(text.encode("ascii"))
        yield partial
