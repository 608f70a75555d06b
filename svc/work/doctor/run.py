"""Runs the doctor: checks the installation for known problems and yields a finding
for each check.
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

from svc.adapters.http import Sender
from svc.base import clock
from svc.base.processes import confinement
from svc.base.processes.entry_points import Process
from svc.base.processes.module_process import find_last_line, run_module
from svc.base.settings import Settings
from svc.domain.monitoring import backlog, base_url_check, engine_heartbeat, health_checks
from svc.domain.monitoring.health_checks import Installation
from svc.domain.partners import sensitivity_rules
from svc.domain.usage import history
from svc.domain.webhooks import endpoint_health
from svc.store import database, inspection, meta
from svc.store.database import Connection, db
from svc.work.backup import sources as backup_sources
from svc.work.doctor import database as database_check
from svc.work.doctor import directory as directory_check
from svc.work.doctor import files as files_check
from svc.work.doctor import machines
from svc.work.doctor.findings import OK, PROBLEM, WARNING, Finding, find_holders, is_driven, quote
from svc.work.machines import further_languages, same_time

_SAFE_SQLITE = (3, 51, 3)  # earlier releases can corrupt the write-ahead log
_ENDPOINTS = 200  # checked at most
_ADDRESS = re.compile(r"https?://([a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(:[0-9]{1,5})?", re.ASCII)


def examine(
    settings: Settings, now: int, *, endpoints: bool = False, deep: bool = False
) -> Iterator[Finding]:
    """Run all checks, which change nothing.

    ``endpoints``: also send a request to partners' endpoints; ``deep``: read the whole database.
    """
    yield from _check_sqlite()
    yield from _check_data(settings, now, endpoints, deep)
    yield from _check_base_url(settings)
    yield _check_confinement()
    yield from _check_media()
    if settings.speech_languages or further_languages.list_codes(settings):
        yield _check_languages(settings)


def _check_data(settings: Settings, now: int, reach_out: bool, deep: bool) -> Iterator[Finding]:
    try:
        unusable = directory_check.check_access(settings)
        if unusable:
            yield unusable
            return
        yield from directory_check.examine(settings)
        if unfinished := directory_check.check_restoration(settings):
            yield unfinished
            return
        yield from database_check.examine(settings, deep)
        if database_check.has_our_schema(settings):
            yield database_check.check_secret(settings)
            with database_check.open_read_only(settings) as connection:
                yield from _check_processes(settings, now, connection)
                yield from files_check.examine(settings, connection, deep, now)
                if reach_out:
                    yield from _check_endpoints(settings, connection)
    except (OSError, db.Error) as error:
        # something changed during the checks, or is not readable
        yield Finding(
            "directory",
            PROBLEM,
            f"{settings.data_dir} cannot be examined: {error}.",
            "python app.py doctor",
        )


def _check_sqlite() -> Iterator[Finding]:
    version = inspection.LIBRARY_VERSION
    if tuple(map(int, version.split("."))) < _SAFE_SQLITE:
        yield Finding(
            "sqlite",
            PROBLEM,
            f"SQLite {version} can corrupt its write-ahead log.",
            "pip install -r requirements.txt  # brings a newer one",
        )
    else:
        yield Finding("sqlite", OK, f"SQLite {version}.")


def _check_processes(settings: Settings, now: int, connection: Connection) -> Iterator[Finding]:
    if settings.database_url and database.refuses_changes(settings.database_url):
        return  # nobody can give a sign of life there, as the check of the database has said
    values = meta.read_texts_by(connection)
    beat = engine_heartbeat.find_last_heartbeat(values)
    written = (beat, history.find_newest_by(connection))
    yield _check_clock(
        now,
        max((instant for instant in written if instant is not None), default=None),
        bool(settings.database_url),
    )
    yield _check_engine(settings, now, beat)
    yield from _check_switches(values)
    yield from _check_addresses_of_requests(settings, now, values.get("address_seen"))
    yield _check_backup(settings, now, int(values["backup"]) if "backup" in values else None)
    yield from _run_health_checks(Installation(settings, now, connection=connection))
    yield from machines.examine(settings, now, connection)
    yield from _check_rules(connection)


def _check_addresses_of_requests(
    settings: Settings, now: int, recorded: str | None
) -> Iterator[Finding]:
    """Compare what requests of the last week named as the service's address with the settings."""
    seen = base_url_check.find_mismatch(
        recorded,
        settings.base_url,
        now - 7 * clock.DAY,
        settings.trusted_proxies,
    )
    if seen and seen["forwarded"] and settings.trusted_proxies:
        pass  # it was recorded before the setting was changed
    elif seen and seen["forwarded"]:
        yield Finding(
            "proxy",
            PROBLEM,
            (
                "A request came with X-Forwarded-For, which is not trusted: through a proxy, or "
                "from a client that made it up."
            ),
            (
                "SVC_TRUSTED_PROXIES=1  # only if a proxy of yours sets the header; otherwise "
                "clients would choose their addresses"
            ),
        )
    elif seen and seen["hops"] < settings.trusted_proxies:
        yield Finding(
            "proxy",
            WARNING,
            (
                f"A request with a valid key came through {seen['hops']} of the "
                f"{settings.trusted_proxies} proxies that are counted: its address is unknown, "
                "and limits and ranges of keys go by that of a proxy."
            ),
            (
                f"SVC_TRUSTED_PROXIES={seen['hops']}  # if all come so; otherwise let only the "
                "first proxy reach the next ones"
            ),
        )
    elif seen:
        yield Finding(
            "address",
            PROBLEM,
            (
                f"A request with a valid key named {_find_client_address(seen)} as its address; "
                f"links name {settings.base_url}."
            ),
            # Never what a client sent: with it, all links would lead where that client likes.
            (
                "SVC_BASE_URL=https://HOST  # the HOST that your partners know, or have the proxy "
                "pass Host and X-Forwarded-Proto"
            ),
        )


