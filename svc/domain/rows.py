"""Typed queries: the one place where rows of the database become the types of :mod:`svc.domain.tables`."""

from typing import TypeVar, cast

from svc.store import database

_Kind = TypeVar("_Kind")


def first(kind: type[_Kind], sql: str, parameters: database.Parameters = ()) -> _Kind | None:
    """Return the first row of a statement that selects the columns of ``kind``; None: there is no row."""
    row = database.row(sql, parameters)
    return None if row is None else cast(_Kind, dict(row))


def one(kind: type[_Kind], sql: str, parameters: database.Parameters = ()) -> _Kind:
    """Return the first row of a statement that always has one. LookupError: there is no row."""
    return cast(_Kind, dict(database.one(sql, parameters)))


def every(kind: type[_Kind], sql: str, parameters: database.Parameters = ()) -> list[_Kind]:
    """Return all rows of a statement that selects the columns of ``kind``."""
    return cast(list[_Kind], [dict(row) for row in database.rows(sql, parameters)])


def every_by(connection: database.Connection, kind: type[_Kind], sql: str, parameters: database.Parameters = ()) -> list[_Kind]:
    """As :func:`every`, for the database of ``connection``, whatever its row factory."""
    cursor = connection.execute(sql, parameters)
    names = [column[0] for column in cursor.description]
    return [cast(_Kind, dict(zip(names, row))) for row in cursor]
