"""The portal: a signed, read-only page for the customers of a partner."""

import base64
import logging
import re
from functools import partial

import pytest
from support import plain_sql
from support.cast import body, refused
from support.counting import lines_run
from support.plans import instructions
from support.stage import complete_steps, make, publish_all

from svc.base import ids
from svc.base.errors import InvalidRequest
from svc.domain.audit.audit import Actor
from svc.domain.partners import admin, erase
from svc.store.database import db
from svc.work import partner_data

US = Actor(None, "the tests")
HOSTILE = '<script>alert(1)</script> "><img src=x onerror=alert(1)> \u202e{{7*7}} &amp;'


def order(partner, **more) -> dict:
    answer = partner.post(f"/v1/accounts/{partner.account}/portal-links", **more)
    assert answer.status_code == 201, body(answer)
    return body(answer)


def opened(app, url: str, query: str = ""):
    return app.test_client().get(url.removeprefix("http://localhost") + query)


def text(answer) -> str:
    return answer.get_data(as_text=True)


def query_of_the_next(answer) -> str:
    following = re.search(r'href="[^"]+(\?cursor=[^"]+)" rel="next"', text(answer))
    return following[1] if following else ""


def published(partner, clock, tmp_path) -> str:
    production = body(partner.trigger())["productionId"]
    file = tmp_path / "data" / "media" / production / "transcript.txt"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"hello")
    complete_steps(clock, made=[make(file=f"{production}/transcript.txt")])
    publish_all(clock)
    return production


def seed_productions(partner, number: int, title: str = "A video") -> None:
    """Copies of a production that was triggered, each a second older than the one before,
    published with six files.
    """
    production = body(partner.trigger(topic=title))["productionId"]
    row = dict(plain_sql.one("SELECT * FROM productions WHERE id = ?", (production,)))
    with db.transaction():
        for place in range(number - 1):
            made = row["created_at"] - 1000 * (place + 1)
            copy = {
                **row,
                "id": ids.make_id(made),
                "status": "Published",
                "created_at": made,
                "title": f"{title} {place}",
            }
            plain_sql.insert("productions", copy)
            for position in range(6):
                plain_sql.execute(
                    "INSERT INTO deliverables VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        ids.make_id(made),
                        copy["id"],
                        position,
                        "Transcript",
                        None,
                        "txt",
                        "x",
                        5,
                        "0" * 64,
                        None,
                        "en",
                        made,
                        None,
                    ),
                )


def test_a_link_is_made_and_lasts_an_hour_unless_told_otherwise(partner):
    answer = partner.post(f"/v1/accounts/{partner.account}/portal-links")
    assert answer.status_code == 201 and answer.headers["Cache-Control"] == "no-store"
    assert re.fullmatch(r"http://localhost/portal/[A-Za-z0-9_-]{96}", body(answer)["url"])
    assert body(answer)["expiresAt"] == "2026-11-21T13:00:00.000Z"
    assert (
        order(partner, json={"expiresInMinutes": 1440})["expiresAt"] == "2026-11-22T12:00:00.000Z"
    )


@pytest.mark.parametrize("minutes", [0, -1, 1441, "60", 1.5, None, True])
def test_a_length_that_is_none_is_refused(partner, minutes):
    found = refused(
        partner.post(
            f"/v1/accounts/{partner.account}/portal-links", json={"expiresInMinutes": minutes}
        ),
        400,
        "INVALID_REQUEST",
    )
    assert "expiresInMinutes" in found["fields"]


def test_an_account_that_the_key_does_not_reach_has_no_link(partner):
    live = partner.seeded["liveAccountId"]
    refused(partner.post(f"/v1/accounts/{live}/portal-links"), 404, "NOT_FOUND")
    refused(partner.live().post(f"/v1/accounts/{partner.account}/portal-links"), 404, "NOT_FOUND")
    with db.transaction():
        plain_sql.execute("UPDATE api_keys SET scopes = '[\"accounts:read\"]'")
    refused(partner.post(f"/v1/accounts/{partner.account}/portal-links"), 403, "PERMISSION_DENIED")