def _find_client_address(seen: dict[str, Any]) -> str:
    """Return the address that a client gave, if it may be one: it is shown in a terminal."""
    address = f"{seen['scheme']}://{seen['host']}"
    return address if _ADDRESS.fullmatch(address) else "what is no host"


def _check_clock(now: int, newest: int | None, is_shared: bool) -> Finding:
    """Check the clock against the newest record (ms).

    ``is_shared``: also against the database's own machine.
    """
    if is_shared and abs(ahead := same_time.measure_difference()) > same_time.MOST:
        text = f"{same_time.describe_difference(ahead)}: no work is begun here."
        return Finding("clock", PROBLEM, text, "timedatectl set-ntp true  # on both machines")
    if newest is not None and newest > now + 10 * clock.SECOND:
        text = (
            f"The clock is {(newest - now) // clock.SECOND} s behind the newest record "
            f"({clock.format_time(newest)})."
        )
        return Finding("clock", PROBLEM, text, "timedatectl set-ntp true")
    return Finding(
        "clock", OK, f"The clock says {clock.format_time(now)}, which is later than every record."
    )


def _check_engine(settings: Settings, now: int, beat: int | None) -> Finding:
    beats = not engine_heartbeat.is_late(beat, now)
    # On PostgreSQL, another machine may drive.
    if not is_driven(settings.data_dir) and not (settings.database_url and beats):
        text = "No engine is running: nothing is produced, delivered or published."
        return Finding("engine", PROBLEM, text, "python app.py serve  # with SVC_ENGINE=on")
    if beat is None or not beats:
        lock = settings.data_dir / "driver.lock"
        text = "A process holds the engine's lock, but its heartbeat has stopped."
        named = " ".join(map(str, find_holders(lock, "FLOCK")))
        mend = f"kill -KILL {named}" if named else f"fuser -k {quote(lock)}"
        return Finding(
            "engine",
            PROBLEM,
            text,
            f"{mend}  # another process takes over, or is started in its place",
        )
    return Finding("engine", OK, f"Its last heartbeat is {max(0, now - beat) / 1000:.0f} s old.")


def _check_switches(values: Mapping[str, str]) -> Iterator[Finding]:
    """Yield a finding for each switch with which an operator stops the whole service."""
    if values.get("maintenance", "off") != "off":
        text = "Maintenance mode is on: the API answers 503."
        yield Finding("maintenance", WARNING, text, "python app.py maintenance off")
    if "queue_paused" in values:
        since = clock.format_time(int(values["queue_paused"]))
        text = f"The whole queue has been paused since {since}: no step is begun."
        yield Finding("queue", WARNING, text, "python app.py queue resume")


def _check_backup(settings: Settings, now: int, by_clock: int | None) -> Finding:
    interval = settings.backup_every_hours
    if settings.database_url:
        mend = "python app.py backup /another/disk/$(date +%F).tar  # by cron, docs/scale.md"
        return Finding(
            "backup", WARNING, "The service makes no backups of PostgreSQL by itself.", mend
        )
    if not interval:
        mend = "SVC_BACKUP_EVERY_HOURS=24 SVC_BACKUP_DIR=/another/disk"
        return Finding("backup", WARNING, "No scheduled backups are made.", mend)
    times = [
        time
        for time in (by_clock, backup_sources.find_newest_backup_time(settings))
        if time is not None
    ]
    # what is dated ahead was made before the clock was set back, and nobody knows when
    newest = max((time for time in times if time <= now + clock.SKEW), default=None)
    if newest is None or backlog.is_backup_old(newest, interval, now):
        text = (
            f"The newest is dated {clock.format_time(max(times))}, ahead of the clock."
            if newest is None and times
            else "None has been made yet."
            if newest is None
            else f"The newest was made at {clock.format_time(newest)}."
        )
        folder = quote(settings.backups)
        mend = (
            f"mkdir --parents --mode 0700 {folder} && python app.py backup "
            f"{folder}/by-hand-$(date +%s).tar  # shows the reason"
        )
        return Finding("backup", PROBLEM, text, mend)
    return Finding("backup", OK, f"The newest was made at {clock.format_time(newest)}.")


