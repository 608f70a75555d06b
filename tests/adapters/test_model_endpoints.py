"""Model endpoints: one bounded exchange, whatever is at the other end."""

import errno
import itertools
import operator
import os
import socket
import threading

import pytest

from svc.adapters.model_api import Chat, Endpoint, Speech, Spent
from svc.base import outage
from svc.base.errors import ModelRefused, ModelUnavailable
from tests.support import endpoints, receivers

MESSAGES = [{"role": "user", "content": "Write."}]
SCHEMA = {"type": "object"}


@pytest.fixture
def key_file(tmp_path):
    path = tmp_path / "key"
    path.write_text("sk-secret-1234\n")
    return str(path)


@pytest.fixture
def spent():
    return []


@pytest.fixture
def ask(key_file, spent):
    """Ask a chat endpoint that answers so."""

    def ask(*answers, seconds=60.0):
        with endpoints.Endpoint(*answers) as endpoint:
            chat = Chat(Endpoint(endpoint.url, "model-1", key_file, seconds), spent.append)
            try:
                return chat.ask(MESSAGES, "script", SCHEMA), endpoint.asked
            finally:
                ask.asked = endpoint.asked

    return ask


def test_a_chat_is_asked_for_json_by_a_schema_with_the_key(ask, spent):
    text, ((path, headers, body),) = ask(endpoints.says("{}"))
    assert text == "{}"
    assert path == "/v1/chat/completions" and headers["Authorization"] == "Bearer sk-secret-1234"
    assert body["model"] == "model-1" and body["messages"] == MESSAGES
    assert body["response_format"]["json_schema"] == {
        "name": "script",
        "strict": True,
        "schema": SCHEMA,
    }
    assert spent == [Spent("script", "model-1", 1200, 300)]


def test_without_a_key_file_no_key_is_sent(spent):
    with endpoints.Endpoint(endpoints.says("{}")) as endpoint:
        Chat(Endpoint(endpoint.url, "m"), spent.append).ask(MESSAGES, "script", SCHEMA)
    assert "Authorization" not in endpoint.asked[0][1]


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503])
def test_an_endpoint_that_is_down_or_busy_is_worth_another_try(ask, status):
    with pytest.raises(ModelUnavailable, match=str(status)):
        ask(endpoints.fails(status))


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_an_endpoint_that_refuses_is_not_and_its_words_are_kept_back(ask, status):
    with pytest.raises(ModelRefused, match=str(status)) as refused:
        ask(endpoints.fails(status))
    assert "sk-" not in str(refused.value)


def test_a_redirect_is_not_followed(ask):
    with pytest.raises(ModelRefused, match="307"):
        ask(endpoints.fails(307, Location="http://127.0.0.1:1/v1/chat/completions"))
    assert len(ask.asked) == 1


def test_nobody_at_the_address_is_worth_another_try(spent):
    with endpoints.Endpoint(endpoints.says("{}")) as endpoint:
        url = endpoint.url
    with pytest.raises(ModelUnavailable, match="cannot be reached") as down:
        Chat(Endpoint(url, "m"), spent.append).ask(MESSAGES, "script", SCHEMA)
    assert "127.0.0.1" not in str(down.value)


def out_of(code: int):
    def fail(*_, **__):
        raise OSError(code, os.strerror(code))

    return fail


@pytest.mark.parametrize("code", [errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS])
@pytest.mark.parametrize(
    "where",
    [
        "socket.getaddrinfo",  # the look-up
        "socket.socket",  # the connection
        "os.dup",  # what ends it at the deadline
        "pathlib.Path.read_text",  # the key
        "ssl.create_default_context",
    ],
)
def test_a_process_out_of_means_is_no_failure_of_the_endpoint(code, where, key_file, monkeypatch):
    monkeypatch.setattr(where, out_of(code))
    scheme = "https" if where.startswith("ssl") else "http"
    chat = Chat(Endpoint(f"{scheme}://127.0.0.1:9/v1", "m", key_file), print)
    if where == "os.dup":
        wire, there = socket.socketpair()
        there.close()
        monkeypatch.setattr(socket, "create_connection", lambda *_: wire)
    with pytest.raises(outage.ResourcesExhausted) as failed:
        chat.ask(MESSAGES, "script", SCHEMA)
    assert outage.recognise(failed.value, of_step=True) in (
        outage.TOO_MANY_FILES,
        outage.NO_MEMORY,
    )