def test_the_page_of_an_account_without_productions_says_so(app, partner):
    answer = opened(app, order(partner)["url"])
    assert answer.status_code == 200 and "There are no videos yet" in text(answer)
    assert "This is a rehearsal" in text(answer)


def test_a_live_account_has_a_portal_without_the_note_of_a_rehearsal(app, partner):
    live = partner.live()
    link = body(live.post(f"/v1/accounts/{partner.seeded['liveAccountId']}/portal-links"))
    answer = opened(app, link["url"])
    assert answer.status_code == 200 and "rehearsal" not in text(answer)


def test_productions_are_shown_with_their_state_and_progress(app, partner, clock):
    waiting = body(partner.trigger(topic="How tides work"))
    page = text(opened(app, order(partner)["url"]))
    assert waiting["title"] in page and "Waiting to be made" in page and "0 %" in page
    for status, words in (
        ("Failed", "Could not be made"),
        ("Cancelled", "Cancelled"),
        ("AwaitingApproval", "waiting for its release"),
    ):
        with db.transaction():
            plain_sql.execute(
                (
                    "UPDATE productions SET status = ?, updated_at = updated_at + 1, "
                    "error_message = 'inner'"
                ),
                (status,),
            )
        page = text(opened(app, order(partner)["url"]))
        assert words in page and "<progress" not in page and "inner" not in page


def test_a_published_production_has_downloads_that_work(app, partner, clock, tmp_path):
    production = published(partner, clock, tmp_path)
    page = text(opened(app, order(partner)["url"]))
    assert ">Published<" in page
    [address] = re.findall(r'href="http://localhost(/files/[^"]+)"', page)
    answer = app.test_client().get(address.replace("&amp;", "&"), buffered=True)
    assert (answer.status_code, answer.data) == (200, b"hello")
    clock.tick(3601)
    assert app.test_client().get(address.replace("&amp;", "&")).status_code == 403
    assert production in page


def test_videos_are_named_by_their_shape_and_others_by_their_platform(app, partner, clock):
    partner.trigger()
    kinds = [
        ("Watch", "Video", "mp4"),
        ("WatchVertical", "Video", "mp4"),
        ("YouTube", "Video", "mp4"),
        (None, "ClosedCaptions", "vtt"),
    ]
    complete_steps(clock, made=[make(*kind) for kind in kinds])
    publish_all(clock)
    names = re.findall(r'<li><a href="[^"]+">([^<]+)</a>', text(opened(app, order(partner)["url"])))
    assert names == ["Video, landscape", "Video, portrait", "Video, YouTube", "Closed captions"]


def test_a_published_production_has_a_player_with_its_picture_its_language_and_its_files_in_groups(
    app, partner, clock
):
    partner.trigger(topic="Tides <b>")
    kinds = [
        ("Watch", "Video", "mp4"),
        (None, "ClosedCaptions", "vtt"),
        (None, "ComplianceCertificate", "pdf"),
    ]
    complete_steps(clock, made=[make(*kind) for kind in kinds])
    publish_all(clock)
    post = plain_sql.one("SELECT platform_post_id FROM publications")[0]
    link = order(partner)["url"]
    answer = opened(app, link)
    page = text(answer)
    assert f'poster="/watch/{post}/poster.jpg" src="/watch/{post}/video.mp4"' in page
    assert f'<track kind="captions" src="/watch/{post}/captions.vtt"' in page
    assert f'<a href="/watch/{post}" target="_blank" rel="noopener">Watch page' in page
    assert "<span>English</span>" in page and "<b>" not in page
    assert re.findall(r"<h3[^>]*>([^<]+)", page) == ["Videos", "Captions and text", "Documents"]
    assert "media-src 'self'" in answer.headers["Content-Security-Policy"]
    with db.transaction():
        plain_sql.execute("UPDATE api_keys SET scopes = '[\"productions:read\"]'")
    page = text(opened(app, link))
    assert "<video" in page and "/files/" not in page and "<h3" not in page


