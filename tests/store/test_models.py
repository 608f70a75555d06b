"""The models are the tables of ``schema.sql``, in both databases."""

import importlib
import pkgutil

import peewee
import pytest
from support import plain_sql
from support.tables import each_of

from svc.domain.partners import create as create_partner
from svc.store import catalog, models
from svc.store.database import Row, db
from svc.store.models.partners import Account
from svc.store.models.table import Table
from svc.store.queries import Prepared
from svc.store.sqlite.engine import SqliteEngine
from tests.support.documents import require_names

for _module in pkgutil.iter_modules(models.__path__, f"{models.__name__}."):
    importlib.import_module(_module.name)
MODELS = sorted(Table.__subclasses__(), key=lambda model: model.__name__)
TYPES = {
    peewee.TextField: "TEXT",
    peewee.BigIntegerField: "INTEGER",
    peewee.BigAutoField: "INTEGER",
    peewee.DoubleField: "REAL",
    peewee.BlobField: "BLOB",
}
OF_SQLITE = """
    SELECT name, type, "notnull" OR pk AS filled, dflt_value AS initial
    FROM pragma_table_info(:name) ORDER BY cid
"""
OF_POSTGRES = """
    SELECT column_name AS name, is_nullable = 'NO' AS filled, column_default AS initial,
        CASE data_type
        WHEN 'bigint' THEN 'INTEGER' WHEN 'double precision' THEN 'REAL' WHEN 'bytea' THEN 'BLOB'
        ELSE 'TEXT' END AS type
    FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name = :name AND column_name <> 'rowid'
    ORDER BY ordinal_position
"""
REFERENCES_OF_SQLITE = """
    SELECT "from" AS name, "table" AS "to", on_delete FROM pragma_foreign_key_list(:name)
"""
REFERENCES_OF_POSTGRES = """
    SELECT a.attname AS name, r.relname AS "to",
           CASE c.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'a' THEN 'NO ACTION' END AS on_delete
    FROM pg_constraint c JOIN pg_class r ON r.oid = c.confrelid
    JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
    WHERE c.conrelid = to_regclass(:name) AND c.contype = 'f'
"""
UNIQUE_OF_SQLITE = """
    SELECT c.name FROM pragma_index_list(:name) i JOIN pragma_index_info(i.name) c
    WHERE i.origin = 'u'
"""
UNIQUE_OF_POSTGRES = """
    SELECT a.attname AS name FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid
    AND a.attnum = c.conkey[1]
    WHERE c.conrelid = to_regclass(:name) AND c.contype = 'u'
"""


def of(model, sqlite: str, postgres: str) -> list[Row]:
    is_sqlite = isinstance(db, SqliteEngine)
    return plain_sql.rows(sqlite if is_sqlite else postgres, {"name": model._meta.table_name})


def initial(text: str | None) -> str | None:
    """The default of a column without its quotes and, in PostgreSQL, its type."""
    if text is None or text.startswith("nextval("):
        return None
    value = text.partition("::")[0].strip("'")
    return str(float(value)) if "." in value else value


def type_of(field: peewee.Field) -> str:
    return TYPES[type(field.rel_field if isinstance(field, peewee.ForeignKeyField) else field)]


def test_each_table_has_a_model(app):
    named = [model._meta.table_name for model in MODELS]
    require_names("models in svc/store/models", named, catalog.list_tables())


@each_of("model", MODELS)
def test_a_model_is_its_table(app, model):
    fields = {field.column_name: field for field in model._meta.sorted_fields}
    assert all(field.name == name for name, field in fields.items())
    table = {row["name"]: row for row in of(model, OF_SQLITE, OF_POSTGRES)}
    require_names(f"schema.sql, the columns of {model._meta.table_name}", table, fields)
    for name, field in fields.items():
        assert (type_of(field), field.null) == (table[name]["type"], not table[name]["filled"]), (
            name
        )
        default = None if field.default is None else str(field.default)
        if default != initial(table[name]["initial"]):
            assert float(default) == float(initial(table[name]["initial"])), name
    keys = model._meta.get_primary_keys() if model._meta.primary_key is not False else ()
    there = [name for name in catalog.find_primary_key(model._meta.table_name) if name != "rowid"]
    assert [field.column_name for field in keys] == there
    references = {
        (field.column_name, field.rel_model._meta.table_name, field.on_delete or "NO ACTION")
        for field in fields.values()
        if isinstance(field, peewee.ForeignKeyField)
    }
    assert references == {
        tuple(row) for row in of(model, REFERENCES_OF_SQLITE, REFERENCES_OF_POSTGRES)
    }
    unique = {field.column_name for field in fields.values() if field.unique}
    assert unique == {row["name"] for row in of(model, UNIQUE_OF_SQLITE, UNIQUE_OF_POSTGRES)}


def test_what_a_model_makes_is_undone_with_its_transaction(app, partner, clock):
    with pytest.raises(ZeroDivisionError), db.transaction():
        customer = create_partner.create_customer(partner.seeded["partnerId"], "x", clock())
        create_partner.create_account(partner.seeded["partnerId"], customer, "x", clock())
        raise ZeroDivisionError
    assert len(Prepared(Account.select(Account.id)).rows()) == 2
