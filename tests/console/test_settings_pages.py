"""Profile, people and API keys as their people use them: shown once, ended, changed,
and said what was wrong.
"""

import base64
import re

import pytest
from support import plain_sql
from support.cast import Browser, body, text

from svc.domain import scopes
from svc.domain.access import key_admin, keys
from svc.domain.people import sessions, users

KEY = re.compile(r"svc_(?:test|live|activate)_[A-Za-z0-9_-]{48}")
LINK = re.compile(r"http://localhost/console/welcome/[A-Za-z0-9_-]{32}")


def shown_key(page: str) -> str:
    return KEY.search(page)[0]


def test_a_key_is_shown_once_and_works(owner, partner):
    pressed = owner.post(
        "/console/settings/keys", {"name": "staging", "scopes": list(scopes.READ_ONLY)}
    )
    assert (pressed.status_code, pressed.headers["Location"]) == (303, "/console/settings/keys")
    assert not KEY.search(text(owner.get("/console/settings/people")))
    made = owner.get("/console/settings/keys")
    key = shown_key(text(made))
    assert f'data-copy="{key}"' in text(made)
    assert made.headers["Cache-Control"] == "no-store"
    assert key not in text(owner.get("/console/settings/keys"))
    assert "staging" in text(owner.get("/console/settings/keys"))
    accounts = body(partner.get("/v1/partner/accounts", key=key))["data"]
    assert [each["environment"] for each in accounts] == ["sandbox"]
    assert (
        partner.post(
            f"/v1/accounts/{accounts[0]['accountId']}/productions", key=key, json={}
        ).status_code
        == 403
    )


def test_a_reload_after_a_key_was_created_neither_shows_it_again_nor_creates_another_one(
    owner, partner
):
    before = len(key_admin.list_keys(partner.seeded["partnerId"]))
    owner.post("/console/settings/keys", {"name": "staging"})
    pages = [text(owner.get("/console/settings/keys")) for _ in range(3)]
    assert [bool(KEY.search(page)) for page in pages] == [True, False, False]
    assert len(key_admin.list_keys(partner.seeded["partnerId"])) == before + 1


def test_a_key_that_waits_to_be_shown_is_not_readable_in_the_cookie_and_not_for_long(
    owner, app, clock
):
    owner.post("/console/settings/keys", {"name": "staging"})
    with owner.client.session_transaction(path="/console/") as session:
        kept = dict(session)
    assert kept["reveal"] and b"svc_test_" not in base64.b64decode(kept["reveal"])
    other = Browser(app, owner.user_id, clock)  # another session that got hold of it
    with other.client.session_transaction(path="/console/") as session:
        session["reveal"] = kept["reveal"]
    assert not KEY.search(text(other.get("/console/settings/keys")))
    clock.tick(61)
    assert not KEY.search(text(owner.get("/console/settings/keys")))


def test_a_key_is_read_only_unless_more_is_asked_for(owner, clock):
    page = text(owner.get("/console/settings/keys"))
    checked = re.findall(r'name="scopes" value="([^"]+)" checked', page)
    assert sorted(checked) == sorted(scopes.READ_ONLY)
    key = shown_key(
        text(owner.post("/console/settings/keys", {"name": "x"}, follow_redirects=True))
    )
    assert keys.authenticate(key, clock()).scopes == frozenset(scopes.READ_ONLY)
    key = shown_key(
        text(
            owner.post(
                "/console/settings/keys",
                {"name": "x", "scopes": [scopes.TRIGGER]},
                follow_redirects=True,
            )
        )
    )
    assert keys.authenticate(key, clock()).scopes == {scopes.TRIGGER}


def test_a_key_without_a_name_comes_back_with_what_was_chosen(owner):
    refused = owner.post("/console/settings/keys", {"name": " ", "scopes": [scopes.CANCEL]})
    assert refused.status_code == 400
    assert "Give 1 to 100 characters" in text(refused)
    assert re.findall(r'name="scopes" value="([^"]+)" checked', text(refused)) == [scopes.CANCEL]
    assert not KEY.search(text(refused))


def test_a_key_is_rotated_and_revoked(owner, partner, clock):
    key = shown_key(
        text(owner.post("/console/settings/keys", {"name": "staging"}, follow_redirects=True))
    )
    key_id = keys.authenticate(key, clock()).key_id
    fresh = shown_key(
        text(owner.post(f"/console/settings/keys/{key_id}/rotate", follow_redirects=True))
    )
    assert fresh != key
    assert "Rotated" in text(owner.get("/console/settings/keys"))
    again = owner.post(f"/console/settings/keys/{key_id}/rotate")
    assert (again.status_code, "rotated before" in text(again)) == (409, True)
    for one in (key, fresh):
        owner.post(f"/console/settings/keys/{keys.authenticate(one, clock()).key_id}/revoke")
        assert partner.get("/v1/partners/verify", key=one).status_code == 401


def test_a_name_is_hostile_and_harmless(owner):
    name = '"><script>alert(1)</script>'
    page = text(owner.post("/console/settings/keys", {"name": name}, follow_redirects=True))
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_an_operator_hands_out_a_live_key_by_an_activation_key(operator, partner, clock):
    mine = partner.seeded["partnerId"]
    made = operator.post(
        "/console/settings/keys/activations",
        {
            "partner": mine,
            "name": "server",
            "scopes": [scopes.READ],
            "permitted": [partner.seeded["liveAccountId"]],
        },
        follow_redirects=True,
    )
    activation = shown_key(text(made))
    assert activation.startswith("svc_activate_")
    assert "svc_live_" not in text(made).replace(partner.seeded["liveKey"][:15], "")
    live = body(partner.get("/v1/partners/verify", key=activation))["apiKey"]
    assert keys.authenticate(live, clock()).permitted == {partner.seeded["liveAccountId"]}
    assert text(operator.get(f"/console/settings/keys?partner={mine}")).count("server") >= 1


