"""Rights end when they should: links, sessions and keys of somebody whose password,
role or right to sign in changes.
"""

import pytest
from support import plain_sql
from support.cast import Person, body, refused

from svc.base import clock as times
from svc.base.errors import Conflict, InvalidRequest, LinkSpent, SignInFailed
from svc.domain.access import key_admin, keys
from svc.domain.audit import audit
from svc.domain.audit.audit import Actor
from svc.domain.paging import Page
from svc.domain.partners import erase as partner_records
from svc.domain.people import passwords, sessions, users

US = Actor(None, "the tests")
OLD, NEW = "correct horse", "battery staple"


@pytest.fixture
def mine(partner) -> str:
    return partner.seeded["partnerId"]


def reset_link(user_id: str, clock) -> str:
    row = users.get(user_id)
    return users.invite(
        US, row["role"], row["partner_id"], clock(), email=row["email"], user_id=user_id
    )


def is_open(token: str, clock) -> bool:
    try:
        return bool(users.find_invitation(token, clock()))
    except LinkSpent:
        return False


def sandbox_key(app, user_id: str, clock) -> tuple[str, str]:
    viewer = users.make_viewer(users.get(user_id))
    return key_admin.create_test_key(
        viewer,
        "mine",
        ["productions:trigger", "accounts:read"],
        app.extensions["svc"].platforms,
        clock(),
    )


