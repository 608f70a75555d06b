"""The client for the operator's model endpoints: one bounded exchange with a service that
implements OpenAI's HTTP API.

The endpoints may have private addresses, so the checks for partners' endpoints do not apply; but an
exchange has one deadline, the size of a response is limited, and redirects are not followed,
because they could send the key elsewhere.
"""

import json
import socket
import ssl
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from http import client
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

import certifi
from urllib3 import BaseHTTPResponse
from urllib3 import exceptions as broken
from urllib3.connection import HTTPConnection, HTTPSConnection

from svc.adapters import addresses
from svc.adapters.deadline import Deadline, Stop
from svc.base import outage
from svc.base.errors import ModelRefused, ModelUnavailable
from svc.base.processes import heartbeat

if TYPE_CHECKING:  # the base class of the mixin below
    _Connection = HTTPConnection
else:
    _Connection = object

_CONNECT_SECONDS = 10.0
_MOST_CHAT = 1_000_000  # bytes
_MOST_SOUND = 64_000_000  # bytes: eleven minutes of 48 kHz
_BLOCK = 65_536
_BUSY = (408, 425, 429)  # temporary, like 5xx: try again later
_MOST_TOKENS = 8000  # of a response
_NO_SOUND = ("application/json", "text/html", "text/plain")


@dataclass(frozen=True)
class Endpoint:
    """``url``: up to ``/v1``.

    ``key_file``: a file with the API key; empty: no key is sent. ``seconds``: timeout.
    """

    url: str
    model: str
    key_file: str = ""
    seconds: float = 120.0


@dataclass(frozen=True)
class Spent:
    """The billed units of one response.

    Script: input and output tokens; speech: input characters.
    """

    purpose: str  # "script" or "speech"
    model: str
    units_in: int
    units_out: int = 0


class Chat:
    """A chat model that returns JSON by a schema.

    ``spent``: called with the units of every response, valid or not.
    """

    def __init__(self, endpoint: Endpoint, spent: Callable[[Spent], None]):
        self._endpoint, self._spent = endpoint, spent
        self.name = endpoint.model

    def ask(self, messages: list[dict[str, str]], name: str, schema: dict[str, Any]) -> str:
        """Return the text of the answer, which is not checked against ``schema``.

        Raise ModelUnavailable or ModelRefused.
        """
        body = {
            "model": self._endpoint.model,
            "messages": messages,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": name, "strict": True, "schema": schema},
            },
            "max_completion_tokens": _MOST_TOKENS,
        }
        content, _ = _post(self._endpoint, "/chat/completions", body, _MOST_CHAT)
        try:
            answer = json.loads(content)
            usage = answer.get("usage") or {}
            tokens = [int(usage.get(name) or 0) for name in ("prompt_tokens", "completion_tokens")]
            text = answer["choices"][0]["message"]["content"]
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            raise _make_protocol_error("script") from None
        self._spent(Spent("script", self._endpoint.model, *tokens))
        return text if isinstance(text, str) else ""


class Speech:
    """A speech model that returns audio. ``voice``: the model's name for the default voice."""

    def __init__(self, endpoint: Endpoint, voice: str, spent: Callable[[Spent], None]):
        self._endpoint, self._spent, self.voice = endpoint, spent, voice
        self.name = endpoint.model

    def speak(self, text: str, voice: str, speed: float) -> tuple[bytes, str]:
        """Return ``text`` as audio, and its media type.

        ``speed``: 1.0 is normal. Raise ModelUnavailable or ModelRefused.
        """
        body: dict[str, Any] = {
            "model": self._endpoint.model,
            "voice": voice or self.voice,
            "input": text,
        }
        body["response_format"] = "wav"
        if speed != 1.0:
            body["speed"] = speed
        audio = _post(self._endpoint, "/audio/speech", body, _MOST_SOUND)
        if not audio[0] or audio[1] in _NO_SOUND:
            raise _make_protocol_error("speech")
        self._spent(Spent("speech", self._endpoint.model, len(text)))
        return audio


