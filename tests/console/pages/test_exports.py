"""Lists leave the console as CSV, files as one archive; several productions are released or
retried at once.
"""

import csv
import io
import re
import shutil
import subprocess
import zipfile

import pytest
from support import plain_sql
from support.cast import body, text
from support.stage import complete_steps, make, publish_all
from support.tables import each_of

from svc.base import ids
from svc.console import access, exports
from svc.domain.audit import audit
from svc.domain.audit.audit import Actor
from svc.store.database import db
from tests.support.documents import ROOT


def table(answer) -> list[dict]:
    assert answer.status_code == 200 and answer.mimetype == "text/csv"
    assert answer.headers["Content-Disposition"].startswith("attachment; filename=")
    return list(csv.DictReader(io.StringIO(answer.get_data().decode("utf-8-sig"))))


BULK, SURE = "/console/productions/bulk", {"sure": "yes"}


@pytest.fixture
def waiting(partner, clock) -> list[str]:
    """Two live productions that await approval."""
    found = []
    for number in (1, 2):
        found.append(body(partner.live().trigger(topic=f"Topic {number}"))["productionId"])
        complete_steps(clock, made=[make()])
    return found


def test_productions_are_exported_as_they_are_filtered(
    owner, operator, partner, stranger, monkeypatch
):
    monkeypatch.setattr(exports, "_PAGE", 2)
    mine = [body(partner.trigger(topic=f"Topic {number}"))["productionId"] for number in range(5)]
    theirs = body(stranger.trigger())["productionId"]
    rows = table(owner.get("/console/productions/export.csv"))
    assert sorted(each["Production id"] for each in rows) == sorted(mine)
    assert rows[0]["Status"] == "Queued" and rows[0]["Triggered (UTC)"] == "2026-11-21 12:00:00"
    assert {
        each["Production id"] for each in table(operator.get("/console/productions/export.csv"))
    } == {*mine, theirs}
    assert table(owner.get("/console/productions/export.csv?status=Failed")) == []
    assert table(operator.get("/console/productions/export.csv?partner=nobody")) == []
    assert len(table(owner.get("/console/productions/export.csv?q=How"))) == sum(
        "How" in each["Title"] for each in rows
    )


def test_exports_count_as_work_that_takes_long_and_pages_go_on_beside_them(
    owner, operator, partner, shares
):
    """Each is computed for as long as its list has pages: four would be all of a partner's threads,
    and keep others waiting for the interpreter's lock.
    """
    shares.set_threads(8)
    partner.trigger()
    path = "/console/productions/export.csv"
    for _ in range(3):
        with owner.get(path) as answer:  # each ends
            assert len(table(answer)) == 1
    _, second = [shares.begin_background_work(partner.seeded["partnerId"]) for _ in range(2)]
    refused = owner.get(path)
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "5")
    assert "downloads" in text(refused)
    assert owner.get("/console/productions/").status_code == 200
    with operator.get(path) as answer:
        assert len(table(answer)) == 1
    second.end()
    owner.get(path).close()  # the browser has gone before it read anything
    with owner.get(path) as answer:
        assert len(table(answer)) == 1


@pytest.mark.parametrize(
    "title",
    ['=HYPERLINK("http://x")', "+1", "-1", "@x", "＝1", 'a "b", c\nd', "日本語 é", "a; b", "a|b"],
)
def test_a_title_is_no_formula_and_keeps_its_letters(owner, partner, title):
    partner.trigger()
    with db.transaction():
        plain_sql.execute("UPDATE productions SET title = ?", (title,))
    [row] = table(owner.get("/console/productions/export.csv"))
    assert row["Title"] in (title, f"'{title}") and not row["Title"].startswith(SIGNS)


SIGNS = tuple("=+-@＝＋－＠")
COMMAND = "1+cmd|' /C calc'!A0"


@each_of(
    "before",
    [
        "",
        "a;",
        "a; ",
        "a\t",
        "a\r",
        "a\n",
        "a\r\n",
        "\t",
        "\r",
        "\n",
        " ",
        "\u00a0",
        "\ufeff",
        '"',
        'a;"',
        ";;",
        "a|",
        "\u200b",
    ],
)
@each_of("sign", SIGNS)
def test_no_cell_begins_with_a_formula_whatever_separator_a_spreadsheet_reads_it_with(before, sign):
    written = exports._line([exports._cell("first"), exports._cell(f"{before}{sign}{COMMAND}")])
    for separator in ",;\t|":
        for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_NONE):
            for line in csv.reader(
                io.StringIO(written, newline=None), delimiter=separator, quoting=quoting
            ):
                for cell in line:
                    assert not re.sub(r"^[\s\u200b\ufeff\"]+", "", cell).startswith(SIGNS), cell


