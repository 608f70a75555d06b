"""Idempotency-Key: a repeated request gets the first answer again, for 24 hours."""

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
from svc.domain.tables.access import StoredAnswer
from svc.store.database import db
from svc.store.models.access import IdempotencyKey
from svc.store.queries import Prepared, slot, slots

LIFETIME = 24 * clock.HOUR
_UNREADABLE = "The first answer to this Idempotency-Key can no longer be read. Use a new key."

_RECALL = Prepared(
    IdempotencyKey.select(
        IdempotencyKey.body_hash,
        IdempotencyKey.production_id,
        IdempotencyKey.answer,
        IdempotencyKey.sealed,
    ).where(
        IdempotencyKey.partner_id == slot("partner_id"),
        IdempotencyKey.key == slot("key"),
        IdempotencyKey.created_at > slot("since"),
    ),
    StoredAnswer,
)
_REMEMBER = Prepared(
    IdempotencyKey.insert(
        slots("partner_id", "key", "body_hash", "production_id", "answer", "created_at", "sealed")
    ).on_conflict(
        conflict_target=[IdempotencyKey.partner_id, IdempotencyKey.key],
        preserve=[
            IdempotencyKey.body_hash,
            IdempotencyKey.production_id,
            IdempotencyKey.answer,
            IdempotencyKey.created_at,
            IdempotencyKey.sealed,
        ],
    )
)
_PRUNE = Prepared(IdempotencyKey.delete().where(IdempotencyKey.created_at <= slot("before")))
_BRING_BACK = Prepared(
    IdempotencyKey.update(created_at=slot("now")).where(IdempotencyKey.created_at > slot("latest"))
)
_answering: set[tuple[str, str]] = set()
_lock = threading.Lock()


def make_stored_key(environment: str, creator: str | None, key: str | None) -> str | None:
    """Return a key as it is stored: live keys have one namespace, and the test keys of each sandbox
    have one of their own.

    ``environment``: of the API key or of the account. What is added has a space, which no
    Idempotency-Key has.
    """
    return key if key is None or environment == "live" else f"test {creator} {key}"


@contextmanager
def lock_key(partner_id: str, key: str | None) -> Iterator[None]:
    """Lock the key while its first request is being answered. RequestInProgress: another thread has
    locked it.

    Between processes the trigger's write transaction serves as the lock.
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


def recall(partner_id: str, key: str, digest: bytes, now: int) -> StoredAnswer | None:
    """Return the first answer, or None. IdempotencyKeyReused: it was to another request."""
    row = _RECALL.row(partner_id=partner_id, key=key, since=now - LIFETIME)
    if row is not None and row["body_hash"] != digest:
        raise IdempotencyKeyReused()
    return row


def remember(
    partner_id: str, key: str, digest: bytes, production_id: str, answer: str, now: int
) -> None:
    """Store the first answer. Call it inside the transaction of the trigger."""
    _REMEMBER.execute(
        partner_id=partner_id,
        key=key,
        body_hash=digest,
        production_id=production_id,
        answer=answer,
        created_at=now,
        sealed=None,
    )


def prune(now: int) -> None:
    """Remove keys after their 24 hours.

    Those of the future, of before the clock was set back, are remembered for as long from now on.
    """
    with db.transaction(durable=False):
        _BRING_BACK.execute(now=now, latest=now + clock.SKEW)
        _PRUNE.execute(before=now - LIFETIME)


class Answered(Exception):
    """Raised for a repeated request; ``answer`` is the answer to the first one."""

    def __init__(self, answer: dict[str, Any]):
        super().__init__("answered before")
        self.answer = answer


class FirstAnswer:
    """Stores the answer of an operation in the transaction of its changes.

    This base class stores nothing.
    """

    @contextmanager
    def transaction(self, partner_id: str) -> Iterator[Callable[[dict[str, Any]], dict[str, Any]]]:
        """Begin a transaction of the partner who asks, and yield a function that stores an answer
        and returns it.

        Answered: there is one already.
        """
        with db.transaction(partner=partner_id):
            yield lambda answer: answer


NOT_KEPT = FirstAnswer()


@dataclass(frozen=True)
class KeptAnswer(FirstAnswer):
    """Stores the answer under an Idempotency-Key, encrypted with a key derived from the master, API
    and Idempotency keys.

    ``api_key``: the full key of the request; empty: any key of the partner may get the answer
    again. ``digest``: see :func:`digest_of`.
    """

    partner_id: str
    key: str
    digest: bytes
    api_key: str = field(repr=False)
    ring: KeyRing
    now: int

    def check(self) -> None:
        """Raise Answered for a repeated request, and IdempotencyKeyReused if the first request was
        a different one.
        """
        row = recall(self.partner_id, self.key, self.digest, self.now)
        if row is None:
            return
        try:
            raise Answered(
                json.loads(answer_encryption.unseal(self.ring, self._secret, row["sealed"] or b""))
            )
        except ValueError as failed:
            raise IdempotencyKeyReused(_UNREADABLE) from failed

    @contextmanager
    def transaction(self, partner_id: str) -> Iterator[Callable[[dict[str, Any]], dict[str, Any]]]:
        with db.transaction(partner=partner_id):
            self.check()
            yield self._store_answer

    def _store_answer(self, answer: dict[str, Any]) -> dict[str, Any]:
        sealed = answer_encryption.seal(self.ring, self._secret, json_text.text(answer))
        _REMEMBER.execute(
            partner_id=self.partner_id,
            key=self.key,
            body_hash=self.digest,
            production_id="",
            answer="",
            created_at=self.now,
            sealed=sealed,
        )
        return answer

    @property
    def _secret(self) -> str:
        return f"{self.api_key}\n{self.key}"


def digest_request(operation: str, caller_id: str, body: dict[str, Any]) -> bytes:
    """Return the SHA-256 of an operation, its caller (empty: any) and its body."""
    canonical = json.dumps([operation, caller_id, body], ensure_ascii=True, sort_keys=True)
    return hashlib.sha256(canonical.encode()).digest()
