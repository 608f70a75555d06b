"""A migration whose first line says that earlier programs can go on does only what they can
go on with.
"""

from pathlib import Path

import pytest

from svc.domain.partners.erase import _WAYS
from svc.store.engine import schema
from svc.store.engine.sqlite_driver import sqlite3
from tests.support.releases import ROLLING
from tests.support.rolling_rule import _OF_A_PARTNER, Rule, statements

pytestmark = pytest.mark.sqlite("describes migrations by SQLite's tables")

OLDEST = Path(__file__).parent / "released" / f"schema-{schema.OLDEST}.sql"


def judged() -> dict[int, list[str]]:
    """The objections to each migration, whether it is marked or not."""
    connection, found = sqlite3.connect(":memory:"), {}
    connection.executescript(OLDEST.read_text("utf-8"))
    for number, file in schema.list_migrations().items():
        script = file.read_text("utf-8")
        found[number] = Rule(connection).objections(script)
        connection.executescript(script)
    connection.close()
    return found


def test_earlier_programs_can_go_on_after_each_migration_that_says_so():
    objections = judged()
    assert {
        number: objections[number]
        for number, file in schema.list_migrations().items()
        if schema.is_rolling(file)
    } == {
        number: [] for number, file in schema.list_migrations().items() if schema.is_rolling(file)
    }


def test_migrations_of_the_past_are_told_apart():
    objections = judged()
    # REFERENCES accounts (id)
    assert [number for number in (25, 51, 52, 53, 66, 67) if objections[number]] == [25]
    # rows are written, or tables made anew
    assert all(objections[number] for number in (29, 65, 68))


@pytest.fixture
def rule():
    connection = sqlite3.connect(":memory:")
    connection.executescript(schema.SCHEMA.read_text("utf-8"))
    yield Rule(connection)
    connection.close()


TRIGGER = "CREATE TRIGGER t AFTER INSERT ON {} BEGIN {} END;"


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("UPDATE accounts SET name = 'x';", "does more"),
        ("DROP TABLE accounts;", "does more"),
        ("ALTER TABLE accounts RENAME COLUMN name TO title;", "does more"),
        ("ALTER TABLE accounts DROP COLUMN music;", "does more"),
        ("DROP INDEX accounts_by_partner;", "does more"),
        ("INSERT INTO meta (name, value) VALUES ('a', 'b');", "does more"),
        ("ALTER TABLE accounts ADD COLUMN x TEXT NOT NULL;", "leave it empty"),
        ("ALTER TABLE accounts ADD COLUMN x TEXT NOT NULL DEFAULT NULL;", "leave it empty"),
        ("ALTER TABLE accounts ADD COLUMN x TEXT CHECK (x = name);", "must agree"),
        (
            "ALTER TABLE accounts ADD COLUMN x TEXT REFERENCES users (id);",
            "could not remove rows of users",
        ),
        (
            "CREATE TABLE t (account_id TEXT REFERENCES accounts (id)) STRICT;",
            "could not remove rows of accounts",
        ),
        ("CREATE TABLE t (id TEXT PRIMARY KEY) STRICT;", "would not find a partner's rows"),
        ("CREATE UNIQUE INDEX i ON accounts (name);", "must be unique"),
        (TRIGGER.format("accounts", "SELECT RAISE(ABORT, 'no');"), "what is refused"),
        (TRIGGER.format("accounts", "UPDATE customers SET name = 'x';"), "change by themselves"),
    ],
)
def test_what_earlier_programs_cannot_go_on_with_is_seen(rule, script, why):
    assert [why in each for each in rule.objections(ROLLING + script)] == [True]


@pytest.mark.parametrize(
    "script",
    [
        ROLLING,
        "ALTER TABLE accounts ADD COLUMN x TEXT REFERENCES users (id) ON DELETE SET NULL;",
        "ALTER TABLE accounts ADD COLUMN x INTEGER NOT NULL DEFAULT 0 CHECK (x IN (0, 1));",
        (
            "CREATE TABLE t (account_id TEXT, x TEXT) STRICT; CREATE UNIQUE INDEX i ON t (x); "
            "ALTER TABLE t ADD COLUMN y TEXT;"
        ),
        "CREATE TABLE t (account_id TEXT) STRICT;"
        + TRIGGER.format(
            "accounts",
            "INSERT INTO t (account_id) VALUES (new.id); DELETE FROM t WHERE account_id = 'x';",
        ),
    ],
)
def test_what_only_adds_is_let_pass(rule, script):
    assert rule.objections(script) == []


def test_a_script_falls_into_its_statements():
    trigger = TRIGGER.format("accounts", "SELECT 1; SELECT 2;")
    assert statements(f"-- a; b\nSELECT 1;{trigger}\nSELECT 3;\n") == [
        "SELECT 1;",
        trigger,
        "SELECT 3;",
    ]


def test_the_columns_by_which_a_partner_is_found_are_those_of_the_erasure():
    assert [column for column, _ in _WAYS if column not in _OF_A_PARTNER] == []
    assert _OF_A_PARTNER.count("_id") == len(_WAYS)
