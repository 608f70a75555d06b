"""Deliverables, and the signed links to their files."""

from flask import Response, request
from werkzeug import wrappers

from svc.api.answer_docs import document_answers
from svc.api.context import now, service
from svc.api.envelope import make_json_response
from svc.api.guard import require_scope
from svc.api.parsing import Blueprint
from svc.api.schemas.productions import DeliverableList
from svc.base import clock, ids, media_types
from svc.base.errors import LinkInvalid
from svc.domain import scopes
from svc.domain.lifecycle import deliverables
from svc.domain.productions import productions
from svc.domain.tables.productions import AddressedProduction

bp = Blueprint("deliverables", __name__, description="The finished files.")
files = Blueprint("files", __name__, description="Downloads by signed link.")


@bp.route(
    "/v1/accounts/<account_id>/productions/<production_id>/deliverables",
    methods=["GET"],
    endpoint="list_deliverables_of_account",
)
@bp.route(
    "/v1/productions/<production_id>/deliverables", methods=["GET"], endpoint="list_deliverables"
)
@require_scope(scopes.DELIVERABLES, resource=productions.find)
@document_answers(
    200,
    DeliverableList,
    "Every deliverable, each with a new link.",
    e404="`NOT_FOUND`: no such production for this key.",
)
def list_deliverables(production: AddressedProduction) -> Response:
    """List the deliverables of a production

    The list is empty until the files exist. Each call creates new links, which are valid for one
    hour.
    """
    moment = now()
    return make_json_response(
        deliverables.list_with_links(
            production, lambda deliverable_id: service().storage.make_link(deliverable_id, moment)
        )
    )


@files.route("/files/<deliverable_id>", methods=["GET"])
def download(deliverable_id: str) -> wrappers.Response:
    """Download a file by its signed link"""
    expires, signature = request.args.get("expires", ""), request.args.get("signature", "")
    signed_query = f"expires={expires}&signature={signature}"
    if (
        request.query_string != signed_query.encode()
        or ids.normalise(deliverable_id) != deliverable_id
    ):
        raise LinkInvalid()
    moment = now()
    service().storage.check_link(deliverable_id, expires, signature, moment)
    row = deliverables.find(deliverable_id)
    return service().send(
        row["file"],
        seconds=int(expires) - moment // clock.SECOND,
        cache="private, max-age=3600",
        etag=row["sha256"],
        mimetype=media_types.BY_SUFFIX[f".{row['format']}"],
        as_attachment=True,
        download_name=deliverables.make_file_name(
            row["title"], row["type"], row["platform"], row["format"]
        ),
    )
