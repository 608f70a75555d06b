"""Idempotency-Key: the first 202 of a key is answered again for 24 hours."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from svc.base import clock
from svc.base.errors import IdempotencyKeyReused, RequestInProgress
from svc.store import database

LIFETIME = 24 * clock.HOUR

_answering: set[tuple[str, str]] = set()
_lock = threading.Lock()


@contextmanager
def in_progress(partner_id: str, key: str | None) -> Iterator[None]:
    """Hold the key while its first request is being answered. RequestInProgress: somebody holds it already.

    Other processes are kept apart by the trigger's transaction, which the second one waits for.
    """
    if key is None:
        yield
        return
    with _lock:
        if (partner_id, key) in _answering:
            raise RequestInProgress()
        _answering.add((partner_id, key))
    try:
        yield
    finally:
        with _lock:
            _answering.discard((partner_id, key))


def recall(partner_id: str, key: str, digest: bytes, now: int) -> database.Row | None:
    """The first answer as production_id and answer, its JSON; or None. IdempotencyKeyReused: it was to another brief."""
    row = database.row(
        "SELECT body_hash, production_id, answer FROM idempotency_keys WHERE partner_id = ? AND key = ? AND created_at > ?",
        (partner_id, key, now - LIFETIME),
    )
    if row is not None and row["body_hash"] != digest:
        raise IdempotencyKeyReused()
    return row


def remember(partner_id: str, key: str, digest: bytes, production_id: str, answer: str, now: int) -> None:
    """Keep the first answer. Inside the transaction that triggers."""
    database.execute(
        "INSERT OR REPLACE INTO idempotency_keys VALUES (?, ?, ?, ?, ?, ?)",
        (partner_id, key, digest, production_id, answer, now),
    )


def prune(now: int) -> None:
    """Forget keys whose 24 hours are over."""
    with database.write(durable=False):
        database.execute("DELETE FROM idempotency_keys WHERE created_at <= ?", (now - LIFETIME,))
