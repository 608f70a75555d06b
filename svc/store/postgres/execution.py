"""Runs the domain's statements, also where the migration of a newer release gives a table another column meanwhile.

PostgreSQL refuses a prepared statement whose result would have other columns than before. Only ``SELECT *`` and the like can
meet that, because a migration beside living processes adds columns, and changes or removes none.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import psycopg
from psycopg.pq import TransactionStatus

from svc.store.postgres.statements import statement_of
from svc.store.postgres.values import Row

Connection: TypeAlias = psycopg.Connection[Row]
Parameters: TypeAlias = Sequence[Any] | Mapping[str, Any]


def run(connection: Connection, sql: str, parameters: Parameters) -> psycopg.Cursor[Row]:
    """Run a statement, prepared if it is run often."""
    statement = statement_of(sql)
    values = statement.values(parameters)
    if not statement.takes_all_columns:
        return connection.execute(statement.sql, values)
    if connection.info.transaction_status != TransactionStatus.IDLE:  # in a transaction, a refusal could not be repaired
        return connection.execute(statement.sql, values, prepare=False)
    try:
        return connection.execute(statement.sql, values)
    except psycopg.errors.FeatureNotSupported:
        connection.execute("DEALLOCATE ALL")
        return connection.execute(statement.sql, values)
