"""Temporary failures of the machine and its neighbours, recognised by their exceptions:
a full disk, a silent bucket.
"""

import errno
import os
from dataclasses import dataclass
from pathlib import Path

from svc.base.errors import FileStoreUnavailable


@dataclass(frozen=True)
class Outage:
    """An outage.

    ``name``: of its alert. ``sentence``: for clients. ``mend``: for the operator. ``seconds``:
    until a retry.
    """

    name: str
    sentence: str
    mend: str
    seconds: int


DISK_FULL = Outage(
    "DiskFull",
    "The service has no room to store anything.",
    "The disk of the data directory is full: make room, and the service continues by itself.",
    30,
)
LOCKED = Outage(
    "DatabaseLocked",
    "The database is busy with something else.",
    (
        "Another program keeps the database locked: stop it (a shell of sqlite3, a foreign "
        "backup), and the service continues."
    ),
    5,
)
READ_ONLY = Outage(
    "DataDirectoryReadOnly",
    "The service cannot store anything.",
    (
        "The data directory cannot be written: mount its disk for writing and give its files to "
        "the service's user."
    ),
    30,
)
FAILING = Outage(
    "DiskFailing",
    "The service cannot read or store anything.",
    (
        "The disk of the data directory answers with errors: see the kernel's log, and keep a "
        "backup ready."
    ),
    30,
)
NO_FOLDER = Outage(
    "DataDirectoryBroken",
    "The service cannot store anything.",
    (
        "A folder of the data directory is a file, or a loop of links: put it right, and the "
        "service continues by itself."
    ),
    30,
)
TOO_MANY_FILES = Outage(
    "TooManyOpenFiles",
    "The service has too many files and connections open.",
    (
        "The service may open no more files: raise its limit (LimitNOFILE of systemd, ulimit -n). "
        "It continues by itself."
    ),
    5,
)
NO_MEMORY = Outage(
    "OutOfMemory",
    "The service has no memory left.",
    (
        "The machine has no memory left: end what takes it, or give the service fewer workers, "
        "and it continues."
    ),
    30,
)
REPLACED = Outage(
    "DatabaseReplaced",
    "The service cannot keep anything.",
    "The database, or its -wal or -shm, was removed or replaced below the running service, so "
    "that nothing is kept: move it back, or stop the service and restore a backup.",
    60,
)
DAMAGED = Outage(
    "DatabaseDamaged",
    "The service cannot read its database.",
    (
        "The database is damaged: stop the service, and run `python app.py doctor`, which names "
        "the backup to restore."
    ),
    60,
)
FILE_STORE_UNAVAILABLE = Outage(
    "FileStoreUnavailable",
    "The service cannot reach its stored files.",
    (
        "The bucket of SVC_STORAGE_URL does not answer, or refuses the service: see the log; "
        "check its address and credentials."
    ),
    30,
)
UNREACHABLE = Outage(
    "DatabaseUnreachable",
    "The service cannot reach its database.",
    "PostgreSQL does not answer: see whether it runs; the service connects again by itself.",
    5,
)
DATABASE_BUSY = Outage(
    "DatabaseBusy",
    "The service is busy.",
    "All connections of a process to PostgreSQL are in use for longer than usual: see what they "
    "wait for in pg_stat_activity. The service continues by itself.",
    5,
)
DATABASE_FULL = Outage(
    "DatabaseFull",
    "The service has no room to store anything.",
    "The disk of PostgreSQL is full: make room there, and the service continues by itself.",
    30,
)
DATABASE_READ_ONLY = Outage(
    "DatabaseReadOnly",
    "The service cannot store anything.",
    "PostgreSQL accepts no changes: let SVC_DATABASE_URL name the primary rather than a standby, "
    "and see to default_transaction_read_only.",
    30,
)
CLOCK_DIFFERS = Outage(
    "ClockDiffers",
    "The service waits for the right time.",
    (
        "The clocks of this machine and of PostgreSQL differ: set both by NTP (timedatectl "
        "set-ntp true), and work begins."
    ),
    30,
)
PROGRAM_OLD = Outage(
    "ProgramOld",
    "The service is being upgraded.",
    (
        "A newer release has migrated the database, and this process is of an earlier one, which "
        "cannot work on it: it takes no more work. Start the newer release in its place."
    ),
    30,
)
KEY_MISSING = Outage(
    "MasterKeyMissing",
    "The service waits for its newest key.",
    (
        "The file secret of this data directory lacks a master key with which other servers sign: "
        "copy theirs, and the service continues by itself."
    ),
    30,
)
_DISK = (DISK_FULL, LOCKED, READ_ONLY, FAILING, NO_FOLDER, REPLACED, DAMAGED)
_MACHINE = (TOO_MANY_FILES, NO_MEMORY)
_ELSEWHERE = (
    FILE_STORE_UNAVAILABLE,
    UNREACHABLE,
    DATABASE_BUSY,
    DATABASE_FULL,
    DATABASE_READ_ONLY,
    CLOCK_DIFFERS,
    PROGRAM_OLD,
    KEY_MISSING,
)
OUTAGES = {trouble.name: trouble for trouble in (*_DISK, *_MACHINE, *_ELSEWHERE)}

