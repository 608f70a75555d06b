"""Forms and pages say whose they are, and nothing typed is lost;
operators see open alerts in the sidebar.
"""

import pytest
from support import plain_sql
from support.cast import body, text
from support.stage import complete_steps, make

from svc.cli.installation import seed
from svc.domain.monitoring import alerts
from svc.domain.webhooks import endpoint_health
from svc.store.database import db

URL = "https://93.184.215.14/hooks"


@pytest.mark.parametrize("place", ["productions/new", "webhooks/new"])
def test_a_form_names_the_partner_that_it_acts_for(owner, operator, partner, place):
    with db.transaction():
        plain_sql.execute(
            "UPDATE partners SET name = 'Kettle & Co' WHERE id = ?", (partner.seeded["partnerId"],)
        )
    for person, query in ((owner, ""), (operator, f"?partner={partner.seeded['partnerId']}")):
        page = text(person.get(f"/console/{place}{query}"))
        assert "Kettle &amp; Co" in page.partition("<main")[2]
        assert ("Choose another partner" in page) is (person is operator)
    assert "No partner has the id or the name" in text(
        operator.get(f"/console/{place}?partner=omega")
    )


OF_ONE_PARTNER = [
    "productions/new",
    "webhooks/new",
    "templates/new",
    "connections",
    "settings/keys",
]


@pytest.fixture
def two_partners(partner, clock):
    with db.transaction():
        other = seed.make_partner("Standard", clock())
        for name, each in (("Kettle", partner.seeded), ("Teapot", other)):
            plain_sql.execute(
                "UPDATE partners SET name = ? WHERE id = ?", (name, each["partnerId"])
            )
    return other


@pytest.mark.parametrize("place", OF_ONE_PARTNER)
def test_each_page_of_one_partner_offers_the_same_choice(operator, two_partners, place):
    def is_asked(query: str = "") -> bool:
        page = text(operator.get(f"/console/{place}{query}"))
        return (
            "For which partner?" in page
            and f'href="/console/{place}?partner={two_partners["partnerId"]}"' in page
        )

    assert is_asked() and is_asked("?partner=omega")
    for query in ("?partner=teapot", f"?partner={two_partners['partnerId']}"):
        assert "For which partner?" not in text(operator.get(f"/console/{place}{query}"))


@pytest.mark.parametrize("place", OF_ONE_PARTNER)
def test_the_only_partner_is_chosen_by_itself(operator, partner, place):
    page = text(operator.get(f"/console/{place}"))
    assert "For which partner?" not in page and "Choose another partner" not in page


@pytest.mark.parametrize("place", OF_ONE_PARTNER)
def test_without_a_partner_there_is_nothing_to_choose_but_a_way_to_add_one(
    app, operator, clock, place
):
    assert "Add a partner" in text(operator.get(f"/console/{place}"))


@pytest.mark.parametrize(
    "place", ["productions/", "webhooks/", "requests/", "usage/", "accounts", "audit", "templates/"]
)
def test_each_list_is_filtered_by_the_same_field_which_offers_the_newest_partners(
    operator, owner, two_partners, place
):
    page = text(operator.get(f"/console/{place}"))
    assert 'name="partner" type="search"' in page and '<option value="Teapot">' in page
    assert "Partner: <bdi>Teapot</bdi>" in text(operator.get(f"/console/{place}?partner=teap"))
    assert "Teapot" not in text(owner.get(f"/console/{place}"))


def test_the_audit_log_and_the_accounts_are_those_of_the_partner_that_is_named(
    operator, two_partners, partner
):
    for each, name in ((partner.seeded, "Cocoa"), (two_partners, "Mint")):
        operator.post(f"/console/partners/{each['partnerId']}/customers", {"name": name})
    operator.get("/console/")  # which says what was added
    log = text(operator.get("/console/audit?partner=teapot"))
    assert "Mint" in log and "Cocoa" not in log
    rows = text(operator.get("/console/accounts?partner=teapot")).partition("<tbody>")[2]
    assert two_partners["liveAccountId"] in rows and partner.live().account not in rows


def test_another_account_keeps_topic_and_notes(operator, partner):
    sent = {
        "account": partner.seeded["liveAccountId"],
        "topic": "Tides & moons",
        "metadataMD": "# One\n\n# Two",
    }
    page = text(operator.post("/console/productions/new", {**sent, "preview": "1"}))
    assert "Tides &amp; moons</textarea>" in page and "# One\n\n# Two</textarea>" in page
    assert f'<option value="{sent["account"]}" selected>' in page
    assert plain_sql.one("SELECT count(*) FROM productions")[0] == 0


def test_people_of_a_partner_see_its_name(owner, member, operator, partner):
    with db.transaction():
        plain_sql.execute(
            "UPDATE partners SET name = 'Kettle <& Co>' WHERE id = ?",
            (partner.seeded["partnerId"],),
        )
    for person, role in ((owner, "owner"), (member, "member")):
        assert f"{role} of <bdi>Kettle &lt;&amp; Co&gt;</bdi>" in text(person.get("/console/"))
    assert "<bdi>Kettle" not in text(operator.get("/console/profile"))


