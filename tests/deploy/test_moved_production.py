"""An installation that moves to PostgreSQL and a bucket takes a production along that is in the
midst of its steps.
"""

import subprocess
import sys
from contextlib import closing

import psycopg
import pytest

from svc.base.steps import STEPS
from svc.cli.demo.client import Client
from svc.cli.demo.demo_server import Server
from svc.store.engine.sqlite_driver import sqlite3
from tests.deploy.conftest import brief
from tests.support.documents import ROOT
from tests.support.machines import WorkerProcess
from tests.work.test_lost_work import SLOW
from tests.work.test_recovery import until

pytestmark = [pytest.mark.slow, pytest.mark.judges]

STEPS_BEFORE = 3  # script, narration, video


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "data"
    made.mkdir(mode=0o700)
    return made


@pytest.fixture
def seeded(folder, enrol) -> dict:
    return enrol(folder)


def waits(folder, production: str) -> bool:
    """Return whether a production waits in the midst of its steps, as its scenario says."""
    sql = (
        "SELECT 1 FROM productions WHERE id = ? AND steps_complete = ? AND claim_token IS NULL "
        "AND not_before > 0"
        " AND scenario NOT LIKE '%captions%'"
    )
    with closing(sqlite3.connect(f"file:{folder / 'service.db'}?mode=ro", uri=True)) as connection:
        return connection.execute(sql, (production, STEPS_BEFORE)).fetchone() is not None


def end_the_wait(folder, production: str) -> None:
    """Make the step due that the scenario delays, while no server runs."""
    with closing(sqlite3.connect(folder / "service.db")) as connection, connection:
        connection.execute("UPDATE productions SET not_before = 0 WHERE id = ?", (production,))


def copy(folder, to: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "app.py", "copy", "--to", to],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "SVC_DATA_DIR": str(folder), **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def production(folder, seeded) -> str:
    """A production of a server on SQLite that has stopped before its fourth step ended."""
    account = f"/v1/accounts/{seeded['sandboxAccountId']}/productions"
    with Server(folder, 0, SVC_VOICE="espeak-ng") as server:
        client = Client(server.address, seeded["testKey"])
        made = client.post(account, brief(seeded, metadataMD=SLOW))["productionId"]
        until(lambda: waits(folder, made), "the delay after the steps before the slow one")
    end_the_wait(folder, made)
    return made


def files_when_published(client: Client, production: str) -> set[str]:
    until(
        lambda: client.get(f"/v1/productions/{production}")["status"] == "Published", "publication"
    )
    return {
        each["type"] for each in client.get(f"/v1/productions/{production}/deliverables")["data"]
    }


def steps_told(address: str, production: str) -> int:
    with psycopg.connect(address) as connection:
        sql = (
            "SELECT count(*) FROM events WHERE production_id = %s "
            "AND event_type = 'production.step.complete'"
        )
        return connection.execute(sql, (production,)).fetchone()[0]


def test_a_worker_elsewhere_goes_on_with_the_steps_that_it_had(
    postgres, bucket, folder, seeded, production, tmp_path
):
    narration = (folder / "work" / production / "narration.wav").read_bytes()
    address = postgres.make("moved")
    shared = bucket | {"SVC_STORAGE_URL": "s3://media/moved"}
    assert " copied, already there: " in copy(folder, address, **shared)
    given = {"SVC_DATABASE_URL": address, "SVC_VOICE": "espeak-ng", **shared}
    elsewhere = tmp_path / "elsewhere"
    with (
        Server(folder, 0, SVC_RENDER_WORKERS="0", **given) as after,
        WorkerProcess(elsewhere, folder / "secret", **given) as worker,
    ):
        carried = elsewhere / "work" / production / "narration.wav"
        until(carried.exists, "the work at the worker")
        assert carried.read_bytes() == narration
        assert {"Video", "ClosedCaptions"} <= files_when_published(
            Client(after.address, seeded["testKey"]), production
        )
    assert "run again" not in worker.told()
    assert steps_told(address, production) == len(STEPS)


def test_without_a_bucket_the_data_directory_has_its_work(postgres, folder, seeded, production):
    address = postgres.make("moved_tables")
    copy(folder, address)
    with Server(folder, 0, SVC_DATABASE_URL=address, SVC_VOICE="espeak-ng") as after:
        assert {"Video", "ClosedCaptions"} <= files_when_published(
            Client(after.address, seeded["testKey"]), production
        )
    assert "run again" not in after.log.read_text()
    assert steps_told(address, production) == len(STEPS)
