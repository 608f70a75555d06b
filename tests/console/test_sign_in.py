"""Signing in by the pages: the cookie, where it leads, one-time links,
tokens against cross-site requests.
"""

import re
import threading

import pytest
from support import plain_sql
from support.cast import Browser, text

from app import create_app
from svc.base import settings
from svc.console.page_blueprint import POLICY
from svc.domain.audit.audit import Actor
from svc.domain.people import passwords, users
from svc.store.database import db

US = Actor(None, "the tests")


@pytest.fixture
def visitor(app, clock) -> Browser:
    return Browser(app, None, clock)


def cookie(response, name: str) -> str:
    return next(
        each for each in response.headers.getlist("Set-Cookie") if each.startswith(f"{name}=")
    )


def sign_in(browser, email="owner@example.com", password="correct horse", **more):
    return browser.post("/console/sign-in", {"email": email, "password": password, **more})


def test_the_root_leads_to_the_console(visitor):
    for path in ("/", "/console"):
        assert visitor.get(path).headers["Location"] == "/console/"


def test_a_slash_too_many_does_no_harm(operator):
    assert operator.get("/console/partners/").headers["Location"] == "/console/partners"
    assert operator.get("/console/nowhere/", follow_redirects=True).status_code == 404
    assert operator.get("/console//evil.example/").status_code == 404


def test_somebody_signed_out_is_led_to_the_page_after_signing_in(visitor, somebody, partner):
    somebody("owner", partner.seeded["partnerId"], "owner@example.com")
    led = visitor.get("/console/nowhere?status=Failed")
    assert (led.status_code, led.headers["Location"]) == (
        303,
        "/console/sign-in?next=/console/nowhere?status%3DFailed",
    )
    page = text(visitor.get(led.headers["Location"]))
    assert 'value="/console/nowhere?status=Failed"' in page
    entered = sign_in(visitor, next="/console/nowhere?status=Failed")
    assert (entered.status_code, entered.headers["Location"]) == (
        303,
        "/console/nowhere?status=Failed",
    )
    assert visitor.get("/console/nowhere").status_code == 404


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example",
        "/console/\\evil.example",
        "/console//evil.example",
        "/v1/webhooks",
        "javascript:alert(1)",
        "console/x",
        "https:/console/x",
        "",
    ],
)
def test_no_other_place_is_led_to(visitor, somebody, partner, target):
    somebody("owner", partner.seeded["partnerId"], "owner@example.com")
    assert sign_in(visitor, next=target).headers["Location"] == "/console/"


def test_a_wrong_password_says_so_and_keeps_the_address(visitor, somebody):
    somebody("operator", email="ada@example.com")
    refused = sign_in(visitor, "ada@example.com", "wrong horse")
    assert refused.status_code == 401
    assert "is wrong" in text(refused)
    assert 'value="ada@example.com"' in text(refused)


def test_after_too_many_tries_the_page_says_when_to_come_back(visitor, somebody):
    somebody("operator", email="ada@example.com")
    for _ in range(8):
        sign_in(visitor, "ada@example.com", "wrong horse")
    refused = sign_in(visitor, "ada@example.com")
    assert refused.status_code == 429
    assert 0 < int(refused.headers["Retry-After"]) <= 900
    assert "Try again in 15 min" in text(refused)


@pytest.mark.parametrize(
    ("address", "is_secure"), [("http://localhost", False), ("https://media.example.com", True)]
)
def test_cookies_are_secure_exactly_behind_https(
    tmp_path, clock, cheap_passwords, address, is_secure
):
    app = create_app(settings.read({}, data_dir=tmp_path / "data", base_url=address), clock)
    users.add(US, "ada@example.com", "Ada", "correct horse", "operator", None, clock())
    entered = sign_in(Browser(app, None, clock), "ada@example.com")
    for name in ("session", "device"):
        found = cookie(entered, name)
        assert ("Secure" in found) == is_secure
        assert "HttpOnly" in found
        assert "SameSite=Lax" in found
        assert "Path=/console" in found
    app.extensions["svc"].recorder.stop()
    db.close()


@pytest.mark.parametrize("told", ["203.0.113.9:51008", "::ffff:203.0.113.9", "203.0.113.9"])
def test_a_session_has_the_address_without_the_port_that_a_proxy_adds(visitor, somebody, told):
    somebody("operator", email="ada@example.com")
    visitor.client.environ_base["REMOTE_ADDR"] = told
    sign_in(visitor, "ada@example.com")
    assert {row["address"] for row in plain_sql.rows("SELECT address FROM sessions")} - {
        "127.0.0.1"
    } == {"203.0.113.9"}


