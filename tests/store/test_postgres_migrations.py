"""Migrations of PostgreSQL: those of SQLite, translated, in one transaction."""

import shutil

import psycopg
import pytest

from svc.base import clock
from svc.base.errors import StartRefused
from svc.store.engine.schema import MIGRATIONS, VERSION
from svc.store.postgres import migrating, schema

pytestmark = pytest.mark.judges

NEXT = VERSION + 1
GOOD = """-- What the next release brings.
CREATE TABLE shelves (
    id      TEXT NOT NULL PRIMARY KEY,
    opened  INTEGER NOT NULL DEFAULT 0 CHECK (opened IN (0, 1)),
    sealed  BLOB
) STRICT, WITHOUT ROWID;
CREATE INDEX shelves_opened ON shelves (opened) WHERE sealed IS NOT NULL;
ALTER TABLE accounts ADD COLUMN shelf TEXT;
ALTER TABLE accounts ADD COLUMN weight REAL NOT NULL DEFAULT 1.5;
UPDATE accounts SET shelf = 'top' WHERE id <> '';
CREATE TRIGGER shelves_counted AFTER INSERT ON shelves BEGIN
    UPDATE accounts SET weight = weight + 1;
END;
"""


@pytest.fixture
def address(postgres, request):
    made = postgres.make(f"db{abs(hash(request.node.name))}")
    schema.prepare(made)
    return made


def migrate(address: str, tmp_path, script: str, number: int = NEXT) -> None:
    (tmp_path / f"{number:04}_next.sql").write_text(script)
    schema.prepare(address, tmp_path)


COLUMNS = """
    SELECT table_name, column_name, data_type, collation_name, column_default, is_nullable
    FROM information_schema.columns
    WHERE table_schema IN ('public', 'service')
"""
TRIGGERS = "SELECT tgname, tgrelid::regclass::text FROM pg_trigger WHERE NOT tgisinternal"


def described(address: str) -> set[tuple]:
    with psycopg.connect(address) as connection:
        return {*connection.execute(COLUMNS).fetchall(), *connection.execute(TRIGGERS).fetchall()}


def test_a_migration_is_translated_and_counts_changes_of_what_it_adds(address, tmp_path):
    before = described(address)
    migrate(address, tmp_path, GOOD)
    assert schema.read_version(address) == NEXT
    added = described(address) - before
    assert before <= described(address)
    assert {row[:5] for row in added if row[0] == "accounts"} == {
        ("accounts", "shelf", "text", "C", None),
        ("accounts", "weight", "double precision", None, "1.5"),
    }
    assert {row[1:3] for row in added if row[0] == "shelves"} == {
        ("id", "text"),
        ("opened", "bigint"),
        ("sealed", "bytea"),
    }
    assert ("shelves_counted", "shelves") in added
    migrate(address, tmp_path, GOOD)  # again: nothing is due
    with pytest.raises(StartRefused, match="knows schemas up to"):
        schema.prepare(address)


BEFORE_MUSIC_OF_LOOKS = """
    ALTER TABLE accounts DROP COLUMN music;
    ALTER TABLE accounts ADD COLUMN music text COLLATE "C" NOT NULL DEFAULT 'none'
        CHECK (music IN ('none', 'calm', 'bright', 'focused'));
    INSERT INTO partners (id, name, created_at) VALUES ('p', 'P', 1);
    INSERT INTO customers (id, partner_id, name, created_at) VALUES ('c', 'p', 'C', 1);
    INSERT INTO accounts (id, partner_id, customer_id, name, environment, default_project_type,
                          created_at, music)
    SELECT music, 'p', 'c', music, 'live', 'explainer', 1, music
    FROM (VALUES ('none'), ('calm')) AS kept (music);
    UPDATE meta SET value = '70' WHERE name = 'schema_version';
"""


def test_accounts_keep_their_music_and_later_ones_have_that_of_the_look(address, tmp_path):
    before = described(address)
    with psycopg.connect(address) as connection:
        connection.execute("SELECT set_config('search_path', 'public, service', false)")
        connection.execute(BEFORE_MUSIC_OF_LOOKS)
    shutil.copy(MIGRATIONS / "0071_music_of_looks.sql", tmp_path)
    schema.prepare(address, tmp_path)
    assert (described(address), schema.read_version(address)) == (before, 71)
    with psycopg.connect(address) as connection:
        assert connection.execute("SELECT id, music FROM accounts ORDER BY id").fetchall() == [
            ("calm", "calm"),
            ("none", "none"),
        ]
        connection.execute("UPDATE accounts SET music = DEFAULT WHERE id = 'calm'")
        assert connection.execute("SELECT music FROM accounts WHERE id = 'calm'").fetchone() == (
            "look",
        )
        with pytest.raises(psycopg.errors.CheckViolation):
            connection.execute("UPDATE accounts SET music = 'loud'")


