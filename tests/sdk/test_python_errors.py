"""The errors of the Python SDK: they can be copied, say each sentence once,
and nothing foreign comes through.
"""

import copy
import json
import multiprocessing
import pickle
import re
from concurrent.futures import ProcessPoolExecutor

import httpx
import pytest
from partner_production import (
    ApiError,
    Client,
    ConnectionFailed,
    HashMismatch,
    InvalidResponse,
    InvalidSignature,
    ProductionCancelled,
    ProductionEnded,
    ProductionFailed,
    RateLimited,
    Unavailable,
    WaitTimedOut,
    errors,
)

from tests.support.sdk_service import BASE, KEY, Service, ok, refusal

PRODUCTION = {"productionId": "p1", "status": "Failed", "errorCode": "E", "errorMessage": "M."}
BODY = json.dumps(
    {"error": "CODE", "message": "No.", "fields": {"topic": ["Too long."]}, "correlationId": "c1"}
).encode()


def verify(client):
    return client.partner.verify()


def made(kind: type) -> Exception:
    """An error of a class, as the SDK makes it."""
    if kind is InvalidResponse:
        return kind(200, {"Content-Type": "text/html"}, "It is HTML.", is_damaged=True)
    if issubclass(kind, ApiError):
        return kind(409, {"X-Correlation-Id": "c1"}, BODY)
    if issubclass(kind, ProductionEnded):
        return kind(PRODUCTION)
    if kind is InvalidSignature:
        return kind("It is missing.", "missing")
    error = kind("Something is wrong.")
    error.production = PRODUCTION
    return error


KINDS = [
    each
    for each in vars(errors).values()
    if isinstance(each, type) and issubclass(each, errors.PartnerProductionError)
]


@pytest.mark.parametrize("kind", KINDS)
def test_errors_can_be_copied_and_pickled(kind):
    error = made(kind)
    assert len(KINDS) > 17
    for other in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
        assert type(other) is kind and other is not error
        assert (str(other), other.args, vars(other)) == (str(error), error.args, vars(error))
        assert other.production == error.production


class OwnError(errors.Conflict):
    """A subclass of a caller, whose constructor takes something else."""

    def __init__(self, order: str):
        super().__init__(409, {}, BODY)
        self.order = order


def test_a_subclass_of_a_caller_can_be_pickled_too():
    other = pickle.loads(pickle.dumps(OwnError("4711")))
    assert (other.order, other.code, str(other)) == (
        "4711",
        "CODE",
        "409 CODE: No. topic: Too long.",
    )


def refuse(number: int) -> None:
    raise made(errors.Conflict)


@pytest.mark.slow
def test_a_conflict_in_a_process_pool_arrives_and_the_pool_goes_on():
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        for number in (1, 2):
            with pytest.raises(errors.Conflict, match="409 CODE: No. topic: Too long.") as raised:
                pool.submit(refuse, number).result()
            assert raised.value.fields == {"topic": ["Too long."]}


def test_a_sentence_is_said_once_and_a_message_is_capped(ask):
    said = {
        "message": "topic: Too long.",
        "fields": {"topic": ["Too long."], "avatarId": ["Unknown."]},
    }
    with pytest.raises(ApiError) as raised:
        ask(Service(refusal(400, "INVALID_REQUEST", **said)), verify)
    assert str(raised.value) == "400 INVALID_REQUEST: topic: Too long. avatarId: Unknown."
    many = {f"items[{number}]": ["The avatar is unknown."] for number in range(1000)}
    with pytest.raises(ApiError) as raised:
        ask(Service(refusal(409, "BATCH_REFUSED", fields=many)), verify)
    assert (len(str(raised.value)), len(raised.value.fields), str(raised.value)[-1]) == (
        1000,
        1000,
        "…",
    )
    with pytest.raises(ApiError) as raised:
        ask(Service(refusal(400, "E", message="x" * 5000)), verify)
    assert (len(raised.value.message), len(str(raised.value))) == (1000, 1000)


def test_an_error_has_the_headers_of_its_answer(ask):
    with pytest.raises(ApiError) as raised:
        ask(
            Service(httpx.Response(404, headers={"X-Correlation-Id": "c9", "X-Other": "o"})), verify
        )
    assert (raised.value.correlation_id, raised.value.headers["x-other"]) == ("c9", "o")


@pytest.mark.parametrize(
    "headers, seconds",
    [
        (
            {
                "Retry-After": "Wed, 21 Oct 2026 07:28:42 GMT",
                "Date": "Wed, 21 Oct 2026 07:28:00 GMT",
            },
            42,
        ),
        (
            {
                "Retry-After": "Wed, 21 Oct 2026 07:27:00 GMT",
                "Date": "Wed, 21 Oct 2026 07:28:00 GMT",
            },
            0,
        ),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
        ({"Retry-After": "7"}, 7),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "-5"}, None),
        ({"Retry-After": "²"}, None),
    ],
)
def test_the_wait_may_be_a_date(headers, seconds):
    assert RateLimited(429, headers, b"").retry_after == seconds


@pytest.mark.parametrize("told", [True, -1, "7", [], 1e999, 10**400, float("nan")])
def test_a_wait_that_is_none_is_not_waited_for(told):
    assert (
        RateLimited(429, {}, json.dumps({"retryAfterSeconds": told}).encode()).retry_after is None
    )


