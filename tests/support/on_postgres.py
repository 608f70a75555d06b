"""The tests on PostgreSQL: ``SVC_TEST_DATABASE_URL`` names a server on which databases may be made.

Each path that a test opens is a database of its own, cloned from one with empty tables.
"""

import os
from collections import OrderedDict
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from svc.store import database
from svc.store.postgres import schema

_KEPT = 4  # databases that a test may have open in turn; older ones are dropped


class Databases:
    """The databases of one process of the tests."""

    def __init__(self, address: str):
        self._address = urlsplit(address)
        self._prefix = f"test_{os.environ.get('PYTEST_XDIST_WORKER', 'gw')}_{os.getpid()}"
        self._names: OrderedDict[Path, str] = OrderedDict()
        self._number = 0
        self._server = psycopg.connect(address, autocommit=True)
        self._run(
            "CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'",
            self._prefix,
        )
        schema.prepare(self.address(self._prefix))
        # The first connection writes what the clones' first ones need not find again.
        psycopg.connect(self.address(self._prefix)).close()

    def _run(self, statement: str, *names: str) -> None:
        self._server.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))

    def address(self, name: str) -> str:
        """Return the address of a database."""
        return self._address._replace(path=f"/{name}").geturl()

    def of(self, path: Path) -> str:
        """Return the address of the database of a path, which is made when it is
        first asked for.
        """
        if path not in self._names:
            self._number += 1
            self._names[path] = f"{self._prefix}_{self._number}"
            self._run(
                "CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY", self._names[path], self._prefix
            )
            while len(self._names) > _KEPT:
                self._run(
                    "DROP DATABASE IF EXISTS {} WITH (FORCE)", self._names.popitem(last=False)[1]
                )
        self._names.move_to_end(path)
        return self.address(self._names[path])

    def close(self) -> None:
        """Drop all databases."""
        for name in (*self._names.values(), self._prefix):
            self._run("DROP DATABASE IF EXISTS {} WITH (FORCE)", name)
        self._server.close()


def install(address: str) -> Databases:
    """Let every database that a test opens be one of PostgreSQL."""
    databases, really = Databases(address), database.open_database

    def open_database(path: Path, address: str = "", *more) -> None:
        really(path, address or databases.of(path), *more)

    database.open_database = open_database
    return databases
