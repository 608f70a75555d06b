"""The types of the tables' rows against schema.sql, and rows becoming them."""

from contextlib import closing
from typing import get_type_hints

import pytest

from svc.domain import rows
from svc.domain.tables import access, partners, people, productions, usage, webhooks
from svc.store import database, schema
from svc.store.sqlite import sqlite3

_TABLES = {
    "partners": partners.Partner,
    "customers": partners.Customer,
    "accounts": partners.Account,
    "project_types": partners.ProjectType,
    "connected_platforms": partners.ConnectedPlatform,
    "avatars": partners.Avatar,
    "assets": partners.Asset,
    "sensitivity_rules": partners.SensitivityRule,
    "api_keys": access.Key,
    "activation_keys": access.ActivationKey,
    "users": people.User,
    "invitations": people.Invitation,
    "sessions": people.Session,
    "audit": people.AuditEntry,
    "productions": productions.Production,
    "production_steps": productions.Step,
    "publications": productions.Publication,
    "deliverables": productions.Deliverable,
    "events": webhooks.Event,
    "subscriptions": webhooks.Subscription,
    "deliveries": webhooks.Delivery,
    "requests": usage.Request,
    "alerts": usage.Alert,
}
_KINDS = {"TEXT": str, "INTEGER": int, "REAL": float, "BLOB": bytes}


@pytest.mark.parametrize("table", _TABLES)
def test_a_row_has_the_columns_of_its_table_and_their_types(table):
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(schema.SCHEMA.read_text("utf-8"))
        found = connection.execute(f"PRAGMA table_info({table})").fetchall()
    columns = {name: _KINDS[kind] if required or key else _KINDS[kind] | None for _, name, kind, required, _, key in found}

    assert get_type_hints(_TABLES[table]) == columns


@pytest.mark.sqlite("writes SQL of SQLite alone")
def test_rows_become_mappings_of_their_columns(tmp_path, request):
    database.open_database(tmp_path / "service.db")
    request.addfinalizer(database.close_database)
    sql = "SELECT 'p' AS id, 'Queued' AS status"
    row = {"id": "p", "status": "Queued"}

    assert rows.first(productions.ProductionState, sql) == rows.one(productions.ProductionState, sql) == row
    assert rows.every(productions.ProductionState, sql) == [row]
    assert rows.first(productions.ProductionState, f"{sql} WHERE 0") is None
    with pytest.raises(LookupError):
        rows.one(productions.ProductionState, f"{sql} WHERE 0")
    with database.separate_connection() as connection:
        assert rows.every_by(connection, productions.ProductionState, sql) == [row]
        connection.row_factory = None  # plain tuples
        assert rows.every_by(connection, productions.ProductionState, sql) == [row]
