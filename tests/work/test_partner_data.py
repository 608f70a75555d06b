"""A partner's data is handed out whole and erased to the last byte;
the other partners keep theirs.
"""

import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from support import plain_sql
from support.cast import body, refused
from support.outbox import answer, claim
from support.stage import complete_steps, make, publish_all

from svc.base.errors import CommandError
from svc.domain.audit.audit import Actor
from svc.domain.partners import erase as partner_records
from svc.store import upkeep
from svc.store.database import db
from svc.work import partner_data
from svc.work.doctor import findings
from tests.support.references import orphans

ME = Actor(None, "olga")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def given(app):
    """The settings of the server."""
    return app.extensions["svc"].settings


@pytest.fixture
def busy(app, partner, clock, given) -> str:
    """The partner has done a bit of everything; the production that was published."""
    live(partner, clock, given)
    partner.trigger(topic="Still waiting")
    unknown = partner.brief(topic="A refused private topic", avatarId=partner.seeded["partnerId"])
    partner.post(f"/v1/accounts/{partner.account}/batches", json={"items": [unknown]})
    partner.get("/v1/webhooks")
    app.extensions["svc"].recorder.flush()
    return plain_sql.row("SELECT id FROM productions WHERE status = 'Published'")["id"]


def live(person, clock, given) -> None:
    hooks = {
        "endpointUrl": "https://93.184.215.14/very-private-path",
        "eventTypes": ["production.queued"],
    }
    person.post("/v1/webhooks", json=hooks)
    production = body(
        person.trigger(topic="A very private topic", headers={"Idempotency-Key": "one"})
    )["productionId"]
    (given.media_dir / production).mkdir(parents=True)
    (given.media_dir / production / "transcript.txt").write_text("very private words")
    complete_steps(clock, made=[make(file=f"{production}/transcript.txt")])
    publish_all(clock)
    upload(person, given)
    answer(claim(clock()), clock())


def upload(person, given) -> None:
    """A picture for every account of the customer, and a font, a tune and a clip for one,
    as an operator uploads them.
    """
    customer = plain_sql.row("SELECT customer_id FROM accounts WHERE id = ?", (person.account,))[0]
    given.assets_dir.mkdir(exist_ok=True)
    (given.assets_dir / f"{customer}.png").write_bytes(b"a very private picture")
    (given.assets_dir / f"{customer}.ttf").write_bytes(b"a very private font")
    (given.assets_dir / f"{customer}.m4a").write_bytes(b"a very private tune")
    (given.assets_dir / f"{customer}.mp4").write_bytes(b"a very private clip")
    row = (customer, customer, f"{customer}.png")
    with db.transaction():
        font = (person.account, "A private licence", f"{customer}.ttf")
        plain_sql.execute("INSERT INTO brand_fonts VALUES (?, ?, ?, 4, 'x', 1)", font)
        track = (person.account, "Another private licence", f"{customer}.m4a")
        plain_sql.execute("INSERT INTO music_tracks VALUES (?, ?, ?, 4, 'x', 1)", track)
        clip = (person.account, "A third private licence", f"{customer}.mp4")
        plain_sql.execute("INSERT INTO intro_clips VALUES (?, ?, ?, 4, 'x', 1, 2000)", clip)
        plain_sql.execute(
            "INSERT INTO assets VALUES (?, ?, NULL, 'logo', 'image/png', ?, 22, 'x', 1)", row
        )


def everything() -> dict[str, int]:
    return {
        table: plain_sql.row(f"SELECT count(*) FROM {table}")[0]
        for table in partner_records.list_tables_with_partner()
    }


@pytest.mark.sqlite("reads sqlite_master")
def test_every_table_is_somebodys_or_known_to_be_nobodys(app):
    names = {
        row["name"] for row in plain_sql.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
    }
    names = {name for name in names if not name.startswith("sqlite_")}
    assert names == set(partner_records.list_tables_with_partner()) | (
        partner_records.TABLES_WITHOUT_PARTNER & names
    )
    assert (
        not set(partner_records.list_tables_with_partner()) & partner_records.TABLES_WITHOUT_PARTNER
    )


@pytest.mark.sqlite("reads the pragmas")
def test_the_column_that_leads_to_a_partner_is_never_empty(app):
    may_be_nobodys = {"alerts", "users", "invitations"}  # the operator's
    for table, way in partner_records.list_tables_with_partner().items():
        column = way.column
        nullable = [
            row["name"]
            for row in plain_sql.rows(f"PRAGMA table_info({table})")
            if not row["notnull"] and not row["pk"]
        ]
        assert column not in nullable or table in may_be_nobodys | set(partner_records._BY_NAME), (
            table,
            column,
        )


