"""How the Python SDK sends, sends again, pages, downloads and fails: both halves,
against answers that a test makes up.
"""

import asyncio
import hashlib
import json

import httpx
import pytest
from partner_production import (
    API_VERSION,
    ApiError,
    AsyncClient,
    CallCancelled,
    Client,
    Conflict,
    ConnectionFailed,
    Forbidden,
    HashMismatch,
    InvalidRequest,
    NotFound,
    ProductionCancelled,
    ProductionFailed,
    RateLimited,
    Retries,
    Unauthorized,
    Unavailable,
    WaitTimedOut,
)

from tests.support.sdk_service import BASE, BRIEF, KEY, QUICK, Service, ok, refusal


def verify(client):
    return client.partner.verify()


def trigger(client, **more):
    return client.productions.trigger("a1", BRIEF, **more)


def test_the_key_goes_in_its_header_and_the_base_address_may_have_a_path(ask):
    service = Service(ok({"partnerName": "P"}))
    assert ask(service, verify) == {"partnerName": "P"}
    [request] = service.requests
    assert (str(request.url), request.headers["X-API-Key"]) == (f"{BASE}/v1/partners/verify", KEY)
    assert request.headers["User-Agent"].startswith("partner-production-python/")


def test_each_request_names_the_version_that_the_client_was_made_for(ask):
    service = Service(ok({}))
    ask(service, verify)
    ask(service, trigger)
    assert [each.headers["X-API-Version"] for each in service.requests] == [
        API_VERSION,
        API_VERSION,
    ]


def test_a_portal_link_is_asked_for_again_when_no_answer_came(ask):
    service = Service(
        httpx.ReadTimeout("lost"),
        ok({"url": "https://x/portal/y", "expiresAt": "2026-11-23T12:00:00.000Z"}),
    )
    assert (
        ask(service, lambda client: client.accounts.portal_link("a/1", 5))["url"]
        == "https://x/portal/y"
    )
    assert [str(each.url) for each in service.requests] == [
        f"{BASE}/v1/accounts/a%2F1/portal-links"
    ] * 2
    assert json.loads(service.requests[1].content) == {"expiresInMinutes": 5}


@pytest.mark.parametrize(
    "status, code", [(429, "RATE_LIMIT_EXCEEDED"), (503, "SERVICE_UNAVAILABLE")]
)
def test_a_request_that_is_told_to_wait_is_sent_again(ask, status, code):
    service = Service(refusal(status, code, 0), refusal(status, code, 0), ok({"done": True}))
    assert ask(service, verify) == {"done": True}
    assert len(service.requests) == 3


def test_the_wait_is_that_of_the_answer(ask):
    waited = []
    policy = Retries(longest_wait=100)

    class Told(Retries):
        def after_answer(self, failure, call, tries):
            waited.append(policy.after_answer(failure, call, tries))
            return 0

    header = httpx.Response(429, headers={"Retry-After": "7"}, content=b"")
    ask(Service(refusal(429, "RATE_LIMIT_EXCEEDED", 42), header, ok()), verify, retries=Told())
    assert waited == [42, 7]


def test_a_limit_that_asks_for_hours_is_raised(ask):
    service = Service(refusal(429, "RATE_LIMIT_EXCEEDED", 40_000))
    with pytest.raises(RateLimited) as raised:
        ask(service, verify)
    assert (raised.value.retry_after, len(service.requests)) == (40_000, 1)


def test_a_server_error_is_tried_again_and_then_raised(ask):
    service = Service(httpx.Response(502, content=b"<h1>Bad gateway</h1>"))
    with pytest.raises(Unavailable, match="HTTP_502: <h1>Bad gateway") as raised:
        ask(service, verify)
    assert (raised.value.code, len(service.requests)) == ("HTTP_502", 3)


@pytest.mark.parametrize(
    "lost",
    [httpx.ConnectError("refused"), httpx.ReadTimeout("slow"), httpx.RemoteProtocolError("cut")],
)
def test_a_lost_request_is_sent_again(ask, lost):
    service = Service(lost, ok({"productionId": "p"}))
    assert ask(service, trigger) == {"productionId": "p"}
    assert len(service.requests) == 2


def test_a_request_that_never_gets_an_answer_is_raised(ask):
    service = Service(httpx.ConnectError("refused"))
    with pytest.raises(ConnectionFailed, match="GET /v1/partners/verify: refused"):
        ask(service, verify)
    assert len(service.requests) == 3


