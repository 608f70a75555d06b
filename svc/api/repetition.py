"""Idempotency-Key on operations other than triggers: repeats a lost answer,
including its secret.
"""

from collections.abc import Callable
from typing import Any

from flask import Response, g, request

from svc.api.answer_docs import Replays
from svc.api.context import now, service
from svc.domain.access import idempotency
from svc.domain.access.idempotency import NOT_KEPT, Answered, FirstAnswer, KeptAnswer


def answer_once(
    key: str | None,
    body: dict[str, Any],
    act: Callable[[FirstAnswer], dict[str, Any]],
    respond: Callable[..., Response],
    to: Replays = Replays.PARTNER,
) -> Response:
    """Perform an action, or repeat the first answer if the request is a repetition.

    Args:
        key: The Idempotency-Key.
        body: The parsed body.
        act: Performs the action in the transaction of its argument; see
            :func:`wrap_in_transaction`.
        respond: Makes a response from an answer; more headers are keyword arguments.
        to: Who gets the answer again. One with a secret is for the API key that got it first.

    Raises IdempotencyKeyReused, RequestInProgress.
    """
    if key is None:
        return respond(act(NOT_KEPT))
    caller = g.caller
    key = idempotency.make_stored_key(caller.environment, caller.creator, key) or key
    key_id, api_key = (
        (caller.key_id, request.headers["X-API-Key"]) if to is Replays.API_KEY else ("", "")
    )
    digest = idempotency.digest_request(f"{request.method} {request.path.lower()}", key_id, body)
    first = KeptAnswer(caller.partner_id, key, digest, api_key, service().ring, now())
    with idempotency.lock_key(caller.partner_id, key):
        try:
            first.check()
            return respond(act(first))
        except Answered as repeated:
            return respond(repeated.answer, Idempotent_Replayed="true")


def wrap_in_transaction(
    act: Callable[[], dict[str, Any]],
) -> Callable[[FirstAnswer], dict[str, Any]]:
    """Return an action for :func:`answer_once` that performs ``act`` and keeps its answer
    in one transaction.
    """

    def act_and_keep(first: FirstAnswer) -> dict[str, Any]:
        with first.transaction(g.caller.partner_id) as keep:
            return keep(act())

    return act_and_keep
