"""Several workers of one gunicorn: all serve, one drives, limits stay exact;
reload and stop lose no request and no work.
"""

import os
import shutil
import signal
import threading
import time
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests
from support.front import Gunicorn, Nginx, running

from svc.cli.demo.client import Client
from svc.domain.tiers import TIERS
from svc.store.engine.sqlite_driver import sqlite3
from tests.deploy.conftest import brief
from tests.support.processes import processes_with
from tests.work.test_recovery import until

pytestmark = pytest.mark.slow

HELD = "---\nsandbox:\n  holdIn: Queued\n---\n"
SLOW = (
    "---\nsandbox:\n  slowStep: narration\n  slowSeconds: 6\n---\n## One\n\n"
    "One sentence, and no more."
)


@pytest.fixture
def service(tmp_path):
    with running(Gunicorn(tmp_path / "data", workers=3)) as gunicorn:
        yield gunicorn
    assert "Traceback" not in gunicorn.said()


def ask(service, sql: str, parameters=()) -> list:
    connection = sqlite3.connect(f"file:{service.data_dir / 'service.db'}?mode=ro", uri=True)
    try:
        return connection.execute(sql, parameters).fetchall()
    finally:
        connection.close()


def driver(service) -> int | None:
    """The process that holds the lock on the data directory;
    /proc/locks names it and the file's inode.
    """
    inode = (service.data_dir / "driver.lock").stat().st_ino
    with open("/proc/locks") as file:
        held = [line.split() for line in file if line.split()[1] == "FLOCK"]
    return next((int(each[4]) for each in held if int(each[5].split(":")[2]) == inode), None)


def processors_of_threads(pid: int) -> list[set[int]]:
    threads = Path(f"/proc/{pid}/task").iterdir()
    return [os.sched_getaffinity(int(thread.name)) for thread in threads]


def test_each_worker_answers_on_one_processor_and_makes_on_all(service):
    """The threads of its engine, and so the processes of steps, are not kept on it."""
    until(lambda: all(len(os.sched_getaffinity(pid)) == 1 for pid in service.workers()), "kept")
    kept = Counter(cpu for pid in service.workers() for cpu in os.sched_getaffinity(pid))
    usable = os.sched_getaffinity(0)
    assert kept.total() == 3 and max(kept.values()) - min(kept[cpu] for cpu in usable) <= 1
    assert usable in processors_of_threads(driver(service))


def is_published(service, production: str) -> bool:
    return ask(service, "SELECT status FROM productions WHERE id = ?", (production,)) == [
        ("Published",)
    ]


def all_at_once(number: int, call) -> Counter:
    with ThreadPoolExecutor(24) as pool:
        return Counter(pool.map(call, range(number)))


def test_every_worker_answers_and_one_drives(service, enrol):
    enrol(service.data_dir)
    until(lambda: "this process runs the engine" in service.said(), "a driver")
    assert driver(service) in service.workers() and len(service.workers()) == 3
    for _ in range(30):
        assert requests.get(f"{service.address}/openapi.json", timeout=30).status_code == 200
    assert service.said().count("this process runs the engine") == 1


def test_the_request_budget_is_exact_over_three_workers(service, enrol):
    seeded = enrol(service.data_dir, "Free")
    limit = TIERS["Free"].requests_per_minute

    def one(_) -> int:
        return requests.get(
            f"{service.address}/v1/languages", headers={"X-API-Key": seeded["testKey"]}, timeout=30
        ).status_code

    began = time.monotonic()
    assert all_at_once(3 * limit, one) == {200: limit, 429: 2 * limit}
    assert time.monotonic() - began < 60, "the minute was over before the test was"
    entered = [(limit, 3 * limit)]  # a moment after the answers
    until(
        # refusals of one kind share a row, which counts them
        lambda: ask(service, "SELECT sum(counted), sum(times) FROM requests") == entered,
        "the whole history",
    )


def test_the_production_quota_is_exact_over_three_workers(service, enrol):
    seeded = enrol(service.data_dir, "Free")
    quota = TIERS["Free"].daily_productions_per_account

    def one(_) -> int:
        return requests.post(
            f"{service.address}/v1/accounts/{seeded['sandboxAccountId']}/productions",
            json=brief(seeded, metadataMD=HELD),
            headers={"X-API-Key": seeded["testKey"]},
            timeout=30,
        ).status_code

    assert all_at_once(4 * quota, one) == {202: quota, 429: 3 * quota}
    assert ask(service, "SELECT count(*) FROM productions") == [(quota,)]


def test_one_key_of_idempotency_makes_one_production_over_three_workers(service, enrol):
    seeded = enrol(service.data_dir)
    key = str(uuid.uuid4())

    def one(_) -> int:
        return requests.post(
            f"{service.address}/v1/accounts/{seeded['sandboxAccountId']}/productions",
            json=brief(seeded, metadataMD=HELD),
            headers={"X-API-Key": seeded["testKey"], "Idempotency-Key": key},
            timeout=30,
        ).status_code

    answers = all_at_once(60, one)
    # 429: a process lets one partner hold half of its threads
    assert answers[202] and answers.keys() <= {202, 409, 429}
    assert ask(service, "SELECT count(*) FROM productions") == [(1,)]


