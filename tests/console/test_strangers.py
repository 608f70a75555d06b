"""Strangers walk every page of the console: whatever the routes are, they see and change nothing that is not theirs."""

import pytest
from cast import Browser, body, text
from outbox import answer, claim
from stage import complete_steps, make

from svc.base import ids
from svc.domain import alerts, issuing, people, rules, sessions
from svc.domain.audit import Actor
from svc.store import database

US = Actor(None, "the tests")
PUBLIC = {"people.sign_in", "people.sign_in_try", "people.welcome", "people.accept"}
NOBODYS = {"people.nothing", "people.sign_out"}  # a page that is not there, and an action on oneself
MOVES_BY_ITSELF = {"sessions", "meta", "sqlite_sequence", "sign_in_tries"}
SECRET_NAME = "Victim & Sons"  # of the partner, wherever it is named


@pytest.fixture
def known(app, partner, owner, member, operator, clock) -> dict[str, str]:
    """Something real for every identifier that a path of the console can hold, all of it the partner's."""
    mine = partner.seeded["partnerId"]
    with database.write():
        database.execute("UPDATE partners SET name = ? WHERE id = ?", (SECRET_NAME, mine))
    asked = {"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": ["production.queued"]}
    webhook = body(partner.post("/v1/webhooks", json=asked))
    production = body(partner.trigger())["productionId"]
    complete_steps(clock, made=[make()])
    app.extensions["svc"].recorder.flush()
    answer(claim(clock()), clock())
    viewer = people.viewer(people.get(owner.user_id))
    key, _ = issuing.make_test(viewer, "Key of the victim", [], app.extensions["svc"].platforms, clock())
    issuing.make_activation(US, mine, "Activation of the victim", [], clock())
    invitation = people.invite(US, "member", mine, clock(), email="invited@victim.example")
    with database.write():
        alerts.raise_alert("Something", "warning", "of the victim", clock(), mine)
    return {
        "partner_id": mine, "account_id": partner.seeded["sandboxAccountId"], "avatar_id": partner.seeded["avatarId"],
        "customer_id": one("SELECT id FROM customers WHERE partner_id = ?", mine), "production_id": production,
        "deliverable_id": one("SELECT id FROM deliverables WHERE production_id = ?", production),
        "subscription_id": webhook["subscriptionId"],
        "delivery_id": one("SELECT id FROM deliveries WHERE subscription_id = ?", webhook["subscriptionId"]),
        "number": one("SELECT max(id) FROM requests WHERE partner_id = ?", mine), "key_id": key,
        "activation_id": one("SELECT id FROM activation_keys WHERE partner_id = ?", mine),
        "invitation_id": one("SELECT id FROM invitations WHERE partner_id = ?", mine), "user_id": member.user_id,
        "session_id": one("SELECT id FROM sessions WHERE user_id = ?", owner.user_id),
        "rule_id": rules.add(US, {"phrase": "of the victim"}, clock()), "alert_id": one("SELECT max(id) FROM alerts"),
        "slug": "short", "platform": "Watch", "name": "sample-0.mp4", "rest": "nowhere", "token": invitation,
    }  # fmt: skip


def one(sql: str, *parameters):
    return database.row(sql, parameters)[0]


def ways(app, known: dict) -> list[tuple[str, str, str, bool]]:
    """Every (method, path, endpoint, whether it names something) of the console, from the application's own map."""
    found = []
    for rule in app.url_map.iter_rules():
        if not hasattr(app.blueprints.get(rule.endpoint.partition(".")[0]), "access"):
            continue
        missing = rule.arguments - known.keys()
        assert not missing, f"{rule.rule}: say in `known` what {missing} may be"
        with app.test_request_context():
            path = app.url_map.bind("localhost").build(rule.endpoint, {name: known[name] for name in rule.arguments})
        found += [(method, path, rule.endpoint, bool(rule.arguments)) for method in rule.methods & {"GET", "POST"}]
    return found


def test_every_page_under_console_is_guarded(app):
    """A blueprint that forgot to be a section would be walked by nobody above, and stop nobody."""
    paths = [rule for rule in app.url_map.iter_rules() if rule.rule.startswith("/console")]
    assert len(paths) > 60
    assert [rule.rule for rule in paths if not hasattr(app.blueprints[rule.endpoint.partition(".")[0]], "access")] == []


