"""The tables of PostgreSQL are those of SQLite. It runs where the tests run on PostgreSQL."""

import os

import pytest
from support import plain_sql

from svc.store import catalog
from svc.store.engine import schema
from svc.store.engine.sqlite_driver import sqlite3

pytestmark = pytest.mark.skipif(
    "TEST_DATABASE_URL" not in os.environ, reason="the tests run on SQLite"
)
TYPES = {"INTEGER": "bigint", "TEXT": "text", "REAL": "double precision", "BLOB": "bytea"}
COLUMNS = """
    SELECT column_name AS name, data_type AS type, is_nullable = 'NO' AS filled,
        column_default AS initial
    FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ?
    ORDER BY ordinal_position
"""


@pytest.fixture
def sqlite(tmp_path, app):
    schema.prepare(tmp_path / "there.db").close()
    connection = sqlite3.connect(tmp_path / "there.db")
    yield connection
    connection.close()


def tables(sqlite) -> list[str]:
    return [
        name
        for (name,) in sqlite.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        )
    ]


def test_the_tables_and_their_columns_are_the_same(sqlite):
    assert catalog.list_tables() == tables(sqlite)
    for table in tables(sqlite):
        there = {
            row["name"]: (row["type"], bool(row["filled"]))
            for row in plain_sql.rows(COLUMNS, (table,))
        }
        there.pop("rowid", None)
        here = sqlite.execute(
            f"SELECT name, type, \"notnull\" OR pk FROM pragma_table_info('{table}') ORDER BY cid"
        ).fetchall()
        assert list(there.items()) == [
            (name, (TYPES[kind], bool(filled))) for name, kind, filled in here
        ], table


def test_keys_and_references_are_the_same(sqlite):
    for table in tables(sqlite):
        keys = sqlite.execute(
            f"SELECT name FROM pragma_table_info('{table}') WHERE pk ORDER BY pk"
        ).fetchall()
        referred = sqlite.execute(
            f"SELECT DISTINCT \"table\" FROM pragma_foreign_key_list('{table}')"
        ).fetchall()
        assert catalog.find_primary_key(table) == [name for (name,) in keys] or table in (
            "auth_failures",
        )
        assert catalog.list_referred_tables(table) == {name for (name,) in referred}


def test_the_indexes_and_triggers_are_the_same(sqlite):
    indexes = plain_sql.rows(
        "SELECT indexname AS name, indexdef AS text FROM pg_indexes "
        "WHERE schemaname = current_schema()"
    )
    there = {row["name"]: ("UNIQUE" in row["text"], " WHERE " in row["text"]) for row in indexes}
    here = sqlite.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    ).fetchall()
    assert {
        name: ("UNIQUE" in sql, " WHERE " in " ".join(sql.split())) for name, sql in here
    }.items() <= there.items()
    triggers = {
        row["name"]
        for row in plain_sql.rows("SELECT tgname AS name FROM pg_trigger WHERE NOT tgisinternal")
    }
    assert {
        name for (name,) in sqlite.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
    } <= triggers
