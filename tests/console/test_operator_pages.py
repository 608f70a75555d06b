"""The operator's pages: each form changes what it says, says what was wrong,
and keeps what was typed.
"""

import ast
import io
import json
import re
import threading
from dataclasses import replace
from html import unescape
from pathlib import Path

import fontpkg
import pytest
from PIL import Image
from support.cast import body, text
from support.patience import PATIENCE
from support.sampling import sampled

from svc.console import page_blueprint
from svc.console.operators import avatars as avatar_pages
from svc.domain import locales
from svc.domain.audit import audit
from svc.domain.monitoring import alerts, maintenance
from svc.domain.paging import Page
from svc.domain.partners import admin as partner_admin
from svc.domain.partners import assets, avatars, sensitivity_rules
from svc.domain.partners import search as partner_search
from svc.domain.partners.brand_files import brand_fonts, intro_clips, music_tracks, outro_clips
from svc.store.database import db
from svc.work import brief_builder
from tests.media import small_clips


@pytest.fixture
def mine(partner) -> str:
    return partner.seeded["partnerId"]


@pytest.fixture
def customer(partner) -> str:
    return partner_admin.find(partner_admin.ACCOUNT, partner.account)["customer_id"]


def picture(side: int = 300, form: str = "PNG") -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (side, side + 40), "#336699").save(made, form)
    return made.getvalue()


def test_limits_in_texts_are_those_that_hold(app, operator, partner, monkeypatch):
    asked = {"endpointUrl": "https://93.184.215.14/x", "eventTypes": ["production.queued"]}
    hook = body(partner.post("/v1/webhooks", json=asked))["subscriptionId"]
    limits = app.jinja_env.globals["limits"]
    for number, name in enumerate(limits, 1001):
        monkeypatch.setitem(limits, name, number)
    for path, said in (
        ("/console/profile", "At least {shortest_password} characters."),
        ("/console/productions/new", "Markdown, at most {longest_notes:,} characters"),
        ("/console/rules", "up to {longest_phrase} characters"),
        (
            f"/console/webhooks/{hook}",
            "warned at {failures_to_warning}, suspended at {failures_to_suspension}",
        ),
    ):
        assert said.format(**limits) in text(operator.get(path)), path


def test_a_partner_is_added_and_found(operator, partner):
    assert (
        operator.post("/console/partners", {"name": "Kettle & Co", "tier": "Standard"}).status_code
        == 303
    )
    page = text(operator.get("/console/partners?search=kettle"))
    assert "Kettle &amp; Co" in page
    assert "Demo partner" not in page
    mine = f"/console/partners/{partner.seeded['partnerId']}"
    for shown in (page, text(operator.get(mine))):  # a choice of tiers says all limits of each
        assert "Free: 10 requests per minute, 100 requests per day, 3 daily productions" in shown
        assert "unlimited requests per day, unlimited daily productions per account" in shown
    refused = operator.post("/console/partners", {"name": "", "tier": "Standard"})
    assert (refused.status_code, "Give 1 to 100 characters" in text(refused)) == (400, True)


def test_a_list_goes_on_to_older_ones(operator, partner, clock):
    for number in range(55):
        partner_admin.add_partner(
            audit.Actor(None, "x"), {"name": f"Partner {number}"}, clock.tick(1)
        )
    first = text(operator.get("/console/partners"))
    assert "Partner 54" in first
    assert "Partner 3<" not in first
    older = partner_search.list_page("partner", Page(50))["nextCursor"]
    assert f"cursor={older}" in first
    assert "Partner 3<" in text(operator.get(f"/console/partners?cursor={older}"))
    assert operator.get("/console/partners?cursor=made-up").status_code == 400


def test_a_partner_is_changed_and_what_is_wrong_stays_typed(operator, mine):
    given = {"name": "New name", "status": "Suspended", "tier": "Free", "self_lifecycle": "on"}
    assert operator.post(f"/console/partners/{mine}", given).status_code == 303
    row = partner_admin.find(partner_admin.PARTNER, mine)
    assert (row["name"], row["status"], row["key_rotation"], row["self_lifecycle"]) == (
        "New name",
        "Suspended",
        0,
        1,
    )
    refused = text(operator.post(f"/console/partners/{mine}", {**given, "name": "x" * 101}))
    assert "x" * 101 in refused
    assert "partner.change" in text(operator.get(f"/console/partners/{mine}"))