def test_an_activation_key_is_withdrawn(operator, partner, clock):
    mine = partner.seeded["partnerId"]
    operator.post("/console/settings/keys/activations", {"partner": mine, "name": "server"})
    [waiting] = key_admin.list_activation_keys(mine, clock())
    operator.post(f"/console/settings/keys/activations/{waiting['id']}/withdraw", {"partner": mine})
    assert key_admin.list_activation_keys(mine, clock()) == []


def test_without_a_partner_an_operator_is_asked_whose_keys(operator, partner, stranger):
    page = text(operator.get("/console/settings/keys"))
    assert f"/console/settings/keys?partner={partner.seeded['partnerId']}" in page


def test_a_member_sees_keys_and_finds_no_button(member, partner):
    page = text(member.get("/console/settings/keys"))
    assert "Demo test key" in page
    assert "Create a test key" not in page
    assert "Revoke" not in page


def test_an_owner_invites_somebody_who_then_signs_in(owner, app, clock, partner):
    given = {"email": "new@example.com", "role": "member"}
    made = owner.post("/console/settings/people/invite", given, follow_redirects=True)
    place = LINK.search(text(made))[0].removeprefix("http://localhost")
    assert "new@example.com" in text(owner.get("/console/settings/people"))
    guest = Browser(app, None, clock)
    given = {"name": "New", "password": "battery staple", "again": "battery staple"}
    assert guest.post(place, given).status_code == 303
    assert "New" in text(owner.get("/console/settings/people"))
    assert guest.get("/console/settings/people").status_code == 200
    assert (
        guest.post("/console/settings/people/invite", {"email": "", "role": "owner"}).status_code
        == 403
    )


def test_an_invitation_of_somebody_who_is_here_says_so(owner, member):
    email = users.get(member.user_id)["email"]
    refused = owner.post("/console/settings/people/invite", {"email": email, "role": "member"})
    assert (refused.status_code, "This address is already in use." in text(refused)) == (409, True)


def test_an_invitation_is_withdrawn(owner, partner, clock):
    owner.post("/console/settings/people/invite", {"email": "new@example.com", "role": "member"})
    [open_one] = users.list_invitations(partner.seeded["partnerId"], clock())
    owner.post(f"/console/settings/people/invitations/{open_one['id']}/withdraw")
    assert users.list_invitations(partner.seeded["partnerId"], clock()) == []


def test_somebody_who_is_disabled_is_out_at_once_and_can_come_back(owner, member):
    owner.post(f"/console/settings/people/{member.user_id}/disable", {"disabled": "on"})
    assert member.get("/console/settings/keys").status_code == 303
    owner.post(f"/console/settings/people/{member.user_id}/disable", {"disabled": "off"})
    assert users.get(member.user_id)["disabled_at"] is None


def test_a_member_becomes_an_owner(owner, member):
    owner.post(f"/console/settings/people/{member.user_id}/role", {"role": "owner"})
    assert member.post("/console/settings/keys", {"name": "x"}).status_code == 303


def test_a_password_link_is_shown_and_works(owner, member, app, clock):
    made = owner.post(
        f"/console/settings/people/{member.user_id}/password-link", follow_redirects=True
    )
    place = LINK.search(text(made))[0].removeprefix("http://localhost")
    guest = Browser(app, None, clock)
    assert (
        guest.post(place, {"password": "battery staple", "again": "battery staple"}).status_code
        == 303
    )
    assert member.get("/console/profile").status_code == 303  # the session of before has ended


def test_a_password_is_changed_and_every_other_session_ends(owner, app, clock):
    other = Browser(app, owner.user_id, clock)
    given = {"present": "correct horse", "password": "battery staple", "again": "battery staple"}
    assert owner.post("/console/profile/password", {**given, "again": "x"}).status_code == 400
    assert owner.post("/console/profile/password", {**given, "present": "x"}).status_code == 400
    assert owner.post("/console/profile/password", given).headers["Location"] == "/console/profile"
    assert owner.get("/console/profile").status_code == 200
    assert other.get("/console/profile").status_code == 303


def test_sessions_are_listed_and_ended(member, app, clock):
    other = Browser(app, member.user_id, clock)
    page = text(member.get("/console/profile"))
    assert page.count("127.0.0.1") >= 2
    assert page.count("This one") == 1
    [ended] = set(re.findall(r"/console/profile/sessions/([0-9a-f-]{36})/end", page))
    assert member.post(f"/console/profile/sessions/{ended}/end").status_code == 303
    assert other.get("/console/profile").status_code == 303
    Browser(app, member.user_id, clock)
    member.post("/console/profile/sessions/end-others")
    assert len(sessions.list_sessions(member.user_id, clock())) == 1


@pytest.mark.parametrize(
    "path", ["/console/settings/keys", "/console/settings/people", "/console/profile"]
)
def test_no_page_tells_a_hash_or_a_secret(owner, path):
    row = users.get(owner.user_id)
    assert row["password"] not in text(owner.get(path))
    assert (
        bytes(plain_sql.row("SELECT hash FROM api_keys")[0]).hex()
        not in text(owner.get(path)).lower()
    )
