"""``/v1/productions/{productionId}/performance``: how a published production does."""

from flask import Response

from svc.api.docs import answers
from svc.api.envelope import answer
from svc.api.guard import needs
from svc.api.parsing import Blueprint
from svc.api.schemas.performance import Performance
from svc.api.service import now
from svc.base import scopes
from svc.domain import performance, productions
from svc.domain.tables import AddressedProduction

bp = Blueprint("performance", __name__, description="How published productions do.")


@bp.route("/v1/productions/<production_id>/performance", methods=["GET"])
@needs(scopes.PERFORMANCE, resource=productions.find)
@answers(
    200, Performance, "Measured or imported figures; `dataSource` says which.",
    e404="`NOT_FOUND`: absent or outside the permitted accounts.",
    e409="`PERFORMANCE_DATA_NOT_READY`: not `Published` yet.",
)  # fmt: skip
def get_performance(found: AddressedProduction) -> Response:
    """Get the performance data of a production"""
    return answer(performance.view(found, now()))