def test_the_origins_that_may_embed_portals_are_set_and_what_is_wrong_stays_typed(operator, mine):
    given = {
        "name": "P",
        "status": "Active",
        "tier": "Free",
        "portal_origins": "https://www.example.com https://b.example.com",
    }
    assert operator.post(f"/console/partners/{mine}", given).status_code == 303
    assert (
        partner_admin.find(partner_admin.PARTNER, mine)["portal_origins"] == given["portal_origins"]
    )
    assert given["portal_origins"] in text(operator.get(f"/console/partners/{mine}"))
    refused = operator.post(
        f"/console/partners/{mine}", {**given, "portal_origins": "https://www.example.com/page"}
    )
    assert (
        refused.status_code == 400
        and "is no origin" in text(refused)
        and "https://www.example.com/page" in text(refused)
    )
    assert (
        partner_admin.find(partner_admin.PARTNER, mine)["portal_origins"] == given["portal_origins"]
    )


def test_customers_and_accounts_are_added_and_given_ceilings(operator, mine):
    operator.post(f"/console/partners/{mine}/customers", {"name": "Tea shop"})
    customer = partner_search.list_page("customer", Page(), search="Tea shop")["data"][0]["id"]
    given = {"name": "Tea", "monthly_ceiling": "100", "concurrency_ceiling": ""}
    operator.post(f"/console/partners/customers/{customer}", given)
    row = partner_admin.find(partner_admin.CUSTOMER, customer)
    assert (row["name"], row["monthly_ceiling"], row["concurrency_ceiling"]) == (
        "Tea",
        100_000_000,
        None,
    )
    refused = operator.post(
        f"/console/partners/customers/{customer}", {"name": "Tea", "monthly_ceiling": "lots"}
    )
    assert (refused.status_code, "such as 12.50" in text(refused)) == (400, True)
    operator.post(f"/console/partners/customers/{customer}/accounts", {"name": "Channel"})
    [account] = partner_search.list_page("account", Page(), customer_id=customer)["data"]
    assert (
        account["name"],
        account["environment"],
        len(partner_admin.list_platforms(account["id"])),
    ) == ("Channel", "live", 2)


def test_an_account_is_changed(operator, partner):
    path = f"/console/accounts/{partner.account}"
    given = {
        "name": "Tea",
        "status": "Pilot",
        "auto_release": "on",
        "monthly_ceiling": "1,250.5",
        "concurrency_ceiling": "4",
        "accent": "#AA0000",
        "default_project_type": "short",
        "logo_style": "watermark",
        "lower_third": "on",
    }
    assert operator.post(path, given).status_code == 303
    row = partner_admin.find(partner_admin.ACCOUNT, partner.account)
    assert (row["status"], row["monthly_ceiling"], row["accent"]) == (
        "Pilot",
        1_250_500_000,
        "#aa0000",
    )
    assert (row["logo_style"], row["lower_third"]) == ("watermark", 1)
    assert '<option value="watermark" selected' in text(operator.get(path))
    refused = text(operator.post(path, {**given, "concurrency_ceiling": "many"}))
    assert "Give a whole number" in refused
    assert 'value="many"' in refused
    assert 'aria-invalid="true"' in refused


def test_an_account_has_the_music_that_the_look_wants_until_an_operator_chooses(operator, partner):
    path = f"/console/accounts/{partner.account}"
    assert '<option value="look" selected>As the look wants</option>' in text(operator.get(path))
    for music in ("calm", "none", "look"):
        assert operator.post(path, {"name": "Tea", "music": music}).status_code == 303
        assert partner_admin.find(partner_admin.ACCOUNT, partner.account)["music"] == music
        assert f'<option value="{music}" selected>' in text(operator.get(path))
    assert operator.post(path, {"name": "Tea", "music": "loud"}).status_code == 400


