"""The console's pages of places to publish to: an owner connects an account,
and nobody sees a secret again.
"""

import json

import pytest
from support import places, plain_sql
from support.cast import body, text
from support.receivers import LOOPBACK, answering, receiving

from svc.store.database import db
from svc.work.publishing.connections import Connections


@pytest.fixture
def here(app, partner, clock) -> str:
    """The page of the partner's account, in an installation that may reach this machine."""
    service = app.extensions["svc"]
    object.__setattr__(service, "connections", Connections(LOOPBACK, service.ring, clock))
    return f"/console/connections/{partner.account}"


def form(url: str, **changes: str) -> dict[str, str]:
    return {
        "name": "n8n",
        "url": url,
        "signing_secret": places.SECRET,
        "shape": "landscape",
        "title_template": "{title}",
        "text_template": "{summary}",
        **changes,
    }


def connection() -> dict | None:
    row = plain_sql.row("SELECT * FROM connections WHERE removed_at IS NULL")
    return dict(row) if row else None


def test_an_owner_connects_tries_renews_and_removes(here, owner):
    assert all(kind in text(owner.get(here)) for kind in ("Hook", "S3", "WebDAV", "SFTP"))
    with places.relay() as relay:
        url = relay.counterpart.values["url"]
        assert "Signing secret" in text(owner.get(f"{here}/add/Hook"))
        assert owner.post(f"{here}/add/Hook", form(url)).status_code == 303
        made = connection()
        assert (made["name"], made["connector"]) == ("n8n", "Hook")
        one = f"{here}/{made['id']}"
        assert owner.post(f"{one}/try", {}).status_code == 303
        assert "It works." in text(owner.get(here))
        page = text(owner.get(one))
        assert url in page and places.SECRET not in page
        assert owner.post(one, form(url, signing_secret="", shape="portrait")).status_code == 303
        assert connection()["shape"] == "portrait"
    assert owner.post(f"{one}/remove", {}).status_code == 303
    assert connection() is None


@pytest.mark.parametrize(
    ("kind", "field", "chosen"),
    [
        ("YouTube", "privacy", "private"),
        ("YouTube", "made_for_kids", "no"),
        ("PeerTube", "privacy", "public"),
        ("Mastodon", "visibility", "public"),
        ("WordPress", "status", "publish"),
        ("Podcast", "category", "Education"),
    ],
)
def test_a_value_of_a_few_is_chosen_and_not_typed(here, owner, kind, field, chosen):
    page = text(owner.get(f"{here}/add/{kind}"))
    assert f'<select id="f-{field}" name="{field}"' in page
    assert f'<option value="{chosen}" selected>' in page


def test_a_stored_value_that_is_no_choice_is_replaced_by_none_unasked(here, owner):
    podcast = form("") | {"name": "Cast", "category": "Arts"}
    assert owner.post(f"{here}/add/Podcast", podcast).status_code == 303
    one = f"{here}/{connection()['id']}"
    store_category("Games & Hobbies")  # one that Apple had until 2019
    page = text(owner.get(one))
    assert '<option value="Games &amp; Hobbies" selected>' in page
    answer = owner.post(one, podcast | {"category": "Games & Hobbies"})
    assert answer.status_code == 400 and "Give one of Arts," in text(answer)


def test_a_connection_from_before_a_choice_shows_its_default(here, owner):
    podcast = form("") | {"name": "Cast", "category": "Arts"}
    assert owner.post(f"{here}/add/Podcast", podcast).status_code == 303
    store_category(None)
    page = text(owner.get(f"{here}/{connection()['id']}"))
    assert '<option value="Education" selected>' in page


def store_category(value: str | None) -> None:
    """Store another category in the connection, or none, as an earlier release has left it."""
    settings = json.loads(connection()["settings"]) | {"category": value}
    kept = {name: each for name, each in settings.items() if each is not None}
    with db.transaction():
        plain_sql.execute("UPDATE connections SET settings = ?", (json.dumps(kept),))


def test_lines_of_a_description_are_stored_without_the_ends_that_browsers_send(here, owner):
    podcast = form("") | {"name": "Cast", "about": "Of tides.\r\nAnd of winds.\r\n"}
    assert owner.post(f"{here}/add/Podcast", podcast | {"category": "Arts"}).status_code == 303
    assert json.loads(connection()["settings"])["about"] == "Of tides.\nAnd of winds."


def test_a_description_of_several_lines_is_there_again_in_its_form(here, owner):
    podcast = form("") | {"name": "Cast", "about": "Of tides.\nAnd of winds.", "category": "Arts"}
    assert owner.post(f"{here}/add/Podcast", podcast).status_code == 303
    assert "Of tides.\nAnd of winds.</textarea>" in text(owner.get(f"{here}/{connection()['id']}"))
    refused = text(owner.post(f"{here}/add/Podcast", podcast | {"email": "nobody"}))
    assert "Of tides.\nAnd of winds.</textarea>" in refused


def test_a_secret_that_was_made_is_shown_once(here, owner):
    with receiving(answering()) as receiver:
        page = text(
            owner.post(
                f"{here}/add/Hook", form(receiver.url(), signing_secret=""), follow_redirects=True
            )
        )
    assert "whsec_" in page and "shown only now" in page
    assert "whsec_" not in text(owner.get(here))


