"""The schema of release 1.0.0, with what a server wrote under it, becomes the newest one; and
nothing is ever half done.
"""

import fcntl
import functools
import os
import re
import shutil
from contextlib import closing
from pathlib import Path

import peewee
import pytest
from support import plain_sql

from svc.base import outage
from svc.base.errors import StartRefused
from svc.store import database
from svc.store.database import db
from svc.store.engine import schema

pytestmark = pytest.mark.sqlite("PostgreSQL has test_postgres_migrations")

RELEASED = Path(__file__).parent / "released"
NUMBERS = sorted(int(each.stem.removeprefix("schema-")) for each in RELEASED.glob("schema-*.sql"))


def make(path: Path, number: int) -> Path:
    """A database as the release with schema ``number`` left it."""
    connection = peewee.sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = wal")
    connection.executescript((RELEASED / f"schema-{number}.sql").read_text("utf-8"))
    connection.executescript((RELEASED / f"data-{number}.sql").read_text("utf-8"))
    connection.close()
    return path


def record(path: Path, number: int) -> None:
    """Let a database say that its schema has another number."""
    with closing(peewee.sqlite3.connect(path)) as connection:
        schema.record(connection, number)
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def ask(path: Path, sql: str) -> list[tuple]:
    connection = peewee.sqlite3.connect(path)
    found = connection.execute(sql).fetchall()
    connection.close()
    return found


def described(path: Path) -> dict:
    """The tables, columns and indexes of a database, however their statements were spaced,
    commented and ordered.
    """
    found = {}
    for kind, name, sql in ask(
        path, "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"
    ):
        parts, _, end = re.sub(r"--[^\n]*|\s+|\"", "", sql.split("(", 1)[1]).rpartition(")")
        found[kind, name] = sorted(parts.split(",")), end
        if kind == "table":
            columns = ask(
                path,
                (
                    'SELECT name, type, "notnull", dflt_value, pk, hidden '
                    f"FROM pragma_table_xinfo('{name}')"
                ),
            )
            found["columns", name] = sorted(columns, key=str)
    return found


def require_same(migrated: Path, fresh: Path) -> None:
    """Require that a database that was migrated is as a fresh one; the failure says what differs,
    and where it belongs.
    """
    old, new = described(migrated), described(fresh)
    names = {each[1] for each in old.keys() | new.keys() if old.get(each) != new.get(each)}
    assert old == new, (
        f"{', '.join(sorted(names))}: write the same change into schema.sql and into a migration "
        'of svc/store/migrations (docs/contributing.md, "Add a column")'
    )


@pytest.fixture
def fresh(tmp_path) -> Path:
    path = tmp_path / "fresh" / "service.db"
    database.open_database(path)
    db.close()
    return path


@pytest.fixture
def changes(tmp_path) -> Path:
    """A folder for migrations, empty yet."""
    folder = tmp_path / "migrations"
    folder.mkdir()
    return folder


def test_the_oldest_schema_that_is_migrated_is_kept():
    assert NUMBERS[0] == schema.OLDEST < min(schema.list_migrations())
    assert max(NUMBERS) <= schema.VERSION


def test_a_database_of_before_release_1_0_0_is_refused_with_what_to_do(tmp_path):
    path = make(tmp_path / "service.db", schema.OLDEST)
    record(path, schema.OLDEST - 1)
    before = path.read_bytes()
    with pytest.raises(StartRefused) as refused:
        database.open_database(path)
    assert "has schema 20, and this release migrates only from schema 21 on" in str(refused.value)
    assert "start release 1.0.0 with it once, stop it, and start this release" in str(refused.value)
    assert path.read_bytes() == before and not list(tmp_path.glob("*.trial*"))


@pytest.mark.parametrize("number", NUMBERS)
def test_a_released_schema_becomes_that_of_schema_sql(tmp_path, fresh, number):
    path = make(tmp_path / "service.db", number)
    database.open_database(path)
    db.close()
    require_same(path, fresh)
    assert ask(path, "SELECT value FROM meta WHERE name = 'schema_version'") == [
        (str(schema.VERSION),)
    ]
    assert (
        ask(path, "PRAGMA integrity_check") == [("ok",)]
        and ask(path, "PRAGMA foreign_key_check") == []
    )


def test_what_a_migration_forgot_is_seen(tmp_path, fresh):
    path = make(tmp_path / "service.db", NUMBERS[-1])
    database.open_database(path)
    for forgotten in (
        "ALTER TABLE partners ADD COLUMN more TEXT",
        "CREATE INDEX more ON partners (name)",
    ):
        before = described(path)
        with db.transaction():
            plain_sql.execute(forgotten)
        assert described(path) not in (before, described(fresh))
    db.close()


