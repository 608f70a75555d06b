"""Workers on real machines' terms: processes that share a real PostgreSQL and a bucket with a
server that runs no step.
"""

import shutil
import signal
import time
from pathlib import Path

import psycopg
import pytest

from svc.base import clock, settings
from svc.work.doctor import run as doctor
from tests.deploy.test_on_postgres import Stage
from tests.support.machines import WaitingWorker, WorkerProcess
from tests.work.test_recovery import until

pytestmark = [pytest.mark.slow, pytest.mark.judges]

# Asked are 15 seconds and one; a machine that runs other tests may stall. tests.torture.machines
# prints the figures.
FREE_AGAIN = 30.0  # seconds after a worker was killed
CANCELLED = 4.0  # seconds after the cancel was requested


class Machines(Stage):
    """A server that runs no step, and workers."""

    def __init__(self, postgres, bucket, tmp_path):
        shared = bucket | {"SVC_STORAGE_URL": f"s3://media/{tmp_path.name}"}
        super().__init__(postgres, tmp_path, 1, SVC_RENDER_WORKERS="0", **shared)
        self.folder = tmp_path
        self._shared = {"SVC_DATABASE_URL": self.address, "SVC_VOICE": "espeak-ng", **shared}

    def worker(self, name: str, *arguments: str) -> WorkerProcess:
        return WorkerProcess(
            self.folder / name, self.folder / "data0" / "secret", *arguments, **self._shared
        )

    def waiting(self, name: str) -> WaitingWorker:
        """A worker whose steps only wait, so that they take as long on a busy machine."""
        return WaitingWorker(
            self.folder / name, self.folder / "data0" / "secret", WAIT_SECONDS="3", **self._shared
        )

    def read_settings(self) -> settings.Settings:
        """Return the settings of the server."""
        return settings.read(
            {name: value for name, value in self._shared.items() if name.startswith("SVC_")}
            | {"SVC_DATA_DIR": str(self.folder / "data0"), "SVC_RENDER_WORKERS": "0"}
        )

    def spoil(self, name: str) -> Path:
        """Put a file in place of a worker's work folder; return its path."""
        work = self.folder / name / "work"
        shutil.rmtree(work, ignore_errors=True)
        work.write_text("")
        return work

    def claim(self, production: str) -> tuple:
        """The worker's process id, and the token, of the claim on a production; its step."""
        return self.ask(
            "SELECT w.pid, p.claim_token, p.steps_complete FROM productions p LEFT JOIN workers w "
            "ON w.id = p.claim_boot "
            "WHERE p.id = %s",
            production,
        )[0]

    def until_at_work(self, production: str, step: int) -> None:
        """Wait until a worker is in the middle of a step: between two of them it would not be
        late for any.
        """
        sql = (
            "SELECT 1 FROM productions WHERE id = %s AND steps_complete >= %s "
            "AND step_fraction > 0 AND claim_token IS NOT NULL"
        )
        until(lambda: self.ask(sql, production, step), "a worker in the middle of a step")

    def until_claimed(self, production: str, step: int = 0) -> tuple:
        def claimed():
            pid, token, at = self.claim(production)
            return (pid, token) if pid and at >= step else None

        until(claimed, "a worker that runs a step")
        return claimed() or self.until_claimed(production, step)


@pytest.fixture
def machines(postgres, bucket, tmp_path):
    return Machines(postgres, bucket, tmp_path)


def test_two_workers_finish_the_productions_of_a_server_that_runs_no_step(machines):
    [server] = machines.servers
    with server:
        waiting = [machines.trigger(server) for _ in range(2)]
        with machines.worker("first") as first, machines.worker("second") as second:
            for production in waiting:
                until(
                    lambda production=production: machines.status(production) == "Published",
                    "a published production",
                )
            assert "completed in" in first.told() and "completed in" in second.told()
            first.process.terminate()
            assert first.process.wait(20) == 0
            assert [
                pid for (pid,) in machines.ask("SELECT pid FROM workers WHERE role = 'worker'")
            ] == [second.process.pid]
        assert "completed in" not in server.log.read_text()
    assert "Traceback" not in first.told() + second.told() + server.log.read_text()


def test_the_doctor_of_the_server_says_why_a_worker_on_another_machine_cannot_start(machines):
    [server] = machines.servers
    with server, machines.worker("first") as first:
        until(lambda: machines.ask("SELECT 1 FROM workers WHERE role = 'worker'"), "the worker")
        first.process.terminate()
        assert first.process.wait(20) == 0
        (machines.folder / "first" / "secret").write_text("another one")
        with first:
            assert first.process.wait(60) == 2
        [told] = [
            each.text
            for each in doctor.examine(machines.read_settings(), clock.now())
            if each.name == "processes"
        ]
        assert "could not start on" in told and "secret" in told
        shutil.copy(machines.folder / "data0" / "secret", machines.folder / "first")
        with first:
            until(lambda: "runs up to" in first.told().rpartition("error")[2], "the worker")
            note = "SELECT value FROM meta WHERE name = 'start_failures'"
            until(lambda: machines.ask(note) == [("{}",)], "no note any more")