def test_project_types_and_platforms_of_an_account(operator, partner):
    path = f"/console/accounts/{partner.account}"
    given = {"slug": "ballad", "name": "Ballad", "title_template": "{topic}", "price": "2"}
    assert operator.post(f"{path}/project-types", given).status_code == 303
    assert "Ballad" in text(operator.get(path))
    assert "is not a placeholder" in text(
        operator.post(f"{path}/project-types", {**given, "title_template": "{song}"})
    )
    operator.post(f"{path}/project-types/ballad/remove")
    assert "Ballad" not in text(operator.get(path))
    default = operator.post(f"{path}/project-types/explainer/remove", follow_redirects=True)
    assert "choose another default first" in text(default)
    operator.post(f"{path}/platforms/Watch", {"connected": "off"})
    assert [each["platform"] for each in partner_admin.list_platforms(partner.account)] == [
        "WatchVertical"
    ]
    operator.post(f"{path}/platforms/Watch", {"connected": "on"})
    assert len(partner_admin.list_platforms(partner.account)) == 2


def test_the_box_says_whether_a_topic_would_pass(operator, partner):
    assert (
        operator.post(
            "/console/rules", {"whose": "operator:", "phrase": "nuclear weapons"}
        ).status_code
        == 303
    )
    assert "It would be refused: 1 rule below matches." in text(
        operator.get("/console/rules?topic=NUCLEAR+weapons")
    )
    assert "It would pass." in text(operator.get("/console/rules?topic=tea"))
    wrong = operator.post(
        "/console/rules", {"whose": "operator:", "phrase": "(", "is_pattern": "on"}
    )
    assert (wrong.status_code, "not a valid RE2 regular expression" in text(wrong)) == (400, True)
    operator.post("/console/rules", {"whose": f"account:{partner.account}", "phrase": "tea"})
    assert {rule["scope"] for rule in sensitivity_rules.list_rules()} == {"operator", "account"}
    for rule in sensitivity_rules.list_rules():
        operator.post(f"/console/rules/{rule['id']}/remove")
    assert "No rule yet" in text(operator.get("/console/rules"))


def test_alerts_are_taken_note_of_and_closed(operator, clock, mine):
    with db.transaction():
        for name in ("BackupFailed", "EngineFault"):
            alerts.raise_alert(name, "critical", "It is <b>bad</b>", clock(), mine)
    page = text(operator.get("/console/alerts"))
    assert "It is &lt;b&gt;bad&lt;/b&gt;" in page
    newest = alerts.list_page(Page())["data"][0]["id"]
    operator.post(f"/console/alerts/{newest}/see")
    operator.post(f"/console/alerts/{newest}/close")
    assert "EngineFault" not in text(operator.get("/console/alerts"))
    assert "EngineFault" in text(operator.get("/console/alerts?state=closed"))
    operator.post("/console/alerts/close-all", {"until": str(newest)})
    assert "All quiet" in text(operator.get("/console/alerts"))


def test_an_alert_is_said_to_be_sent_only_if_it_was(app, operator, clock):
    with db.transaction():
        alerts.raise_alert("BackupFailed", "critical", "It is bad", clock())
    page = text(operator.get("/console/alerts"))
    assert "names no address" in page and "also sent" not in page and "not sent yet" not in page
    service = app.extensions["svc"]
    object.__setattr__(
        service, "settings", replace(service.settings, alert_urls=("json://127.0.0.1",))
    )
    assert "not sent yet" in text(operator.get("/console/alerts"))
    clock.tick(25 * 3600)
    assert (
        "could not be sent" in text(operator.get("/console/alerts"))
        and alerts.list_unsent("abc", clock()) == []
    )
    alerts.mark_sent(alerts.list_page(Page())["data"][0]["id"], "abc", ["abc"], clock())
    page = text(operator.get("/console/alerts"))
    assert "also sent" in page and "could not be sent" not in page


