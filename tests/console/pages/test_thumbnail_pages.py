"""The small pictures of productions in lists: of one's own alone, kept by the browser,
and a blank one where there is none.
"""

import re
from contextlib import closing

import pytest
from support import plain_sql
from support.cast import Browser, text
from support.elsewhere import Elsewhere

from svc.domain.audit.audit import Actor
from svc.domain.people import users
from svc.domain.productions.detail import THUMBNAIL
from svc.store.database import db

PICTURE = b"RIFF\x24\x00\x00\x00WEBPVP8 a small picture"


@pytest.fixture(params=["directory", "bucket"])
def files(app, request, tmp_path):
    storage = app.extensions["svc"].storage
    if request.param == "bucket":
        storage.files = Elsewhere(tmp_path / "bucket")
    return storage


@pytest.fixture
def kept(files, busy, tmp_path) -> str:
    """A published production with a thumbnail."""
    (tmp_path / "small").write_bytes(PICTURE)
    files.keep(tmp_path / "small", f"{busy['done']}/{THUMBNAIL}", fixed=True)
    return busy["done"]


def address(production: str) -> str:
    return f"/console/productions/{production}/thumbnail.webp"


def fetch(browser: Browser, production: str, **headers: str):
    with closing(browser.get(address(production), headers=headers)) as answer:
        answer.get_data()
        return answer


def test_a_thumbnail_is_sent_once_and_then_kept_by_the_browser(owner, kept):
    answer = fetch(owner, kept)
    assert (answer.status_code, answer.data, answer.mimetype) == (200, PICTURE, "image/webp")
    assert answer.headers["Cache-Control"] == "private, max-age=300"
    again = fetch(owner, kept, **{"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    with db.transaction():
        # a corrected production has another picture
        plain_sql.execute("UPDATE productions SET revision = 2")
    corrected = fetch(owner, kept, **{"If-None-Match": answer.headers["ETag"]})
    assert (corrected.status_code, corrected.data) == (200, PICTURE)


def test_nobody_sees_a_strangers_thumbnail(app, kept, stranger, operator, member, clock):
    partner = stranger.seeded["partnerId"]
    made = users.add(
        Actor(None, "us"),
        "eve@example.com",
        "Eve",
        "correct horse battery",
        "owner",
        partner,
        clock(),
    )
    eve = Browser(app, made, clock)
    assert fetch(eve, kept).status_code == 404 and PICTURE not in fetch(eve, kept).data
    assert fetch(Browser(app, None, clock), kept).status_code == 303
    assert fetch(member, kept).data == fetch(operator, kept).data == PICTURE


@pytest.mark.parametrize("status", ["Published", "Failed"])
def test_a_production_without_a_thumbnail_has_a_blank_one_for_a_while(
    owner, files, busy, kept, status
):
    """One that was made before there were any, or whose files are removed; and one that failed,
    whose files are no one's.
    """
    if status == "Published":
        files.remove_production(kept)
    else:
        with db.transaction():
            plain_sql.execute("UPDATE productions SET status = 'Failed' WHERE id = ?", (kept,))
    answer = fetch(owner, kept)
    assert (answer.status_code, answer.mimetype) == (
        200,
        "image/svg+xml",
    ) and b"<svg" in answer.data
    assert answer.headers["Cache-Control"] == "private, max-age=60"


def test_lists_show_the_thumbnails_of_productions_that_have_files(owner, busy):
    page = text(owner.get("/console/productions/"))
    pictures = re.findall(r'<img class="thumb"[^>]*>', page)
    assert (
        len(pictures) == 1
        and address(busy["done"]) in pictures[0]
        and 'class="thumb"></span>' in page
    )
    for wanted in ('alt=""', 'loading="lazy"', 'width="80"', 'height="45"'):
        assert wanted in pictures[0]
    deliveries = text(owner.get(f"/console/webhooks/{busy['subscription']}"))
    assert address(busy["done"]) in deliveries


def test_the_queue_of_home_shows_them(operator, busy):
    with db.transaction():
        back = "UPDATE productions SET status = 'AwaitingApproval', released_at = NULL WHERE id = ?"
        plain_sql.execute(back, (busy["done"],))
    assert address(busy["done"]) in text(operator.get("/console/"))
