"""Finds and erases all rows of a partner.

Tables and columns are read from the schema, so that no table is forgotten.
"""

import functools
import operator
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from svc.base import states
from svc.domain import file_removal
from svc.domain.audit import audit, audit_chain
from svc.domain.audit.audit import Actor
from svc.domain.file_removal import PRODUCTION, SCENES, UPLOAD, Removal
from svc.domain.partners import brand_files
from svc.store import catalog, upkeep
from svc.store.database import Row, db
from svc.store.expressions import SQL, Tuple, Value, named_table
from svc.store.models.access import ApiKey
from svc.store.models.partners import Account, Partner
from svc.store.models.productions import Production
from svc.store.queries import Prepared, slot


class PathToPartner(NamedTuple):
    """What leads from a row to its partner: a column with the id of a row of ``parents``;
    none: with the partner's own.
    """

    column: str
    parents: tuple[str, ...] = ()


# The first of these columns that a table has leads to the partner.
_WAYS = (
    PathToPartner("partner_id"),
    PathToPartner("production_id", ("productions",)),
    PathToPartner("customer_id", ("customers",)),
    PathToPartner("account_id", ("accounts",)),
    PathToPartner("subscription_id", ("subscriptions",)),
    PathToPartner("delivery_id", ("deliveries",)),
    PathToPartner("user_id", ("users",)),
)
_BY_NAME = {  # tables with another way
    "batch_items": PathToPartner("batch_id", ("batches",)),
    # A try of a connection has no production.
    "connection_tries": PathToPartner("account_id", ("accounts",)),
    "partners": PathToPartner("id"),
    "productions": PathToPartner("account_id", ("accounts",)),
    "spend_months": PathToPartner("owner_id", ("accounts", "customers")),
    "sensitivity_rules": PathToPartner("scope_id", ("accounts", "customers")),
}
# Tables without data of partners, and the audit log: it stays and is redacted
# (svc.domain.audit.audit_chain).
TABLES_WITHOUT_PARTNER = frozenset(
    {
        "meta",
        "counters",
        "step_paces",
        "auth_failures",
        "auth_bursts",
        "sign_in_tries",
        "audit",
        "master_keys",
        "workers",
        "files_to_remove",
    }
)
# The columns that are not exported.
_SECRET = frozenset({"hash", "password", "sealed", "session", "nonce"})
# The tables whose rows have files, which are entered to be removed with the rows: the columns of a
# Removal.
_FILES = {
    "productions": (PRODUCTION, "id", None),
    "partners": (SCENES, "id", None),
    **dict.fromkeys(("assets", *brand_files.TABLES), (UPLOAD, "file", "sha256")),
}
_BATCH = 2000  # rows in one transaction, so that other writers do not wait long
_REVOKE = Prepared(
    ApiKey.update(revoked_at=0).where(
        ApiKey.partner_id == slot("partner_id"), ApiKey.revoked_at.is_null()
    )
)
_CLOSE = Prepared(Partner.update(status="Closed").where(Partner.id == slot("partner_id")))
_OF_PARTNER = Production.select(Production.id).where(
    Production.account_id.in_(
        Account.select(Account.id).where(Account.partner_id == slot("partner_id"))
    )
)
_ALL = Prepared(_OF_PARTNER)
_OPEN = Prepared(_OF_PARTNER.where(Production.status.in_(states.OPEN_STATES)))


@functools.cache
def list_tables_with_partner() -> dict[str, PathToPartner]:
    """Return the tables with data of partners: name to the way to the partner,
    referring tables first.
    """
    ways = {name: way for name in catalog.list_tables() if (way := _path_to_partner(name))}
    ordered: dict[str, PathToPartner] = {}
    while len(ordered) < len(ways):
        rest = [name for name in ways if name not in ordered]
        # A condition that reads another table needs its rows, too.
        referred = {
            parent
            for name in rest
            for parent in (*catalog.list_referred_tables(name), *ways[name].parents)
            if parent != name
        }
        free = [name for name in rest if name not in referred]
        if not free:
            raise RuntimeError(f"{rest} refer to each other in a circle")
        ordered |= {name: ways[name] for name in free}
    return ordered