def test_maintenance_is_begun_and_ended(operator, partner):
    assert operator.post("/console/maintenance", {"on": "on", "seconds": "0"}).status_code == 400
    operator.post("/console/maintenance", {"on": "on", "seconds": "300"})
    assert partner.get("/v1/partner/accounts").headers["Retry-After"] == "300"
    assert "Retry-After for clients: 300 seconds" in text(operator.get("/console/maintenance"))
    operator.post("/console/maintenance", {})
    assert maintenance.retry_after() is None


def test_the_audit_log_shows_before_and_after_and_is_filtered(operator, mine):
    operator.post(
        f"/console/partners/{mine}", {"name": "After", "status": "Active", "tier": "Free"}
    )
    page = text(operator.get("/console/audit?kind=partner"))
    assert "<ins" in page
    assert "After" in page
    assert "No entry matches" in text(operator.get("/console/audit?kind=rule"))
    assert "After" in text(operator.get(f"/console/audit?partner={mine}"))
    assert "After" in text(operator.get(f"/console/audit?actor={operator.user_id}&subject={mine}"))


def test_an_avatar_is_added_and_given_a_voice(operator, customer):
    made = operator.post("/console/avatars", {"name": "Otto", "customer": customer})
    avatar = made.headers["Location"].rpartition("/")[2]
    given = {
        "name": "Otto",
        "voice": "m2",
        "pitch": "40",
        "words_per_minute": "150",
        "skin": "#aabbcc",
        "hair": "#000000",
        "clothes": "#ffffff",
        "hair_style": "curly",
        "age": "older",
        "glasses": "round",
        "figure": "none",
        "role": "Chief <economist>",
    }
    assert operator.post(f"/console/avatars/{avatar}", given).status_code == 303
    looks = avatars.get(avatar)["looks"]
    assert (looks["words_per_minute"], looks["hair_style"], looks["age"], looks["glasses"]) == (
        150,
        "curly",
        "older",
        "round",
    )
    assert (looks["figure"], looks["role"]) == ("none", "Chief <economist>")
    assert 'value="Chief &lt;economist&gt;"' in operator.get(f"/console/avatars/{avatar}").text
    assert "A voice without a figure" in text(operator.get(f"/console/avatars/{avatar}"))
    assert (
        operator.post(f"/console/avatars/{avatar}", {**given, "figure": "ghost"}).status_code == 400
    )
    refused = operator.post(f"/console/avatars/{avatar}", {**given, "words_per_minute": "900"})
    assert (refused.status_code, 'value="900"' in text(refused)) == (400, True)
    assert (
        operator.post("/console/avatars", {"name": "Otto", "customer": "nobody"}).status_code == 404
    )


@pytest.mark.slow
@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_a_portrait_is_uploaded_and_comes_back_as_a_square_jpeg(operator, partner, form):
    path = f"/console/avatars/{partner.seeded['avatarId']}"
    sent = operator.post(
        f"{path}/portrait", {"portrait": (io.BytesIO(picture(form=form)), "../../evil.php")}
    )
    assert sent.status_code == 303, text(sent)
    with operator.get(f"{path}/picture") as shown:
        assert shown.mimetype == "image/jpeg"
        assert Image.open(io.BytesIO(shown.data)).size == (800, 800)
    operator.post(f"{path}/portrait/remove")
    previews, avatar = (
        operator.app.extensions["svc"].previews,
        avatars.get(partner.seeded["avatarId"]),
    )
    # a request waits two seconds at most
    assert previews.render_picture(avatar, operator.user_id, PATIENCE)
    with operator.get(f"{path}/picture") as shown:
        assert shown.mimetype == "image/png"
    assert [each["action"] for each in audit.list_page(Page(), action="avatar.")["data"]] == [
        "avatar.portrait"
    ] * 2


def test_a_partners_page_leads_to_all_that_is_the_partners(operator, mine):
    page = text(operator.get(f"/console/partners/{mine}"))
    for place in (
        "productions/",
        "webhooks/",
        "requests/",
        "usage/",
        "settings/keys",
        "settings/people",
        "accounts",
    ):
        address = f"/console/{place}?partner={mine}"
        assert f'href="{address}"' in page or f'href="{address.replace("/?", "?")}"' in page, place
        assert operator.get(address, follow_redirects=True).status_code == 200