def test_what_is_handed_out_is_whole_and_holds_no_hash(
    app, partner, stranger, busy, given, tmp_path
):
    stranger.trigger()
    counted = partner_data.export(partner.seeded["partnerId"], given, tmp_path / "partner.tar")
    with tarfile.open(tmp_path / "partner.tar") as tar:
        content = {each.name: tar.extractfile(each).read() for each in tar if each.isfile()}
    rows = {
        name.removesuffix(".jsonl"): [json.loads(line) for line in text.splitlines()]
        for name, text in content.items()
        if name.endswith(".jsonl")
    }
    assert content[f"media/{busy}/transcript.txt"] == b"very private words"
    assert {b"a very private picture", b"a very private font", b"a very private tune"} <= set(
        content.values()
    )
    assert b"a very private clip" in content.values() and len(rows["intro_clips"]) == 1
    assert [each["licence"] for each in rows["brand_fonts"]] == ["A private licence"]
    assert [each["licence"] for each in rows["music_tracks"]] == ["Another private licence"]
    assert {name: len(each) for name, each in rows.items()} == counted and counted[
        "productions"
    ] == 2
    assert {each["topic"] for each in rows["productions"]} == {
        "A very private topic",
        "Still waiting",
    }
    assert [each["topic"] for each in rows["batch_items"]] == ["A refused private topic"]
    assert json.loads(rows["deliveries"][0]["body"])["productionId"] == busy
    assert {each["partner_id"] for each in rows["requests"]} == {partner.seeded["partnerId"]}
    assert not [row for each in rows.values() for row in each if {"hash", "password"} & set(row)]
    assert partner.key.encode() not in b"".join(content.values())
    assert (tmp_path / "partner.tar").stat().st_mode & 0o777 == 0o600
    with pytest.raises(CommandError, match="already exists"):
        partner_data.export(partner.seeded["partnerId"], given, tmp_path / "partner.tar")


def test_what_is_erased_is_gone_from_tables_files_and_pages_and_others_keep_theirs(
    app, partner, stranger, busy, clock, given
):
    live(stranger, clock, given)
    app.extensions["svc"].recorder.flush()
    strangers = everything_of(stranger)
    assert sum(strangers.values()) > 30 and everything() != strangers
    partner_data.erase(partner.seeded["partnerId"], given, clock, ME)
    refused(partner.get("/v1/webhooks"), 401, "UNAUTHORIZED")
    assert everything() == strangers
    assert stranger.get("/v1/webhooks").status_code == 200
    # the stranger's
    assert not (given.media_dir / busy).exists() and len(list(given.assets_dir.iterdir())) == 4
    assert orphans() == [] and upkeep.find_damage() is None
    [entry] = plain_sql.rows("SELECT * FROM audit WHERE action = 'partner.erase'")
    assert (entry["subject_id"], entry["actor"]) == (partner.seeded["partnerId"], "olga")


@pytest.mark.sqlite("reads the file")
def test_nothing_of_it_is_left_in_the_file(app, partner, busy, clock, given):
    upkeep.checkpoint()
    assert b"Still waiting" in given.database.read_bytes()
    assert b"refused private topic" in given.database.read_bytes()
    partner_data.erase(partner.seeded["partnerId"], given, clock, ME)
    wal = given.database.with_name("service.db-wal")
    left = given.database.read_bytes() + (wal.read_bytes() if wal.exists() else b"")
    for private in (
        b"Still waiting",
        b"very private topic",
        b"refused private topic",
        b"very-private-path",
        partner.account.encode(),
    ):
        assert private not in left


def everything_of(person) -> dict[str, int]:
    partner_id = person.seeded["partnerId"]
    return {
        table: len(list(partner_records.export_rows(table, partner_id)))
        for table in partner_records.list_tables_with_partner()
    }


def test_an_erasure_that_was_interrupted_is_called_again(
    app, partner, busy, clock, given, monkeypatch
):
    delete = partner_records._delete_rows
    calls = []

    def die(*given):
        calls.append(given)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return delete(*given)

    monkeypatch.setattr(partner_records, "_delete_rows", die)
    with pytest.raises(KeyboardInterrupt):
        partner_data.erase(partner.seeded["partnerId"], given, clock, ME)
    partner_data.erase(partner.seeded["partnerId"], given, clock, ME)
    assert everything_of(partner) == dict.fromkeys(partner_records.list_tables_with_partner(), 0)


def test_what_an_engine_is_busy_with_is_waited_for(app, partner, busy, clock, given, monkeypatch):
    monkeypatch.setattr(findings, "is_driven", lambda _: True)
    with pytest.raises(CommandError, match="still being ended"):
        partner_data.erase(partner.seeded["partnerId"], given, clock, ME, patience=0.1)
    assert everything_of(partner)["productions"] == 2
    refused(partner.get("/v1/webhooks"), 401, "UNAUTHORIZED")  # nothing new begins meanwhile


@pytest.mark.slow
def test_the_commands_ask_before_they_erase(app, partner, busy, given, tmp_path):
    app.extensions["svc"].recorder.stop()
    db.close()
    environment = {"SVC_DATA_DIR": str(given.data_dir), "PATH": os.environ["PATH"]}

    def run(*words: str) -> subprocess.CompletedProcess:
        command = [sys.executable, "app.py", "partner", *words]
        return subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
        )

    partner_id = partner.seeded["partnerId"]
    assert "2 productions" in run("export", partner_id, str(tmp_path / "partner.tar")).stdout
    asked = run("erase", partner_id)
    assert asked.returncode == 2 and "use --yes" in asked.stderr
    assert "2 productions" in run("erase", partner_id, "--yes").stdout
    gone = run("erase", partner_id, "--yes")
    assert gone.returncode == 2 and "There is no partner" in gone.stderr
