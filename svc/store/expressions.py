"""Parts of queries: peewee's own, and one expression for each thing that SQLite and
PostgreSQL say differently.
"""

from collections.abc import Iterable
from typing import Any

import peewee
from peewee import CTE, EXCLUDED, JOIN, SQL, Case, Select, Tuple, Value, fn

from svc.store.engine.compiling import Writer

__all__ = [
    "CTE", "EXCLUDED", "JOIN", "LAST_CHARACTER", "SQL", "Case", "JsonLists", "JsonTexts", "Select",
    "Tuple", "Value", "elements", "fn", "greatest", "indexed", "is_distinct", "is_not_true",
    "is_same", "is_subset", "json_list", "json_list_of_rows", "json_object", "least", "named_table",
    "position_of", "rowid", "rows_of_each", "table_of_constants",
]  # fmt: skip

# A text that begins with another is sorted before that one with this character added.
LAST_CHARACTER = "\U0010ffff"


class _Either(peewee.ColumnBase):
    """An expression that each database has in its own words."""

    def __init__(self, sqlite: peewee.Node, postgres: peewee.Node):
        self._sqlite, self._postgres = sqlite, postgres

    def __sql__(self, context: Any) -> Any:
        is_postgres = isinstance(context, Writer) and context.is_postgres
        return context.sql(self._postgres if is_postgres else self._sqlite)


def named_table(name: str) -> Any:
    """Return a table that the database itself names (svc.store.catalog),
    whose columns are those of ``.c``.
    """
    return peewee.Table(name)


def greatest(*values: Any) -> peewee.ColumnBase:
    """Return the largest of values of a row, none of which may be NULL."""
    return _Either(fn.max(*values), fn.greatest(*values))


def least(*values: Any) -> peewee.ColumnBase:
    """Return the smallest of values of a row, none of which may be NULL."""
    return _Either(fn.min(*values), fn.least(*values))


def position_of(part: Any, text: Any) -> peewee.ColumnBase:
    """Return at which character a text has a part; 0: nowhere."""
    return _Either(fn.instr(text, part), fn.strpos(text, part))


def elements(list_of_texts: Any) -> peewee.ColumnBase:
    """Return the elements of a JSON list of texts,
    for IN: ``column.in_(elements(slot("ids")))``.
    """
    each = fn.jsonb_array_elements_text(peewee.Cast(list_of_texts, "jsonb"))
    listed = peewee.NodeList(
        (SQL("(SELECT value FROM "), fn.json_each(list_of_texts), SQL(")")), glue=""
    )
    return _Either(listed, peewee.NodeList((SQL("(SELECT "), each, SQL(")")), glue=""))


def is_subset(listed: Any, allowed: Any) -> peewee.ColumnBase:
    """Return the condition that each element of a JSON list of texts is one of another list."""
    begin, middle, end = SQL("NOT EXISTS (SELECT 1 FROM "), SQL(" WHERE value NOT IN "), SQL(")")
    others = peewee.NodeList((begin, fn.json_each(listed), middle, elements(allowed), end), glue="")
    contained = peewee.Expression(peewee.Cast(listed, "jsonb"), "<@", peewee.Cast(allowed, "jsonb"))
    return _Either(others, contained)