def test_open_alerts_are_counted_in_the_sidebar_and_lead_to_their_webhook(
    operator, owner, partner, clock
):
    assert 'class="count"' not in text(operator.get("/console/webhooks/"))
    hook = body(
        partner.post("/v1/webhooks", json={"endpointUrl": URL, "eventTypes": ["production.queued"]})
    )["subscriptionId"]
    with db.transaction():
        for name in (endpoint_health.WARNING, "AuthenticationFailureBurst"):
            alerts.raise_alert(name, "warning", "Look.", clock(), partner.seeded["partnerId"], hook)
    page = text(operator.get("/console/webhooks/"))
    assert '<span class="count">2<span class="unseen"> open</span></span>' in page
    assert 'class="count"' not in text(owner.get("/console/webhooks/"))
    link = f'/console/webhooks/{hook}"'
    for place in ("", "alerts"):
        assert text(operator.get(f"/console/{place}")).partition("<main")[2].count(link) == 1
    with db.transaction():
        endpoint_health.close_alerts(hook, clock())
    assert '<span class="count">1<' in text(operator.get("/console/webhooks/"))


def test_a_production_is_released_from_home(operator, owner, partner, clock):
    production = body(partner.live().trigger())["productionId"]
    complete_steps(clock, made=[make()])
    assert f"/console/productions/{production}/release" in text(operator.get("/console/"))
    assert "/release" not in text(owner.get("/console/"))
    answer = operator.post(f"/console/productions/{production}/release", {"next": "home"})
    assert answer.headers["Location"].endswith("/console/")
    assert plain_sql.row("SELECT released_at FROM productions WHERE id = ?", (production,))[0]
    assert (
        "is released and is being published"
        in text(operator.get("/console/")).partition("<main")[2]
    )


def test_who_releases_from_home_sees_what_before(operator, owner, partner, clock):
    production = body(partner.live().trigger(topic="Tides & moons"))["productionId"]
    complete_steps(clock, made=[make("Watch", "Video", "mp4")])
    with db.transaction():
        plain_sql.execute("UPDATE ledger SET reserved = 1500000")
    assert f'hx-get="/console/productions/{production}/look"' in text(operator.get("/console/"))
    page = text(operator.get(f"/console/productions/{production}/look"))
    assert "<video" in page and "USD 1.50" in page and "Watch" in page
    assert owner.get(f"/console/productions/{production}/look").status_code == 403


def test_an_installation_has_a_name_of_its_own(app, owner):
    assert "<title>Home · Partner Production</title>" in text(owner.get("/console/"))
    object.__setattr__(app.extensions["svc"].settings, "instance_name", "Kettle <& Co>")
    page = text(owner.get("/console/"))
    assert (
        "<title>Home · Kettle &lt;&amp; Co&gt;</title>" in page and "Partner Production" not in page
    )
    assert "Kettle &lt;&amp; Co&gt;" in text(app.test_client().get("/console/sign-in"))


def test_an_installation_has_a_logo_of_its_own_from_the_sign_in_page_on(app, owner, tmp_path):
    client, file = app.test_client(), tmp_path / "logo.svg"
    assert (
        "/console/logo" not in text(owner.get("/console/"))
        and client.get("/console/logo").status_code == 404
    )
    file.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><script>alert(1)</script></svg>'
    )
    object.__setattr__(app.extensions["svc"].settings, "instance_logo", file)
    for page in (text(owner.get("/console/")), text(client.get("/console/sign-in"))):
        assert '<img class="logo" src="/console/logo" alt="">' in page
    sent = client.get("/console/logo")
    assert sent.mimetype == "image/svg+xml" and sent.get_data() == file.read_bytes()
    assert (
        "default-src 'none'" in sent.headers["Content-Security-Policy"]
        and "sandbox" in sent.headers["Content-Security-Policy"]
    )
    assert (
        client.get("/console/logo", headers={"If-None-Match": sent.headers["ETag"]}).status_code
        == 304
    )
    file.unlink()
    assert client.get("/console/logo").status_code == 404


def test_an_installation_has_a_colour_of_its_own_from_the_sign_in_page_on(app, owner):
    client = app.test_client()
    assert (
        "accent.css" not in text(owner.get("/console/"))
        and client.get("/console/accent.css").status_code == 404
    )
    object.__setattr__(app.extensions["svc"].settings, "instance_accent", "#8a1c4a")
    for page in (text(owner.get("/console/")), text(client.get("/console/sign-in"))):
        assert '<link rel="stylesheet" href="/console/accent.css?8a1c4a">' in page
    sheet = client.get("/console/accent.css")
    assert (
        sheet.mimetype == "text/css"
        and "--accent: #8a1c4a;" in text(sheet)
        and "prefers-color-scheme: dark" in text(sheet)
    )
    assert sheet.headers["Cache-Control"] == "public, max-age=86400"
    again = client.get("/console/accent.css", headers={"If-None-Match": sheet.headers["ETag"]})
    assert again.status_code == 304