def test_a_trigger_carries_one_idempotency_key_however_often_it_is_sent(ask):
    service = Service(httpx.ReadTimeout("slow"), refusal(503, "SERVICE_UNAVAILABLE", 0), ok())
    ask(service, trigger)
    ask(service, trigger)
    keys = [request.headers["Idempotency-Key"] for request in service.requests]
    assert len(keys) == 4 and keys[0] == keys[1] == keys[2] != keys[3]


def test_an_idempotency_key_of_ones_own_is_sent(ask):
    service = Service(ok())
    ask(service, lambda client: trigger(client, idempotency_key="order-1"))
    assert service.requests[0].headers["Idempotency-Key"] == "order-1"


def test_a_deletion_whose_answer_was_lost_is_done(ask):
    service = Service(httpx.ReadTimeout("slow"), refusal(404, "NOT_FOUND"))
    assert ask(service, lambda client: client.webhooks.delete("s1")) is None
    with pytest.raises(NotFound):
        ask(Service(refusal(404, "NOT_FOUND")), lambda client: client.webhooks.delete("s1"))
    with pytest.raises(NotFound):
        service = Service(httpx.ReadTimeout("slow"), refusal(404, "NOT_FOUND"))
        ask(service, lambda client: client.productions.cancel("p1"))


@pytest.mark.parametrize(
    "status, kind",
    [
        (400, InvalidRequest),
        (401, Unauthorized),
        (403, Forbidden),
        (404, NotFound),
        (409, Conflict),
        (422, InvalidRequest),
    ],
)
def test_a_refusal_is_an_exception_and_is_not_sent_again(ask, status, kind):
    service = Service(refusal(status, "CODE", fields={"topic": ["Too long."]}))
    with pytest.raises(kind, match=f"{status} CODE: No. topic: Too long.") as raised:
        ask(service, trigger)
    error = raised.value
    assert isinstance(error, ApiError)
    assert (error.status, error.code, error.message, error.correlation_id) == (
        status,
        "CODE",
        "No.",
        "c1",
    )
    assert (error.fields, error.retry_after, len(service.requests)) == (
        {"topic": ["Too long."]},
        None,
        1,
    )


def test_a_place_among_concurrent_productions_is_waited_for_if_asked(ask, monkeypatch):
    full = refusal(409, "CONCURRENCY_LIMIT_REACHED")
    for half in ("_sync", "_async"):
        monkeypatch.setattr(f"partner_production.{half}.productions._PLACE_SECONDS", 0)
    with pytest.raises(Conflict):
        ask(Service(full, ok()), trigger)
    service = Service(full, full, ok({"productionId": "p"}))
    assert ask(service, lambda client: trigger(client, wait_for_place=60)) == {"productionId": "p"}
    assert len({request.headers["Idempotency-Key"] for request in service.requests}) == 1


def test_lists_are_read_page_after_page(ask):
    pages = [
        {"data": [{"n": 1}, {"n": 2}], "hasMore": True, "nextCursor": "x"},
        {"data": [{"n": 3}], "hasMore": False, "nextCursor": None},
    ]
    service = Service(*map(ok, pages))
    listed = ask(
        service, lambda client: client.productions.list("a1", status=["Failed", "Published"])
    )
    assert [each["n"] for each in listed] == [1, 2, 3]
    first, second = (dict(request.url.params.multi_items()) for request in service.requests)
    assert service.requests[0].url.params.get_list("status") == ["Failed", "Published"]
    assert ("cursor" in first, second["cursor"], first["limit"], second["limit"]) == (
        False,
        "x",
        "100",
        "100",
    )


@pytest.mark.parametrize("identifier", ["", ".", ".."])
def test_an_identifier_that_would_leave_the_path_is_refused(ask, identifier):
    service = Service(ok())
    with pytest.raises(ValueError, match="is no identifier"):
        ask(service, lambda client: client.productions.get(identifier))
    assert service.requests == []


def test_an_identifier_is_one_segment_of_the_path(ask):
    service = Service(ok({"productionId": "p1", "status": "Queued"}))
    ask(service, lambda client: client.productions.get("a/../b?c#d"))
    assert service.requests[0].url.raw_path == b"/prefix/v1/productions/a%2F..%2Fb%3Fc%23d"


def test_a_client_needs_a_key_and_does_not_show_it():
    with pytest.raises(ValueError, match="empty"):
        Client(BASE, "")
    with Client(BASE, KEY) as client:
        assert KEY not in repr(client) + str(vars(client))


