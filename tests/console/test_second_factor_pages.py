"""The pages of the second factor, of partners that are suspended, and of keys with successors."""

import re

import pyotp
import pytest
from support import plain_sql
from support.cast import Browser, text
from support.ways import something_known, ways

from app import create_app
from svc.base import settings
from svc.domain.audit import audit
from svc.domain.audit.audit import Actor
from svc.domain.paging import Page
from svc.domain.partners import admin as partner_admin
from svc.domain.people import second_factor, sessions, users
from svc.store.database import db

US = Actor(None, "the tests")
PAGE, PASSWORD = "/console/profile/second-factor", "correct horse"
LOOKS_ON = {
    "people.sign_out",
    "people.sign_in_try",
    "people.code_try",
    "people.accept",
    "people.nothing",
    "template_pages.preview",
    "template_pages.scenes",
}


def set_up(browser, clock) -> tuple[pyotp.TOTP, list[str]]:
    """As a person does by the pages: the app, and the recovery codes."""
    assert browser.post(f"{PAGE}/begin", {"present": PASSWORD}).status_code == 303
    app = pyotp.TOTP(re.search(r'id="secret">([A-Z2-7]{32})<', text(browser.get(PAGE)))[1])
    done = browser.post(f"{PAGE}/confirm", {"code": app.at(clock() // 1000)}, follow_redirects=True)
    codes = re.search(r'id="codes">([^<]+)<', text(done))[1].split()
    assert len(codes) == second_factor.RECOVERY_CODES
    clock.tick(60)
    return app, codes


def sign_in(browser, user_id: str, **more):
    return browser.post(
        "/console/sign-in", {"email": users.get(user_id)["email"], "password": PASSWORD, **more}
    )


@pytest.fixture
def visitor(app, clock) -> Browser:
    return Browser(app, None, clock)


def test_it_is_set_up_with_the_password_a_code_and_recovery_codes_shown_once(owner, clock):
    wrong = owner.post(f"{PAGE}/begin", {"present": "wrong horse"})
    assert (wrong.status_code, "not your current password" in text(wrong)) == (400, True)
    assert "<svg" not in text(owner.get(PAGE)).partition("<main")[2]
    owner.post(f"{PAGE}/begin", {"present": PASSWORD})
    page = text(owner.get(PAGE))
    assert re.search(r'<svg[^>]* class="qr"', page)
    assert "style=" not in page  # the policy of the pages takes none
    wrong = owner.post(f"{PAGE}/confirm", {"code": "000000"})
    assert (wrong.status_code, "This code is wrong" in text(wrong)) == (400, True)
    _, codes = set_up(owner, clock)
    page = text(owner.get(PAGE))
    assert "10 of your recovery codes are left" in page
    assert not any(each in page for each in codes)
    assert (
        "Off"
        not in re.search(r"Second factor</dt><dd>.*?</dd>", text(owner.get("/console/profile")))[0]
    )


def test_the_password_alone_opens_nothing_then(owner, visitor, clock):
    app, codes = set_up(owner, clock)
    led = sign_in(visitor, owner.user_id, next="/console/profile")
    assert (led.status_code, led.headers["Location"]) == (
        303,
        "/console/sign-in/code?next=/console/profile",
    )
    assert visitor.get("/console/profile").headers["Location"].startswith("/console/sign-in?")
    assert "One more step" in text(visitor.get(led.headers["Location"]))
    wrong = visitor.post("/console/sign-in/code", {"code": "000000"})
    assert (wrong.status_code, "is wrong" in text(wrong)) == (401, True)
    entered = visitor.post(
        "/console/sign-in/code", {"code": app.at(clock() // 1000), "next": "/console/profile"}
    )
    assert (entered.status_code, entered.headers["Location"]) == (303, "/console/profile")
    assert visitor.get("/console/profile").status_code == 200
    entries = audit.list_page(Page(), subject_id=owner.user_id, action="user.sign-in")["data"]
    assert entries[0]["after"] == {"address": "127.0.0.1", "proof": "password, totp"}
    visitor.post("/console/sign-out")
    sign_in(visitor, owner.user_id)
    assert visitor.post("/console/sign-in/code", {"code": codes[0]}).status_code == 303
    assert visitor.get("/console/profile").status_code == 200


def test_the_step_between_ends_after_ten_minutes_and_is_of_one_browser(owner, visitor, clock):
    app, _ = set_up(owner, clock)
    assert visitor.get("/console/sign-in/code").headers["Location"] == "/console/sign-in"
    refused = visitor.post("/console/sign-in/code", {"code": app.at(clock() // 1000)})
    assert refused.headers["Location"] == "/console/sign-in"
    sign_in(visitor, owner.user_id)
    clock.tick(sessions.CHALLENGE_LIFETIME / 1000)
    late = visitor.post("/console/sign-in/code", {"code": app.at(clock() // 1000)})
    assert late.headers["Location"] == "/console/sign-in"
    assert visitor.get("/console/profile").status_code == 303


def test_after_too_many_codes_the_page_says_when_to_come_back(owner, visitor, clock):
    _, codes = set_up(owner, clock)
    sign_in(visitor, owner.user_id)
    for _ in range(8):
        assert visitor.post("/console/sign-in/code", {"code": "000000"}).status_code == 401
    refused = visitor.post("/console/sign-in/code", {"code": codes[0]})
    assert (refused.status_code, "Try again in 15 min" in text(refused)) == (429, True)
    assert 0 < int(refused.headers["Retry-After"]) <= 900


def test_a_link_for_a_new_password_does_not_pass_by_it(owner, visitor, clock):
    app, _ = set_up(owner, clock)
    row = users.get(owner.user_id)
    token = users.invite(US, row["role"], row["partner_id"], clock(), user_id=owner.user_id)
    led = visitor.post(
        f"/console/welcome/{token}", {"password": "battery staple", "again": "battery staple"}
    )
    assert led.headers["Location"].startswith("/console/sign-in/code")
    assert visitor.get("/console/profile").status_code == 303
    assert (
        visitor.post("/console/sign-in/code", {"code": app.at(clock() // 1000)}).status_code == 303
    )
    assert visitor.get("/console/profile").status_code == 200


def test_turning_it_off_needs_the_password_and_a_code(owner, visitor, clock):
    app, codes = set_up(owner, clock)
    for given in (
        {"present": PASSWORD, "code": "000000"},
        {"present": "wrong horse", "code": app.at(clock() // 1000)},
    ):
        assert owner.post(f"{PAGE}/off", given).status_code == 400
        assert owner.post(f"{PAGE}/codes", given).status_code == 400
    renewed = owner.post(
        f"{PAGE}/codes", {"present": PASSWORD, "code": codes[0]}, follow_redirects=True
    )
    assert codes[1] not in text(renewed) and 'id="codes"' in text(renewed)
    assert (
        owner.post(
            f"{PAGE}/off", {"present": PASSWORD, "code": app.at(clock() // 1000)}
        ).status_code
        == 303
    )
    assert sign_in(visitor, owner.user_id).headers["Location"] == "/console/"


def test_operators_reset_it_and_owners_do_not(owner, somebody, operator, partner, clock):
    set_up(owner, clock)
    colleague = somebody("owner", partner.seeded["partnerId"])
    place = f"/console/settings/people/{owner.user_id}/second-factor-reset"
    assert "2FA" in text(colleague.get("/console/settings/people"))
    assert "Reset the second factor" not in text(colleague.get("/console/settings/people"))
    assert colleague.post(place).status_code == 403
    assert second_factor.is_on(owner.user_id)
    page = f"/console/settings/people?partner={partner.seeded['partnerId']}"
    assert "Reset the second factor" in text(operator.get(page))
    assert operator.post(place).status_code == 303
    assert not second_factor.is_on(owner.user_id)
    assert owner.get("/console/profile").status_code == 303  # the sessions have ended


def test_operators_who_must_have_one_set_it_up_before_anything_else(
    tmp_path, clock, cheap_passwords
):
    app = create_app(
        settings.read({"SVC_OPERATOR_TOTP": "required"}, data_dir=tmp_path / "data"), clock
    )
    operator = Browser(
        app, users.add(US, "ada@example.com", "Ada", PASSWORD, "operator", None, clock()), clock
    )
    for path in ("/console/", "/console/partners", "/console/profile", "/console/audit"):
        assert operator.get(path).headers["Location"] == PAGE
    assert (
        operator.get("/console/now", headers={"HX-Request": "true"}).headers["HX-Redirect"] == PAGE
    )
    assert operator.post("/console/partners", {"name": "Kettle"}).headers["Location"] == PAGE
    assert plain_sql.row("SELECT count(*) FROM partners")[0] == 0
    assert "need a second factor" in text(operator.get(PAGE))
    set_up(operator, clock)
    assert operator.get("/console/partners").status_code == 200
    app.extensions["svc"].recorder.stop()
    db.close()


@pytest.mark.slow
@pytest.mark.parametrize("role", ["owner", "member"])
def test_people_of_a_suspended_partner_look_at_everything_and_change_nothing(
    app, partner, owner, member, clock, role
):
    known = something_known(app, partner, owner.user_id, member.user_id, clock)
    partner_admin.change(
        US, partner_admin.PARTNER, known["partner_id"], {"status": "Suspended"}, clock()
    )
    browser = {"owner": owner, "member": member}[role]
    moving = {"sessions", "sign_in_tries", "meta", "kept_forms"}
    tables = [
        row["name"] for row in plain_sql.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
    ]

    def everything():
        return {
            name: [tuple(row) for row in plain_sql.rows(f"SELECT * FROM {name}")]
            for name in tables
            if name not in moving
        }

    before = everything()
    for method, path, endpoint, _ in ways(app, known):
        if endpoint in LOOKS_ON or endpoint.startswith(("profile.", "second_factor.")):
            continue
        with (
            browser.post(path, {"name": "x"}) if method == "POST" else browser.get(path) as answered
        ):
            if method == "POST":
                assert answered.status_code in (403, 404), endpoint
            assert answered.status_code < 500, endpoint
        assert everything() == before, endpoint
    page = text(browser.get("/console/settings/keys"))
    assert "account is Suspended: you can view everything" in page
    assert "Create a test key" not in page
    # what is their own they still may
    assert browser.post(f"{PAGE}/begin", {"present": PASSWORD}).status_code == 303
    assert "account is Suspended" not in text(Browser(app, None, clock).get("/console/sign-in"))


def test_a_key_is_revoked_with_its_successor_where_that_is_ticked(owner, partner, clock):
    live, keys_page = partner.live(), "/console/settings/keys"
    successor = live.post("/v1/partners/keys/rotate").get_json()["apiKey"]
    key_id = plain_sql.row("SELECT id FROM api_keys WHERE rotated_to IS NOT NULL")[0]
    page = text(owner.get(keys_page))
    assert re.search(rf'name="successors" value="on" checked><span>Also {successor[:15]}…', page)
    owner.post(f"{keys_page}/{key_id}/revoke")
    assert f"{successor[:15]}…, which replaced it by rotation, still works" in text(
        owner.get(keys_page)
    )
    assert live.get("/v1/partner/accounts", key=successor).status_code == 200
    owner.post(f"{keys_page}/{key_id}/revoke", {"successors": "on"})
    assert live.get("/v1/partner/accounts", key=successor).status_code == 401
