"""``schema.sql``: it makes a whole database, in which every table holds to its types."""

import pytest

from svc.base.errors import StartRefused
from svc.base.version import VERSION
from svc.store import database
from svc.store.database import Row, db
from svc.store.engine import schema
from tests.support import plain_sql
from tests.support.processes import at_once

pytestmark = pytest.mark.sqlite(
    "describes SQLite's tables; tests/store/test_postgres_schema.py compares those of PostgreSQL"
)


@pytest.fixture
def fresh(tmp_path):
    """A database that was made just now."""
    database.open_database(tmp_path / "service.db")
    yield tmp_path / "service.db"
    db.close()


def tables() -> list[Row]:
    listed = plain_sql.rows(
        "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
    )
    return [each for each in listed if not each["name"].startswith("sqlite_")]


def columns(condition: str) -> list[Row]:
    """The columns for which ``condition`` holds, as table, column, type."""
    return plain_sql.rows(
        'SELECT t.name AS "table", c.name AS "column", c.type '
        "FROM pragma_table_list t, pragma_table_info(t.name) c "
        f"WHERE t.schema = 'main' AND ({condition})"
    )


def test_a_fresh_database_has_tables_and_a_version(fresh):
    assert len(tables()) > 20
    assert plain_sql.row("SELECT value FROM meta WHERE name = 'schema_version'")[0] == str(
        schema.VERSION
    )


def test_the_release_rises_with_the_schema():
    """By its number processes and their images are told apart while a release replaces another."""
    assert VERSION.split(".")[:2] == ["1", str(schema.VERSION)], (
        f"write 1.{schema.VERSION}.0 into svc/base/version.py"
    )


def test_every_table_is_strict(fresh):
    assert [each["name"] for each in tables() if not each["strict"]] == []


def test_every_instant_is_an_integer(fresh):
    instants = columns("c.name = 'at' OR c.name LIKE '%\\_at' ESCAPE '\\'")
    assert len(instants) > 20
    assert [dict(each) for each in instants if each["type"] != "INTEGER"] == []


def test_every_reference_leads_to_a_primary_key(fresh):
    references = plain_sql.rows(
        'SELECT f."table" AS parent, f."to" AS target '
        "FROM pragma_table_list t, pragma_foreign_key_list(t.name) f WHERE t.schema = 'main'"
    )
    keys = {(each["table"], each["column"]) for each in columns("c.pk")}
    assert references
    assert [dict(each) for each in references if (each["parent"], each["target"]) not in keys] == []


def test_a_table_with_claims_is_known_to_recovery(fresh):
    """By ``release_earlier_boots`` of lifecycle and of publications,
    and by ``deliveries.recover``.
    """
    assert {each["table"] for each in columns("c.name = 'claim_token'")} == {
        "productions",
        "publications",
        "deliveries",
    }


def test_the_database_is_whole_and_writes_ahead(fresh):
    assert plain_sql.row("PRAGMA integrity_check")[0] == "ok"
    assert plain_sql.row("PRAGMA journal_mode")[0] == "wal"
    assert plain_sql.row("PRAGMA foreign_keys")[0] == 1


def test_a_database_of_a_newer_program_is_refused(fresh):
    with db.transaction():
        plain_sql.execute(
            "UPDATE meta SET value = ? WHERE name = 'schema_version'", (str(schema.VERSION + 1),)
        )
    with pytest.raises(StartRefused, match="install the release that wrote it"):
        database.open_database(fresh)


def test_simultaneous_first_starts_make_one_schema(tmp_path):
    imports = "from pathlib import Path; from svc.store.database import db, open_database"
    ask = "open_database(Path(sys.argv[1])) or db.row('SELECT COUNT(*) FROM meta')[0]"
    assert at_once(4, imports, ask, tmp_path / "service.db") == ["1"] * 4
