"""A partner that is not Active: nothing new begins by either door.

And what both doors ask of a trigger alike.
"""

import json
from decimal import Decimal

import pytest
from support import plain_sql
from support.cast import body, refused
from support.commands import invoke

from svc.base.errors import NotYours, PartnerNotActive, RateLimitExceeded
from svc.domain.access import key_admin, key_limits, keys
from svc.domain.audit import audit
from svc.domain.audit.audit import Actor
from svc.domain.lifecycle import batch_endings
from svc.domain.partners import admin as partner_admin
from svc.domain.partners import create as create_partner
from svc.domain.people import users
from svc.domain.productions import admin as production_admin
from svc.domain.productions import expiry_events
from svc.domain.usage import model_costs
from svc.domain.usage.model_costs import Prices
from svc.domain.webhooks import admin as webhook_admin
from svc.domain.webhooks import event_types, events, usage_thresholds
from svc.store.database import db

US = Actor(None, "the tests")
URL = "https://93.184.215.14/hooks"


@pytest.fixture
def mine(partner) -> str:
    return partner.seeded["partnerId"]


@pytest.fixture
def webhook(partner) -> str:
    asked = {"endpointUrl": URL, "eventTypes": ["production.queued"]}
    return body(partner.post("/v1/webhooks", json=asked))["subscriptionId"]


def viewer(browser):
    return users.make_viewer(users.get(browser.user_id))


def suspend(partner_id: str, clock, status: str = "Suspended") -> None:
    partner_admin.change(US, partner_admin.PARTNER, partner_id, {"status": status}, clock())


def rows() -> dict[str, int]:
    tables = (
        "productions",
        "api_keys",
        "activation_keys",
        "subscriptions",
        "deliveries",
        "invitations",
        "users",
        "audit",
    )
    return {each: plain_sql.row(f"SELECT count(*) FROM {each}")[0] for each in tables}


@pytest.mark.parametrize("status", ["Suspended", "Closed"])
@pytest.mark.parametrize("role", ["owner", "operator"])
def test_nothing_new_begins_for_it_whoever_asks(
    app, partner, owner, operator, webhook, mine, clock, status, role
):
    service, brief = app.extensions["svc"], {**partner.brief(), "metadataMD": ""}
    made = body(partner.trigger())["productionId"]
    key_id = keys.authenticate(partner.key, clock()).key_id
    production_admin.cancel(viewer(operator), made, clock())
    with db.transaction():
        plain_sql.execute("UPDATE productions SET status = 'Cancelled' WHERE id = ?", (made,))
    who = {"owner": owner, "operator": operator}[role]
    sandbox = partner.seeded["sandboxAccountId"]
    attempts = {
        "trigger": lambda at: production_admin.trigger(
            viewer(who), sandbox, brief, at, "c", Prices()
        ),
        "retry": lambda at: production_admin.retry(viewer(who), made, at, "c", Prices()),
        "test key": lambda at: key_admin.create_test_key(
            viewer(owner), "mine", [], service.platforms, at, US
        ),
        "activation key": lambda at: key_admin.create_activation_key(US, mine, "mine", [], at),
        "rotation": lambda at: key_admin.rotate(viewer(owner), key_id, at),
        "webhook": lambda at: webhook_admin.add(
            viewer(who),
            mine,
            None,
            {"endpointUrl": URL, "eventTypes": ["production.failed"], "accountIds": []},
            at,
            service.ring,
            lambda _: None,
        ),
        "ping": lambda at: webhook_admin.ping(viewer(who), webhook, at),
        "replay": lambda at: webhook_admin.replay(
            viewer(who), webhook, {"from": "2026-11-20T00:00", "to": "", "missed": ""}, at
        ),
        "reinstatement": lambda at: webhook_admin.reinstate(viewer(who), webhook, at),
        "invitation": lambda at: users.invite(viewer(who).actor, "member", mine, at),
        "person": lambda at: users.add(
            US, "new@example.com", "New", "correct horse", "member", mine, at
        ),
        "accepting": lambda at: users.accept(
            invitation, "new@example.com", "New", "correct horse", at
        ),
    }
    invitation = users.invite(US, "owner", mine, clock())
    with db.transaction():
        plain_sql.execute("UPDATE api_keys SET creator = ? WHERE id = ?", (owner.user_id, key_id))
    suspend(mine, clock, status)
    before = rows()
    for name, attempt in attempts.items():
        with pytest.raises((PartnerNotActive, NotYours)) as refusal:
            attempt(clock.tick(1))
        assert (name, status in refusal.value.message) == (name, True)
        assert rows() == before, name
    refused(partner.trigger(), 403, "PARTNER_NOT_ACTIVE")
    suspend(mine, clock, "Active")
    for name in ("trigger", "retry", "test key", "invitation", "webhook", "accepting"):
        assert attempts[name](clock.tick(1)), name


