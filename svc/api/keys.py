"""``/v1/partners``: what a key is and may do, and its rotation."""

from flask import g, request

from svc.api.docs import answers
from svc.api.envelope import answer, secret
from svc.api.guard import needs
from svc.api.parsing import Blueprint
from svc.api.schemas.accounts import Nothing, Rotation, Verification
from svc.api.service import now
from svc.domain import keys

bp = Blueprint("keys", __name__, description="The API key that is calling.")


@bp.route("/v1/partners/verify", methods=["GET"])
@needs(activation=True)
@answers(200, Verification, "The key's partner, scopes and limits; itself on the first verify.", headers=("Cache-Control",))
def verify_key():
    """Verify the key

    On the first verify of a key, `apiKey` holds it; ever after it is null. An activation key (`svc_activate_…`) is spent by
    this call, which makes the live key and returns it in `apiKey`, once.
    """
    verification = keys.verify(g.caller, request.headers["X-API-Key"], now())
    return secret(verification) if verification["apiKey"] else answer(verification)


@bp.route("/v1/partners/keys/rotate", methods=["POST"])
@needs()
@bp.arguments(Nothing, required=False)
@answers(
    200, Rotation, "The new key, active at once; the old one stays valid for 24 hours.", headers=("Cache-Control",),
    e403="`SELF_SERVE_DISABLED`: rotation is not enabled for the partner.",
    e409="`KEY_ALREADY_ROTATED`: the presented key was rotated before.",
)  # fmt: skip
def rotate_key(_):
    """Rotate the key"""
    return secret(keys.rotate(g.caller, now()))
