"""Pools of connections. One on which PostgreSQL has said something is tried before it is used, as a
restart ends all of them.

The pools are psycopg_pool's: they grow where a thread finds no idle connection, and close one that
was not needed for a while. What is added here: PostgreSQL says nothing to an idle connection but
that it ends, and looking for that asks the database nothing, so that a machine without work leaves
it in peace (see svc.store.postgres.keepalives for ends without a word); and an error that says
whether PostgreSQL does not answer, or all connections are in use.
"""

import select
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg_pool import ConnectionPool, PoolTimeout

from svc.store.postgres import keepalives, schema, values
from svc.store.postgres.execution import Connection
from svc.store.postgres.failures import AllInUse

_PATIENCE = 5  # seconds until the database counts as out of reach
IDLE_SECONDS = 5.0  # after which a pool closes a connection that nobody needed
# Seconds between two statements of a transaction: one of a machine that is paused keeps the others
# waiting no longer.
_PAUSES = "SET idle_in_transaction_session_timeout = '5s'"


class Pool(ConnectionPool[Connection]):
    """Connections of this process, of which ``in_use`` are given to threads."""

    def __init__(self, address: str, name: str, most: int):
        """``name``: for ``pg_stat_activity``, unless the address has one."""
        self.in_use: set[Connection] = set()
        super().__init__(
            address,
            min_size=1,
            max_size=most,
            max_idle=IDLE_SECONDS,
            configure=_configure,
            open=True,
            kwargs={
                "autocommit": True,
                "row_factory": values.row_factory,
                "prepare_threshold": 3,
                "connect_timeout": _PATIENCE,
                "fallback_application_name": name,
                **keepalives.OURS,
            },
        )


@contextmanager
def borrow_connection(pool: Pool) -> Iterator[Connection]:
    """Yield a connection, and give it back.

    AllInUse: there was none for five seconds, as others had all of them. PoolTimeout: PostgreSQL
    does not answer.
    """
    connection = _take_connection(pool)
    try:
        yield connection
    finally:
        _give_back(pool, connection)


def _take_connection(pool: Pool) -> Connection:
    connection = _wait_for_connection(pool)
    try:
        if _has_spoken(connection):  # the pool's own check= waits a second after each that is lost
            ConnectionPool.check_connection(connection)
    except psycopg.Error:
        _give_back(pool, connection)
        connection = _wait_for_connection(pool)
    return connection


def _wait_for_connection(pool: Pool) -> Connection:
    try:
        connection = pool.getconn(_PATIENCE)
    except PoolTimeout as failure:
        if len(pool.in_use) < pool.max_size:
            raise
        raise AllInUse(
            f"all {pool.max_size} connections of this process to PostgreSQL were in use for "
            f"{_PATIENCE} seconds: see what they wait for in pg_stat_activity, and serve with more "
            "--threads if it is only more work than they do"
        ) from failure
    pool.in_use.add(connection)
    return connection


def _has_spoken(connection: Connection) -> bool:
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    return bool(poll.poll(0))


def _give_back(pool: Pool, connection: Connection) -> None:
    lost = connection.broken
    pool.in_use.discard(connection)
    pool.putconn(connection)
    if lost:
        pool.check()  # the other idle connections are lost too


def _configure(connection: Connection) -> None:
    values.adapt(connection)
    connection.execute(schema.SEARCH_PATH)
    connection.execute(f"{keepalives.ITS}; {_PAUSES}")
