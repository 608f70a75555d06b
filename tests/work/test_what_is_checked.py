"""What is checked is told in the same words and the same order: to /readyz, in alerts, by the
doctor and in /metrics. The words are in the folder ``checked``; WRITE_GOLDEN=1 writes them anew.
"""

import os
import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from support import plain_sql

from svc.base import disk, outage, start_failures
from svc.base.clock import HOUR
from svc.base.processes import landlock
from svc.base.settings import Settings
from svc.domain.lifecycle import render_queue
from svc.domain.monitoring import backlog, health_checks, metrics, readiness, workers
from svc.domain.monitoring.workers import Process
from svc.store import meta
from svc.store.backup import database_file
from svc.store.database import db
from svc.work.doctor import findings
from svc.work.doctor import run as doctor
from svc.work.self_check import SelfCheck

WORDS = Path(__file__).with_name("checked")
# what differs between machines and runs
_VARIES = (
    (re.compile(r"\b\d+(\.\d+)? (MB|MiB|ms|µs)\b"), r"N \2"),
    (re.compile(r"(SQLite )\d[\d.]*\d"), r"\1N"),
    (re.compile(r"(this program of )\d+(\.\d+){2}"), r"\1RELEASE"),
    (re.compile(r"^(svc_(?:disk|database|wal)\w*_bytes) .+", re.MULTILINE), r"\1 N"),
    (re.compile(r"^(disk|confinement|fsync) \| .*", re.MULTILINE), r"\1 | …"),
    (re.compile(r"belongs to \w+|(--owner|--group) \w+"), "of the user"),
)


@pytest.fixture
def given(app) -> Settings:
    return app.extensions["svc"].settings


@pytest.fixture(autouse=True)
def same_machine(monkeypatch):
    """The media check takes seconds, what can be confined depends on the system, and what other
    tests counted is nothing here."""
    metrics._requests.clear()
    metrics._sums.clear()
    monkeypatch.setattr(doctor, "_check_media", lambda *_: [])
    monkeypatch.setattr(landlock, "read_landlock_version", lambda: 6)


def told_as_before(
    name: str, lines: list[str], settings: Settings, *, may_grow: bool = False
) -> None:
    """Compare what is told with the words of the file ``name``. ``may_grow``: further lines may be
    told beside them."""
    text = "".join(f"{line}\n" for line in lines).replace(str(settings.data_dir), "DATA")
    for pattern, by in _VARIES:
        text = pattern.sub(by, text)
    file = WORDS / f"{name}.txt"
    if os.environ.get("WRITE_GOLDEN"):
        file.write_text(text, "utf-8")
    expected, told = file.read_text("utf-8").splitlines(), text.splitlines()
    assert [line for line in told if line in expected or not may_grow] == expected


def break_everything(given: Settings, clock, monkeypatch) -> None:
    """Make every check of readiness fail, and every one that raises an alert."""
    with db.transaction():
        meta.put("heartbeat", clock())
        backlog.store_backup_schedule(6, clock())
    clock.tick(13 * 3600)
    readiness.report_outage(outage.DAMAGED, clock())
    monkeypatch.setattr(
        disk, "find_unusable_folder", lambda _: "DATA/work is no folder: move it away."
    )
    monkeypatch.setattr(disk, "count_free_files", lambda _: 12)
    given.secret.rename(given.data_dir / "kept")


def test_readiness_and_alerts_say_the_same(app, given, clock, partner, monkeypatch):
    partner.trigger()
    break_everything(given, clock, monkeypatch)
    problem = "the bucket does not answer"
    probe = readiness.Probe(given, lambda: problem)
    told = [f"{part}: {text}" for part, text in probe.describe_problems(clock()).items()]
    checking = replace(given, backup_every_hours=6)
    SelfCheck(checking, clock, lambda: problem).run()
    told += [
        " | ".join((row["name"], row["severity"], row["message"]))
        for row in plain_sql.rows("SELECT * FROM alerts ORDER BY id")
    ]
    told_as_before("readiness-and-alerts", told, given)


def test_every_alert_is_known_in_the_same_order(given):
    known = [f"{name}: {', '.join(each)}" for name, each in health_checks.list_alerts().items()]
    told_as_before("alerts", known, given, may_grow=True)


