"""Finds and erases all rows of a partner. Tables and columns are read from the schema, so that no table is forgotten."""

import functools
from collections import Counter
from collections.abc import Iterator
from typing import Any

from svc.base import states
from svc.domain import file_removal
from svc.domain.file_removal import PRODUCTION, SCENES, UPLOAD, Removal
from svc.domain.partners import brand_files
from svc.domain.people import audit, audit_chain
from svc.domain.people.audit import Actor
from svc.store import catalog, database, upkeep
from svc.store.models.access import ApiKey
from svc.store.models.partners import Account, Partner
from svc.store.models.productions import Production
from svc.store.queries import Prepared, slot

_OWN = "IN (SELECT id FROM {} WHERE partner_id = :partner)"
_PRODUCTIONS = f"account_id {_OWN.format('accounts')}"  # the productions of the partner
# The condition that selects a partner's rows, by the first of these columns that the table has.
_WAYS = (
    ("partner_id", "= :partner"),
    ("production_id", f"IN (SELECT id FROM productions WHERE {_PRODUCTIONS})"),
    ("customer_id", _OWN.format("customers")),
    ("account_id", _OWN.format("accounts")),
    ("subscription_id", _OWN.format("subscriptions")),
    ("delivery_id", _OWN.format("deliveries")),
    ("user_id", _OWN.format("users")),
)
_BY_NAME = {  # tables with another condition
    "batch_items": f"batch_id {_OWN.format('batches')}",
    "connection_tries": _PRODUCTIONS,  # a try of a connection has no production
    "partners": "id = :partner",
    "productions": _PRODUCTIONS,
    "spend_months": f"owner_id {_OWN.format('accounts')} OR owner_id {_OWN.format('customers')}",
    "sensitivity_rules": f"scope_id {_OWN.format('accounts')} OR scope_id {_OWN.format('customers')}",
}
# Tables without data of partners, and the audit log: it stays and is redacted (svc.domain.people.audit_chain).
NOBODYS = frozenset(
    {
        "meta", "counters", "step_paces", "auth_failures", "auth_bursts", "sign_in_tries", "audit", "master_keys", "workers",
        "files_to_remove",
    }
)  # fmt: skip
_SECRET = frozenset({"hash", "password", "sealed", "session", "nonce"})  # columns that are not exported
_FILES = {  # of tables whose rows have files, which are entered to be removed with the rows: the columns of a Removal
    "productions": f"'{PRODUCTION}', id, NULL",
    "partners": f"'{SCENES}', id, NULL",
    **dict.fromkeys(("assets", *brand_files.TABLES), f"'{UPLOAD}', file, sha256"),
}
_BATCH = 2000  # rows in one transaction, so that other writers do not wait long
_REVOKE = Prepared(ApiKey.update(revoked_at=0).where(ApiKey.partner_id == slot("partner_id"), ApiKey.revoked_at.is_null()))
_CLOSE = Prepared(Partner.update(status="Closed").where(Partner.id == slot("partner_id")))
_OF_PARTNER = Production.select(Production.id).where(
    Production.account_id.in_(Account.select(Account.id).where(Account.partner_id == slot("partner_id")))
)
_ALL = Prepared(_OF_PARTNER)
_OPEN = Prepared(_OF_PARTNER.where(Production.status.in_(states.OPEN)))


@functools.cache
def tables() -> dict[str, str]:
    """Return the tables with data of partners: name to the condition for one partner's rows, referring tables first."""
    conditions = {name: condition for name in catalog.tables() if (condition := _condition(name))}
    ordered: dict[str, str] = {}
    while len(ordered) < len(conditions):
        rest = [name for name in conditions if name not in ordered]
        referred = {parent for name in rest for parent in catalog.referred(name) if parent != name}
        # A condition that reads another table needs its rows, too.
        referred |= {other for name in rest for other in rest if other != name and f"FROM {other} " in conditions[name]}
        free = [name for name in rest if name not in referred]
        if not free:
            raise RuntimeError(f"{rest} refer to each other in a circle")
        ordered |= {name: conditions[name] for name in free}
    return ordered


def _condition(name: str) -> str | None:
    if name in _BY_NAME or name in NOBODYS:
        return _BY_NAME.get(name)
    columns = catalog.columns(name)
    return next((f"{column} {condition}" for column, condition in _WAYS if column in columns), None)


def rows(table: str, partner_id: str) -> Iterator[dict[str, Any]]:
    """Yield the partner's rows of a table as JSON values, without hashes of keys and passwords."""
    with database.separate_connection() as connection:
        for row in connection.execute(f"SELECT * FROM {table} WHERE {tables()[table]}", {"partner": partner_id}):
            yield {
                name: value.decode("utf-8", "replace")
                if isinstance(value, bytes) and name == "body"
                else value.hex()
                if isinstance(value, bytes)
                else value
                for name, value in zip(row.keys(), row, strict=True)
                if name not in _SECRET
            }


def close(partner_id: str) -> list[str]:
    """Close the partner, revoke its API keys, and return the ids of its open productions."""
    with database.write():
        _REVOKE.execute(partner_id=partner_id)
        _CLOSE.execute(partner_id=partner_id)
    return [row["id"] for row in _OPEN.rows(partner_id=partner_id)]


def productions(partner_id: str) -> list[str]:
    """Return the ids of all productions of the partner, whose files have to be removed."""
    return [row["id"] for row in _ALL.rows(partner_id=partner_id)]


def erase(partner_id: str, name: str, actor: Actor, now: int) -> dict[str, int]:
    """Remove all rows of a closed partner, overwrite them in the file, and return the number of rows by table.

    Its files are entered to be removed, each in the transaction that removes the last row that names it. After an
    interruption, call it again. The audit log stays, without names and values; this is its last entry.
    """
    upkeep.overwrite_deleted()
    erased: Counter[str] = Counter()
    for table, condition in [*tables().items()] * 2:  # twice: a request from before the keys were revoked may end late
        keys = ", ".join(catalog.primary_key(table))
        statement = f"DELETE FROM {table} WHERE ({keys}) IN (SELECT {keys} FROM {table} WHERE {condition} LIMIT {_BATCH})"
        if files := _FILES.get(table):
            statement = f"{statement} RETURNING {files}"
        while number := _delete(statement, partner_id, now):
            erased[table] += number
    redacted = audit_chain.redact(partner_id, now)
    with database.write():
        after = {"rows": erased.total(), "entriesRedacted": redacted}
        audit.record(actor, "partner.erase", name, now, subject_id=partner_id, partner_id=partner_id, after=after)
    upkeep.checkpoint()
    return dict(erased)


def _delete(statement: str, partner_id: str, now: int) -> int:
    with database.write():
        if " RETURNING " not in statement:
            return database.execute(statement, {"partner": partner_id})
        removals = [Removal(*row) for row in database.rows(statement, {"partner": partner_id})]
        file_removal.enter(removals, now)
        return len(removals)