def test_behind_a_proxy_below_its_root_every_path_begins_there(tmp_path, clock):
    app = create_app(
        settings.read({}, data_dir=tmp_path / "data", base_url="https://media.example.com/videos"),
        clock,
    )
    visitor = app.test_client()
    assert visitor.get("/").headers["Location"] == "/videos/console/"
    page = visitor.get("/console/sign-in")
    assert 'action="/videos/console/sign-in"' in text(page)
    assert "Path=/videos/console" in cookie(page, "session")
    app.extensions["svc"].recorder.stop()
    db.close()


def test_signing_in_begins_a_fresh_session(visitor, somebody):
    somebody("operator", email="ada@example.com")
    with visitor.client.session_transaction(path="/console/") as before:
        before["csrf_token"] = before["planted"] = "by somebody else"
    sign_in(visitor, "ada@example.com")
    with visitor.client.session_transaction(path="/console/") as after:
        assert after["token"]
        assert "by somebody else" not in after.values()


def test_signing_out_ends_the_session_for_good(owner):
    with owner.client.session_transaction(path="/console/") as session:
        kept = dict(session)
    assert owner.post("/console/sign-out").headers["Location"] == "/console/sign-in"
    with owner.client.session_transaction(path="/console/") as session:
        session.update(kept)
    assert owner.get("/console/nowhere").status_code == 303


@pytest.mark.parametrize("token", [None, "", "made up"])
def test_a_form_without_its_token_is_refused_with_a_page(owner, token):
    refused = owner.client.post(
        "/console/sign-out", data={} if token is None else {"csrf_token": token}
    )
    assert refused.status_code == 400
    assert "was sent by another site" in text(refused)
    assert owner.get("/console/nowhere").status_code == 404  # still signed in


def test_the_first_operator_is_made_by_the_link(visitor, clock, cheap_passwords):
    assert "This service has no operator yet" in text(visitor.get("/console/sign-in"))
    place = f"/console/welcome/{users.make_first_operator_link(clock())}"
    assert "makes an operator" in text(visitor.get(place))
    given = {
        "name": "Ada",
        "email": "ada@example.com",
        "password": "correct horse",
        "again": "correct horse",
    }
    differing = visitor.post(place, {**given, "again": "another"})
    assert (differing.status_code, "The two passwords differ." in text(differing)) == (400, True)
    assert 'value="ada@example.com"' in text(differing)
    made = visitor.post(place, given)
    assert (made.status_code, made.headers["Location"]) == (303, "/console/")
    assert visitor.get("/console/nowhere").status_code == 404
    assert "has been used" in text(visitor.get(place))
    assert "has no operator yet" not in text(
        Browser(visitor.app, None, clock).get("/console/sign-in")
    )


def test_an_invitation_names_the_partner_and_is_bound_to_its_address(
    visitor, partner, clock, cheap_passwords
):
    token = users.invite(
        US, "member", partner.seeded["partnerId"], clock(), email="bob@example.com"
    )
    page = text(visitor.get(f"/console/welcome/{token}"))
    assert "Demo partner" in page
    assert re.search(r'value="bob@example.com"\s+readonly', page)


def test_every_answer_carries_the_headers(visitor, owner):
    answers = [
        each.get(path) for each in (visitor, owner) for path in ("/console/sign-in", "/console/x")
    ]
    for answer in [*answers, visitor.client.post("/console/x")]:
        assert answer.headers["Content-Security-Policy"] == POLICY
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] == "no-store"
    assert "unsafe" not in POLICY


def test_htmx_is_sent_to_the_sign_in_page_whole(visitor):
    page = "http://localhost/console/productions/?status=Failed"
    refused = visitor.get("/console/now", headers={"HX-Request": "true", "HX-Current-URL": page})
    assert refused.status_code == 401
    assert (
        refused.headers["HX-Redirect"]
        == "/console/sign-in?next=/console/productions/?status%3DFailed"
    )


def test_the_api_sets_no_cookie(partner, owner):
    answer = partner.get("/v1/partners/verify")
    assert "Set-Cookie" not in answer.headers
    assert "Cookie" not in answer.headers.get("Vary", "")


def test_while_other_passwords_are_checked_the_page_says_so_at_once(visitor, somebody, monkeypatch):
    somebody("operator", email="ada@example.com")
    monkeypatch.setattr(passwords, "_STRANGERS", threading.BoundedSemaphore(1))
    with passwords._STRANGERS:
        refused = sign_in(visitor, "ada@example.com")
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "2")
    assert "in a few seconds" in text(refused) and " min." not in text(refused)
    assert sign_in(visitor, "ada@example.com").status_code == 303
