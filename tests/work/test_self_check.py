"""Nothing that fails is silent: crashed steps, old queues and backups, a wrong secret;
and a sign of life while all is well.
"""

import shutil
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from click.testing import CliRunner
from support import plain_sql
from support.serving import serving
from support.stage import claim

from svc.base.clock import HOUR, MINUTE
from svc.base.errors import CommandError
from svc.base.outage import DAMAGED
from svc.base.settings import read
from svc.cli import commands
from svc.domain.lifecycle import render_queue
from svc.domain.monitoring import backlog, readiness
from svc.domain.people import identity
from svc.domain.people.users import Viewer
from svc.domain.productions import progress
from svc.store import meta
from svc.store.database import db
from svc.work.self_check import SelfCheck

US = Viewer(None, "us", "us", identity.OPERATOR, None)


@pytest.fixture
def given(app):
    """The settings of the server."""
    return app.extensions["svc"].settings


def beat(clock) -> None:
    with db.transaction():
        meta.put("heartbeat", clock())


def told() -> list[tuple[str, str]]:
    return [
        (row["name"], row["severity"])
        for row in plain_sql.rows("SELECT name, severity FROM alerts ORDER BY id")
    ]


def checked(given, clock, **changes) -> SelfCheck:
    for name, value in changes.items():
        object.__setattr__(given, name, value)
    object.__setattr__(given, "disk_floor_megabytes", 0)
    return SelfCheck(given, clock)


def turn(check: SelfCheck, clock) -> list[tuple[str, str]]:
    beat(clock)
    check._probe._known_until = 0.0  # asked anew
    check.run()
    return told()


def test_a_step_that_crashes_is_a_warning_and_a_production_that_fails_of_it_is_critical(
    partner, clock
):
    partner.trigger()
    for expected in ([("StepCrashed", "warning")], [("StepCrashed", "warning")]):
        held = claim(clock)
        assert progress.record_crash(
            held, progress.start_step(held, clock()), "ended by signal 9", clock()
        )
        assert told() == expected  # a second crash within hours says nothing new
        render_queue.release_claim(held)
        clock.tick(10)
    held = claim(clock)
    assert not progress.record_crash(
        held, progress.start_step(held, clock()), "ended by signal 9", clock()
    )
    assert told()[:2] == [("StepCrashed", "warning"), ("StepCrashed", "critical")]
    [message] = plain_sql.row(
        "SELECT message FROM alerts WHERE severity = 'critical' AND name = 'StepCrashed'"
    )
    assert "script" in message and "signal 9" in message


def test_a_queue_that_nobody_works_on_is_a_warning_and_then_critical(partner, clock, given):
    check = checked(given, clock)
    partner.trigger()
    clock.tick(29 * 60)
    assert turn(check, clock) == []
    clock.tick(2 * 60)
    assert turn(check, clock) == [("QueueOld", "warning")]
    clock.tick(60)
    assert turn(check, clock) == [("QueueOld", "warning")]
    clock.tick(90 * 60)
    assert turn(check, clock) == [("QueueOld", "warning"), ("QueueOld", "critical")]


def test_how_long_work_may_wait_is_a_setting(partner, clock, given):
    check = checked(
        given, clock, queue_alert_minutes=read({"SVC_QUEUE_ALERT_MINUTES": "5"}).queue_alert_minutes
    )
    partner.trigger()
    clock.tick(4 * 60)
    assert turn(check, clock) == []
    clock.tick(2 * 60)
    assert turn(check, clock) == [("QueueOld", "warning")]


def test_an_old_queue_hides_no_other_one(given, clock, monkeypatch):
    check, since = checked(given, clock), clock()
    clock.tick(3600)
    monkeypatch.setattr(backlog, "find_oldest_ready", lambda now: {"webhook": since})
    assert turn(check, clock) == [("QueueOld", "warning")]
    both = {"webhook": since, "step": since}
    monkeypatch.setattr(backlog, "find_oldest_ready", lambda now: both)
    assert turn(check, clock) == turn(check, clock) == [("QueueOld", "warning")] * 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "why", ["held by a scenario", "being made", "cancelled", "paused", "paused for all", "put off"]
)
def test_work_that_nobody_could_do_is_no_old_queue(partner, clock, given, why):
    check = checked(given, clock)
    notes = (
        "---\nsandbox:\n  holdIn: Queued\n---\n"
        if why == "held by a scenario"
        else "## One\n\nText."
    )
    production = partner.trigger(metadataMD=notes).json["productionId"]
    clock.tick(3600)
    if why == "being made":
        claim(clock)
    elif why == "cancelled":
        partner.delete(f"/v1/productions/{production}")
    elif why.startswith("paused"):
        [partner_id] = plain_sql.row("SELECT partner_id FROM productions")
        render_queue.pause(US, None if why == "paused for all" else partner_id, clock())
    elif why == "put off":
        with db.transaction():
            plain_sql.execute("UPDATE productions SET not_before = ?", (clock() + 1,))
    assert turn(check, clock) == []