@pytest.mark.parametrize("filling", ["; ", " ", ";", "'", "\u200b"])
def test_a_long_cell_is_read_once(filling):
    # the limit of a test is the guard: squared, it takes hours
    assert exports._cell(filling * 200_000) == filling * 200_000


def test_a_heading_is_a_cell_too(app, monkeypatch):
    monkeypatch.setattr(access, "name_thread_owner", lambda: "one")
    with app.test_request_context():
        assert b"'=x" in exports.make_csv_response("t", {"=x": str}, []).get_data()


def test_every_csv_is_written_by_the_one_function():
    """Whoever writes another one has to neutralise formulas too."""
    writers = [
        path
        for path in (ROOT / "svc").rglob("*.py")
        if re.search(r"csv\.(writer|DictWriter)|text/csv", path.read_text())
    ]
    assert [path.name for path in writers] == ["exports.py"]


def test_usage_is_exported_by_day(owner, operator, partner):
    partner.get("/v1/languages")
    rows = table(owner.get("/console/usage/export.csv"))
    assert len(rows) == 30 and rows[-1]["Day (UTC)"] == "2026-11-21" and rows[-1]["Requests"] == "1"
    assert (
        table(operator.get(f"/console/usage/export.csv?partner={partner.seeded['partnerId']}"))
        == rows
    )
    assert operator.get("/console/usage/export.csv").status_code == 404


def test_the_audit_log_is_exported_to_each_as_they_see_it(
    owner, operator, partner, stranger, clock
):
    with db.transaction():
        for person, subject in ((partner, "Ours"), (stranger, "Theirs")):
            where = {"partner_id": person.seeded["partnerId"], "after": {"name": "=x"}}
            ada = Actor(operator.user_id, "ada@operators.example")
            with audit.recording(ada, "account.change", subject, clock(), **where):
                pass
    mine = table(owner.get("/console/own/audit/export.csv?kind=account"))
    assert [(each["Subject"], each["Who"], each["After"]) for each in mine] == [
        ("Ours", "Operator", '{"name": "=x"}')
    ]
    everything = table(operator.get("/console/audit/export.csv?kind=account"))
    assert {each["Subject"] for each in everything} == {"Ours", "Theirs"}
    assert owner.get("/console/audit/export.csv").status_code == 403


def test_all_files_come_in_one_archive_that_another_program_opens(
    app, owner, stranger, somebody, waiting, tmp_path
):
    files = plain_sql.rows(
        "SELECT * FROM deliverables WHERE production_id = ? ORDER BY position", (waiting[0],)
    )
    folder = app.extensions["svc"].settings.media_dir
    for number, each in enumerate(files):
        (folder / each["file"]).parent.mkdir(parents=True, exist_ok=True)
        (folder / each["file"]).write_bytes(b"%d" % number * 300_000)
    path = f"/console/productions/{waiting[0]}/files.zip"
    with owner.get(path) as answer:
        assert (
            answer.mimetype == "application/zip" and ".zip" in answer.headers["Content-Disposition"]
        )
        packed = tmp_path / "files.zip"
        packed.write_bytes(answer.get_data())
    with zipfile.ZipFile(packed) as opened:
        assert opened.testzip() is None and len(opened.namelist()) == len(files) > 0
        assert sorted(map(opened.read, opened.namelist())) == sorted(
            b"%d" % number * 300_000 for number in range(len(files))
        )
    if shutil.which("unzip"):  # CI has it
        subprocess.run(["unzip", "-tq", packed], check=True)
    assert path in text(owner.get(f"/console/productions/{waiting[0]}"))
    assert somebody("owner", stranger.seeded["partnerId"]).get(path).status_code == 404


def test_a_production_without_files_has_no_archive(owner, partner):
    production = body(partner.trigger())["productionId"]
    assert owner.get(f"/console/productions/{production}/files.zip").status_code == 404


def test_several_are_released_at_once_and_each_is_entered(operator, waiting, partner):
    queued = body(partner.trigger())["productionId"]
    form = {"production": [*waiting, queued], "action": "release", "status": "AwaitingApproval"}
    answer = operator.post(BULK, {**form, **SURE})
    assert answer.headers["Location"].endswith("/console/productions/?status=AwaitingApproval")
    page = text(operator.get(answer.headers["Location"]))
    assert "2 productions released." in page and "1 could not be released:" in page
    released = plain_sql.rows("SELECT id FROM productions WHERE released_at IS NOT NULL")
    assert {row["id"] for row in released} == set(waiting)
    assert plain_sql.one("SELECT count(*) FROM audit WHERE action = 'production.release'")[0] == 2


