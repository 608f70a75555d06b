"""The review of scripts: read, change, approve."""

import base64
from typing import Any

from flask import Response

from svc.api.answer_docs import Replays, document_answers
from svc.api.context import now, service
from svc.api.envelope import make_accepted_response, make_etag_response, make_json_response
from svc.api.guard import refuse_parallel, require_scope
from svc.api.parsing import Blueprint
from svc.api.repetition import answer_once, wrap_in_transaction
from svc.api.schemas import scripts as shapes
from svc.api.schemas.common import IdempotencyHeader, Nothing
from svc.api.schemas.productions import Production
from svc.base.errors import RateLimitExceeded
from svc.domain import scopes
from svc.domain.briefing import corrections, rejection
from svc.domain.lifecycle import script_review
from svc.domain.productions import productions
from svc.domain.tables.productions import AddressedProduction, StoredScript

bp = Blueprint(
    "scripts", __name__, description="The review of a script before its production is made."
)

_NOT_FOUND = "`NOT_FOUND`: no such production, or not permitted to this key."
_NOT_READY = "`SCRIPT_NOT_READY`: it is not written yet."
_PREVIEW_SECONDS = 5
# How many seconds a request waits for its preview, if one of the few threads for long polls is
# free.
_MADE_SECONDS = 20.0
_ONE_PREVIEW = f"Another preview of yours is being made; try again in {_PREVIEW_SECONDS} s."
_NOT_REVIEWED = "the script is not under review, or no longer, or there is none."
_CHANGED = f"{_NOT_READY} `SCRIPT_CHANGED`: another version is the latest; {_NOT_REVIEWED}"


@bp.route("/v1/productions/<production_id>/script", methods=["GET"])
@require_scope(scopes.READ, resource=productions.find)
@document_answers(
    200,
    shapes.Script,
    "The latest version of the script.",
    etag=True,
    e404=f"{_NOT_FOUND[:-1]}; or it has no script that is kept.",
    e409=_NOT_READY,
)
def get_script(production: AddressedProduction) -> Response:
    """Get the script of a production

    For a production that was triggered with `"review": "script"`. It is held as `Producing` with
    `holdReason: ScriptReview` until the script is approved; `production.script.ready` tells
    webhooks that name it.
    """
    return make_etag_response(_represent_script(script_review.find_script(production["id"])))


@bp.route("/v1/productions/<production_id>/script", methods=["PUT"])
@require_scope(scopes.TRIGGER, resource=productions.find)
@bp.arguments(shapes.ScriptChange)
@document_answers(
    200,
    shapes.Script,
    "The next version of the script.",
    e400="A scene is not valid; `fields` says which and why.",
    e404=_NOT_FOUND,
    e409=f"{_CHANGED} `SENSITIVITY_RULE_SUPPRESSED`: a content rule.",
)
def change_script(production: AddressedProduction, body: dict[str, Any]) -> Response:
    """Change the script of a production

    Send all scenes in their order. One with a `sceneId` keeps what is left out of it; one without
    is new; one that is not sent is removed. What a scene shows besides (tables, charts, code) stays
    with it.
    """
    return make_json_response(
        _represent_script(
            script_review.change(production["id"], body["version"], body["scenes"], now())
        )
    )


