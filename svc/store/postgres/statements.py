"""Translates the domain's SQL, which is written once, for PostgreSQL: parameters, hints, and two names of functions.

Everything else that differs is defined in ``functions.sql``, or is not used by the domain (tests/store/test_portable_sql.py).
"""

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_TOKEN = re.compile(
    r"""
      (?P<text>'(?:[^']|'')*')
    | (?P<comment>--[^\n]*)
    | (?P<hint>\bINDEXED\s+BY\s+\w+)
    | (?P<order>\bCROSS\s+(?=JOIN\s+\w+(\s+(AS\s+)?(?!ON\b|INDEXED\b)\w+)?(\s+INDEXED\s+BY\s+\w+)?\s+ON\b))
    | (?P<number>\?(?P<place>\d*))
    | (?P<name>(?<![:\w]):(?P<key>[a-z_]\w*))
    | (?P<json>\bjson_(?P<kind>object|array)\s*\()
    | (?P<mixed>\b(?<![:"])[a-z]+[A-Z]\w*\b)
    | (?P<percent>%)
    | (?P<integer>\bAS\s+INTEGER\b)
    """,
    re.VERBOSE,
)
_ALL_COLUMNS = re.compile(r"(\b(SELECT|DISTINCT|RETURNING)\s+|,\s*|\.)\*")
_IS_NULL = re.compile(r"\s+IS\s+(NOT\s+)?NULL\b")


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement with psycopg's placeholders, and where the value of each is found; None: in their own order.

    ``takes_all_columns``: whether it selects all columns of a table without their names.
    """

    sql: str
    keys: tuple[Any, ...] | None
    takes_all_columns: bool

    def values(self, parameters: Sequence[Any] | Mapping[str, Any]) -> Sequence[Any]:
        """Return the values in the order of the placeholders."""
        if self.keys is None:
            return parameters  # type: ignore[return-value]
        return [parameters[key] for key in self.keys]


class Compiled(str):
    """A statement that peewee wrote for PostgreSQL, which is not translated. ``names``: of the values of its placeholders."""

    names: tuple[str, ...]

    def __new__(cls, sql: str, names: tuple[str, ...]) -> "Compiled":
        compiled = super().__new__(cls, sql)
        compiled.names = names
        return compiled


def statement_of(sql: str) -> Statement:
    """Return a statement for PostgreSQL, which peewee wrote or which the domain has as SQL."""
    if not isinstance(sql, Compiled):
        return translate(sql)
    return Statement(sql, sql.names if any(sql.names) else None, False)


@functools.lru_cache(maxsize=4096)
def translate(sql: str) -> Statement:
    """Return a statement of the domain for PostgreSQL.

    Each occurrence of a named parameter becomes a parameter of its own, as PostgreSQL infers the type of None by its place.
    """
    keys: list[Any] = []
    numbered = False

    def replace(match: re.Match[str]) -> str:
        nonlocal numbered
        if match["text"] is not None:
            return match["text"].replace("%", "%%")
        if match["comment"] is not None or match["hint"] is not None or match["order"] is not None:
            return ""
        if match["percent"] is not None:
            return "%%"
        if match["integer"] is not None:
            return "AS BIGINT"  # SQLite's integers have 64 bits
        if match["mixed"] is not None:
            return f'"{match["mixed"]}"'  # PostgreSQL would make it small
        if match["json"] is not None:
            return f"json_build_{match['kind']}("
        if match["name"] is not None:
            keys.append(match["key"])
            numbered = True
        else:
            numbered = numbered or bool(match["place"])
            keys.append(int(match["place"]) - 1 if match["place"] else len(keys))
        return "%s::text" if _IS_NULL.match(sql, match.end()) else "%s"

    text = _TOKEN.sub(replace, sql)
    return Statement(text, tuple(keys) if numbered else None, bool(_ALL_COLUMNS.search(text)))
