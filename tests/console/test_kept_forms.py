"""A session that ends while somebody types costs nothing: sign-in says so,
and leads back to the form as it was filled in.
"""

import inspect
import json
import re
from html import unescape

import pytest
from support import plain_sql
from support.cast import Browser, text

from svc.console import forms
from svc.domain.people import kept_forms, users
from svc.store.database import db

PASSWORD = "correct horse"
HOOK = {"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": ["production.published"]}
NEW = "/console/productions/new"


def brief(partner, **more) -> dict:
    return {"account": partner.seeded["sandboxAccountId"], **partner.brief(**more)}


def end_sessions() -> None:
    with db.transaction():
        plain_sql.execute("DELETE FROM sessions")


def lost(browser, path: str, form: dict) -> str:
    """Send a form after the session has ended; the page to continue with after the sign-in."""
    end_sessions()
    answer = browser.post(path, form)
    assert answer.status_code == 303 and answer.location.startswith("/console/sign-in?next=")
    return answer.location


def sign_in(browser, user_id: str, location: str):
    wanted = re.search('name="next" value="([^"]*)"', text(browser.get(location)))[1]
    sent = {"email": users.get(user_id)["email"], "password": PASSWORD, "next": unescape(wanted)}
    answer = browser.client.post("/console/sign-in", data={**sent, "csrf_token": browser.token()})
    assert answer.status_code == 303
    return browser.get(answer.location)


def test_the_form_is_as_it_was_and_nothing_of_it_was_carried_out(owner, partner):
    location = lost(
        owner, NEW, brief(partner, topic="Tides", metadataMD="# Moon\n\nIt pulls.", review="script")
    )
    page = text(owner.get(location))
    assert "Your session had ended, so nothing was sent." in page
    shown = sign_in(owner, owner.user_id, location)
    page = text(shown)
    assert shown.status_code == 200 and "This is what you typed before your session ended." in page
    assert (
        ">Tides</textarea>" in page
        and "# Moon\n\nIt pulls.</textarea>" in page
        and 'value="script" selected' in page
    )
    assert "data-unsaved" in page and f'action="{NEW}"' in page
    assert plain_sql.one("SELECT count(*) FROM productions")[0] == 0


def test_what_is_kept_is_encrypted_and_without_secrets(owner, partner):
    lost(
        owner,
        f"/console/connections/{partner.account}/add/SFTP",
        {"name": "mine", "host": "example.com", "password": "open sesame"},
    )
    rows = [dict(row) for row in plain_sql.rows("SELECT * FROM kept_forms")]
    assert len(rows) == 1 and b"example.com" not in rows[0]["sealed"]
    assert "open sesame" not in json.dumps(rows, default=repr)
    found = re.search('/console/kept/([^"&]+)', text(owner.get(lost(owner, NEW, brief(partner)))))
    kept = kept_forms.find(
        owner.app.extensions["svc"].ring,
        owner.user_id,
        found[1],
        owner.app.extensions["svc"].clock(),
    )
    assert (
        kept["address"] == NEW
        and {"csrf_token", "once", "password"} & {name for name, _ in kept["fields"]} == set()
    )


def test_it_is_shown_to_nobody_else(owner, operator, partner):
    location = lost(owner, NEW, brief(partner, topic="A secret topic"))
    page = text(owner.get(location))
    token = re.search('/console/kept/([^"]+)"', page)[1]
    other = Browser(owner.app, operator.user_id, owner.app.extensions["svc"].clock)
    answer = other.get(f"/console/kept/{token}", follow_redirects=True)
    assert "A secret topic" not in text(answer) and "somebody else typed it" in text(answer)


def test_it_goes_after_an_hour_and_of_a_user_only_the_newest_are_kept(
    owner, partner, clock, monkeypatch
):
    monkeypatch.setattr(kept_forms, "MOST", 2)
    location = lost(owner, NEW, brief(partner))
    for _ in range(3):
        clock.tick()
        location = lost(owner, NEW, brief(partner))
    assert plain_sql.one("SELECT count(*) FROM kept_forms")[0] == 2
    clock.tick(kept_forms.LIFETIME / 1000)
    assert sign_in(owner, owner.user_id, location).status_code == 303
    kept_forms.prune(clock())
    assert plain_sql.one("SELECT count(*) FROM kept_forms")[0] == 0