def test_a_column_that_was_added_counts_as_one_that_was_there(tmp_path):
    for name, script in (
        (
            "old.db",
            "CREATE TABLE t (a TEXT PRIMARY KEY, b INTEGER NOT NULL, CHECK (a > b)) STRICT;"
            "ALTER TABLE t ADD COLUMN c TEXT NOT NULL DEFAULT 'x'",
        ),
        (
            "new.db",
            "CREATE TABLE t (\n a TEXT PRIMARY KEY,\n c TEXT NOT NULL DEFAULT 'x', -- new\n"
            " b INTEGER NOT NULL,\n CHECK (a > b)\n) STRICT",
        ),
    ):
        connection = peewee.sqlite3.connect(tmp_path / name)
        connection.executescript(script)
        connection.close()
    assert described(tmp_path / "old.db") == described(tmp_path / "new.db")


@pytest.mark.parametrize("number", NUMBERS)
def test_no_row_is_lost(tmp_path, number):
    path = make(tmp_path / "service.db", number)
    tables = [
        name
        for (name,) in ask(path, "SELECT name FROM sqlite_master WHERE type = 'table'")
        if name[:7] != "sqlite_"
    ]
    before = {name: ask(path, f"SELECT count(*) FROM {name}") for name in tables}
    assert all(count > 0 for [(count,)] in before.values())
    database.open_database(path)
    db.close()
    assert {name: ask(path, f"SELECT count(*) FROM {name}") for name in before} == before


def test_earlier_answers_and_deliveries_to_test_keys_count_as_those_of_sandboxes(
    tmp_path,
):
    path = make(tmp_path / "service.db", schema.OLDEST)
    connection = peewee.sqlite3.connect(path)
    connection.execute(
        "INSERT INTO requests (request_id, partner_id, at, counted, method, path, status_code, "
        "key_prefix, correlation_id)"
        " SELECT 'r', partner_id, at, 1, method, path, 200, (SELECT prefix FROM api_keys "
        "WHERE environment = 'live'), 'c'"
        " FROM requests LIMIT 1"
    )
    connection.commit()
    connection.close()
    [(requests, refused)] = ask(
        path,
        "SELECT count(*), sum(status_code BETWEEN 400 AND 499) FROM requests"
        " WHERE status_code IS NOT NULL AND key_prefix LIKE 'svc_test_%'",
    )
    [(succeeded,)] = ask(
        path,
        (
            "SELECT count(*) FROM deliveries WHERE status = 'Succeeded' "
            "AND event_type <> 'webhook.test'"
        ),
    )
    database.open_database(path)
    db.close()
    sums = ask(
        path,
        (
            "SELECT sum(requests), sum(status4xx), sum(deliveries_succeeded), count(DISTINCT "
            "creator) FROM sandbox_days"
        ),
    )
    assert sums == [(requests, refused, succeeded, 1)] and requests > 5 and succeeded > 0


def test_numbers_may_be_missing_and_their_order_is_that_of_the_numbers(tmp_path, changes):
    path = make(tmp_path / "service.db", schema.OLDEST)
    (changes / "0030_second.sql").write_text(
        "INSERT INTO meta SELECT 'second', value || 'b' FROM meta WHERE name = 'first';"
    )
    (changes / "0023_first.sql").write_text("INSERT INTO meta VALUES ('first', 'a');")
    schema.prepare(path, changes).close()
    assert ask(
        path,
        "SELECT name, value FROM meta WHERE name IN ('second', 'schema_version') ORDER BY name",
    ) == [
        ("schema_version", "30"),
        ("second", "ab"),
    ]


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("CREATE TABLE more (x) ; CREATE TABLE partners (x);", "table partners already exists"),
        ("CREATE TABLE more (x); COMMIT;", "ends the transaction"),
        (
            "PRAGMA defer_foreign_keys = 1; DELETE FROM partners;",
            "refer to rows of partners which do not exist",
        ),
    ],
)
def test_a_migration_that_fails_is_refused_and_the_database_stays_as_it_was(
    tmp_path, changes, script, why
):
    path = make(tmp_path / "service.db", schema.OLDEST)
    (changes / "0022_good.sql").write_text("CREATE TABLE good (x);")
    (changes / "0023_bad.sql").write_text(script)
    before = path.read_bytes()
    with pytest.raises(StartRefused, match=f"0023_bad.sql: .*{why}.* is as it was") as refused:
        schema.prepare(path, changes)
    assert "tried on a copy" in str(refused.value)
    assert path.read_bytes() == before
    assert {each.name for each in tmp_path.glob("service.db*")} <= {
        "service.db",
        "service.db-wal",
        "service.db-shm",
    }


