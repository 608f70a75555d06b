"""The sqlite3 module that peewee uses, from pysqlite3, with the types of the standard library's,
which has the same API.
"""

from typing import TYPE_CHECKING

import peewee

if TYPE_CHECKING:
    import sqlite3

    class SqliteDatabase(peewee.SqliteDatabase):
        """peewee's database, with the signatures that its stubs lack."""

        def _connect(self) -> sqlite3.Connection: ...

        def connection(self) -> sqlite3.Connection: ...

else:
    from peewee import SqliteDatabase, sqlite3

# pysqlite3 asks each value that is no number and no text for an adapter. Where there is none, that
# takes 0.9 µs, five times as long as with one; a trigger has some twenty such values.
sqlite3.register_adapter(type(None), lambda null: null)
sqlite3.register_adapter(bool, int)

__all__ = ["SqliteDatabase", "sqlite3"]
