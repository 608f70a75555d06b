"""Pools of connections, of which one that has said something is tried before it is used: after a
restart all of them are lost.

PostgreSQL says nothing to an idle connection but that it ends. Looking for that asks the database
nothing, so that a machine without work leaves it in peace; see svc.store.postgres.keepalives for
ends without a word.
"""

import select
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg_pool import ConnectionPool

from svc.store.postgres import keepalives, schema, values
from svc.store.postgres.execution import Connection

_PATIENCE = 5  # seconds until the database counts as out of reach
_MOST = 32
# Seconds between two statements of a transaction: one of a machine that is paused keeps the others
# waiting no longer.
_PAUSES = "SET idle_in_transaction_session_timeout = '5s'"


def connections(address: str) -> "ConnectionPool[Connection]":
    """Return a pool of connections to the database at ``address``."""
    return ConnectionPool(
        address,
        min_size=1,
        max_size=_MOST,
        timeout=_PATIENCE,
        configure=_configure,
        open=True,
        kwargs={
            "autocommit": True,
            "row_factory": values.row_factory,
            "prepare_threshold": 3,
            "connect_timeout": _PATIENCE,
            **keepalives.OURS,
        },
    )


@contextmanager
def taken(pool: "ConnectionPool[Connection]") -> Iterator[Connection]:
    """Yield a connection, and give it back."""
    connection = _take(pool)
    try:
        yield connection
    finally:
        _give_back(pool, connection)


def _take(pool: "ConnectionPool[Connection]") -> Connection:
    connection = pool.getconn()
    try:
        if _has_spoken(connection):  # the pool's own check= waits a second after each that is lost
            ConnectionPool.check_connection(connection)
    except psycopg.Error:
        _give_back(pool, connection)
        connection = pool.getconn()
    return connection


def _has_spoken(connection: Connection) -> bool:
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))


def _give_back(pool: "ConnectionPool[Connection]", connection: Connection) -> None:
    lost = connection.broken
    pool.putconn(connection)
    if lost:
        pool.check()  # the other idle connections are lost too


def _configure(connection: Connection) -> None:
    values.adapt(connection)
    connection.execute(schema.SEARCH_PATH)
    connection.execute(f"{keepalives.ITS}; {_PAUSES}")