def test_what_is_not_published_has_no_player(app, partner, clock):
    partner.trigger()
    complete_steps(clock, made=[make("Watch", "Video", "mp4")])
    publish_all(clock)
    link = order(partner)["url"]
    for state in ("Distributing", "Cancelled"):
        with db.transaction():
            plain_sql.execute(
                "UPDATE productions SET status = ?, updated_at = updated_at + 1", (state,)
            )
        assert "<video" not in text(opened(app, link))


def test_files_need_the_scope_of_files_and_a_state_that_has_them(app, partner, clock, tmp_path):
    published(partner, clock, tmp_path)
    link = order(partner)["url"]
    with db.transaction():
        plain_sql.execute(
            "UPDATE productions SET status = 'Distributing', updated_at = updated_at + 1"
        )
    assert "/files/" not in text(opened(app, link))
    with db.transaction():
        plain_sql.execute(
            "UPDATE productions SET status = 'Published', updated_at = updated_at + 1"
        )
        plain_sql.execute("UPDATE api_keys SET scopes = '[\"productions:read\"]'")
    page = opened(app, link)
    assert page.status_code == 200 and ">Published<" in text(page) and "/files/" not in text(page)


def test_a_production_whose_files_are_no_longer_kept_says_so(app, partner, clock):
    partner.trigger()
    complete_steps(clock, made=[make()])
    publish_all(clock)
    link = order(partner)["url"]
    assert "no longer kept" not in text(opened(app, link))
    with db.transaction():
        plain_sql.execute("DELETE FROM deliverables")
    assert "Its files are no longer kept" in text(opened(app, link))


def test_what_is_erased_is_gone(app, partner, clock):
    """A partner is erased with its productions and accounts: its links are as wrong as any."""
    production = body(partner.trigger())["productionId"]
    link = order(partner)["url"]
    assert production in text(opened(app, link))
    partner_data.erase(partner.seeded["partnerId"], app.extensions["svc"].settings, clock, US)
    gone = opened(app, link)
    assert gone.status_code == 404 and production not in text(gone)


def test_the_headers_keep_the_page_to_whoever_has_the_link(app, partner):
    link = order(partner)["url"]
    for path in (link, link[:-1] + ("A" if link[-1] != "A" else "B"), "/portal/x"):
        answer = opened(app, path)
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["X-Robots-Tag"] == "noindex"
        assert answer.headers["Cache-Control"] == "private, no-store"
        assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'; ")
        assert answer.headers["Content-Security-Policy"].endswith("frame-ancestors 'none'")
        assert "X-Frame-Options" not in answer.headers and "Set-Cookie" not in answer.headers
        assert "<script" not in text(answer)
    head = app.test_client().head(link.removeprefix("http://localhost"))
    assert (head.status_code, head.data) == (200, b"") and head.headers[
        "Referrer-Policy"
    ] == "no-referrer"


def test_the_origins_of_the_partner_may_embed_the_page(app, partner, clock):
    mine = partner.seeded["partnerId"]
    given = "https://www.example.com, https://App.example.com:8443 https://www.example.com"
    admin.change(US, admin.PARTNER, mine, {"portal_origins": given}, clock())
    link = order(partner, json={"expiresInMinutes": 1})["url"]
    wanted = "frame-ancestors https://www.example.com https://app.example.com:8443"
    assert opened(app, link).headers["Content-Security-Policy"].endswith(wanted)
    clock.tick(60)
    ended = opened(app, link)
    assert ended.status_code == 410 and ended.headers["Content-Security-Policy"].endswith(wanted)
    admin.change(US, admin.PARTNER, mine, {"portal_origins": ""}, clock())
    assert opened(app, link).headers["Content-Security-Policy"].endswith("frame-ancestors 'none'")


