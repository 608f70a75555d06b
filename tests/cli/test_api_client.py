"""The client of commands and tools waits for the rate limit, and sends again what was lost."""

from types import SimpleNamespace

import pytest
import requests

from svc.base.errors import CommandError
from svc.cli.demo.client import Client, Unreachable

START = 1_000.0


class Api:
    """Stands in for a session: gives one answer after the other; an exception is raised."""

    def __init__(self, *answers):
        self.answers, self.asked, self.headers = list(answers), [], {}

    def request(self, method, address, **more):
        self.asked.append((method, more.get("headers")))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def answer(status: int = 200, says: dict | None = None, **headers: str) -> SimpleNamespace:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return SimpleNamespace(
        ok=status < 300, status_code=status, headers=named, content=b"x", json=lambda: says or {}
    )


def limited(seconds: int) -> SimpleNamespace:
    says = {"error": "RATE_LIMIT_EXCEEDED", "message": "Too many.", "retryAfterSeconds": seconds}
    return answer(429, says)


def client(api: Api, patience: float | None = None) -> tuple[Client, list[float]]:
    """A client of ``api``, and how long it has slept each time."""
    slept: list[float] = []
    given = {} if patience is None else {"patience": patience}
    given |= {"now": lambda: START + sum(slept), "sleep": slept.append}
    made = Client("http://127.0.0.1:9", "svc_test_x", **given)
    made._session = api
    return made, slept


def test_a_request_that_is_told_to_wait_is_sent_again_after_it():
    made, slept = client(Api(limited(30), answer(says={"a": 1})))
    assert made.get("/v1/accounts") == {"a": 1} and slept == [30]


def test_all_waiting_together_takes_no_longer_than_the_patience():
    made, slept = client(Api(limited(5), limited(5), answer()), patience=8)
    with pytest.raises(CommandError, match="429 RATE_LIMIT_EXCEEDED: Too many. It can .* in 5 s"):
        made.get("/v1/accounts")
    assert slept == [5]


def test_a_call_that_may_take_longer_anyway_may_wait_longer():
    made, slept = client(Api(limited(20), answer()), patience=8)
    made.extend_patience(20)
    made.get("/v1/accounts")
    assert slept == [20]


def test_what_would_have_to_wait_for_the_next_window_is_not_sent_and_says_when():
    reset = {"X_RateLimit_Remaining": "2", "X_RateLimit_Reset": str(START + 42.5)}
    made, slept = client(api := Api(answer(**reset), answer()), patience=8)
    made.get("/v1/accounts")
    with pytest.raises(CommandError, match="POST /v1/webhooks was not sent.* in 43 s"):
        made.post("/v1/webhooks", {})
    assert slept == [] and len(api.asked) == 1


def test_a_post_whose_connection_broke_off_is_sent_again_with_the_same_key():
    made, _ = client(api := Api(requests.ConnectionError("reset"), answer(), answer()))
    made.post("/v1/webhooks", {})
    made.post("/v1/webhooks", {})
    first, again, other = (headers["Idempotency-Key"] for _, headers in api.asked)
    assert first == again != other


def test_what_is_still_being_answered_is_asked_for_until_it_is():
    says = {"error": "REQUEST_IN_PROGRESS", "message": "Try again in a second."}
    busy = answer(409, says)
    made, slept = client(api := Api(requests.ConnectionError("reset"), busy, busy, answer()))
    made.post("/v1/webhooks", {})
    assert slept == [1, 1] and len({headers["Idempotency-Key"] for _, headers in api.asked}) == 1
    made, slept = client(Api(*[busy] * 70))
    with pytest.raises(CommandError, match="409 REQUEST_IN_PROGRESS: Try again"):
        made.post("/v1/webhooks", {})
    assert slept == [1] * 60


def test_a_change_whose_connection_broke_off_is_sent_again():
    made, _ = client(api := Api(requests.ConnectionError("reset"), answer(says={"version": 2})))
    assert made.put("/v1/productions/x/script", {}) == {"version": 2} and len(api.asked) == 2


def test_a_key_of_ones_own_is_sent():
    made, _ = client(api := Api(answer()))
    made.post("/v1/webhooks", {}, {"Idempotency-Key": "order-1"})
    assert api.asked == [("POST", {"Idempotency-Key": "order-1"})]


@pytest.mark.parametrize(
    ("method", "failures", "times"),
    [
        ("get", [requests.ConnectionError("reset")] * 2, 2),
        ("get", [requests.ReadTimeout("late")], 1),
        ("delete", [requests.ConnectionError("reset")], 1),  # a second one would be refused
    ],
)
def test_what_is_lost_again_or_must_not_be_repeated_is_an_error(method, failures, times):
    made, _ = client(api := Api(*failures))
    with pytest.raises(Unreachable, match="cannot be reached"):
        getattr(made, method)("/v1/webhooks/x")
    assert len(api.asked) == times


def test_a_server_that_cannot_be_reached_is_told_in_a_few_words():
    with pytest.raises(Unreachable) as failed:
        Client("http://127.0.0.1:9", "svc_test_x").get("/v1/events")
    assert str(failed.value) == (
        "GET /v1/events: http://127.0.0.1:9 cannot be reached: Connection refused"
    )


@pytest.mark.parametrize(
    "address", ["http://[", "http://[::1", "127.0.0.1:8080", "ftp://a", "http://a:99999", "http:/a"]
)
def test_an_address_that_is_none_is_said(address):
    with pytest.raises(CommandError, match="is no address of a service"):
        Client(address, "svc_test_x")


@pytest.mark.parametrize("key", ["svc_test_ключ", "svc_test_a\nb", "svc test", "svc_test_\udcff"])
def test_a_key_that_no_header_takes_is_said(key):
    with pytest.raises(CommandError, match="This is no API key"):
        Client("http://127.0.0.1:9", key)
