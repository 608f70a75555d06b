"""Names that are slow to look up cost whoever registers them, and nobody else: a real server,
and a resolver that hangs.
"""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from support.front import Gunicorn, running

pytestmark = pytest.mark.slow

REGISTRATIONS = 40
DEADLINE = 5.0  # seconds; svc.adapters.addresses.LOOKUP_SECONDS


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """One worker with eight threads, as ``serve`` has them."""
    gunicorn = Gunicorn(tmp_path_factory.mktemp("names") / "data", workers=1, SVC_ENGINE="off")
    gunicorn.command[-1] = "tests.deploy.slow_names:app"
    with running(gunicorn):
        yield gunicorn


def call(service, method: str, path: str, key: str, **more) -> tuple[requests.Response, float]:
    began = time.monotonic()
    answer = requests.request(
        method, service.address + path, headers={"X-API-Key": key}, timeout=60, **more
    )
    return answer, time.monotonic() - began


def register(service, key: str, host: str) -> tuple[requests.Response, float]:
    body = {"endpointUrl": f"https://{host}/hooks", "eventTypes": ["production.queued"]}
    return call(service, "POST", "/v1/webhooks", key, json=body)


def test_forty_registrations_of_slow_names_hold_up_nobody_else(service, enrol):
    slow, other, third = (enrol(service.data_dir)["testKey"] for _ in range(3))
    with ThreadPoolExecutor(REGISTRATIONS) as pool:
        began = time.monotonic()
        asked = [
            pool.submit(register, service, slow, f"n{number}.slow.example")
            for number in range(REGISTRATIONS)
        ]
        while not any(each.done() for each in asked):
            time.sleep(0.01)
        waits = [call(service, "GET", "/v1/webhooks", other) for _ in range(10)]
        made, registering = register(service, third, "quick.example")
        told = [each.result() for each in asked]
        whole = time.monotonic() - began
    assert all(answer.status_code == 200 for answer, _ in waits) and made.status_code == 201
    assert max(took for _, took in waits) < DEADLINE / 2 and registering < DEADLINE / 2
    # two were looked up, and the others are one too many
    assert {answer.status_code for answer, _ in told} <= {429, 503}
    assert all(int(answer.headers["Retry-After"]) > 0 for answer, _ in told)
    waited = [took for _, took in told if took > DEADLINE - 1]
    assert 1 <= len(waited) <= 2, sorted(took for _, took in told)
    assert whole < 3 * DEADLINE
    # The lookups go on, though nobody waits: until they end, that partner alone is refused.
    again, took = register(service, slow, "quick.example")
    assert (again.status_code, took < DEADLINE / 2) == (429, True)
    assert register(service, other, "quick.example")[0].status_code == 201
