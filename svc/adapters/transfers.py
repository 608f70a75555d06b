"""The HTTP client for the places that accounts are connected to: uploads and short answers, by the
same rules as for webhooks.
"""

import copy
import hashlib
import json
import math
import secrets
import ssl
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from http import client
from pathlib import Path
from typing import Self

from urllib3 import BaseHTTPResponse
from urllib3 import exceptions as broken

from svc.adapters import addresses, connection
from svc.adapters.addresses import Allowed, Lookup
from svc.adapters.connection import Exchange
from svc.adapters.deadline import SLOWEST, Deadline, Stop
from svc.adapters.http import Sender, describe_failure
from svc.base import outage
from svc.base.errors import ServiceError

_SECONDS = 60.0  # for an exchange without a file
_PATIENCE = 60.0  # seconds in which no byte moves
_BLOCK = 64 * 1024  # bytes; at the slowest limit of a connection these are a few seconds
_HEADERS = 64 * 1024  # bytes of headers and interim responses
_WITH_BODY = ("POST", "PUT", "PATCH")
MOST_ANSWER = 256 * 1024  # bytes of an answer that are read
_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS  # for zlib: whichever of the two the first bytes are


class NotAnswered(Exception):
    """There was no complete answer; the text says why.

    Whether the place has carried out the request is unknown.
    """


@dataclass(frozen=True)
class Answer:
    """A complete answer of any status.

    ``headers``: by lower-case name. ``body``: its first MOST_ANSWER bytes.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text: in UTF-8, or in UTF-16 or UTF-32, with a byte order mark or without.

        Sites of which one file begins with a mark send it before everything.
        """
        return self.body.decode(json.detect_encoding(self.body), "replace")


@dataclass(frozen=True)
class Part:
    """A part of a file to send, from the offset ``start`` to ``end``. ``on_sent``: called with each
    number of its bytes sent.

    The time that ``on_sent`` takes, as it may hold the next bytes back, is added to that of the
    exchange. ``before``, ``after``: what is sent around it, such as the rest of a form.
    """

    file: Path
    start: int
    end: int
    on_sent: Callable[[int], None]
    before: bytes = b""
    after: bytes = b""

    def __len__(self) -> int:
        return len(self.before) + self.end - self.start + len(self.after)

    def read_blocks(self) -> Iterator[bytes]:
        yield self.before
        yield from self._read_content()
        yield self.after

    def _read_content(self) -> Iterator[bytes]:
        with self.file.open("rb") as file:
            file.seek(self.start)
            remaining = self.end - self.start
            while remaining and (block := file.read(min(remaining, _BLOCK))):
                yield block
                remaining -= len(block)
                exchange = connection.get_current_exchange()
                began = exchange.monotonic()
                self.on_sent(len(block))
                exchange.ends_at += exchange.monotonic() - began


def encode_form(
    fields: Mapping[str, str], name: str, filename: str, media_type: str, part: Part
) -> tuple[dict[str, str], Part]:
    """Return the headers and the body of a multipart form: short fields, then a file as the field
    ``name``.

    ``filename``, ``media_type``: our own, as they are not escaped.
    """
    boundary = secrets.token_hex(16)
    before = "".join(
        f'--{boundary}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{fields[key]}\r\n'
        for key in fields
    )
    head = (
        f'Content-Disposition: form-data; name="{name}"; filename="{filename}"\r\n'
        f"Content-Type: {media_type}"
    )
    around = f"{before}--{boundary}\r\n{head}\r\n\r\n".encode(), f"\r\n--{boundary}--\r\n".encode()
    body = replace(part, before=around[0], after=around[1])
    return {"Content-Type": f"multipart/form-data; boundary={boundary}"}, body


class Transfers(Sender):
    """Makes requests of any method, each over a connection of its own to a checked address.
    Redirects are not followed.

    ``deadline``: of all its requests together; each one has an end of its own besides.
    """

    def __init__(
        self,
        allowed: Allowed,
        *,
        lookup: Lookup = addresses.look_up,
        deadline: Deadline | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ):
        super().__init__(allowed, lookup=lookup, monotonic=monotonic)
        self.deadline = deadline or Deadline(math.inf)

    def with_deadline(self, deadline: Deadline) -> Self:
        """Return a client that differs in its deadline alone."""
        client = copy.copy(self)
        client.deadline = deadline
        return client

    def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | Part = b""
    ) -> Answer:
        """Make a request and return the answer. NotAnswered: there is none, or the address may not
        be reached.

        OSError, or the library's error around it: this process may open no more files, or has no
        memory.
        What ``body.on_sent`` raises ends the exchange and is raised, as is the reason for which the
        deadline was aborted.
        """
        exchange = connection.begin_exchange(
            _SECONDS + len(body) / SLOWEST, self._connect_seconds, self._monotonic
        )
        exchange.patience = _PATIENCE
        exchange.most_bytes = MOST_ANSWER + _HEADERS
        exchange.whole = self.deadline
        length = {"Content-Length": str(len(body))} if body or method in _WITH_BODY else {}
        try:
            with exchange.guards:
                return self._fetch_answer(method, url, {**headers, **length}, body, exchange)
        except (Stop, ServiceError) as refused:
            raise NotAnswered(str(refused)) from None

    def _fetch_answer(
        self, method: str, url: str, headers: dict[str, str], body: bytes | Part, exchange: Exchange
    ) -> Answer:
        try:
            answer = self._send_request(method, url, headers, body, exchange)
        except (
            OSError,
            broken.HTTPError,
            client.HTTPException,
            ssl.SSLError,
            UnicodeError,
            ValueError,
        ) as failure:
            # the end of a connection that was shut down is no failure of the place
            self.deadline.check()
            if outage.is_resource_exhaustion(failure):
                raise  # the place is not to blame
            raise NotAnswered(describe_failure(failure, exchange)) from None
        # If the length was not told, such an end looks like that of the answer.
        self.deadline.check()
        return answer

    def _send_request(
        self, method: str, url: str, headers: dict[str, str], body: bytes | Part, exchange: Exchange
    ) -> Answer:
        endpoint = addresses.parse(url)
        exchange.target = endpoint.target
        with self._make_pool(endpoint) as pool:
            response = pool.urlopen(
                method,
                endpoint.path,
                body.read_blocks() if isinstance(body, Part) else body or None,
                headers,
                retries=False,
                redirect=False,
                preload_content=False,
                decode_content=False,
                timeout=exchange.remaining_seconds(),
            )
            try:
                headers = {name.lower(): value for name, value in response.headers.items()}
                return Answer(response.status, headers, _unpack(_read(response), headers))
            finally:
                response.close()


def _read(response: BaseHTTPResponse) -> bytes:
    body = b""
    while len(body) < MOST_ANSWER and (
        piece := response.read(MOST_ANSWER - len(body), decode_content=False)
    ):
        body += piece
    return body


def _unpack(body: bytes, headers: Mapping[str, str]) -> bytes:
    """Return the beginning of a body; one that was compressed unasked, as some caches do, is
    unpacked where possible.
    """
    if headers.get("content-encoding", "").strip().lower() not in ("gzip", "x-gzip", "deflate"):
        return body
    try:
        return zlib.decompressobj(_GZIP_OR_ZLIB).decompress(body, MOST_ANSWER)
    except zlib.error:
        return body


def compute_md5(file: Path) -> bytes:
    """Return the MD5 of a file, by which a place checks what arrived; it protects nothing."""
    with file.open("rb") as reading:
        return hashlib.file_digest(reading, lambda: hashlib.md5(usedforsecurity=False)).digest()
