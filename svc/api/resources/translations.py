"""The translation of briefs by people: read what is to be translated, send it back."""

from typing import Any

from flask import Response

from svc.api.answer_docs import document_answers
from svc.api.context import now, service
from svc.api.envelope import make_etag_response, make_json_response
from svc.api.guard import require_scope
from svc.api.parsing import Blueprint
from svc.api.schemas import translations as shapes
from svc.domain import scopes
from svc.domain.productions import productions
from svc.domain.tables.productions import AddressedProduction
from svc.domain.translation import translations

bp = Blueprint(
    "translations",
    __name__,
    description="The translation of briefs into further languages by people.",
)

LARGEST = 2**20  # bytes of a translation
_NOT_FOUND = "`NOT_FOUND`: no such production, or not permitted to this key."


@bp.route("/v1/productions/<production_id>/translation", methods=["GET"])
@require_scope(scopes.READ, resource=productions.find)
@document_answers(
    200,
    shapes.Translation,
    "What is to be translated, and its translation.",
    etag=True,
    e404=f"{_NOT_FOUND[:-1]}; or people do not translate its brief.",
)
def get_translation(production: AddressedProduction) -> Response:
    """Get the translation of a brief

    For a production that was triggered with `languageIds` and whose brief people translate. It is
    held as `Queued` with `holdReason: Translation` until the translation is received.
    """
    return make_etag_response(translations.represent(translations.find(production["id"])))


@bp.route("/v1/productions/<production_id>/translation", methods=["PUT"])
@require_scope(scopes.TRIGGER, resource=productions.find, longest=LARGEST)
@bp.arguments(shapes.NewTranslation)
@document_answers(
    200,
    shapes.Translation,
    "The production begins.",
    e400=(
        "A segment is missing, unknown or too long, or the file is not XLIFF 2 of this "
        "production; `fields` says which."
    ),
    e404=_NOT_FOUND,
    e409=(
        "`TRANSLATION_NOT_AWAITED`: it has another translation, or has ended, or people do not "
        "translate its brief. "
        "`SENSITIVITY_RULE_SUPPRESSED`: a content rule."
    ),
)
def receive_translation(production: AddressedProduction, body: dict[str, Any]) -> Response:
    """Send the translation of a brief

    All segments at once, as JSON or as the XLIFF file that was read here. The title follows from
    the translated topic. The production then begins. Sending the same again changes nothing.
    """
    translation = translations.find_to_translate(production["id"])
    if body["xliff"] is not None:
        targets = translations.read_file(translation, body["xliff"])
    else:
        targets = {segment["segmentId"]: segment["target"] for segment in body["segments"]}
    updated = translations.set_translation(production["id"], targets, now(), service().prices)
    return make_json_response(translations.represent(updated))