CHANGES = {
    "their own change": lambda user_id, at, _: users.change_password(
        users.make_viewer(users.get(user_id)), OLD, NEW, at
    ),
    "an operator's change": lambda user_id, at, _: users.set_password(US, user_id, NEW, at),
    "another link": lambda user_id, at, other: users.accept(other, "", "", NEW, at),
    "another role": lambda user_id, at, _: users.change(US, user_id, at, role="member"),
    "being disabled": lambda user_id, at, _: users.change(US, user_id, at, disabled=True),
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_open_link_for_a_new_password_ends_with(owner, clock, change):
    first, other = reset_link(owner.user_id, clock), reset_link(owner.user_id, clock)
    CHANGES[change](owner.user_id, clock.tick(1), other)
    assert not is_open(first, clock)
    assert not is_open(other, clock)
    with pytest.raises(LinkSpent):
        users.accept(first, "", "", "staple battery horse", clock())


@pytest.mark.parametrize("change", [each for each in CHANGES if each != "another role"])
def test_every_session_ends_with(owner, clock, change):
    token = sessions.start(owner.user_id, "192.0.2.1", "Browser", clock())
    CHANGES[change](owner.user_id, clock.tick(1), reset_link(owner.user_id, clock))
    assert sessions.find_by_token(token, clock()) is None


def test_the_session_that_changes_the_password_stays(owner, clock):
    tokens = [sessions.start(owner.user_id, "192.0.2.1", "Browser", clock()) for _ in range(2)]
    kept = sessions.find_by_token(tokens[0], clock())[1]
    users.change_password(users.make_viewer(users.get(owner.user_id)), OLD, NEW, clock(), kept)
    assert [sessions.find_by_token(each, clock()) is not None for each in tokens] == [True, False]


def test_a_link_for_a_new_password_lasts_a_day_and_an_invitation_a_week(owner, mine, clock):
    link, invitation = reset_link(owner.user_id, clock), users.invite(US, "member", mine, clock())
    clock.tick(times.DAY / 1000 - 1)
    assert (is_open(link, clock), is_open(invitation, clock)) == (True, True)
    clock.tick(1)
    assert (is_open(link, clock), is_open(invitation, clock)) == (False, True)


def test_a_disabled_person_leaves_no_key_session_or_invitation_behind(
    app, partner, owner, somebody, mine, clock
):
    colleague = somebody("owner", mine)
    _, key = sandbox_key(app, owner.user_id, clock)
    _, theirs = sandbox_key(app, colleague.user_id, clock)
    way_back = users.invite(
        users.make_viewer(users.get(owner.user_id)).actor, "owner", mine, clock()
    )
    another = users.invite(
        users.make_viewer(users.get(colleague.user_id)).actor, "member", mine, clock()
    )
    with_key = Person(partner.client, partner.seeded, key)
    assert with_key.get("/v1/partner/accounts").status_code == 200
    users.change(US, owner.user_id, clock.tick(1), disabled=True)
    refused(with_key.get("/v1/partner/accounts"), 401, "UNAUTHORIZED")
    assert not is_open(way_back, clock)
    assert is_open(another, clock)
    for other in (theirs, partner.seeded["liveKey"]):
        assert partner.get("/v1/partner/accounts", key=other).status_code == 200
    users.change(US, owner.user_id, clock.tick(1), disabled=False)
    refused(with_key.get("/v1/partner/accounts"), 401, "UNAUTHORIZED")
    assert audit.list_page(Page(), subject_id=owner.user_id)["data"][1]["after"] == {
        "disabled": True,
        "ended sessions": 1,
        "ended links": 1,
        "ended test_keys": 1,
    }


def test_a_rotated_test_key_and_its_successor_end_with_their_maker(app, partner, owner, clock):
    key_id, key = sandbox_key(app, owner.user_id, clock)
    successor = keys.rotate(keys.find_caller(key_id, clock()), clock())["apiKey"]
    users.change(US, owner.user_id, clock.tick(1), disabled=True)
    for each in (key, successor):
        refused(partner.get("/v1/partner/accounts", key=each), 401, "UNAUTHORIZED")


def test_an_owner_who_becomes_a_member_keeps_the_session_and_nothing_to_change_with(
    app, partner, owner, mine, clock
):
    _, key = sandbox_key(app, owner.user_id, clock)
    way_back = users.invite(
        users.make_viewer(users.get(owner.user_id)).actor, "owner", mine, clock()
    )
    users.change(US, owner.user_id, clock.tick(1), role="member")
    refused(partner.get("/v1/partner/accounts", key=key), 401, "UNAUTHORIZED")
    assert not is_open(way_back, clock)
    assert owner.get("/console/settings/keys").status_code == 200
    assert owner.post("/console/settings/keys", {"name": "mine"}).status_code == 403


def test_no_link_is_made_for_somebody_who_is_disabled(owner, clock):
    users.change(US, owner.user_id, clock(), disabled=True)
    with pytest.raises(Conflict, match="disabled"):
        reset_link(owner.user_id, clock)


def test_a_person_has_twenty_sessions_at_most_and_the_idlest_ends(owner, member, clock):
    others = sessions.start(member.user_id, "192.0.2.1", "Browser", clock())
    tokens = [
        sessions.start(owner.user_id, "192.0.2.1", "Browser", clock.tick(1))
        for _ in range(sessions.MOST)
    ]
    clock.tick(120)
    # used again: now the second is the one that was not for longest
    assert sessions.find_by_token(tokens[0], clock())
    tokens.append(sessions.start(owner.user_id, "192.0.2.1", "Browser", clock.tick(1)))
    found = [sessions.find_by_token(each, clock()) is not None for each in tokens]
    assert found == [True, False] + [True] * (sessions.MOST - 1)
    assert sessions.find_by_token(others, clock())


def test_revoking_a_key_names_its_successors_and_takes_them_along_if_asked(partner, clock):
    first = keys.authenticate(partner.seeded["liveKey"], clock())
    second = keys.rotate(first, clock())["apiKey"]
    third = keys.rotate(keys.authenticate(second, clock()), clock.tick(1))["apiKey"]
    done = key_admin.revoke(US, first.key_id, clock.tick(1))
    assert done.ended == (first.key_prefix,)
    assert [third.startswith(done.still_in_use[1]), second.startswith(done.still_in_use[0])] == [
        True,
        True,
    ]
    assert "still work" in done.sentence
    refused(partner.get("/v1/partners/verify", key=partner.seeded["liveKey"]), 401, "UNAUTHORIZED")
    assert partner.get("/v1/partner/accounts", key=third).status_code == 200
    # revoked before, and still of use
    done = key_admin.revoke(US, first.key_id, clock.tick(1), with_successors=True)
    assert len(done.ended) == 2 and done.still_in_use == ()
    for each in (second, third):
        refused(partner.get("/v1/partner/accounts", key=each), 401, "UNAUTHORIZED")
    with pytest.raises(Conflict, match="revoked already"):
        key_admin.revoke(US, first.key_id, clock(), with_successors=True)
    entered = [each["action"] for each in audit.list_page(Page(), action="key.")["data"]]
    assert entered == ["key.revoke"] * 3 + ["key.rotate"] * 2


def test_a_key_that_is_rotated_or_activated_is_in_the_audit_log(partner, mine, clock):
    partner.live().post("/v1/partners/keys/rotate")
    activation = key_admin.create_activation_key(US, mine, "their server", [], clock.tick(1))
    key = body(partner.get("/v1/partners/verify", key=activation))["apiKey"]
    entries = audit.list_page(Page(), action="key.")["data"]
    assert [each["action"] for each in entries] == ["key.activate", "key.activation", "key.rotate"]
    assert entries[2]["actor"] == f"API key {partner.seeded['liveKey'][:15]}…"
    assert not any(
        secret in str(entries) for secret in (key, activation, partner.seeded["liveKey"])
    )


def test_nothing_is_left_of_an_erased_partners_people(app, owner, mine, clock):
    tables = ("second_factors", "recovery_codes", "sessions", "invitations")
    users.invite(US, "member", mine, clock())
    assert plain_sql.row("SELECT count(*) FROM sessions")[0] == 1
    partner_records.close_partner(mine)
    partner_records.erase(mine, "Demo partner", US, clock())
    assert [plain_sql.row(f"SELECT count(*) FROM {each}")[0] for each in tables] == [0, 0, 0, 0]


@pytest.mark.parametrize("change", ["an operator's change", "being disabled"])
def test_a_sign_in_under_way_does_not_outrun(owner, clock, change):
    row = users.get(owner.user_id)  # whose password was just found to be right
    CHANGES[change](owner.user_id, clock(), None)
    with pytest.raises(SignInFailed):
        sessions.begin(row, "192.0.2.1", "Browser", clock(), proof="password")
    assert sessions.list_sessions(owner.user_id, clock()) == []


def test_a_reset_is_not_undone_by_a_change_of_the_old_password_under_way(owner, clock, monkeypatch):
    viewer, hashed = users.make_viewer(users.get(owner.user_id)), passwords.hash_password

    def while_it_is_hashed(new: str) -> str:
        monkeypatch.setattr(passwords, "hash_password", hashed)
        users.set_password(US, owner.user_id, NEW, clock())
        return hashed(new)

    monkeypatch.setattr(passwords, "hash_password", while_it_is_hashed)
    with pytest.raises(InvalidRequest):
        users.change_password(viewer, OLD, "staple battery horse", clock())
    assert sessions.sign_in(viewer.email, NEW, "192.0.2.1", None, clock())["id"] == viewer.id