def test_the_step_of_a_killed_worker_is_run_by_another_one_soon(machines):
    [server] = machines.servers
    with server, machines.waiting("first") as first:
        production = machines.trigger(server)
        pid, token = machines.until_claimed(production, 2)
        assert pid == first.process.pid
        with machines.waiting("second") as second:
            until(
                lambda: machines.ask("SELECT 1 FROM workers WHERE pid = %s", second.process.pid),
                "the second worker",
            )
            first.kill()
            killed = time.monotonic()
            until(
                lambda: machines.claim(production)[0] == second.process.pid,
                "a claim of the second worker",
            )
            assert time.monotonic() - killed < FREE_AGAIN
            until(lambda: machines.status(production) == "Published", "publication")
    sequences = [row[0] for row in machines.ask("SELECT sequence FROM events ORDER BY sequence")]
    assert sequences == list(range(sequences[0], sequences[0] + len(sequences)))
    assert machines.ask(
        "SELECT count(*) FROM events WHERE event_type = 'production.step.complete'"
    ) == [(7,)]


def test_a_worker_whose_folder_is_unusable_leaves_its_steps_to_others_and_works_again(machines):
    """It took every production in milliseconds, and kept each for half a minute: one of twelve was
    published in two minutes."""
    [server] = machines.servers
    with server, machines.waiting("first") as first:
        pid = first.process.pid
        until(lambda: machines.ask("SELECT 1 FROM workers WHERE pid = %s", pid), "a worker")
        work = machines.spoil("first")
        waiting = [machines.trigger(server) for _ in range(3)]
        sick = "SELECT 1 FROM workers WHERE pid = %s AND sick IS NOT NULL AND steps = 0"
        until(lambda: machines.ask(sick, pid), "its sickness")
        with machines.waiting("second"):
            until(
                lambda: all(machines.status(each) == "Published" for each in waiting),
                "published productions",
            )
        assert machines.ask("SELECT sum(losses), sum(attempts) FROM production_steps") == [(0, 0)]
        assert machines.ask("SELECT count(*) FROM alerts WHERE name = 'WorkerSick'") == [(1,)]
        work.unlink()
        until(lambda: not machines.ask(sick, pid), "its recovery")
        last = machines.trigger(server)
        until(lambda: machines.status(last) == "Published", "publication")
        closed = "SELECT 1 FROM alerts WHERE name = 'WorkerSick' AND closed_at IS NOT NULL"
        until(lambda: machines.ask(closed), "the end of the alert")


def test_a_worker_that_slept_longer_than_its_lease_changes_nothing(machines):
    [server] = machines.servers
    with server, machines.waiting("first") as first:
        production = machines.trigger(server)
        machines.until_at_work(production, 2)
        first.process.send_signal(signal.SIGSTOP)
        _, token, step = machines.claim(production)
        with machines.waiting("second") as second:
            until(lambda: machines.claim(production)[1] != token, "another claim")
            until(
                lambda: machines.claim(production)[2] > step, "the step done by the second worker"
            )
            first.process.send_signal(signal.SIGCONT)
            until(
                lambda: "it was cancelled, or is run elsewhere" in first.told(),
                "the end of the late step",
            )
            until(lambda: machines.status(production) == "Published", "publication")
            assert "completed in" in second.told()
    assert machines.ask(
        "SELECT count(*) FROM events WHERE event_type = 'production.step.complete'"
    ) == [(7,)]


def test_a_cancel_reaches_a_step_on_another_machine_within_a_second(machines):
    [server] = machines.servers
    with server, machines.waiting("first") as first:
        production = machines.trigger(server)
        machines.until_at_work(production, 2)
        machines.client(server).delete(f"/v1/productions/{production}")
        asked = time.monotonic()
        until(
            lambda: "it was cancelled, or is run elsewhere" in first.told(), "the end of the step"
        )
        assert time.monotonic() - asked < CANCELLED
        until(lambda: machines.status(production) == "Cancelled", "the cancel")


def test_an_idle_worker_leaves_the_database_in_peace(machines):
    """Two updates each three seconds, and a look for jobs and a periodic task each five, for each
    of which but one of the updates the connection is tried first; the rest is what asks for this
    figure.
    """

    def transactions() -> int:
        [(number,)] = machines.ask(
            "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"
        )
        return number

    with psycopg.connect(machines.address, autocommit=True) as connection:
        # once a minute it has some thirty of its own
        connection.execute("ALTER SYSTEM SET autovacuum = off")
        connection.execute("SELECT pg_reload_conf()")
    with machines.worker("first") as first:
        until(lambda: "this worker runs" in first.told(), "a worker")
        time.sleep(12)  # a connection that falls silent reports what it did after ten seconds
        before = transactions()
        time.sleep(12)
        assert transactions() - before <= 4 * 3 + 3 * 4 + 8
