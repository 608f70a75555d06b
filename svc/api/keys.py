"""``/v1/partners``: what a key is and may do, and its rotation."""

from typing import Any

from flask import Response, g, request

from svc.api.docs import answers
from svc.api.envelope import answer, secret
from svc.api.guard import needs
from svc.api.parsing import Blueprint
from svc.api.repetition import answer_once
from svc.api.schemas.accounts import Nothing, Rotation, Verification
from svc.api.schemas.common import IdempotencyHeader
from svc.api.service import now, service
from svc.base.signing import ACTIVATION_PREFIX
from svc.domain import keys

bp = Blueprint("keys", __name__, description="The API key that is calling.")


@bp.route("/v1/partners/verify", methods=["GET"])
@needs(activation=True)
@answers(200, Verification, "The key's partner, scopes and limits; itself on the first verify.", headers=("Cache-Control",))
def verify_key() -> Response:
    """Verify the key

    On the first verify of a key, `apiKey` holds it; ever after it is null. An activation key (`svc_activate_…`) is spent by
    this call, which makes the live key and returns it in `apiKey`, once. If that answer never arrives, the same activation key
    gets it again for 15 minutes, until the live key is used for the first time. `HEAD` spends nothing.
    """
    presented = request.headers["X-API-Key"]
    if presented.startswith(ACTIVATION_PREFIX):
        service().recorder.flush()  # which writes whether the live key has been used
    verification = keys.verify(g.caller, presented, now(), service().ring, spend=request.method == "GET")
    return secret(verification) if verification["apiKey"] else answer(verification)


@bp.route("/v1/partners/keys/rotate", methods=["POST"])
@needs()
@bp.arguments(IdempotencyHeader, location="headers")
@bp.arguments(Nothing, required=False)
@answers(
    200, Rotation, "The new key, active at once; the old one stays valid for 24 hours.",
    headers=("Cache-Control", "Idempotent-Replayed"),
    e403="`SELF_SERVE_DISABLED`: rotation is not enabled for the partner.",
    e409="`KEY_ALREADY_ROTATED`: the presented key was rotated before. `REQUEST_IN_PROGRESS`: the first call with this "
    "`Idempotency-Key` is being answered.",
    e422="`IDEMPOTENCY_KEY_REUSED`: with another request, or by another key.",
)  # fmt: skip
def rotate_key(headers: dict[str, Any], _: dict[str, Any]) -> Response:
    """Rotate the key

    Send an `Idempotency-Key`: if the answer is lost, the same call with the old key gets it again, with the new key in it.
    """
    return answer_once(headers["key"], {}, lambda first: keys.rotate(g.caller, now(), first), secret)