def test_several_are_retried_at_once(owner, partner, clock):
    failed = [body(partner.trigger(topic=f"Topic {number}"))["productionId"] for number in (1, 2)]
    with db.transaction():
        plain_sql.execute("UPDATE productions SET status = 'Failed', finished_at = ?", (clock(),))
    answer = owner.post(BULK, {"production": [*failed, failed[0]], "action": "retry", **SURE})
    assert "2 productions triggered again." in text(owner.get(answer.headers["Location"]))
    assert {
        row[0]
        for row in plain_sql.rows("SELECT retry_of FROM productions WHERE retry_of IS NOT NULL")
    } == set(failed)


def test_who_may_not_change_a_production_changes_none_of_several(
    owner, member, somebody, stranger, waiting
):
    assert owner.post(BULK, {"production": waiting, "action": "release", **SURE}).status_code == 404
    assert member.post(BULK, {"production": waiting, "action": "retry", **SURE}).status_code == 403
    other = somebody("owner", stranger.seeded["partnerId"])
    assert other.post(BULK, {"production": waiting, "action": "retry"}).status_code == 404
    refused = other.post(BULK, {"production": waiting, "action": "retry", **SURE})
    assert "2 could not be triggered again" in text(other.get(refused.headers["Location"]))
    assert (
        plain_sql.one(
            "SELECT count(*) FROM productions WHERE released_at IS NOT NULL OR retry_of IS NOT NULL"
        )[0]
        == 0
    )


def test_without_a_selection_nothing_is_changed(operator, waiting):
    answer = operator.post(BULK, {"action": "release"})
    assert "Select productions first." in text(operator.get(answer.headers["Location"]))


def test_before_several_are_released_a_page_asks_with_their_number_and_cost(
    operator, waiting, partner
):
    with db.transaction():
        plain_sql.execute("UPDATE ledger SET reserved = 1500000")
    queued = body(partner.trigger(topic="Too early"))["productionId"]
    place = {"status": "AwaitingApproval", "cursor": "abc"}
    page = text(
        operator.post(BULK, {"production": [*waiting, queued], "action": "release", **place})
    )
    assert "2 productions will be released" in page and "USD 3.00 in all, reserved" in page
    assert (
        "Release 2 productions</button>" in page and "1 is left out" in page and "Too early" in page
    )
    assert [name in page for name in waiting] == [True, True]
    assert f'name="production" value="{queued}"' not in page and 'name="cursor" value="abc"' in page
    assert plain_sql.one("SELECT count(*) FROM productions WHERE released_at IS NOT NULL")[0] == 0
    answer = operator.post(BULK, {"production": waiting, "action": "release", **place, **SURE})
    assert answer.headers["Location"].endswith(
        "/console/productions/?status=AwaitingApproval&cursor=abc"
    )


def test_before_several_are_retried_a_page_says_what_they_cost_now(owner, partner, clock):
    failed = [body(partner.trigger(topic=f"Topic {number}"))["productionId"] for number in (1, 2)]
    with db.transaction():
        plain_sql.execute("UPDATE productions SET status = 'Failed', finished_at = ?", (clock(),))
        plain_sql.execute("UPDATE project_types SET price = 2000000")
    form = {"production": failed, "action": "retry"}
    page = text(owner.post(BULK, form))
    assert (
        "2 productions will be triggered again" in page
        and "USD 4.00 in all, as estimated now" in page
    )
    with db.transaction():
        plain_sql.execute(
            "UPDATE avatars SET language_ids = ?", (f'["{ids.derive_id("language", "de")}"]',)
        )
    page = text(owner.post(BULK, form))
    assert (
        "2 are left out" in page and "does not speak" in page and "triggered again</h2>" not in page
    )


def test_what_is_released_is_said_to_be_releasing_until_it_is_published(operator, waiting, clock):
    first, second = waiting
    operator.post(BULK, {"production": [first], "action": "release", **SURE})
    page = text(operator.get("/console/productions/?status=Releasing"))
    assert (
        '<span class="badge info live">Releasing</span>' in page
        and first in page
        and second not in page
    )
    page = text(operator.get("/console/productions/?status=AwaitingApproval"))
    assert second in page and first not in page
    assert "Releasing</span>" in text(operator.get(f"/console/productions/{first}"))
    home = text(operator.get("/console/"))
    running = home.partition("<h2>Running now")[2].partition("</section>")[0]
    assert first in running and f"/console/productions/{first}/release" not in home
    publish_all(clock)
    assert "Nothing matches" in text(operator.get("/console/productions/?status=Releasing"))
