"""One request to the API, before it is sent."""

import platform
import re
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote, urlsplit

import httpx

from partner_production.responses import Response

VERSION = "1.1.0"
_USER_AGENT = f"partner-production-python/{VERSION} python/{platform.python_version()}"
_OWN = (
    "x-api-key",
    "x-api-version",
    "idempotency-key",
    "content-type",
    "content-length",
    "host",
    "transfer-encoding",
)


@dataclass(frozen=True)
class Call:
    """A request.

    Attributes:
        idempotency_key: Sent as ``Idempotency-Key``: sending the request twice does nothing twice.
            None: by POST a fresh one.
        waits: How long the service may hold it, in seconds, beyond the usual time.
        is_done_if_gone: Whether 404 at a further try means that an earlier one has done it.
        timeout, headers, cancel, on_response: See RequestOptions.
    """

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    idempotency_key: str | None = None
    waits: float = 0
    is_done_if_gone: bool = False
    timeout: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    cancel: Any = None  # a Cancel in the synchronous half, an AsyncCancel in the other
    on_response: Callable[[Response], object] | None = None

    def __post_init__(self) -> None:
        if self.method == "POST" and self.idempotency_key is None:
            # the same one at each further try
            object.__setattr__(self, "idempotency_key", str(uuid.uuid4()))

    def with_query(self, query: Mapping[str, Any]) -> "Call":
        """Return the same request with another query."""
        return replace(self, query=query)

    def arguments(
        self, base_url: str, api_key: str, api_version: str | None, timeout: float
    ) -> dict[str, Any]:
        """Return the arguments of httpx's ``build_request``.

        ValueError: a header cannot be sent.
        """
        headers = {"Accept": "application/json", "User-Agent": _USER_AGENT} | checked_headers(
            self.headers
        )
        headers["X-API-Key"] = api_key
        if api_version is not None:
            headers["X-API-Version"] = api_version
        if self.idempotency_key is not None:
            headers["Idempotency-Key"] = _checked_key(self.idempotency_key)
        seconds = timeout if self.timeout is None else self.timeout
        return {
            "method": self.method,
            "url": base_url + self.path,
            "params": {name: value for name, value in self.query.items() if value is not None},
            "json": self.body,
            "headers": headers,
            "timeout": httpx.Timeout(seconds, read=seconds + self.waits),
        }


def path(template: str, /, **identifiers: str) -> str:
    """Return a path with its identifiers filled in, each as one segment.

    ValueError: one is empty, or dots.
    """
    for identifier in identifiers.values():
        if not isinstance(identifier, str) or identifier in ("", ".", ".."):
            raise ValueError(f"{identifier!r} is no identifier (for {template})")
    return template.format_map(
        {name: quote(identifier, safe="") for name, identifier in identifiers.items()}
    )


def checked_address(base_url: str) -> str:
    """Return the address of the service. ValueError: it is none."""
    text = base_url.strip() if isinstance(base_url, str) else ""
    if not text:
        raise ValueError("the address of the service is empty")
    try:
        url = httpx.URL(text)
        urlsplit(text)  # stricter about brackets
    except (httpx.InvalidURL, ValueError):
        url = httpx.URL("")
    if url.scheme not in ("http", "https") or not url.host or url.query or url.fragment:
        raise ValueError(
            "the address of the service must be like https://media.example.com, without ? and #"
        )
    return text.rstrip("/")


def checked_api_key(api_key: str) -> str:
    """Return the key without what surrounds it. ValueError, which never shows it: it is none."""
    text = api_key.strip() if isinstance(api_key, str) else ""
    if not text:
        raise ValueError("the API key is empty")
    wrong = re.search(r"[^!-~]", text)
    if wrong:
        raise ValueError(
            f"character {wrong.start() + 1} of the API key's {len(text)} is a space, a line break "
            "or no ASCII; copy it again"
        )
    return text


def checked_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers that a caller adds.

    ValueError, which shows no value: one cannot be sent.
    """
    for name, value in headers.items():
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name) or name.lower() in _OWN:
            raise ValueError(
                f"the header {name!r} cannot be given: it is no name of a header, or the "
                "client's own"
            )
        if not isinstance(value, str) or not re.fullmatch(r"[\t -~]*", value):
            raise ValueError(f"the value of the header {name} is no line of printable ASCII")
    return dict(headers)


def _checked_key(key: str) -> str:
    if not isinstance(key, str) or not re.fullmatch(r"[!-~]+", key):
        raise ValueError(
            "an idempotency key has only letters of ASCII, digits, and the signs _ : . -"
        )
    return key
