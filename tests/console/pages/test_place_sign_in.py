"""Signing in at a place in the console: its page, and the way back,
which belongs to one user and one browser.
"""

import hashlib
import re
from base64 import urlsafe_b64decode
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest
from support import plain_sql
from support.cast import text
from support.receivers import LOOPBACK
from support.youtube import CLIENT, youtube

from svc.domain.publishing import connections
from svc.platforms import PLACES
from svc.work.publishing.connections import Connections

BACK = "/console/connections/signed-in"


@pytest.fixture
def tube(monkeypatch):
    with youtube() as there:
        monkeypatch.setitem(PLACES, "YouTube", there.place)
        yield there


@pytest.fixture
def here(app, partner, clock) -> str:
    service = app.extensions["svc"]
    object.__setattr__(service, "connections", Connections(LOOPBACK, service.ring, clock))
    return f"/console/connections/{partner.account}"


def form(**changes: str) -> dict[str, str]:
    return {
        "name": "Tube",
        "shape": "landscape",
        "title_template": "{title}",
        "text_template": "{summary}",
        **CLIENT,
        "refresh_token": "",
        "privacy": "unlisted",
        "category": "27",
        "made_for_kids": "no",
        **changes,
    }


def begun(answer) -> dict[str, str]:
    """What the place's page is asked for, by the link of the page."""
    [link] = re.findall(
        r'href="(http://127\.0\.0\.1:\d+/auth\?[^"]*)"',
        answer.get_data(as_text=True).replace("&amp;", "&"),
    )
    return {name: value[0] for name, value in parse_qs(urlsplit(link).query).items()}


def allow(tube, asked: dict[str, str], code: str = "code-1") -> str:
    """Let the user allow it at the place; the address to which the browser is sent back."""
    challenge = urlsafe_b64decode(asked["code_challenge"] + "=")
    tube.codes[code] = challenge.hex()
    return f"{BACK}?code={code}&state={asked['state']}"


def connection() -> dict | None:
    row = plain_sql.row("SELECT * FROM connections WHERE removed_at IS NULL")
    return dict(row) if row else None


def test_an_owner_signs_in_and_the_connection_works(here, owner, tube, app):
    answer = owner.post(f"{here}/add/YouTube", form())
    asked, service = begun(answer), app.extensions["svc"]
    assert (answer.status_code, asked["code_challenge_method"], asked["response_type"]) == (
        200,
        "S256",
        "code",
    )
    assert asked["redirect_uri"] == f"{service.settings.base_url}{BACK}" and asked[
        "redirect_uri"
    ] in text(answer)
    assert (asked["access_type"], asked["client_id"]) == (
        "offline",
        "client",
    ) and "youtube.upload" in asked["scope"]
    cookie = answer.history[0].headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie and "client-secret" not in cookie
    assert connection() is None
    assert owner.get(allow(tube, asked)).status_code == 303
    assert "it works, and is stored" in text(owner.get(here))
    opened = connections.unseal_connection(connection()["id"], service.ring)
    assert (opened.name, opened.values["refresh_token"], opened.values["privacy"]) == (
        "Tube",
        "refresh",
        "unlisted",
    )
    assert "refresh" not in connection()["settings"].replace("refresh_token", "")


def test_a_code_is_exchanged_with_the_verifier_alone(here, owner, tube):
    asked = begun(owner.post(f"{here}/add/YouTube", form()))
    back = allow(tube, asked)
    tube.codes["code-1"] = hashlib.sha256(b"another").hexdigest()
    owner.get(back)
    assert connection() is None and "The sign-in did not work" in text(
        owner.get("/console/connections/" + here.split("/")[-1])
    )


@pytest.mark.parametrize("wrong", ["state", "error", "code"])
def test_a_way_back_that_was_not_begun_here_stores_nothing(here, owner, tube, wrong):
    back = allow(tube, begun(owner.post(f"{here}/add/YouTube", form())))
    changed = {
        "state": back + "x",
        "error": f"{BACK}?error=access_denied",
        "code": back.replace("code=", "none="),
    }[wrong]
    assert owner.get(changed).status_code == 303
    assert connection() is None and (wrong == "state" or tube.tokens == 0)


def test_the_draft_of_another_user_is_not_taken(here, owner, operator, tube):
    answer = owner.post(f"{here}/add/YouTube", form())
    back = allow(tube, begun(answer))
    draft = answer.history[0].headers["Set-Cookie"].split(";")[0].partition("=")[2]
    operator.client.set_cookie("place_sign_in", draft, path=BACK)
    operator.get(back)
    assert connection() is None and tube.tokens == 0
    owner.get(back)
    assert connection() is not None


def test_who_comes_back_after_ten_minutes_begins_again(here, owner, tube, clock):
    back = allow(tube, begun(owner.post(f"{here}/add/YouTube", form())))
    clock.tick(601)
    owner.get(back)
    assert connection() is None and tube.tokens == 0


def test_a_connection_is_signed_in_again(here, owner, tube, app):
    owner.get(allow(tube, begun(owner.post(f"{here}/add/YouTube", form()))))
    tube.refresh = "renewed"
    made = connection()["id"]
    owner.get(allow(tube, begun(owner.post(f"{here}/{made}/sign-in", {})), "code-2"))
    opened = connections.unseal_connection(made, app.extensions["svc"].ring)
    assert (opened.values["refresh_token"], opened.values["privacy"]) == ("renewed", "unlisted")


def test_members_do_not_sign_in_and_missing_values_are_named(here, owner, member, tube):
    assert member.post(f"{here}/add/YouTube", form()).status_code == 403
    assert member.get(f"{BACK}?code=1&state=2").status_code == 403
    answer = owner.post(f"{here}/add/YouTube", form(client_id=""))
    assert "A value is required" in text(answer)
    answer = owner.post(f"{here}/add/YouTube", form(text_template="{title}" * 600))
    assert "too much to keep" in text(answer)
    assert replace(tube.place.description, sign_in=None).sign_in is None
