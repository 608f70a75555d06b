"""What monitoring asks: liveness, readiness, and figures that agree with what happened."""

import os
import shutil
import threading
from dataclasses import replace

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read_openmetrics
from prometheus_client.parser import text_string_to_metric_families as read_text
from support import plain_sql
from support.cast import body, refused
from support.counting import lines_run
from support.outbox import answer, claim
from support.stage import complete_steps, publish_all

from app import create_app
from svc.base import disk, outage, settings
from svc.domain.access import rate_limit
from svc.domain.monitoring import alerts, metrics, readiness
from svc.domain.monitoring.checks import installation
from svc.domain.overview import dashboard
from svc.store import database
from svc.store.database import db
from svc.store.engine.sqlite_driver import sqlite3
from tests.support.processes import at_once

OPENMETRICS = {"Accept": "application/openmetrics-text; version=1.0.0"}


@pytest.fixture(autouse=True)
def counted_from_zero():
    metrics._requests.clear()
    metrics._sums.clear()


@pytest.fixture
def client(app):
    return app.test_client()


@pytest.fixture
def beating(app, clock):
    """Somebody drives the work."""
    with db.transaction():
        plain_sql.execute("INSERT INTO meta VALUES ('heartbeat', ?)", (str(clock()),))


def samples(client, **more) -> dict:
    """Every sample of /metrics by its name and its labels in the order of their names."""
    found = client.get("/metrics", **more)
    assert found.status_code == 200, found.data
    families = read_openmetrics if "openmetrics" in found.content_type else read_text
    every = [each for family in families(found.text) for each in family.samples]
    return {
        (each.name, *(value for _, value in sorted(each.labels.items()))): each.value
        for each in every
    }


@pytest.fixture
def damaged(tmp_path):
    """What SQLite raises when a file is no database, or a damaged one."""
    path = tmp_path / "damaged.db"
    path.write_bytes(b"not a database" * 1000)
    connection = sqlite3.connect(path)
    with pytest.raises(db.Error) as raised:
        connection.execute("SELECT 1 FROM sqlite_master")
    connection.close()
    return raised.value


def test_a_damaged_database_is_a_503_and_nobody_is_ready_until_all_have_ended(
    client, partner, beating, damaged, monkeypatch
):
    def fail(*_, **__):
        raise damaged

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(rate_limit, "count_request", fail)
        answer = partner.get("/v1/webhooks")
    envelope = refused(answer, 503, "SERVICE_UNAVAILABLE")
    assert envelope["message"].startswith(outage.DAMAGED.sentence)
    assert (
        answer.headers["Retry-After"]
        == str(envelope["retryAfterSeconds"])
        == str(outage.DAMAGED.seconds)
    )
    assert partner.get("/v1/webhooks").status_code == 200  # what can still be read is
    found = client.get("/readyz")
    assert found.status_code == 503 and "damaged" in body(found)["problems"]["database"]
    client.application.extensions["svc"].recorder.stop()
    # by processes that were started anew, after the restoration
    database.open_database(db.path())
    assert readiness.find_reported_outage(0) is None


def test_a_disk_that_fails_once_is_not_ready_for_a_minute(client, beating, clock):
    readiness.report_outage(outage.FAILING, clock())
    assert "answers with errors" in body(client.get("/readyz"))["problems"]["database"]
    assert readiness.find_reported_outage(clock() + 61_000) is None


def test_readiness_is_told_even_where_nothing_can_be_read(client, beating, damaged, monkeypatch):
    def fail(*_, **__):
        raise damaged

    monkeypatch.setattr(db, "row", fail)
    found = client.get("/readyz")
    assert found.status_code == 503 and "cannot be determined" in body(found)["problems"]["engine"]


def test_a_living_process_says_so(client):
    found = client.get("/healthz")
    assert (found.status_code, body(found), found.headers["Cache-Control"]) == (
        200,
        {"status": "ok"},
        "no-store",
    )


def test_it_is_ready_when_it_can_write_and_somebody_drives_and_there_is_room(client, beating):
    found = client.get("/readyz")
    assert (found.status_code, body(found)) == (200, {"status": "ready", "problems": {}})


def test_it_is_not_ready_before_somebody_drives(client):
    found = client.get("/readyz")
    assert (found.status_code, body(found)["problems"]) == (503, {"engine": "no engine is running"})


def test_it_is_not_ready_when_the_heart_has_stopped(client, beating, clock):
    clock.tick(31)
    assert body(client.get("/readyz"))["problems"] == {
        "engine": "the engine's last heartbeat is 31 s old"
    }


def test_a_heart_that_last_beat_before_the_clock_was_set_back_has_stopped(client, beating, clock):
    clock.tick(-14_991)
    assert body(client.get("/readyz"))["problems"] == {
        "engine": "the engine's last heartbeat is dated 14991 s ahead of the clock"
    }
    assert dashboard.find_engine_health(clock())["state"] == "late"


