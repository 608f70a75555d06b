"""Conditional requests and byte ranges as HTTP defines them (RFC 9110 §13 and §14),
for every response with an ETag.
"""

import re
from typing import Any
from wsgiref.types import WSGIEnvironment

from werkzeug.datastructures import ContentRange
from werkzeug.exceptions import PreconditionFailed, RequestedRangeNotSatisfiable
from werkzeug.http import http_date, parse_date, parse_etags, parse_range_header, unquote_etag
from werkzeug.wrappers import Request, Response

_READS = ("GET", "HEAD")
# The ranges that every proxy reads: nginx and Caddy refuse numbers of more than 63 bits, and Caddy
# a unit in capitals.
_PART = r"[ \t]*(?:\d{1,18}-\d{0,18}|-\d{1,18})[ \t]*"
_READABLE = re.compile(rf"bytes={_PART}(?:,{_PART})*", re.ASCII)


def is_unchanged(
    environ: WSGIEnvironment, etag: str | None, last_modified: str | None = None
) -> bool:
    """Return whether the client already has the present version, so that the answer is 304.
    PreconditionFailed: the answer is 412.

    The order is that of RFC 9110 §13.2.2. ``etag``: as in the header; ``last_modified``: an HTTP
    date.
    """
    tag, is_weak = unquote_etag(etag)
    modified = parse_date(last_modified)
    if "HTTP_IF_MATCH" in environ:
        etags = parse_etags(environ["HTTP_IF_MATCH"])
        if not etags.star_tag and (tag is None or is_weak or not etags.is_strong(tag)):
            raise PreconditionFailed
    elif (
        modified
        and (until := parse_date(environ.get("HTTP_IF_UNMODIFIED_SINCE")))
        and modified > until
    ):
        raise PreconditionFailed
    if "HTTP_IF_NONE_MATCH" in environ:
        known_tags = parse_etags(environ["HTTP_IF_NONE_MATCH"])
        return bool(known_tags.star_tag or (tag is not None and known_tags.contains_weak(tag)))
    since = parse_date(environ.get("HTTP_IF_MODIFIED_SINCE"))
    return bool(modified and since and modified <= since)


def resolve_range(environ: WSGIEnvironment, length: int) -> tuple[int, int] | None:
    """Return the first byte and the one after the last that ``Range`` asks for; None: the whole is
    sent.

    A client must be ready for the whole (RFC 9110 §14.2): it gets it for another unit, for what is
    no range, and for several parts. RequestedRangeNotSatisfiable: every part begins after the end.
    """
    header = parse_range_header(environ.get("HTTP_RANGE"))
    if header is None or header.units != "bytes":
        if (environ.get("HTTP_RANGE") or "").replace(" ", "").lower() == "bytes=-0":
            # a valid range of no bytes, which werkzeug does not read
            raise RequestedRangeNotSatisfiable(length)
        return None
    parts = [
        (
            max(0, length + start) if start < 0 else start,
            length if end is None else min(end, length),
        )
        for start, end in header.ranges
    ]
    satisfiable = [(start, end) for start, end in parts if start < length]
    if not satisfiable:
        raise RequestedRangeNotSatisfiable(length)
    return satisfiable[0] if len(satisfiable) == 1 else None


def _wants_part(environ: WSGIEnvironment, etag: str | None, last_modified: str | None) -> bool:
    """Return whether the ``Range`` applies: with GET alone, and only if ``If-Range`` names the
    present content.
    """
    if environ["REQUEST_METHOD"] != "GET" or "HTTP_RANGE" not in environ:
        return False
    condition = environ.get("HTTP_IF_RANGE")
    if condition is None:
        return True
    condition = condition.strip()
    if condition.startswith('"'):
        return bool(condition == etag)  # the strong comparison: a weak tag begins with W
    date = parse_date(condition)
    return bool(date and date == parse_date(last_modified))