@pytest.mark.sqlite("PostgreSQL has figures of its own")
def test_the_figures_are_the_same(app, given, clock, partner):
    partner.trigger()
    with db.transaction():
        meta.put("heartbeat", clock())
        backlog.store_backup_schedule(6, clock())
    worker = Process("w:1", "w.example", 4711, "1.0.0", sorted(render_queue.ALL_ABILITIES), clock())
    workers.record_heartbeat(worker, "worker", 2, clock())
    clock.tick(60)
    shown = app.test_client().get("/metrics").text.splitlines()
    counted = ("svc_request", "svc_alerts_total{", "# TYPE svc_alerts", "svc_events")
    told = [line for line in shown if not line.startswith(counted)]
    told += [line for line in shown if line.startswith("svc_alerts_total{")]
    told_as_before("figures", told, given, may_grow=True)


def examine(app, given: Settings, clock, **more) -> list[str]:
    app.extensions["svc"].recorder.stop()
    db.close()
    return [
        f"{each.name} | {each.verdict} | {each.text} | {each.mend or '–'}"
        for each in doctor.examine(given, clock(), **more)
    ]


@pytest.mark.sqlite("reads the file of the data directory")
def test_the_doctor_says_the_same_of_what_is_sound(app, given, clock, monkeypatch):
    with db.transaction():
        meta.put("heartbeat", clock())
        meta.put("backup", clock())
    sound = replace(
        given,
        base_url="https://media.example.com",
        disk_floor_megabytes=0,
        backup_every_hours=6,
        speech_languages=(),
    )
    monkeypatch.setattr(findings, "is_locked", lambda _: True)  # an engine runs
    told_as_before("doctor-sound", examine(app, sound, clock, deep=True), given)


@pytest.mark.sqlite("reads the file of the data directory")
def test_the_doctor_says_the_same_of_what_is_broken(app, given, clock, partner, monkeypatch):
    partner.get("/v1/webhooks", base_url="https://real.example.com")
    hooks = {"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": ["production.queued"]}
    partner.post("/v1/webhooks", json=hooks)
    with db.transaction():
        plain_sql.execute(
            "INSERT INTO sensitivity_rules VALUES ('r', 'operator', NULL, '(?=a)b', 1, 0)"
        )
        plain_sql.execute(
            "UPDATE subscriptions SET id = 'hook', "
            "endpoint_url = replace(endpoint_url, '93.184.215.14', '127.0.0.1:1')"
        )
        meta.put("heartbeat", clock() + HOUR)
    for host, can_run in (("silent", ["video"]), ("busy", sorted(render_queue.ALL_ABILITIES))):
        worker = Process(f"{host}:1", host, 4711, "0.9.0", can_run, clock())
        workers.record_heartbeat(worker, "worker", 2, clock())
        clock.tick(60 if host == "silent" else 0)
    given.secret.rename(given.data_dir / "kept")
    given.data_dir.chmod(0o755)
    monkeypatch.setattr(disk, "count_free_files", lambda _: 12)
    start_failures.record(given.data_dir, "The secret is missing.", clock())
    broken = replace(given, backup_every_hours=6, render_workers=0)
    told_as_before("doctor-broken", examine(app, broken, clock, endpoints=True), given)


@pytest.mark.sqlite("reads the file of the data directory")
@pytest.mark.parametrize("state", ["nothing there", "restoring", "damaged", "other schema"])
def test_the_doctor_says_the_same_where_it_ends_early(app, given, clock, state):
    app.extensions["svc"].recorder.stop()
    db.close()
    if state == "nothing there":
        given.data_dir.rename(given.data_dir.with_name("away"))
    elif state == "restoring":
        (given.data_dir / "restoring").write_text("{}")
    elif state == "damaged":
        given.database.write_bytes(b"no database" * 1000)
    else:
        with closing(database_file.connect(given.database)) as connection:
            connection.execute("UPDATE meta SET value = '9999' WHERE name = 'schema_version'")
    told_as_before(f"doctor-{state.replace(' ', '-')}", examine(app, given, clock), given)
