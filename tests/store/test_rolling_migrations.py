"""A newer release migrates PostgreSQL beside the processes of this one, which go on,
if each migration allows it.
"""

import threading
import time
from contextlib import contextmanager

import psycopg
import pytest
from support import plain_sql
from support.releases import NEXT, ROLLING, UNMARKED, migrations_with

from svc.base import clock
from svc.base.errors import CommandError, StartRefused
from svc.base.settings import Settings
from svc.store import database
from svc.store.copying import copy
from svc.store.database import db
from svc.store.engine import invalidation
from svc.store.engine.schema import VERSION, find_oldest_program, is_rolling, list_migrations
from svc.store.models.partners import Account
from svc.store.postgres import migrating, schema
from svc.store.queries import Prepared
from svc.work.doctor import database as database_check
from tests.work.test_recovery import until

pytestmark = pytest.mark.judges

BEAT = """
    INSERT INTO workers (id, role, hostname, pid, version, steps, can_run, started_at, seen_at)
    VALUES ('a', 'worker', 'render-1', 77, '1', 2, '[]', 0, %s)
"""
WAITING = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE %s"
TRIGGERS = "SELECT tgname FROM pg_trigger WHERE tgfoid = 'service.note_change'::regproc"


@pytest.fixture
def address(postgres, request):
    """A database on which a worker of this release is at work."""
    made = postgres.make(f"db{abs(hash(request.node.name))}")
    schema.prepare(made)
    ask(made, BEAT, clock.now())
    return made


@pytest.fixture
def opened(address, tmp_path):
    """The same, and this process uses it, too."""
    database.open_database(tmp_path / "data" / "service.db", address)
    yield address
    db.close()


def ask(address: str, sql: str, *parameters) -> list[tuple]:
    with psycopg.connect(address, autocommit=True) as connection:
        cursor = connection.execute(sql, parameters)
        return cursor.fetchall() if cursor.description else []


def tables(address: str) -> set[str]:
    return {name for (name,) in ask(address, "SELECT tablename FROM pg_tables")}


@contextmanager
def held(address: str, statement: str):
    """Another session has run a statement in a transaction that goes on,
    as a backup or a long query.
    """
    with psycopg.connect(address) as connection:
        connection.execute(statement)
        yield


def test_the_oldest_program_is_that_of_the_newest_migration_that_is_not_marked(tmp_path):
    assert find_oldest_program(
        list_migrations(migrations_with(tmp_path / "none"))
    ) == find_oldest_program(list_migrations())
    assert (
        find_oldest_program(
            list_migrations(
                migrations_with(tmp_path / "both", UNMARKED, "-- rolling\nCREATE TABLE t (a);")
            )
        )
        == NEXT
    )
    assert not is_rolling(
        migrations_with(tmp_path / "other", "-- rolling, perhaps\n") / f"{NEXT:04}_next.sql"
    )


def test_a_marked_migration_runs_beside_a_process_at_work_and_earlier_programs_still_start(
    address, tmp_path
):
    oldest = find_oldest_program(list_migrations())
    assert ask(address, "SELECT value FROM meta WHERE name = 'oldest_program'") == [(str(oldest),)]
    newer = migrations_with(
        tmp_path / "newer", ROLLING, "-- rolling\nALTER TABLE shelves ADD COLUMN colour TEXT;"
    )
    with held(address, f"SELECT pg_advisory_lock({migrating.DRIVERS})"):
        schema.prepare(address, newer)
    assert schema.read_version(address) == NEXT + 1 and "shelves" in tables(address)
    schema.prepare(address)  # a process of this release
    assert schema.is_usable(address) and schema.read_version(address) == NEXT + 1
    assert ask(address, "SELECT value FROM meta WHERE name = 'oldest_program'") == [(str(oldest),)]


def test_a_migration_without_the_mark_ends_what_earlier_programs_can_do(address, tmp_path):
    schema.prepare(address, migrations_with(tmp_path / "next", ROLLING))
    after = migrations_with(
        tmp_path / "after", ROLLING, "CREATE TABLE more (id TEXT PRIMARY KEY) STRICT;"
    )
    with pytest.raises(
        StartRefused, match=r"a worker is running \(process 77 on render-1\): stop it first"
    ):
        schema.prepare(address, after)
    assert schema.read_version(address) == NEXT and "more" not in tables(address)
    ask(address, "DELETE FROM workers")
    schema.prepare(address, after)
    assert not schema.is_usable(address)
    with pytest.raises(
        StartRefused, match=f"has schema {NEXT + 1}, and this program knows schemas up to {VERSION}"
    ):
        schema.prepare(address)