@pytest.mark.parametrize(
    ("content", "said"),
    sampled(
        [
            (b"", "Choose a picture file"),
            (b"<svg onload='alert(1)'/>", "not a readable picture"),
            (picture(200), "200 × 240 pixels"),
            (picture()[:500], "damaged or ends early"),
            (b"GIF89a" + bytes(500), "not a readable picture"),
        ],
        3,
    ),
)
def test_what_is_no_portrait_is_refused_with_a_sentence(operator, partner, content, said):
    path = f"/console/avatars/{partner.seeded['avatarId']}"
    refused = operator.post(f"{path}/portrait", {"portrait": (io.BytesIO(content), "me.png")})
    assert (refused.status_code, said in text(refused)) == (400, True), text(refused)
    assert avatars.get(partner.seeded["avatarId"])["portrait"] is None


def test_an_upload_that_is_too_large_is_refused_and_other_forms_are_small(operator, partner):
    path = f"/console/avatars/{partner.seeded['avatarId']}"
    for where, size in ((f"{path}/portrait", 10_000_000), ("/console/partners", 200_000)):
        refused = operator.post(
            where, {"name": "x"}, environ_overrides={"CONTENT_LENGTH": str(size)}
        )
        assert (refused.status_code, "Too large" in text(refused)) == (413, True)


@pytest.mark.slow
def test_a_sample_is_a_film_in_which_the_avatar_speaks(operator, partner, monkeypatch):
    # the answer comes when the film is there, however busy the machine is
    monkeypatch.setattr("svc.console.operators.avatars._SAMPLE_SECONDS", 600)
    path = f"/console/avatars/{partner.seeded['avatarId']}"
    given = {"language": partner.seeded["languageId"], "text": "Good morning."}
    page = text(operator.post(f"{path}/sample", given, headers={"HX-Request": "true"}))
    assert page.startswith("<video")
    with operator.get(page.split('src="')[1].split('"')[0]) as film:
        assert film.mimetype == "video/mp4"
        assert film.data[4:8] == b"ftyp"
    assert operator.post(f"{path}/sample", {"language": "xx"}).status_code == 400
    assert operator.get("/console/avatars/samples/..%2Fservice.db").status_code == 404


@pytest.mark.slow
def test_a_portrait_is_shown_in_what_is_made_from_then_on(operator, partner, app):
    avatar, studio = partner.seeded["avatarId"], app.extensions["svc"].previews
    drawn = studio.render_sample(
        avatars.get(avatar), partner.seeded["languageId"], "Hi."
    ).read_bytes()
    operator.post(
        f"/console/avatars/{avatar}/portrait", {"portrait": (io.BytesIO(picture()), "me.png")}
    )
    production = body(partner.trigger())["productionId"]
    assert (
        brief_builder.build_brief(production).avatar.portrait
        == avatars.get(avatar)["portrait_file"]
    )
    assert (
        studio.render_sample(avatars.get(avatar), partner.seeded["languageId"], "Hi.").read_bytes()
        != drawn
    )


@pytest.mark.slow
def test_a_logo_is_uploaded_with_its_transparency_and_taken_off_again(operator, partner):
    path = f"/console/accounts/{partner.account}"
    sent = io.BytesIO()
    Image.new("RGBA", (1600, 100), "#33669900").save(sent, "PNG")
    assert (
        operator.post(f"{path}/logo", {"logo": (io.BytesIO(sent.getvalue()), "x.png")}).status_code
        == 303
    )
    with operator.get(f"{path}/logo") as shown:
        found = Image.open(io.BytesIO(shown.data))
        assert (found.size, found.mode, found.getpixel((0, 0))[3]) == ((800, 50), "RGBA", 0)
    assert brief_builder.build_brief(
        body(partner.trigger())["productionId"]
    ).logo == assets.find_logo_file(partner.account)
    wrong = operator.post(f"{path}/logo", {"logo": (io.BytesIO(b"nothing"), "x.png")})
    assert (wrong.status_code, "not a readable picture" in text(wrong)) == (400, True)
    operator.post(f"{path}/logo/remove")
    assert operator.get(f"{path}/logo").status_code == 404


