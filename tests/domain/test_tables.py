"""The types of the tables' rows against schema.sql, and rows becoming them."""

from contextlib import closing
from typing import get_type_hints

import pytest

from svc.domain import rows, tables
from svc.store import database, schema
from svc.store.sqlite import sqlite3

_TABLES = {
    "accounts": tables.Account,
    "api_keys": tables.Key,
    "activation_keys": tables.ActivationKey,
    "invitations": tables.Invitation,
    "productions": tables.Production,
    "events": tables.Event,
    "subscriptions": tables.Subscription,
    "deliveries": tables.Delivery,
    "deliverables": tables.Deliverable,
    "users": tables.User,
}
_KINDS = {"TEXT": str, "INTEGER": int, "REAL": float, "BLOB": bytes}


@pytest.mark.parametrize("table", _TABLES)
def test_a_row_has_the_columns_of_its_table_and_their_types(table):
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(schema.SCHEMA.read_text("utf-8"))
        found = connection.execute(f"PRAGMA table_info({table})").fetchall()
    columns = {name: _KINDS[kind] if required or key else _KINDS[kind] | None for _, name, kind, required, _, key in found}

    assert get_type_hints(_TABLES[table]) == columns


def test_rows_become_mappings_of_their_columns(tmp_path, request):
    database.open_database(tmp_path / "service.db")
    request.addfinalizer(database.close_database)
    sql = "SELECT 'p' AS id, 'Queued' AS status"
    row = {"id": "p", "status": "Queued"}

    assert rows.first(tables.ProductionState, sql) == rows.one(tables.ProductionState, sql) == row
    assert rows.every(tables.ProductionState, sql) == [row]
    assert rows.first(tables.ProductionState, f"{sql} WHERE 0") is None
    with pytest.raises(LookupError):
        rows.one(tables.ProductionState, f"{sql} WHERE 0")
