"""The doctor's visit: everything that is known to go wrong in such a service, each finding with what mends it."""

import fcntl
import json
import shlex
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import peewee

from svc.adapters.http import Sender
from svc.base import clock, machine
from svc.base.settings import Settings
from svc.domain import addressing, rules
from svc.store import archive, database, schema

OK, WARNING, PROBLEM = "ok", "warning", "problem"

_SAFE_SQLITE = (3, 51, 3)  # earlier ones can corrupt the write-ahead log
_INSTANT_MS = 0.02  # an fsync that takes less has reached no disk
_SLOW_MS = 50.0
_HEARTBEAT = 30 * clock.SECOND
_LARGE_WAL = 128 << 20
_ENDPOINTS = 200  # looked at
_ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at. ``verdict``: ok, warning or problem. ``mend``: the command or setting that helps."""

    name: str
    verdict: str
    text: str
    mend: str | None = None


def examine(settings: Settings, now: int, *, endpoints: bool = False, deep: bool = False) -> Iterator[Finding]:
    """Look at everything. ``endpoints``: also reach out to partners' endpoints; ``deep``: read the whole database."""
    yield from _disk(settings)
    yield from _sqlite()
    yield from _modes(settings)
    if not settings.database.exists():
        yield Finding("database", PROBLEM, f"There is none in {settings.data_dir}.", "python app.py serve  # makes one")
    else:
        yield from _database(settings, deep)
        if schema_is_ours(settings):
            database.open_database(settings.database)
            try:
                yield from _running(settings, now)
                if endpoints:
                    yield from _endpoints(settings)
            finally:
                database.close_database()
    yield from _address(settings)
    yield from _media()


def _disk(settings: Settings) -> Iterator[Finding]:
    there, data_dir = machine.disk(settings.data_dir), settings.data_dir
    if there.is_network:
        yield Finding("disk", PROBLEM, f"{data_dir} is on a network disk ({there.kind}), where SQLite loses data.",
                      "SVC_DATA_DIR=/var/lib/…  # a disk of this machine")  # fmt: skip
        return
    problem = machine.unwritable(data_dir)
    if problem:
        yield Finding("disk", PROBLEM, problem, f"chown -R $(id -u) {_quoted(data_dir)}")
        return
    lost = {"tmpfs": "is gone when the machine starts anew", "overlay": "is gone with its container; mount a volume"}
    if there.kind in lost:
        yield Finding("disk", WARNING, f"{data_dir} is on {there.kind}: what is there {lost[there.kind]}.", "SVC_DATA_DIR=…")
    else:
        yield Finding("disk", OK, f"{data_dir} is on {there.kind}, mounted at {there.mounted_at}.")
    free, floor = machine.free_megabytes(data_dir), settings.disk_floor_megabytes
    if free < floor:
        yield Finding("space", PROBLEM, f"{free} MB are free; under {floor} MB the service is not ready.",
                      f"du -xh --max-depth=1 {_quoted(data_dir)}")  # fmt: skip
    else:
        yield Finding("space", OK, f"{free} MB are free.")
    yield _fsync(machine.fsync_milliseconds(data_dir))


def _fsync(took: float) -> Finding:
    if took < _INSTANT_MS:
        text = f"The disk confirms a write after {took * 1000:.0f} µs, before it can have happened: a power failure loses data."
        return Finding("fsync", WARNING, text, "SVC_DATA_DIR=…  # a disk without a volatile cache, or one that honours fsync")
    if took > _SLOW_MS:
        return Finding("fsync", WARNING, f"The disk takes {took:.0f} ms to confirm a write: every trigger waits for that.",
                       "SVC_DATA_DIR=…  # a faster disk")  # fmt: skip
    return Finding("fsync", OK, f"The disk confirms a write after {took:.2f} ms.")


def _sqlite() -> Iterator[Finding]:
    version = peewee.sqlite3.sqlite_version
    if tuple(map(int, version.split("."))) < _SAFE_SQLITE:
        yield Finding("sqlite", PROBLEM, f"SQLite {version} can corrupt its write-ahead log.",
                      "pip install -r requirements.txt  # brings a newer one")  # fmt: skip
    else:
        yield Finding("sqlite", OK, f"SQLite {version}.")