@pytest.mark.slow
def test_a_font_needs_its_licence_is_shown_with_it_and_taken_off_again(operator, partner, app):
    path, folder = f"/console/accounts/{partner.account}", app.extensions["svc"].previews.assets
    content = Path(fontpkg.path("Rubik")).read_bytes()

    def post(licence, sent=content):
        return operator.post(
            f"{path}/font", {"font": (io.BytesIO(sent), "../x.ttf"), "licence": licence}
        )

    unnoted = post(" ")
    assert (unnoted.status_code, "Give 1 to 200 characters" in text(unnoted)) == (400, True)
    assert brand_fonts.find(partner.account) is None
    hostile = post("<b>OFL</b>", b"\0\1\0\0" + bytes(999))
    assert (hostile.status_code, "The font is damaged" in text(hostile)) == (400, True)
    assert post("<b>OFL</b> 1.1").status_code == 303
    assert "&lt;b&gt;OFL&lt;/b&gt; 1.1</span>" in text(operator.get(path))
    brief = brief_builder.build_brief(body(partner.trigger())["productionId"])
    assert [file.name for file in folder.glob("*.ttf")] == [brief.brand.font]
    operator.post(f"{path}/font/remove")
    assert list(folder.glob("*.ttf")) == [] and brand_fonts.find(partner.account) is None


def test_a_track_needs_its_licence_is_shown_with_it_and_taken_off_again(
    operator, partner, app, monkeypatch
):
    previews, path = app.extensions["svc"].previews, f"/console/accounts/{partner.account}"
    monkeypatch.setattr(
        previews,
        "_run_child",
        lambda kind, source, target: target.write_bytes(source.read_bytes()) and None,
    )

    def post(licence, sent):
        return operator.post(
            f"{path}/track", {"track": (io.BytesIO(sent), "../x.mp3"), "licence": licence}
        )

    unnoted, empty = post(" ", b"tune"), post("CC0", b"")
    assert (unnoted.status_code, "Give 1 to 200 characters" in text(unnoted)) == (400, True)
    assert (empty.status_code, "Choose a music file of at most 20 MiB" in text(empty)) == (
        400,
        True,
    )
    assert music_tracks.find(partner.account) is None
    noted = post("<b>CC</b> BY", b"tune" * 5_000_000)
    noted.request.environ["wsgi.input"].close()  # the client's own copy of what it sent
    assert noted.status_code == 303
    assert "&lt;b&gt;CC&lt;/b&gt; BY</span>" in text(operator.get(path))
    brief = brief_builder.build_brief(body(partner.trigger())["productionId"])
    assert [file.name for file in previews.assets.glob("*.m4a")] == [brief.brand.track]
    operator.post(f"{path}/track/remove")
    assert list(previews.assets.glob("*.m4a")) == [] and music_tracks.find(partner.account) is None


def test_a_picture_for_briefs_is_named_shown_and_removed(operator, partner):
    path = f"/console/accounts/{partner.account}"

    def post(sent, name="", file="boat.png"):
        return operator.post(
            f"{path}/pictures", {"picture": (io.BytesIO(sent), file), "name": name}
        )

    bad, unnamed = post(b"no picture"), post(picture(), "../boat.png")
    assert (bad.status_code, "not a readable picture" in text(bad)) == (400, True)
    assert (unnamed.status_code, "such as boat.png" in text(unnamed)) == (400, True)
    assert post(picture()).status_code == 303 and post(picture(), "The quay.jpg").status_code == 303
    shown = text(operator.get(path))
    assert "![…](boat.png)" in shown and "![…](&lt;The quay.jpg&gt;)" in shown
    assert "Clip, " not in shown
    operator.post(f"{path}/pictures/remove", {"name": "boat.png"})
    assert "![…](boat.png)" not in text(operator.get(path))
    assert (
        brief_builder.build_brief(body(partner.trigger())["productionId"]).uploads[0].name
        == "The quay.jpg"
    )


