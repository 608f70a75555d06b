"""Lists as CSV and files as a ZIP archive, sent while they are read,
so that their size does not matter.
"""

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from flask import Response, stream_with_context
from werkzeug.http import dump_options_header

from svc.base import clock, threads
from svc.console import access
from svc.domain.paging import Page, decode

MOST_ROWS = 100_000  # of a list
_PAGE = 100
# Where a spreadsheet may take what follows for a formula: at the beginning of a cell, or of what is
# one with another separator than the comma; behind white space, signs without width and quotes,
# which some remove.
_IGNORED = r"(?:[^\S\t\r\n]|[\u200b-\u200f\u2060\ufeff\"'])*"
_SIGN = "[=+\\-@＝＋－＠﹦﹢﹣﹫]"
_FORMULA = re.compile(rf"\A(?=[\t\r\n]|{_IGNORED}{_SIGN})|(?<=[;|\t\r\n])(?={_IGNORED}{_SIGN})")


def make_csv_response(
    name: str, columns: dict[str, Callable[[Any], Any]], rows: Iterable[Any]
) -> Response:
    """Return a CSV file of ``rows``.

    ``columns``: each heading with the function that takes its value from a row.
    """

    def lines() -> Iterator[str]:
        yield "\ufeff" + _line(map(_cell, columns))  # so that Excel reads it as UTF-8
        for row in rows:
            yield _line(_cell(take(row)) for take in columns.values())

    return _download(lines(), f"{name}.csv", "text/csv; charset=utf-8")


AUDIT_COLUMNS: dict[str, Callable[[Any], Any]] = {
    "Time (UTC)": lambda each: format_spreadsheet_time(each["atMs"]),
    "Who": lambda each: each["actor"],
    "Action": lambda each: each["action"],
    "Subject": lambda each: each["subject"],
    "Subject id": lambda each: each["subjectId"] or "",
    "Before": lambda each: json.dumps(each["before"], ensure_ascii=False) if each["before"] else "",
    "After": lambda each: json.dumps(each["after"], ensure_ascii=False) if each["after"] else "",
}


def iterate_entries(page: Callable[[Page], dict[str, Any]]) -> Iterator[Any]:
    """Yield the entries of a list, newest first and at most :data:`MOST_ROWS`.

    ``page``: returns a page of it.
    """
    next_page = Page(_PAGE)
    for _ in range(MOST_ROWS // _PAGE):
        listed = page(next_page)
        yield from listed["data"]
        if not listed["hasMore"]:
            return
        next_page = Page(_PAGE, decode(listed["nextCursor"]))


def make_zip_response(name: str, files: Iterable[tuple[str, Iterable[bytes]]]) -> Response:
    """Return a ZIP archive. ``files``: the name of each with its content, block by block."""

    def blocks() -> Iterator[bytes]:
        written = _Written()
        # media are compressed already
        with zipfile.ZipFile(written, "w", zipfile.ZIP_STORED) as packed:
            for path, content in files:
                with packed.open(
                    zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0)), "w", force_zip64=True
                ) as entry:
                    for block in content:
                        entry.write(block)
                        yield written.take()
        yield written.take()

    return _download(blocks(), f"{name}.zip", "application/zip")


def format_spreadsheet_time(at: int | None) -> str:
    """Return a time as spreadsheets read it, in UTC; empty for None."""
    return "" if at is None else clock.format_time(at)[:19].replace("T", " ")


def _download(content: Iterator[Any], name: str, kind: str) -> Response:
    """Return a file that is made while it is sent. RateLimitExceeded, ServiceUnavailable: too much
    that takes long is being done for this owner, or for all.
    """
    work = threads.thread_shares.begin_background_work(access.name_thread_owner())
    disposition = dump_options_header("attachment", {"filename": name})
    response = Response(
        stream_with_context(content),
        content_type=kind,
        headers={"Content-Disposition": disposition},
    )
    response.call_on_close(work.end)  # also where nothing of it was sent
    return response


def _line(values: Iterable[Any]) -> str:
    written = io.StringIO()
    csv.writer(written).writerow(values)
    return written.getvalue()


def _cell(value: Any) -> Any:
    """Return a value that no spreadsheet takes for a formula,
    whatever separator it reads the file with.
    """
    return _FORMULA.sub("'", value) if isinstance(value, str) else value


class _Written(io.RawIOBase):
    """A file that is written from its beginning to its end, and gives away what was written."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, block: Any) -> int:
        self._parts.append(bytes(block))
        return len(block)

    def take(self) -> bytes:
        """Return what was written since the last call."""
        taken, self._parts = b"".join(self._parts), []
        return taken
