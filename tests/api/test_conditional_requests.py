"""Conditional requests and ranges (RFC 9110 §13, §14), on every route that answers with an ETag."""

import gc
import itertools
import os

import numpy
import pytest
from support import plain_sql
from support.cast import body, refused
from support.sampling import sampled

from tests.support.published import ACCOUNT, make_account, publish

CONTENT = b"0123456789" * 10
ANOTHER = '"of-another-time"'
PAST, FUTURE = "Thu, 01 Jan 1998 00:00:00 GMT", "Fri, 01 Jan 2100 00:00:00 GMT"
FILES = ("signed link", "video", "captions", "static")
ROUTES = (
    *FILES,
    "page",
    "player",
    "chapters",
    "feed",
    "docs",
    "group",
    "changes",
    "markdown",
    "overview",
)


@pytest.fixture
def fetch(app, clock, tmp_path):
    """Fetch one of ROUTES: ``fetch(route, method, **headers)``,
    with ``{etag}`` in a header filled in.
    """
    make_account()
    posted = publish(tmp_path / "data" / "media", videos={"Watch": CONTENT})
    [deliverable] = plain_sql.one(
        "SELECT id FROM deliverables WHERE format = 'mp4' AND platform = 'Watch'"
    )
    watch = f"/watch/{posted.wide}"
    paths = {
        "signed link": app.extensions["svc"]
        .storage.make_link(deliverable, clock())[0]
        .removeprefix("http://localhost"),
        "video": f"{watch}/video.mp4",
        "captions": f"{watch}/captions.vtt",
        "static": "/static/watch.css",
        "page": watch,
        "player": f"{watch}/embed",
        "chapters": f"{watch}/chapters.vtt",
        "feed": f"/feeds/{ACCOUNT}.xml",
        "docs": "/docs",
        "group": "/docs/webhooks",
        "changes": "/docs/changelog.xml",
        "markdown": "/docs/api.md",
        "overview": "/llms.txt",
    }
    client = app.test_client()

    def call(route: str, method: str = "GET", **headers: str):
        tag = client.get(paths[route], buffered=True).headers["ETag"]
        given = {
            name.replace("_", "-"): value.replace("{etag}", tag) for name, value in headers.items()
        }
        return client.open(paths[route], method=method, headers=given, buffered=True)

    return call


@pytest.mark.parametrize("route, method", sampled(itertools.product(ROUTES, ["GET", "HEAD"]), 3))
def test_a_precondition_that_does_not_hold_is_412_without_the_file(fetch, route, method):
    for header in (
        {"If_Match": ANOTHER},
        {"If_Match": "W/{etag}"},
        {"If_Match": ANOTHER, "If_None_Match": "{etag}"},
    ):
        answer = fetch(route, method, **header)
        if method == "GET":
            refused(answer, 412, "PRECONDITION_FAILED")
        assert (answer.status_code, answer.content_type) == (412, "application/json")
    assert fetch(route, method, If_Match=f"{ANOTHER}, {{etag}}").status_code == 200
    assert fetch(route, method, If_Match="*").status_code == 200


@pytest.mark.parametrize("route", sampled(ROUTES, 3))
def test_what_the_client_has_already_is_304(fetch, route):
    for header in ("{etag}", "W/{etag}", f"{ANOTHER}, {{etag}}", "*"):
        answer = fetch(route, If_None_Match=header)
        assert (answer.status_code, answer.data) == (304, b"") and answer.headers["ETag"], header
    # in this order, both hold
    assert fetch(route, If_Match="{etag}", If_None_Match="{etag}").status_code == 304
    # the tag decides alone
    assert fetch(route, If_None_Match=ANOTHER, If_Modified_Since=FUTURE).status_code == 200


@pytest.mark.parametrize("route", FILES)
def test_dates_are_conditions_too_where_no_tag_is_given(fetch, route):
    refused(fetch(route, If_Unmodified_Since=PAST), 412, "PRECONDITION_FAILED")
    assert fetch(route, If_Unmodified_Since=FUTURE).status_code == 200
    # the tag decides alone
    assert fetch(route, If_Unmodified_Since=PAST, If_Match="{etag}").status_code == 200
    assert fetch(route, If_Modified_Since=FUTURE).status_code == 304
    assert fetch(route, If_Modified_Since=PAST).status_code == 200
    # no dates
    assert (
        fetch(route, If_Unmodified_Since="yesterday", If_Modified_Since="yesterday").status_code
        == 200
    )


