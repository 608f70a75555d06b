"""One request to the API, before it is sent."""

import platform
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx

from partner_production.api_version import API_VERSION

VERSION = "1.1.0"
_USER_AGENT = f"partner-production-python/{VERSION} python/{platform.python_version()}"
_REPEATABLE = ("GET", "HEAD", "PUT", "PATCH", "DELETE")


@dataclass(frozen=True)
class Call:
    """A request.

    Attributes:
        waits: How long the service may hold it, in seconds, beyond the usual time.
        is_reading: Whether a POST changes nothing, or nothing more when it is sent again.
        is_done_if_gone: Whether 404 at a further try means that an earlier one has done it.
    """

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    idempotency_key: str | None = None
    waits: float = 0
    is_reading: bool = False
    is_done_if_gone: bool = False

    @property
    def is_repeatable(self) -> bool:
        """Whether sending it twice does nothing twice."""
        return self.is_reading or self.method in _REPEATABLE or self.idempotency_key is not None

    def arguments(self, base_url: str, api_key: str, timeout: float) -> dict[str, Any]:
        """Return the arguments of httpx's ``request``."""
        headers = {"X-API-Key": api_key, "X-API-Version": API_VERSION, "Accept": "application/json", "User-Agent": _USER_AGENT}
        if self.idempotency_key is not None:
            headers["Idempotency-Key"] = self.idempotency_key
        return {
            "method": self.method,
            "url": base_url.rstrip("/") + self.path,
            "params": {name: value for name, value in self.query.items() if value is not None},
            "json": self.body,
            "headers": headers,
            "timeout": httpx.Timeout(timeout, read=timeout + self.waits),
            "follow_redirects": False,  # the key goes to this address and no other
        }


def path(template: str, /, **identifiers: str) -> str:
    """Return a path with its identifiers filled in, each as one segment. ValueError: one is empty, or dots."""
    for identifier in identifiers.values():
        if identifier in ("", ".", ".."):
            raise ValueError(f"{identifier!r} is no identifier (for {template})")
    return template.format_map({name: quote(identifier, safe="") for name, identifier in identifiers.items()})


def once(given: str | None) -> str:
    """Return the Idempotency-Key of a request: the one given, or a fresh one."""
    return given if given is not None else str(uuid.uuid4())