def _modes(settings: Settings) -> Iterator[Finding]:
    private = (settings.data_dir / "secret", settings.data_dir, settings.backups)
    # A proxy that hands out media by itself may pass through the directory (mode 710), and read nothing there.
    open_to_others = [
        each for each in private if each.exists() and stat.S_IMODE(each.stat().st_mode) & (0o067 if each.is_dir() else 0o077)
    ]  # fmt: skip
    for each in open_to_others:
        mode = "700" if each.is_dir() else "600"
        text = f"{each} is open to other users (mode {stat.S_IMODE(each.stat().st_mode):o})."
        yield Finding("modes", PROBLEM, text, f"chmod {mode} {_quoted(each)}")
    if not open_to_others:
        yield Finding("modes", OK, "Nobody else on this machine may read the secret, the data or the backups.")


def schema_is_ours(settings: Settings) -> bool:
    """Whether the database is one that this program opens without changing it."""
    try:
        with closing(archive.connect(settings.database)) as connection:
            return schema.version_of(connection) == schema.VERSION
    except peewee.sqlite3.Error:
        return False


def _database(settings: Settings, deep: bool) -> Iterator[Finding]:
    try:
        with closing(archive.connect(settings.database)) as connection:
            found = schema.version_of(connection)
            check = "integrity_check" if deep else "quick_check"
            wrong = [text for (text,) in connection.execute(f"PRAGMA {check}(3)") if text != "ok"]
            mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
            shrinks = connection.execute("PRAGMA auto_vacuum").fetchone()[0]
    except peewee.sqlite3.Error as bad:
        wrong, found, mode, shrinks = [str(bad)], None, "wal", 2
    if wrong:
        yield Finding("database", PROBLEM, f"{settings.database} is damaged: {'; '.join(wrong)}.",
                      "SVC_DATA_DIR=/an/empty/directory python app.py restore FILE")  # fmt: skip
        return
    yield Finding("database", OK, f"{settings.database.stat().st_size / 1e6:.1f} MB, whole.")
    if found is None or found < schema.VERSION:
        yield Finding("schema", WARNING, f"Its schema is {found}, this program's {schema.VERSION}.",
                      "python app.py serve  # migrates it; stop every other server before")  # fmt: skip
    elif found > schema.VERSION:
        yield Finding("schema", PROBLEM, f"Its schema {found} is of a newer release than this program.", "git pull")
    if mode != "wal":
        yield Finding("pragmas", PROBLEM, f"Its journal mode is {mode}, not wal.", "python app.py serve  # puts it right")
    if not shrinks:
        yield Finding("pragmas", WARNING, "It cannot give back what is free in it.", "python app.py backup FILE, then restore")
    wal = settings.database.with_name(settings.database.name + "-wal")
    if wal.exists() and wal.stat().st_size > _LARGE_WAL:
        yield Finding("wal", WARNING, f"The write-ahead log has {wal.stat().st_size >> 20} MiB: some program reads for long.",
                      f"fuser -v {_quoted(settings.database)}")  # fmt: skip


def _running(settings: Settings, now: int) -> Iterator[Finding]:
    yield _clock(now)
    yield _engine(settings, now)
    seen = addressing.mismatch(settings.base_url, now - 7 * clock.DAY)
    if seen and seen["forwarded"]:
        yield Finding("proxy", PROBLEM, "Requests come through a proxy, whose word on the client's address is not believed.",
                      "SVC_TRUSTED_PROXIES=1")  # fmt: skip
    elif seen:
        address = f"{seen['scheme']}://{seen['host']}"
        yield Finding("address", PROBLEM, f"Partners reach the service at {address}; links name {settings.base_url}.",
                      f"SVC_BASE_URL={shlex.quote(address)}, or have the proxy pass Host and X-Forwarded-Proto")  # fmt: skip
    yield _backup(settings, now)
    yield from _rules()


def _clock(now: int) -> Finding:
    newest = database.row("""
        SELECT max(at) FROM (
            SELECT * FROM (SELECT at FROM requests ORDER BY id DESC LIMIT 1)
            UNION ALL SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'heartbeat'
        )
    """)[0]  # fmt: skip
    if newest is not None and newest > now + 10 * clock.SECOND:
        text = f"The clock is {(newest - now) // clock.SECOND} s behind what was written last ({clock.text(newest)})."
        return Finding("clock", PROBLEM, text, "timedatectl set-ntp true")
    return Finding("clock", OK, f"The clock says {clock.text(now)}, after everything that was written.")


