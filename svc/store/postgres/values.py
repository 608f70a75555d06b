"""Rows and values of PostgreSQL in the form that SQLite gives and takes: rows by name and place,
integers for booleans.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, ClassVar

from psycopg import Connection, Cursor
from psycopg.adapt import Dumper, Loader
from psycopg.types.numeric import Int8Dumper
from psycopg.types.string import StrDumper


class Row(tuple[Any, ...]):
    """A row, like sqlite3.Row.

    Each statement has a subclass of its own, which knows the places of its columns.
    """

    _places: ClassVar[dict[str, int]] = {}
    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            try:
                return tuple.__getitem__(self, self._places[key])
            except KeyError:
                raise IndexError(f"no column {key}") from None
        return tuple.__getitem__(self, key)

    def keys(self) -> list[str]:
        """Return the names of the columns in order."""
        return list(self._places)


_kinds: dict[tuple[str, ...], type[Row]] = {}  # by names of columns


def row_factory(cursor: Cursor[Any]) -> Callable[[Sequence[Any]], Row]:
    """Return what makes a row of the columns of ``cursor``."""
    names = tuple(column.name for column in cursor.description or ())
    kind = _kinds.get(names)
    if kind is None:
        # Of equal names, the first one counts, as in SQLite.
        places = {name: place for place, name in reversed(list(enumerate(names)))}
        kind = _kinds[names] = type(
            "Row", (Row,), {"_places": {name: places[name] for name in names}, "__slots__": ()}
        )
    return kind


class _Integer(Int8Dumper):
    """All integers are bigint, so that a statement is prepared once; so are booleans,
    which SQLite has not.
    """

    def dump(self, obj: Any) -> Any:
        return super().dump(int(obj))


class _Text(StrDumper):
    """Text without the character NUL, which PostgreSQL stores in none."""

    def dump(self, obj: str) -> Any:
        return super().dump(obj.replace("\0", "") if "\0" in obj else obj)


class _Number(Loader):
    """Sums of integers are of the type numeric."""

    def load(self, data: Any) -> int | float:
        number = Decimal(bytes(data).decode())
        return int(number) if number == number.to_integral_value() else float(number)


class _Truth(Loader):
    def load(self, data: Any) -> int:
        return int(bytes(data) == b"t")


class _AsText(Loader):
    def load(self, data: Any) -> str:
        return bytes(data).decode()


def adapt(connection: Connection[Any]) -> None:
    """Make a connection take and give values as SQLite's does."""
    dumpers: tuple[tuple[type, type[Dumper]], ...] = (
        (int, _Integer),
        (bool, _Integer),
        (str, _Text),
    )
    for of, dumper in dumpers:
        connection.adapters.register_dumper(of, dumper)
    for name, loader in (
        ("numeric", _Number),
        ("bool", _Truth),
        ("json", _AsText),
        ("jsonb", _AsText),
    ):
        connection.adapters.register_loader(name, loader)