def _run_health_checks(installation: Installation) -> Iterator[Finding]:
    """Run the health checks that name a command; of the others there are examinations here."""
    for check in health_checks.list_checks():
        if not check.hint:
            continue
        problems = check.find_problems(installation)
        for problem in problems:
            is_warning = check.alert and check.find_severity(problem) == "warning"
            verdict = WARNING if is_warning else PROBLEM
            yield Finding(check.name, verdict, check.describe_problem(problem), check.hint)
        if not problems:
            yield Finding(check.name, OK, "Nothing is wrong.")


def _check_rules(connection: Connection) -> Iterator[Finding]:
    for rule in sensitivity_rules.find_refused_patterns_by(connection):
        text = (
            f"The pattern {rule['phrase']!r} of sensitivity rule {rule['id']} may take too long "
            f"to match. {rule['why']}"
        )
        yield Finding(
            "rule",
            WARNING,
            text,
            f"python app.py rule remove {rule['id']}  # then: rule add --pattern …",
        )


def _check_endpoints(settings: Settings, connection: Connection) -> Iterator[Finding]:
    """Send an unsigned empty object, which a receiver refuses:
    any answer shows that the endpoint is reachable.
    """
    rows = endpoint_health.list_addresses_by(connection, _ENDPOINTS)
    with closing(Sender(settings.webhook_allow_cidrs)) as sender:
        for row in rows:
            outcome = sender.post(row["endpoint_url"], b"{}", {"Content-Type": "application/json"})
            host = urlsplit(row["endpoint_url"]).netloc.rpartition("@")[2]
            if outcome.status_code is None:
                text = f"Subscription {row['id']} at {host} cannot be reached: {outcome.error}."
                yield Finding(
                    "endpoint",
                    WARNING,
                    text,
                    "SVC_WEBHOOK_ALLOW_CIDRS=…  # if a private address is intended",
                )
            else:
                yield Finding(
                    "endpoint",
                    OK,
                    f"Subscription {row['id']} at {host} answers ({outcome.duration_ms:.0f} ms).",
                )


def _check_base_url(settings: Settings) -> Iterator[Finding]:
    parts = urlsplit(settings.base_url)
    local = parts.hostname in ("127.0.0.1", "localhost", "::1", "0.0.0.0", "::")  # noqa: S104
    if local:
        yield Finding(
            "base URL",
            WARNING,
            f"Links name {settings.base_url}, which only this machine can reach.",
            "SVC_BASE_URL=https://media.example.com",
        )
    elif parts.scheme != "https":
        yield Finding(
            "base URL",
            WARNING,
            f"Keys and links are sent unencrypted to {settings.base_url}.",
            "python app.py deploy nginx  # or caddy: with TLS",
        )
    else:
        yield Finding("base URL", OK, f"Links name {settings.base_url}.")


def _check_confinement() -> Finding:
    missing = [
        name for name, is_active in confinement.list_effective_parts().items() if not is_active
    ]
    if missing:
        text = (
            "Rendering processes are confined, but not completely. This system lacks: "
            f"{'; '.join(missing)}."
        )
        return Finding(
            "confinement",
            WARNING,
            text,
            "uname -r  # Linux 5.13 or newer, on x86-64 or arm64, has all of it",
        )
    return Finding(
        "confinement",
        OK,
        (
            "Rendering processes are confined: files, network, processes and memory are limited "
            "to what they need."
        ),
    )


def _check_languages(settings: Settings) -> Finding:
    if lacking := further_languages.list_without_letters(settings, settings.speech_languages):
        text = (
            f"No font has the letters of {', '.join(lacking)}, which SVC_SPEECH_LANGUAGES names: "
            "the service does not start."
        )
        return Finding("languages", PROBLEM, text, "pip install noto-cjk-sans-otc")
    spoken = ", ".join(further_languages.list_codes(settings))
    return Finding("languages", OK, f"Also spoken: {spoken}; fonts have their letters.")


def _check_media() -> Iterator[Finding]:
    done = run_module(Process.MEDIA_CHECK, seconds=120)
    try:
        checks = json.loads(done.stdout)
    except ValueError:
        said = find_last_line(done.stderr.decode(errors="replace"), "it wrote nothing")
        checks = {"media": {"ok": False, "text": said}}
    for name, check in checks.items():
        yield Finding(
            name,
            OK if check["ok"] else PROBLEM,
            check["text"],
            None if check["ok"] else "pip install --force-reinstall -r requirements.txt",
        )
