"""What the service cannot do without: database, engine, disk, folders, secret, files."""

import socket

from svc.base import clock, disk, outage, start_failures
from svc.domain import master_keys
from svc.domain.monitoring import engine_heartbeat, readiness, start_notes
from svc.domain.monitoring.health_checks import Installation, Problem, health_check
from svc.store import meta, newer_schema
from svc.store.database import db

_WRITE_SECONDS = 1.0  # how long a test write waits for another writer
_FILES_KNOWN_SECONDS = 10.0  # a remote store is asked over the network


@health_check(
    "database",
    "The database",
    is_readiness=True,
    alert="DatabaseNotReady",
    severities=("critical",),
)
def check_database(installation: Installation) -> str | None:
    """Write to the database, unless a process has reported that it cannot be used."""
    now = installation.now
    trouble = readiness.find_reported_outage(now)
    if trouble is not None:
        return trouble.mend
    try:
        # a separate connection would open what was put in their place
        db.require_same_files()
        if problem := newer_schema.find_problem():
            return problem
        with db.separate_connection(_WRITE_SECONDS) as connection:
            meta.put_by(connection, "probe", now)
    except db.Error as failed:
        readiness.report_outage(outage.recognise(failed), now)
        return f"cannot be written: {failed}"
    return None


@health_check("engine", "The engine", is_readiness=True)
def check_engine(installation: Installation) -> str | None:
    """Look at the engine's heartbeat, which may neither be old nor of the future."""
    heartbeat = engine_heartbeat.read_last_heartbeat()
    if heartbeat is None:
        return "no engine is running"
    age = installation.now - heartbeat
    if not engine_heartbeat.is_late(heartbeat, installation.now):
        return None
    if age < 0:
        return f"the engine's last heartbeat is dated {-age // clock.SECOND} s ahead of the clock"
    return f"the engine's last heartbeat is {age // clock.SECOND} s old"


@health_check("disk", "The data directory", is_readiness=True, alert="DiskNearlyFull")
def check_disk(installation: Installation) -> str | None:
    """Look for room for data, and for files."""
    room = disk.measure_room(installation.settings.data_dir)
    floor = installation.settings.disk_floor_megabytes
    if room.lacks_files:
        return (
            f"there is room for {room.files} more files (inodes); at least {disk.LEAST_FILES} are "
            "needed"
        )
    if room.megabytes < floor:
        return f"{room.megabytes} MB are free; at least {floor} MB are needed"
    return None


@health_check(
    "directory",
    "The data directory",
    is_readiness=True,
    alert=outage.READ_ONLY.name,
    severities=("critical",),
)
def check_directory(installation: Installation) -> str | None:
    """Check the folders in the data directory, such as those that root made by mistake."""
    problem = disk.find_unusable_folder(installation.settings.data_dir)
    return problem.rstrip(".") if problem else None


@health_check(
    "secret", "The secret", is_readiness=True, alert="SecretWrong", severities=("critical",)
)
def check_secret(installation: Installation) -> str | None:
    """Check the file of the master keys: a running service keeps its keys,
    but the next start would be refused.
    """
    return master_keys.describe_mismatch(installation.settings.secret, master_keys.list_recorded())


@health_check(
    "files",
    "The bucket",
    is_readiness=True,
    alert=outage.FILE_STORE_UNAVAILABLE.name,
    severities=("critical",),
    known_seconds=_FILES_KNOWN_SECONDS,
)
def check_files(installation: Installation) -> str | None:
    """Ask the store of the finished files."""
    return installation.files_problem()


@health_check(
    "processes",
    alert="WorkerCannotStart",
    severities=("critical",),
    hint="journalctl --unit partner-production --priority warning  # mend what it says; gunicorn "
    "and systemd start another process by themselves",
)
def check_processes(installation: Installation) -> list[Problem]:
    """Look whether a server or a worker cannot start, or a process of one, such as the successor of
    one that was killed, while others serve; also on other machines that reach the database.
    """
    data_dir, now = installation.settings.data_dir, installation.now
    here, elsewhere = start_failures.find(data_dir, now), []
    if installation.settings.database_url:
        elsewhere = start_notes.list_elsewhere(data_dir, now, installation.connection)
    # Named here, too: to the machine that checks tomorrow, this one is another one.
    found = [("", socket.gethostname(), here.at, here.why)] if here else []
    found += [(f" on {host}", host, at, why) for host, at, why in elsewhere]
    return [
        Problem(
            f"A process of the service could not start{where} at {clock.format_time(at)}: {why}",
            of=host,
        )
        for where, host, at, why in found
    ]
