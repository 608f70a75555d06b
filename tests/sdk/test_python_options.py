"""What a caller may ask of single calls of the Python SDK, and of the client."""

import asyncio
import inspect
import json
import logging
import threading

import httpx
import pytest
from partner_production import API_VERSION, AsyncClient, CallCancelled, Client, Response, Retries

from tests.support.sdk_service import BASE, BRIEF, KEY, Service, ok, refusal


def methods(client) -> dict[str, object]:
    """Every method of a client, by its name with that of its part."""
    parts = {name: part for name, part in vars(client).items() if not name.startswith("_")} | {
        "client": client
    }
    return {
        f"{name}.{method}": getattr(part, method)
        for name, part in parts.items()
        for method in dir(part)
        if not method.startswith("_")
        and inspect.ismethod(getattr(part, method))
        and method not in ("close", "aclose")
    }


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_every_method_takes_the_options_of_a_call(kind):
    for name, method in methods(kind(BASE, KEY)).items():
        takes = inspect.signature(method).parameters
        if name.endswith((".wait", ".wait_until_published")):
            assert {"timeout", "cancel"} <= takes.keys(), name
        else:
            assert "options" in takes, name


POSTS = {
    "portal": lambda client, **more: client.accounts.portal_link("a1", **more),
    "estimate": lambda client, **more: client.productions.estimate("a1", BRIEF, **more),
    "trigger": lambda client, **more: client.productions.trigger("a1", BRIEF, **more),
    "approve": lambda client, **more: client.productions.approve_script("p1", **more),
    "reject": lambda client, **more: client.productions.reject_script("p1", **more),
    "reopen": lambda client, **more: client.productions.reopen_script("p1", **more),
    "batch": lambda client, **more: client.batches.trigger("a1", [BRIEF], **more),
    "cancelled batch": lambda client, **more: client.batches.cancel("b1", **more),
    "resumed batch": lambda client, **more: client.batches.resume("b1", **more),
    "template": lambda client, **more: client.templates.create("a1", {}, **more),
    "preview": lambda client, **more: client.templates.preview("a1", "t1", {}, **more),
    "by template": lambda client, **more: client.templates.trigger("a1", "t1", {}, **more),
    "table": lambda client, **more: client.templates.trigger_table(
        "a1", "t1", "city\nCork\n", **more
    ),
    "webhook": lambda client, **more: client.webhooks.create(
        "https://x", ["production.queued"], **more
    ),
    "pause": lambda client, **more: client.webhooks.pause("s1", **more),
    "resume": lambda client, **more: client.webhooks.resume("s1", **more),
    "roll": lambda client, **more: client.webhooks.roll_secret("s1", **more),
    "ping": lambda client, **more: client.webhooks.ping("s1", **more),
    "reinstate": lambda client, **more: client.webhooks.reinstate("s1", **more),
    "redeliver": lambda client, **more: client.webhooks.redeliver("s1", "d1", **more),
    "replay": lambda client, **more: client.webhooks.replay("s1", {"from": "x"}, **more),
    "rotate": lambda client, **more: client.partner.rotate_key(**more),
    "request": lambda client, **more: client.request("POST", "/v1/x", **more),
}
BATCH = {"batchId": "b1", "status": "Open", "counts": {}}


def test_every_post_takes_an_idempotency_key(ask):
    for name, post in POSTS.items():
        service = Service(ok(BATCH))
        ask(service, lambda client, post=post: post(client, idempotency_key="order-1"))
        assert service.requests[0].headers.get("Idempotency-Key") == "order-1", name


def test_every_post_carries_an_idempotency_key_and_is_sent_again_with_it(ask):
    seen = set()
    for name, post in POSTS.items():
        service = Service(httpx.ReadTimeout("slow"), refusal(500, "INTERNAL_ERROR"), ok(BATCH))
        ask(service, post)
        keys = {request.headers.get("Idempotency-Key") for request in service.requests}
        assert (len(service.requests), len(keys)) == (3, 1) and None not in keys, name
        seen |= keys
    assert len(seen) == len(POSTS)


def test_nothing_else_carries_an_idempotency_key(ask):
    service = Service(ok())
    for method in ("GET", "PUT", "PATCH", "DELETE"):
        ask(service, lambda client, method=method: client.request(method, "/v1/x"))
    assert [each.headers.get("Idempotency-Key") for each in service.requests] == [None] * 4


def test_a_call_takes_a_timeout_and_headers_of_its_own(ask):
    service = Service(ok({"data": [], "nextCursor": "1", "pollAfterSeconds": 0}))
    given = {"timeout": 5, "headers": {"X-Correlation-Id": "order-1", "User-Agent": "mine"}}
    ask(service, lambda client: client.events.page(wait_seconds=30, **given), timeout=20)
    ask(service, lambda client: client.events.page(), timeout=20)
    ours, usual = service.requests
    assert ours.extensions["timeout"] == {"connect": 5, "read": 35, "write": 5, "pool": 5}
    assert usual.extensions["timeout"]["read"] == 20
    assert (ours.headers["X-Correlation-Id"], ours.headers["User-Agent"]) == ("order-1", "mine")
    assert ours.headers["X-API-Key"] == KEY and "X-Correlation-Id" not in usual.headers