def test_a_redirect_is_not_followed_with_the_key(ask):
    service = Service(
        httpx.Response(302, headers={"Location": "https://elsewhere.example.com"}), ok()
    )
    with pytest.raises(ApiError, match="HTTP_302"):
        ask(service, verify)
    assert len(service.requests) == 1


CONTENT = b"moving pictures" * 1000


def deliverable(content=CONTENT, **changes) -> dict:
    digest = hashlib.sha256(content).hexdigest()
    entry = {
        "deliverableId": "d1",
        "type": "Video",
        "platform": "Watch",
        "format": "mp4",
        "sasUrl": "https://files.test/d1?s",
    }
    return {**entry, "sizeBytes": len(content), "sha256": digest, **changes}


def stored(content=CONTENT) -> httpx.Response:
    return httpx.Response(200, content=content)


def test_a_download_is_there_when_it_is_what_the_api_says(ask, tmp_path):
    service = Service(httpx.ReadError("cut"), stored())
    path = ask(
        service,
        lambda client: client.deliverables.download(deliverable(), tmp_path / "new" / "video.mp4"),
    )
    assert (path.read_bytes(), [each.name for each in path.parent.iterdir()]) == (
        CONTENT,
        ["video.mp4"],
    )
    (tmp_path / "ordinary").touch()
    assert path.stat().st_mode == (tmp_path / "ordinary").stat().st_mode
    assert all("X-API-Key" not in request.headers for request in service.requests)
    assert str(service.requests[0].url) == "https://files.test/d1?s"


@pytest.mark.parametrize("arrived", [CONTENT[:-1], CONTENT[:-1] + b"!"], ids=["short", "other"])
def test_nothing_is_kept_of_a_download_that_is_something_else(ask, tmp_path, arrived):
    (tmp_path / "video.mp4").write_bytes(b"before")
    with pytest.raises(HashMismatch, match="d1"):
        ask(
            Service(stored(arrived)),
            lambda client: client.deliverables.download(deliverable(), tmp_path / "video.mp4"),
        )
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [
        ("video.mp4", b"before")
    ]


def test_an_expired_link_is_an_exception_and_a_download_of_all_gets_a_new_one(ask, tmp_path):
    expired = refusal(403, "LINK_EXPIRED")
    with pytest.raises(Forbidden, match="LINK_EXPIRED"):
        ask(
            Service(expired),
            lambda client: client.deliverables.download(deliverable(), tmp_path / "video.mp4"),
        )
    fresh = ok({"data": [deliverable(sasUrl="https://files.test/d1?fresh")]})
    service = Service(ok({"data": [deliverable()]}), expired, fresh, stored())
    [path] = ask(service, lambda client: client.deliverables.download_all("p1", tmp_path))
    assert (path.name, path.read_bytes()) == ("Video-Watch.mp4", CONTENT)


def test_files_have_different_names_and_stay_in_the_folder(ask, tmp_path):
    names = ["Watch", "Watch", "../../etc/passwd", None]
    entries = [
        deliverable(platform=name, deliverableId=str(number)) for number, name in enumerate(names)
    ]
    service = Service(ok({"data": entries}), stored())
    paths = ask(service, lambda client: client.deliverables.download_all("p1", tmp_path))
    assert [each.name for each in paths] == [
        "Video-Watch.mp4",
        "Video-Watch-2.mp4",
        "Video-_etc_passwd.mp4",
        "Video.mp4",
    ]
    assert sorted(tmp_path.iterdir()) == sorted(paths)


class Story:
    """A production whose events appear in its feed while somebody waits."""

    def __init__(self, *kinds: str, ends: str, others: int = 0):
        self.events = [
            {"eventType": kind, "productionId": "p1", "sequenceNumber": n}
            for n, kind in enumerate(kinds, 1)
        ]
        self.ends, self.shown, self.others = ends, 1, others

    def __call__(self, request: httpx.Request) -> httpx.Response:
        path, query = request.url.path, request.url.params
        if path.endswith("/v1/events"):
            return ok(self._feed(query))
        if path.endswith("/events"):
            seen = [
                each
                for each in self.events[: self.shown]
                if each["sequenceNumber"] > int(query["afterSequence"])
            ]
            return ok({"data": seen, "hasMore": False, "nextCursor": None})
        ended = self.shown == len(self.events)
        return ok(
            {
                "productionId": "p1",
                "status": self.ends if ended else "Producing",
                "errorCode": "E",
                "errorMessage": "M.",
            }
        )

    def _feed(self, query) -> dict:
        if query.get("cursor") == "latest":
            return {"data": [], "hasMore": False, "nextCursor": "1", "pollAfterSeconds": 0}
        others = [{"eventType": "production.failed", "productionId": "other", "sequenceNumber": 99}]
        self.shown = min(self.shown + 1, len(self.events))
        return {
            "data": others + [self.events[self.shown - 1]],
            "hasMore": False,
            "nextCursor": "2",
            "pollAfterSeconds": 0,
        }


