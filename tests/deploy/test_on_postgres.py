"""Real servers on a real PostgreSQL: whole productions, its restart in the midst of one,
and a second server.
"""

import json
import re
import shutil
import subprocess
import sys
import time
from functools import partial

import psycopg
import pytest
import requests

from svc.base import clock
from svc.base.crypto import key_ring
from svc.base.errors import CommandError
from svc.cli.demo.client import Client
from svc.cli.demo.demo_server import Server
from svc.cli.demo.receiver import Receiver
from svc.cli.installation import seed
from svc.domain import master_keys
from svc.domain.webhooks import event_types
from svc.store import database
from svc.store.database import db
from svc.work.doctor import run as doctor
from tests.support.documents import ROOT
from tests.work.test_recovery import EVENTS, NOTES, until

pytestmark = [pytest.mark.slow, pytest.mark.judges]


class Stage:
    """Servers on one empty database, each with a data directory of its own, a partner,
    and the webhooks it was sent.
    """

    def __init__(self, postgres, tmp_path, servers: int, **more: str):
        self.address = postgres.make(tmp_path.name.lower())
        more = {"SVC_DATABASE_URL": self.address, "SVC_VOICE": "espeak-ng", **more}
        self.servers = [Server(tmp_path / f"data{number}", 0, **more) for number in range(servers)]
        database.open_database(tmp_path / "data0" / "service.db", self.address)
        self.seeded = seed.make_partner("Enterprise", clock.now())
        master_keys.open_ring(tmp_path / "data0" / "secret", clock.now())
        db.close()
        for number in range(1, servers):  # the others are given the secret
            (tmp_path / f"data{number}").mkdir(mode=0o700)
            shutil.copy(tmp_path / "data0" / "secret", tmp_path / f"data{number}")
        self.came: list[dict] = []
        self.problems: list[str] = []

    def client(self, server: Server) -> Client:
        return Client(server.address, self.seeded["testKey"])

    def take(self, received) -> int:
        if received.problem:
            self.problems.append(received.problem)
        else:
            self.came.append(received.event)
        return 200

    def subscribe(self, server: Server, receiver: Receiver) -> None:
        types = event_types.SPECIFIED_OF_PRODUCTIONS
        registered = self.client(server).post(
            "/v1/webhooks", {"endpointUrl": receiver.url, "eventTypes": types}
        )
        receiver.trust(registered["signingSecret"])

    def trigger(self, server: Server, notes: str = NOTES) -> str:
        brief = {name: self.seeded[name] for name in ("languageId", "countryId", "avatarId")}
        address = f"/v1/accounts/{self.seeded['sandboxAccountId']}/productions"
        return self.client(server).post(
            address, {"topic": "A small one", "metadataMD": notes, **brief}
        )["productionId"]

    def ask(self, sql: str, *parameters) -> list[tuple]:
        with psycopg.connect(self.address) as connection:
            return connection.execute(sql, parameters).fetchall()

    def status(self, production: str) -> str:
        return self.ask("SELECT status FROM productions WHERE id = %s", production)[0][0]

    def drives(self, server: Server) -> bool:
        return "this process runs the engine" in server.log.read_text()


def readiness(server: Server) -> requests.Response:
    return requests.get(f"{server.address}/readyz", timeout=30)


def headers(server: Server, stage: Stage) -> dict[str, str]:
    key = {"X-API-Key": stage.seeded["testKey"]}
    return requests.get(f"{server.address}/v1/languages", headers=key, timeout=30).headers


def test_a_production_outlives_a_restart_of_postgres_and_of_the_server(postgres, tmp_path):
    stage = Stage(postgres, tmp_path, 1)
    [server] = stage.servers
    with Receiver(stage.take) as receiver, server:
        stage.subscribe(server, receiver)
        production = stage.trigger(server)
        until(lambda: stage.status(production) != "Queued", "the first step")
        postgres.stop()
        try:
            answer = requests.get(
                f"{server.address}/v1/productions/{production}",
                headers={"X-API-Key": stage.seeded["testKey"]},
                timeout=60,
            )
            assert answer.status_code == 503 and "cannot reach its database" in answer.text
            until(
                lambda: "database" in readiness(server).text, "a readiness that names the database"
            )
            assert readiness(server).status_code == 503
        finally:
            postgres.start()
        until(lambda: readiness(server).status_code == 200, "readiness")
        server.kill()
        server.start()
        until(lambda: stage.status(production) in ("AwaitingApproval", "Published"), "the files")
        until(lambda: stage.status(production) == "Published", "publication")
        until(lambda: len({each["eventId"] for each in stage.came}) >= len(EVENTS), "every webhook")
        text = server.log.read_text()
    assert [
        row[0] for row in stage.ask("SELECT event_type FROM events ORDER BY sequence")
    ] == EVENTS
    assert stage.problems == [] and "Traceback" not in text