def test_a_backup_that_is_too_old_is_critical_also_where_there_was_none_ever(partner, clock, given):
    check = checked(given, clock, backup_every_hours=6)
    assert turn(check, clock) == []
    with db.transaction():
        backlog.store_backup_schedule(6, clock())
    clock.tick(12 * 3600)
    assert turn(check, clock) == []
    clock.tick(1)
    assert turn(check, clock) == [("BackupOld", "critical")]
    [message] = plain_sql.row("SELECT message FROM alerts")
    assert "first backup has been due since" in message
    clock.tick(7 * 3600)
    with db.transaction():
        meta.put("backup", clock() - 13 * HOUR)
    assert turn(check, clock) == [("BackupOld", "critical")] * 2


def test_a_secret_that_is_lost_while_the_service_runs_is_critical_and_not_ready(
    app, partner, clock, given
):
    check = checked(given, clock)
    given.secret.rename(given.data_dir / "kept")
    assert turn(check, clock) == [("SecretWrong", "critical")]
    answer = app.test_client().get("/readyz")
    assert answer.status_code == 503 and "secret is missing" in answer.json["problems"]["secret"]
    assert partner.get("/v1/partner/accounts").status_code == 200  # with the keys that it has
    shutil.move(given.data_dir / "kept", given.secret)


class Switch(BaseHTTPRequestHandler):
    """A dead man's switch."""

    heard: list[str] = []

    def do_POST(self):
        self.heard.append(self.path)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def switch():
    Switch.heard.clear()
    server = HTTPServer(("127.0.0.1", 0), Switch)
    with serving(server):
        yield f"http://127.0.0.1:{server.server_port}/0f1e2d3c"
    server.server_close()


def test_the_sign_of_life_is_given_every_few_minutes_and_only_while_all_is_well(
    partner, clock, given, switch
):
    check = checked(given, clock, alive_url=switch)
    turn(check, clock)
    assert Switch.heard == ["/0f1e2d3c"]
    clock.tick(60)
    turn(check, clock)
    assert len(Switch.heard) == 1
    clock.tick(4 * 60)
    turn(check, clock)
    assert len(Switch.heard) == 2
    readiness.report_outage(DAMAGED, clock())
    clock.tick(5 * MINUTE / 1000)
    turn(check, clock)
    assert len(Switch.heard) == 2


def test_how_often_the_sign_of_life_is_given_is_a_setting(partner, clock, given, switch):
    asked = read({"SVC_ALIVE_URL": switch, "SVC_ALIVE_MINUTES": "2"})
    check = checked(given, clock, alive_url=asked.alive_url, alive_minutes=asked.alive_minutes)
    for minutes, given_so_far in ((0, 1), (1, 1), (1, 2), (2, 3)):
        clock.tick(60 * minutes)
        turn(check, clock)
        assert len(Switch.heard) == given_so_far


def test_a_switch_that_does_not_answer_is_a_line_in_the_log(partner, clock, given, caplog):
    turn(checked(given, clock, alive_url="http://127.0.0.1:1/secret-word"), clock)
    assert "SVC_ALIVE_URL" in caplog.text and "secret-word" not in caplog.text


@pytest.fixture
def alert(given, monkeypatch):
    """``python app.py alert test`` with these addresses."""

    def run(*urls: str):
        monkeypatch.setenv("SVC_DATA_DIR", str(given.data_dir))
        monkeypatch.setenv("SVC_ALERT_URLS", ",".join(urls))
        return CliRunner().invoke(commands.main, ["alert", "test"])

    return run


@pytest.mark.slow
def test_alert_test_tries_each_address_and_shows_no_secret(alert, switch):
    address = switch.replace("http://", "json://")
    assert "1 of 1 address took the message" in alert(address).output and Switch.heard == [
        "/0f1e2d3c"
    ]
    failed = alert(address, "json://127.0.0.1:1/secret-word").exception
    assert (
        isinstance(failed, CommandError)
        and "number 2 (json://…)" in str(failed)
        and "secret-word" not in str(failed)
    )
    assert "SVC_ALERT_URLS is empty" in str(alert().exception)