def test_nor_is_one_without_a_thread_for_the_deadline(monkeypatch):
    def none_left(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", none_left)
    with pytest.raises(outage.ResourcesExhausted, match="thread"):
        Chat(Endpoint("http://127.0.0.1:9/v1", "m"), print).ask(MESSAGES, "script", SCHEMA)


def test_an_answer_that_drips_ends_at_the_deadline(ask):
    """Read to its end, the answer would be refused, as it is not JSON."""
    with pytest.raises(ModelUnavailable, match="within 0.5 s"):
        ask(endpoints.drips, seconds=0.5)


def test_an_answer_without_end_is_cut(ask):
    pieces = itertools.repeat(b"x" * 65_536, 4000)  # far more than the sockets of both sides hold
    with pytest.raises(ModelRefused, match="more than 1000000 bytes"):
        ask(lambda _: (200, {"Content-Type": "application/json"}, pieces))
    assert operator.length_hint(pieces) > 0


def test_an_answer_that_breaks_off_is_worth_another_try(ask):
    with pytest.raises(ModelUnavailable, match="broke off"):
        ask(endpoints.hangs_up)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"null",
        b"not json",
        b"<html>Back in a minute</html>",
        b'{"error": {"code": 502, "message": "Provider returned error"}}',
        b'{"choices": []}',
        b'{"choices": [{"message": null}]}',
        b"[" * 100_000,
    ],
)
def test_a_success_that_is_no_answer_is_worth_another_try(ask, spent, content):
    with pytest.raises(ModelUnavailable, match="did not answer as OpenAI's API does"):
        ask(lambda _: (200, {"Content-Type": "application/json"}, content))
    assert spent == []


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("text/html; charset=utf-8", b"<html>Back in a minute</html>"),
        ("application/json", b'{"error": {"code": 502}}'),
        ("audio/wav", b""),
    ],
)
def test_a_success_that_is_no_sound_is_worth_another_try_and_is_not_paid(spent, kind, content):
    with endpoints.Endpoint(lambda _: (200, {"Content-Type": kind}, content)) as endpoint:
        speech = Speech(Endpoint(endpoint.url, "m"), "voice", spent.append)
        with pytest.raises(ModelUnavailable, match="did not answer as OpenAI's API does"):
            speech.speak("Tea.", "", 1.0)
    assert spent == []


def test_an_answer_without_a_bill_costs_nothing_and_counts(ask, spent):
    ask(lambda _: (200, {}, b'{"choices": [{"message": {"content": null}}]}'))
    assert spent == [Spent("script", "model-1", 0, 0)]


@pytest.mark.parametrize("content", [None, "", "a\nb", "sch\u00f6n"])
def test_a_key_file_without_a_key_is_refused(tmp_path, spent, content):
    if content is not None:
        (tmp_path / "key").write_text(content, "utf-8")
    with endpoints.Endpoint(endpoints.says("{}")) as endpoint:
        with pytest.raises(ModelRefused, match="key"):
            Chat(Endpoint(endpoint.url, "m", str(tmp_path / "key")), spent.append).ask(
                MESSAGES, "script", SCHEMA
            )
    assert endpoint.asked == []


def test_speech_is_asked_for_as_a_wav_and_charged_by_the_character(key_file, spent):
    with endpoints.Endpoint(endpoints.speaks) as endpoint:
        speech = Speech(Endpoint(endpoint.url + "/", "tts-1", key_file), "alloy", spent.append)
        content, kind = speech.speak("How tea is made.", "", 1.0)
        speech.speak("Tea.", "verse", 1.2)
    assert content[:4] == b"RIFF" and kind == "audio/wav"
    assert [(path, body) for path, _, body in endpoint.asked] == [
        (
            "/v1/audio/speech",
            {
                "model": "tts-1",
                "voice": "alloy",
                "input": "How tea is made.",
                "response_format": "wav",
            },
        ),
        (
            "/v1/audio/speech",
            {
                "model": "tts-1",
                "voice": "verse",
                "input": "Tea.",
                "response_format": "wav",
                "speed": 1.2,
            },
        ),
    ]
    assert spent == [Spent("speech", "tts-1", 16), Spent("speech", "tts-1", 4)]


@pytest.mark.parametrize(
    "before",
    [b"", b"HTTP/1.1 200 OK\r\nX-Long: ", b"HTTP/1.1 200 OK\r\n\r\n"],
    ids=["line", "headers", "body"],
)
def test_a_drip_at_any_stage_ends_at_the_deadline(spent, before):
    with receivers.receiving(receivers.dripping(before, b"1")) as receiver:
        with pytest.raises(ModelUnavailable, match=r"did not answer within 0.1 s"):
            Chat(Endpoint(receiver.url("/v1"), "m", seconds=0.1), spent.append).ask(
                MESSAGES, "script", SCHEMA
            )


def test_a_drip_in_the_tls_handshake_ends_at_the_deadline(spent):
    def handle(connection, stopping):
        connection.sendall(b"\x16\x03\x03\x40\x00")
        while not stopping.wait(0.005):
            connection.sendall(b"\x00")

    with receivers.receiving(handle) as receiver:
        with pytest.raises(ModelUnavailable, match=r"did not answer within 0.1 s"):
            url = receiver.url("/v1").replace("http:", "https:")
            Chat(Endpoint(url, "m", seconds=0.1), spent.append).ask(MESSAGES, "script", SCHEMA)


def test_a_name_that_is_never_found_ends_at_the_deadline(spent, monkeypatch):
    """getaddrinfo has no timeout: here it waits until the test is over."""
    over = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: (over.wait(60), [])[1])
    with pytest.raises(ModelUnavailable, match=r"did not answer within 0.1 s"):
        Chat(Endpoint("http://model.example/v1", "m", seconds=0.1), spent.append).ask(
            MESSAGES, "script", SCHEMA
        )
    over.set()
