"""The models are the tables of schema.sql."""

import pytest

from svc.domain.partners import create as create_partner
from svc.store import database
from svc.store.models import MODELS, Account


@pytest.mark.sqlite("reads the pragmas; test_postgres_schema compares the tables of both")
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_a_model_has_the_columns_of_its_table(app, model):
    table = {row["name"]: row for row in database.rows(f"PRAGMA table_info({model._meta.table_name})")}
    fields = {field.column_name: field for field in model._meta.sorted_fields}
    assert set(fields) == set(table)
    for name, field in fields.items():
        assert field.null == (not table[name]["notnull"] and not table[name]["pk"]), name
        default = table[name]["dflt_value"]
        ours = None if field.default is None else str(field.default)
        assert ours == (default and default.strip("'")), name
    keys = model._meta.get_primary_keys()
    assert [field.column_name for field in keys] == [name for name, row in table.items() if row["pk"]]


def test_what_a_model_makes_is_undone_with_its_transaction(app, partner, clock):
    with pytest.raises(ZeroDivisionError), database.write():
        customer = create_partner.create_customer(partner.seeded["partnerId"], "x", clock())
        create_partner.create_account(partner.seeded["partnerId"], customer, "x", clock())
        raise ZeroDivisionError
    assert Account.select().count() == 2