def _engine(settings: Settings, now: int) -> Finding:
    beat = database.row("SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'heartbeat'")
    if not is_driven(settings):
        text = "No process drives the work: nothing is made, sent or published."
        return Finding("engine", PROBLEM, text, "python app.py serve  # with SVC_ENGINE=on")
    if beat is None or now - beat[0] > _HEARTBEAT:
        text = "A process has the lock of the engine, and its heart has stopped."
        return Finding("engine", PROBLEM, text, f"fuser -k {_quoted(settings.data_dir / 'driver.lock')}, then start it again")
    return Finding("engine", OK, f"Its last heartbeat is {max(0, now - beat[0]) / 1000:.0f} s old.")


def is_driven(settings: Settings) -> bool:
    """Whether some process holds the lock of the engine."""
    try:
        with (settings.data_dir / "driver.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
    except BlockingIOError:
        return True


def _backup(settings: Settings, now: int) -> Finding:
    made = database.row("SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'backup'")
    every = settings.backup_every_hours
    if not every:
        mend = "SVC_BACKUP_EVERY_HOURS=24 SVC_BACKUP_DIR=/another/disk"
        return Finding("backup", WARNING, "No backups are made by the clock.", mend)
    if made is None or now - made[0] > 2 * every * clock.HOUR:
        text = "None was made yet." if made is None else f"The newest is of {clock.text(made[0])}."
        return Finding("backup", PROBLEM, text, f"python app.py backup {_quoted(settings.backups)}/by-hand.tar  # says why")
    return Finding("backup", OK, f"The newest is of {clock.text(made[0])}.")


def _rules() -> Iterator[Finding]:
    for rule in rules.refused_patterns():
        text = f"The pattern {rule['phrase']!r} of sensitivity rule {rule['id']} is given up where it takes long. {rule['why']}"
        yield Finding("rule", WARNING, text, f"python app.py rule remove {rule['id']}  # then: rule add --pattern …")


def _endpoints(settings: Settings) -> Iterator[Finding]:
    """An unsigned empty object, which a receiver refuses: any answer shows that it is reached."""
    rows = database.rows(
        "SELECT id, endpoint_url FROM subscriptions WHERE deleted_at IS NULL ORDER BY id LIMIT ?", (_ENDPOINTS,)
    )
    with closing(Sender(settings.webhook_allow_cidrs)) as sender:
        for each in rows:
            outcome = sender.post(each["endpoint_url"], b"{}", {"Content-Type": "application/json"})
            host = urlsplit(each["endpoint_url"]).netloc.rpartition("@")[2]
            if outcome.status_code is None:
                text = f"Subscription {each['id']} at {host} cannot be reached: {outcome.error}."
                yield Finding("endpoint", WARNING, text, "SVC_WEBHOOK_ALLOW_CIDRS=…  # where a private address is meant")
            else:
                yield Finding("endpoint", OK, f"Subscription {each['id']} at {host} answers ({outcome.duration_ms:.0f} ms).")


def _address(settings: Settings) -> Iterator[Finding]:
    parts = urlsplit(settings.base_url)
    local = parts.hostname in ("127.0.0.1", "localhost", "::1")
    if local:
        yield Finding("base URL", WARNING, f"Links name {settings.base_url}, which only this machine reaches.",
                      "SVC_BASE_URL=https://media.example.com")  # fmt: skip
    elif parts.scheme != "https":
        yield Finding("base URL", WARNING, f"Keys and links travel in the clear to {settings.base_url}.",
                      "python app.py deploy nginx  # or caddy: with TLS")  # fmt: skip
    else:
        yield Finding("base URL", OK, f"Links name {settings.base_url}.")


def _media() -> Iterator[Finding]:
    done = subprocess.run([sys.executable, "-m", "svc.media.checkup"], cwd=_ROOT, capture_output=True, text=True, timeout=120)
    try:
        found = json.loads(done.stdout)
    except ValueError:
        found = {"media": {"ok": False, "text": (done.stderr.strip().splitlines() or ["it said nothing"])[-1]}}
    for name, each in found.items():
        yield Finding(name, OK if each["ok"] else PROBLEM, each["text"],
                      None if each["ok"] else "pip install --force-reinstall -r requirements.txt")  # fmt: skip


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))
