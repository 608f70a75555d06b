"""What is kept of an endpoint's answer: a few of its headers and how its body begins, as text that is safe to show."""

import re
from codecs import getincrementaldecoder
from collections.abc import Mapping
from typing import Any

MOST_SHOWN = 1024  # bytes of a body, and characters of it after that
_MOST_HEADER = 200  # characters
_HEADERS = (
    "Content-Type", "Content-Length", "Content-Encoding", "Location", "Retry-After", "Allow", "WWW-Authenticate", "Server",
    "Via", "X-Request-Id",
)  # fmt: skip
# Control characters but tab and line feed, lone surrogates, and what turns the direction of the text around it.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
_UTF_8 = getincrementaldecoder("utf-8")


def kept(headers: Mapping[str, str], body: bytes) -> dict[str, Any] | None:
    """``{"headers": {name: value}, "body": text}`` of an answer whose body begins with ``body``; None: there is nothing."""
    found = {name: safe(headers[name])[:_MOST_HEADER] for name in _HEADERS if name in headers}
    text = safe(_UTF_8("replace").decode(body[:MOST_SHOWN]).replace("\r\n", "\n"))
    return {"headers": found, "body": text} if found or text else None


def safe(text: str) -> str:
    """``text`` with a replacement character for whatever could hide, forge or break what is shown."""
    return _UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text)
