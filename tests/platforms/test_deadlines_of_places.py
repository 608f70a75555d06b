"""Places that drip bytes: every kind of exchange has one end,
and a timeout that begins anew with each byte is none.
"""

import functools
import itertools
import math
import threading
from dataclasses import replace

import pytest
from support import places, sftp_servers, youtube
from support.places import PATIENCE, MemoryUploadState, post_of, tools
from support.receivers import LOOPBACK, OK, at, deaf, dripping, read_request, receiving
from support.sampling import sampled

from svc.adapters import sftp, transfers
from svc.adapters.deadline import Deadline, Stop
from svc.adapters.transfers import NotAnswered, Transfers
from svc.base.errors import Conflict
from svc.platforms import PLACES, PublishError
from svc.work.publishing import sign_in

HTTP = {
    "Hook": lambda url: {"url": url, "signing_secret": places.SECRET},
    "S3": lambda url: {
        "bucket": "films",
        "endpoint": url,
        "access_key_id": "id",
        "secret_access_key": "key",
    },
    "WebDAV": lambda url: {"url": url, "user": "ada", "password": "kettle"},
    "Mastodon": lambda url: {"url": url, "token": "token"},
    "PeerTube": lambda url: {"url": url, "user": "ada", "password": "kettle"},
    "WordPress": lambda url: {"url": url, "user": "ada", "password": "kettle"},
    "YouTube": lambda url: {"client_id": "id", "client_secret": "secret", "refresh_token": "token"},
}
DRIPS = {
    "the status line": dripping(b"", b"H"),
    "the headers": dripping(b"HTTP/1.1 200 OK\r\nX-Long: ", b"x"),
    "interim responses": dripping(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
    "the body": dripping(b"HTTP/1.1 200 OK\r\nContent-Length: 250000\r\n\r\n", b"x"),
    "a body of unknown length": dripping(b"HTTP/1.1 200 OK\r\n\r\n", b"x"),
    "the size of a chunk": dripping(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"0"),
}


@pytest.fixture
def post(tmp_path):
    return post_of(tmp_path, big=30_000)


def ending_in(seconds: float):
    """The tools of an attempt that has so many seconds in all, as the publisher gives them."""
    return tools().with_deadline(Deadline(seconds))


def attempt(connector: str, receiver, post, given) -> PublishError:
    place = youtube.reached_at(receiver.url("")) if connector == "YouTube" else PLACES[connector]
    values = HTTP[connector](receiver.url("")) if connector in HTTP else login(receiver)
    connection = places.Counterpart(connector, values, lambda name: None).connection()
    with given.deadline, pytest.raises(PublishError) as refused:
        place.publish(post, connection, MemoryUploadState(), given)
    return refused.value


def login(receiver) -> dict[str, str]:
    return {"host": "127.0.0.1", "port": str(receiver.port), "user": "ada", "password": "kettle"}


@pytest.mark.parametrize(("connector", "drip"), sampled(itertools.product(HTTP, DRIPS), 6))
def test_a_place_that_drips_its_answer_is_left_at_the_end_of_the_attempt(connector, drip, post):
    with receiving(DRIPS[drip]) as receiver:
        error = attempt(connector, receiver, post, ending_in(0.1))
    assert error.retryable and "timed out after 0.1 s" in error.message


@pytest.mark.parametrize(
    "drip", [dripping(b"HTTP/1.1 200 OK\r\nX-Long: ", b"x"), deaf], ids=["dripping", "silent"]
)
def test_the_token_of_a_sign_in_is_not_waited_for_without_an_end(drip):
    with receiving(drip) as receiver:
        place = youtube.reached_at(receiver.url(""))
        draft = sign_in.Draft(
            "account",
            "YouTube",
            "",
            {"client_id": "id", "client_secret": "s"},
            "s",
            "v",
            "https://a.b",
            0,
        )
        with pytest.raises(Conflict, match="timed out after 0.1 s"):
            sign_in.refresh_token(draft, place.description, "code", ending_in(0.1))


def test_a_request_ends_by_itself_in_an_attempt_that_has_time(post, monkeypatch):
    monkeypatch.setattr(transfers, "_SECONDS", 0.1)
    monkeypatch.setattr(transfers, "SLOWEST", math.inf)
    with receiving(DRIPS["the headers"]) as receiver:
        error = attempt("Hook", receiver, post, ending_in(math.inf))
    assert error.retryable and "timed out after 0.1 s" in error.message


def test_an_attempt_of_many_short_requests_has_one_end():
    """Each answer comes at once, so no request is late; all of them together are."""
    asked = []

    def handle(connection, stopping):
        read_request(connection)
        asked.append(1)
        if len(asked) == 3:
            now[0] += 60
        connection.sendall(OK)

    now = [0.0]
    given = Transfers(LOOPBACK, deadline=Deadline(60, lambda: now[0]))
    with receiving(handle) as receiver, pytest.raises(NotAnswered, match="timed out after 60 s"):
        for _ in range(10):
            given.request("GET", receiver.url(), {})
    assert len(asked) == 3


@pytest.mark.parametrize(
    "drip",
    [DRIPS["the body"], DRIPS["a body of unknown length"], deaf],
    ids=["body", "endless", "silent"],
)
def test_an_attempt_that_is_cut_leaves_its_request_with_the_reason(drip):
    """The reason is not of this layer: such as a lost lease."""

    class Lost(Exception):
        pass

    reached = threading.Event()

    def handle(connection, stopping):
        reached.set()
        drip(connection, stopping)

    with receiving(handle) as receiver, Deadline(math.inf) as deadline:
        cutting = threading.Thread(target=lambda: (reached.wait(PATIENCE), deadline.abort(Lost())))
        cutting.start()
        with pytest.raises(Lost):
            Transfers(LOOPBACK, deadline=deadline).request("GET", receiver.url(), {})
        cutting.join()


def test_a_name_that_is_looked_up_for_ever_ends_with_the_attempt():
    asked = []

    def look_up(host, seconds):
        asked.append(seconds)
        return at("127.0.0.1")(host, seconds)

    given = Transfers(LOOPBACK, lookup=look_up, deadline=Deadline(7, lambda: 0.0))
    with receiving(dripping(OK, b"")) as receiver:
        given.request("GET", receiver.url(host="place.example"), {})
    assert asked == [7.0]


@pytest.mark.parametrize("stage", [sftp_servers.banner, sftp_servers.key_exchange])
def test_an_sftp_server_that_drips_before_the_sign_in_is_left(stage, post, monkeypatch):
    monkeypatch.setattr(sftp, "_SECONDS", 0.1)
    with receiving(stage) as receiver:
        error = attempt("SFTP", receiver, post, ending_in(math.inf))
    assert error.retryable and "could not be reached: timed out after 0.1 s" in error.message


def test_an_sftp_server_that_never_opens_its_files_is_left_at_the_end_of_the_attempt(post):
    handler, given = sftp_servers.login(), ending_in(math.inf)
    ending = threading.Thread(
        target=lambda: (
            handler.reached.wait(PATIENCE),
            given.deadline.abort(Stop("the time is up")),
        )
    )
    ending.start()
    with receiving(handler) as receiver:
        error = attempt("SFTP", receiver, post, given)
    ending.join()
    assert error.retryable and "could not be reached: the time is up" in error.message


@pytest.mark.parametrize("stage", [sftp_servers.listing, sftp_servers.writing])
def test_an_sftp_server_that_drips_an_answer_is_left(stage, post, monkeypatch):
    monkeypatch.setattr(sftp, "_REQUEST_SECONDS", 0.3)
    monkeypatch.setattr(sftp, "SLOWEST", math.inf)
    with receiving(stage()) as receiver:
        error = attempt("SFTP", receiver, post, ending_in(math.inf))
    assert error.retryable and "could not be reached: timed out after 0.3 s" in error.message


def test_a_try_of_an_sftp_server_ends_like_every_other_try(monkeypatch):
    connection = functools.partial(places.Counterpart, "SFTP", fetch=lambda name: None)
    with receiving(sftp_servers.banner) as receiver:
        given = ending_in(0.1)
        with (
            given.deadline,
            pytest.raises(PublishError, match="could not be reached: timed out after 0.1 s"),
        ):
            PLACES["SFTP"].test(connection(values=login(receiver)).connection(), given)
        with (
            given.deadline,
            pytest.raises(PublishError, match="could not be reached: timed out after 0.1 s"),
        ):
            PLACES["SFTP"].withdraw(
                "post", replace(connection(values=login(receiver)).connection(), name="p"), given
            )