@pytest.mark.parametrize(
    ("asked", "sent"),
    [
        ("bytes=1-2", (1, 3)),
        ("bytes=-5", (95, 100)),
        ("bytes=-5000", (0, 100)),
        ("bytes=90-", (90, 100)),
        ("bytes=90-5000", (90, 100)),
        ("Bytes=0-0", (0, 1)),
        ("bytes=-100", (0, 100)),
        ("bytes=3-4,500-", (3, 5)),
    ],
)
@pytest.mark.parametrize("route", ["signed link", "video"])
def test_a_range_is_sent_as_far_as_the_file_goes(fetch, route, asked, sent):
    answer = fetch(route, Range=asked)
    assert (answer.status_code, answer.data) == (206, CONTENT[slice(*sent)])
    assert answer.headers["Content-Range"] == f"bytes {sent[0]}-{sent[1] - 1}/100"
    assert answer.headers["Content-Length"] == str(sent[1] - sent[0])


@pytest.mark.parametrize(
    "asked",
    ["lines=1-2", "bytes=0-1,4-5", "bytes=9-1", "bytes=a-b", "bytes", "bytes=", "bytes=1-2-3"],
)
def test_what_is_no_single_range_of_bytes_gets_the_whole_file(fetch, asked):
    answer = fetch("signed link", Range=asked)
    assert (answer.status_code, answer.data, answer.headers["Accept-Ranges"]) == (
        200,
        CONTENT,
        "bytes",
    )
    assert "Content-Range" not in answer.headers


@pytest.mark.parametrize("asked", ["bytes=100-", "bytes=100-200,300-", "bytes=-0"])
def test_a_range_of_which_nothing_is_there_is_refused(fetch, asked):
    answer = fetch("video", Range=asked)
    refused(answer, 416, "RANGE_NOT_SATISFIABLE")
    assert answer.headers["Content-Range"] == "bytes */100"


def test_a_range_meets_the_conditions_first(fetch):
    modified = fetch("video").headers["Last-Modified"]
    assert fetch("video", Range="bytes=0-1", If_Range="{etag}").status_code == 206
    assert fetch("video", Range="bytes=0-1", If_Range=modified).status_code == 206
    for changed in (ANOTHER, "W/{etag}", PAST, FUTURE, "something"):
        assert fetch("video", Range="bytes=500-", If_Range=changed).data == CONTENT, changed
    refused(fetch("video", Range="bytes=0-1", If_Match=ANOTHER), 412, "PRECONDITION_FAILED")
    assert fetch("video", Range="bytes=0-1", If_None_Match="{etag}").status_code == 304
    assert fetch("video", Range="bytes=0-1", If_None_Match=ANOTHER).status_code == 206
    head = fetch("video", "HEAD", Range="bytes=0-1")
    # ranges are defined for GET alone
    assert (head.status_code, head.headers["Content-Length"]) == (200, "100")


def test_a_file_that_is_not_sent_is_closed(fetch):
    for header in ({"If_Match": ANOTHER}, {"Range": "bytes=500-"}, {"If_None_Match": "*"}):
        fetch("video", **header)
    gc.collect()  # of a file that is still open, a ResourceWarning is an error


@pytest.fixture
def fetch_by_proxy(app, clock, tmp_path, monkeypatch):
    """Fetch a file that a proxy is told to send: ``fetch_by_proxy(method, **headers)``."""
    make_account()
    publish(tmp_path / "data" / "media", videos={"Watch": CONTENT})
    [deliverable] = plain_sql.one("SELECT id FROM deliverables WHERE platform = 'Watch'")
    storage = app.extensions["svc"].storage
    monkeypatch.setattr(storage, "_place", "/_media/")
    path = storage.make_link(deliverable, clock())[0].removeprefix("http://localhost")

    def call(method: str = "GET", **headers: str):
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        return app.test_client().open(path, method=method, headers=given, buffered=True)

    return call