def test_a_service_outlives_a_database_that_accepts_no_changes(postgres, tmp_path):
    stage = Stage(postgres, tmp_path, 1)
    [server], beside = stage.servers, postgres.make("beside")

    def only_read(setting: str) -> None:
        """What a failover to a standby looks like: connections end,
        and the new ones change nothing.
        """
        with psycopg.connect(beside, autocommit=True) as connection:
            name = psycopg.conninfo.conninfo_to_dict(stage.address)["dbname"]
            connection.execute(
                f"ALTER DATABASE {name} SET default_transaction_read_only = {setting}"
            )
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,)
            )

    with Receiver(stage.take) as receiver, server:
        stage.subscribe(server, receiver)
        production = stage.trigger(server)
        only_read("on")
        until(lambda: readiness(server).status_code == 503, "a readiness that says so")
        until(
            lambda: "PostgreSQL accepts no changes" in server.log.read_text(),
            "a line for the operator",
        )
        key = {"X-API-Key": stage.seeded["testKey"]}
        cancel = partial(
            requests.delete,
            f"{server.address}/v1/productions/{production}",
            headers=key,
            timeout=60,
        )
        until(lambda: "cannot store anything" in cancel().text, "an answer that says so")
        assert cancel().status_code == 503
        only_read("off")
        until(lambda: stage.status(production) == "Published", "publication")
        until(lambda: len({each["eventId"] for each in stage.came}) >= len(EVENTS), "every webhook")
        assert "The data directory cannot be written" not in server.log.read_text()


def test_of_two_servers_both_work_and_one_does_all_when_the_other_is_killed(
    postgres, bucket, tmp_path
):
    stage = Stage(postgres, tmp_path, 2, SVC_STORAGE_URL="s3://media/two", **bucket)
    first, second = stage.servers
    with first, second:
        for server in stage.servers:
            until(lambda server=server: stage.drives(server), "a server at work")
        production = stage.trigger(second)
        until(lambda: stage.status(production) == "Published", "a production")
        assert readiness(second).status_code == 200
        left = [
            int(headers(server, stage)["X-RateLimit-Remaining"])
            for server in (first, second, first, second)
        ]
        assert left == list(range(left[0], left[0] - 4, -1))
        first.kill()
        killed = stage.ask("SELECT value FROM meta WHERE name = 'heartbeat'")
        production = stage.trigger(second)
        until(
            lambda: stage.ask("SELECT value FROM meta WHERE name = 'heartbeat'") != killed,
            "what is done for all",
        )
        until(lambda: stage.status(production) == "Published", "a production by the second server")
        log = second.log.read_text()
    assert "Traceback" not in log


def key_ring_command(server: Server, *words: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "app.py", "key-ring", *words]
    return subprocess.run(
        command, cwd=ROOT, env=server._environment, capture_output=True, text=True, timeout=240
    )


def test_of_two_servers_none_signs_with_a_new_key_before_both_have_it(postgres, bucket, tmp_path):
    """Webhooks go on while the second one lacks the key; the first attempt at each is the last."""
    stage = Stage(postgres, tmp_path, 2, SVC_STORAGE_URL="s3://media/two", **bucket)
    first, second = stage.servers
    versions = "SELECT secret_version FROM subscriptions ORDER BY created_at"
    with Receiver(stage.take) as receiver, Receiver(stage.take) as another, first, second:
        stage.subscribe(first, receiver)
        rotated = key_ring_command(first, "rotate")
        assert rotated.returncode == 0, rotated.stderr
        assert "not in use yet: it waits for the server" in rotated.stdout
        refused = key_ring_command(first, "retire", "1", "--yes")
        assert "master key 2 does not sign yet" in refused.stderr
        stage.subscribe(first, another)
        assert stage.ask(versions) == [(1,), (1,)]
        made = stage.trigger(second)
        until(lambda: stage.status(made) == "Published", "a production")
        pending = "SELECT 1 FROM deliveries WHERE status = 'Pending'"
        until(lambda: not stage.ask(pending), "the deliveries")
        shutil.copy(tmp_path / "data0" / "secret", tmp_path / "data1" / "secret")
        waiting = "SELECT 1 FROM master_keys WHERE waits_since IS NOT NULL"
        until(lambda: not stage.ask(waiting), "the second phase")
        agreed = "SELECT DISTINCT signs_with FROM workers"
        until(lambda: stage.ask(agreed) == [(2,)], "signing with the new key")
        done = key_ring_command(first, "retire", "1", "--yes")
        assert done.returncode == 0, done.stderr
        assert stage.ask(versions) == [(2,), (2,)]
        assert {readiness(each).status_code for each in stage.servers} == {200}
    assert stage.problems == []
    assert stage.ask("SELECT 1 FROM deliveries WHERE failures > 0 OR status <> 'Succeeded'") == []


