"""The doctor's checks of the data directory: disk, owner, permissions, free space.

Nothing is written.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

from svc.base import disk
from svc.base.processes import owner
from svc.base.settings import Settings
from svc.store.engine import schema
from svc.work.backup import sources as backup_sources
from svc.work.doctor.findings import OK, PROBLEM, WARNING, Finding, is_locked, quote

_INSTANT_MS = 0.02  # an fsync that takes less did not reach a disk
_SLOW_MS = 50.0
_LOOKED_AT = 20_000  # files whose owner is checked


def check_access(settings: Settings) -> Finding | None:
    """Return a finding if this process cannot check the data directory at all; None: it can."""
    folder = settings.data_dir
    if not os.path.lexists(folder):
        return Finding(
            "directory",
            PROBLEM,
            f"There is no data directory {folder} yet.",
            "python app.py serve  # creates it",
        )
    if not folder.is_dir():
        return Finding(
            "directory",
            PROBLEM,
            f"{folder} cannot be written: it is not a directory.",
            "SVC_DATA_DIR=/var/lib/partner-production  # a directory",
        )
    there = disk.find_disk(folder)
    if there.is_network:
        return Finding(
            "disk",
            PROBLEM,
            f"{folder} is on a network disk ({there.kind}), where SQLite loses data.",
            "SVC_DATA_DIR=/var/lib/…  # a disk of this machine",
        )
    if os.statvfs(folder).f_flag & os.ST_RDONLY:
        return Finding(
            "disk",
            PROBLEM,
            f"{folder} cannot be written: its disk is mounted read-only.",
            f"mount -o remount,rw {quote(Path(there.mounted_at))}",
        )
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return _foreign(folder)
    return None


def _owner_of(folder: Path) -> owner.Owner:
    """Return the owner of an existing directory."""
    return owner.find_owner(folder) or owner.Owner(os.geteuid(), os.getegid())


def _foreign(folder: Path) -> Finding:
    """Return the finding that this process may not use the data directory of another user."""
    owned_by, us = _owner_of(folder), owner.Owner(os.geteuid(), os.getegid())
    if owned_by.uid in (0, us.uid):
        mend = (
            f"chown --recursive {us.names} {quote(folder)} && chmod u+rwx {quote(folder)}  # "
            "as root"
        )
        text = (
            f"{folder} belongs to {owned_by.user} (mode {_mode(folder):o}), and {us.user}, who "
            "runs this, may not write to it."
        )
        return Finding("owner", PROBLEM, text, mend)
    text = f"{folder} belongs to {owned_by.user}, and {us.user}, who runs this, may not read it."
    return Finding(
        "owner", PROBLEM, text, f"runuser --user {owned_by.user} -- python app.py doctor  # as root"
    )


def examine(settings: Settings) -> Iterator[Finding]:
    """Check a data directory in which :func:`check_access` finds no problem."""
    folder, there = settings.data_dir, disk.find_disk(settings.data_dir)
    lost = {
        "tmpfs": "is lost when the machine restarts",
        "overlay": "is lost with its container; mount a volume",
    }
    if there.kind in lost:
        yield Finding(
            "disk",
            WARNING,
            f"{folder} is on {there.kind}: what is there {lost[there.kind]}.",
            "SVC_DATA_DIR=…",
        )
    else:
        yield Finding("disk", OK, f"{folder} is on {there.kind}, mounted at {there.mounted_at}.")
    yield _space(settings)
    yield _fsync(disk.measure_fsync(folder))
    yield _owners(folder)
    yield from _modes(settings)
    yield from _backups(settings)


def _space(settings: Settings) -> Finding:
    room, floor = disk.measure_room(settings.data_dir), settings.disk_floor_megabytes
    free = room.megabytes
    if room.lacks_files:
        text = (
            f"There is room for {room.files} more files (inodes); the service is not ready below "
            f"{disk.LEAST_FILES}."
        )
        return Finding(
            "space",
            PROBLEM,
            text,
            f"du -x --inodes --max-depth=2 {quote(settings.data_dir)}  # shows where they are",
        )
    if free >= floor:
        return Finding("space", OK, f"{free} MB are free.")
    text = f"{free} MB are free; the service is not ready below {floor} MB."
    lacking = (floor - free) * 1_000_000
    if settings.cache_dir.is_dir() and _size(settings.cache_dir) >= lacking:
        return Finding(
            "space",
            PROBLEM,
            f"{text} The cache can be deleted; it is rebuilt.",
            f"find {quote(settings.cache_dir)} -type f -delete",
        )
    inside = sorted((settings.data_dir / "backups").glob("backup-*.tar"))
    if len(inside) > 1:
        return Finding(
            "space",
            PROBLEM,
            f"{text} {len(inside)} backups are on the same disk.",
            f"rm {quote(inside[0])}",
        )
    if (stored := backup_sources.count_full_backups(settings.data_dir / "backups")) > 1:
        prunes = (
            f"SVC_BACKUP_KEEP={stored - 1} python app.py backup "
            f"{quote(settings.data_dir / 'backups')} --prune --yes"
        )
        return Finding("space", PROBLEM, f"{text} {stored} backups are on the same disk.", prunes)
    return Finding(
        "space",
        PROBLEM,
        text,
        f"du -xh --max-depth=1 {quote(settings.data_dir)}  # shows what uses the space",
    )


def _size(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            total += path.lstat().st_blocks * 512
    return total


def _fsync(took: float | None) -> Finding:
    """Return the finding about an fsync that took so many milliseconds; None: not measured."""
    if took is None:
        return Finding(
            "fsync",
            OK,
            (
                "The time that the disk takes to confirm a write cannot be measured here without "
                "writing to it."
            ),
        )
    if took < _INSTANT_MS:
        text = (
            f"The disk confirms a write after {took * 1000:.0f} µs, before it can have happened: "
            "a power failure loses data."
        )
        return Finding(
            "fsync",
            WARNING,
            text,
            "SVC_DATA_DIR=…  # a disk without a volatile cache, or one that honours fsync",
        )
    if took > _SLOW_MS:
        return Finding(
            "fsync",
            WARNING,
            f"The disk takes {took:.0f} ms to confirm a write: every trigger waits for that.",
            "SVC_DATA_DIR=…  # a faster disk",
        )
    return Finding("fsync", OK, f"The disk confirms a write after {took:.2f} ms.")


def _owners(folder: Path) -> Finding:
    """Return the finding about files that do not belong to the owner of the data directory."""
    owned_by = _owner_of(folder)
    others = []
    for path in islice(folder.rglob("*"), _LOOKED_AT):
        with suppress(OSError):
            if path.lstat().st_uid != owned_by.uid:
                others.append(path)
    if not others:
        return Finding("owner", OK, f"Everything in {folder} belongs to {owned_by.user}.")
    text = f"{others[0]} and {len(others) - 1} more" if len(others) > 1 else str(others[0])
    return Finding(
        "owner",
        PROBLEM,
        f"{folder} belongs to {owned_by.user}, but these do not: {text}. They are unusable.",
        f"chown --recursive {owned_by.names} {quote(folder)}  # as root",
    )


def _modes(settings: Settings) -> Iterator[Finding]:
    # A proxy that serves media by itself may traverse the directory (mode 710) but not read it.
    private = (settings.secret, settings.database, settings.data_dir, settings.backups)
    is_open = False
    for path in private:
        if path.exists() and _mode(path) & (0o067 if path.is_dir() else 0o077):
            is_open = True
            mode = "700" if path.is_dir() else "600"
            text = f"{path} is open to other users (mode {_mode(path):o})."
            yield Finding("modes", PROBLEM, text, f"chmod {mode} {quote(path)}")
    if not is_open:
        yield Finding(
            "modes",
            OK,
            "No other user of this machine may read the secret, the data or the backups.",
        )


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _backups(settings: Settings) -> Iterator[Finding]:
    folder = settings.backups
    if folder.is_dir() and not os.access(folder, os.W_OK | os.X_OK):
        us = owner.Owner(os.geteuid(), os.getegid()).names
        yield Finding(
            "backups",
            PROBLEM,
            f"No backup can be written to {folder}, which belongs to {_owner_of(folder).user}.",
            f"chown {us} {quote(folder)}  # as root",
        )


def check_restoration(settings: Settings) -> Finding | None:
    """Return a finding about a restoration that is running or was interrupted;
    None: there is none.
    """
    mark = settings.data_dir / schema.RESTORING
    if not mark.exists():
        return None
    identity, source = schema.read_restoration(settings.data_dir)
    again = backup_sources.make_continuation_command(
        settings, _path_for_damaged(settings), identity
    )
    return Finding(
        "restore",
        PROBLEM,
        f"{settings.data_dir} is only partly restored; restore the same backup again.",
        again or f"python app.py restore {source or 'FILE  # the same backup'}",
    )


def _path_for_damaged(settings: Settings) -> Path:
    """Return the path to which a damaged data directory is moved."""
    return settings.data_dir.with_name(settings.data_dir.name + ".damaged")


def list_replacement_commands(settings: Settings) -> str:
    """Return the commands that replace the data directory with the newest backup and keep the old
    one beside it.
    """
    folder, owned_by = settings.data_dir, _owner_of(settings.data_dir)
    aside, backup = _path_for_damaged(settings), backup_sources.find_newest(settings)
    restores, note = f"SVC_DATA_DIR={quote(folder)} python app.py restore FILE", ""
    if backup:
        place = backup.place
        if isinstance(place, Path) and place.is_relative_to(folder):
            place = aside / place.relative_to(folder)
        restores, note = backup.make_restore_command(folder, place, *backup.whole), backup.note
    user, _, group = owned_by.names.partition(":")
    install = f"install --directory --mode 0710 --owner {user} --group {group} {quote(folder)}"
    return f"mv {quote(folder)} {quote(aside)} && {install} && {restores}{note}"


def is_served(settings: Settings) -> bool:
    """Return whether some process has the database open."""
    return is_locked(settings.data_dir / "database.lock")
