"""Templates: briefs with variables, previewed and triggered with values."""

from typing import Any

from flask import Response, g, request

from svc.api.answer_docs import Replays, document_answers
from svc.api.context import now, service
from svc.api.envelope import make_json_response
from svc.api.guard import refuse_parallel, require_scope
from svc.api.parsing import Blueprint, load_object
from svc.api.repetition import answer_once, wrap_in_transaction
from svc.api.resources.briefing import (
    BATCH_REFUSED,
    BUSY,
    LARGEST,
    make_batch_response,
    trigger_and_answer,
)
from svc.api.schemas import templates as shapes
from svc.api.schemas.briefing import Batch
from svc.api.schemas.common import IdempotencyHeader, PageQuery
from svc.api.schemas.productions import Brief as BriefShape
from svc.api.schemas.productions import Production
from svc.base import threads
from svc.base.errors import IdempotencyKeyReused
from svc.domain import locales, scopes
from svc.domain.access import idempotency
from svc.domain.briefing import batches, estimate, templates
from svc.domain.briefing.templates import Template
from svc.domain.lifecycle import script_review
from svc.domain.lifecycle.briefs import Brief
from svc.domain.partners import accounts
from svc.domain.productions import productions
from svc.domain.tables.partners import Account

bp = Blueprint(
    "templates", __name__, description="Briefs with variables, which are filled and triggered."
)

_NOT_FOUND = "`NOT_FOUND`: no such object, or not permitted to this key."
_PREVIEW_SECONDS = 2
_ONE_PREVIEW = f"Another preview of yours is being made; try again in {_PREVIEW_SECONDS} s."


@bp.route("/v1/accounts/<account_id>/templates", methods=["POST"])
@require_scope(scopes.TRIGGER, resource=accounts.find_for_trigger)
@bp.arguments(IdempotencyHeader, location="headers")
@bp.arguments(shapes.NewTemplate)
@document_answers(
    201,
    shapes.Template,
    "The template is added.",
    headers=("Location",),
    replays=Replays.PARTNER,
    e400="A variable is named but not declared, or a default does not fit its type.",
    e403="`INSUFFICIENT_SCOPE`: the account is not permitted.",
    e404="`NOT_FOUND`: the identifier in the path is not a UUID.",
    e409="`TEMPLATE_LIMIT_REACHED`: the account has 100 templates.",
)
def create_template(account: Account, headers: dict[str, Any], body: dict[str, Any]) -> Response:
    """Add a template

    A template is a brief with variables such as `{{city}}`, which are filled when it is triggered.
    """

    def add() -> dict[str, Any]:
        return templates.represent(templates.add(account["id"], body, now()))

    def respond(added: dict[str, Any], **headers: str) -> Response:
        location = f"/v1/accounts/{account['id']}/templates/{added['templateId']}"
        return make_json_response(added, 201, Location=location, **headers)

    return answer_once(headers["key"], body, wrap_in_transaction(add), respond)


@bp.route("/v1/accounts/<account_id>/templates", methods=["GET"])
@require_scope(scopes.READ, resource=accounts.find, query=True)
@bp.arguments(PageQuery, location="query")
@document_answers(200, shapes.TemplateList, "The templates, newest first.", e404=_NOT_FOUND)
def list_templates(account: Account, query: dict[str, Any]) -> Response:
    """List the templates of an account"""
    return make_json_response(templates.list_page(account["id"], query["page"]))


@bp.route("/v1/accounts/<account_id>/templates/<template_id>", methods=["GET"])
@require_scope(scopes.READ, resource=templates.find)
@document_answers(200, shapes.Template, "The template.", e404=_NOT_FOUND)
def get_template(template: Template) -> Response:
    """Get a template"""
    return make_json_response(templates.represent(template))


@bp.route("/v1/accounts/<account_id>/templates/<template_id>", methods=["PUT"])
@require_scope(scopes.TRIGGER, resource=templates.find)
@bp.arguments(shapes.NewTemplate)
@document_answers(
    200,
    shapes.Template,
    "The template is replaced.",
    e400="A variable is named but not declared, or a default does not fit its type.",
    e404=_NOT_FOUND,
)
def replace_template(template: Template, body: dict[str, Any]) -> Response:
    """Replace a template"""
    return make_json_response(templates.represent(templates.change(template, body, now())))


@bp.route("/v1/accounts/<account_id>/templates/<template_id>", methods=["DELETE"])
@require_scope(scopes.TRIGGER, resource=templates.find)
@document_answers(
    204, None, "The template is deleted; productions that were made with it stay.", e404=_NOT_FOUND
)
def delete_template(template: Template) -> Response:
    """Delete a template"""
    templates.remove(template)
    return make_json_response("", 204)


@bp.route("/v1/accounts/<account_id>/templates/<template_id>/preview", methods=["POST"])
@require_scope(scopes.READ, resource=templates.find)
@bp.arguments(shapes.PreviewValues)
@document_answers(
    200,
    shapes.Preview,
    (
        "The filled brief, its estimate, and with `withScript` its script. Nothing is triggered "
        "or kept."
    ),
    e400="A value is missing or does not fit its variable, or the filled brief is not valid.",
    e404=_NOT_FOUND,
    e429="A partner has one script previewed at a time.",
)
def preview_template(template: Template, body: dict[str, Any]) -> Response:
    """Preview a template with values"""
    if not body["withScript"] or service().prices.has_script_model:  # which writes the script later
        return make_json_response({**_fill_and_estimate(template, body)[0], "script": None})
    partner_id = g.caller.partner_id
    # Before anything is filled: one that is refused costs little.
    alone = refuse_parallel(("preview", partner_id), _ONE_PREVIEW, _PREVIEW_SECONDS)
    with alone, threads.thread_shares.require_wait(partner_id):
        preview, account, brief = _fill_and_estimate(template, body)
        scenes = service().previews.outline(account, brief, now())
    return make_json_response({**preview, "script": _represent_scenes(brief, scenes)})


