"""Every way through the console, from the application's own map of addresses,
with something real for each identifier.
"""

import json

from support import plain_sql
from support.cast import body
from support.outbox import answer, claim
from support.scripts import scene
from support.stage import complete_steps, make

from svc.base import ids
from svc.domain.access import key_admin
from svc.domain.audit.audit import Actor
from svc.domain.briefing import admin as briefing_admin
from svc.domain.monitoring import alerts
from svc.domain.partners import sensitivity_rules
from svc.domain.people import sessions, users
from svc.domain.people.identity import OPERATOR
from svc.domain.people.users import Viewer
from svc.domain.publishing import connections
from svc.domain.usage.model_costs import Prices
from svc.store.database import db

SECRET_NAME = "Victim & Sons"  # of the partner, wherever it is named
_US = Actor(None, "the tests")
_OPERATOR = Viewer(None, "us", "us", OPERATOR, None)


def something_known(app, partner, owner: str, member: str, clock) -> dict:
    """Something real for every identifier that a path of the console can hold,
    all of it the partner's.
    """
    mine, service = partner.seeded["partnerId"], app.extensions["svc"]
    with db.transaction():
        plain_sql.execute("UPDATE partners SET name = ? WHERE id = ?", (SECRET_NAME, mine))
    asked = {"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": ["production.queued"]}
    webhook = body(partner.post("/v1/webhooks", json=asked))["subscriptionId"]
    production = body(partner.trigger())["productionId"]
    complete_steps(clock, made=[make()])
    _await_review(production, clock)
    _await_translation(production, clock)
    service.recorder.flush()
    answer(claim(clock()), clock())
    key, _ = key_admin.create_test_key(
        users.make_viewer(users.get(owner)), "Key of the victim", [], service.platforms, clock()
    )
    key_admin.create_activation_key(_US, mine, "Activation of the victim", [], clock())
    session = sessions.find_by_token(
        sessions.start(owner, "192.0.2.1", "Browser", clock()), clock()
    )[1]
    invitation = users.invite(_US, "member", mine, clock(), email="invited@victim.example")
    with db.transaction():
        alerts.raise_alert("StepCrashed", "warning", "of the victim", clock(), mine)
    return {
        "partner_id": mine,
        "account_id": partner.seeded["sandboxAccountId"],
        "avatar_id": partner.seeded["avatarId"],
        "customer_id": one("SELECT id FROM customers WHERE partner_id = ?", mine),
        "production_id": production,
        "deliverable_id": one("SELECT id FROM deliverables WHERE production_id = ?", production),
        "subscription_id": webhook,
        "delivery_id": one("SELECT id FROM deliveries WHERE subscription_id = ?", webhook),
        "number": one("SELECT max(id) FROM requests WHERE partner_id = ?", mine),
        "key_id": key,
        "activation_id": one("SELECT id FROM activation_keys WHERE partner_id = ?", mine),
        "invitation_id": one("SELECT id FROM invitations WHERE partner_id = ?", mine),
        "user_id": member,
        "session_id": session,
        "rule_id": sensitivity_rules.add(_US, {"phrase": "of the victim"}, clock()),
        "alert_id": one("SELECT max(id) FROM alerts"),
        "connection_id": _connection(service, partner.seeded["sandboxAccountId"], clock),
        "connector": "Hook",
        "scene": 1,
        "action": "skip",
        "slug": "short",
        "platform": "Watch",
        "name": "sample-0.mp4",
        "rest": "nowhere",
        "token": invitation,
        "template_id": (
            template := _template(
                service, partner.seeded["sandboxAccountId"], partner.seeded["avatarId"], clock
            )
        ),
        "batch_id": _batch(template, clock),
    }


def _await_review(production_id: str, clock) -> None:
    """Give a production a script that awaits its review, whatever its state."""
    with db.transaction():
        plain_sql.execute(
            "UPDATE productions SET review = 'Awaited' WHERE id = ?", (production_id,)
        )
        row = (production_id, 1, json.dumps([scene(1)]), None, clock())
        plain_sql.execute(
            (
                "INSERT INTO scripts (production_id, version, scenes, written, created_at) "
                "VALUES (?, ?, ?, ?, ?)"
            ),
            row,
        )


def _await_translation(production_id: str, clock) -> None:
    """Give a production a brief that awaits its translation, whatever its state."""
    row = (
        production_id,
        ids.derive_id("language", "de"),
        json.dumps({"topic": "Topic of the victim"}),
        clock(),
    )
    with db.transaction():
        plain_sql.execute(
            (
                "INSERT INTO translations (production_id, source_language_id, source, created_at) "
                "VALUES (?, ?, ?, ?)"
            ),
            row,
        )


def _connection(service, account_id: str, clock) -> str:
    """A connection that nobody has tried."""
    hook, operator = service.connections.connectors["Hook"], _OPERATOR
    draft = connections.draft_connection(
        operator, account_id, hook, {"url": "https://93.184.215.14/relay"}, (), clock()
    )
    connections.add(operator, draft, hook, service.ring, clock())
    return draft.id


def _template(service, account_id: str, avatar_id: str, clock) -> str:
    brief = {
        "topic": "Secrets of {{city}} of the victim",
        "projectTypeSlug": None,
        "subjectOverride": None,
        "avatarId": avatar_id,
        "languageId": ids.derive_id("language", "en"),
        "countryId": ids.derive_id("country", "US"),
        "metadataMD": None,
        "externalId": None,
    }
    city = {
        "name": "city",
        "type": "text",
        "required": True,
        "default": None,
        "choices": [],
        "example": "Lisbon",
    }
    given = {
        "name": "Template of the victim",
        "brief": brief,
        "variables": [{**city, "description": ""}],
    }
    return briefing_admin.add_template(_OPERATOR, account_id, given, clock())


def _batch(template_id: str, clock) -> str:
    """A batch of one row, which was triggered in the console."""
    found = briefing_admin.find_template(_OPERATOR, template_id)
    return briefing_admin.trigger_table(
        _OPERATOR, found, "city\nLisbon\n", "each", "us", clock(), "c", Prices()
    )


def one(sql: str, *parameters):
    return plain_sql.row(sql, parameters)[0]


def ways(app, known: dict) -> list[tuple[str, str, str, bool]]:
    """(method, path, endpoint, whether it names something) of each."""
    found = []
    for rule in app.url_map.iter_rules():
        if not hasattr(app.blueprints.get(rule.endpoint.partition(".")[0]), "access"):
            continue
        missing = rule.arguments - known.keys()
        assert not missing, f"{rule.rule}: say in something_known() what {missing} may be"
        path = app.url_map.bind("localhost").build(
            rule.endpoint, {name: known[name] for name in rule.arguments}
        )
        found += [
            (method, path, rule.endpoint, bool(rule.arguments))
            for method in rule.methods & {"GET", "POST"}
        ]
    return found