def _path_to_partner(name: str) -> PathToPartner | None:
    if name in _BY_NAME or name in TABLES_WITHOUT_PARTNER:
        return _BY_NAME.get(name)
    columns = catalog.list_columns(name)
    return next((way for way in _WAYS if way.column in columns), None)


def _is_of_partner(table: Any, way: PathToPartner) -> Any:
    """Return the condition that a row is the partner's."""
    column = getattr(table.c, way.column)
    if not way.parents:
        return column == slot("partner")
    return functools.reduce(
        operator.or_, (column.in_(_ids_query(parent)) for parent in way.parents)
    )


def _ids_query(name: str) -> Any:
    table = named_table(name)
    return table.select(table.c.id).where(_is_of_partner(table, list_tables_with_partner()[name]))


@functools.cache
def _rows_of(name: str) -> Prepared[Row]:
    """Return the query for the partner's rows of a table, without hashes of keys and passwords."""
    table = named_table(name)
    columns = [
        getattr(table.c, column) for column in catalog.list_columns(name) if column not in _SECRET
    ]
    return Prepared(
        table.select(*columns).where(_is_of_partner(table, list_tables_with_partner()[name]))
    )


@functools.cache
def _erase(name: str) -> Prepared[Row]:
    """Return the query that removes some of the partner's rows of a table; those with files,
    it returns as removals.
    """
    table = named_table(name)
    keys = [getattr(table.c, key) for key in catalog.find_primary_key(name)]
    some = (
        table.select(*keys)
        .where(_is_of_partner(table, list_tables_with_partner()[name]))
        .limit(_BATCH)
    )
    query = table.delete().where(Tuple(*keys).in_(some))
    if name in _FILES:
        kind, *columns = _FILES[name]
        files = (getattr(table.c, column) if column else SQL("NULL") for column in columns)
        query = query.returning(Value(kind), *files)
    return Prepared(query)


def export_rows(table: str, partner_id: str) -> Iterator[dict[str, Any]]:
    """Yield the partner's rows of a table as JSON values, without hashes of keys and passwords."""
    query = _rows_of(table)
    with db.separate_connection() as connection:
        for row in query.iterate_rows_by(connection, partner=partner_id):
            yield {
                name: value.decode("utf-8", "replace")
                if isinstance(value, bytes) and name == "body"
                else value.hex()
                if isinstance(value, bytes)
                else value
                for name, value in zip(row.keys(), row, strict=True)
            }


def close_partner(partner_id: str) -> list[str]:
    """Close the partner, revoke its API keys, and return the ids of its open productions."""
    with db.transaction():
        _REVOKE.execute(partner_id=partner_id)
        _CLOSE.execute(partner_id=partner_id)
    return [row["id"] for row in _OPEN.rows(partner_id=partner_id)]


def list_productions(partner_id: str) -> list[str]:
    """Return the ids of all productions of the partner, whose files have to be removed."""
    return [row["id"] for row in _ALL.rows(partner_id=partner_id)]


def erase(partner_id: str, name: str, actor: Actor, now: int) -> dict[str, int]:
    """Remove all rows of a closed partner, overwrite them in the file, and return the number of
    rows by table.

    Its files are entered to be removed, each in the transaction that removes the last row that
    names it. After an interruption, call it again. The audit log stays, without names and values;
    this is its last entry.
    """
    upkeep.overwrite_deleted()
    erased: Counter[str] = Counter()
    for table in [
        *list_tables_with_partner()
    ] * 2:  # twice: a request from before the keys were revoked may end late
        while number := _delete_rows(table, partner_id, now):
            erased[table] += number
    redacted = audit_chain.redact(partner_id, now)
    with audit.recording(
        actor,
        "partner.erase",
        name,
        now,
        subject_id=partner_id,
        partner_id=partner_id,
        after={"rows": erased.total(), "entriesRedacted": redacted},
    ):
        pass  # what was removed was removed in transactions of its own
    upkeep.checkpoint()
    return dict(erased)


def _delete_rows(table: str, partner_id: str, now: int) -> int:
    with db.transaction():
        if table not in _FILES:
            return _erase(table).execute(partner=partner_id)
        removals = [Removal(*row) for row in _erase(table).rows(partner=partner_id)]
        file_removal.schedule_removals(removals, now)
        return len(removals)