def test_where_the_database_names_no_oldest_program_its_processes_must_be_stopped(
    address, tmp_path
):
    """They are of a release that knows nothing of this."""
    newer = migrations_with(tmp_path / "newer", ROLLING)
    ask(address, "DELETE FROM meta WHERE name = 'oldest_program'")
    with pytest.raises(StartRefused, match="a worker is running"):
        schema.prepare(address, newer)
    ask(address, "DELETE FROM workers")
    schema.prepare(address, newer)
    ask(address, "DELETE FROM meta WHERE name = 'oldest_program'")
    with pytest.raises(StartRefused, match="knows schemas up to"):
        schema.prepare(address)


def test_a_table_that_is_kept_for_long_is_not_waited_for_by_those_at_work(address, tmp_path):
    """Readers wait less than a second, and PostgreSQL finds no deadlock to end;
    after its patience the migration gives up.
    """
    newer, waits = migrations_with(tmp_path / "newer", ROLLING), []

    def read() -> None:
        with psycopg.connect(address, autocommit=True) as connection:
            while not ended.is_set():
                began = time.monotonic()
                connection.execute(
                    "SELECT count(*) FROM accounts; SELECT count(*) FROM productions"
                )
                waits.append(time.monotonic() - began)
                ended.wait(0.01)

    ended, reading = threading.Event(), threading.Thread(target=read)
    with held(address, "SELECT count(*) FROM productions"):
        reading.start()
        with pytest.raises(
            StartRefused,
            match=(
                r"for 2 seconds others kept its tables locked, such as a "
                r"backup.*start again later"
            ),
        ):
            schema.prepare(address, newer, patience=2)
        assert schema.read_version(address) == VERSION and "shelves" not in tables(address)
        waiting = threading.Thread(target=schema.prepare, args=(address, newer))
        waiting.start()
        until(lambda: ask(address, WAITING, "%LOCK TABLE%"), "a migration that waits for the table")
    waiting.join()
    ended.set()
    reading.join()
    assert schema.read_version(address) == NEXT
    assert max(waits) < migrating._MOMENT


def test_writers_are_waited_for_in_turn(opened, tmp_path):
    newer = migrations_with(tmp_path / "newer", ROLLING)
    migration = threading.Thread(target=schema.prepare, args=(opened, newer))
    with db.transaction():
        plain_sql.execute("UPDATE productions SET updated_at = 1 WHERE id = 'none'")
        migration.start()
        until(
            lambda: ask(opened, WAITING, "%pg_advisory_xact_lock%"),
            "a migration that waits for its turn",
        )
        # which the migration changes, too
        plain_sql.execute("UPDATE accounts SET name = 'x' WHERE id = 'none'")
        assert schema.read_version(opened) == VERSION
    migration.join()
    assert schema.read_version(opened) == NEXT


def test_a_migration_that_takes_long_is_left_for_a_pause(address, tmp_path, monkeypatch):
    monkeypatch.setattr(migrating, "_MOMENT", 0.3)
    newer = migrations_with(
        tmp_path / "newer", ROLLING + "SELECT pg_sleep(0.2); SELECT pg_sleep(0.2);"
    )
    with pytest.raises(
        StartRefused,
        match=f"migration to schema {NEXT} takes longer than .* as it was: stop all of them",
    ):
        schema.prepare(address, newer)
    assert schema.read_version(address) == VERSION and "shelves" not in tables(address)
    ask(address, "DELETE FROM workers")
    schema.prepare(address, newer)
    assert schema.read_version(address) == NEXT