@pytest.mark.parametrize(
    ("status", "sent"), [("Active", "Pending"), ("Suspended", "Pending"), ("Closed", "Skipped")]
)
def test_only_a_partner_that_is_closed_is_sent_nothing_any_more(
    partner, webhook, mine, clock, status, sent
):
    made = body(partner.trigger())["productionId"]  # before: it is sent as ever
    row = plain_sql.row("SELECT * FROM productions WHERE id = ?", (made,))

    def record() -> list[str]:
        """Record another event, and return the statuses of all deliveries."""
        with db.transaction():
            events.record(
                row, event_types.PRODUCTION_QUEUED, {"status": "Queued", "expiresAt": None}, clock()
            )
        found = plain_sql.rows("SELECT status FROM deliveries ORDER BY sequence")
        return [row["status"] for row in found]

    suspend(mine, clock, status)
    assert record() == ["Pending", sent]
    suspend(mine, clock, "Active")
    assert record() == ["Pending", sent, "Pending"]
    assert len(body(partner.get(f"/v1/productions/{made}/events"))["data"]) == 3  # nothing is lost


def test_the_end_of_its_batch_and_its_limits_are_not_sent_to_a_closed_partner(partner, mine, clock):
    named = {"endpointUrl": URL, "eventTypes": ["batch.completed", "usage.threshold"]}
    assert partner.post("/v1/webhooks", json=named).status_code == 201
    with db.transaction():
        plain_sql.execute("UPDATE accounts SET monthly_ceiling = 1000000")
    items = {"items": [partner.brief()]}
    path = f"/v1/accounts/{partner.seeded['sandboxAccountId']}/batches"
    batch = body(partner.post(path, json=items))["batchId"]
    suspend(mine, clock, "Closed")
    with db.transaction():
        plain_sql.execute("UPDATE productions SET status = 'Cancelled'")
        plain_sql.execute("UPDATE spend_months SET amount = 1000000")
    batch_endings.finish_ended(clock())
    usage_thresholds.record_events(clock())
    found = plain_sql.rows("SELECT production_id, event_type, status FROM deliveries")
    assert {row["event_type"] for row in found} == {"batch.completed", "usage.threshold"}
    assert {row["status"] for row in found} == {"Skipped"}
    assert batch in {row["production_id"] for row in found}


def test_nobody_asks_a_closed_partner_to_review_or_to_change_its_key(
    partner, mine, clock, operator
):
    made = body(partner.trigger(review="script"))["productionId"]
    with db.transaction():
        plain_sql.execute("UPDATE productions SET status = 'Producing', review = 'Awaited'")
        plain_sql.execute("UPDATE api_keys SET expires_at = ?", (clock() + 1000,))
    expires_at = plain_sql.one("SELECT expires_at FROM productions WHERE id = ?", (made,))[0]
    suspend(mine, clock, "Closed")
    assert expiry_events.record_events(expires_at - 1, 72) == 0
    assert key_limits.raise_expiry_alerts(clock()) == 0
    suspend(mine, clock, "Suspended")
    assert expiry_events.record_events(expires_at - 1, 72) == 1
    assert key_limits.raise_expiry_alerts(clock()) > 0


def test_operators_end_and_withdraw_what_is_there(
    app, partner, owner, member, operator, webhook, mine, clock
):
    activation = key_admin.create_activation_key(US, mine, "theirs", [], clock())
    made = body(partner.trigger())["productionId"]
    users.invite(US, "owner", mine, clock())
    suspend(mine, clock)
    us = viewer(operator)
    production_admin.cancel(us, made, clock())
    webhook_admin.delete(us, webhook, clock())
    key_admin.revoke(us, keys.authenticate(partner.key, clock()).key_id, clock())
    key_admin.withdraw_activation(
        US, key_admin.list_activation_keys(mine, clock())[0]["id"], clock()
    )
    users.withdraw(US, users.list_invitations(mine, clock())[0]["id"], mine, clock())
    users.change(US, member.user_id, clock(), disabled=True)
    link = users.invite(US, "owner", mine, clock(), user_id=owner.user_id)  # to sign in and look
    assert users.accept(link, "", "", "battery staple", clock()) == owner.user_id
    assert activation


