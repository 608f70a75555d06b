"""A data directory that lost its secret or its database is not served, and says what mends it;
a first start always works.
"""

import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.cast import body

from app import create_app
from svc.base import settings
from svc.base.crypto import key_ring
from svc.base.errors import StartRefused
from svc.cli import commands
from svc.cli.installation import seed
from svc.store import database
from svc.store.backup import database_file
from svc.store.database import db
from svc.store.engine import schema
from svc.work.backup import make as backup
from svc.work.backup import restore
from tests.support.processes import at_once

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
HOOK = {"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": ["production.queued"]}


@pytest.fixture
def given(tmp_path):
    yield settings.read({}, data_dir=tmp_path / "data")
    db.close()


def start(given, clock):
    """Start the application, and end it again; its master keys."""
    app = create_app(given, clock)
    app.extensions["svc"].recorder.stop()
    db.close()
    return app.extensions["svc"].ring


@pytest.fixture
def used(given, clock):
    """A data directory that was in use: a partner and a webhook."""
    app = create_app(given, clock)
    partner = seed.make_partner("Enterprise", clock())
    answer = app.test_client().post(
        "/v1/webhooks", json=HOOK, headers={"X-API-Key": partner["testKey"]}
    )
    assert answer.status_code == 201, body(answer)
    app.extensions["svc"].recorder.stop()
    db.close()
    return given


def forget_fingerprints(given) -> None:
    """As a release left it that kept none."""
    with closing(database_file.connect(given.database)) as connection:
        connection.execute("DELETE FROM master_keys")


def recorded(given) -> list[tuple]:
    with closing(database_file.connect(given.database)) as connection:
        return connection.execute(
            "SELECT version, fingerprint FROM master_keys ORDER BY version"
        ).fetchall()


def is_refused(given, clock, *words: str) -> None:
    """It does not start, says why in one sentence with these words,
    and leaves everything as it is.
    """
    before = {
        each.name: each.read_bytes()
        for each in given.data_dir.iterdir()
        if each.name in ("secret", "service.db")
    }
    with pytest.raises(StartRefused) as refused:
        start(given, clock)
    db.close()
    sentence = str(refused.value)
    assert (
        all(word in sentence for word in ("restore", *words))
        and sentence.endswith(".")
        and "\n" not in sentence
    )
    assert (given.data_dir / "secret").exists() == ("secret" in before)
    assert all(
        (given.data_dir / name).read_bytes() == content
        for name, content in before.items()
        if content
    )


def test_a_database_without_its_secret_is_refused_and_started_when_it_is_back(
    used, clock, tmp_path
):
    used.secret.rename(tmp_path / "kept")
    is_refused(used, clock, "secret is missing")
    (tmp_path / "kept").rename(used.secret)
    start(used, clock)


def test_a_database_of_an_earlier_release_without_its_secret_is_refused_too(used, clock):
    forget_fingerprints(used)
    used.secret.unlink()
    is_refused(used, clock, "secret is missing")


def test_a_database_of_an_earlier_release_takes_the_secret_that_is_there(used, clock):
    before = recorded(used)
    forget_fingerprints(used)
    start(used, clock)
    assert recorded(used) == before and len(before) == 1


def test_the_secret_of_another_installation_is_refused(used, clock, tmp_path):
    other = settings.read({}, data_dir=tmp_path / "other")
    start(other, clock)
    shutil.copy(other.secret, used.secret)
    is_refused(used, clock, "another installation")


def test_a_secret_that_lacks_a_master_key_is_refused(used, clock, tmp_path):
    shutil.copy(used.secret, tmp_path / "kept")
    key_ring.rotate(used.secret)
    start(used, clock)
    assert [version for version, _ in recorded(used)] == [1, 2]
    shutil.copy(tmp_path / "kept", used.secret)
    is_refused(used, clock, "does not contain master key 2")


def test_a_retired_master_key_may_be_missing(used, clock):
    key_ring.rotate(used.secret)
    start(used, clock)
    with closing(database_file.connect(used.database)) as connection:
        connection.execute("UPDATE master_keys SET retired_at = 1 WHERE version = 1")
    used.secret.write_text(used.secret.read_text().splitlines(keepends=True)[1])
    assert start(used, clock).versions == [2]


def test_a_secret_without_a_usable_key_is_refused(used, clock):
    used.secret.write_text("no key\n")
    is_refused(used, clock, "no usable key")


