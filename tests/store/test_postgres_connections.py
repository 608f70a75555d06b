"""Connections to PostgreSQL: transactions that fail halfway,
machines that are gone, another user.
"""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import psycopg
import pytest
from support import plain_sql
from support.outbox import NOON, Partner, claim, record

from svc.base import clock, outage
from svc.base.errors import StartRefused
from svc.domain import lanes
from svc.domain.lifecycle import deliverables
from svc.domain.monitoring import start_notes
from svc.domain.partners import recorded_uploads
from svc.domain.webhooks import claiming
from svc.store import catalog, database, meta
from svc.store.database import db
from svc.store.postgres.execution import Compiled
from svc.store.read_cache import ReadCache
from svc.work.machines import same_time

pytestmark = pytest.mark.judges

ENTER = "INSERT INTO meta (name, value) VALUES ('first', '1')"


@pytest.fixture
def opened(postgres, request, tmp_path):
    address = postgres.make(f"db{abs(hash(request.node.name))}")
    database.open_database(tmp_path / "service.db", address)
    yield address
    db.close()


def shown(setting: str) -> str:
    return plain_sql.one(f"SHOW {setting}")[0]


def test_a_transaction_with_a_failed_statement_never_counts_as_committed(opened):
    with pytest.raises(db.Error, match="rolled back"), db.transaction():
        plain_sql.execute(ENTER)
        with suppress(db.Error):
            plain_sql.execute(ENTER)
    assert plain_sql.row("SELECT 1 FROM meta WHERE name = 'first'") is None
    with db.transaction():
        plain_sql.execute(ENTER)
    assert plain_sql.row("SELECT 1 FROM meta WHERE name = 'first'") is not None


@pytest.mark.parametrize("context", ["transaction", "snapshot"])
def test_a_machine_that_is_gone_or_paused_keeps_no_lock_for_long(opened, context):
    with getattr(db, context)():
        kept = [shown(f"tcp_keepalives_{name}") for name in ("idle", "interval", "count")]
        assert (kept, shown("idle_in_transaction_session_timeout")) == (["4", "2", "3"], "5s")


def test_a_machine_whose_network_is_gone_notices_it(opened):
    connection = db._pool.getconn()
    told = connection.info.get_parameters()
    db._pool.putconn(connection)
    assert told["tcp_user_timeout"] == "10000" and told["keepalives_idle"] == "4"


def test_a_writer_that_paused_for_too_long_has_met_an_outage(opened):
    with pytest.raises(db.Error) as failed, db.transaction():
        plain_sql.execute(ENTER)
        process = plain_sql.one("SELECT pg_backend_pid()")[0]
        with psycopg.connect(opened, autocommit=True) as other:
            plain_sql.execute("SET LOCAL idle_in_transaction_session_timeout = 1")
            while other.execute(
                "SELECT 1 FROM pg_stat_activity WHERE pid = %s", (process,)
            ).fetchone():
                pass
        plain_sql.execute(ENTER)
    assert outage.recognise(failed.value) is outage.UNREACHABLE
    with db.transaction():
        plain_sql.execute(ENTER)


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_that_is_not_in_utf_8_is_refused_and_stays_empty(postgres, tmp_path, encoding):
    with psycopg.connect(postgres.make(f"beside_{encoding.lower()}"), autocommit=True) as other:
        other.execute(
            f"CREATE DATABASE old_{encoding} ENCODING '{encoding}' TEMPLATE template0 LOCALE 'C'"
        )
        address = psycopg.conninfo.make_conninfo(other.info.dsn, dbname=f"old_{encoding.lower()}")
    with pytest.raises(StartRefused, match=f"The database is in {encoding}, .* ENCODING 'UTF8'"):
        database.open_database(tmp_path / "service.db", address)
    assert database.read_version(address) is None


def test_a_database_that_accepts_no_changes_is_an_outage_of_its_own(opened):
    assert not database.refuses_changes(opened)
    with pytest.raises(db.Error) as failed, db.transaction():
        plain_sql.execute("SET TRANSACTION READ ONLY")
        plain_sql.execute(ENTER)
    assert outage.recognise(failed.value) is outage.DATABASE_READ_ONLY
    with psycopg.connect(opened, autocommit=True) as other:
        other.execute(f"ALTER DATABASE {other.info.dbname} SET default_transaction_read_only = on")
    assert database.refuses_changes(opened)


@pytest.mark.parametrize(
    ("state", "trouble"),
    [("53100", outage.DATABASE_FULL), ("53200", outage.UNREACHABLE), ("53300", outage.UNREACHABLE)],
)
def test_what_the_databases_machine_lacks_is_not_blamed_on_this_one(opened, state, trouble):
    with pytest.raises(db.Error) as failed, db.transaction():
        plain_sql.execute(f"DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '{state}'; END $$")
    assert outage.recognise(failed.value) is trouble


def test_the_time_of_the_databases_machine_is_known(opened):
    assert abs(db.clock() - clock.now()) < 2000 and abs(same_time.measure_difference()) < 100