KINDS = ("production.queued", "production.step.complete", "production.awaiting_approval", "end")


def test_waiting_tells_each_event_once_and_in_order(ask):
    told = []
    story = Story(*KINDS, ends="Published")
    published = ask(
        Service(story),
        lambda client: client.productions.wait_until_published("p1", on_event=told.append),
    )
    assert published["status"] == "Published"
    assert [each["sequenceNumber"] for each in told] == [1, 2, 3, 4]


class Reviewed(Story):
    """One whose script is reviewed: that event has a number of its own,
    and what comes after an event goes by its place.
    """

    def __init__(self, *kinds: str, ends: str):
        super().__init__(*kinds, ends=ends)
        self.events[1]["sequenceNumber"] = 1_000_000_001
        for number, event in enumerate(self.events[2:], 2):
            event["sequenceNumber"] = number

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if not request.url.path.endswith("/p1/events"):
            return super().__call__(request)
        after = int(request.url.params["afterSequence"])
        places = [at for at, each in enumerate(self.events, 1) if each["sequenceNumber"] == after]
        return ok(
            {
                "data": self.events[places[0] if places else 0 : self.shown],
                "hasMore": False,
                "nextCursor": None,
            }
        )


def test_waiting_goes_on_after_an_event_with_a_number_of_its_own(ask):
    told, story = [], Reviewed(*KINDS, ends="Published")
    ask(
        Service(story),
        lambda client: client.productions.wait_until_published(
            "p1", on_event=told.append, timeout=60
        ),
    )
    assert [each["sequenceNumber"] for each in told] == [1, 1_000_000_001, 2, 3]


@pytest.mark.parametrize(
    "ends, kind", [("Failed", ProductionFailed), ("Cancelled", ProductionCancelled)]
)
def test_waiting_for_a_production_that_ends_otherwise_raises(ask, ends, kind):
    with pytest.raises(kind, match=f"p1 is {ends}") as raised:
        ask(
            Service(Story(*KINDS, ends=ends)),
            lambda client: client.productions.wait_until_published("p1"),
        )
    assert raised.value.production["status"] == ends


def test_waiting_for_a_production_that_has_ended_tells_its_events(ask):
    told, story = [], Story(*KINDS, ends="Published")
    story.shown = len(KINDS)
    ask(
        Service(story),
        lambda client: client.productions.wait_until_published("p1", on_event=told.append),
    )
    assert len(told) == len(KINDS)


class Hours(Story):
    """One whose time passes in the requests that wait for events alone:
    each takes as long as it asked to wait.
    """

    def __init__(self, *kinds: str, ends: str):
        super().__init__(*kinds, ends=ends)
        self.waited: list[int] = []

    def _feed(self, query) -> dict:
        self.waited.append(int(query.get("waitSeconds", 0)))
        return super()._feed(query)

    def monotonic(self) -> float:
        return float(sum(self.waited))


def test_waiting_ends_when_the_time_is_over(ask, monkeypatch):
    story = Hours(*(["production.step.complete"] * 10), ends="Published")
    for module in ("_async.feed", "_async.productions", "_sync.feed", "_sync.productions"):
        monkeypatch.setattr(f"partner_production.{module}.time", story)
    with pytest.raises(WaitTimedOut, match="p1 is Producing after 75 seconds"):
        ask(
            Service(story), lambda client: client.productions.wait_until_published("p1", timeout=75)
        )
    assert story.waited == [0, 30, 30, 15]


def test_a_coroutine_may_be_told_of_events():
    told = []

    async def tell(event):
        await asyncio.sleep(0)
        told.append(event["sequenceNumber"])

    async def wait():
        http_client = httpx.AsyncClient(
            transport=httpx.MockTransport(Service(Story(*KINDS, ends="Published")))
        )
        async with AsyncClient(BASE, KEY, http_client=http_client) as client:
            await client.productions.wait_until_published("p1", on_event=tell)

    asyncio.run(wait())
    assert told == [1, 2, 3, 4]


def test_a_code_becomes_an_identifier(ask):
    page = ok(
        {
            "data": [{"languageId": "1", "code": "en"}, {"languageId": "2", "code": "pt-BR"}],
            "hasMore": False,
        }
    )
    assert ask(Service(page), lambda client: client.language_id("pt-br")) == "2"
    with pytest.raises(LookupError, match="no language 'tlh'"):
        ask(Service(page), lambda client: client.language_id("tlh"))


