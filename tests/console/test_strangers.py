"""Strangers walk every page of the console: whatever the routes are,
they see and change nothing that is not theirs.
"""

import pytest
from support import plain_sql
from support.cast import Browser, text
from support.ways import SECRET_NAME, something_known, ways

from svc.base import ids
from svc.domain.people import sessions, users

pytestmark = pytest.mark.slow

PUBLIC = {
    "people.sign_in",
    "people.sign_in_try",
    "people.code",
    "people.code_try",
    "people.welcome",
    "people.accept",
    "people.accent_css",
    "people.logo_file",
    "people.forgotten",
    "people.forgotten_try",
}
OWN = ("profile.", "second_factor.", "kept_pages.", "saved_filters.")
# a page that is not there, and an action on oneself
NOBODYS = {"people.nothing", "people.sign_out"}
NOT_THERE_YET = {  # files
    "avatar_pages.sample_file",
    "avatar_pages.voice",
    "script_pages.preview",
    "productions_pages.file",
    "account_pages.logo",
    "bulk.all_files",
    "productions_pages.warning_picture",
    "webhooks_pages.show_secret",
    "usage_pages.export",
    "connection_pages.signed_in",
    "kept_pages.show",
}
CHANGES_NOTHING = {"template_pages.preview", "template_pages.scenes"}
MOVES_BY_ITSELF = {"sessions", "meta", "sqlite_sequence", "sign_in_tries", "kept_forms"}


@pytest.fixture
def known(app, partner, owner, member, operator, clock) -> dict:
    return something_known(app, partner, owner.user_id, member.user_id, clock)


def test_every_page_under_console_is_guarded(app):
    """A blueprint that forgot to be a section would be walked by nobody above, and stop nobody."""
    paths = [rule for rule in app.url_map.iter_rules() if rule.rule.startswith("/console/")]
    assert len(paths) > 60
    assert [
        rule.rule
        for rule in paths
        if not hasattr(app.blueprints[rule.endpoint.partition(".")[0]], "access")
    ] == []


def everything(about: set[str] | None = None) -> dict[str, list]:
    """The rows of each table, but for what moves by itself.

    ``about``: only those that mention one of these ids.
    """
    tables = [
        row["name"] for row in plain_sql.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
    ]
    return {
        name: [
            tuple(row)
            for row in plain_sql.rows(f"SELECT * FROM {name}")
            if about is None or about & set(row)
        ]
        for name in tables
        if name not in MOVES_BY_ITSELF
    }


def walk(browser: Browser, way: tuple, known: dict, query: dict):
    method, path, _, _ = way
    if method == "GET":
        return browser.get(path, query_string=query)
    typed = {
        "name": "Mine now",
        "role": "owner",
        "disabled": "on",
        "reason": "Because",
        "email": "",
    }
    return browser.post(path, {**typed, **query})


def is_told(page: str, known: dict) -> list[str]:
    """What of the partner's a page tells: ids, names, addresses."""
    secrets = {
        SECRET_NAME,
        "Victim &amp; Sons",
        "of the victim",
        "invited@victim.example",
        "How tides work",
        "93.184.215.14",
    }
    return [each for each in secrets if each in page]


def test_somebody_signed_out_is_led_to_the_sign_in_page_everywhere(app, known, clock):
    before = everything()
    for way in ways(app, known):
        if way[2] in PUBLIC:
            continue
        refused = walk(Browser(app, None, clock), way, known, {})
        assert (refused.status_code, refused.headers["Location"].partition("?")[0]) == (
            303,
            "/console/sign-in",
        ), way
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
    theirs = {
        each for name, each in known.items() if name.endswith("_id") and isinstance(each, str)
    }
    queries = (
        {},
        {"partner": known["partner_id"]},
        {"account": known["account_id"]},
        {"partner_id": known["partner_id"]},
    )
    before = everything(theirs)
    assert len(before["productions"]) == len(before["api_keys"]) - 2 == 1
    for query in queries:
        for way in ways(app, known):
            if way[2] in PUBLIC | NOBODYS or way[2].startswith(OWN):
                continue
            answered = walk(thief, way, known, query)
            assert answered.status_code < 500, way
            if way[3]:
                assert answered.status_code in (403, 404), (way, query, answered.status_code)
            assert is_told(text(answered), known) == [], (way, query)
            assert everything(theirs) == before, (way, query)


def test_members_look_at_their_own_and_change_nothing(app, known, member):
    for way in ways(app, known):
        if way[2] in PUBLIC | NOBODYS or way[2].startswith(OWN):
            continue
        before = everything()
        with walk(member, way, known, {}) as answered:
            assert answered.status_code < 500, way
            if way[0] == "POST":
                assert answered.status_code in (403, 404) or way[2] in CHANGES_NOTHING, way
        assert everything() == before, way


def test_owners_reach_no_operators_page(app, known, owner):
    """Those in a section for operators, or marked for them."""
    for way in ways(app, known):
        view, section = app.view_functions[way[2]], app.blueprints[way[2].partition(".")[0]]
        if getattr(view, "access", section.access) == "operator":
            assert walk(owner, way, known, {}).status_code == 403, way


def test_an_operator_reaches_every_page(app, known, operator):
    for way in ways(app, known):
        if way[0] == "GET" and way[2] not in PUBLIC | NOBODYS | NOT_THERE_YET:
            with walk(operator, way, known, {}) as answered:
                assert answered.status_code in (
                    (303,) if way[2].startswith("own_pages.") else (200, 204)
                ), way


def test_a_profile_is_ones_own(app, known, owner, somebody, stranger, clock):
    thief = somebody("owner", stranger.seeded["partnerId"], "thief@example.com")
    assert thief.post(f"/console/profile/sessions/{known['session_id']}/end").status_code == 404
    assert known["session_id"] in {
        row["id"] for row in sessions.list_sessions(owner.user_id, clock())
    }


def test_a_role_that_nobody_has_is_given_to_nobody(app, owner, member, partner):
    """An owner cannot make an operator of anybody."""
    owner.post(f"/console/settings/people/{member.user_id}/role", {"role": "operator"})
    assert users.get(member.user_id)["role"] == "member"
    owner.post("/console/settings/people/invite", {"role": "operator", "email": ""})
    assert plain_sql.rows("SELECT * FROM invitations WHERE role = 'operator'") == []
    assert (
        owner.post(f"/console/settings/people/{owner.user_id}/role", {"role": "member"}).status_code
        == 403
    )
    assert (
        owner.post(f"/console/settings/people/{ids.NIL}/role", {"role": "member"}).status_code
        == 404
    )
