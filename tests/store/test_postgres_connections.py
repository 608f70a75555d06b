"""Connections to PostgreSQL: transactions that fail halfway, machines that are gone, another user."""

from contextlib import suppress

import psycopg
import pytest
from support.postgres_server import PostgresServer

from svc.base import outage
from svc.domain.partners import assets
from svc.domain.productions import deliverables
from svc.store import catalog, database
from svc.store.read_cache import ReadCache
from svc.work.files import uploads

pytestmark = pytest.mark.judges

ENTER = "INSERT INTO meta (name, value) VALUES ('first', '1')"


@pytest.fixture(scope="module")
def postgres():
    with PostgresServer() as server:
        yield server


@pytest.fixture
def opened(postgres, request, tmp_path):
    address = postgres.make(f"db{abs(hash(request.node.name))}")
    database.open_database(tmp_path / "service.db", address)
    yield address
    database.close_database()


def shown(setting: str) -> str:
    return database.one(f"SHOW {setting}")[0]


def test_a_transaction_with_a_failed_statement_never_counts_as_committed(opened):
    with pytest.raises(database.Error, match="rolled back"), database.write():
        database.execute(ENTER)
        with suppress(database.Error):
            database.execute(ENTER)
    assert database.row("SELECT 1 FROM meta WHERE name = 'first'") is None
    with database.write():
        database.execute(ENTER)
    assert database.row("SELECT 1 FROM meta WHERE name = 'first'") is not None


@pytest.mark.parametrize("context", [database.write, database.turn])
def test_a_machine_that_is_gone_or_paused_keeps_no_lock_for_long(opened, context):
    with context():
        kept = [shown(f"tcp_keepalives_{name}") for name in ("idle", "interval", "count")]
        assert (kept, shown("idle_in_transaction_session_timeout")) == (["4", "2", "3"], "1min")


def test_a_machine_whose_network_is_gone_notices_it(opened):
    connection = database.engine()._pool.getconn()
    told = connection.info.get_parameters()
    database.engine()._pool.putconn(connection)
    assert told["tcp_user_timeout"] == "10000" and told["keepalives_idle"] == "4"


def test_a_writer_that_paused_for_too_long_has_met_an_outage(opened):
    with pytest.raises(database.Error) as failed, database.write():
        database.execute(ENTER)
        process = database.one("SELECT pg_backend_pid()")[0]
        with psycopg.connect(opened, autocommit=True) as other:
            database.execute("SET LOCAL idle_in_transaction_session_timeout = 1")
            while other.execute("SELECT 1 FROM pg_stat_activity WHERE pid = %s", (process,)).fetchone():
                pass
        database.execute(ENTER)
    assert outage.recognise(failed.value) is outage.UNREACHABLE
    with database.write():
        database.execute(ENTER)


@pytest.mark.parametrize("newest", [5, None])
def test_the_files_that_the_database_records_are_asked_for(opened, newest):
    with database.separate_connection() as connection:
        assert deliverables.recorded_by(connection, newest) == {}
        assert assets.recorded_by(connection, uploads.TABLES, newest) == {}


def test_the_user_named_service_finds_the_tables_that_another_user_made(postgres, tmp_path):
    address = postgres.make("made")
    with psycopg.connect(address) as connection:
        connection.execute("CREATE ROLE maker SUPERUSER LOGIN")
    for user in ("maker", "service"):
        database.open_database(tmp_path / "service.db", address.replace("//service@", f"//{user}@"))
        with database.write():
            database.execute("UPDATE meta SET value = value WHERE name = 'schema_version'")
        assert "partners" in catalog.tables() and "places" not in catalog.tables()
        database.close_database()


def test_what_a_transaction_changed_is_read_anew_in_it_and_forgotten_when_it_is_undone(opened):
    remembered = ReadCache("access")
    assert remembered.get("key", lambda: "before") == "before"
    with pytest.raises(ZeroDivisionError), database.write():
        assert remembered.get("key", lambda: "read again") == "before"
        database.execute("UPDATE service.changes SET number = number + 1 WHERE kind = 'access'")
        assert remembered.get("key", lambda: "changed") == "changed"
        raise ZeroDivisionError
    assert remembered.get("key", lambda: "after") == "after"
    with database.write():
        database.execute("UPDATE service.changes SET number = number + 1 WHERE kind = 'access'")
    assert remembered.get("key", lambda: "at last") == "at last"


def test_tables_whose_rows_are_claimed_are_vacuumed_early_also_where_an_older_release_made_them(opened, tmp_path):
    def options() -> list[str]:
        return database.one("SELECT coalesce(reloptions, '{}') FROM pg_class WHERE oid = to_regclass('productions')")[0]

    assert "autovacuum_vacuum_scale_factor=0.0" in options()
    with database.write():
        database.execute("ALTER TABLE productions RESET (autovacuum_vacuum_scale_factor)")
    database.close_database()
    database.open_database(tmp_path / "service.db", opened)
    assert "autovacuum_vacuum_scale_factor=0.0" in options()
