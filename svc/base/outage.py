"""Temporary failures of the machine and its neighbours, recognised by their exceptions: a full disk, a silent bucket."""

import errno
from dataclasses import dataclass

from svc.base.errors import FileStoreUnavailable


@dataclass(frozen=True)
class Outage:
    """An outage. ``name``: of its alert. ``sentence``: for clients. ``mend``: for the operator. ``seconds``: until a retry."""

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
    "Another program keeps the database locked: stop it (a shell of sqlite3, a foreign backup), and the service continues.",
    5,
)
READ_ONLY = Outage(
    "DataDirectoryReadOnly",
    "The service cannot store anything.",
    "The data directory cannot be written: mount its disk for writing and give its files to the service's user.",
    30,
)
FAILING = Outage(
    "DiskFailing",
    "The service cannot read or store anything.",
    "The disk of the data directory answers with errors: see the kernel's log, and keep a backup ready.",
    30,
)
DAMAGED = Outage(
    "DatabaseDamaged",
    "The service cannot read its database.",
    "The database is damaged: stop the service, and run `python app.py doctor`, which names the backup to restore.",
    60,
)
FILES = Outage(
    "FileStoreUnavailable",
    "The service cannot reach its stored files.",
    "The bucket of SVC_STORAGE_URL does not answer, or refuses the service: see the log; check its address and credentials.",
    30,
)
UNREACHABLE = Outage(
    "DatabaseUnreachable",
    "The service cannot reach its database.",
    "PostgreSQL does not answer: see whether it runs; the service connects again by itself.",
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
    "PostgreSQL accepts no changes: let SVC_DATABASE_URL name the primary rather than a standby, and see to "
    "default_transaction_read_only.",
    30,
)
CLOCK_DIFFERS = Outage(
    "ClockDiffers",
    "The service waits for the right time.",
    "The clocks of this machine and of PostgreSQL differ: set both by NTP (timedatectl set-ntp true), and work begins.",
    30,
)
_DISK = (DISK_FULL, LOCKED, READ_ONLY, FAILING, DAMAGED)
_ELSEWHERE = (FILES, UNREACHABLE, DATABASE_FULL, DATABASE_READ_ONLY, CLOCK_DIFFERS)
ALL = {trouble.name: trouble for trouble in (*_DISK, *_ELSEWHERE)}

_BY_ERRNO = {
    errno.ENOSPC: DISK_FULL,
    errno.EDQUOT: DISK_FULL,
    errno.EROFS: READ_ONLY,
    errno.EIO: FAILING,
}
_BY_SQLITE = {  # primary result codes (https://sqlite.org/rescode.html)
    5: LOCKED, 6: LOCKED, 8: READ_ONLY, 10: FAILING, 11: DAMAGED, 13: DISK_FULL, 14: READ_ONLY,
    26: DAMAGED,
}  # fmt: skip


def recognise(failure: BaseException | None) -> Outage | None:
    """Return the outage that caused an exception, directly or through its causes; None if it is a programming error."""
    seen = set()
    while failure is not None and id(failure) not in seen:
        seen.add(id(failure))
        if isinstance(failure, FileStoreUnavailable):
            return FILES
        code = getattr(failure, "sqlite_errorcode", None)
        trouble: Outage | None = getattr(failure, "outage", None)  # of svc.store.postgres and svc.work.machines.same_time
        if trouble is None:
            trouble = _BY_SQLITE.get(code & 0xFF) if code is not None else _BY_ERRNO.get(getattr(failure, "errno", 0))
        if trouble is not None:
            return trouble
        failure = failure.__cause__ or failure.__context__
    return None