def test_too_little_room_is_said_before_anything_is_tried(tmp_path, changes, monkeypatch):
    path = make(tmp_path / "service.db", schema.OLDEST)
    (changes / "0022_good.sql").write_text("CREATE TABLE good (x);")
    monkeypatch.setattr(
        shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(1 << 30, 1 << 30, 1 << 20)
    )
    with pytest.raises(StartRefused, match="17 MiB on the disk of .*, where 1 MiB are free"):
        schema.prepare(path, changes)
    assert ask(path, "SELECT value FROM meta WHERE name = 'schema_version'") == [("21",)]


def test_a_table_that_others_refer_to_can_be_written_anew(tmp_path, changes):
    path = make(tmp_path / "service.db", schema.OLDEST)
    (changes / "0022_anew.sql").write_text(
        "CREATE TABLE anew (id TEXT PRIMARY KEY, name TEXT NOT NULL) STRICT; INSERT INTO anew "
        "SELECT id, name FROM partners;"
        "DROP TABLE partners; ALTER TABLE anew RENAME TO partners;"
    )
    schema.prepare(path, changes).close()
    assert (
        ask(path, "SELECT count(*) FROM partners") == [(1,)]
        and ask(path, "PRAGMA foreign_key_check") == []
    )


def test_nothing_changes_under_a_process_that_uses_the_database(tmp_path, changes):
    path = make(tmp_path / "service.db", schema.OLDEST)
    (changes / "0022_good.sql").write_text("CREATE TABLE good (x);")
    with (tmp_path / "database.lock").open("a") as used:
        fcntl.flock(used, fcntl.LOCK_SH)
        with pytest.raises(StartRefused, match="another process is using it"):
            schema.prepare(path, changes, patience=0)
    assert ask(path, "SELECT value FROM meta WHERE name = 'schema_version'") == [("21",)]
    schema.prepare(path, changes, patience=0).close()
    assert ask(path, "SELECT value FROM meta WHERE name = 'schema_version'") == [("22",)]


def test_what_is_no_database_is_refused_in_a_sentence(tmp_path):
    (tmp_path / "service.db").write_bytes(os.urandom(8192))
    with pytest.raises(StartRefused, match="cannot be used: file is not a database") as refused:
        database.open_database(tmp_path / "service.db")
    assert str(refused.value).endswith(outage.DAMAGED.mend)
    assert db.peewee_database.is_closed()


