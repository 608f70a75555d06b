"""Idempotency-Key: the first answer of a key is given again for 24 hours."""

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from svc.base import clock
from svc.base.crypto import answer_encryption
from svc.base.crypto.signing import KeyRing
from svc.base.errors import IdempotencyKeyReused, RequestInProgress
from svc.base.text import json_text
from svc.store import database

LIFETIME = 24 * clock.HOUR
_UNREADABLE = "The first answer to this Idempotency-Key can be read no longer. Use a new one."

_REMEMBER = """
    INSERT OR REPLACE INTO idempotency_keys (partner_id, key, body_hash, production_id, answer, created_at, sealed)
"""
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
        """SELECT body_hash, production_id, answer, sealed FROM idempotency_keys
           WHERE partner_id = ? AND key = ? AND created_at > ?""",
        (partner_id, key, now - LIFETIME),
    )
    if row is not None and row["body_hash"] != digest:
        raise IdempotencyKeyReused()
    return row


def remember(partner_id: str, key: str, digest: bytes, production_id: str, answer: str, now: int) -> None:
    """Keep the first answer. Inside the transaction that triggers."""
    database.execute(f"{_REMEMBER} VALUES (?, ?, ?, ?, ?, ?, NULL)", (partner_id, key, digest, production_id, answer, now))


def prune(now: int) -> None:
    """Forget keys whose 24 hours are over."""
    with database.write(durable=False):
        database.execute("DELETE FROM idempotency_keys WHERE created_at <= ?", (now - LIFETIME,))


class Answered(Exception):
    """The request is a repetition: ``answer`` is what the first one was answered."""

    def __init__(self, answer: dict[str, Any]):
        super().__init__("answered before")
        self.answer = answer


class FirstAnswer:
    """Where an operation keeps what it answers, in the transaction that makes it true. This one keeps nothing."""

    @contextmanager
    def transaction(self) -> Iterator[Callable[[dict[str, Any]], dict[str, Any]]]:
        """As write(); gives a function that keeps an answer and returns it. Answered: there is one already."""
        with database.write():
            yield lambda answer: answer


NOT_KEPT = FirstAnswer()


@dataclass(frozen=True)
class KeptAnswer(FirstAnswer):
    """Keeps the answer under an Idempotency-Key, encrypted: it takes the master key, the API key and that key to read it.

    ``api_key``: as it was presented. ``digest``: of the operation, its body and the caller.
    """

    partner_id: str
    key: str
    digest: bytes
    api_key: str = field(repr=False)
    ring: KeyRing
    now: int

    def check(self) -> None:
        """Answered: the request is a repetition. IdempotencyKeyReused: the first one was another."""
        row = recall(self.partner_id, self.key, self.digest, self.now)
        if row is None:
            return
        try:
            raise Answered(json.loads(answer_encryption.unseal(self.ring, self._secret, row["sealed"])))
        except ValueError as failed:
            raise IdempotencyKeyReused(_UNREADABLE) from failed

    @contextmanager
    def transaction(self) -> Iterator[Callable[[dict[str, Any]], dict[str, Any]]]:
        with database.write():
            self.check()
            yield self._keep

    def _keep(self, answer: dict[str, Any]) -> dict[str, Any]:
        sealed = answer_encryption.seal(self.ring, self._secret, json_text.text(answer))
        row = (self.partner_id, self.key, self.digest, self.now, sealed)
        database.execute(f"{_REMEMBER} VALUES (?, ?, ?, '', '', ?, ?)", row)
        return answer

    @property
    def _secret(self) -> str:
        return f"{self.api_key}\n{self.key}"


def digest_of(operation: str, caller_id: str, body: dict[str, Any]) -> bytes:
    """SHA-256 of what is asked for, and by whom."""
    canonical = json.dumps([operation, caller_id, body], ensure_ascii=True, sort_keys=True)
    return hashlib.sha256(canonical.encode()).digest()