def _fill_and_estimate(
    template: Template, body: dict[str, Any]
) -> tuple[dict[str, Any], Account, Brief]:
    """Return the filled brief with its estimate as the API shows them, the account, and the brief
    itself.
    """
    filled = templates.fill(template, body["values"], _read_overrides(body))
    account = accounts.find(g.caller, template["account_id"])
    brief = _load_brief(filled)
    estimated = estimate.estimate_brief(account, brief, now(), service().prices)
    return {"brief": filled, "estimate": estimated}, account, brief


def _represent_scenes(brief: Brief, scenes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    language = locales.list_languages()[brief.language_id]["code"]
    prices = service().prices
    return [script_review.represent_scene(scene, language, prices) for scene in scenes]


@bp.route("/v1/accounts/<account_id>/templates/<template_id>/productions", methods=["POST"])
@require_scope(scopes.TRIGGER, resource=templates.find)
@bp.arguments(IdempotencyHeader, location="headers")
@bp.arguments(shapes.Values)
@document_answers(
    202,
    Production,
    "The production is accepted and queued.",
    headers=("Location",),
    replays=Replays.PARTNER,
    e400="A value is missing or does not fit its variable, or the filled brief is not valid.",
    e403="`ACCOUNT_NOT_ACTIVE`: the account is not `Active` or `Pilot`.",
    e404=_NOT_FOUND,
    e409=(
        "`BUDGET_GATE_1_FAILED`, `BUDGET_GATE_2_FAILED`, `CONCURRENCY_LIMIT_REACHED`, "
        "`SENSITIVITY_RULE_SUPPRESSED`, `DISK_QUOTA_REACHED`: as for a trigger."
    ),
    e422="`SUBJECT_OVERRIDE_MISSING`: the title template contains `{subject}`.",
)
def trigger_template(template: Template, headers: dict[str, Any], body: dict[str, Any]) -> Response:
    """Trigger a production from a template

    The filled brief is triggered as if it had been sent itself, through the same checks and gates.
    """
    account, key = accounts.find(g.caller, template["account_id"]), headers["key"]
    digest, earlier = _hash_request(body), None

    def fill() -> Brief:
        return _load_brief(templates.fill(template, body["values"], _read_overrides(body)))

    try:
        earlier = productions.find_triggered(account, key, digest, now())
    except IdempotencyKeyReused:
        # earlier releases kept the digest of the filled brief
        earlier = productions.find_triggered(account, key, fill().digest(account["id"]), now())
    answer = earlier or productions.trigger(
        account,
        fill(),
        now(),
        correlation_id=g.correlation_id,
        ttl_hours=service().settings.production_ttl_hours,
        key=key,
        digest=digest,
        prices=service().prices,
    )
    more = {"Idempotent_Replayed": "true"} if answer.replayed else {}
    location = f"/v1/accounts/{template['account_id']}/productions/{answer.production_id}"
    return make_json_response(answer.text, 202, Location=location, **more)


@bp.route("/v1/accounts/<account_id>/templates/<template_id>/batches", methods=["POST"])
@require_scope(scopes.TRIGGER, resource=templates.find, longest=LARGEST)
@bp.arguments(IdempotencyHeader, location="headers")
@bp.arguments(shapes.TableOrder)
@document_answers(
    202,
    Batch,
    "The briefs are accepted or refused; the items of the batch say which.",
    headers=("Location",),
    replays=Replays.PARTNER,
    e400="The table cannot be read, or a row does not fit; `fields` names the rows.",
    e404=_NOT_FOUND,
    e409=BATCH_REFUSED,
    e429=BUSY,
)
def trigger_table(template: Template, headers: dict[str, Any], body: dict[str, Any]) -> Response:
    """Trigger a batch from a template and a table

    Each row of the CSV table fills the template once. Nothing is triggered unless all rows fit the
    template.
    """
    account, key = accounts.find(g.caller, template["account_id"]), headers["key"]
    digest = _hash_request(body)
    if earlier := batches.find_triggered(account, key, digest, now()):
        return make_batch_response(earlier, is_repeated=True)
    briefs = templates.fill_from_table(template, body["csv"], _load_brief)
    return trigger_and_answer(account, body["mode"], briefs, key, digest)


def _hash_request(body: dict[str, Any]) -> bytes:
    """Return the SHA-256 of the request, as the template may have changed since."""
    return idempotency.digest_request(f"{request.method} {request.path.lower()}", "", body)


def _read_overrides(body: dict[str, Any]) -> dict[str, Any]:
    return {name: body[name] for name in templates.OVERRIDABLE_FIELDS}


def _load_brief(fields: dict[str, Any]) -> Brief:
    """Return a filled brief after the checks of a brief that is sent itself. InvalidRequest."""
    brief: Brief = load_object(BriefShape, fields)
    return brief