def test_a_database_that_is_locked_is_not_said_to_be_damaged(tmp_path, monkeypatch):
    path = make(tmp_path / "service.db", schema.OLDEST)
    impatient = functools.partial(peewee.sqlite3.connect, isolation_level=None, timeout=0)
    monkeypatch.setattr(schema, "_connect", impatient)
    with closing(peewee.sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = exclusive")
        other.execute("BEGIN EXCLUSIVE")
        other.execute("DELETE FROM meta WHERE name = 'nothing'")
        with pytest.raises(StartRefused, match="database is locked") as refused:
            schema.prepare(path)
    assert str(refused.value).endswith(outage.LOCKED.mend)


def test_two_migrations_with_one_number_are_refused(changes):
    for name in ("0022_one.sql", "0022_other.sql"):
        (changes / name).touch()
    with pytest.raises(ValueError, match="the same number"):
        schema.list_migrations(changes)


def test_accounts_keep_their_music_and_later_ones_have_that_of_the_look(tmp_path, changes):
    path = make(tmp_path / "service.db", schema.OLDEST)
    for number, file in schema.list_migrations().items():
        if number < 61:
            shutil.copy(file, changes)
    schema.prepare(path, changes).close()
    connection = peewee.sqlite3.connect(path)
    connection.execute(
        "UPDATE accounts SET music = 'calm' WHERE id = (SELECT min(id) FROM accounts)"
    )
    connection.commit()
    before = connection.execute("SELECT id, music FROM accounts ORDER BY id").fetchall()
    connection.close()
    schema.prepare(path).close()
    assert {music for _, music in before} == {"calm", "none"}
    assert ask(path, "SELECT id, music FROM accounts ORDER BY id") == before
    connection = peewee.sqlite3.connect(path)
    connection.execute(
        "INSERT INTO accounts (id, partner_id, customer_id, name, environment, "
        "default_project_type, created_at)"
        " SELECT 'new', partner_id, customer_id, 'New', environment, 'explainer', 1 FROM accounts"
        " WHERE environment = 'live' LIMIT 1"
    )
    assert connection.execute("SELECT music FROM accounts WHERE id = 'new'").fetchone() == ("look",)
    with pytest.raises(peewee.sqlite3.IntegrityError, match="CHECK"):
        connection.execute("UPDATE accounts SET music = 'loud'")
    connection.close()


def earlier(tmp_path, changes, below: int) -> Path:
    """A database that was in use, with the migrations before ``below``."""
    path = make(tmp_path / "service.db", schema.OLDEST)
    for number, file in schema.list_migrations().items():
        if number < below:
            shutil.copy(file, changes)
    schema.prepare(path, changes).close()
    return path


def test_the_sum_of_a_customer_becomes_that_of_its_live_accounts(tmp_path, changes):
    path = earlier(tmp_path, changes, 75)
    connection = peewee.sqlite3.connect(path)
    accounts = connection.execute("SELECT id, customer_id, environment FROM accounts").fetchall()
    [live] = {customer for _, customer, environment in accounts if environment == "live"}
    connection.execute("DELETE FROM spend_months")
    for number, (account, _, _) in enumerate(accounts, 1):
        for month in ("2026-10", "2026-11"):
            connection.execute(
                "INSERT INTO spend_months VALUES (?, ?, ?)", (account, month, number * 10)
            )
    every = sum(number * 10 for number in range(1, len(accounts) + 1))
    own = sum(
        number * 10
        for number, (_, _, environment) in enumerate(accounts, 1)
        if environment == "live"
    )
    for month in ("2026-10", "2026-11"):
        connection.execute("INSERT INTO spend_months VALUES (?, ?, ?)", (live, month, every))
    connection.commit()
    connection.close()
    schema.prepare(path).close()
    assert {environment for _, _, environment in accounts} == {"live", "sandbox"} and own < every
    sql = f"SELECT month, amount FROM spend_months WHERE owner_id = '{live}' ORDER BY month"
    assert ask(path, sql) == [("2026-10", own), ("2026-11", own)]
    assert ask(path, "SELECT sum(amount) FROM spend_months")[0][0] == 2 * (own + every)


def test_what_a_batch_stopped_before_can_be_resumed_and_what_was_cancelled_before_it_not(
    tmp_path, changes
):
    path = earlier(tmp_path, changes, 76)
    connection = peewee.sqlite3.connect(path)
    connection.execute(
        "INSERT INTO batches (id, partner_id, account_id, mode, digest, size, correlation_id, "
        "created_at, cancelled_at)"
        " SELECT 'b', partner_id, id, 'each', x'00', 3, 'c', 1, 500 FROM accounts LIMIT 1"
    )
    productions = [
        row[0] for row in connection.execute("SELECT id FROM productions ORDER BY id LIMIT 3")
    ]
    for position, (production, at) in enumerate(zip(productions, (499, 500, None), strict=True)):
        connection.execute(
            "UPDATE productions SET cancel_requested_at = ? WHERE id = ?", (at, production)
        )
        values = (position, production)
        connection.execute(
            "INSERT INTO batch_items (batch_id, position, production_id) VALUES ('b', ?, ?)", values
        )
    connection.commit()
    connection.close()
    schema.prepare(path).close()
    assert ask(path, "SELECT stopped FROM batch_items ORDER BY position") == [(0,), (1,), (0,)]


def test_a_database_in_use_keeps_its_rows_and_gains_columns(tmp_path, fresh):
    """A new column of a row that was there is as ``grown`` says, else NULL."""
    path = make(tmp_path / "service.db", schema.OLDEST)
    grown = {
        "productions": {
            "warnings": None,
            "review": None,
            "group_id": None,
            "translation": None,
            "revision": 1,
            "look": None,
            "theme": None,
            "caption_languages": None,
            "voice_model": None,
            "gate_warnings": None,
        },
        "deliverables": {"voice": None},
        "accounts": {
            "full_text": 0,
            "logo_style": "mark",
            "lower_third": 0,
            "script_review": 0,
            "music": "none",
        },
    }
    before = {table: ask(path, f"SELECT * FROM {table} ORDER BY id") for table in grown}
    assert all(before.values())
    assert ask(path, "SELECT value FROM meta WHERE name = 'schema_version'") == [("21",)]
    schema.prepare(path).close()
    for table, columns in grown.items():
        now = len(ask(path, f"SELECT * FROM {table} LIMIT 1")[0])
        gained = now - len(before[table][0]) - len(columns)
        nulls = (None,) * gained  # columns that a later migration adds come last
        assert ask(path, f"SELECT * FROM {table} ORDER BY id") == [
            (*row, *columns.values(), *nulls) for row in before[table]
        ]
        assert ask(path, f"SELECT DISTINCT {', '.join(columns)} FROM {table}") == [
            tuple(columns.values())
        ]
    require_same(path, fresh)
    assert (
        ask(path, "PRAGMA integrity_check") == [("ok",)]
        and ask(path, "PRAGMA foreign_key_check") == []
    )
    assert ask(path, "SELECT * FROM lexicons") == []