def test_connections_that_were_lost_while_idle_cost_no_request(opened):
    with ThreadPoolExecutor(4) as threads:  # several connections in each pool
        several, pair = threading.Barrier(4), threading.Barrier(2)  # two are shared at most

        def use() -> None:
            with db.snapshot():
                several.wait(30)
                plain_sql.row("SELECT 1")
            with db.shared().lock():
                pair.wait(30)

        for each in [threads.submit(use) for _ in range(4)]:
            each.result()
    with psycopg.connect(opened, autocommit=True) as other:
        ended = other.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        ).fetchall()
    assert len(ended) >= 6
    for _ in range(5):
        assert plain_sql.row("SELECT 1")[0] == 1
        assert db.shared().number_request() > 0
        with db.transaction():
            plain_sql.execute("UPDATE meta SET value = value")


@pytest.mark.parametrize("newest", [5, None])
def test_the_files_that_the_database_records_are_asked_for(opened, newest):
    with db.separate_connection() as connection:
        assert deliverables.list_recorded_by(connection, newest) == {}
        assert (
            recorded_uploads.list_recorded_by(connection, newest)
            == recorded_uploads.read_hashes_by(connection)
            == {}
        )


def test_the_user_named_service_finds_the_tables_that_another_user_made(postgres, tmp_path):
    address = postgres.make("made")
    with psycopg.connect(address) as connection:
        connection.execute("CREATE ROLE maker SUPERUSER LOGIN")
    for user in ("maker", "service"):
        database.open_database(tmp_path / "service.db", address.replace("//service@", f"//{user}@"))
        with db.transaction():
            plain_sql.execute("UPDATE meta SET value = value WHERE name = 'schema_version'")
        assert "partners" in catalog.list_tables() and "places" not in catalog.list_tables()
        db.close()


def test_what_a_transaction_changed_is_read_anew_in_it_and_forgotten_when_it_is_undone(opened):
    remembered = ReadCache("access")
    assert remembered.get("key", lambda: "before") == "before"
    with pytest.raises(ZeroDivisionError), db.transaction():
        assert remembered.get("key", lambda: "read again") == "before"
        plain_sql.execute("UPDATE service.changes SET number = number + 1 WHERE kind = 'access'")
        assert remembered.get("key", lambda: "changed") == "changed"
        raise ZeroDivisionError
    assert remembered.get("key", lambda: "after") == "after"
    with db.transaction():
        plain_sql.execute("UPDATE service.changes SET number = number + 1 WHERE kind = 'access'")
    assert remembered.get("key", lambda: "at last") == "at last"


def test_tables_whose_rows_are_claimed_are_vacuumed_early_also_where_an_older_release_made_them(
    opened, tmp_path
):
    def options() -> list[str]:
        return plain_sql.one(
            "SELECT coalesce(reloptions, '{}') FROM pg_class WHERE oid = to_regclass('productions')"
        )[0]

    assert "autovacuum_vacuum_scale_factor=0.0" in options()
    with db.transaction():
        plain_sql.execute("ALTER TABLE productions RESET (autovacuum_vacuum_scale_factor)")
    db.close()
    database.open_database(tmp_path / "service.db", opened)
    assert "autovacuum_vacuum_scale_factor=0.0" in options()


def test_a_claim_of_deliveries_reads_those_that_are_due_and_not_all_that_ever_were(opened):
    partner = Partner()
    for _ in range(10):
        partner.subscribe()
    record(partner.produce(), 3)
    with db.transaction():
        kept = "subscription_id, partner_id, event_id, event_type, production_id, sequence, body"
        plain_sql.execute(
            f"INSERT INTO deliveries (id, {kept}, status, holds, lane, created_at) "
            f"SELECT id || '-' || n, {kept}, 'Succeeded', 0, 0, 0 "
            "FROM deliveries, generate_series(1, 400) AS n"
        )
        plain_sql.execute("ANALYZE deliveries")
    params = {
        "lane": lanes.FIRST,
        "now": NOON,
        "share": 8,
        "full": "[]",
        "full_partners": "[]",
        "limit": 16,
    }
    params |= {"after": "", "until": "~"}
    due = claiming._DUE[lanes.FIRST].sql(params)
    plan = "\n".join(row[0] for row in db.rows(Compiled(f"EXPLAIN {due}", due.names), params))
    assert "Seq Scan on deliveries" not in plan, plan
    assert len(claim(NOON, lanes.FIRST)) == 10


def test_a_process_that_has_not_opened_the_database_reaches_its_tables(opened):
    db.close()
    with database.connect_apart(opened) as connection:
        meta.exchange_by(connection, "start_failures", None, "{}")
        meta.exchange_by(connection, "start_failures", "another", "[]")
        assert meta.read_texts_by(connection)["start_failures"] == "{}"
        meta.exchange_by(connection, "start_failures", "{}", "[]")
        assert meta.read_texts_by(connection)["start_failures"] == "[]"


def test_a_database_without_tables_or_out_of_reach_is_an_error_of_the_store(postgres):
    for address in (postgres.make("bare"), "postgresql://service@127.0.0.1:1/service"):
        with pytest.raises(db.Error), database.connect_apart(address) as connection:
            meta.read_texts_by(connection)


def test_machines_that_tell_at_the_same_moment_why_they_cannot_start_are_all_heard(
    opened, monkeypatch, tmp_path
):
    monkeypatch.setenv("SVC_DATABASE_URL", opened)
    folders = [tmp_path / f"{number}" for number in range(4)]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda each: start_notes.record(each, each.name, NOON), folders))
    heard = [each.why for each in start_notes.list_elsewhere(tmp_path, NOON)]
    assert sorted(heard) == ["0", "1", "2", "3"]
    start_notes.forget(folders[0])
    assert len(start_notes.list_elsewhere(tmp_path, NOON)) == 3