@pytest.mark.parametrize("left", ["missing", "empty"])
def test_a_secret_without_its_database_is_refused(used, clock, left):
    used.database.unlink()
    if left == "empty":
        used.database.touch()
    is_refused(used, clock, "empty or missing", "secret")


def test_media_without_their_database_are_refused(given, clock):
    (given.media_dir / "a production").mkdir(parents=True)
    is_refused(given, clock, "empty or missing", "media")


@pytest.mark.parametrize(
    "made", ["nothing", "an empty folder of media", "an empty database", "a database", "a partner"]
)
def test_a_first_start_that_was_interrupted_goes_on(given, clock, made):
    given.data_dir.mkdir()
    if made == "an empty folder of media":
        given.media_dir.mkdir()
    elif made == "an empty database":
        given.database.touch()
    elif made != "nothing":
        schema.prepare(given.database).close()
    if made == "a partner":
        database.open_database(given.database)
        seed.make_partner("Standard", clock())  # `seed` before the first `serve`
        db.close()
    assert start(given, clock).versions == [1] and len(recorded(given)) == 1


def test_simultaneous_first_starts_agree_on_one_secret(given):
    given.data_dir.mkdir()
    imports = "from pathlib import Path; from svc.base import settings; from app import create_app"
    expression = (
        "create_app(settings.read({}, "
        "data_dir=Path(sys.argv[1]))).extensions['svc'].ring.derive('x').hex()"
    )
    derived = at_once(4, imports, expression, given.data_dir)
    assert len(derived[0]) == 64 and len(set(derived)) == 1
    assert len(recorded(given)) == 1


def test_what_is_restored_starts_and_what_was_rotated_since_is_the_backups(used, clock, tmp_path):
    backup.make_backup(used.data_dir, tmp_path / "backup.tar")
    key_ring.rotate(used.secret)
    start(used, clock)
    restored = settings.read({}, data_dir=tmp_path / "restored")
    restore.restore(tmp_path / "backup.tar", restored.data_dir)
    assert start(restored, clock).versions == [1]


def test_key_ring_rotate_keeps_the_fingerprint_and_refuses_a_foreign_secret(
    used, clock, tmp_path, monkeypatch
):
    monkeypatch.setenv("SVC_DATA_DIR", str(used.data_dir))
    done = CliRunner().invoke(commands.main, ["key-ring", "rotate"], catch_exceptions=False)
    db.close()
    assert done.exit_code == 0 and [version for version, _ in recorded(used)] == [1, 2]
    used.secret.write_text("1:" + "00" * 32 + "\n")
    refused = CliRunner().invoke(commands.main, ["key-ring", "rotate"])
    assert isinstance(refused.exception, StartRefused)
    assert used.secret.read_text() == "1:" + "00" * 32 + "\n"


def test_a_fingerprint_tells_nothing_of_what_is_derived(used):
    [(_, fingerprint)] = recorded(used)
    key = key_ring.read(used.secret)[1]
    ring = key_ring.FileRing(used.secret)
    assert fingerprint not in (
        key.hex(),
        *(ring.derive(purpose).hex() for purpose in ("identity", "links", "fingerprint")),
    )


def test_keys_in_use_stay_when_the_file_becomes_that_of_another_installation(used, clock, caplog):
    ring = start(used, clock)
    derived = ring.derive("links")
    used.secret.write_text("1:" + "00" * 32 + "\n")
    assert ring.derive("links") == derived
    assert "another installation" in caplog.text


def test_the_commands_say_it_without_a_traceback(used):
    used.secret.unlink()
    for words in (["serve", "--port", "1"], ["-m", "gunicorn"]):
        program = (
            ["app.py", *words]
            if words[0] == "serve"
            else [
                "-m",
                "gunicorn",
                "--config",
                "python:svc.serving.gunicorn_config",
                "--bind",
                "127.0.0.1:0",
                "wsgi:app",
            ]
        )
        told = subprocess.run(
            [sys.executable, *program],
            cwd=ROOT,
            env={"SVC_DATA_DIR": str(used.data_dir), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert told.returncode in (2, 3) and "Traceback" not in told.stderr
        assert f"{used.secret} is missing" in told.stderr and not used.secret.exists()


def test_nothing_starts_before_the_clock_is_set(given):
    with pytest.raises(StartRefused, match="The clock says 1970-01-01T00:01:00.000Z: set it"):
        create_app(given, lambda: 60_000)
    assert not given.database.exists()
