"""The models on PostgreSQL: peewee writes the statements, and they run on the connection of the thread's transaction."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import peewee

from svc.store.models import MODELS
from svc.store.sqlite.engine import database as sqlite


class _Database(peewee.PostgresqlDatabase):
    connected: Callable[[], AbstractContextManager[Any]]

    def execute_sql(self, sql: str, params: Sequence[Any] | None = None) -> Any:
        with self.connected() as connection:
            return connection.execute(sql, params or ())


_database = _Database("")


def bind(connected: Callable[[], AbstractContextManager[Any]]) -> None:
    """Let the models use PostgreSQL. ``connected``: yields the connection."""
    _database.connected = connected
    _database.bind(MODELS, bind_refs=False, bind_backrefs=False)


def release() -> None:
    """Let the models use SQLite again."""
    sqlite.bind(MODELS, bind_refs=False, bind_backrefs=False)
