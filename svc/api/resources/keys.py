"""``/v1/partners``: verification and rotation of the calling key."""

from typing import Any

from flask import Response, g, request

from svc.api.answer_docs import Replays, document_answers
from svc.api.context import now
from svc.api.envelope import make_json_response, make_secret_response
from svc.api.guard import require_scope
from svc.api.parsing import Blueprint
from svc.api.repetition import answer_once
from svc.api.schemas.accounts import Rotation, Verification
from svc.api.schemas.common import IdempotencyHeader, Nothing
from svc.base import clock
from svc.domain.access import keys

_GRACE = keys.GRACE // clock.HOUR

bp = Blueprint("keys", __name__, description="The calling API key.")


@bp.route("/v1/partners/verify", methods=["GET"])
@require_scope(activation=True)
@document_answers(
    200,
    Verification,
    "The key's partner, permissions and limits; on the first call the key, too.",
    headers=("Cache-Control",),
)
def verify_key() -> Response:
    """Verify the key

    On the first call with a key, `apiKey` contains it; on later calls it is null. This call
    exchanges an activation key (`svc_activate_…`) for a live key, which it returns once in
    `apiKey`: the activation key is then spent, and 401. If the answer is lost, ask the operator for
    another one. `HEAD` does not use up an activation key.
    """
    verification = keys.verify(
        g.caller, request.headers["X-API-Key"], now(), spend=request.method == "GET"
    )
    return (
        make_secret_response(verification)
        if verification["apiKey"]
        else make_json_response(verification)
    )


@bp.route("/v1/partners/keys/rotate", methods=["POST"])
@require_scope()
@bp.arguments(IdempotencyHeader, location="headers")
@bp.arguments(Nothing, required=False)
@document_answers(
    200,
    Rotation,
    f"The new key, active immediately; the old key stays valid for {_GRACE} hours.",
    headers=("Cache-Control",),
    replays=Replays.API_KEY,
    e403="`SELF_SERVE_DISABLED`: rotation is not enabled for the partner.",
    e409="`KEY_ALREADY_ROTATED`: this key has already been rotated.",
)
def rotate_key(headers: dict[str, Any], _: dict[str, Any]) -> Response:
    """Rotate the key

    Send an `Idempotency-Key`: if the answer is lost, repeat the request with the old key to get it
    again, with the new key.
    """
    return answer_once(
        headers["key"],
        {},
        lambda first: keys.rotate(g.caller, now(), first),
        make_secret_response,
        Replays.API_KEY,
    )
