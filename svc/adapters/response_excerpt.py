"""The stored excerpt of an endpoint's response: some headers and the beginning of the body,
as text that is safe to show.
"""

import re
from codecs import getincrementaldecoder
from collections.abc import Mapping
from typing import Any

MOST_SHOWN = 1024  # bytes of a body, and therefore at most as many characters
_MOST_HEADER = 200  # characters
_HEADERS = (
    "Content-Type",
    "Content-Length",
    "Content-Encoding",
    "Location",
    "Retry-After",
    "Allow",
    "WWW-Authenticate",
    "Server",
    "Via",
    "X-Request-Id",
)
# Control characters except tab and line feed, lone surrogates, and bidirectional controls.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)
_UTF_8 = getincrementaldecoder("utf-8")


def take_excerpt(headers: Mapping[str, str], body: bytes) -> dict[str, Any] | None:
    """Return ``{"headers": {name: value}, "body": text}`` of a response that begins with ``body``;
    None if both are empty.
    """
    shown_headers = {
        name: replace_unsafe(headers[name])[:_MOST_HEADER] for name in _HEADERS if name in headers
    }
    text = replace_unsafe(_UTF_8("replace").decode(body[:MOST_SHOWN]).replace("\r\n", "\n"))
    return {"headers": shown_headers, "body": text} if shown_headers or text else None


def replace_unsafe(text: str) -> str:
    """Return ``text`` with replacement characters for characters that could hide or forge text,
    or break its display.
    """
    return _UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text)