def test_a_clip_for_briefs_is_listed_as_one_and_a_broken_one_refused(operator, partner, tmp_path):
    path, content = (
        f"/console/accounts/{partner.account}",
        small_clips.write(
            tmp_path / "sent.webm", 1.0, kind="webm", codecs=("libvpx-vp9", "libopus")
        ).read_bytes(),
    )
    for sent, status in ((content, 303), (content[:40] + bytes(99), 400)):
        noted = operator.post(
            f"{path}/pictures", {"picture": (io.BytesIO(sent), "boat.webm"), "name": ""}
        )
        noted.request.environ["wsgi.input"].close()  # the client's own copy of what it sent
        assert noted.status_code == status
    assert "not a readable clip" in text(noted) or "damaged" in text(noted)
    shown = text(operator.get(path))
    assert "![…](boat.webm)" in shown and "Clip, " in shown


@pytest.mark.slow
@pytest.mark.parametrize(
    "place, clips", [("intro", intro_clips), ("outro", outro_clips)], ids=["intro", "outro"]
)
def test_a_clip_needs_its_licence_is_shown_with_it_and_taken_off_again(
    operator, partner, app, tmp_path, place, clips
):
    path, folder = f"/console/accounts/{partner.account}", app.extensions["svc"].previews.assets
    content = small_clips.write(tmp_path / "sent.mp4", 1.0).read_bytes()

    def post(licence, sent=content):
        return operator.post(
            f"{path}/{place}", {place: (io.BytesIO(sent), "../x.mp4"), "licence": licence}
        )

    unnoted, hostile, empty = post(" "), post("CC0", b"GIF89a"), post("CC0", b"")
    assert (unnoted.status_code, "Give 1 to 200 characters" in text(unnoted)) == (400, True)
    assert (
        hostile.status_code,
        "not a readable clip. Choose an MP4, MOV or WebM file" in text(hostile),
    ) == (400, True)
    assert (empty.status_code, "Choose a video file of at most 40 MiB" in text(empty)) == (
        400,
        True,
    )
    assert clips.find(partner.account) is None
    assert post("<b>Order</b> 4711").status_code == 303
    assert "&lt;b&gt;Order&lt;/b&gt; 4711</span>" in text(operator.get(path))
    brief = brief_builder.build_brief(body(partner.trigger())["productionId"])
    assert [file.name for file in folder.glob("*.mp4")] == [getattr(brief.brand, place)]
    operator.post(f"{path}/{place}/remove")
    assert list(folder.glob("*.mp4")) == [] and clips.find(partner.account) is None


def test_pronunciations_are_written_one_a_line(operator, partner):
    path = f"/console/accounts/{partner.account}"
    saved = operator.post(f"{path}/lexicon", {"lexicon": "SQL = sequel\n\n Kestrel=kess trel \n"})
    assert (
        saved.status_code == 303
        and "SQL = sequel\nKestrel = kess trel</textarea>"
        in operator.get(path).get_data(as_text=True)
    )
    entries = brief_builder.build_brief(body(partner.trigger())["productionId"]).lexicon
    assert [(entry.written, entry.spoken) for entry in entries] == [
        ("SQL", "sequel"),
        ("Kestrel", "kess trel"),
    ]
    for wrong, status, why in (
        ("SQL sequel", 400, "equals sign"),
        ("SQL = a\nSQL = b", 422, "Entries 1 and 2"),
    ):
        refused = operator.post(f"{path}/lexicon", {"lexicon": wrong})
        assert (
            refused.status_code == status
            and why in text(refused)
            and wrong in refused.get_data(as_text=True)
        )
    assert operator.post(f"{path}/lexicon", {"lexicon": ""}).status_code == 303


