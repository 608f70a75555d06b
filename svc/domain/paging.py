"""Keyset pages, newest first on (created, id): rows added or removed meanwhile never make another appear twice or vanish."""

import base64
import binascii
from dataclasses import dataclass

from svc.base.errors import InvalidRequest

_BEFORE_ANY = (2**62, "")


@dataclass(frozen=True)
class Page:
    """How many rows at most (1 to 100), and the (created, id) after which they begin."""

    limit: int = 20
    after: tuple[int, str] = _BEFORE_ANY

    @property
    def is_first(self) -> bool:
        return self.after == _BEFORE_ANY

    def envelope(self, rows: list, view, key=lambda row: (row["created_at"], row["id"])) -> dict:
        """The list envelope of ``rows``, of which one more than ``limit`` was asked for; ``view`` makes an entry of a row."""
        shown = rows[: self.limit]
        has_more = len(rows) > self.limit
        return {
            "data": [view(each) for each in shown],
            "hasMore": has_more,
            "nextCursor": encode(*key(shown[-1])) if has_more else None,
        }


def encode(created: int, row_id: str | int) -> str:
    """An opaque, URL-safe cursor."""
    return base64.urlsafe_b64encode(f"{created}:{row_id}".encode()).rstrip(b"=").decode()


def decode(cursor: str) -> tuple[int, str]:
    """What :func:`encode` was given. InvalidRequest: it is no cursor of ours."""
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        created, _, row_id = raw.decode("ascii").partition(":")
        if not (created.isdigit() and row_id) or encode(int(created), row_id) != cursor or int(created) > _BEFORE_ANY[0]:
            raise ValueError
    except (ValueError, binascii.Error, UnicodeError):
        message = "cursor must be the nextCursor of an earlier page, unchanged."
        raise InvalidRequest(message, fields={"cursor": [message]}) from None
    return int(created), row_id