def test_it_is_not_ready_without_room(client, beating, monkeypatch):
    monkeypatch.setattr(
        shutil,
        "disk_usage",
        lambda _: shutil._ntuple_diskusage(1 << 40, 1 << 40, 42_000_000),
    )
    assert body(client.get("/readyz"))["problems"] == {
        "disk": "42 MB are free; at least 500 MB are needed"
    }


@pytest.mark.parametrize(
    ("limit", "free", "problem"),
    [
        (100_000, 1_999, "there is room for 1999 more files (inodes); at least 2000 are needed"),
        (100_000, 2_000, None),
        (0, 0, None),
    ],
)
def test_it_is_not_ready_without_room_for_files_where_their_number_is_limited(
    client, beating, monkeypatch, limit, free, problem
):
    counted = os.statvfs_result((4096, 4096, 1 << 40, 1 << 40, 1 << 40, limit, free, free, 0, 255))
    monkeypatch.setattr(os, "statvfs", lambda _: counted)
    assert body(client.get("/readyz"))["problems"] == ({"disk": problem} if problem else {})


@pytest.mark.sqlite("locks the file")
def test_it_is_not_ready_while_the_database_cannot_be_written(client, beating, monkeypatch):
    monkeypatch.setattr(installation, "_WRITE_SECONDS", 0.01)
    with db.transaction():
        assert body(client.get("/readyz"))["problems"] == {
            "database": "cannot be written: database is locked"
        }


def test_it_is_asked_at_most_once_a_second(client, beating, monkeypatch):
    asked = []
    monkeypatch.setattr(disk, "measure_room", lambda _: asked.append(1) or disk.Room(9999, None))
    monkeypatch.setattr(readiness.time, "monotonic", lambda: 1000.0)
    for _ in range(20):
        client.get("/readyz")
    monkeypatch.setattr(readiness.time, "monotonic", lambda: 1001.0)
    client.get("/readyz")
    assert len(asked) == 2


@pytest.mark.parametrize("headers", [{}, OPENMETRICS])
def test_requests_are_counted_by_route_and_status(client, partner, headers):
    for _ in range(3):
        partner.get("/v1/webhooks")
    partner.get("/v1/webhooks", key="svc_live_unknown")
    client.get("/nothing/here")
    found = samples(client, headers=headers)
    assert found["svc_requests_total", "GET", "/v1/webhooks", "200"] == 3
    assert found["svc_requests_total", "GET", "/v1/webhooks", "401"] == 1
    assert found["svc_requests_total", "any", "none", "404"] == 1
    assert found["svc_request_seconds_count", "/v1/webhooks"] == 4
    assert found["svc_request_seconds_bucket", "+Inf", "/v1/webhooks"] == 4
    assert 0 < found["svc_request_seconds_sum", "/v1/webhooks"] < 4


def test_the_path_of_a_request_is_never_a_label(client, partner):
    for number in range(20):
        partner.get(f"/v1/productions/{number:08d}-0000-0000-0000-000000000000")
        client.open(f"/made/up/{number}", method=f"MADEUP{number}")
    routes = {name[1:3] for name in samples(client) if name[0] == "svc_requests_total"}
    assert routes == {("GET", "/v1/productions/<production_id>"), ("any", "none")}


def test_productions_deliveries_and_alerts_are_counted(client, partner, clock):
    url = "https://93.184.215.14/hooks"
    types = ["production.queued", "production.published"]
    partner.post("/v1/webhooks", json={"endpointUrl": url, "eventTypes": types})
    partner.trigger()
    partner.trigger()
    found = samples(client)
    assert (found["svc_productions", "Queued"], found["svc_deliveries_waiting", "0"]) == (2, 2)
    clock.tick(90)
    found = samples(client)
    assert (
        found["svc_oldest_due_seconds", "delivery"]
        == found["svc_oldest_due_seconds", "production"]
        == 90
    )
    complete_steps(clock)
    publish_all(clock)
    answer(claim(clock()), clock())
    answer(claim(clock()), clock(), 500)
    with db.transaction():
        alerts.raise_alert("BackupFailed", "critical", "no room", clock())
    found = samples(client)
    assert found["svc_events_total", "production.published"] == 1
    assert found["svc_events_total", "production.queued"] == 2
    assert (
        found["svc_deliveries_total", "succeeded"] >= 1
        and found["svc_deliveries_total", "failed"] >= 1
    )
    assert found["svc_delivery_delay_seconds_count",] == found["svc_deliveries_total", "succeeded"]
    assert found["svc_alerts_total", "BackupFailed", "critical"] == 1
    assert found["svc_database_bytes",] > 100_000 and found["svc_disk_free_bytes",] > 0


