"""The types of the tables' rows against schema.sql."""

from contextlib import closing
from typing import get_type_hints

from support.tables import each_of

from svc.domain.tables import access, partners, people, productions, usage, webhooks
from svc.store.engine import schema
from svc.store.engine.sqlite_driver import sqlite3

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


@each_of("table", _TABLES)
def test_a_row_has_the_columns_of_its_table_and_their_types(table):
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(schema.SCHEMA.read_text("utf-8"))
        found = connection.execute(f"PRAGMA table_info({table})").fetchall()
    columns = {
        name: _KINDS[kind] if required or key else _KINDS[kind] | None
        for _, name, kind, required, _, key in found
    }

    assert get_type_hints(_TABLES[table]) == columns
