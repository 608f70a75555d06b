"""Runs statements: those that peewee wrote, whose values are given by name,
and the engine's own.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import psycopg

from svc.store.postgres.values import Row

Connection: TypeAlias = psycopg.Connection[Row]
Parameters: TypeAlias = Sequence[Any] | Mapping[str, Any]


class Compiled(str):
    """A statement that peewee wrote.

    ``names``: of the values of its placeholders, in their order.
    """

    names: tuple[str, ...]

    def __new__(cls, sql: str, names: tuple[str, ...]) -> "Compiled":
        compiled = super().__new__(cls, sql)
        compiled.names = names
        return compiled


def run(connection: Connection, sql: str, parameters: Parameters) -> psycopg.Cursor[Row]:
    """Run a statement, prepared if it is run often."""
    return connection.execute(sql, order_values(sql, parameters))


def order_values(sql: str, parameters: Parameters) -> Parameters:
    """Return the values by the placeholders of a statement."""
    if isinstance(sql, Compiled) and isinstance(parameters, Mapping):
        return [parameters[name] for name in sql.names]
    return parameters
