"""What is dated in the future, as the clock was ahead by forty days and was set back since: nobody
waits for that day, and nothing lasts longer for its sake.
"""

import pytest
from support import plain_sql
from support.cast import body

from svc.base.clock import DAY, HOUR, MINUTE
from svc.base.errors import Conflict, IdempotencyKeyReused, RateLimitExceeded
from svc.domain.access import auth_failures, idempotency, keys
from svc.domain.monitoring import backlog, gauges, workers
from svc.domain.monitoring.workers import Process
from svc.domain.people import sent_forms, sessions
from svc.domain.publishing import connection_tries
from svc.store import meta
from svc.store.database import db

URL = "https://93.184.215.14/hooks"  # an address, so that no name has to be looked up
AHEAD = 40 * 86_400  # seconds


@pytest.fixture
def later(clock):
    """The clock is ahead; the test sets it back."""
    clock.tick(AHEAD)
    return clock


def test_a_webhook_is_pinged(partner, later):
    webhook = body(
        partner.post(
            "/v1/webhooks",
            json={"endpointUrl": URL, "eventTypes": ["production.failed"]},
        )
    )["subscriptionId"]
    assert partner.post(f"/v1/webhooks/{webhook}/ping").status_code == 202
    later.tick(-AHEAD)
    assert partner.post(f"/v1/webhooks/{webhook}/ping").status_code == 202
    assert partner.post(f"/v1/webhooks/{webhook}/ping").status_code == 429


def test_keys_of_the_future_are_none_of_the_last_day(partner, later, monkeypatch):
    monkeypatch.setattr(keys, "MOST_A_DAY", 1)
    with db.transaction():
        plain_sql.execute("UPDATE api_keys SET created_at = ?", (later(),))
    partner_id = partner.seeded["partnerId"]
    with pytest.raises(RateLimitExceeded):
        keys.check_creation_rate(partner_id, later())
    keys.check_creation_rate(partner_id, later.tick(-AHEAD))


def test_a_session_ends_in_time(owner, later):
    token = sessions.start(owner.user_id, "192.0.2.1", "Browser", later())
    later.tick(-AHEAD)
    assert sessions.find_by_token(token, later())
    later.tick(sessions.IDLE / 1000)
    assert sessions.find_by_token(token, later()) is None


def test_a_session_that_is_used_ends_in_time(owner, later):
    token = sessions.start(owner.user_id, "192.0.2.1", "Browser", later())
    later.tick(-AHEAD)
    for _ in range(sessions.LONGEST // (10 * DAY)):
        assert sessions.find_by_token(token, later())
        later.tick(10 * 86_400)
    assert sessions.find_by_token(token, later()) is None


def test_a_form_that_was_broken_off_is_said_to_be(owner, later):
    sent = sent_forms.hash_form(owner.user_id, "page", b"content")
    assert sent_forms.begin(owner.user_id, sent, later()) is True
    later.tick(-AHEAD)
    with pytest.raises(Conflict):
        sent_forms.begin(owner.user_id, sent, later())


def test_a_try_of_a_connection_is_lost_and_forgotten(partner, later):
    connection_tries.begin_try(partner.account, None, "n8n", later())
    later.tick(-AHEAD)
    [lost] = connection_tries.list_tries_of_account(partner.account, later())
    assert "restarted" in lost["problem"] and lost["ended_at"] == later()
    connection_tries.begin_try(partner.account, None, "Hook", later())
    assert [each["title"] for each in plain_sql.rows("SELECT * FROM connection_tries")] == ["Hook"]


def test_failed_authentications_make_no_burst(app, later):
    for _ in range(auth_failures.BURST - 1):
        auth_failures.record_failure("192.0.2.1", later())
    auth_failures.record_failure("192.0.2.1", later.tick(-AHEAD))
    assert plain_sql.rows("SELECT * FROM alerts") == []
    auth_failures.record_failure("192.0.2.2", later.tick(AHEAD))
    later.tick(-AHEAD)
    auth_failures.prune(later())
    assert len(plain_sql.rows("SELECT * FROM auth_failures")) == 1


def test_an_idempotency_key_is_recognised_for_a_day_more(partner, later):
    of_first = ("p", "k", b"first", "", "{}")
    with db.transaction():
        idempotency.remember(*of_first, later())
    later.tick(-AHEAD)
    idempotency.prune(later())
    assert idempotency.recall("p", "k", b"first", later())
    with pytest.raises(IdempotencyKeyReused):
        idempotency.recall("p", "k", b"other", later())
    later.tick(86_400)
    assert idempotency.recall("p", "k", b"other", later()) is None


def test_a_process_is_silent_and_forgotten(app, later):
    workers.record_heartbeat(
        Process("there:1", "there", 1, "1.0.0", ["script"], later()), "worker", 2, later()
    )
    later.tick(-AHEAD)
    assert workers.list_with_steps(later())[0]["is_silent"]
    workers.forget_silent(later())
    assert workers.list_processes() == []


def test_a_step_that_waits_is_an_old_queue(partner, later):
    production = body(partner.trigger())["productionId"]
    later.tick(-AHEAD)
    with db.transaction():  # as when the jump was followed
        plain_sql.execute(
            "UPDATE productions SET not_before = ? WHERE id = ?", (later(), production)
        )
    since = later()
    later.tick(3600)
    assert backlog.find_oldest_ready(later())["step"] == since
    assert backlog.list_ready_steps(later())[0].since == since


def test_a_heartbeat_of_the_future_is_none_of_an_engine_that_runs(app, later):
    with db.transaction():
        meta.put("heartbeat", later())
    later.tick(-AHEAD)
    ages = [age for figure, age in gauges.read_gauges(later()) if "heartbeat" in figure.name]
    assert ages == [AHEAD]


def test_a_backup_of_the_future_is_due_at_once_and_then_old(app, later):
    with db.transaction():
        backlog.store_backup_schedule(6, later())
        meta.put("backup", later())
    later.tick(-AHEAD)
    backlog.bring_back_backup_times(6, later())
    newest = backlog.find_complete_until()
    assert newest == later() - 6 * HOUR
    assert not backlog.is_backup_old(newest, 6, later() + 6 * HOUR)
    assert backlog.is_backup_old(newest, 6, later() + 6 * HOUR + 1)
    backlog.bring_back_backup_times(6, later() - MINUTE)  # by which two machines may differ
    assert backlog.find_complete_until() == newest