@pytest.mark.parametrize(
    "name, value", [("X-Api-Key", "x"), ("X Y", "x"), ("X-Y", "a\nb"), ("X-Y", "é"), ("X-Y", 5)]
)
def test_a_header_that_cannot_be_sent_is_refused_before_anything_is_sent(ask, name, value):
    service = Service(ok())
    with pytest.raises(ValueError, match="the header|the value of the header"):
        ask(service, lambda client: client.partner.verify(headers={name: value}))
    assert service.requests == []


def test_an_option_that_does_not_exist_is_refused(ask):
    with pytest.raises(TypeError, match="tiemout"):
        ask(Service(ok()), lambda client: client.partner.verify(tiemout=5))


def test_each_answer_is_shown_with_its_headers_and_correlation_id(ask):
    pages = [
        {"data": [{"n": 1}], "hasMore": True, "nextCursor": "x"},
        {"data": [], "hasMore": False},
    ]
    service = Service(*(ok(page, **{"X-Correlation-Id": f"c{n}"}) for n, page in enumerate(pages)))
    seen: list[Response] = []
    ask(service, lambda client: client.productions.list("a1", on_response=seen.append))
    assert [(each.status, each.correlation_id) for each in seen] == [(200, "c0"), (200, "c1")]
    assert seen[0].headers["content-type"] == "application/json"


def test_a_request_that_no_method_has_can_be_sent(ask):
    service = Service(
        refusal(503, "SERVICE_UNAVAILABLE", 0), ok({"new": 1}, **{"X-Correlation-Id": "c1"})
    )
    query = {"months": 2, "left": None}
    answer = ask(
        service, lambda client: client.request("GET", "/v1/new", query=query, headers={"X-A": "b"})
    )
    assert (answer.status, answer.body, answer.correlation_id) == (200, {"new": 1}, "c1")
    assert str(service.requests[1].url) == f"{BASE}/v1/new?months=2"
    service = Service(httpx.ReadTimeout("slow"), httpx.Response(204))
    sent = ask(
        service, lambda client: client.request("POST", "/v1/new", body=[1], idempotency_key="k")
    )
    assert (sent.status, sent.body, len(service.requests)) == (204, None, 2)
    assert json.loads(service.requests[1].content) == [1]
    with pytest.raises(ValueError, match="does not begin with /"):
        ask(service, lambda client: client.request("GET", "https://elsewhere.example.com/"))


def test_no_version_is_named_if_none_is_wanted(ask):
    service = Service(ok())
    ask(service, lambda client: client.partner.verify(), api_version=None)
    ask(service, lambda client: client.partner.verify(), api_version="2026-11-01")
    ask(service, lambda client: client.partner.verify())
    assert [each.headers.get("X-API-Version") for each in service.requests] == [
        None,
        "2026-11-01",
        API_VERSION,
    ]


def test_the_work_of_the_client_is_logged_without_the_key(ask, caplog):
    caplog.set_level(logging.DEBUG, "partner_production")
    service = Service(
        httpx.ReadTimeout("slow"), refusal(503, "BUSY", 0), ok(**{"X-Correlation-Id": "c1"})
    )
    ask(service, lambda client: client.productions.trigger("a1", BRIEF))
    told = [
        (each.levelname, each.getMessage())
        for each in caplog.records
        if each.name == "partner_production"
    ]
    sent = "POST /v1/accounts/a1/productions"
    assert told == [
        ("INFO", f"{sent} is sent again in 0 s: ReadTimeout"),
        ("DEBUG", f"{sent}: 503, correlation id None"),
        ("INFO", f"{sent} is sent again in 0 s: 503 BUSY"),
        ("DEBUG", f"{sent}: 200, correlation id c1"),
    ]
    assert KEY not in caplog.text and "Tides" not in caplog.text


class Pause(threading.Event):
    """An event that is set as soon as somebody pauses."""

    def wait(self, timeout=None):
        return True


class SecondWait(asyncio.Event):
    """The same for the asynchronous half, which waits for it during the request, too."""

    waits = 0

    async def wait(self):
        self.waits += 1
        return self.waits > 1 or await super().wait()


def test_a_pause_between_requests_ends_when_the_caller_asks_to_stop(ask):
    service = Service(refusal(503, "BUSY", 100))
    cancel = Pause() if ask.event is threading.Event else SecondWait()
    with pytest.raises(CallCancelled):
        ask(service, lambda client: client.partner.verify(cancel=cancel), retries=Retries())
    assert len(service.requests) == 1


def test_nothing_is_sent_for_a_caller_who_has_asked_to_stop(ask):
    service, cancel = Service(ok()), ask.event()
    cancel.set()
    with pytest.raises(CallCancelled):
        ask(service, lambda client: client.partner.verify(cancel=cancel))
    assert service.requests == []


def test_a_request_of_the_asynchronous_half_ends_when_the_caller_asks_to_stop():
    begun = []

    async def never(request):
        begun.append(request)
        cancel.set()
        await asyncio.Event().wait()

    async def ask_and_stop():
        http_client = httpx.AsyncClient(transport=httpx.MockTransport(never))
        async with AsyncClient(BASE, KEY, http_client=http_client) as client:
            await client.partner.verify(cancel=cancel)

    cancel = asyncio.Event()
    with pytest.raises(CallCancelled):
        asyncio.run(ask_and_stop())
    assert len(begun) == 1


def test_an_event_that_would_hold_up_the_asynchronous_half_is_refused():
    async def verify():
        async with AsyncClient(BASE, KEY) as client:
            await client.partner.verify(cancel=threading.Event())

    with pytest.raises(TypeError, match="takes an asyncio.Event"):
        asyncio.run(verify())
