"""The domain's SQL as PostgreSQL gets it."""

import pytest

from svc.store.postgres.statements import translate


@pytest.mark.parametrize(
    ("sql", "translated", "values"),
    [
        ("SELECT ? || '?%:a' -- ?", "SELECT %s || '?%%:a' ", ["first"]),
        ("SELECT ?2, ?1, ?2", "SELECT %s, %s, %s", ["second", "first", "second"]),
        ("SELECT a % 2 FROM b", "SELECT a %% 2 FROM b", []),
        ("SELECT a FROM b INDEXED BY c WHERE ? IS NULL", "SELECT a FROM b  WHERE %s::text IS NULL", ["first"]),
        ("SELECT 1 FROM a CROSS JOIN b c ON TRUE CROSS JOIN d", "SELECT 1 FROM a JOIN b c ON TRUE CROSS JOIN d", []),
        ("SELECT a AS mixedCase", 'SELECT a AS "mixedCase"', []),
        ("SELECT json_object('a', json_array(1))", "SELECT json_build_object('a', json_build_array(1))", []),
    ],
)
def test_a_statement_is_translated(sql, translated, values):
    statement = translate(sql)
    assert statement.sql == translated
    assert list(statement.values(("first", "second")))[: len(values)] == values


def test_each_occurrence_of_a_name_is_a_parameter_of_its_own():
    statement = translate("SELECT 1 WHERE :a IS NULL OR b = :a AND c = :d")
    assert (statement.sql, list(statement.values({"a": 1, "d": 2}))) == (
        "SELECT 1 WHERE %s::text IS NULL OR b = %s AND c = %s",
        [1, 1, 2],
    )


def test_integers_have_64_bits():
    assert translate("SELECT CAST(value AS INTEGER) FROM meta").sql == "SELECT CAST(value AS BIGINT) FROM meta"
