"""Queries of rows that are given as JSON or as constants, of a named index,
and over separate connections.
"""

import json
from contextlib import closing
from typing import TypedDict

from svc.store.database import db
from svc.store.engine import compiling, schema
from svc.store.engine.sqlite_driver import sqlite3
from svc.store.expressions import (
    JOIN,
    SQL,
    JsonLists,
    JsonTexts,
    indexed,
    json_list,
    json_list_of_rows,
    table_of_constants,
)
from svc.store.models.partners import Account
from svc.store.models.service import NamedValue
from svc.store.queries import Prepared, slot, slots

NAMED_SO = NamedValue.name == slot("name")
VALUE = Prepared(NamedValue.select(NamedValue.value).where(NAMED_SO))
PUT = Prepared(NamedValue.insert(slots("name", "value")))


class Named(TypedDict):
    name: str
    value: str


def test_the_lists_of_a_json_list_are_rows(app):
    lists = JsonLists(slot("lists"), "given")
    columns = (lists.text(0), lists.integer(1), lists.number(2))
    given = Prepared(lists.select(*columns).order_by(SQL("1")))
    found = given.rows(lists='[["it\'s", 7, 0.5], ["b", null, null]]')
    assert [tuple(row) for row in found] == [("b", None, None), ("it's", 7, 0.5)]


def test_texts_of_a_json_list_and_constants_are_rows(app):
    texts, levels = JsonTexts(slot("texts"), "given"), table_of_constants("levels", "level", (2, 1))
    query = texts.select(texts.c.value, levels.c.level).join(levels, JOIN.CROSS).with_cte(levels)
    found = Prepared(query.order_by(SQL("1"), SQL("2"))).rows(texts='["b", "a"]')
    assert [tuple(row) for row in found] == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]


def test_rows_become_a_json_list(app):
    pair = json_list(NamedValue.name, 1)
    pairs = Prepared(NamedValue.select(json_list_of_rows(pair)).where(NAMED_SO))
    assert json.loads(pairs.value(name="x")) == []
    with db.transaction():
        PUT.execute(name="x", value="y")
    assert json.loads(pairs.value(name="x")) == [["x", 1]]


def test_a_table_is_read_by_a_named_index_in_sqlite_alone():
    query = Account.select(Account.id).from_(indexed(Account, "accounts_by_customer"))
    [sqlite, _], [postgres, _] = (
        compiling.compile_for_sqlite(query),
        compiling.compile_for_postgres(query),
    )
    assert sqlite == f"{postgres} INDEXED BY accounts_by_customer"


def test_a_query_reads_over_a_separate_connection(app):
    with db.transaction():
        PUT.execute(name="x", value="y")
    with db.separate_connection() as connection:
        assert [row["value"] for row in VALUE.rows_by(connection, name="x")] == ["y"]


def test_a_query_reads_a_file_of_sqlite_whatever_database_is_open(app):
    typed = Prepared(NamedValue.select().where(NAMED_SO), Named)
    with closing(sqlite3.connect(":memory:")) as connection:  # its rows are plain tuples
        connection.executescript(schema.SCHEMA.read_text("utf-8"))
        PUT.execute_many_by(connection, [{"name": "x", "value": "y"}])
        assert typed.rows_by(connection, name="x") == [{"name": "x", "value": "y"}]
