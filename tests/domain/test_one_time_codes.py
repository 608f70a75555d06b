"""The second factor: set up with the password, each code once, recovery codes, guesses, its loss,
a master key that is gone.
"""

import pyotp
import pytest
from support import plain_sql

from svc.base.crypto.signing import KeyRing
from svc.base.errors import Conflict, InvalidRequest, SecondFactorFailed, TooManySignIns
from svc.domain.audit import audit
from svc.domain.audit.audit import Actor
from svc.domain.paging import Page
from svc.domain.partners import erase as partner_records
from svc.domain.people import second_factor, sessions, throttle, users

US = Actor(None, "the tests")
RING = KeyRing({1: b"1" * 32, 2: b"2" * 32})


@pytest.fixture
def viewer(owner):
    return users.make_viewer(users.get(owner.user_id))


class App:
    """An authenticator app that has scanned the QR code."""

    def __init__(self, viewer, clock, ring=RING):
        self.clock = clock
        second_factor.begin_setup(viewer, ring, clock())
        self.secret, self.address = second_factor.find_pending_setup(viewer, ring, clock())
        self.codes = second_factor.confirm_setup(
            viewer, self.shows(), ring, clock(), "this session"
        )

    def shows(self) -> str:
        return pyotp.TOTP(self.secret).at(self.clock() // 1000)


def check(viewer, code, clock, address="192.0.2.1", device=None, ring=RING) -> str:
    return second_factor.use_code(viewer.id, code, address, device, ring, clock())


def test_a_code_signs_in_once_and_no_older_one_after_it(viewer, clock):
    app = App(viewer, clock)
    with pytest.raises(SecondFactorFailed):
        check(viewer, app.shows(), clock)  # it turned the factor on
    clock.tick(60)
    earlier = pyotp.TOTP(app.secret).at(clock() // 1000 - 30)
    code = app.shows()
    assert check(viewer, f" {code[:3]} {code[3:]} ", clock) == "totp"
    for used in (code, earlier):
        with pytest.raises(SecondFactorFailed, match="works once"):
            check(viewer, used, clock)
    clock.tick(30)
    assert check(viewer, app.shows(), clock) == "totp"


@pytest.mark.parametrize(
    ("seconds", "is_taken"), [(-60, False), (-30, True), (0, True), (30, True), (60, False)]
)
def test_a_clock_may_be_half_a_minute_off(viewer, clock, seconds, is_taken):
    app = App(viewer, clock)
    clock.tick(300)
    code = pyotp.TOTP(app.secret).at(clock() // 1000 + seconds)
    if is_taken:
        assert check(viewer, code, clock) == "totp"
    else:
        with pytest.raises(SecondFactorFailed):
            check(viewer, code, clock)


def test_nobody_waits_for_a_clock_that_was_ahead_when_the_last_code_was_used(viewer, clock):
    clock.tick(86_400)
    app = App(viewer, clock)
    clock.tick(-86_400)
    code = app.shows()
    assert check(viewer, code, clock) == "totp"
    with pytest.raises(SecondFactorFailed, match="works once"):
        check(viewer, code, clock)


def test_it_counts_only_once_a_code_was_seen(viewer, clock):
    second_factor.begin_setup(viewer, RING, clock())
    assert not second_factor.is_on(viewer.id)
    with pytest.raises(InvalidRequest) as refused:
        second_factor.confirm_setup(viewer, "000000", RING, clock(), "this session")
    assert list(refused.value.fields) == ["code"]
    assert not second_factor.is_on(viewer.id)
    clock.tick(second_factor.SETUP_LIFETIME / 1000)
    assert second_factor.find_pending_setup(viewer, RING, clock()) is None
    with pytest.raises(Conflict, match="start again"):
        second_factor.confirm_setup(viewer, "000000", RING, clock(), "this session")


def test_another_one_is_set_up_only_after_the_first_is_off(viewer, clock):
    app = App(viewer, clock)
    with pytest.raises(Conflict, match="already on"):
        second_factor.begin_setup(viewer, RING, clock())
    with pytest.raises(InvalidRequest):
        second_factor.turn_off(viewer, "000000", RING, clock())
    clock.tick(30)
    second_factor.turn_off(viewer, app.shows(), RING, clock())
    assert not second_factor.is_on(viewer.id)
    with pytest.raises(SecondFactorFailed):
        check(viewer, app.codes[0], clock)
    assert App(viewer, clock).secret != app.secret


def test_a_recovery_code_serves_once_and_new_ones_replace_the_old(viewer, clock):
    app = App(viewer, clock)
    assert (
        len(set(app.codes))
        == second_factor.count_recovery_codes(viewer.id)
        == second_factor.RECOVERY_CODES
    )
    assert check(viewer, app.codes[0].upper(), clock) == "recovery code"
    with pytest.raises(SecondFactorFailed):
        check(viewer, app.codes[0], clock)
    assert second_factor.count_recovery_codes(viewer.id) == second_factor.RECOVERY_CODES - 1
    fresh = second_factor.renew_codes(viewer, app.codes[1], RING, clock())
    with pytest.raises(SecondFactorFailed):
        check(viewer, app.codes[2], clock)
    assert check(viewer, fresh[0].replace("-", " "), clock) == "recovery code"


def test_somebody_elses_codes_do_not_serve(viewer, somebody, clock):
    other = users.make_viewer(users.get(somebody("operator").user_id))
    app, _ = App(other, clock), App(viewer, clock)
    clock.tick(60)
    for code in (app.shows(), app.codes[0], "", "12345", "é" * 6, "\ud800" * 6):
        with pytest.raises(SecondFactorFailed):
            check(viewer, code, clock)


def test_neither_secret_nor_codes_are_stored(viewer, clock):
    app = App(viewer, clock)
    tables = ("second_factors", "recovery_codes", "audit")
    stored = str([tuple(row) for each in tables for row in plain_sql.rows(f"SELECT * FROM {each}")])
    raw, code = pyotp.TOTP(app.secret).byte_secret(), app.codes[0]
    secrets = (app.secret, raw.hex(), str(raw)[2:-1], code, code.replace("-", ""))
    assert [each for each in secrets if each in stored] == []
    handed_out = [
        row for each in tables[:2] for row in partner_records.export_rows(each, viewer.partner_id)
    ]
    assert len(handed_out) == 11
    assert all({"nonce", "hash"}.isdisjoint(row) for row in handed_out)


def test_guesses_end_and_the_owners_own_browser_still_comes_in(viewer, clock):
    app = App(viewer, clock)
    for number in range(second_factor.BY_ACCOUNT):
        with pytest.raises(SecondFactorFailed):
            check(viewer, "000000", clock, f"203.0.113.{number}")
    with pytest.raises(TooManySignIns) as refused:
        check(viewer, app.codes[0], clock, "198.51.100.7")
    assert 0 < refused.value.retry_after <= throttle.WINDOW // 1000
    assert check(viewer, app.codes[0], clock, device="its name") == "recovery code"
    for _ in range(throttle.BY_DEVICE):
        with pytest.raises(SecondFactorFailed):
            check(viewer, "000000", clock, device="its name")
    with pytest.raises(TooManySignIns):
        check(viewer, app.codes[1], clock, device="its name")


def test_a_refused_code_of_the_profile_counts_too(viewer, clock):
    app = App(viewer, clock)
    for _ in range(throttle.BY_DEVICE):
        with pytest.raises(InvalidRequest):
            second_factor.turn_off(viewer, "000000", RING, clock())
    with pytest.raises(TooManySignIns):
        second_factor.turn_off(viewer, app.codes[0], RING, clock())
    assert second_factor.is_on(viewer.id)


def test_a_newer_master_key_changes_nothing_and_one_that_is_gone_leaves_recovery_codes(
    viewer, clock
):
    app = App(viewer, clock, KeyRing({1: b"1" * 32}))
    clock.tick(60)
    assert check(viewer, app.shows(), clock) == "totp"
    clock.tick(60)
    gone = KeyRing({2: b"2" * 32})
    with pytest.raises(SecondFactorFailed):
        check(viewer, app.shows(), clock, ring=gone)
    assert check(viewer, app.codes[0], clock, ring=gone) == "recovery code"


def test_an_operator_takes_a_lost_one_away_and_the_sessions_end(viewer, clock):
    App(viewer, clock)
    token = sessions.start(viewer.id, "192.0.2.1", "Browser", clock())
    second_factor.reset(US, viewer.id, clock())
    assert (second_factor.is_on(viewer.id), second_factor.count_recovery_codes(viewer.id)) == (
        False,
        0,
    )
    assert sessions.find_by_token(token, clock()) is None
    with pytest.raises(Conflict, match="no second factor"):
        second_factor.reset(US, viewer.id, clock())


def test_turning_it_on_ends_every_other_session(viewer, owner, clock):
    others = sessions.start(viewer.id, "192.0.2.1", "Browser", clock())
    App(viewer, clock)
    assert sessions.find_by_token(others, clock()) is None


def test_what_is_done_with_it_is_in_the_audit_log(viewer, clock):
    app = App(viewer, clock)
    check(viewer, app.codes[0], clock)
    second_factor.renew_codes(viewer, app.codes[1], RING, clock())
    with pytest.raises(SecondFactorFailed):
        check(viewer, "000000", clock)
    second_factor.reset(US, viewer.id, clock())
    entered = [each["action"] for each in audit.list_page(Page(), subject_id=viewer.id)["data"]]
    assert entered[:7] == [
        "user.totp-reset",
        "user.sign-in-failed",
        "user.recovery-codes",
        "user.recovery-code",
        "user.recovery-code",
        "user.totp-on",
        "user.add",
    ]


def test_the_password_that_was_right_waits_ten_minutes_for_its_code_and_ends_with_a_change(
    viewer, clock
):
    row = users.get(viewer.id)
    kept = sessions.second_factor_challenge(row, clock())
    assert sessions.find_challenged_user(kept, clock())["id"] == viewer.id
    assert sessions.find_challenged_user({**kept, "user": users.ids.NIL}, clock()) is None
    assert sessions.find_challenged_user(None, clock()) is None
    assert sessions.find_challenged_user(kept, clock() + sessions.CHALLENGE_LIFETIME) is None
    users.set_password(US, viewer.id, "battery staple", clock())
    assert sessions.find_challenged_user(kept, clock()) is None
    kept = sessions.second_factor_challenge(users.get(viewer.id), clock())
    users.change(US, viewer.id, clock(), disabled=True)
    assert sessions.find_challenged_user(kept, clock()) is None