@pytest.mark.parametrize("asked", ["bytes=100-", "bytes=100-200,5000-", "bytes=-0"])
def test_a_range_of_which_nothing_is_there_is_refused_before_a_proxy_does(fetch_by_proxy, asked):
    answer = fetch_by_proxy(Range=asked)
    refused(answer, 416, "RANGE_NOT_SATISFIABLE")
    assert answer.headers["Content-Range"] == "bytes */100"
    assert "X-Accel-Redirect" not in answer.headers


def test_a_date_that_does_not_hold_is_refused_before_a_proxy_does(fetch_by_proxy):
    refused(fetch_by_proxy(If_Unmodified_Since=PAST), 412, "PRECONDITION_FAILED")
    refused(fetch_by_proxy(If_Unmodified_Since=PAST, Range="bytes=1-2"), 412, "PRECONDITION_FAILED")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Range": "bytes=1-2"},
        {"Range": "lines=1-2"},
        {"If_Unmodified_Since": FUTURE},
        {"If_Match": ANOTHER, "If_Unmodified_Since": PAST},
        *(
            {"Range": "bytes=100-", name: value}
            for name, value in (
                ("If_Range", ANOTHER),
                ("If_Match", ANOTHER),
                ("If_None_Match", "*"),
                ("If_Modified_Since", FUTURE),
            )
        ),
    ],
)
def test_what_depends_on_the_tag_of_a_proxy_is_left_to_it(fetch_by_proxy, headers):
    answer = fetch_by_proxy(**headers)
    assert answer.status_code == 200
    assert answer.headers["X-Accel-Redirect"].startswith("/_media/")


NO_RANGES = ["bytes=x", "bytes=5-2", "bytes=", "bytes=--5", "bytes 0-1", "bytes=0-1,4-5", "lines=1"]


@pytest.mark.parametrize("asked", NO_RANGES)
def test_a_proxy_is_told_to_send_the_whole_for_what_is_no_single_range(fetch_by_proxy, asked):
    """It would refuse some of them, as the service by itself does not."""
    assert fetch_by_proxy(Range=asked).headers["X-Accel-Whole"] == "yes"
    assert fetch_by_proxy("HEAD", Range=asked).headers["X-Accel-Whole"] == "yes"


LARGE = "9" * 20  # more than 63 bits
UNREAD = [f"bytes=0-{LARGE}", f"bytes=-{LARGE}", f"bytes=0-1,0-{LARGE}", "Bytes=0-4", "bytes = 0-4"]


@pytest.mark.parametrize("asked", UNREAD)
def test_a_proxy_is_told_to_send_the_whole_for_a_range_that_it_could_not_read(
    fetch_by_proxy, asked
):
    """Instead of which it would refuse a range that is one."""
    assert fetch_by_proxy(Range=asked).headers["X-Accel-Whole"] == "yes"


def test_a_range_that_a_proxy_could_not_read_is_not_left_to_it(fetch_by_proxy):
    beyond = f"bytes={LARGE}-"
    refused(fetch_by_proxy(Range=beyond), 416, "RANGE_NOT_SATISFIABLE")
    answer = fetch_by_proxy(Range=beyond, If_Match=ANOTHER)
    assert answer.headers["X-Accel-Whole"] == "yes"


@pytest.mark.parametrize(
    "headers",
    [{}, *({"Range": f"bytes={asked}"} for asked in ("0-9", "-5", "5-", "0-1, 500-", "0-100000"))],
)
def test_a_proxy_is_told_nothing_of_what_it_does_as_the_service_would(fetch_by_proxy, headers):
    assert "X-Accel-Whole" not in fetch_by_proxy(**headers).headers


@pytest.mark.parametrize("seconds, nanoseconds", [(1_795_262_400, 0), (1_795_262_400, 123_456_789)])
def test_a_download_that_goes_on_at_its_end_is_refused_before_a_proxy_that_is_known(
    fetch_by_proxy, tmp_path, seconds, nanoseconds
):
    at = seconds * 10**9 + nanoseconds
    for path in (tmp_path / "data" / "media").rglob("*.mp4"):
        os.utime(path, ns=(at, at))
    caddy = (numpy.base_repr(each, 36).lower() + "2s" for each in (seconds, at))
    for tag in (f'"{seconds:x}-64"', *(f'"{each}"' for each in caddy)):
        refused(fetch_by_proxy(Range="bytes=100-", If_Range=tag), 416, "RANGE_NOT_SATISFIABLE")
        assert fetch_by_proxy(Range="bytes=99-", If_Range=tag).status_code == 200


