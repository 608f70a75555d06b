"""Migrations of PostgreSQL: those of SQLite, translated, in one transaction."""

import psycopg
import pytest
from support.postgres_server import PostgresServer

from svc.base.errors import StartRefused
from svc.store.postgres import schema
from svc.store.schema import VERSION

pytestmark = pytest.mark.judges

NEXT = VERSION + 1
GOOD = """-- What the next release brings.
CREATE TABLE shelves (
    id      TEXT NOT NULL PRIMARY KEY,
    opened  INTEGER NOT NULL DEFAULT 0 CHECK (opened IN (0, 1)),
    sealed  BLOB
) STRICT, WITHOUT ROWID;
CREATE INDEX shelves_opened ON shelves (opened) WHERE sealed IS NOT NULL;
ALTER TABLE accounts ADD COLUMN shelf TEXT;
ALTER TABLE accounts ADD COLUMN weight REAL NOT NULL DEFAULT 1.5;
UPDATE accounts SET shelf = 'top' WHERE id <> '';
CREATE TRIGGER shelves_counted AFTER INSERT ON shelves BEGIN
    UPDATE accounts SET weight = weight + 1;
END;
"""


@pytest.fixture(scope="module")
def postgres():
    with PostgresServer() as server:
        yield server


@pytest.fixture
def address(postgres, request):
    made = postgres.make(f"db{abs(hash(request.node.name))}")
    schema.prepare(made)
    return made


def migrate(address: str, tmp_path, script: str, number: int = NEXT) -> None:
    (tmp_path / f"{number:04}_next.sql").write_text(script)
    schema.prepare(address, tmp_path)


COLUMNS = """
    SELECT table_name, column_name, data_type, collation_name, column_default, is_nullable FROM information_schema.columns
    WHERE table_schema IN ('public', 'service')
"""
TRIGGERS = "SELECT tgname, tgrelid::regclass::text FROM pg_trigger WHERE NOT tgisinternal"


def described(address: str) -> set[tuple]:
    with psycopg.connect(address) as connection:
        return {*connection.execute(COLUMNS).fetchall(), *connection.execute(TRIGGERS).fetchall()}


def test_a_migration_is_translated_and_counts_changes_of_what_it_adds(address, tmp_path):
    before = described(address)
    migrate(address, tmp_path, GOOD)
    assert schema.version_at(address) == NEXT
    added = described(address) - before
    assert before <= described(address)
    assert {row[:5] for row in added if row[0] == "accounts"} == {
        ("accounts", "shelf", "text", "C", None),
        ("accounts", "weight", "double precision", None, "1.5"),
    }
    assert {row[1:3] for row in added if row[0] == "shelves"} == {("id", "text"), ("opened", "bigint"), ("sealed", "bytea")}
    assert ("shelves_counted", "shelves") in added
    migrate(address, tmp_path, GOOD)  # again: nothing is due
    with pytest.raises(StartRefused, match="knows schemas up to"):
        schema.prepare(address)


def test_a_migration_that_fails_changes_nothing(address, tmp_path):
    before = described(address)
    with pytest.raises(StartRefused, match="is as it was"):
        migrate(address, tmp_path, GOOD + "ALTER TABLE nowhere ADD COLUMN x TEXT;")
    assert (described(address), schema.version_at(address)) == (before, VERSION)


def test_nothing_is_migrated_while_a_server_drives(address, tmp_path):
    with psycopg.connect(address, autocommit=True) as driving:
        driving.execute("SELECT pg_advisory_lock(%s)", (schema.DRIVERS,))
        with pytest.raises(StartRefused, match="stop it first"):
            migrate(address, tmp_path, GOOD)
    migrate(address, tmp_path, GOOD)
    assert schema.version_at(address) == NEXT
