"""``/v1/productions/{productionId}/performance``: the performance of a published production."""

from flask import Response

from svc.api.answer_docs import document_answers
from svc.api.context import now
from svc.api.envelope import make_json_response
from svc.api.guard import require_scope
from svc.api.parsing import Blueprint
from svc.api.schemas.performance import Performance
from svc.domain import scopes
from svc.domain.productions import productions
from svc.domain.tables.productions import AddressedProduction
from svc.domain.watch import performance

bp = Blueprint("performance", __name__, description="The performance of published productions.")


@bp.route("/v1/productions/<production_id>/performance", methods=["GET"])
@require_scope(scopes.PERFORMANCE, resource=productions.find)
@document_answers(
    200,
    Performance,
    "Measured or imported figures, as `dataSource` says.",
    e404="`NOT_FOUND`: no such production for this key.",
    e409="`PERFORMANCE_DATA_NOT_READY`: not `Published` yet.",
)
def get_performance(production: AddressedProduction) -> Response:
    """Get the performance data of a production"""
    return make_json_response(performance.represent(production, now()))