def test_another_worker_takes_over_when_the_driver_is_killed(service, enrol):
    seeded = enrol(service.data_dir)
    client = Client(service.address, seeded["testKey"])
    path = f"/v1/accounts/{seeded['sandboxAccountId']}/productions"
    production = client.post(path, brief(seeded, metadataMD=SLOW))["productionId"]
    until(
        lambda: ask(
            service,
            "SELECT 1 FROM production_steps WHERE status = 'Running' AND name = 'narration'",
        ),
        "a step",
    )
    first = driver(service)
    os.kill(first, signal.SIGKILL)
    until(lambda: driver(service) not in (None, first), "another driver")
    until(lambda: len(service.workers()) == 3, "a worker in the place of the one that was killed")
    until(lambda: is_published(service, production), "publication")


class Load:
    """Triggers, without a pause, and what became of them."""

    def __init__(self, address: str, seeded: dict, threads: int = 8, verify: str | bool = True):
        self._address, self._seeded, self._verify = address, seeded, verify
        self.acknowledged: set[str] = set()
        self.other: list = []
        self._stopping = threading.Event()
        self._threads = [threading.Thread(target=self._run) for _ in range(threads)]

    def __enter__(self):
        for each in self._threads:
            each.start()
        return self

    def __exit__(self, *_):
        self._stopping.set()
        for each in self._threads:
            each.join()

    def _run(self) -> None:
        with requests.Session() as session:
            session.trust_env, session.verify = False, self._verify
            session.headers["X-API-Key"] = self._seeded["testKey"]
            while not self._stopping.wait(0.25):  # within the budget
                self._one(session)

    def _one(self, session: requests.Session) -> None:
        path = f"/v1/accounts/{self._seeded['sandboxAccountId']}/productions"
        try:
            answer = session.post(
                self._address + path, json=brief(self._seeded, metadataMD=HELD), timeout=30
            )
        except requests.ConnectionError as lost:
            self.other.append(lost)
            return
        if answer.status_code == 202:
            self.acknowledged.add(answer.json()["productionId"])
        elif answer.status_code != 429:
            self.other.append((answer.status_code, answer.text))


@pytest.mark.judges
def test_a_reload_under_load_loses_no_request_and_gives_running_work_on(service, enrol, tmp_path):
    if shutil.which("nginx") is None:
        pytest.skip("no nginx here")
    tmp_path.chmod(0o711)
    seeded, other = enrol(service.data_dir), enrol(service.data_dir)
    client = Client(service.address, other["testKey"])
    path = f"/v1/accounts/{other['sandboxAccountId']}/productions"
    running_one = client.post(path, brief(other, metadataMD=SLOW))["productionId"]
    until(
        lambda: ask(
            service,
            "SELECT 1 FROM production_steps WHERE status = 'Running' AND name = 'narration'",
        ),
        "a step",
    )
    with Nginx(tmp_path / "nginx", f"127.0.0.1:{service.port}", service.data_dir) as front:
        with Load(front.address, seeded, verify=str(front.authority.file)) as load:
            for _ in range(3):
                old, before = set(service.workers()), len(load.acknowledged)
                service.tell(signal.SIGHUP)
                until(
                    lambda old=old: (
                        old.isdisjoint(service.workers()) and len(service.workers()) == 3
                    ),
                    "three new workers",
                )
                until(lambda: driver(service) in service.workers(), "a new driver")
                until(lambda before=before: len(load.acknowledged) > before, "an answer")
    assert load.other == []
    made = {each for (each,) in ask(service, "SELECT id FROM productions")}
    assert made == load.acknowledged | {running_one}
    until(lambda: is_published(service, running_one), "publication")


def test_a_stop_lets_a_running_step_end_and_begins_none(tmp_path, enrol):
    with running(Gunicorn(tmp_path / "data", workers=2, SVC_DRAIN_SECONDS="3600")) as service:
        seeded = enrol(service.data_dir)
        client = Client(service.address, seeded["testKey"])
        path = f"/v1/accounts/{seeded['sandboxAccountId']}/productions"
        production = client.post(path, brief(seeded, metadataMD=SLOW))["productionId"]
        narration = "FROM production_steps WHERE name = 'narration' AND status"
        until(lambda: any(" narration " in each for each in processes_with(production)), "a step")
        service.tell(signal.SIGTERM)
        assert service.end() == 0
        assert ask(service, f"SELECT attempts {narration} = 'Completed'") == [(0,)]
        state = "SELECT status, steps_complete, claim_token FROM productions"
        assert ask(service, state) == [("Producing", 2, None)]


def test_a_stop_under_load_answers_what_it_took_and_gives_running_work_back_at_once(service, enrol):
    seeded, other = enrol(service.data_dir), enrol(service.data_dir)
    client = Client(service.address, other["testKey"])
    path = f"/v1/accounts/{other['sandboxAccountId']}/productions"
    running_one = client.post(path, brief(other, metadataMD=SLOW))["productionId"]
    until(
        lambda: ask(
            service,
            "SELECT 1 FROM production_steps WHERE status = 'Running' AND name = 'narration'",
        ),
        "a step",
    )
    with Load(service.address, seeded) as load:
        until(lambda: len(load.acknowledged) > 20, "some answers")
        service.tell(signal.SIGTERM)
        began = time.monotonic()
        until(
            lambda: not ask(service, "SELECT 1 FROM productions WHERE claim_token IS NOT NULL"),
            "the giving back",
        )
        assert time.monotonic() - began < 3
        assert service.end() == 0
    assert all(isinstance(each, requests.ConnectionError) for each in load.other)
    made = {each for (each,) in ask(service, "SELECT id FROM productions")}
    assert made == load.acknowledged | {running_one}
    service.start()
    until(lambda: is_published(service, running_one), "publication")