_BY_ERRNO = {
    errno.ENOSPC: DISK_FULL,
    errno.EDQUOT: DISK_FULL,
    errno.EROFS: READ_ONLY,
    errno.EIO: FAILING,
    errno.ESTALE: FAILING,
    errno.ENFILE: TOO_MANY_FILES,
}
if hasattr(errno, "EUCLEAN"):  # Linux: the file system is damaged
    _BY_ERRNO[errno.EUCLEAN] = FAILING
# Of a process of the service; a step meets them by its confinement.
_OF_SERVICE = {
    errno.EMFILE: TOO_MANY_FILES,
    errno.ENOMEM: NO_MEMORY,
    errno.ENOBUFS: NO_MEMORY,
}
_NO_THREAD = "can't start new thread"  # what Python says, which has no number for it
# Of a path; a socket has no path, and a firewall answers it with EPERM or EACCES.
_OF_PATHS = {
    errno.EACCES: READ_ONLY,
    errno.EPERM: READ_ONLY,
    errno.ENOTDIR: NO_FOLDER,
    errno.ELOOP: NO_FOLDER,
}
_BY_SQLITE = {  # primary result codes (https://sqlite.org/rescode.html)
    5: LOCKED,
    6: LOCKED,
    8: READ_ONLY,
    10: FAILING,
    11: DAMAGED,
    13: DISK_FULL,
    14: READ_ONLY,
    26: DAMAGED,
}


def recognise(failure: BaseException | None, *, of_step: bool = False) -> Outage | None:
    """Return the outage that caused an exception, directly or through its causes; None if it is a
    programming error.

    ``of_step``: it was raised in a confined step, where missing rights, files and memory are no
    outage.
    """
    visited = set()
    while failure is not None and id(failure) not in visited:
        visited.add(id(failure))
        if isinstance(failure, FileStoreUnavailable):
            return _find_by_errno(failure, of_step) or FILE_STORE_UNAVAILABLE
        code = getattr(failure, "sqlite_errorcode", None)
        # The failures of svc.store.postgres, svc.work.machines.same_time and
        # svc.base.crypto.signing have one, as ResourcesExhausted has.
        outage: Outage | None = getattr(failure, "outage", None)
        if outage is None:
            outage = (
                _BY_SQLITE.get(code & 0xFF)
                if code is not None
                else _find_by_errno(failure, of_step)
            )
        if outage is not None:
            return outage
        failure = failure.__cause__ or failure.__context__
    return None


class ResourcesExhausted(OSError):
    """A process could open no more files and connections, or has no memory, for an exchange with
    somebody who is not to blame: an outage also where that is a step, of which the limits of its
    confinement are none of its content.
    """

    def __init__(self, failure: BaseException):
        super().__init__(str(failure))
        self.outage = recognise(failure)


def _find_by_errno(failure: BaseException, of_step: bool) -> Outage | None:
    if type(failure) is RuntimeError and str(failure) == _NO_THREAD:
        return None if of_step else NO_MEMORY
    code = getattr(failure, "errno", None) or 0
    if of_step or code in _BY_ERRNO:
        return _BY_ERRNO.get(code)
    return _OF_SERVICE.get(code) or (
        _OF_PATHS.get(code) if getattr(failure, "filename", None) is not None else None
    )


def is_resource_exhaustion(failure: BaseException) -> bool:
    """Return whether this process lacks file descriptors or memory, so that the other side is not
    to blame.
    """
    return recognise(failure) in _MACHINE


def find_path(failure: BaseException) -> Path | None:
    """Return the path whose rights or kind an exception is about,
    which may not be of the data directory; None: another one.
    """
    if (
        not isinstance(failure, OSError)
        or failure.errno not in _OF_PATHS
        or failure.filename is None
    ):
        return None
    return Path(os.fsdecode(failure.filename))