def refuse_before_proxy(environ: WSGIEnvironment, length: int, modified_ns: int) -> bool:
    """Refuse what a proxy that sends a file in our place would refuse without our envelope, as far
    as that is known here, and return whether it is to send the whole, whatever ``Range`` says:
    proxies refuse what is no range, and some ranges.

    Tags of files are the proxy's, so it decides whether it sends anything where one is named; those
    that nginx and Caddy give are known, and with them whether a range counts.

    PreconditionFailed, RequestedRangeNotSatisfiable. ``length``: of the file, in bytes;
    ``modified_ns``: when it was, in nanoseconds.
    """
    modified = http_date(modified_ns // 10**9)
    if "HTTP_IF_MATCH" not in environ:
        is_unchanged(environ, None, modified)
    if "HTTP_RANGE" not in environ:
        return False
    if environ["REQUEST_METHOD"] != "GET":
        return True
    tags = _list_tags_of_proxies(length, modified_ns)
    named = environ.get("HTTP_IF_RANGE", "").strip()
    known = named if named in tags else None
    is_readable = _READABLE.fullmatch(environ["HTTP_RANGE"]) is not None
    try:
        return resolve_range(environ, length) is None or not is_readable
    except RequestedRangeNotSatisfiable:
        if _wants_part(environ, known, modified) and _is_sent_by_proxy(environ, tags, modified):
            raise
        return not is_readable


def _is_sent_by_proxy(environ: WSGIEnvironment, tags: tuple[str, ...], modified: str) -> bool:
    """Return whether a proxy that gives a file one of ``tags`` sends it: it answers neither 304 nor
    412.
    """
    names = [unquote_etag(tag)[0] or "" for tag in tags]
    if "HTTP_IF_MATCH" in environ:
        wanted = parse_etags(environ["HTTP_IF_MATCH"])
        if not wanted.star_tag and not any(map(wanted.is_strong, names)):
            return False
    if "HTTP_IF_NONE_MATCH" in environ:
        known = parse_etags(environ["HTTP_IF_NONE_MATCH"])
        return not known.star_tag and not any(map(known.contains_weak, names))
    since, at = parse_date(environ.get("HTTP_IF_MODIFIED_SINCE")), parse_date(modified)
    return since is None or (at is not None and at > since)


def _list_tags_of_proxies(length: int, modified_ns: int) -> tuple[str, ...]:
    """Return the tags that nginx, and Caddy before and since 2.8, give a file."""
    seconds = modified_ns // 10**9
    return (
        f'"{seconds:x}-{length:x}"',
        f'"{_format_base36(seconds)}{_format_base36(length)}"',
        f'"{_format_base36(modified_ns)}{_format_base36(length)}"',
    )


def _format_base36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits or "0"


class Conditional(Response):
    """A response whose :meth:`make_conditional` follows RFC 9110.

    werkzeug's sends the whole file with a 412, does not know ``If-Unmodified-Since``, and refuses
    ranges that it could answer.
    """

    def make_conditional(
        self,
        request_or_environ: WSGIEnvironment | Request,
        accept_ranges: bool | str = False,
        complete_length: int | None = None,
    ) -> "Conditional":
        environ: Any = getattr(request_or_environ, "environ", request_or_environ)
        if environ["REQUEST_METHOD"] not in _READS:
            return self
        self.headers.setdefault("Date", http_date())
        if accept_ranges:
            self.accept_ranges = "bytes"
        etag, last_modified = self.headers.get("ETag"), self.headers.get("Last-Modified")
        try:
            if is_unchanged(environ, etag, last_modified):
                self.status_code = 304
            elif accept_ranges and complete_length and _wants_part(environ, etag, last_modified):
                part = resolve_range(environ, complete_length)
                if part is not None:
                    self._send_part(*part, complete_length)
        except (PreconditionFailed, RequestedRangeNotSatisfiable):
            self.close()  # the file that would have been sent
            raise
        if self.automatically_set_content_length and "content-length" not in self.headers:
            length = self.calculate_content_length()
            if length is not None:
                self.content_length = length
        return self

    def _send_part(self, start: int, end: int, length: int) -> None:
        self.status_code = 206
        self.content_length = end - start
        self.content_range = ContentRange("bytes", start, end, length)
        self._wrap_range_response(start, end - start)
