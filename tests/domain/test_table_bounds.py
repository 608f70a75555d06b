"""Every table that a partner can make grow has a limit and an end, which are written down,
and these hold.
"""

import re
from pathlib import Path

import pytest
from support import plain_sql
from support.cast import body, refused
from support.stage import complete_steps, make, publish_all

from svc.base.clock import DAY
from svc.base.errors import Conflict
from svc.base.settings import read
from svc.domain import table_bounds
from svc.domain.access import keys
from svc.domain.audit.audit import Actor
from svc.domain.briefing import batches, templates
from svc.domain.partners import avatars, erase
from svc.domain.people import users
from svc.domain.productions import retention
from svc.domain.webhooks import signing_secrets, subscriptions
from svc.store.database import db
from svc.work import daily_jobs
from tests.support.documents import require_names, require_table

ROOT = Path(__file__).parents[2]
ME = Actor(None, "olga")
HOOK = {"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": ["production.queued"]}


def count(table: str) -> int:
    return plain_sql.one(f"SELECT count(*) FROM {table}")[0]


def close_day(clock, days: float) -> None:
    clock.tick(days * DAY / 1000)
    daily_jobs.close_day(clock(), read({"SVC_HISTORY_DAYS": "30"}), lambda _: None)


def test_every_table_with_rows_of_partners_has_a_limit_and_an_end():
    tables = set(
        re.findall(r"^CREATE TABLE (\w+)", (ROOT / "schema.sql").read_text("utf-8"), re.MULTILINE)
    )
    require_names(
        "BOUNDS in svc/domain/table_bounds.py; or, of a table without rows of partners, "
        f"TABLES_WITHOUT_PARTNER in {erase.__name__}",
        table_bounds.BOUNDS,
        tables - erase.TABLES_WITHOUT_PARTNER,
    )
    assert all(
        len(bound.limit) > 2 and len(bound.kept) > 2 for bound in table_bounds.BOUNDS.values()
    )


def test_the_document_has_the_limits_of_the_code():
    require_table(
        "docs/SECURITY.md",
        table_bounds.START,
        table_bounds.END,
        "svc.domain.table_bounds.format_table()",
        table_bounds.format_table(),
    )


def test_a_bound_names_settings_that_there_are():
    names = set(re.findall(r"SVC_\w+", table_bounds.format_table()))
    assert len(names) > 6
    for name in names:
        read({name: "60"})


def test_a_deleted_template_leaves_no_row(partner):
    path = f"/v1/accounts/{partner.account}/templates"
    made = partner.post(path, json={"name": "City", "brief": partner.brief(), "variables": []})
    assert made.status_code == 201, body(made)
    path = f"{path}/{body(made)['templateId']}"
    assert partner.delete(path).status_code == 204 and partner.delete(path).status_code == 404
    assert count("templates") == 0 and templates.MOST == 100


@pytest.mark.parametrize("number", [6, 12])
def test_earlier_secrets_of_a_subscription_are_limited(partner, monkeypatch, number):
    monkeypatch.setattr(signing_secrets, "MOST_KEPT", 5)
    subscription = body(partner.post("/v1/webhooks", json=HOOK))["subscriptionId"]
    for _ in range(number):
        assert (
            partner.post(
                f"/v1/webhooks/{subscription}/secret/roll", json={"overlapHours": 1}
            ).status_code
            == 200
        )
    assert count("rolled_secrets") == 5


def test_subscriptions_that_are_registered_and_deleted_over_and_over_end_at_a_day_s_limit(
    partner, clock, monkeypatch
):
    monkeypatch.setattr(subscriptions, "MOST_A_DAY", 3)
    for _ in range(3):
        made = body(partner.post("/v1/webhooks", json=HOOK))["subscriptionId"]
        assert partner.delete(f"/v1/webhooks/{made}").status_code == 204
    found = refused(partner.post("/v1/webhooks", json=HOOK), 429, "RATE_LIMIT_EXCEEDED")
    assert found["retryAfterSeconds"] == 3600 and count("subscriptions") == 3
    clock.tick(DAY / 1000 + 1)
    assert partner.post("/v1/webhooks", json=HOOK).status_code == 201


def test_keys_that_are_rotated_over_and_over_end_at_a_day_s_limit_and_go_after_their_end(
    partner, clock, monkeypatch
):
    monkeypatch.setattr(keys, "MOST_A_DAY", 4)
    before = count("api_keys")
    key = partner.key
    for _ in range(4):
        answer = partner.post("/v1/partners/keys/rotate", headers={"X-API-Key": key})
        if answer.status_code == 429:
            break
        key = body(answer)["apiKey"]
    refused(
        partner.post("/v1/partners/keys/rotate", headers={"X-API-Key": key}),
        429,
        "RATE_LIMIT_EXCEEDED",
    )
    made = count("api_keys") - before
    assert 1 <= made <= 4
    close_day(clock, 20)
    assert count("api_keys") == before + made
    close_day(clock, 20)
    # the newest of the chain, and the other ones that are in use
    assert count("api_keys") == before
    assert partner.get("/v1/languages", headers={"X-API-Key": key}).status_code == 200