def everything(about: set[str] | None = None) -> dict[str, list]:
    """The rows of each table, but for what moves by itself. ``about``: only those that mention one of these ids."""
    tables = [row["name"] for row in database.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {
        name: [tuple(row) for row in database.rows(f"SELECT * FROM {name}") if about is None or about & set(row)]
        for name in tables
        if name not in MOVES_BY_ITSELF
    }


def walk(browser: Browser, way: tuple, known: dict, query: dict):
    method, path, _, _ = way
    if method == "GET":
        return browser.get(path, query_string=query)
    typed = {"name": "Mine now", "role": "owner", "disabled": "on", "reason": "Because", "email": ""}
    return browser.post(path, {**typed, **query})


def is_told(page: str, known: dict) -> list[str]:
    """What of the partner's a page tells: ids, names, addresses."""
    secrets = {SECRET_NAME, "Victim &amp; Sons", "of the victim", "invited@victim.example", "How tides work", "93.184.215.14"}
    return [each for each in secrets if each in page]


def test_somebody_signed_out_is_led_to_the_sign_in_page_everywhere(app, known, clock):
    before = everything()
    for way in ways(app, known):
        if way[2] in PUBLIC:
            continue
        refused = walk(Browser(app, None, clock), way, known, {})
        assert (refused.status_code, refused.headers["Location"].partition("?")[0]) == (303, "/console/sign-in"), way
    assert everything() == before


def test_nobody_changes_anything_without_the_token_of_a_form(app, known, operator):
    before = everything()
    for method, path, endpoint, _ in ways(app, known):
        if method == "POST":
            assert operator.client.post(path, data={"name": "x"}).status_code == 400, endpoint
    assert everything() == before


@pytest.mark.parametrize("role", ["owner", "member"])
def test_people_of_another_partner_see_and_change_nothing(app, known, somebody, stranger, role):
    thief = somebody(role, stranger.seeded["partnerId"], "thief@example.com")
    theirs = {each for name, each in known.items() if name.endswith("_id") and isinstance(each, str)}
    queries = ({}, {"partner": known["partner_id"]}, {"account": known["account_id"]}, {"partner_id": known["partner_id"]})
    before = everything(theirs)
    assert len(before["productions"]) == len(before["api_keys"]) - 2 == 1
    for query in queries:
        for way in ways(app, known):
            if way[2] in PUBLIC | NOBODYS or way[2].startswith("profile."):
                continue
            answered = walk(thief, way, known, query)
            assert answered.status_code < 500, way
            if way[3]:
                assert answered.status_code in (403, 404), (way, query, answered.status_code)
            assert is_told(text(answered), known) == [], (way, query)
            assert everything(theirs) == before, (way, query)


def test_members_look_at_their_own_and_change_nothing(app, known, member):
    for way in ways(app, known):
        if way[2] in PUBLIC | NOBODYS or way[2].startswith("profile."):
            continue
        before = everything()
        answered = walk(member, way, known, {})
        assert answered.status_code < 500, way
        if way[0] == "POST":
            assert answered.status_code in (403, 404), way
        assert everything() == before, way


def test_owners_reach_no_operators_page(app, known, owner):
    """Those in a section for operators, or marked for them."""
    for way in ways(app, known):
        view, section = app.view_functions[way[2]], app.blueprints[way[2].partition(".")[0]]
        if getattr(view, "access", section.access) == "operator":
            assert walk(owner, way, known, {}).status_code == 403, way


def test_an_operator_reaches_every_page(app, known, operator):
    for way in ways(app, known):
        if way[0] == "GET" and way[2] not in PUBLIC | NOBODYS | {"avatar_pages.sample_file", "productions_pages.file"}:
            with walk(operator, way, known, {}) as answered:
                assert answered.status_code in (200, 204), way


def test_a_profile_is_ones_own(app, known, owner, somebody, stranger, clock):
    thief = somebody("owner", stranger.seeded["partnerId"], "thief@example.com")
    assert thief.post(f"/console/profile/sessions/{known['session_id']}/end").status_code == 404
    assert known["session_id"] in {row["id"] for row in sessions.of_user(owner.user_id, clock())}


def test_a_role_that_nobody_has_is_given_to_nobody(app, owner, member, partner):
    """An owner cannot make an operator of anybody."""
    owner.post(f"/console/settings/people/{member.user_id}/role", {"role": "operator"})
    assert people.get(member.user_id)["role"] == "member"
    owner.post("/console/settings/people/invite", {"role": "operator", "email": ""})
    assert database.rows("SELECT * FROM invitations WHERE role = 'operator'") == []
    assert owner.post(f"/console/settings/people/{owner.user_id}/role", {"role": "member"}).status_code == 403
    assert owner.post(f"/console/settings/people/{ids.NIL}/role", {"role": "member"}).status_code == 404
