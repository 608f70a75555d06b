"""People: made, invited, changed; their passwords, their sessions,
and the throttling of sign-ins.
"""

import contextlib
import threading

import pytest
from support import plain_sql
from support.counting import lines_run
from support.sampling import sampled

from svc.base import clock as times
from svc.base.errors import (
    Conflict,
    InvalidRequest,
    LinkSpent,
    NotFound,
    SignInFailed,
    SignInsBusy,
    TooManySignIns,
)
from svc.domain.audit import audit
from svc.domain.audit.audit import Actor
from svc.domain.paging import Page
from svc.domain.people import passwords, sessions, throttle, users

US = Actor(None, "the tests")
PASSWORD = "correct horse"


@pytest.fixture(autouse=True)
def cheap(cheap_passwords, app):
    """Nothing here waits for scrypt."""


def ada(clock, role="operator", partner_id=None, email="Ada@Example.com") -> str:
    return users.add(US, email, " Ada  Lovelace ", PASSWORD, role, partner_id, clock())


def sign_in(clock, password=PASSWORD, email="ada@example.com", address="192.0.2.1", device=None):
    return sessions.sign_in(email, password, address, device, clock())


def test_a_person_signs_in_however_the_address_is_written(clock):
    made = ada(clock)
    assert sign_in(clock, email=" ADA@example.COM")["id"] == made
    assert users.get(made)["name"] == "Ada Lovelace"


def test_no_password_is_stored(clock):
    made = ada(clock)
    stored = users.get(made)["password"]
    assert stored.startswith("scrypt:")
    assert PASSWORD not in stored
    assert passwords.matches(PASSWORD, stored)
    assert not passwords.matches(PASSWORD + " ", stored)


@pytest.mark.parametrize(
    "password",
    [
        "short",
        "x" * 201,
        "aaaaaaaaaaaa",
        "ada@example.com",
        "ADA LOVELACE",
        "password123!",
        "Passw0rd2026",
        "Summer2026!",
        "1q2w3e4r5t6y",
        "iloveyou1234",
        "abcdefghijkl",
        "lovelace-ada",
        "partnerproduction",
        "P@ssword2026",
    ],
)
def test_a_weak_password_is_refused_with_a_sentence(clock, password):
    with pytest.raises(InvalidRequest) as refused:
        users.add(US, "ada@example.com", "Ada Lovelace", password, "operator", None, clock())
    assert list(refused.value.fields) == ["password"]
    assert refused.value.message.endswith(".")


@pytest.mark.parametrize(
    "password",
    [
        "correct horse",
        "vzK3-pqXw8",
        "eine kleine Nachtmusik von 1787",
        "密码很长而且不容易猜",
        "\ud800x7Qp-vz0kW",
    ],
)
def test_a_good_password_is_taken(clock, password):
    passwords.check(password, "ada@example.com", "Ada Lovelace")


@pytest.mark.parametrize(
    "hard", sampled(["password" * 25, "1@3$x" * 40, "l33t5p34k" * 22, "abcde12345" * 20], 3)
)
def test_a_long_password_is_judged_as_fast_as_one_of_72_characters(hard):
    """The estimate takes time that grows faster than the length,
    so it is given no more than that.
    """

    def judge(password: str) -> None:
        with contextlib.suppress(InvalidRequest):
            passwords.check(password, "ada@example.com", "Ada")

    judge(hard)  # the first estimate loads the lists of words
    assert lines_run(lambda: judge(hard)) == lines_run(lambda: judge(hard[:72])) < 1_000_000


@pytest.mark.parametrize(
    ("email", "name", "wrong"),
    [
        ("ada", "Ada", "email"),
        ("a b@c", "Ada", "email"),
        ("ada@b\x00", "Ada", "email"),
        ("a@b", "", "name"),
        ("a@b", "x" * 101, "name"),
        ("a@b", "A\x1bda", "name"),
    ],
)
def test_a_bad_address_or_name_is_named(clock, email, name, wrong):
    with pytest.raises(InvalidRequest) as refused:
        users.add(US, email, name, PASSWORD, "operator", None, clock())
    assert list(refused.value.fields) == [wrong]