@bp.route("/v1/productions/<production_id>/script/preview", methods=["POST"])
@require_scope(scopes.TRIGGER, resource=productions.find)
@bp.arguments(shapes.SceneChoice)
@document_answers(
    200,
    shapes.ScenePreview,
    "The scene with its narration.",
    e404="`NOT_FOUND`: no such production or scene, or not permitted to this key.",
    e409=f"{_NOT_READY} `SCRIPT_CHANGED`: {_NOT_REVIEWED}",
    e429="A partner has one preview made at a time; or it is still being made: ask for it again.",
)
def preview_scene(production: AddressedProduction, body: dict[str, Any]) -> Response:
    """Hear and see a scene before it is made

    A small video of a scene of the latest version, spoken by this server's own voices. It takes
    some seconds; where it takes longer, the answer is 429, and the same request, repeated after
    `Retry-After`, gets it.
    """
    partner_id = production["partner_id"]
    with refuse_parallel(("preview", partner_id), _ONE_PREVIEW, _PREVIEW_SECONDS):
        film = service().previews.render_scene(
            production["id"], body["sceneId"], partner_id, _MADE_SECONDS
        )
    if film is None:
        message = f"This preview is being made; ask for it again in {_PREVIEW_SECONDS} s."
        raise RateLimitExceeded(message, retry_after=_PREVIEW_SECONDS)
    content = base64.b64encode(film.read_bytes()).decode()
    return make_json_response(
        {"sceneId": body["sceneId"], "mediaType": "video/mp4", "content": content}
    )


@bp.route("/v1/productions/<production_id>/script/approve", methods=["POST"])
@require_scope(scopes.TRIGGER, resource=productions.find)
@bp.arguments(IdempotencyHeader, location="headers")
@bp.arguments(shapes.Approval)
@document_answers(
    202,
    Production,
    "The production goes on.",
    replays=Replays.PARTNER,
    e404=_NOT_FOUND,
    e409=_CHANGED,
)
def approve_script(
    production: AddressedProduction, headers: dict[str, Any], body: dict[str, Any]
) -> Response:
    """Approve the script of a production

    The production goes on with the latest version. Approving it again changes nothing. One that
    nobody approves expires.
    """

    def approve() -> dict[str, Any]:
        script_review.approve(production["id"], body["version"], now())
        return productions.load_production(production["id"])

    return answer_once(headers["key"], body, wrap_in_transaction(approve), make_accepted_response)


@bp.route("/v1/productions/<production_id>/script/reject", methods=["POST"])
@require_scope(scopes.TRIGGER, resource=productions.find)
@bp.arguments(IdempotencyHeader, location="headers")
@bp.arguments(shapes.Rejection)
@document_answers(
    200,
    Production,
    "The production has ended: `Failed`, `SCRIPT_REJECTED`.",
    replays=Replays.PARTNER,
    e404=_NOT_FOUND,
    e409=_CHANGED,
)
def reject_script(
    production: AddressedProduction, headers: dict[str, Any], body: dict[str, Any]
) -> Response:
    """Reject the script of a production

    The production ends as `Failed` with `errorCode` `SCRIPT_REJECTED` and your reason, and is not
    made. Resuming its batch does not revive it. Rejecting it again changes nothing.
    """

    def reject() -> dict[str, Any]:
        rejection.reject(production["id"], body["version"], body["reason"], now())
        return productions.load_production(production["id"])

    return answer_once(headers["key"], body, wrap_in_transaction(reject), make_json_response)


@bp.route("/v1/productions/<production_id>/script/reopen", methods=["POST"])
@require_scope(scopes.TRIGGER, resource=productions.find)
@bp.arguments(IdempotencyHeader, location="headers")
@bp.arguments(Nothing, required=False)
@document_answers(
    202,
    Production,
    "Its script awaits its review again.",
    replays=Replays.PARTNER,
    e404=_NOT_FOUND,
    e409=_NOT_READY
    + " `CORRECTION_NOT_POSSIBLE`: it does not await its release, or has ten revisions.",
)
def reopen_script(
    production: AddressedProduction, headers: dict[str, Any], _: dict[str, Any]
) -> Response:
    """Correct a production that is rendered

    A production that awaits its release goes back to the review of its script. Change and approve
    it: only the scenes that changed are rendered anew, and the files of the next `revision` take
    the place of those that are there.
    """

    def reopen() -> dict[str, Any]:
        corrections.reopen(production["id"], now())
        return productions.load_production(production["id"])

    return answer_once(headers["key"], {}, wrap_in_transaction(reopen), make_accepted_response)


def _represent_script(script: StoredScript) -> dict[str, Any]:
    return script_review.represent(script, service().prices)
