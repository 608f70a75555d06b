"""The receiver of ``demo`` and ``listen``: it believes what is signed, and nothing else."""

import json
import threading

import pytest
import requests
from rich.console import Console

from svc.base.crypto import signing
from svc.cli.demo.listen import Listener
from svc.cli.demo.receiver import LARGEST, Receiver, Sequences

SECRET = bytes(range(32))
EVENT = {
    "eventType": "production.queued",
    "productionId": "p",
    "sequenceNumber": 1,
    "data": {"status": "Queued"},
}
BODY = json.dumps(EVENT).encode()
SIGNED = {
    "X-SERVICE-Signature": signing.make_service_signature(SECRET, BODY),
    "Content-Type": "application/json",
}


@pytest.fixture
def receiver():
    """A receiver that knows the secret, answers 202 and keeps what came in ``came``."""
    came = []

    def take(received):
        came.append(received)
        return 202

    with Receiver(take) as listening:
        listening.trust(signing.encode_base64url(SECRET))
        listening.came = came
        yield listening


def post(url: str, body: bytes = BODY, **headers: str) -> int:
    return requests.post(url, body, headers=headers, timeout=60).status_code


def test_a_signed_delivery_is_believed(receiver):
    assert post(receiver.url, **SIGNED) == 202
    assert (receiver.came[0].problem, receiver.came[0].event) == (None, EVENT)


def test_a_changed_body_is_refused(receiver):
    assert post(receiver.url, BODY + b" ", **SIGNED) == 401
    assert receiver.came[0].problem == "its X-SERVICE-Signature is wrong"
    assert receiver.came[0].event == {}


def test_a_delivery_without_a_signature_is_refused(receiver):
    assert post(receiver.url) == 401
    assert receiver.came[0].problem == "its X-SERVICE-Signature is missing"


def test_a_signed_body_that_is_no_json_is_refused(receiver):
    assert (
        post(
            receiver.url,
            b"{",
            **{"X-SERVICE-Signature": signing.make_service_signature(SECRET, b"{")},
        )
        == 401
    )


def test_a_huge_body_is_refused(receiver):
    with requests.Session() as session:
        request = session.prepare_request(requests.Request("POST", receiver.url))
        request.headers["Content-Length"] = str(LARGEST + 1)
        assert session.send(request, timeout=60).status_code == 413
    assert receiver.came == []


def test_a_delivery_that_comes_before_the_secret_waits_for_it():
    answered = []
    with Receiver(lambda _: 200) as early:
        delivery = threading.Thread(target=lambda: answered.append(post(early.url, **SIGNED)))
        delivery.start()
        early.trust(signing.encode_base64url(SECRET))
        delivery.join()
    assert answered == [200]


@pytest.mark.parametrize(
    ("numbers", "verdicts"),
    [
        ((1, 2, 3), ["new", "new", "new"]),
        ((1, 2, 2, 1, 3), ["new", "new", "repeated", "repeated", "new"]),
        ((1, 3, 2), ["new", "gap", "repeated"]),
        ((2,), ["gap"]),
        ((0, 1, 0, 2), ["new", "new", "new", "new"]),
    ],
)
def test_sequences_are_told_from_gaps_and_repeats(numbers, verdicts):
    sequences = Sequences(from_the_start=True)
    assert [
        sequences.note({"productionId": "p", "sequenceNumber": each}) for each in numbers
    ] == verdicts


def test_events_that_only_some_hear_are_counted_apart():
    sequences = Sequences(from_the_start=True)
    numbers = (1, 2, 1_000_000_001, 3, 1_000_000_003, 1_000_000_001, 4, 6)
    verdicts = ["new", "new", "new", "new", "gap", "repeated", "new", "gap"]
    assert [
        sequences.note({"productionId": "p", "sequenceNumber": each}) for each in numbers
    ] == verdicts


def test_who_joins_late_takes_the_first_number_for_the_start():
    sequences = Sequences(from_the_start=False)
    assert [
        sequences.note({"productionId": "p", "sequenceNumber": each}) for each in (5, 6, 8)
    ] == ["new", "new", "gap"]


def listener(**changes) -> Listener:
    return Listener(
        Console(quiet=True), **{"forward_to": None, "answer": None, "delay": 0.0, **changes}
    )


def test_a_listener_answers_as_it_is_told_to(receiver):
    post(receiver.url, **SIGNED)
    assert listener().take(receiver.came[0]) == 200
    assert listener(answer=503).take(receiver.came[0]) == 503


def test_a_listener_forwards_the_very_bytes_and_passes_the_answer_back(receiver):
    with Receiver(listener(forward_to=receiver.url).take) as between:
        between.trust(signing.encode_base64url(SECRET))
        assert (
            post(between.url, **SIGNED, **{"webhook-id": "1", "Cookie": "not for the application"})
            == 202
        )
    assert receiver.came[0].body == BODY
    assert receiver.came[0].headers["webhook-id"] == "1"
    assert "cookie" not in receiver.came[0].headers


def test_a_listener_does_not_forward_what_is_not_signed(receiver):
    with Receiver(listener(forward_to=receiver.url).take) as between:
        between.trust(signing.encode_base64url(SECRET))
        assert post(between.url) == 401
    assert receiver.came == []


def test_a_listener_answers_502_when_the_application_is_not_there(receiver):
    post(receiver.url, **SIGNED)
    assert listener(forward_to="http://127.0.0.1:1/").take(receiver.came[0]) == 502


def test_a_delivery_of_a_secret_that_was_rolled_meanwhile_is_believed_as_long_as_it_signs_besides(
    receiver,
):
    right, wrong = SIGNED["X-SERVICE-Signature"], "sha256=" + "0" * 64
    for older, status in ((right, 202), (f"{wrong} {right}", 202), (wrong, 401), ("", 401)):
        headers = {"X-SERVICE-Signature": wrong, "X-SERVICE-Signature-Previous": older}
        assert post(receiver.url, **headers) == status
