"""What the quality gates are not sure of, on a production's page with the scene's picture,
and in the lists.
"""

import re
from contextlib import closing

import pytest
from support import plain_sql
from support.cast import Browser, text

from svc.domain.audit.audit import Actor
from svc.domain.people import users
from svc.domain.productions import gate_warnings
from svc.domain.productions.gate_warnings import QualityWarning
from svc.store.database import db

PICTURE = b"\xff\xd8\xff a small picture"
WARNINGS = (
    QualityWarning("Reading speed of captions.srt: 22 <b>characters</b>.", 2, "warning-1.jpg"),
    QualityWarning("Coverage of the notes of script.json: 1 difference."),
)


@pytest.fixture
def warned(app, busy, tmp_path) -> str:
    """A production with a warning that has a picture, and one that has none."""
    (tmp_path / "small").write_bytes(PICTURE)
    app.extensions["svc"].storage.keep(
        tmp_path / "small", f"{busy['done']}/warning-1.jpg", fixed=True
    )
    with db.transaction():
        sql = (
            "UPDATE productions SET gate_warnings = ?, status = 'AwaitingApproval', released_at = "
            "NULL WHERE id = ?"
        )
        plain_sql.execute(sql, (gate_warnings.serialise_warnings(WARNINGS), busy["done"]))
    return busy["done"]


def address(production: str, number: int = 1) -> str:
    return f"/console/productions/{production}/warnings/{number}.jpg"


def fetch(browser: Browser, place: str, **headers: str):
    with closing(browser.get(place, headers=headers)) as answer:
        answer.get_data()
        return answer


def test_the_page_names_each_with_its_scene_and_the_picture(operator, warned):
    page = text(operator.get(f"/console/productions/{warned}"))
    assert "The quality gates are not sure of 2 things" in page and "before you release" in page
    assert (
        "<strong>Scene 2.</strong>" in page
        and "22 &lt;b&gt;characters&lt;/b&gt;." in page
        and "1 difference." in page
    )
    assert re.findall(r'<img src="([^"]*)" alt="([^"]*)"', page) == [
        (address(warned), "Scene 2 as it is shown there")
    ]


def test_the_picture_is_sent_once_and_then_kept_by_the_browser(owner, warned):
    answer = fetch(owner, address(warned))
    assert (answer.status_code, answer.data, answer.mimetype) == (200, PICTURE, "image/jpeg")
    assert (
        fetch(owner, address(warned), **{"If-None-Match": answer.headers["ETag"]}).status_code
        == 304
    )
    with db.transaction():
        plain_sql.execute("UPDATE productions SET revision = 2 WHERE id = ?", (warned,))
    assert (
        fetch(owner, address(warned), **{"If-None-Match": answer.headers["ETag"]}).status_code
        == 200
    )


def test_a_stranger_sees_neither_the_page_nor_the_picture(app, warned, stranger, clock):
    made = users.add(
        Actor(None, "us"),
        "eve@example.com",
        "Eve",
        "correct horse battery",
        "owner",
        stranger.seeded["partnerId"],
        clock(),
    )
    eve = Browser(app, made, clock)
    assert (
        fetch(eve, address(warned)).status_code
        == fetch(eve, f"/console/productions/{warned}").status_code
        == 404
    )
    assert fetch(Browser(app, None, clock), address(warned)).status_code == 303


@pytest.mark.parametrize("number", [0, 2, 3, 10**30])
def test_a_warning_without_a_picture_has_none(owner, warned, number):
    assert fetch(owner, address(warned, number)).status_code == 404


@pytest.mark.parametrize("gone", ["files", "status"])
def test_the_warning_stays_when_the_files_are_removed(app, owner, warned, gone):
    if gone == "files":
        app.extensions["svc"].storage.remove_production(warned)
    else:
        with db.transaction():
            plain_sql.execute("UPDATE productions SET status = 'Failed' WHERE id = ?", (warned,))
    page = text(owner.get(f"/console/productions/{warned}"))
    assert "1 difference." in page and address(warned) not in page
    assert fetch(owner, address(warned)).status_code == 404


def test_a_production_without_warnings_has_no_such_section(owner, busy):
    assert "not sure of" not in text(owner.get(f"/console/productions/{busy['done']}"))


def test_whoever_releases_from_a_list_sees_that_there_is_something_to_look_at(operator, warned):
    assert text(operator.get("/console/")).count("to look at") == 1
    assert text(operator.get("/console/productions/")).count("to look at") == 1


def test_findings_that_are_warnings_are_called_so(app, owner, warned, tmp_path):
    findings = (
        '{"findings": [{"check": "a", "subject": "b", "measured": "c", "limit": "d", "passed": '
        'false, "certain": false}]}'
    )
    (tmp_path / "findings").write_text(findings)
    app.extensions["svc"].storage.keep(tmp_path / "findings", f"{warned}/findings.json", fixed=True)
    page = text(owner.get(f"/console/productions/{warned}"))
    assert "0 of 1 passed" in page and re.search(
        r'data-label="Result"><span class="badge warn">warning<', page
    )
