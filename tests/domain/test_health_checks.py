"""The register of the health checks: one function is told by every reader."""

from dataclasses import replace

import pytest
from support import plain_sql

from svc.api import prometheus
from svc.base.outage import OUTAGES
from svc.domain.monitoring import alerts, gauges, health_checks, readiness
from svc.domain.monitoring.gauges import Reading, gauge
from svc.domain.monitoring.health_checks import Installation, Problem, health_check
from svc.store import database
from svc.store.database import db
from svc.store.models.service import NamedValue
from svc.store.queries import Prepared, slot
from svc.work.doctor import run as doctor
from svc.work.doctor.findings import OK, WARNING, Finding
from svc.work.self_check import SelfCheck
from tests.support.documents import require_table

_MOON = Prepared(NamedValue.select(NamedValue.value).where(NamedValue.name == slot("name")))


@pytest.fixture
def given(app):
    settings = app.extensions["svc"].settings
    return replace(settings, disk_floor_megabytes=0, queue_alert_minutes=10_000)


@pytest.fixture
def empty_registers(monkeypatch):
    """What a test registers is gone after it."""
    health_checks.list_checks(), gauges.list_gauges()
    monkeypatch.setattr(health_checks, "_checks", dict(health_checks._checks))
    monkeypatch.setattr(gauges, "_gauges", dict(gauges._gauges))
    monkeypatch.setattr(alerts, "SEVERITIES", dict(alerts.SEVERITIES))


@pytest.fixture
def moon(empty_registers):
    """A check that is one function, as in a file of the folder ``checks``."""

    @health_check("moon", "The moon", is_readiness=True, alert="MoonFull", hint="wait")
    def check_moon(installation: Installation) -> str | None:
        rows = installation.rows(_MOON, name="heartbeat")
        return f"is {rows[0]['value']} % full" if rows else None


def rise(percent: int) -> None:
    with db.transaction():
        plain_sql.execute("INSERT INTO meta VALUES ('heartbeat', ?)", (str(percent),))


def test_readiness_says_what_a_new_check_finds(given, clock, moon):
    assert "moon" not in readiness.Probe(given).describe_problems(clock())
    rise(99)
    assert readiness.Probe(given).describe_problems(clock())["moon"] == "is 99 % full"


def test_a_new_check_raises_its_alert_once(given, clock, moon):
    rise(99)
    check = SelfCheck(given, clock)
    check.run()
    check.run()
    told = plain_sql.rows("SELECT severity, message FROM alerts WHERE name = 'MoonFull'")
    assert [tuple(row) for row in told] == [("warning", "The moon: is 99 % full.")]


def test_the_alert_of_a_new_check_is_known(moon):
    assert health_checks.list_alerts()["MoonFull"] == ("warning",)


def examine_moon(given, clock) -> Finding:
    db.close()
    return {each.name: each for each in doctor.examine(given, clock())}["moon"]


@pytest.mark.sqlite("reads the file of the data directory")
def test_the_doctor_says_what_a_new_check_finds(app, given, clock, moon, monkeypatch):
    """Over its own connection, as the database is not open there."""
    monkeypatch.setattr(doctor, "_check_media", lambda: [])
    rise(99)
    app.extensions["svc"].recorder.stop()
    with monkeypatch.context() as doctors_process:
        doctors_process.delattr(Prepared, "rows")
        found = examine_moon(given, clock)
    assert found == Finding("moon", WARNING, "The moon: is 99 % full.", "wait")
    database.open_database(given.database)
    with db.transaction():
        plain_sql.execute("DELETE FROM meta WHERE name = 'heartbeat'")
    assert examine_moon(given, clock).verdict == OK


def test_the_documentation_lists_every_check():
    require_table(
        "docs/operations.md",
        health_checks.START,
        health_checks.END,
        "svc.domain.monitoring.health_checks.format_table()",
        health_checks.format_table(),
    )


def test_a_remote_store_is_asked_every_ten_seconds(given, clock, monkeypatch):
    times, asked = iter((1000.0, 1001.0, 1009.0, 1010.0)), []
    probe = readiness.Probe(given, lambda: asked.append(1))
    for calls in (1, 1, 1, 2):
        moment = next(times)
        monkeypatch.setattr(readiness.time, "monotonic", lambda moment=moment: moment)
        probe.describe_problems(clock())
        assert len(asked) == calls


def test_every_check_is_in_the_list_once_and_in_order():
    names = [check.name for check in health_checks.list_checks()]
    ready = ["database", "engine", "disk", "directory", "secret", "files"]
    assert names[:9] == [*ready, "processes", "queues", "backups"]


def test_a_check_that_is_there_or_tells_nobody_is_refused(empty_registers):
    for arguments in ({"name": "disk", "alert": "DiskNearlyFull"}, {"name": "moon"}):
        with pytest.raises(ValueError, match="is there already, or tells nobody"):
            health_check(**arguments)(lambda _: None)


def test_an_alert_has_one_list_of_severities(empty_registers):
    with pytest.raises(ValueError, match="has the severities"):
        health_check("moon", alert="BackupOld", severities=("warning",))(lambda _: None)


def test_outages_are_the_last_of_the_alerts():
    names = list(health_checks.list_alerts())
    others = names[: -len(OUTAGES)]
    assert others == sorted(others) and names[-len(OUTAGES) :] == list(OUTAGES)


def test_problems_have_severities_of_their_own(empty_registers, clock, given):
    @health_check("moon", alert="MoonFull", severities=("warning", "critical"))
    def check_moon(_: Installation) -> list[Problem]:
        return [Problem("It rises"), Problem("It falls", "critical")]

    SelfCheck(given, clock).run()
    told = plain_sql.rows("SELECT severity, message FROM alerts WHERE name = 'MoonFull'")
    assert [tuple(row) for row in told] == [("warning", "It rises."), ("critical", "It falls.")]


def test_a_gauge_is_one_function(app, clock, empty_registers):
    calls = []

    def measure(reading: Reading) -> int:
        calls.append(reading.now)
        return len(calls)

    gauge("tide_metres", "The tide.")(lambda reading: reading.measure_once(measure))
    gauge("tides", "The tides.", "sea", "coast")(lambda r: {("a", "b"): r.measure_once(measure)})
    gauge("ebb", "Not shown.")(lambda reading: None)
    collected = {each.name: each for each in prometheus.Families(clock()).collect()}
    assert [each.value for each in collected["svc_tide_metres"].samples] == [1]
    [sample] = collected["svc_tides"].samples
    assert (sample.labels, sample.value) == ({"sea": "a", "coast": "b"}, 1)
    assert "svc_ebb" not in collected and calls == [clock()]  # measured once for both
    with pytest.raises(ValueError, match="is there already"):
        gauge("tides", "Again.")(lambda _: 1)
