"""Parts of queries: peewee's own, and one expression for each thing that SQLite and PostgreSQL say differently."""

from typing import Any

import peewee
from peewee import EXCLUDED, JOIN, SQL, Case, Tuple, fn

from svc.store.compiling import Writer

__all__ = [
    "EXCLUDED", "JOIN", "SQL", "Case", "Tuple", "by_index", "elements", "fn", "is_distinct", "is_same", "is_subset", "larger",
    "place_of", "rowid", "rows_of_each", "smaller",
]  # fmt: skip


class _Either(peewee.ColumnBase):
    """An expression that each database has in its own words."""

    def __init__(self, sqlite: peewee.Node, postgres: peewee.Node):
        self._sqlite, self._postgres = sqlite, postgres

    def __sql__(self, context: Any) -> Any:
        is_postgres = isinstance(context, Writer) and context.is_postgres
        return context.sql(self._postgres if is_postgres else self._sqlite)


def larger(*values: Any) -> peewee.ColumnBase:
    """Return the largest of values of a row, none of which may be NULL."""
    return _Either(fn.max(*values), fn.greatest(*values))


def smaller(*values: Any) -> peewee.ColumnBase:
    """Return the smallest of values of a row, none of which may be NULL."""
    return _Either(fn.min(*values), fn.least(*values))


def place_of(part: Any, text: Any) -> peewee.ColumnBase:
    """Return at which character a text has a part; 0: nowhere."""
    return _Either(fn.instr(text, part), fn.strpos(text, part))


def elements(list_of_texts: Any) -> peewee.ColumnBase:
    """Return the elements of a JSON list of texts, for IN: ``column.in_(elements(slot("ids")))``."""
    each = fn.jsonb_array_elements_text(peewee.Cast(list_of_texts, "jsonb"))
    listed = peewee.NodeList((SQL("(SELECT value FROM "), fn.json_each(list_of_texts), SQL(")")), glue="")
    return _Either(listed, peewee.NodeList((SQL("(SELECT "), each, SQL(")")), glue=""))


def is_subset(listed: Any, allowed: Any) -> peewee.ColumnBase:
    """Return whether each element of a JSON list of texts is one of another list."""
    begin, middle, end = SQL("NOT EXISTS (SELECT 1 FROM "), SQL(" WHERE value NOT IN "), SQL(")")
    others = peewee.NodeList((begin, fn.json_each(listed), middle, elements(allowed), end), glue="")
    contained = peewee.Expression(peewee.Cast(listed, "jsonb"), "<@", peewee.Cast(allowed, "jsonb"))
    return _Either(others, contained)


def is_distinct(left: Any, right: Any) -> peewee.Expression:
    """Return whether two values differ, where NULL is a value like others."""
    return peewee.Expression(left, "IS DISTINCT FROM", right)


def is_same(left: Any, right: Any) -> peewee.Expression:
    """Return whether two values are equal, where NULL is a value like others."""
    return peewee.Expression(left, "IS NOT DISTINCT FROM", right)


def by_index(table: Any, name: str) -> peewee.Node:
    """Return a table for FROM, which SQLite reads by an index; PostgreSQL, which chooses by its statistics, takes no hint."""
    return _Either(peewee.NodeList((table, SQL(f"INDEXED BY {name}"))), table)


def rows_of_each(outer: Any, rows: Any, alias: Any) -> tuple[peewee.Node, peewee.ColumnBase]:
    """Return the join of each row of ``outer`` with the ids that ``rows``, a query about it, selects, and its condition.

    ``alias``: of the joined table, for the query that joins. PostgreSQL would run the condition of SQLite for each pair.
    """
    lateral = peewee.NodeList((SQL("LATERAL"), rows.alias(alias.alias)))
    joined = peewee.Join(outer, _Either(alias, lateral), JOIN.CROSS)
    return joined, _Either(alias.id.in_(rows), SQL("TRUE"))


def rowid(table: type[peewee.Model]) -> peewee.ColumnBase:
    """Return the number of a row of a table without a primary key, which grows with every row."""
    return peewee.Column(table._meta.table, "rowid")