def test_an_address_is_given_once(clock):
    ada(clock)
    with pytest.raises(Conflict, match="already exists"):
        ada(clock, email="ADA@EXAMPLE.COM")


def test_an_operator_belongs_to_no_partner_and_an_owner_to_one(clock, partner):
    with pytest.raises(InvalidRequest):
        ada(clock, role="operator", partner_id=partner.seeded["partnerId"])
    with pytest.raises(InvalidRequest):
        ada(clock, role="owner")


@pytest.mark.parametrize(
    ("email", "password"), [("ada@example.com", "wrong horse"), ("nobody@example.com", PASSWORD)]
)
def test_a_wrong_password_and_an_unknown_name_are_refused_alike(clock, email, password):
    ada(clock)
    with pytest.raises(SignInFailed) as refused:
        sign_in(clock, password, email)
    assert refused.value.message == SignInFailed.message


def test_an_unknown_name_costs_a_whole_scrypt(clock, monkeypatch):
    costs = []
    whole = passwords._scrypt
    monkeypatch.setattr(
        passwords, "_scrypt", lambda *given: costs.append(given[2:]) or whole(*given)
    )
    ada(clock)
    for email in ("ada@example.com", "nobody@example.com"):
        with pytest.raises(SignInFailed):
            sign_in(clock, "wrong horse", email)
    assert len(costs) == 3  # one made the person
    assert len(set(costs)) == 1


def test_somebody_who_is_disabled_cannot_sign_in_and_their_sessions_end(clock):
    ada(clock)
    bob = ada(clock, email="bob@example.com")
    token = sessions.start(bob, "192.0.2.1", "Browser", clock())
    users.change(US, bob, clock(), disabled=True)
    assert sessions.find_by_token(token, clock()) is None
    with pytest.raises(SignInFailed):
        sign_in(clock, email="bob@example.com")
    users.change(US, bob, clock(), disabled=False)
    assert sign_in(clock, email="bob@example.com")["id"] == bob


def test_the_last_operator_stays(clock):
    with pytest.raises(Conflict, match="last operator"):
        users.change(US, ada(clock), clock(), disabled=True)
    assert users.has_operator()


def test_a_session_is_found_by_its_token_alone_and_only_the_hash_is_stored(clock):
    made = ada(clock)
    token = sessions.start(made, "192.0.2.1", "Browser", clock())
    viewer, session_id = sessions.find_by_token(token, clock())
    assert (viewer.id, viewer.role, viewer.is_operator) == (made, "operator", True)
    assert sessions.find_by_token(token[:-1] + "!", clock()) is None
    assert [each["id"] for each in sessions.list_sessions(made, clock())] == [session_id]
    assert token not in str([tuple(each) for each in plain_sql.rows("SELECT * FROM sessions")])


def test_a_session_ends_when_it_is_idle_and_when_it_is_old(clock):
    made = ada(clock)
    idle = sessions.start(made, "192.0.2.1", "Browser", clock())
    used = sessions.start(made, "192.0.2.1", "Browser", clock())
    for _ in range(9):
        clock.tick(10 * 86400 - 1)
        found = sessions.find_by_token(used, clock())
        assert (found is None) == (clock() - 1_795_262_400_000 >= sessions.LONGEST)
        if clock() - 1_795_262_400_000 > sessions.IDLE:
            assert sessions.find_by_token(idle, clock()) is None
    clock.tick(10)
    assert sessions.find_by_token(used, clock()) is None
    sessions.prune(clock.tick(sessions.IDLE / 1000))
    assert plain_sql.rows("SELECT 1 FROM sessions") == []