def test_links_and_users_of_a_partner_are_limited_and_links_go_after_their_end(
    partner, clock, monkeypatch
):
    monkeypatch.setattr(users, "MOST_INVITATIONS", 2)
    monkeypatch.setattr(users, "MOST_USERS", count("users") + 1)
    partner_id = partner.seeded["partnerId"]
    for _ in range(2):
        users.invite(ME, "member", partner_id, clock())
    with pytest.raises(Conflict, match="at most 2 open links"):
        users.invite(ME, "member", partner_id, clock())
    close_day(clock, 60)
    assert count("invitations") == 0
    monkeypatch.setattr(
        users,
        "MOST_USERS",
        plain_sql.one("SELECT count(*) FROM users WHERE partner_id = ?", (partner_id,))[0],
    )
    with pytest.raises(Conflict, match="at most .* users"):
        users.add(
            ME,
            "new@example.com",
            "New",
            "a long and private sentence",
            "member",
            partner_id,
            clock(),
        )


def test_avatars_of_a_customer_are_limited(partner, clock, monkeypatch):
    customer = plain_sql.one("SELECT customer_id FROM accounts WHERE id = ?", (partner.account,))[0]
    monkeypatch.setattr(
        avatars,
        "MOST",
        plain_sql.one("SELECT count(*) FROM avatars WHERE customer_id = ?", (customer,))[0],
    )
    with pytest.raises(Conflict, match="at most"):
        avatars.add(ME, customer, {"name": "Ada"}, None, clock())


def send_batch(partner):
    items = [partner.brief(avatarId="018f0000-0000-7000-8000-000000000000")]  # which is refused
    return partner.post(
        f"/v1/accounts/{partner.account}/batches", json={"mode": "each", "items": items}
    )


@pytest.fixture
def with_batches(partner, clock):
    """Insert finished batches of two refused items each: ``with_batches(3)``."""

    def insert(number: int) -> None:
        with db.transaction():
            for each in range(number):
                at = clock.tick(1)
                row = (
                    f"{each:08d}-{at}",
                    partner.seeded["partnerId"],
                    partner.account,
                    b"x",
                    at,
                    at,
                    at,
                )
                plain_sql.execute(
                    "INSERT INTO batches (id, partner_id, account_id, mode, digest, size, "
                    "correlation_id, created_at, "
                    "handled_at, finished_at) VALUES (?, ?, ?, 'each', ?, 2, 'c', ?, ?, ?)",
                    row,
                )
                items = [(row[0], position) for position in range(2)]
                plain_sql.execute_many(
                    "INSERT INTO batch_items (batch_id, position) VALUES (?, ?)", items
                )

    return insert


def begin(partner, clock) -> None:
    """Begin a batch as a request does."""
    account = plain_sql.one("SELECT * FROM accounts WHERE id = ?", (partner.account,))
    order = batches.Order(dict(account), "each", (), None, None, "c")
    with db.transaction():
        batches._begin_batch(order, clock())


def test_finished_batches_of_an_account_make_room_for_new_ones_after_a_day(
    partner, clock, with_batches, monkeypatch
):
    monkeypatch.setattr(batches, "MOST_KEPT", 3)
    with_batches(5)
    begin(partner, clock)
    assert count("batches") == 6  # a repetition of their requests would find them
    clock.tick(25 * 3600)
    for _ in range(4):
        begin(partner, clock)
    finished = plain_sql.one("SELECT count(*) FROM batches WHERE finished_at IS NOT NULL")[0]
    assert finished == 0 and count("batch_items") == 0 and count("batches") == 5


def test_batches_go_with_the_history(partner, clock, with_batches):
    with_batches(3)
    close_day(clock, 29)
    assert (count("batches"), count("batch_items")) == (3, 6)
    close_day(clock, 2)
    assert (count("batches"), count("batch_items")) == (0, 0)


def test_the_items_of_a_day_are_limited(partner, clock, with_batches, monkeypatch):
    monkeypatch.setattr(batches, "MOST_A_DAY", 6)
    with_batches(3)
    clock.tick(120)
    found = refused(send_batch(partner), 429, "RATE_LIMIT_EXCEEDED")
    assert "in 24 hours" in found["message"] and found["retryAfterSeconds"] == 3600
    clock.tick(DAY / 1000)
    assert send_batch(partner).status_code != 429


def test_what_models_cost_goes_with_its_production(partner, clock):
    production = body(partner.trigger())["productionId"]
    with db.transaction():
        plain_sql.execute(
            "INSERT INTO model_charges (production_id, at, purpose, model, units_in, "
            "units_out, cost) "
            "VALUES (?, 1, 'script', 'm', 1, 1, 1)",
            (production,),
        )
    complete_steps(clock, made=[make()])
    publish_all(clock)
    assert retention.prune_productions(clock.tick(1), clock()) == 1 and count("model_charges") == 0