@pytest.mark.parametrize(
    "wrong",
    [
        "http://www.example.com",
        "https://www.example.com/",
        "https://www.example.com/path",
        "https://*.example.com",
        "https:",
        "*",
        "https://a;script-src",
        "https://user@example.com",
        "https://example.com:0",
        "https://example.com:70000",
        "'self'",
        "https://-a.com",
        "https://exämple.com",
        "https://[::1]",
        "https://a..b",
        f"https://{'a' * 64}.com",
        "null",
        "https://example.com?x",
        "javascript:x",
        " ".join(f"https://a{number}.example.com" for number in range(21)),
    ],
)
def test_what_is_no_origin_is_refused(partner, clock, wrong):
    with pytest.raises(InvalidRequest, match="portal_origins"):
        admin.change(
            US, admin.PARTNER, partner.seeded["partnerId"], {"portal_origins": wrong}, clock()
        )


def test_twenty_origins_are_taken(partner, clock):
    twenty = " ".join(f"https://a{number}.example.com" for number in range(20))
    changed = admin.change(
        US, admin.PARTNER, partner.seeded["partnerId"], {"portal_origins": twenty}, clock()
    )
    assert changed["portal_origins"] == twenty


def test_a_link_ends_by_itself(app, partner, clock):
    link = order(partner, json={"expiresInMinutes": 2})["url"]
    clock.tick(119)
    assert opened(app, link).status_code == 200
    clock.tick(1)
    ended = opened(app, link)
    assert (
        ended.status_code == 410
        and "This link does not work" in text(ended)
        and "Ask whoever gave it to you" in text(ended)
    )


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE api_keys SET revoked_at = 1",
        "UPDATE api_keys SET expires_at = 1",
        "UPDATE api_keys SET scopes = '[\"accounts:read\"]'",
        "UPDATE api_keys SET permitted_account_ids = '[]'",
        "UPDATE partners SET status = 'Closed'",
        "UPDATE partners SET status = 'Suspended'",
        "UPDATE accounts SET status = 'Closed'",
    ],
)
def test_a_link_ends_with_the_right_that_it_came_from(app, partner, change):
    link = order(partner)["url"]
    assert opened(app, link).status_code == 200
    with db.transaction():
        plain_sql.execute(change)
    ended = opened(app, link)
    assert ended.status_code == 410 and "This link does not work" in text(ended)


def test_a_suspended_account_may_still_be_read_as_over_the_api(app, partner):
    link = order(partner)["url"]
    with db.transaction():
        plain_sql.execute("UPDATE accounts SET status = 'Suspended'")
    assert (
        opened(app, link).status_code
        == partner.get(f"/v1/accounts/{partner.account}/productions").status_code
        == 200
    )


def test_a_link_ends_no_later_than_its_key(app, partner, clock):
    with db.transaction():
        plain_sql.execute("UPDATE api_keys SET expires_at = ?", (clock() + 600_000,))
    assert order(partner)["expiresAt"] == "2026-11-21T12:10:00.000Z"


def test_every_wrong_token_has_the_same_answer(app, partner):
    token = order(partner)["url"].rpartition("/")[2]
    first, last = ("A" if token[place] != "A" else "B" for place in (0, -1))
    raw = base64.urlsafe_b64decode(token)
    moved = base64.urlsafe_b64encode(raw[:32] + (2**40).to_bytes(8, "big") + raw[40:]).decode()
    wrong = [
        first + token[1:],
        token[:-1] + last,
        token[:-1],
        token + "A",
        token + "=",
        "x",
        "A" * 96,
        "é" * 96,
        "%00",
        moved,
        token * 50,
    ]
    answers = {
        (answer.status_code, answer.data)
        for answer in (opened(app, f"/portal/{each}") for each in wrong)
    }
    assert len(answers) == 1 and next(iter(answers))[0] == 404
    assert "This link does not work" in next(iter(answers))[1].decode()