def test_changes_are_counted_for_both_releases(opened, tmp_path, monkeypatch):
    """What the caches of either need: the triggers of the earlier one stay,
    until no process of it can be there.
    """
    before = set(ask(opened, TRIGGERS))
    monkeypatch.setitem(invalidation.CHANGES, "access", ("UPDATE OF shelves ON accounts",))
    schema.prepare(opened, migrations_with(tmp_path / "newer", ROLLING))
    added = set(ask(opened, TRIGGERS)) - before
    assert before <= set(ask(opened, TRIGGERS)) and len(added) == 1
    counted = "SELECT number FROM service.changes WHERE kind = 'access'"
    for change in ("UPDATE accounts SET shelves = 2", "UPDATE partners SET name = 'x'"):
        ask(
            opened,
            (
                "INSERT INTO partners (id, name, created_at) VALUES ('p', 'p', 0) "
                "ON CONFLICT DO NOTHING"
            ),
        )
        ask(
            opened,
            (
                "INSERT INTO customers (id, partner_id, name, created_at) "
                "VALUES ('c', 'p', 'c', 0) ON CONFLICT DO NOTHING"
            ),
        )
        ask(
            opened,
            "INSERT INTO accounts (id, partner_id, customer_id, name, environment, "
            "default_project_type, created_at) "
            "VALUES ('a', 'p', 'c', 'a', 'live', 'x', 0) ON CONFLICT DO NOTHING",
        )
        number = ask(opened, counted)
        ask(opened, change)
        assert ask(opened, counted) > number
    ask(opened, "DELETE FROM workers")
    schema.prepare(
        opened,
        migrations_with(
            tmp_path / "after", ROLLING, "CREATE TABLE more (id TEXT PRIMARY KEY) STRICT;"
        ),
    )
    assert added <= set(ask(opened, TRIGGERS)) and len(set(ask(opened, TRIGGERS))) < len(before)


def test_queries_that_were_prepared_before_a_column_came_go_on(opened, tmp_path):
    """PostgreSQL refuses a prepared statement whose result would have other columns than before."""
    query = Prepared(Account.select())

    def read() -> list[list[str]]:
        with db.transaction():
            rows = [query.row()]
        with db.snapshot():
            rows.append(query.row())
        rows.append(query.row())
        with db.separate_connection() as connection:
            rows += query.rows_by(connection)
        return [row.keys() for row in rows]

    with db.transaction():
        plain_sql.insert("partners", {"id": "p", "name": "p", "created_at": 0})
        plain_sql.insert("customers", {"id": "c", "partner_id": "p", "name": "c", "created_at": 0})
        account = {
            "id": "a",
            "partner_id": "p",
            "customer_id": "c",
            "name": "a",
            "environment": "live",
        }
        plain_sql.insert("accounts", {**account, "default_project_type": "x", "created_at": 0})
    for _ in range(6):  # the fourth time and later it is prepared
        before = read()
    prepared = "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%accounts%'"
    assert plain_sql.one(prepared)[0] >= 1
    schema.prepare(opened, migrations_with(tmp_path / "newer", ROLLING))
    assert read() == read() == before and len(before) == 4


def test_a_copy_needs_the_same_release(opened, tmp_path):
    """A copy by this one would forget what the newer one has added."""
    db.close()
    ask(opened, "DELETE FROM workers")
    schema.prepare(opened, migrations_with(tmp_path / "newer", ROLLING))
    with pytest.raises(CommandError, match=f"has schema {NEXT}, and this program needs {VERSION}"):
        copy.to_sqlite(opened, tmp_path / "there" / "service.db", lambda _: None)


def test_a_copy_says_which_programs_can_work_on_it(opened, postgres, tmp_path):
    db.close()
    ask(opened, "DELETE FROM workers")
    copy.to_sqlite(opened, tmp_path / "there" / "service.db", lambda _: None)
    back = postgres.make("back")
    copy.to_postgres(tmp_path / "there" / "service.db", back, lambda _: None)
    recorded = (
        "SELECT name, value FROM meta WHERE name IN ('schema_version', 'oldest_program') "
        "ORDER BY name"
    )
    assert ask(back, recorded) == ask(opened, recorded) and len(ask(back, recorded)) == 2


def test_the_doctor_of_an_earlier_release_says_that_it_goes_on(opened, tmp_path, monkeypatch):
    settings = Settings(data_dir=tmp_path / "data", database_url=opened)
    schema.prepare(opened, migrations_with(tmp_path / "newer", ROLLING))
    assert database_check.has_our_schema(settings)
    found = {each.name: each for each in database_check.examine(settings, deep=False)}
    assert (
        found["schema"].verdict == "warning"
        and f"Its schema {NEXT} is of a newer release" in found["schema"].text
    )
    ask(opened, "DELETE FROM meta WHERE name = 'oldest_program'")
    found = {each.name: each for each in database_check.examine(settings, deep=False)}
    assert not database_check.has_our_schema(settings) and found["schema"].verdict == "problem"
