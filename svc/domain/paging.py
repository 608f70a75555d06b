"""Keyset pagination, newest first by (created, id): rows added or removed meanwhile cause no
duplicates and no gaps.

The console reverses some lists, or sorts them by another column: the value of that column then
takes the place of ``created``.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from svc.base.errors import InvalidRequest
from svc.store.expressions import Tuple
from svc.store.queries import Select, slot

_BEFORE_ANY = (2**62, "")
_AFTER_NONE = (-1, "")
_LONGEST = 200  # characters of a cursor
_CURSOR = re.compile(
    r"(?P<created>\d{1,19}):(?P<row>[A-Za-z0-9-]{1,64}):(?P<check>[0-9a-f]{8})", re.ASCII
)
_LARGEST_ROW = 2**62  # for lists whose ids are numbers


@dataclass(frozen=True)
class Page:
    """A page of the list ``of``: at most ``limit`` rows (1 to 100) after the row with the key
    ``after`` (created, id).

    ``ascending``: the list begins with the smallest key, as with the oldest.
    """

    limit: int = 20
    after: tuple[int, str] = _BEFORE_ANY
    of: str = ""
    ascending: bool = False

    @property
    def is_first(self) -> bool:
        return self.after == _BEFORE_ANY

    @property
    def params(self) -> dict[str, int | str]:
        """Return the parameters of a list's statement: ``created`` and ``id`` of ``after``,
        and ``limit`` plus one.
        """
        created, row_id = _AFTER_NONE if self.ascending and self.is_first else self.after
        return {"created": created, "id": row_id, "limit": self.limit + 1}

    @property
    def row_number(self) -> int:
        """Return the id after which the page begins, for a list whose ids are numbers."""
        if self.ascending and self.is_first:
            return _AFTER_NONE[0]
        return int(self.after[1]) if self.after[1].isdigit() else _LARGEST_ROW

    def make_envelope(
        self,
        rows: list[Any],
        view: Callable[[Any], Any],
        key: Callable[[Any], tuple[int, str | int]] = lambda row: (row["created_at"], row["id"]),
    ) -> dict[str, Any]:
        """Return the list envelope of ``rows``, selected with ``limit`` plus one;
        ``view`` maps a row to an entry.
        """
        shown = rows[: self.limit]
        has_more = len(rows) > self.limit
        cursor = None
        if has_more:
            created, row_id = key(shown[-1])
            cursor = encode(created, row_id, self.of)
        return {
            "data": [view(row) for row in shown],
            "hasMore": has_more,
            "nextCursor": cursor,
        }


def page_newest_first(query: Select, created: Any, identifier: Any) -> Select:
    """Return a query that reads one page of its rows, for the values of :attr:`Page.params`.

    ``created``, ``identifier``: the columns by which the list is in order.
    """
    return page_by_key(query, created, identifier, ascending=False)


def page_by_key(query: Select, key: Any, identifier: Any, ascending: bool) -> Select:
    """Return a query that reads one page of its rows in the order of ``key``, a number,
    and among ties of the id.
    """
    row, last = Tuple(key, identifier), Tuple(slot("created"), slot("id"))
    return _sort_query(
        query.where(row > last if ascending else row < last), key, identifier, ascending
    )


def page_by_text(
    query: Select, model: Any, last: Any, key: Callable[[Any], Any], ascending: bool, is_first: bool
) -> Select:
    """Return a query that reads one page of its rows in the order of a text, and among ties of the
    id.

    ``key``: returns the text of a model. A cursor has an id alone, and the page begins after where
    that row is now. ``last``: another alias of the model, for that row.
    """
    if not is_first:
        text = last.select(key(last)).where(last.id == slot("id"))
        row, place = Tuple(key(model), model.id), Tuple(text, slot("id"))
        query = query.where(row > place if ascending else row < place)
    return _sort_query(query, key(model), model.id, ascending)


def _sort_query(query: Select, key: Any, identifier: Any, ascending: bool) -> Select:
    columns = (key.asc(), identifier.asc()) if ascending else (key.desc(), identifier.desc())
    return query.order_by(*columns).limit(slot("limit"))


def make_page(cursor: str, limit: int, of: str = "", ascending: bool = False) -> Page:
    """Return the page that begins at ``cursor``; empty: the first page.

    InvalidRequest: the cursor is not valid.
    """
    return Page(limit, decode(cursor, of) if cursor else _BEFORE_ANY, of, ascending)


def encode(created: int, row_id: str | int, of: str = "") -> str:
    """Return an opaque, URL-safe cursor for the list ``of``."""
    text = f"{created}:{row_id}"
    return (
        base64.urlsafe_b64encode(f"{text}:{_compute_checksum(text, of)}".encode())
        .rstrip(b"=")
        .decode()
    )


def decode(cursor: str, of: str = "") -> tuple[int, str]:
    """Return the arguments of :func:`encode`.

    InvalidRequest: the cursor is malformed, truncated, or of another list.
    """
    try:
        if len(cursor) > _LONGEST:
            raise ValueError
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        match = _CURSOR.fullmatch(raw.decode("ascii"))
        if match is None:
            raise ValueError
        created, row_id = int(match["created"]), match["row"]
        if created > _BEFORE_ANY[0] or (row_id.isdigit() and int(row_id) > _LARGEST_ROW):
            raise ValueError
        if encode(created, row_id, of) != cursor:
            raise ValueError
    except (ValueError, binascii.Error, UnicodeError):
        message = "cursor must be the unchanged nextCursor of an earlier page of the same list."
        raise InvalidRequest(message, fields={"cursor": [message]}) from None
    return created, row_id


def _compute_checksum(text: str, of: str) -> str:
    """Return a checksum that detects truncated or altered cursors and cursors of another list.

    It is not a signature.
    """
    return hashlib.sha256(f"{of}\n{text}".encode()).hexdigest()[:8]