def test_a_token_opens_no_other_account(app, partner):
    """The account is under the signature, and so is the key."""
    raw = base64.urlsafe_b64decode(order(partner)["url"].rpartition("/")[2])
    live = bytes.fromhex(partner.seeded["liveAccountId"].replace("-", ""))
    forged = base64.urlsafe_b64encode(live + raw[16:]).decode()
    assert opened(app, f"/portal/{forged}").status_code == 404


def test_hostile_names_are_shown_as_text(app, partner):
    body(partner.trigger(topic=HOSTILE))
    with db.transaction():
        plain_sql.execute("UPDATE productions SET title = ?", (HOSTILE,))
        plain_sql.execute("UPDATE accounts SET name = ?", (HOSTILE,))
    page = text(opened(app, order(partner)["url"]))
    assert (
        "<script" not in page and "<img" not in page and "{{7*7}}" in page and "\u202e" not in page
    )
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 3 and "&amp;amp;" in page


def test_a_thousand_productions_come_page_by_page(app, partner):
    seed_productions(partner, 1000)
    link, query, seen = order(partner)["url"], "", []
    while True:
        answer = opened(app, link, query)
        assert answer.status_code == 200
        seen += re.findall(r'<h2 id="t-([^"]+)"', text(answer))
        query = query_of_the_next(answer)
        if not query:
            break
    assert len(seen) == len(set(seen)) == 1000


@pytest.mark.sqlite("counts what SQLite does")
def test_a_page_takes_the_same_work_however_many_productions_there_are(app, partner):
    link = order(partner)["url"]
    counted = []
    for more in (200, 400):
        seed_productions(partner, more)
        # templates are compiled once
        open_next = partial(opened, app, link, query_of_the_next(opened(app, link)))
        counted.append((instructions(open_next), lines_run(open_next)))
    (few, few_lines), (many, many_lines) = counted
    assert many < 1.05 * few and many_lines < 1.05 * few_lines


@pytest.mark.parametrize("cursor", ["x", "A" * 300, "é", "%00"])
def test_a_page_that_is_none_leads_back_to_the_first(app, partner, cursor):
    link = order(partner)["url"]
    answer = opened(app, link, f"?cursor={cursor}")
    assert answer.status_code == 400 and "There is no such page" in text(answer)
    assert f'href="{link.removeprefix("http://localhost")}"' in text(answer)


def test_a_page_of_another_list_is_none(app, partner):
    for _ in range(2):
        partner.trigger()
    cursor = body(partner.get(f"/v1/accounts/{partner.account}/productions?limit=1"))["nextCursor"]
    assert opened(app, order(partner)["url"], f"?cursor={cursor}").status_code == 400


def test_the_token_is_neither_logged_nor_kept(app, partner, caplog, clock):
    caplog.set_level(logging.DEBUG)
    link = order(partner)["url"]
    token = link.rpartition("/")[2]
    opened(app, link)
    opened(app, f"/portal/{token}x")
    app.extensions["svc"].recorder.flush()
    assert token not in caplog.text
    assert plain_sql.row("SELECT count(*) FROM requests WHERE path LIKE '%/portal/%'")[0] == 0
    for name in erase.list_tables_with_partner():
        assert token not in "".join(
            str(tuple(row)) for row in plain_sql.rows(f"SELECT * FROM {name}")
        )


def test_the_page_changes_nothing_and_takes_no_other_method(app, partner):
    path = order(partner)["url"].removeprefix("http://localhost")
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        assert app.test_client().open(path, method=method).status_code == 405


def test_the_key_ring_may_move_on(app, partner):
    """A link that an earlier master key signed is valid as long as the ring has that key."""
    service = app.extensions["svc"]
    link = order(partner)["url"]
    keys = service.ring._keys
    keys[max(keys) + 1] = bytes(range(32))
    assert opened(app, link).status_code == 200


def test_a_link_of_a_clock_that_was_ahead_is_not_open_until_then(app, partner, clock):
    clock.tick(40 * 86_400)
    link = order(partner, json={"expiresInMinutes": 2})["url"]
    clock.tick(-40 * 86_400)
    assert opened(app, link).status_code == 410