def test_a_migration_that_fails_changes_nothing(address, tmp_path):
    before = described(address)
    with pytest.raises(StartRefused, match="is as it was"):
        migrate(address, tmp_path, GOOD + "ALTER TABLE nowhere ADD COLUMN x TEXT;")
    assert (described(address), schema.read_version(address)) == (before, VERSION)


def test_a_database_of_before_release_1_0_0_is_refused_with_what_to_do(address):
    with psycopg.connect(address) as connection:
        connection.execute("UPDATE meta SET value = '20' WHERE name = 'schema_version'")
    before = described(address)
    with pytest.raises(StartRefused, match="has schema 20.* start release 1.0.0 with it once"):
        schema.prepare(address)
    assert (described(address), schema.read_version(address)) == (before, 20)


def test_nothing_is_migrated_while_a_server_drives(address, tmp_path):
    with psycopg.connect(address, autocommit=True) as driving:
        driving.execute("SELECT pg_advisory_lock(%s)", (migrating.DRIVERS,))
        with pytest.raises(StartRefused, match="a server is running: stop it first"):
            migrate(address, tmp_path, GOOD)
        driving.execute(
            "INSERT INTO workers VALUES ('a', 'driver', 'web-1', 78, '1', 2, '[]', 0, %s)",
            (clock.now(),),
        )
        with pytest.raises(
            StartRefused, match=r"a server is running \(process 78 on web-1\): stop it first"
        ):
            migrate(address, tmp_path, GOOD)
        driving.execute("DELETE FROM workers")
    migrate(address, tmp_path, GOOD)
    assert schema.read_version(address) == NEXT


@pytest.mark.parametrize(
    "role, named", [("worker", "a worker is running"), ("standby", "a server is running")]
)
def test_nothing_is_migrated_under_a_process_that_gives_signs_of_life(
    address, tmp_path, role, named
):
    """Neither holds the drivers' lock; one that was killed leaves its row,
    which soon counts no more.
    """
    beat = """
        INSERT INTO workers VALUES ('a', %s, 'render-1', 77, '1', 2, '[]', 0, %s)
        ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at
    """
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(beat, (role, clock.now()))
        before = described(address)
        with pytest.raises(
            StartRefused, match=rf"{named} \(process 77 on render-1\): stop it first"
        ):
            migrate(address, tmp_path, GOOD)
        assert (described(address), schema.read_version(address)) == (before, VERSION)
        schema.prepare(address)  # processes of this very release start beside it
        connection.execute(beat, (role, clock.now() - 16 * clock.SECOND))
    migrate(address, tmp_path, GOOD)
    assert schema.read_version(address) == NEXT


BEFORE_SCENES = """
    ALTER TABLE project_types ADD CONSTRAINT project_types_look_check
        CHECK (look IN ('explainer', 'short', 'news', 'editorial', 'playful', 'product'));
    INSERT INTO partners (id, name, created_at) VALUES ('p', 'P', 1);
    INSERT INTO customers (id, partner_id, name, created_at) VALUES ('c', 'p', 'C', 1);
    INSERT INTO accounts (id, partner_id, customer_id, name, environment, default_project_type,
                          created_at)
    VALUES ('a', 'p', 'c', 'A', 'live', 'news', 1);
    INSERT INTO project_types (account_id, slug, name, look) VALUES ('a', 'news', 'News', 'news');
    UPDATE meta SET value = '79' WHERE name = 'schema_version';
"""


def test_project_types_keep_their_look_and_may_have_that_of_composed_scenes(address, tmp_path):
    before = described(address)
    with psycopg.connect(address) as connection:
        connection.execute("SELECT set_config('search_path', 'public, service', false)")
        connection.execute(BEFORE_SCENES)
    shutil.copy(MIGRATIONS / "0080_scenes_look.sql", tmp_path)
    schema.prepare(address, tmp_path)
    assert (described(address), schema.read_version(address)) == (before, 80)
    with psycopg.connect(address) as connection:
        connection.execute("SELECT set_config('search_path', 'public, service', false)")
        assert connection.execute("SELECT slug, look FROM project_types").fetchall() == [
            ("news", "news")
        ]
        connection.execute("UPDATE project_types SET look = 'scenes'")
        with pytest.raises(psycopg.errors.CheckViolation):
            connection.execute("UPDATE project_types SET look = 'holographic'")
