"""What is done by the clock."""

import errno
import os

from support import plain_sql
from support.cast import body
from support.outbox import DRIVER

from svc.base import clock as wall_clock
from svc.base import settings
from svc.domain.access import auth_failures
from svc.domain.lifecycle import clock_jump, lifecycle
from svc.domain.monitoring import alerts
from svc.domain.people import kept_forms, sent_forms, sessions
from svc.store.database import db
from svc.work import daily_jobs
from svc.work.engine import Engine
from svc.work.outages import guard_job


def test_pruning_keeps_what_is_young(app, partner, clock):
    partner.get("/v1/languages")
    clock.tick(30 * 86400 + 1)
    partner.get("/v1/languages")
    app.extensions["svc"].recorder.flush()
    daily_jobs.close_day(clock(), settings.read({"SVC_HISTORY_DAYS": "30"}), None)
    assert plain_sql.row("SELECT count(*) FROM requests")[0] == 1
    assert plain_sql.row("SELECT count(*) FROM usage_days")[0] == 2


def _burst(address: str, at: int) -> None:
    for _ in range(auth_failures.BURST):
        auth_failures.record_failure(address, at)


def test_bursts_from_many_networks_raise_a_bounded_number_of_alerts_the_last_of_which_says_so(
    app, clock
):
    for number in range(auth_failures.MOST_ALERTS + 10):
        _burst(f"198.51.100.{number}", clock())
    names = [row["name"] for row in plain_sql.rows("SELECT name FROM alerts ORDER BY id")]
    assert names == [auth_failures.BURST_ALERT] * auth_failures.MOST_ALERTS + [
        auth_failures.FLOOD_ALERT
    ]
    clock.tick(3601)
    _burst("198.51.100.250", clock())
    assert plain_sql.row("SELECT name FROM alerts ORDER BY id DESC")[0] == auth_failures.BURST_ALERT


def test_all_addresses_of_one_ipv6_network_are_one_burst(app, clock):
    for number in range(3 * auth_failures.BURST):
        auth_failures.record_failure(f"2001:db8::{number:x}", clock())
    [alert] = plain_sql.rows("SELECT * FROM alerts")
    assert alert["subject_id"] == "2001:db8::/64"


def test_failures_that_are_remembered_are_bounded(app, clock, monkeypatch):
    monkeypatch.setattr(auth_failures, "MOST_KEPT", 20)
    for number in range(100):
        auth_failures.record_failure(f"203.0.113.{number}", clock())
    assert plain_sql.row("SELECT count(*) FROM auth_failures")[0] <= 21


def test_alerts_are_pruned_once_closed_for_three_months_or_as_old_as_the_history(app, clock):
    for closed in (False, True):
        with db.transaction():
            alerts.raise_alert(
                "StepCrashed", "warning", "open" if not closed else "closed", clock()
            )
            plain_sql.execute(
                "UPDATE alerts SET closed_at = ? WHERE message = 'closed'", (clock(),)
            )
    given = settings.read({}, data_dir=app.extensions["svc"].settings.data_dir)
    clock.tick(91 * 86400)
    daily_jobs.close_day(clock(), given, lambda _: None)
    assert [row["message"] for row in plain_sql.rows("SELECT message FROM alerts")] == ["open"]
    clock.tick(400 * 86400)
    daily_jobs.close_day(clock(), given, lambda _: None)
    assert plain_sql.rows("SELECT message FROM alerts") == []


def test_a_clock_that_was_set_ahead_by_days_removes_nothing_for_its_age_for_a_day(
    app, clock, monkeypatch
):
    closed, jump = [], 3 * wall_clock.DAY
    monkeypatch.setattr(daily_jobs, "close_day", lambda now, *_: closed.append(now))
    service = app.extensions["svc"]
    engine = Engine(service.settings, service.storage, service.ring, clock)
    clock.tick(jump / 1000)
    engine._close_day()  # the jump is not followed yet
    clock_jump.move_retries(jump, clock(), "this start", jump)
    engine._timekeeper.record_move(jump)
    engine._close_day()
    assert closed == []
    [alert] = plain_sql.rows("SELECT message FROM alerts")
    assert "and no production expires, before 2026-11-" in alert["message"]
    assert not clock_jump.must_removals_wait(clock() - jump)  # had it been set back
    clock.tick(86_400)
    engine._timekeeper.record_move(wall_clock.DAY)  # no jump: this day has passed
    engine._close_day()
    assert closed == [clock()]


def test_a_full_disk_at_midnight_puts_the_daily_jobs_off_and_skips_none(app, clock, monkeypatch):
    """What removes files, and so makes room, comes late among them."""
    service, done = app.extensions["svc"], []

    def remove(*_) -> None:
        if not done:
            done.append("failed")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        done.append("removed")

    monkeypatch.setattr(daily_jobs.file_removal, "remove_scheduled", remove)
    engine = Engine(service.settings, service.storage, service.ring, clock)
    run = guard_job(engine._outages, engine._close_day)
    for _ in range(2):  # the tick of each minute
        run()
    assert done == ["failed"]
    clock.tick(15 * 60)
    for _ in range(2):
        run()
    assert done == ["failed", "removed"]


def test_a_clock_that_was_set_ahead_by_hours_holds_up_no_removal(app, clock):
    clock_jump.move_retries(23 * wall_clock.HOUR, clock(), "this start", 0)
    assert not clock_jump.must_removals_wait(clock())


def test_a_clock_that_was_set_ahead_by_days_lets_no_production_expire_for_a_day(
    app, partner, clock, monkeypatch
):
    production = body(partner.trigger())["productionId"]
    jump = 4 * wall_clock.DAY  # longer than a production may wait
    service = app.extensions["svc"]
    engine = Engine(service.settings, service.storage, service.ring, clock)
    monkeypatch.setattr(engine, "_driver", DRIVER, raising=False)
    clock.tick(jump / 1000)
    engine._expire()
    clock_jump.move_retries(jump, clock(), "this start", jump)
    engine._timekeeper.record_move(jump)
    engine._expire()
    assert lifecycle.find_status(production) == "Queued"
    clock.tick(86_400)
    engine._timekeeper.record_move(wall_clock.DAY)  # no jump: this day has passed
    engine._expire()
    assert lifecycle.find_status(production) == "Failed"


def test_sessions_and_forms_that_a_clock_ahead_dated_do_not_last_until_then(app, owner, clock):
    given = settings.read({})
    form_hash = sent_forms.hash_form(owner.user_id, "a form", b"")
    assert sent_forms.begin(owner.user_id, form_hash, clock()) is True
    form = {"address": "/console/", "fields": []}
    assert kept_forms.keep(app.extensions["svc"].ring, owner.user_id, form, clock())
    clock.at -= 300 * wall_clock.DAY
    daily_jobs.close_day(clock(), given, lambda _: None)
    assert plain_sql.one("SELECT count(*) FROM sessions")[0] == 1
    assert plain_sql.one("SELECT count(*) FROM sent_forms")[0] == 0
    assert plain_sql.one("SELECT count(*) FROM kept_forms")[0] == 0
    clock.tick(sessions.IDLE / 1000)
    daily_jobs.close_day(clock(), given, lambda _: None)
    assert plain_sql.one("SELECT count(*) FROM sessions")[0] == 0