def test_a_transaction_that_is_undone_is_not_counted(client, partner, clock):
    with pytest.raises(ZeroDivisionError), db.transaction():
        alerts.raise_alert("BackupFailed", "critical", "no room", clock())
        raise ZeroDivisionError
    assert samples(client)["svc_alerts_total", "BackupFailed", "critical"] == 0


@pytest.mark.sqlite("its processes open the file")
def test_processes_add_up_and_restarts_take_nothing_away(client, app, partner):
    partner.get("/v1/webhooks")
    metrics.flush()
    imports = (
        "from pathlib import Path; from svc.store import database; from svc.domain.monitoring "
        "import metrics"
    )
    count = (
        "database.open_database(Path(sys.argv[1])) or "
        "[metrics.count_request('/v1/webhooks', 'GET', 200, 0.001) for _ in range(1000)] "
        "and metrics.flush() or 'done'"
    )
    assert at_once(3, imports, count, app.extensions["svc"].settings.database) == ["done"] * 3
    assert samples(client)["svc_requests_total", "GET", "/v1/webhooks", "200"] == 3001


def test_what_cannot_be_written_now_is_written_later(client, partner, monkeypatch):
    partner.get("/v1/webhooks")
    with monkeypatch.context() as full:
        full.setattr(db, "execute", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            metrics.flush()
    assert samples(client)["svc_requests_total", "GET", "/v1/webhooks", "200"] == 1


def test_a_database_that_cannot_be_written_is_told_of_all_the_same(client, partner, monkeypatch):
    def full(*_):
        raise db.Error("database or disk is full")

    partner.get("/v1/webhooks")
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(db, "execute", full)
        assert samples(client)["svc_disk_free_bytes",] > 0
    assert samples(client)["svc_requests_total", "GET", "/v1/webhooks", "200"] == 1


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Forwarded-For": "203.0.113.9"},
        {"Forwarded": "for=203.0.113.9"},
        {"X-Real-IP": "203.0.113.9"},
        {"Via": "1.1 proxy"},
    ],
)
def test_without_a_token_only_this_machine_is_answered(client, headers):
    for here in ("::1", "127.0.0.1:51008", "::ffff:127.0.0.1", ""):
        assert client.get("/metrics", environ_base={"REMOTE_ADDR": here}).status_code == 200
    refused(client.get("/metrics", environ_base={"REMOTE_ADDR": "unknown"}), 404, "NOT_FOUND")
    refused(client.get("/metrics", environ_base={"REMOTE_ADDR": "203.0.113.9"}), 404, "NOT_FOUND")
    refused(client.get("/metrics", headers=headers), 404, "NOT_FOUND")


def test_with_a_token_whoever_has_it_is_answered(tmp_path, clock):
    given = settings.read(
        {"SVC_METRICS_TOKEN": "correct-horse-battery"}, data_dir=tmp_path / "data"
    )
    made = create_app(given, clock)
    client, far = made.test_client(), {"REMOTE_ADDR": "203.0.113.9"}
    allowed = client.get(
        "/metrics", environ_base=far, headers={"Authorization": "Bearer correct-horse-battery"}
    )
    assert allowed.status_code == 200
    for headers in (
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Bearer "},
        {"Authorization": "Bearer ümlaut"},
    ):
        refused(client.get("/metrics", headers=headers), 401, "UNAUTHORIZED")
    made.extensions["svc"].recorder.stop()
    db.close()


def test_counting_a_request_takes_few_steps_however_many_were_counted(app):
    """Every request is counted.

    A step is a line of Python; a statement for the database takes dozens.
    """

    def count() -> None:
        metrics.count_request("/v1/productions/<id>", "GET", 200, 0.0007)

    metrics.flush()
    count()
    alone = lines_run(count)
    metrics.flush()
    for number in range(1000):
        metrics.count_request(f"/v1/{number}", "GET", 200, number / 100)
    count()
    assert lines_run(count) == alone <= 10


def test_the_thread_writes_what_was_counted_and_ends(app):
    metrics.start()
    metrics.increment("events", "production.queued")
    metrics.stop()
    assert ("events", ("production.queued",), 1.0) in metrics.read_totals()


def test_while_one_request_checks_a_slow_store_the_others_get_the_last_result(clock, app):
    asked, answers = threading.Semaphore(0), threading.Event()
    slow = False

    def problem():
        if slow:
            asked.release()
            assert answers.wait(60)
        return None

    given = replace(app.extensions["svc"].settings, disk_floor_megabytes=0)
    probe = readiness.Probe(given, problem)
    first = probe.describe_problems(clock())
    probe._known_until, slow = 0.0, True
    probe._results.clear()
    checking = threading.Thread(target=probe.describe_problems, args=(clock(),))
    checking.start()
    try:
        assert asked.acquire(timeout=60)
        assert probe.describe_problems(clock()) == first
    finally:
        answers.set()
        checking.join(60)