def _post(endpoint: Endpoint, path: str, body: dict[str, Any], most: int) -> tuple[bytes, str]:
    """Post ``body``; return the body of a 2xx response and its media type.

    Raises:
        ModelUnavailable: There is no answer, or one that it is to be tried again.
        ModelRefused: The endpoint refuses the request.
        ResourcesExhausted: This process could open no more files or connections, or has no memory.
    """
    headers = {
        "Content-Type": "application/json",
        "Accept-Encoding": "identity",
        "User-Agent": "partner-production",
    }
    if endpoint.key_file:
        headers["Authorization"] = f"Bearer {_read_key(Path(endpoint.key_file))}"
    url = urlsplit(endpoint.url)
    target = url.path.rstrip("/").removesuffix(path) + path
    deadline = Deadline(endpoint.seconds)
    try:
        with ExitStack() as exchange, deadline:
            connection = _make_connection(url, deadline, exchange)
            exchange.callback(connection.close)
            with heartbeat.expect_silence(endpoint.seconds):
                connection.request(
                    "POST",
                    target,
                    json.dumps(body).encode(),
                    headers,
                    preload_content=False,
                    decode_content=False,
                )
                connection.sock.settimeout(endpoint.seconds)
                response = connection.getresponse()
                _require_success(response.status)
                content = _read_bounded(response, most)
                # If the length was not told, a connection that was shut down looks like the end.
                deadline.check()
            return content, response.headers.get("Content-Type", "").partition(";")[
                0
            ].strip().lower()
    except (
        OSError,
        Stop,
        broken.HTTPError,
        client.HTTPException,
        ValueError,
        RuntimeError,
    ) as failed:
        if outage.is_resource_exhaustion(failed):
            raise outage.ResourcesExhausted(failed) from failed  # the endpoint is not to blame
        if isinstance(failed, RuntimeError):
            raise
        raise ModelUnavailable(_describe_failure(failed, deadline, endpoint.seconds)) from None


def _make_connection(url: SplitResult, deadline: Deadline, exchange: ExitStack) -> HTTPConnection:
    limits: dict[str, Any] = {
        "deadline": deadline,
        "exchange": exchange,
        "timeout": _CONNECT_SECONDS,
    }
    if url.scheme == "http":
        return _PlainConnection(url.hostname or "", url.port or 80, **limits)
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return _TlsConnection(url.hostname or "", url.port or 443, ssl_context=context, **limits)


class _GuardedConnection(_Connection):
    """A connection that ends at the deadline, from the lookup of its host on.

    ``exchange``: until when it is guarded.
    """

    def __init__(self, *args: Any, deadline: Deadline, exchange: ExitStack, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._deadline, self._exchange = deadline, exchange

    def _new_conn(self) -> socket.socket:
        try:
            wire = self._connect(addresses.look_up(self.host, self._deadline.remaining_seconds()))
        except (addresses.NotResolved, OSError) as failed:
            if isinstance(failed, TimeoutError):
                raise
            raise broken.NewConnectionError(self, str(failed)) from None
        try:
            self._exchange.enter_context(self._deadline.guard(wire))
        except BaseException:
            wire.close()
            raise
        return wire

    def _connect(self, addresses_of_host: list[str]) -> socket.socket:
        """Connect to the first address that accepts; the remaining time is divided between them."""
        for position, address in enumerate(addresses_of_host):
            try:
                seconds = min(
                    _CONNECT_SECONDS,
                    self._deadline.remaining_seconds() / (len(addresses_of_host) - position),
                )
                return socket.create_connection((address, self.port or 0), seconds)
            except OSError as failed:
                last_error = failed
        raise last_error


class _PlainConnection(_GuardedConnection, HTTPConnection):
    pass


class _TlsConnection(_GuardedConnection, HTTPSConnection):
    pass


def _make_protocol_error(model: str) -> ModelUnavailable:
    """Return the error for a status of success whose body is not OpenAI's: a gateway sends its
    error pages so.
    """
    return ModelUnavailable(f"The {model} model's endpoint did not answer as OpenAI's API does.")


def _require_success(status: int) -> None:
    if status in _BUSY or status >= 500:
        raise ModelUnavailable(f"The model's endpoint answered with status {status}.")
    if not 200 <= status < 300:
        raise ModelRefused(f"The model's endpoint refused the request with status {status}.")


def _read_bounded(response: BaseHTTPResponse, most: int) -> bytes:
    announced_length = response.headers.get("Content-Length", "")
    content = bytearray()
    while block := response.read1(_BLOCK):
        content += block
        if len(content) > most:
            raise ModelRefused(f"The model's endpoint gave an answer of more than {most} bytes.")
    if announced_length.isdecimal() and len(content) < int(announced_length):
        raise ConnectionError("the answer was cut off")
    return bytes(content)


def _read_key(path: Path) -> str:
    try:
        key = path.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError) as failed:
        if outage.is_resource_exhaustion(failed):
            raise outage.ResourcesExhausted(failed) from failed
        key = ""
    if not key or not key.isprintable():
        raise ModelRefused("The file with the model's key contains no readable key.")
    return key


def _describe_failure(failure: Exception, deadline: Deadline, seconds: float) -> str:
    """Return a sentence that describes the failure, without the address,
    which partners must not see.
    """
    try:
        deadline.check()
    except Stop:
        return f"The model's endpoint did not answer within {seconds:g} s."
    match failure:
        case broken.NewConnectionError():
            return "The model's endpoint cannot be reached."
        case TimeoutError() | broken.TimeoutError():
            return "The model's endpoint does not answer."
        case ssl.SSLError() | broken.SSLError():
            return "The model's endpoint has no certificate that can be verified."
    return "The connection to the model's endpoint broke off."
