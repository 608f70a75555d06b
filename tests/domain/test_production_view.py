"""The production object: each field is declared once, beside its column or its function."""

from typing import Annotated, TypedDict, get_type_hints

import pytest

from svc.base.api_fields import Kind, list_shown_columns, shown
from svc.domain.productions import view
from svc.store.models.productions import Production, ShownProduction

NAMES = [field.shown.name for field in view.FIELDS]


class Row(TypedDict):
    parts: Annotated[str | None, shown("partIds", Kind.IDENTIFIERS, "Its parts.")]
    private: str
    begun_at: Annotated[int | None, shown("begunAt", Kind.TIME, "When it began.")]
    is_new: Annotated[int, shown("isNew", Kind.FLAG, "Whether it is new.")]
    title: Annotated[str, shown("title", Kind.TEXT, "What it is called.")]


def test_a_column_is_shown_as_its_declaration_says():
    found = list_shown_columns(Row)
    assert list(found) == ["parts", "begun_at", "is_new", "title"]
    assert [is_nullable for _, is_nullable in found.values()] == [False, True, False, False]
    assert found["begun_at"][0].convert(0) == "1970-01-01T00:00:00.000Z"
    assert found["is_new"][0].convert(1) is True and found["title"][0].convert is None
    convert = found["parts"][0].convert
    assert [convert(None), convert('["a"]')] == [[], ["a"]]


def test_every_answer_has_the_declared_fields_in_their_order(partner):
    account = partner.get("/v1/accounts").json["data"][0]
    brief = {"topic": "Tea", "language": "en", "country": "US"}
    brief["avatarId"] = account["avatars"][0]["avatarId"]
    address = f"/v1/accounts/{account['accountId']}/productions"
    triggered = partner.post(address, json=brief).json
    assert list(triggered) == NAMES
    assert [*partner.get(f"/v1/productions/{triggered['productionId']}").json] == [*NAMES, "steps"]
    assert [list(each) for each in partner.get(address).json["data"]] == [NAMES]


def test_the_document_describes_the_declared_fields_in_their_order(app):
    document = app.test_client().get("/openapi.json").json
    described = document["components"]["schemas"]["Production"]["properties"]
    assert list(described) == NAMES
    for field in view.FIELDS:
        said = described[field.shown.name]
        assert said["description"] == field.shown.description
        is_null = "null" in str(said.get("type")) or {"type": "null"} in said.get("anyOf", ())
        assert is_null is field.is_nullable, field.shown.name


def test_a_computed_field_takes_one_function_and_follows_the_one_it_names(monkeypatch):
    monkeypatch.setattr(view, "_fields", list(view._fields))

    @view.computed(shown("age", Kind.COUNT, "Its age."), after="createdAt")
    def compute_age(row: ShownProduction) -> int | None:
        return 3

    @view.computed(shown("end", Kind.TEXT, "Its end."))
    def find_end(row: ShownProduction) -> str:
        return ""

    named = {field.shown.name: field for field in view._fields}
    names = list(named)
    assert names[names.index("createdAt") + 1] == "age" and names[-1] == "end"
    assert [named[name].is_nullable for name in ("age", "end")] == [True, False]
    with pytest.raises(ValueError, match="age"):
        view.computed(shown("age", Kind.COUNT, "Again."))(compute_age)


def test_a_declared_column_is_one_of_the_table():
    assert get_type_hints(ShownProduction).keys() <= Production._meta.fields.keys()