def test_a_suspension_that_comes_between_the_guard_and_the_transaction_holds(
    partner, mine, clock, monkeypatch
):
    body(partner.trigger())  # what is remembered of the account is from when the partner was Active
    monkeypatch.setattr(keys, "check_partner", lambda caller: None)
    suspend(mine, clock)
    refused(partner.trigger(), 403, "PARTNER_NOT_ACTIVE")


def test_both_doors_reserve_the_same_for_models(partner, owner, clock):
    prices = model_costs.Prices(
        script_input=Decimal(2), script_output=Decimal(8), speech=Decimal(15)
    )
    row = plain_sql.row(
        "SELECT * FROM accounts WHERE id = ?", (partner.seeded["sandboxAccountId"],)
    )
    with db.transaction():
        plain_sql.execute(
            "UPDATE accounts SET creator = ? WHERE id = ?", (owner.user_id, row["id"])
        )
    made = production_admin.trigger(viewer(owner), row["id"], partner.brief(), clock(), "c", prices)
    brief = production_admin.parse_form(partner.brief())
    [entry] = plain_sql.rows("SELECT * FROM ledger WHERE production_id = ?", (made,))
    assert entry["for_models"] == prices.estimate(brief.length) > 0
    with db.transaction():
        plain_sql.execute("UPDATE productions SET status = 'Failed' WHERE id = ?", (made,))
        plain_sql.execute("UPDATE accounts SET monthly_ceiling = ?", (2 * entry["reserved"],))
    production_admin.retry(viewer(owner), made, clock.tick(1), "c", prices)
    amounts = [
        json.loads(each["after"])
        for each in plain_sql.rows("SELECT after FROM audit WHERE action = 'production.retry'")
    ]
    assert amounts[0]["retryOf"] == made
    # the third does not fit, as it would not by the API
    with pytest.raises(Exception, match="ceiling"):
        production_admin.trigger(
            viewer(owner), row["id"], partner.brief(), clock.tick(1), "c", prices
        )


def test_sandboxes_have_a_daily_quota_each(app, person, somebody, clock):
    """The tier says so many productions a day per account (specification, "Rate tiers")."""
    free = person("Free")
    mine, service = free.seeded["partnerId"], app.extensions["svc"]
    first, second = somebody("owner", mine), somebody("owner", mine)
    boxes = [
        partner_admin.ensure_sandbox(viewer(each), service.platforms, clock())
        for each in (first, second)
    ]
    for box, who in zip(boxes, (first, second), strict=True):
        for _ in range(3):
            production_admin.trigger(viewer(who), box, free.brief(), clock.tick(1), "c", Prices())
        with pytest.raises(RateLimitExceeded, match="an account") as over:
            production_admin.trigger(viewer(who), box, free.brief(), clock.tick(1), "c", Prices())
        assert 0 < over.value.retry_after <= 12 * 3600
    for _ in range(3):
        # the sandbox that the API's key reaches, a third one
        assert free.trigger().status_code == 202
    refused(free.trigger(), 429, "RATE_LIMIT_EXCEEDED")
    clock.tick(12 * 3600)
    assert free.trigger().status_code == 202


def test_live_accounts_have_a_daily_quota_each(person, clock):
    free = person("Free").live()
    customer = plain_sql.row("SELECT customer_id FROM accounts WHERE id = ?", (free.account,))[0]
    other = partner_admin.add_account(US, customer, {"name": "Second"}, [], clock())
    for account in [free.account] * 3 + [other] * 3:
        assert free.trigger(account=account).status_code == 202
    for account in (free.account, other):
        assert (
            "an account"
            in refused(free.trigger(account=account), 429, "RATE_LIMIT_EXCEEDED")["message"]
        )


def test_an_export_is_in_the_audit_log(app, partner, mine, monkeypatch, tmp_path):
    monkeypatch.setenv("SVC_DATA_DIR", str(app.extensions["svc"].settings.data_dir))
    done = invoke(app, "partner", "export", mine, str(tmp_path / "all.tar"))
    assert done.exception is None, done.exception
    [entry] = audit.list_page(audit.Page(), action="partner.export")["data"]
    assert (entry["subjectId"], entry["subject"]) == (mine, create_partner.find_partner_name(mine))
    assert entry["after"]["rows"] > 10