class JsonLists(peewee.Source):
    """The lists that a JSON list has as elements, as rows to
    select from: ``JsonLists(slot("ended"), "ended")``.
    """

    def __init__(self, lists: peewee.Node, alias: str):
        super().__init__(alias=alias)
        self._lists = lists

    def text(self, place: int) -> Any:
        """Return the column of the texts, or NULLs, at a place of the lists, counted from 0."""
        return peewee.Expression(peewee.Column(self, "value"), "->>", place)

    def integer(self, place: int) -> Any:
        """Return the column of integers in the same way."""
        return peewee.Cast(self.text(place), "BIGINT")

    def number(self, place: int) -> Any:
        """Return the column of floating-point numbers in the same way."""
        return peewee.Cast(self.text(place), "DOUBLE PRECISION")

    def _each(self, lists: peewee.Node) -> peewee.Node:
        return fn.jsonb_array_elements(lists)

    def __sql__(self, context: Any) -> Any:
        if context.scope != peewee.SCOPE_SOURCE:
            return self.apply_column(context)  # type: ignore[no-untyped-call]
        each = self._each(peewee.Cast(self._lists, "jsonb"))
        with context.scope_normal():
            context.sql(_Either(fn.json_each(self._lists), each))
        self.apply_alias(context)  # type: ignore[no-untyped-call]
        return context.sql(_Either(SQL(""), SQL(" (value)")))  # the name of its column


class JsonTexts(JsonLists):
    """The texts of a JSON list as rows, whose column is ``c.value``."""

    def _each(self, lists: peewee.Node) -> peewee.Node:
        return fn.jsonb_array_elements_text(lists)


def json_list(*values: Any) -> peewee.ColumnBase:
    """Return values of a row as a JSON list."""
    return _Either(fn.json_array(*values), fn.jsonb_build_array(*values))


def json_list_of_rows(value: Any) -> peewee.ColumnBase:
    """Return a value of all rows as a JSON list, as text."""
    every = fn.coalesce(fn.jsonb_agg(value), SQL("'[]'"))
    return peewee.Cast(_Either(fn.json_group_array(value), every), "text")


def json_object(**values: Any) -> peewee.ColumnBase:
    """Return values of a row as a JSON object."""
    pairs = [each for pair in values.items() for each in pair]
    return _Either(fn.json_object(*pairs), fn.jsonb_build_object(*pairs))


def table_of_constants(name: str, column: str, values: Iterable[int | str]) -> peewee.CTE:
    """Return a table of constants for WITH, which has one column."""
    return peewee.CTE(name, peewee.ValuesList([(value,) for value in values]), columns=(column,))


class _Indexed(peewee.Node):
    def __init__(self, model: Any, index: str):
        self._model, self._hint = model, SQL(f" INDEXED BY {index}")

    def __sql__(self, context: Any) -> Any:
        return context.sql(self._model).sql(_Either(self._hint, SQL("")))


def indexed(model: Any, index: str) -> peewee.Node:
    """Return a table for from_() that SQLite reads by an index; PostgreSQL needs no hint."""
    return _Indexed(model, index)


def is_distinct(left: Any, right: Any) -> peewee.Expression:
    """Return the condition that two values differ, where NULL is a value like others."""
    return peewee.Expression(left, "IS DISTINCT FROM", right)


def is_same(left: Any, right: Any) -> peewee.Expression:
    """Return the condition that two values are equal, where NULL is a value like others."""
    return peewee.Expression(left, "IS NOT DISTINCT FROM", right)


def is_not_true(condition: Any) -> peewee.Expression:
    """Return the condition that another one is false, or unknown because a value is NULL."""
    return peewee.Expression(condition, "IS NOT", SQL("TRUE"))


def rows_of_each(outer: Any, rows: Any, alias: Any) -> tuple[peewee.Node, peewee.ColumnBase]:
    """Return the join of each row of ``outer`` with the ids that ``rows``, a query about it,
    selects, and its condition.

    ``alias``: of the joined table, for the query that joins. PostgreSQL would run the condition of
    SQLite for each pair.
    """
    lateral = peewee.NodeList((SQL("LATERAL"), rows.alias(alias.alias)))
    joined = peewee.Join(outer, _Either(alias, lateral), JOIN.CROSS)
    return joined, _Either(alias.id.in_(rows), SQL("TRUE"))


def rowid(table: type[peewee.Model]) -> peewee.ColumnBase:
    """Return the number of a row of a table without a primary key, which grows with every row."""
    return peewee.Column(table._meta.table, "rowid")