class Broken(httpx.SyncByteStream, httpx.AsyncByteStream):
    """Bytes that break off."""

    def __init__(self, content: bytes):
        self.content = content

    def __iter__(self):
        yield self.content
        raise httpx.ReadError("cut")

    async def __aiter__(self):
        yield self.content
        raise httpx.ReadError("cut")


def broken(content: bytes, status: int = 200, **headers: str) -> httpx.Response:
    return httpx.Response(status, stream=Broken(content), headers=headers)


def rest(request: httpx.Request) -> httpx.Response:
    """What a server answers to a range."""
    start = int(request.headers["Range"].removeprefix("bytes=").removesuffix("-"))
    told = {"Content-Range": f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}"}
    return httpx.Response(206, content=CONTENT[start:], headers=told)


def fetch(tmp_path, **more):
    return lambda client: client.deliverables.download(
        deliverable(), tmp_path / "video.mp4", **more
    )


def test_a_download_that_breaks_off_goes_on_from_where_it_was(ask, tmp_path):
    told = {"Content-Range": f"bytes 100-{len(CONTENT) - 1}/{len(CONTENT)}"}
    service = Service(
        broken(CONTENT[:100], ETag='"e"'), broken(CONTENT[100:150], 206, **told), rest
    )
    path = ask(service, fetch(tmp_path))
    assert path.read_bytes() == CONTENT
    ranges = [
        (each.headers.get("Range"), each.headers.get("If-Range")) for each in service.requests
    ]
    assert ranges == [(None, None), ("bytes=100-", '"e"'), ("bytes=150-", '"e"')]
    assert {each.headers["Accept-Encoding"] for each in service.requests} == {"identity"}


def test_a_download_that_gets_on_is_tried_as_often_as_it_gets_on(ask, tmp_path):
    def next_byte(request: httpx.Request) -> httpx.Response:
        start = int(request.headers["Range"].removeprefix("bytes=").removesuffix("-"))
        return broken(CONTENT[start : start + 1000], 206, **{"Content-Range": f"bytes {start}-"})

    service = Service(broken(CONTENT[:1000]), next_byte)
    assert ask(service, fetch(tmp_path)).read_bytes() == CONTENT
    assert len(service.requests) == 15
    stuck = Service(broken(CONTENT[:1000]))  # always the same beginning
    with pytest.raises(ConnectionFailed, match="download of video.mp4: cut"):
        ask(stuck, fetch(tmp_path))
    assert len(stuck.requests) == 1 + len(QUICK.after_no_answer)


@pytest.mark.parametrize(
    "second",
    [
        httpx.Response(200, content=CONTENT),
        httpx.Response(416),
        httpx.Response(206, content=b"x", headers={"Content-Range": "bytes 7-"}),
    ],
    ids=["whole", "no such range", "another range"],
)
def test_a_server_that_does_not_give_the_range_gives_the_whole_file(ask, tmp_path, second):
    service = Service(
        broken(CONTENT[:100]),
        second,
        lambda request: rest(request) if "Range" in request.headers else stored(),
    )
    assert ask(service, fetch(tmp_path)).read_bytes() == CONTENT
    assert [each.name for each in tmp_path.iterdir()] == ["video.mp4"]


def test_a_download_of_which_only_the_end_of_the_answer_was_lost_is_whole(ask, tmp_path):
    service = Service(broken(CONTENT))
    assert ask(service, fetch(tmp_path)).read_bytes() == CONTENT
    assert len(service.requests) == 1


def test_a_download_that_is_too_long_is_not_read_to_its_end(ask, tmp_path):
    with pytest.raises(HashMismatch) as raised:
        ask(Service(broken(CONTENT + b"!")), fetch(tmp_path))
    assert raised.value.deliverable["deliverableId"] == "d1" and list(tmp_path.iterdir()) == []


def test_a_download_takes_the_options_of_a_call(ask, tmp_path):
    service, seen = Service(stored()), []
    ask(service, fetch(tmp_path, timeout=5, headers={"X-A": "b"}, on_response=seen.append))
    assert (
        service.requests[0].extensions["timeout"]["read"] == 5
        and service.requests[0].headers["X-A"] == "b"
    )
    assert [each.status for each in seen] == [200]
    cancel = ask.event()
    cancel.set()
    with pytest.raises(CallCancelled):
        ask(service, fetch(tmp_path, cancel=cancel))