def test_sessions_are_ended_one_by_one_and_all_but_this(clock):
    made, other = ada(clock), ada(clock, email="bob@example.com")
    tokens = [sessions.start(made, "192.0.2.1", "Browser", clock.tick(1)) for _ in range(3)]
    ids = [sessions.find_by_token(each, clock())[1] for each in tokens]
    with pytest.raises(NotFound):
        sessions.end(other, ids[0], US, clock())
    sessions.end(made, ids[0], US, clock())
    ended = audit.list_page(Page(), action="user.sessions-end")["data"]
    assert [(each["subject"], each["after"]) for each in ended] == [
        (users.get(made)["email"], {"ended": 1})
    ]
    assert sessions.end_others(made, ids[1], US, clock()) == 1
    assert [sessions.find_by_token(each, clock()) is not None for each in tokens] == [
        False,
        True,
        False,
    ]


def test_a_link_makes_one_person_once(clock, partner):
    mine = partner.seeded["partnerId"]
    token = users.invite(US, "member", mine, clock(), email="bob@example.com")
    assert [each["email"] for each in users.list_invitations(mine, clock())] == ["bob@example.com"]
    made = users.accept(token, "mallory@example.com", "Bob", PASSWORD, clock())
    row = users.get(made)
    assert (row["email"], row["role"], row["partner_id"]) == ("bob@example.com", "member", mine)
    with pytest.raises(LinkSpent):
        users.accept(token, "eve@example.com", "Eve", PASSWORD, clock())
    assert users.list_invitations(mine, clock()) == []


def test_a_link_is_not_spent_by_a_form_with_a_mistake(clock, partner):
    token = users.invite(US, "owner", partner.seeded["partnerId"], clock())
    with pytest.raises(InvalidRequest):
        users.accept(token, "bob@example.com", "Bob", "short", clock())
    ada(clock, email="taken@example.com")
    with pytest.raises(Conflict):
        users.accept(token, "taken@example.com", "Bob", PASSWORD, clock())
    assert users.accept(token, "bob@example.com", "Bob", PASSWORD, clock())


def test_a_link_ends_after_a_week_or_when_it_is_withdrawn(clock, partner, stranger):
    mine = partner.seeded["partnerId"]
    old, withdrawn = (users.invite(US, "owner", mine, clock.tick()) for _ in range(2))
    second = users.list_invitations(mine, clock())[1]["id"]
    with pytest.raises(NotFound):
        users.withdraw(US, second, stranger.seeded["partnerId"], clock())
    users.withdraw(US, second, mine, clock())
    with pytest.raises(LinkSpent):
        users.find_invitation(withdrawn, clock())
    with pytest.raises(LinkSpent):
        users.find_invitation(old, clock.tick(users.INVITATION / 1000))


def test_the_first_operators_link_exists_only_until_there_is_one(clock):
    first, second = users.make_first_operator_link(clock()), users.make_first_operator_link(clock())
    with pytest.raises(LinkSpent):
        users.find_invitation(first, clock())
    users.accept(second, "ada@example.com", "Ada", PASSWORD, clock())
    assert users.make_first_operator_link(clock()) is None


def test_a_link_for_a_new_password_ends_the_sessions(clock):
    made = ada(clock)
    session = sessions.start(made, "192.0.2.1", "Browser", clock())
    token = users.invite(US, "operator", None, clock(), user_id=made)
    assert users.accept(token, "", "", "battery staple", clock()) == made
    assert sessions.find_by_token(session, clock()) is None
    assert sign_in(clock, "battery staple")["id"] == made


def test_one_address_is_stopped_at_one_account_and_its_owner_is_not(clock):
    made = ada(clock)
    for _ in range(throttle.BY_PAIR):
        with pytest.raises(SignInFailed):
            sign_in(clock, "wrong horse", address="203.0.113.9")
    with pytest.raises(TooManySignIns) as refused:
        sign_in(clock, address="203.0.113.9")
    assert 0 < refused.value.retry_after <= throttle.WINDOW // 1000
    assert sign_in(clock, address="192.0.2.1")["id"] == made
    clock.tick(throttle.WINDOW / 1000)
    assert sign_in(clock, address="203.0.113.9")["id"] == made


