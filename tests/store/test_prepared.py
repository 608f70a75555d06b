"""Queries that peewee writes once: what they run as, and that each of them is a statement
of both databases.
"""

import importlib
import json
import pkgutil
import re

import pytest

import svc.domain
import svc.store
from svc.store.database import db
from svc.store.engine import compiling
from svc.store.expressions import (
    SQL,
    elements,
    fn,
    greatest,
    is_not_true,
    json_object,
    least,
    position_of,
)
from svc.store.models.partners import Account, Lexicon, Partner
from svc.store.models.service import NamedValue
from svc.store.queries import Insertion, Prepared, slot, slots

NAME = Prepared(NamedValue.select(NamedValue.value).where(NamedValue.name == slot("name")))
PUT = Prepared(
    NamedValue.insert(slots("name", "value")).on_conflict(
        conflict_target=[NamedValue.name], preserve=[NamedValue.value]
    )
)


def prepared() -> list[tuple[str, Prepared]]:
    """The prepared queries of every module of the domain and the store, by name."""
    queries = {}
    for package in (svc.domain, svc.store):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            module = importlib.import_module(found.name) if ".postgres" not in found.name else None
            for name, value in vars(module).items() if module else ():
                value = value.make_query(2) if isinstance(value, Insertion) else value
                listed = (
                    value.values()
                    if isinstance(value, dict)
                    else value
                    if isinstance(value, list | tuple)
                    else [value]
                )
                queries |= {
                    id(each): (f"{found.name}.{name}", each)
                    for each in listed
                    if isinstance(each, Prepared)
                }
    return sorted(queries.values(), key=lambda named: named[0])


def test_each_query_is_a_statement_of_the_database_and_has_the_columns_of_its_rows(app):
    queries = prepared()
    assert len(queries) > 300
    for name, query in queries:
        sql = query.sql(None)
        names = compiling.compile_for_sqlite(query.query)[1]
        values = dict.fromkeys(names) if all(names) else [None] * len(names)
        try:
            db.rows(_explained(sql), values)
        except db.Error as failed:
            raise AssertionError(f"{name}: {failed}: {sql}") from failed
        # A migration may add a column meanwhile: PostgreSQL then refuses a prepared statement that
        # selects all of them.
        assert not re.search(r"(\b(SELECT|DISTINCT|RETURNING)\s+|,\s*|\.)\*", sql), (
            f"{name}: name the columns: {sql}"
        )
        if query.kind is not None:
            assert columns(query) == list(query.kind.__annotations__) or set(
                columns(query)
            ) == keys(query.kind), name


def _explained(sql: str) -> str:
    explained = f"EXPLAIN {sql}"
    return type(sql)(explained, sql.names) if hasattr(sql, "names") else explained


def keys(kind: type) -> set[str]:
    return set(kind.__required_keys__ | kind.__optional_keys__)


def columns(query: Prepared) -> list[str]:
    """The names of the columns that a query returns."""
    selected = getattr(query.query, "_returning", None) or ()
    return [
        getattr(each, "_alias", None) or getattr(each, "column_name", None) or each.name
        for each in selected
    ]


def test_a_value_is_written_and_read_back(app):
    with db.transaction():
        assert PUT.execute(name="x", value="it's 100 %") == 1
        PUT.execute_many([{"name": "x", "value": "a"}, {"name": "y", "value": "b"}])
    assert (NAME.value(name="x"), NAME.row(name="y")["value"], NAME.row(name="z")) == (
        "a",
        "b",
        None,
    )
    with pytest.raises(LookupError, match="no row for SELECT"):
        NAME.one(name="z")


INSERT = Insertion(
    [NamedValue.value, NamedValue.name],
    conflict_target=[NamedValue.name],
    preserve=[NamedValue.value],
)
VALUES = Prepared(
    NamedValue.select(NamedValue.name, NamedValue.value).where(NamedValue.name.startswith("row"))
)


@pytest.mark.parametrize("number", [0, 1, 3, 64, 65, 150])
def test_many_rows_are_inserted_by_few_statements(app, number, monkeypatch):
    statements, execute = [], db.execute
    monkeypatch.setattr(
        db,
        "execute",
        lambda sql, values: statements.append(sql) or execute(sql, values),
    )
    with db.transaction():
        INSERT.execute([(f"it's {place} %", f"row{place}") for place in range(number)])
    assert len(statements) == {0: 0, 1: 1, 3: 3, 64: 1, 65: 2, 150: 2 + 1 + 1 + 2}[number]
    assert {row["name"]: row["value"] for row in VALUES.rows()} == {
        f"row{place}": f"it's {place} %" for place in range(number)
    }