@pytest.mark.parametrize(
    "held",
    [
        {"If_Match": "*"},
        {"If_Match": '"{tag}"'},
        {"If_None_Match": ANOTHER},
        {"If_None_Match": ANOTHER, "If_Modified_Since": FUTURE},
        {"If_Modified_Since": PAST},
        {"If_Modified_Since": "yesterday"},
        {"If_Unmodified_Since": FUTURE},
        {"If_Unmodified_Since": "yesterday", "If_Modified_Since": PAST},
    ],
)
def test_a_range_whose_conditions_hold_is_refused_before_a_proxy_does(
    fetch_by_proxy, tmp_path, held
):
    at = 1_795_262_400
    for path in (tmp_path / "data" / "media").rglob("*.mp4"):
        os.utime(path, (at, at))
    asked = {name: value.replace("{tag}", f"{at:x}-64") for name, value in held.items()}
    refused(fetch_by_proxy(Range="bytes=100-", **asked), 416, "RANGE_NOT_SATISFIABLE")
    known = fetch_by_proxy(Range="bytes=100-", If_None_Match=f'W/"{at:x}-64"')
    assert known.status_code == 200  # the proxy answers 304


def test_a_range_is_for_get_alone_behind_a_proxy_too(fetch_by_proxy):
    assert fetch_by_proxy("HEAD", Range="bytes=100-").status_code == 200


HOOK = {"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": ["production.queued"]}


def changes(partner) -> list[tuple[str, str, str, dict | None]]:
    """What is changed at its address: the method, the address, that at which it is read, the
    body.
    """
    account = f"/v1/accounts/{partner.account}"
    hook = f"/v1/webhooks/{body(partner.post('/v1/webhooks', json=HOOK))['subscriptionId']}"
    template = {"name": "A", "variables": [], "brief": partner.brief()}
    made = body(partner.post(f"{account}/templates", json=template))["templateId"]
    production = f"/v1/productions/{body(partner.trigger())['productionId']}"
    entries = {"entries": [{"written": "SQL", "spoken": "sequel"}]}
    return [
        ("PUT", f"{account}/lexicon", f"{account}/lexicon", entries),
        (
            "PUT",
            f"{account}/templates/{made}",
            f"{account}/templates/{made}",
            {**template, "name": "B"},
        ),
        ("DELETE", f"{account}/templates/{made}", f"{account}/templates/{made}", None),
        ("PATCH", hook, hook, {"eventTypes": ["production.failed"]}),
        ("DELETE", hook, hook, None),
        ("DELETE", production, production, None),
    ]


def test_nothing_is_changed_on_a_condition_that_does_not_hold(partner):
    for method, path, shown, sent in changes(partner):
        before = partner.get(shown)
        conditions = [
            {"If-Match": before.headers.get("ETag", ANOTHER)},
            {"If-Match": ANOTHER},
            {"If-Match": f"*, {ANOTHER}"},
            {"If-None-Match": "*"},
        ]
        for condition in conditions:
            answer = partner.request(method, path, headers=condition, json=sent)
            refused(answer, 412, "PRECONDITION_FAILED")
        assert body(partner.get(shown)) == body(before), (method, path)
        held = {"If-Match": "*", "If-None-Match": ANOTHER}
        assert partner.request(method, path, headers=held, json=sent).status_code < 300


def test_a_condition_comes_after_permission_and_resource(partner, stranger):
    hook = f"/v1/webhooks/{body(partner.post('/v1/webhooks', json=HOOK))['subscriptionId']}"
    refused(stranger.request("DELETE", hook, headers={"If-Match": ANOTHER}), 404, "NOT_FOUND")
    answer = partner.request("DELETE", hook, headers={"If-Match": ANOTHER}, key="svc_live_none")
    refused(answer, 401, "UNAUTHORIZED")
    assert partner.get(hook, headers={"If-Match": ANOTHER}).status_code == 200
    assert partner.post(f"{hook}/pause", headers={"If-Match": ANOTHER}).status_code == 200
