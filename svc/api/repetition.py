"""Idempotency-Key on operations other than the trigger: repeats a lost answer, including its secret."""

from collections.abc import Callable
from typing import Any

from flask import Response, g, request

from svc.api.context import now, service
from svc.domain.access import idempotency
from svc.domain.access.idempotency import NOT_KEPT, Answered, FirstAnswer, KeptAnswer


def answer_once(
    key: str | None, body: dict[str, Any], act: Callable[[FirstAnswer], dict[str, Any]], respond: Callable[..., Response]
) -> Response:
    """Perform an action, or repeat the first answer if the request is a repetition.

    ``key``: the Idempotency-Key. ``body``: the parsed body. ``act``: performs the action in the transaction of its argument.
    ``respond``: makes a response from an answer; more headers are keyword arguments. IdempotencyKeyReused, RequestInProgress.
    """
    if key is None:
        return respond(act(NOT_KEPT))
    caller = g.caller
    key = idempotency.within(caller.environment, caller.creator, key) or key
    digest = idempotency.digest_of(f"{request.method} {request.path.lower()}", caller.key_id, body)
    first = KeptAnswer(caller.partner_id, key, digest, request.headers["X-API-Key"], service().ring, now())
    with idempotency.in_progress(caller.partner_id, key):
        try:
            first.check()
            return respond(act(first))
        except Answered as repeated:
            return respond(repeated.answer, Idempotent_Replayed="true")
