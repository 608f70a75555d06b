"""Two releases side by side: the newer one migrates the database under load,
and the older one answers and works on.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import ExitStack, suppress
from pathlib import Path

import psycopg
import pytest
import requests

from svc.base import clock
from svc.base.errors import CommandError
from svc.base.version import VERSION as RELEASE
from svc.cli.demo.demo_server import Server
from svc.cli.installation import seed
from svc.store import database
from svc.store.database import db
from svc.store.engine.schema import VERSION
from tests.deploy.test_machines import Machines
from tests.support.documents import ROOT
from tests.support.machines import WaitingWorker
from tests.support.releases import NEXT, NEXT_RELEASE, ROLLING, UNMARKED, newer_program
from tests.work.test_recovery import NOTES, until

pytestmark = [pytest.mark.slow, pytest.mark.judges]


class Load:
    """Triggers productions of a partner at a server and reads their states, without a pause;
    a context manager.
    """

    def __init__(self, server: Server, seeded: dict):
        self._server, self._seeded = server, seeded
        self.triggered: list[str] = []
        self.refused: list[str] = []  # what no server should answer
        self._stopping = threading.Event()
        self._threads = [
            threading.Thread(target=self._run, args=(call,)) for call in (self._trigger, self._read)
        ]

    def __enter__(self) -> "Load":
        for each in self._threads:
            each.start()
        return self

    def __exit__(self, *_) -> None:
        self._stopping.set()
        for each in self._threads:
            each.join()

    def _run(self, call) -> None:
        with requests.Session() as session:
            session.trust_env = False
            session.headers["X-API-Key"] = self._seeded["testKey"]
            # within the budget
            while not self._stopping.wait(1.2 if call == self._trigger else 0.25):
                try:
                    call(session)
                except requests.RequestException as lost:
                    self.refused.append(repr(lost))

    def _trigger(self, session: requests.Session) -> None:
        brief = {name: self._seeded[name] for name in ("languageId", "countryId", "avatarId")}
        path = f"/v1/accounts/{self._seeded['sandboxAccountId']}/productions"
        json = {"topic": "A small one", "metadataMD": NOTES, **brief}
        answer = self._judged(session.post(self._server.address + path, json=json, timeout=30), 202)
        if answer.status_code == 202:
            self.triggered.append(answer.json()["productionId"])

    def _read(self, session: requests.Session) -> None:
        for production in self.triggered[-1:]:
            self._judged(
                session.get(f"{self._server.address}/v1/productions/{production}", timeout=30), 200
            )

    def _judged(self, answer: requests.Response, expected: int) -> requests.Response:
        if answer.status_code != expected:
            self.refused.append(f"{answer.status_code} {answer.text}")
        return answer

    def until_more(self, what: int) -> None:
        """Wait until so many more of its triggers are answered."""
        before = len(self.triggered)
        until(lambda: len(self.triggered) >= before + what, "answers")


class Releases(Machines):
    """A server of this release, and one of the next, which has one more migration; workers of both,
    whose steps only wait.
    """

    def __init__(self, postgres, bucket, tmp_path: Path, script: str):
        super().__init__(postgres, bucket, tmp_path)
        [self.old] = self.servers
        self.newer = newer_program(tmp_path / "newer", script)
        data_dir = tmp_path / "data1"
        data_dir.mkdir(mode=0o700)
        (data_dir / "secret").write_bytes((tmp_path / "data0" / "secret").read_bytes())
        self.new = Server(data_dir, 0, **self._shared, SVC_RENDER_WORKERS="0")
        self.new.root = self.newer
        database.open_database(tmp_path / "data0" / "service.db", self.address)
        # with a budget of requests of its own
        self.another = seed.make_partner("Enterprise", clock.now())
        db.close()

    def worker_of(self, root: Path, name: str) -> WaitingWorker:
        secret = self._folder / "data0" / "secret"
        worker = WaitingWorker(
            self._folder / name, secret, "--steps", "2", WAIT_SECONDS="0.1", **self._shared
        )
        worker.root = root
        return worker

    def schema(self) -> tuple[int, bool]:
        """The version, and whether what the next release brings is there."""
        [(version,)] = self.ask("SELECT value FROM meta WHERE name = 'schema_version'")
        [(table,)] = self.ask("SELECT to_regclass('shelves') IS NOT NULL")
        columns = self.ask(
            "SELECT 1 FROM information_schema.columns WHERE column_name IN ('shelf', 'shelves')"
        )
        assert len(columns) == (2 if table else 0)
        return int(version), table

    def unpublished(self) -> int:
        return self.ask("SELECT count(*) FROM productions WHERE status <> 'Published'")[0][0]

    def run(self, root: Path, *arguments: str) -> str:
        """What a command of a program says."""
        environment = {
            "PATH": os.environ["PATH"],
            "SVC_DATA_DIR": str(self._folder / "data0"),
            **self._shared,
        }
        command = [sys.executable, "app.py", *arguments]
        done = subprocess.run(
            command, cwd=root, env=environment, capture_output=True, text=True, check=False
        )
        return done.stdout + done.stderr

    def doctor(self) -> list[str]:
        return [
            f"{each['verdict']} {each['text']}"
            for each in json.loads(self.run(ROOT, "doctor", "--json"))["findings"]
        ]


def no_error(*logs: str) -> bool:
    return not any(
        word in log for log in logs for word in ("Traceback", "ERROR", "CRITICAL", "cached plan")
    )


def test_the_next_release_starts_beside_this_one_and_takes_over(postgres, bucket, tmp_path):
    stage = Releases(postgres, bucket, tmp_path, ROLLING)
    with ExitStack() as running:
        with (
            stage.old,
            stage.worker_of(ROOT, "worker0") as old_worker,
            Load(stage.old, stage.seeded) as load,
        ):
            until(
                lambda: stage.ask("SELECT 1 FROM productions WHERE status = 'Published'"),
                "a published production",
            )
            assert stage.schema() == (VERSION, False)
            running.enter_context(stage.new)
            assert stage.schema() == (NEXT, True)
            beside = running.enter_context(Load(stage.new, stage.another))
            load.until_more(5)
            published = "SELECT 1 FROM productions WHERE id = %s AND status = 'Published'"
            since = load.triggered[-1]
            until(lambda: stage.ask(published, since), "what the old server was given since")
            until(
                lambda: beside.triggered and stage.ask(published, beside.triggered[0]),
                "what the new server was given",
            )
            assert stage.drives(stage.old)
            # of the old release, started on the newer schema
            with stage.worker_of(ROOT, "worker1") as another:
                until(lambda: "completed in" in another.told(), "a step of it")
            assert set(stage.ask("SELECT DISTINCT version FROM workers")) == {
                (RELEASE,),
                (NEXT_RELEASE,),
            }
            told = stage.doctor()
            assert any(
                f"is of release {NEXT_RELEASE}, this program of {RELEASE}" in each for each in told
            )
            assert any(
                each.startswith(f"warning Its schema {NEXT} is of a newer release") for each in told
            )
        assert stage.drives(stage.new)
        new_worker = running.enter_context(stage.worker_of(stage.newer, "worker2"))
        beside.until_more(3)
        beside.__exit__()
        until(lambda: stage.unpublished() == 0, "the end of all productions")
        assert "completed in" in new_worker.told()
        assert (
            len(stage.ask("SELECT id FROM productions"))
            == len(load.triggered) + len(beside.triggered)
            > 10
        )
    assert load.refused == beside.refused == []
    logs = [each.log.read_text() for each in (stage.old, stage.new)]
    assert no_error(*logs, old_worker.told(), another.told(), new_worker.told())
    assert f"migrating the database by {NEXT:04}_next.sql" in logs[1]


def test_a_release_that_cannot_run_beside_this_one_refuses_and_does_not_disturb_it(
    postgres, bucket, tmp_path
):
    stage = Releases(postgres, bucket, tmp_path, UNMARKED)
    with (
        stage.old,
        stage.worker_of(ROOT, "worker0") as worker,
        Load(stage.old, stage.seeded) as load,
    ):
        load.until_more(1)
        with pytest.raises(
            CommandError,
            match=rf"must be migrated to schema {NEXT}, but a server is running \(process \d+ on ",
        ):
            stage.new.start()
        load.until_more(2)
        until(lambda: stage.unpublished() < len(load.triggered) - 1, "published productions")
    assert stage.schema() == (VERSION, False)
    assert load.refused == [] and no_error(stage.old.log.read_text(), worker.told())


def test_a_worker_that_slept_through_a_migration_ends_and_its_step_is_run_by_the_next_release(
    postgres, bucket, tmp_path
):
    stage = Releases(postgres, bucket, tmp_path, UNMARKED)
    with stage.worker_of(ROOT, "worker0") as worker, ExitStack() as running:
        with stage.old, Load(stage.old, stage.seeded) as load:
            load.until_more(3)
            until(lambda: "completed in" in worker.told(), "a step of the old worker")
            worker.process.send_signal(signal.SIGSTOP)

        def is_taken_for_dead() -> bool:
            with suppress(CommandError):
                running.enter_context(stage.new)
                return True
            return False

        until(is_taken_for_dead, "a new server beside the silent worker")
        assert stage.schema() == (NEXT, True)
        new_worker = running.enter_context(stage.worker_of(stage.newer, "worker1"))
        worker.process.send_signal(signal.SIGCONT)
        assert worker.process.wait(60) == 2
        assert "This worker ends. The database was migrated for programs" in worker.told()
        until(lambda: stage.unpublished() == 0, "the end of all productions")
        assert "completed in" in new_worker.told()
    assert stage.ask("SELECT 1 FROM alerts WHERE name = 'ProgramOld'")


def test_a_migration_that_is_killed_half_way_leaves_the_schema_and_those_at_work_as_they_were(
    postgres, bucket, tmp_path
):
    stage = Releases(
        postgres, bucket, tmp_path, f"{ROLLING}CREATE INDEX paces ON step_paces (mean_ms);"
    )
    half_way = (
        "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'DO %%' AND wait_event_type = 'Lock'"
    )
    with (
        stage.old,
        stage.worker_of(ROOT, "worker0") as worker,
        Load(stage.old, stage.seeded) as load,
    ):
        with psycopg.connect(stage.address) as keeping:
            keeping.execute("LOCK TABLE step_paces IN ROW EXCLUSIVE MODE")
            with stage.worker_of(stage.newer, "worker1") as killed:
                until(lambda: stage.ask(half_way), "a migration whose table and columns are there")
                killed.kill()
            load.until_more(2)
        assert stage.schema() == (VERSION, False)
        until(
            lambda: stage.ask("SELECT 1 FROM productions WHERE status = 'Published'"),
            "a published production",
        )
        with stage.new:
            assert stage.schema() == (NEXT, True)
            load.until_more(2)
    assert load.refused == [] and no_error(stage.old.log.read_text(), worker.told())


def test_a_backup_that_this_release_makes_of_the_newer_schema_is_one_for_the_newer_release(
    postgres, bucket, tmp_path
):
    stage = Releases(postgres, bucket, tmp_path, ROLLING)
    assert "migrating the database" in stage.run(
        stage.newer, "partner", "list"
    ) and stage.schema() == (NEXT, True)
    file = str(tmp_path / "backup.tar")
    said = stage.run(ROOT, "backup", file)
    assert Path(file).exists(), said
    assert "made by a newer release" in stage.run(ROOT, "backup", file, "--verify")
    verified = stage.run(stage.newer, "backup", file, "--verify")
    assert f"schema {NEXT}" in verified, verified