def test_the_newest_is_kept_when_all_are_of_one_millisecond(owner, monkeypatch):
    monkeypatch.setattr(kept_forms, "MOST", 2)
    service = owner.app.extensions["svc"]
    for number in range(12):
        form: kept_forms.Form = {"address": NEW, "fields": [("topic", str(number))]}
        token = kept_forms.keep(service.ring, owner.user_id, form, service.clock())
        found = kept_forms.find(service.ring, owner.user_id, token, service.clock())
        assert found is not None and found["fields"] == [["topic", str(number)]]


@pytest.mark.parametrize(
    ("site", "kept"), [("same-origin", 1), ("cross-site", 0), ("same-site", 0)]
)
def test_a_form_of_another_site_is_not_kept(owner, partner, site, kept):
    end_sessions()
    owner.post(NEW, brief(partner), headers={"Sec-Fetch-Site": site})
    assert plain_sql.one("SELECT count(*) FROM kept_forms")[0] == kept


def test_a_strangers_form_and_one_that_is_too_large_are_not_kept(app, owner, partner, clock):
    Browser(app, None, clock).post(NEW, brief(partner))
    end_sessions()
    owner.post(NEW, brief(partner, metadataMD="x" * 300_000))
    assert plain_sql.one("SELECT count(*) FROM kept_forms")[0] == 0


def test_a_form_that_is_sent_after_a_sign_out_in_another_tab_is_kept(owner, partner):
    owner.post("/console/sign-out")
    location = owner.post(NEW, brief(partner, topic="Tides")).location
    assert ">Tides</textarea>" in text(sign_in(owner, owner.user_id, location))
    owner.post("/console/sign-out")
    assert "session ha" not in text(owner.get("/console/sign-in"))


def test_a_button_leads_back_to_its_page_and_is_not_pressed_again(owner, partner, busy_hook):
    end_sessions()
    page = f"/console/webhooks/{busy_hook}"
    answer = owner.post(f"{page}/ping", headers={"Referer": f"http://localhost{page}"})
    assert answer.location == f"/console/sign-in?next={page}"
    assert "Your session has ended. Sign in to go on" in text(owner.get(answer.location))
    elsewhere = owner.post(
        f"{page}/ping", headers={"Referer": "http://example.com/console/webhooks/"}
    )
    assert elsewhere.location == "/console/sign-in"


@pytest.fixture
def busy_hook(partner) -> str:
    return json.loads(partner.post("/v1/webhooks", json=HOOK).get_data())["subscriptionId"]


def test_a_member_who_may_send_no_form_is_shown_none(member, partner):
    location = lost(member, NEW, brief(partner))
    assert sign_in(member, member.user_id, location).status_code == 403


def test_every_view_that_keeps_its_form_asks_whether_it_was_sent(app):
    views = {
        name: view
        for name, view in app.view_functions.items()
        if getattr(view, "keeps_form", False)
    }
    assert len(views) > 20
    for name, view in views.items():
        assert re.search(r"forms\.(submit|submit_edit|check_sent)\(", inspect.getsource(view)), name


def test_every_form_with_fields_to_fill_in_is_kept(app):
    """A view that answers a refusal with its form again could be filled in again, too."""
    secret = {
        "people.accept",
        "people.sign_in_try",
        "people.code_try",
        "people.forgotten_try",
        "profile.change_password",
    }
    secret |= {"second_factor.begin", "second_factor.turn_off"}
    for name, view in app.view_functions.items():
        if (
            not view.__module__.startswith("svc.console")
            or getattr(view, "keeps_form", False)
            or name in secret
        ):
            continue
        source = inspect.getsource(view)
        assert "forms.submit" not in source or "files" in source, name


@pytest.mark.parametrize("number", range(3))
def test_a_form_that_is_filled_in_again_can_be_sent(owner, partner, number):
    path, form, table = (
        (NEW, brief(partner), "productions"),
        (
            "/console/webhooks/new",
            {"endpointUrl": "https://93.184.215.14/x", "eventTypes": ["production.published"]},
            "subscriptions",
        ),
        ("/console/templates/new", {**brief(partner), "name": "Mine"}, "templates"),
    )[number]
    shown = text(sign_in(owner, owner.user_id, lost(owner, path, form)))
    assert plain_sql.one(f"SELECT count(*) FROM {table}")[0] == 0
    once = re.search('name="once" value="([^"]+)"', shown)[1]
    assert owner.post(path, {**form, "once": once}).status_code == 303
    assert plain_sql.one(f"SELECT count(*) FROM {table}")[0] == 1


def test_the_answer_to_a_form_that_is_filled_in_again_is_no_error():
    assert (forms.FilledAgain.status, forms.FilledAgain.tone) == (200, "info")