@pytest.mark.parametrize(
    "answer, told",
    [
        (
            httpx.Response(200, content=b"<html>", headers={"Content-Type": "text/html"}),
            "text/html instead of JSON",
        ),
        (
            httpx.Response(200, content=b'{"a": ', headers={"Content-Type": "application/json"}),
            "no whole JSON",
        ),
        (
            httpx.Response(
                200, content=b"[" * 100_000, headers={"Content-Type": "application/json"}
            ),
            "no whole JSON",
        ),
        (ok([]), "the answer is a list, not an object"),
        (ok("text"), "the answer is a str, not an object"),
        (httpx.Response(200), "the answer is missing or null, not an object"),
    ],
    ids=["HTML", "cut", "deep", "list", "text", "empty"],
)
def test_an_answer_that_is_none_of_the_api_is_an_error_of_its_own(ask, answer, told):
    with pytest.raises(InvalidResponse, match=told) as raised:
        ask(Service(answer), verify)
    assert (raised.value.status, raised.value.code) == (200, "INVALID_RESPONSE")


def test_answers_of_another_shape_are_an_error_of_their_own(ask):
    calls = {
        "pollAfterSeconds": lambda client: client.events.page(),
        "status": lambda client: client.productions.get("p1"),
        "no Base64": lambda client: client.productions.preview_scene("p1", 1),
        "sasUrl": lambda client: client.deliverables.list("p1"),
        "nextCursor": lambda client: client.productions.list("a1"),
    }
    entry = {"deliverableId": "d1", "type": "Video", "format": "mp4", "sizeBytes": 1, "sha256": "x"}
    body = {"data": [entry], "hasMore": True, "productionId": "p1", "content": "%%%"}
    for told, call in calls.items():
        changes = {"data": [], "nextCursor": "1"} if told == "pollAfterSeconds" else {}
        with pytest.raises(InvalidResponse, match=told):
            ask(Service(ok(body | changes)), call)


@pytest.mark.parametrize(
    "error", [httpx.DecodingError("bad"), httpx.TooManyRedirects("loop"), httpx.InvalidURL("bad")]
)
def test_whatever_the_http_library_raises_becomes_an_error_of_the_client(ask, error):
    service = Service(error)
    with pytest.raises(ConnectionFailed):
        ask(service, verify)
    # no try mends the others
    assert len(service.requests) == (3 if isinstance(error, httpx.DecodingError) else 1)


def test_a_refusal_that_is_nested_without_end_is_one_of_its_status():
    assert Unavailable(503, {}, b'{"error":' * 100_000).code == "HTTP_503"


@pytest.mark.parametrize("key", ["svc_live_secret\n", "  svc_live_secret", "svc_live_secret\r\n"])
def test_what_surrounds_a_key_is_stripped(key):
    service = Service(ok({"partnerName": "P"}))
    with Client(
        BASE, key, http_client=httpx.Client(transport=httpx.MockTransport(service))
    ) as client:
        client.partner.verify()
    assert service.requests[0].headers["X-API-Key"] == "svc_live_secret"


@pytest.mark.parametrize(
    "key",
    [
        "svc_live_secret\nsecond",
        "svc_live_sécret",
        "svc live",
        "\x00svc",
        "",
        " \n",
        None,
        b"svc_live",
    ],
)
def test_a_key_that_cannot_be_sent_is_refused_and_never_shown(key):
    with pytest.raises(ValueError, match="the API key") as raised:
        Client(BASE, key)
    assert "svc" not in str(raised.value) and raised.value.__cause__ is None


@pytest.mark.parametrize(
    "address",
    [
        "",
        None,
        "media.example.com",
        "ftp://x",
        "http://",
        "https://x/?a=1",
        "https://x/#y",
        "http://[",
        "http://x:y",
    ],
)
def test_an_address_that_is_none_is_refused(address):
    with pytest.raises(ValueError, match="the address of the service"):
        Client(address, KEY)


@pytest.mark.parametrize("key", ["Bestellung-ü", "a\nb", "a b", "", 5])
def test_an_idempotency_key_that_cannot_be_sent_is_refused_before_anything_is_sent(ask, key):
    service = Service(ok())
    with pytest.raises(ValueError, match="an idempotency key has only letters of ASCII"):
        ask(service, lambda client: client.webhooks.pause("s1", idempotency_key=key))
    assert service.requests == []


def test_a_proxy_without_its_package_is_told_with_the_package(monkeypatch):
    def without_package(*arguments, **more):
        raise ImportError("Using SOCKS proxy, but the 'socksio' package is not installed.")

    monkeypatch.setattr(httpx.Client, "_init_proxy_transport", without_package)
    monkeypatch.setenv("ALL_PROXY", "socks5://user:secret@127.0.0.1:1080")
    with pytest.raises(ConnectionFailed, match=re.escape("pip install 'httpx[socks]'")) as raised:
        Client(BASE, KEY)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    "proxy", ["gopher://user:secret@127.0.0.1:1", "http://user:secret@127.0.0.1:port"]
)
def test_a_proxy_that_cannot_be_used_is_an_error_of_the_client(monkeypatch, proxy):
    monkeypatch.setenv("ALL_PROXY", proxy)
    with pytest.raises(ConnectionFailed, match="ALL_PROXY") as raised:
        Client(BASE, KEY)
    assert "secret" not in str(raised.value)


def test_a_client_that_is_closed_says_so():
    client = Client(BASE, KEY)
    client.close()
    with pytest.raises(ConnectionFailed, match="this client has been closed"):
        client.partner.verify()


def test_errors_of_productions_and_files_carry_them():
    assert ProductionFailed(PRODUCTION).production is PRODUCTION
    assert ProductionCancelled(PRODUCTION).production is PRODUCTION
    assert WaitTimedOut("x").production is None and HashMismatch("x").deliverable is None
    assert (
        str(Unavailable(503, {}, b"<h1>Bad\x00\n gateway</h1>"))
        == "503 HTTP_503: <h1>Bad gateway</h1>"
    )