def test_nobody_waits_for_a_clock_that_was_ahead_when_tries_were_counted(clock):
    made = ada(clock)
    clock.tick(86_400)
    for _ in range(throttle.BY_PAIR):
        with pytest.raises(SignInFailed):
            sign_in(clock, "wrong horse", address="203.0.113.9")
    clock.tick(-86_400)
    assert sign_in(clock, address="203.0.113.9")["id"] == made
    for _ in range(throttle.BY_PAIR):
        with pytest.raises(SignInFailed):
            sign_in(clock, "wrong horse", address="203.0.113.9")
    with pytest.raises(TooManySignIns) as refused:
        sign_in(clock, address="203.0.113.9")
    assert 0 < refused.value.retry_after <= throttle.WINDOW // 1000


def test_one_address_is_stopped_at_many_accounts(clock):
    for number in range(throttle.BY_ADDRESS):
        with pytest.raises(SignInFailed):
            sign_in(clock, email=f"{number}@example.com", address="203.0.113.9")
    with pytest.raises(TooManySignIns):
        sign_in(clock, email="another@example.com", address="203.0.113.9")


def test_many_addresses_are_stopped_at_one_account_but_the_owners_browser_is_not(clock, app):
    made, ring = ada(clock), app.extensions["svc"].ring
    mark = sessions.make_device_mark(ring, made)
    for number in range(throttle.BY_ACCOUNT):
        with pytest.raises(SignInFailed):
            sign_in(clock, "wrong horse", address=f"203.0.113.{number}")
    with pytest.raises(TooManySignIns):
        sign_in(clock, address="198.51.100.7")
    device = sessions.find_known_device(ring, "ada@example.com", mark)
    assert sign_in(clock, address="203.0.113.1", device=device)["id"] == made


def test_a_known_device_is_stopped_too(clock, app):
    made, ring = ada(clock), app.extensions["svc"].ring
    device = sessions.find_known_device(
        ring, "ada@example.com", sessions.make_device_mark(ring, made)
    )
    for _ in range(throttle.BY_DEVICE):
        with pytest.raises(SignInFailed):
            sign_in(clock, "wrong horse", device=device)
    with pytest.raises(TooManySignIns):
        sign_in(clock, device=device)


def test_a_devices_mark_is_of_one_person_and_cannot_be_made_up(clock, app):
    ring = app.extensions["svc"].ring
    mark = sessions.make_device_mark(ring, ada(clock))
    ada(clock, email="bob@example.com")
    assert sessions.find_known_device(ring, "bob@example.com", mark) is None
    assert sessions.find_known_device(ring, "nobody@example.com", mark) is None
    for bad in ("", ".", "x", mark.replace(".", "0."), mark[:-1] + "é", "\ud800.\ud800"):
        assert sessions.find_known_device(ring, "ada@example.com", bad) is None


def test_sign_ins_that_succeed_do_not_count(clock):
    ada(clock)
    for _ in range(throttle.BY_ADDRESS * 3):
        sign_in(clock)


def test_old_windows_are_forgotten(clock):
    with pytest.raises(SignInFailed):
        sign_in(clock)
    throttle.prune(clock.tick(throttle.WINDOW / 1000))
    assert plain_sql.rows("SELECT * FROM sign_in_tries") == []


def test_a_password_is_changed_only_by_who_knows_it(clock):
    viewer = users.make_viewer(users.get(ada(clock)))
    with pytest.raises(InvalidRequest) as refused:
        users.change_password(viewer, "wrong horse", "battery staple", clock())
    assert list(refused.value.fields) == ["present"]
    users.change_password(viewer, PASSWORD, "battery staple", clock())
    assert sign_in(clock, "battery staple")
    for _ in range(throttle.BY_DEVICE - 1):
        with pytest.raises(InvalidRequest):
            users.change_password(viewer, "wrong horse", "battery staple", clock())
    with pytest.raises(TooManySignIns):
        users.change_password(viewer, "battery staple", "staple battery", clock())