def test_a_server_with_another_secret_is_refused(postgres, tmp_path):
    stage = Stage(postgres, tmp_path, 2)
    (tmp_path / "data1" / "secret").unlink()
    with pytest.raises(CommandError, match="secret is missing"), stage.servers[1]:
        pass
    key_ring.make(tmp_path / "data1" / "secret")
    with pytest.raises(CommandError, match="secret of another installation"), stage.servers[1]:
        pass


def test_the_doctor_examines_a_service_on_postgres(postgres, tmp_path):
    stage = Stage(postgres, tmp_path, 1)
    environment = {
        "SVC_DATA_DIR": str(tmp_path / "data0"),
        "SVC_DATABASE_URL": stage.address,
        "PATH": "/usr/bin:/bin",
    }

    def findings() -> dict[str, str]:
        command = [sys.executable, "app.py", "doctor", "--json"]
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        assert done.stderr == ""
        return {
            each["name"]: f"{each['verdict']} {each['text']}"
            for each in json.loads(done.stdout)["findings"]
        }

    told = findings()
    assert told["database"] == "ok PostgreSQL answers." and told["secret"].startswith("ok ")
    assert "No engine is running" in told["engine"] and "no backups of PostgreSQL" in told["backup"]
    with psycopg.connect(stage.address, autocommit=True) as connection:
        connection.execute(
            f"ALTER DATABASE {connection.info.dbname} SET default_transaction_read_only = on"
        )
    told = findings()
    assert (
        told["database"]
        == "problem PostgreSQL accepts no changes: it is a standby, or set to be read-only."
    )
    assert not told.keys() & {"engine", "workers"}  # nobody could give a sign of life
    environment["SVC_DATABASE_URL"] = postgres.make("empty")
    assert "has no tables" in findings()["database"]


@pytest.mark.parametrize(("seconds", "said"), [(60, "ahead of"), (-60, "behind")])
def test_the_doctor_finds_a_clock_that_is_not_the_databases(
    postgres, tmp_path, monkeypatch, seconds, said
):
    stage = Stage(postgres, tmp_path, 1)
    settings = doctor.Settings(data_dir=tmp_path / "data0", database_url=stage.address)
    monkeypatch.setattr(clock, "now", lambda: round(1000 * time.time()) + 1000 * seconds)
    found = {each.name: each for each in doctor.examine(settings, clock.now())}
    text = f"The clock of this machine is (59|60) s {said} PostgreSQL's: no work is begun here."
    assert re.fullmatch(text, found["clock"].text)
    assert found["clock"].mend.startswith("timedatectl")


def test_a_worker_with_another_time_waits_and_says_so(postgres, tmp_path):
    stage = Stage(postgres, tmp_path, 1)
    late = "import svc.base.clock as c, time; c.now = lambda: round(1000 * time.time()) + 60_000"
    (tmp_path / "there").mkdir()
    shutil.copy(tmp_path / "data0" / "secret", tmp_path / "there")
    given = {
        "SVC_DATA_DIR": str(tmp_path / "there"),
        "SVC_DATABASE_URL": stage.address,
        "SVC_STORAGE_URL": "s3://bucket/unused",
        "PATH": "/usr/bin:/bin",
    }
    worker = subprocess.Popen(
        [sys.executable, "-u", "-c", f"{late}; from app import main; main()", "worker"],
        cwd=ROOT,
        env=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        said = next(line for line in worker.stdout if "clock" in line)
        assert (
            "The clocks of this machine and of PostgreSQL differ" in said
            and "s ahead of PostgreSQL's" in said
        )
    finally:
        worker.terminate()
        rest = worker.communicate(timeout=60)[0]
    assert "this worker runs" not in rest