def test_a_row_that_is_there_is_replaced_as_the_insertion_says(app):
    with db.transaction():
        INSERT.execute([("old", "row")])
        INSERT.execute([("new", "row")])
    assert [row["value"] for row in VALUES.rows()] == ["new"]


def test_an_insertion_leaves_other_columns_to_the_table():
    query = (
        Insertion([Partner.id, Partner.name]).make_query(1).query
    )  # the status and others have defaults
    assert (
        compiling.compile_for_sqlite(query)[0]
        == 'INSERT INTO "partners" ("id", "name") VALUES (?, ?)'
    )


def test_a_query_that_changes_rows_wants_a_transaction(app):
    with pytest.raises(RuntimeError, match="inside a transaction"):
        PUT.execute(name="x", value="y")


@pytest.mark.parametrize("values", [{}, {"name": "x", "value": "y"}])
def test_each_slot_wants_its_value_and_no_other(app, values):
    with pytest.raises(TypeError, match=f"{len(values)} values for 1 slots"):
        NAME.row(**values)


def test_what_a_call_gives_is_never_part_of_the_statement(app):
    hostile = "x' OR '1' = '1"
    with db.transaction():
        PUT.execute(name=hostile, value=hostile)
    assert NAME.value(name=hostile) == hostile
    constant = Prepared(NamedValue.select(NamedValue.value).where(NamedValue.name == hostile))
    assert constant.value() == hostile


def test_constants_stand_in_the_text_and_slots_are_parameters():
    query = Account.select(Account.id).where(
        (Account.name == slot("name")) & Account.status.in_(("it's", "50 %"))
    )
    text = (
        'SELECT "t1"."id" FROM "accounts" AS "t1" WHERE (("t1"."name" = {}) '
        "AND (\"t1\".\"status\" IN ('it''s', '50 {}')))"
    )
    assert compiling.compile_for_sqlite(query) == (text.format(":name", "%"), ["name"])
    assert compiling.compile_for_postgres(query) == (text.format("%s", "%%"), ["name"])


def test_bytes_are_no_constant():
    with pytest.raises(TypeError, match="in a slot"):
        compiling.compile_for_sqlite(Account.select(Account.id).where(Account.name == b"x"))


def test_what_the_databases_say_differently_means_the_same(app):
    query = Prepared(
        NamedValue.select(
            greatest(2, slot("number")),
            least(2, slot("number")),
            position_of("c", "abc"),
            position_of("x", "abc"),
            fn.count(NamedValue.name),
        ).where(NamedValue.name.in_(elements(slot("names"))))
    )
    with db.transaction():
        PUT.execute_many([{"name": name, "value": ""} for name in ("a", 'b"', "c")])
    assert tuple(query.one(number=3, names='["a", "b\\"", "x"]')) == (3, 2, 3, 0, 2)


def test_a_condition_that_is_unknown_is_not_true(app):
    query = Prepared(
        NamedValue.select(fn.count(SQL("1"))).where(is_not_true(slot("text").cast("text") == "a"))
    )
    rows = [query.value(text=text) for text in ("a", "b", None)]
    assert rows[0] == 0 and rows[1] == rows[2] == query.value(text="c") > 0


def test_values_of_a_row_become_a_json_object(app):
    with db.transaction():
        PUT.execute(name="x", value="it's 100 %")
    query = Prepared(
        NamedValue.select(
            json_object(theName=NamedValue.name, value=NamedValue.value).cast("text")
        ).where(NamedValue.name == "x")
    )
    assert json.loads(query.value()) == {"theName": "x", "value": "it's 100 %"}


def test_of_many_values_a_query_takes_those_that_have_a_slot(app):
    assert NAME.select_values({"name": "x", "value": "y"}) == {"name": "x"}


def test_a_column_of_another_table_is_no_column_of_the_query():
    assert columns(
        Prepared(Lexicon.select(Lexicon.entries, fn.count(Lexicon.account_id).alias("n")))
    ) == ["entries", "n"]


def test_a_query_is_written_again_for_another_engine(app, monkeypatch):
    engine, query = type(db), Prepared(NAME.query)
    assert "/* another */" not in query.sql(None)
    another = {"compiled": lambda self, query: ("/* another */", ["name"])}
    monkeypatch.setattr(db, "__class__", type("Another", (engine,), another))
    assert query.sql({"name": "x"}) == "/* another */"
    monkeypatch.setattr(db, "__class__", engine)
    assert query.sql(None).startswith("SELECT")