def test_what_is_done_with_people_is_in_the_audit_log_without_a_secret(clock, partner):
    made = ada(clock, "owner", partner.seeded["partnerId"])
    users.change(US, made, clock.tick(1), role="member")
    token = users.invite(US, "owner", partner.seeded["partnerId"], clock.tick(times.SECOND))
    entries = audit.list_page(Page())["data"]
    assert [each["action"] for each in entries] == ["user.invite", "user.change", "user.add"]
    assert entries[1]["before"] == {"role": "owner"}
    assert entries[1]["after"] == {"role": "member"}
    assert PASSWORD not in str(entries)
    assert token not in str(entries)


def test_one_ipv6_network_has_no_more_tries_than_one_address(clock):
    ada(clock)
    for number in range(throttle.BY_ADDRESS):
        with pytest.raises(SignInFailed):
            sign_in(clock, email=f"{number}@example.com", address=f"2001:db8:1:2::{number:x}")
    with pytest.raises(TooManySignIns):
        sign_in(clock, address="2001:db8:1:2:ffff::1")
    assert sign_in(clock, address="2001:db8:1:3::1")


def test_nobody_waits_for_a_place_and_strangers_leave_one_to_people_who_are_known(
    clock, monkeypatch, app
):
    made, ring = ada(clock), app.extensions["svc"].ring
    device = sessions.find_known_device(
        ring, "ada@example.com", sessions.make_device_mark(ring, made)
    )
    inside, go_on, whole = threading.Semaphore(0), threading.Event(), passwords._scrypt

    def slow(*given):
        inside.release()
        go_on.wait(60)
        return whole(*given)

    monkeypatch.setattr(passwords, "_scrypt", slow)
    strangers = [
        threading.Thread(target=guess, args=(clock, f"203.0.113.{number}")) for number in range(2)
    ]
    for each in strangers:
        each.start()
        assert inside.acquire(timeout=60)
    with pytest.raises(SignInsBusy) as refused:
        sign_in(clock)
    assert refused.value.retry_after > 0
    tries = {row["subject"]: row["tries"] for row in plain_sql.rows("SELECT * FROM sign_in_tries")}
    assert tries["account ada@example.com"] == 2  # one that was not looked at does not count
    monkeypatch.setattr(passwords, "_scrypt", whole)
    assert sign_in(clock, device=device)["id"] == made
    go_on.set()
    for each in strangers:
        each.join()
    assert sign_in(clock)["id"] == made


def guess(clock, address: str) -> None:
    with pytest.raises(SignInFailed):
        sign_in(clock, "wrong horse", address=address)


def test_sign_ins_and_sign_outs_are_in_the_audit_log(clock):
    made = ada(clock)
    token = sessions.begin(users.get(made), "192.0.2.1", "Browser", clock(), proof="password")
    viewer, session = sessions.find_by_token(token, clock())
    sessions.sign_out(viewer, session, clock())
    entries = audit.list_page(Page(), subject_id=made)["data"]
    assert [each["action"] for each in entries] == ["user.sign-out", "user.sign-in", "user.add"]
    assert entries[1]["after"] == {"address": "192.0.2.1", "proof": "password"}
    assert sessions.list_sessions(made, clock()) == []


def test_a_flood_of_bad_sign_ins_makes_a_handful_of_entries(clock, monkeypatch):
    ada(clock)
    monkeypatch.setattr(throttle, "BY_ACCOUNT", 10_000)
    for number in range(120):
        for email in ("ada@example.com", f"my-password-{number}@example.com"):
            with pytest.raises(SignInFailed):
                sign_in(clock, "wrong horse", email, f"2001:db8:0:{number:x}::1")
    entries = audit.list_page(Page(), action="user.sign-in-failed")["data"]
    assert [each["after"]["failures in 15 min"] for each in entries] == [100, 100, 10, 10, 1, 1]
    assert {each["subject"] for each in entries} == {"ada@example.com", "an unknown address"}
    assert not any(secret in str(entries) for secret in ("my-password", "wrong horse"))
    clock.tick(throttle.WINDOW / 1000)
    with pytest.raises(SignInFailed):
        sign_in(clock, "wrong horse")
    assert len(audit.list_page(Page(), action="user.sign-in-failed")["data"]) == 7
