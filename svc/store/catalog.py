"""The tables of the open database, as the database itself lists them."""

from svc.store.database import db


def list_tables() -> list[str]:
    """Return the names of all tables in order."""
    return _list_names(db.TABLES)


def list_columns(table: str) -> list[str]:
    """Return the names of a table's columns in order."""
    return _list_names(db.COLUMNS, table)


def find_primary_key(table: str) -> list[str]:
    """Return the columns of a table's primary key."""
    return _list_names(db.PRIMARY_KEY, table)


def list_referred_tables(table: str) -> set[str]:
    """Return the tables that foreign keys of a table refer to."""
    return set(_list_names(db.REFERRED, table))


def _list_names(sql: str, *table: str) -> list[str]:
    return [row["name"] for row in db.rows(sql, table)]