def test_what_the_api_took_is_saved_again_as_it_is(operator, partner):
    path, url = f"/console/accounts/{partner.account}", f"/v1/accounts/{partner.account}/lexicon"
    # the API takes 64 KiB
    largest = [{"written": f"語{number}", "spoken": "語" * 31} for number in range(500)]
    for sent in (
        [{"written": "a=b", "spoken": "c"}, {"written": "E =", "spoken": "the energy"}],
        largest,
    ):
        packed = json.dumps({"entries": sent}, ensure_ascii=False, separators=(",", ":"))
        assert (
            body(partner.put(url, data=packed, content_type="application/json"))["entries"] == sent
        )
        shown = unescape(
            operator.get(path).get_data(as_text=True).split('name="lexicon"')[1].split(">", 1)[1]
        )
        typed = shown.split("</textarea>")[0].replace("\n", "\r\n")
        assert operator.post(f"{path}/lexicon", {"lexicon": typed}).status_code == 303
        assert body(partner.get(url))["entries"] == sent
    most = "\r\n".join(f"{number:🌊<63}a = {'🌊' * 199}a" for number in range(500))
    assert operator.post(f"{path}/lexicon", {"lexicon": most}).status_code == 303


def test_an_avatar_names_its_voice(operator, customer):
    [ada, *_] = avatars.list_avatars(customer)
    page = f"/console/avatars/{ada['id']}"
    assert operator.post(page, {"speaker": "joe"}).status_code == 303
    assert brief_builder.read_appearance(avatars.get(ada["id"])["looks"])["speaker"] == "joe"
    refused = operator.post(page, {"speaker": "bob"})
    assert refused.status_code == 400 and "is not one of" in text(refused)


def test_a_preview_while_another_one_is_being_made_is_asked_for_later(
    operator, customer, app, monkeypatch
):
    monkeypatch.setattr(avatar_pages, "_SAMPLE_SECONDS", 0)
    previews, made = app.extensions["svc"].previews, threading.Semaphore(0)
    monkeypatch.setattr(previews, "_make_film", lambda *_: made.release())
    monkeypatch.setattr(previews, "_speak_sample", lambda *_: made.release())
    [ada, *_] = avatars.list_avatars(customer)
    language = next(iter(locales.list_languages()))
    with previews._turn:
        busy = [
            operator.get("/console/avatars/voices/heart"),
            operator.post(f"/console/avatars/{ada['id']}/sample", {"language": language}),
        ]
    assert [(answer.status_code, answer.headers["Retry-After"]) for answer in busy] == [
        (503, "5")
    ] * 2
    assert made.acquire(timeout=60) and made.acquire(timeout=60)  # both are made afterwards


def test_each_voice_can_be_heard(operator, monkeypatch, app):
    """What a voice says is made in tests/cli/test_voice_commands.py."""

    def say(name, language, said, folder, target):
        target.write_bytes(f"{name} {language}".encode())

    monkeypatch.setattr(app.extensions["svc"].previews, "_speak_sample", say)
    page = text(operator.get("/console/avatars"))
    for name, language in (("heart", "en"), ("hm_omega", "hi")):
        assert f"/console/avatars/voices/{name}" in page
        with operator.get(f"/console/avatars/voices/{name}") as heard:
            assert heard.data == f"{name} {language}".encode()
    assert operator.get("/console/avatars/voices/bob").status_code == 404


def test_the_logo_of_an_account_leaves_the_sign_of_the_service_alone(operator, partner):
    path = f"/console/accounts/{partner.account}"
    sign = re.compile(r'<a class="brand"[^>]*>(.*?)</a>', re.S)
    before = sign.search(text(operator.get(path)))[1]
    assert "<svg" in before and "<img" not in before
    operator.post(f"{path}/logo", {"logo": (io.BytesIO(picture()), "logo.png")})
    page = text(operator.get(path))
    assert 'alt="The logo of' in page and sign.search(page)[1] == before


def test_no_page_takes_the_name_of_a_value_that_every_page_has(app):
    """A value of a page, such as ``has_logo``, would be shown by what surrounds all pages."""
    source = Path(page_blueprint.__file__).parent
    shared = set(
        re.findall(r'^        "(\w+)":', Path(page_blueprint.__file__).read_text(), re.M)
    ) | {
        "csrf_field",
        "g",
        "request",
    }
    assert {"has_logo", "viewer", "link"} <= shared
    for path in source.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text())):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "render_template":
                assert not {each.arg for each in call.keywords} & shared, path