def test_what_does_not_work_is_said_beside_the_form_and_keeps_its_input(here, owner):
    with receiving(
        answering(b"HTTP/1.1 403 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    ) as receiver:
        answer = owner.post(f"{here}/add/Hook", form(receiver.url()))
    assert answer.status_code == 409
    assert "The try did not work. The place answered 403." in text(answer)
    assert receiver.url() in text(answer) and places.SECRET not in text(answer)
    given = {
        "name": "x",
        "host": "no host",
        "port": "0",
        "user": "u",
        "password": "p",
        "shape": "landscape",
    }
    wrong = owner.post(
        f"{here}/add/SFTP", {**given, "title_template": "{title}", "text_template": "{x}"}
    )
    assert wrong.status_code == 400 and "{x} is not a placeholder" in text(wrong)
    assert connection() is None


def test_members_read_and_strangers_see_nothing(here, partner, stranger, member, somebody, owner):
    with receiving(answering()) as receiver:
        owner.post(f"{here}/add/Hook", form(receiver.url()))
    one = f"{here}/{connection()['id']}"
    assert "n8n" in text(member.get(here)) and member.get(one).status_code == 403
    assert member.post(f"{one}/remove", {}).status_code == 403
    thief = somebody("owner", stranger.seeded["partnerId"])
    for path in (here, f"{here}/add/Hook", one):
        assert thief.get(path).status_code == 404, path
    elsewhere = f"/console/connections/{stranger.account}"
    assert thief.post(f"{elsewhere}/{connection()['id']}/remove", {}).status_code == 404
    assert (
        thief.post(f"{elsewhere}/{connection()['id']}", form("https://example.com")).status_code
        == 404
    )
    assert connection()["name"] == "n8n"


def test_the_accounts_page_of_an_operator_leads_to_a_connection(here, owner, operator, partner):
    with receiving(answering()) as receiver:
        owner.post(f"{here}/add/Hook", form(receiver.url()))
    page = text(operator.get(f"/console/accounts/{partner.account}"))
    assert f"{here}/{connection()['id']}" in page
    disconnect = f"/console/accounts/{partner.account}/platforms/n8n"
    # a connection is removed as one
    assert operator.post(disconnect, {"connected": "off"}).status_code == 404


def test_an_unknown_kind_of_place_is_not_found(here, owner):
    assert owner.get(f"{here}/add/Fax").status_code == 404


def test_a_production_page_offers_to_retry_and_to_skip(here, owner, member, partner, clock):
    with receiving(answering()) as receiver:
        owner.post(f"{here}/add/Hook", form(receiver.url()))
    production = body(partner.trigger())["productionId"]
    with db.transaction():
        plain_sql.execute(
            "UPDATE productions SET status = 'Distributing' WHERE id = ?", (production,)
        )
        plain_sql.execute(
            "UPDATE publications SET status = 'Publishing', error = 'The place answered 503.', "
            "sent_bytes = 2000000, "
            "next_attempt_at = ? WHERE platform = 'n8n'",
            (clock() + 60_000,),
        )
    page = text(owner.get(f"/console/productions/{production}"))
    assert "The place answered 503." in page and "2 MB sent" in page.replace("2.0", "2")
    way = f"/console/productions/{production}/platforms/n8n"
    assert f"{way}/retry" in page and f"{way}/skip" in page
    assert f"{way}/skip" not in text(member.get(f"/console/productions/{production}"))
    assert owner.post(f"{way}/retry", {}).status_code == 303
    assert (
        plain_sql.one("SELECT next_attempt_at FROM publications WHERE platform = 'n8n'")[
            "next_attempt_at"
        ]
        == clock()
    )
    assert owner.post(f"{way}/skip", {}).status_code == 303
    assert (
        plain_sql.one("SELECT status FROM publications WHERE platform = 'n8n'")["status"]
        == "Withdrawn"
    )
    assert owner.post(f"{way}/nothing", {}).status_code == 404


def test_a_production_page_withdraws_from_a_place(here, owner, member, partner):
    with places.relay() as relay:
        owner.post(f"{here}/add/Hook", form(relay.counterpart.values["url"]))
        production = body(partner.trigger())["productionId"]
        with db.transaction():
            plain_sql.execute(
                "UPDATE productions SET status = 'Published' WHERE id = ?", (production,)
            )
            plain_sql.execute(
                "UPDATE publications SET status = 'Published', post_url = "
                "'https://relay.example.com/1'"
            )
        page = text(owner.get(f"/console/productions/{production}"))
        way = f"/console/productions/{production}/platforms/n8n/withdraw"
        assert way in page and 'href="https://relay.example.com/1" rel="noreferrer"' in page
        assert way not in text(member.get(f"/console/productions/{production}"))
        assert owner.post(way, {}).status_code == 303
    assert relay.calls == ["test", "withdraw"]
    assert (
        plain_sql.one("SELECT status FROM publications WHERE platform = 'n8n'")["status"]
        == "Withdrawn"
    )


def test_the_address_of_a_podcast_is_shown(here, owner):
    given = {
        "name": "Podcast",
        "shape": "landscape",
        "title_template": "{title}",
        "text_template": "{summary}",
        "show": "Tea",
    }
    given |= {
        "author": "",
        "about": "",
        "category": "Education",
        "image": "",
        "website": "",
        "email": "",
    }
    assert owner.post(f"{here}/add/Podcast", given).status_code == 303
    assert f"/podcasts/{connection()['id']}.xml" in text(owner.get(here))
