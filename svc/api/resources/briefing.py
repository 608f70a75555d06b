"""Estimates, batches and templates: what comes before a trigger, and what triggers many."""

from typing import Any

from flask import Response, g

from svc.api.answer_docs import answers
from svc.api.context import now, service
from svc.api.envelope import answer
from svc.api.guard import needs
from svc.api.parsing import Blueprint, checked
from svc.api.schemas import briefing as shapes
from svc.api.schemas.common import IdempotencyHeader, PageQuery
from svc.api.schemas.productions import Brief as BriefShape
from svc.api.schemas.productions import Production
from svc.base.errors import InvalidRequest
from svc.domain.access import scopes
from svc.domain.briefing import batch_rows, batches, estimate, templates
from svc.domain.briefing.batch_rows import Batch
from svc.domain.briefing.batches import Order
from svc.domain.briefing.templates import Template
from svc.domain.partners import accounts
from svc.domain.productions import productions
from svc.domain.productions.briefs import Brief
from svc.domain.tables.partners import Account
from svc.domain.usage.model_costs import Prices

bp = Blueprint("briefing", __name__, description="Estimates, batches of briefs, and templates.")

LARGEST = 4 * 2**20  # bytes of a batch
_NOT_FOUND = "`NOT_FOUND`: no such object, or not permitted to this key."
_REFUSED = (
    "`BATCH_REFUSED`: mode `atomic`, and at least one brief would be refused. "
    "`REQUEST_IN_PROGRESS`: the first request with this `Idempotency-Key` is still in progress."
)
_BUSY = "The batches of an account may have 5,000 items in a minute, and a partner sends one at a time."
_REUSED = "`IDEMPOTENCY_KEY_REUSED`: the key was used with another body."


@bp.route("/v1/accounts/<account_id>/productions/estimate", methods=["POST"])
@needs(scopes.TRIGGER, resource=accounts.find_for_trigger)
@bp.arguments(BriefShape)
@answers(
    200,
    shapes.Estimate,
    "The estimate. Nothing is triggered, reserved or kept.",
    e403="`INSUFFICIENT_SCOPE`: the account is not permitted.",
    e404="`NOT_FOUND`: the identifier in the path is not a UUID.",
)
def estimate_production(account: Account, brief: Brief) -> Response:
    """Estimate a production

    Cost, duration, time of completion and warnings of a brief, and all gates that would refuse it now.
    """
    return answer(estimate.of(account, brief, now(), Prices.of(service().settings)))


@bp.route("/v1/accounts/<account_id>/batches", methods=["POST"])
@needs(scopes.TRIGGER, resource=accounts.find_for_trigger, longest=LARGEST)
@bp.arguments(IdempotencyHeader, location="headers")
@bp.arguments(shapes.BatchOrder)
@answers(
    202,
    shapes.Batch,
    "The briefs are accepted or refused; the items of the batch say which.",
    headers=("Location", "Idempotent-Replayed"),
    e403="`INSUFFICIENT_SCOPE`: the account is not permitted.",
    e404="`NOT_FOUND`: the identifier in the path is not a UUID.",
    e409=_REFUSED,
    e422=_REUSED,
    e429=_BUSY,
)
def trigger_batch(account: Account, headers: dict[str, Any], body: dict[str, Any]) -> Response:
    """Trigger a batch of productions

    Each brief passes every gate as if it were triggered alone. The body may have 4 MiB. With an `Idempotency-Key`, a request
    that was interrupted is continued by repeating it: no brief is triggered twice. A subscription to `batch.completed` hears
    when the last production has ended.
    """
    return _triggered(account, body["mode"], body["items"], headers["key"])


def _triggered(account: Account, mode: str, briefs: list[Brief], key: str | None) -> Response:
    settings = service().settings
    order = Order(account, mode, briefs, settings.production_ttl_hours, Prices.of(settings), g.correlation_id, key)
    batch, is_repeated = batches.trigger(order, now())
    more = {"Idempotent_Replayed": "true"} if is_repeated else {}
    return answer(batch_rows.view(batch), 202, Location=f"/v1/batches/{batch['id']}", **more)


@bp.route("/v1/accounts/<account_id>/batches", methods=["GET"])
@needs(scopes.READ, resource=accounts.find, query=True)
@bp.arguments(PageQuery, location="query")
@answers(200, shapes.BatchList, "The batches, newest first.", e404=_NOT_FOUND)
def list_batches(account: Account, query: dict[str, Any]) -> Response:
    """List the batches of an account"""
    return answer(batch_rows.page(account["id"], query["page"]))


@bp.route("/v1/batches/<batch_id>", methods=["GET"])
@needs(scopes.READ, resource=batches.find)
@answers(200, shapes.Batch, "The batch with its briefs by state.", e404=_NOT_FOUND)
def get_batch(batch: Batch) -> Response:
    """Get a batch"""
    return answer(batch_rows.view(batch))


@bp.route("/v1/batches/<batch_id>/items", methods=["GET"])
@needs(scopes.READ, resource=batches.find, query=True)
@bp.arguments(PageQuery, location="query")
@answers(200, shapes.BatchItemList, "The items, in the order of the request.", e404=_NOT_FOUND)
def list_batch_items(batch: Batch, query: dict[str, Any]) -> Response:
    """List the items of a batch"""
    return answer(batch_rows.items(batch, query["page"]))


@bp.route("/v1/batches/<batch_id>/cancel", methods=["POST"])
@needs(scopes.CANCEL, resource=batches.find)
@answers(202, shapes.Batch, "The productions that have not ended are being cancelled.", e404=_NOT_FOUND)
def cancel_batch(batch: Batch) -> Response:
    """Cancel a batch

    Every production of the batch that has not ended is cancelled; those that are published stay.
    """
    batches.cancel(batch, now(), g.correlation_id)
    return answer(batch_rows.view(batch_rows.one(batch["id"])), 202)


@bp.route("/v1/batches/<batch_id>/resume", methods=["POST"])
@needs(scopes.TRIGGER, resource=batches.find)
@answers(
    202,
    shapes.Batch,
    "The cancelled productions are triggered again.",
    e403="`ACCOUNT_NOT_ACTIVE`: the account is not `Active` or `Pilot`.",
    e404=_NOT_FOUND,
    e409="`BATCH_CANCELLING`: the cancellation is not complete. `BUDGET_GATE_1_FAILED`, `BUDGET_GATE_2_FAILED`, "
    "`CONCURRENCY_LIMIT_REACHED`, `SENSITIVITY_RULE_SUPPRESSED`, `DISK_QUOTA_REACHED`: as for a trigger.",
    e429="The daily production quota, as for a trigger.",
)
def resume_batch(batch: Batch) -> Response:
    """Resume a cancelled batch

    Each cancelled production is triggered again as a new one, through every gate. The first refusal ends it: what was resumed
    before stays, and the same call goes on from there.
    """
    settings = service().settings
    batches.resume(batch, now(), g.correlation_id, settings.production_ttl_hours, Prices.of(settings))
    return answer(batch_rows.view(batch_rows.one(batch["id"])), 202)


@bp.route("/v1/accounts/<account_id>/templates", methods=["POST"])
@needs(scopes.TRIGGER, resource=accounts.find_for_trigger)
@bp.arguments(shapes.NewTemplate)
@answers(
    201,
    shapes.Template,
    "The template is added.",
    headers=("Location",),
    e400="A variable is named but not declared, or a default does not fit its type.",
    e403="`INSUFFICIENT_SCOPE`: the account is not permitted.",
    e404="`NOT_FOUND`: the identifier in the path is not a UUID.",
    e409="`TEMPLATE_LIMIT_REACHED`: the account has 100 templates.",
)
def create_template(account: Account, body: dict[str, Any]) -> Response:
    """Add a template

    A template is a brief with variables such as `{{city}}`, which are filled when it is triggered.
    """
    added = templates.view(templates.add(account["id"], body, now()))
    return answer(added, 201, Location=f"/v1/accounts/{account['id']}/templates/{added['templateId']}")


@bp.route("/v1/accounts/<account_id>/templates", methods=["GET"])
@needs(scopes.READ, resource=accounts.find, query=True)
@bp.arguments(PageQuery, location="query")
@answers(200, shapes.TemplateList, "The templates, newest first.", e404=_NOT_FOUND)
def list_templates(account: Account, query: dict[str, Any]) -> Response:
    """List the templates of an account"""
    return answer(templates.page(account["id"], query["page"]))


@bp.route("/v1/accounts/<account_id>/templates/<template_id>", methods=["GET"])
@needs(scopes.READ, resource=templates.find)
@answers(200, shapes.Template, "The template.", e404=_NOT_FOUND)
def get_template(template: Template) -> Response:
    """Get a template"""
    return answer(templates.view(template))


@bp.route("/v1/accounts/<account_id>/templates/<template_id>", methods=["PUT"])
@needs(scopes.TRIGGER, resource=templates.find)
@bp.arguments(shapes.NewTemplate)
@answers(
    200,
    shapes.Template,
    "The template is replaced.",
    e400="A variable is named but not declared, or a default does not fit its type.",
    e404=_NOT_FOUND,
)
def replace_template(template: Template, body: dict[str, Any]) -> Response:
    """Replace a template"""
    return answer(templates.view(templates.change(template, body, now())))


@bp.route("/v1/accounts/<account_id>/templates/<template_id>", methods=["DELETE"])
@needs(scopes.TRIGGER, resource=templates.find)
@answers(204, None, "The template is deleted; productions that were made with it stay.", e404=_NOT_FOUND)
def delete_template(template: Template) -> Response:
    """Delete a template"""
    templates.remove(template, now())
    return answer("", 204)


@bp.route("/v1/accounts/<account_id>/templates/<template_id>/preview", methods=["POST"])
@needs(scopes.READ, resource=templates.find)
@bp.arguments(shapes.Values)
@answers(
    200,
    shapes.Preview,
    "The filled brief and its estimate. Nothing is triggered or kept.",
    e400="A value is missing or does not fit its variable, or the filled brief is not valid.",
    e404=_NOT_FOUND,
)
def preview_template(template: Template, body: dict[str, Any]) -> Response:
    """Preview a template with values"""
    filled = templates.fill(template, body["values"], _overrides(body))
    account = accounts.find(g.caller, template["account_id"])
    shown = estimate.of(account, _brief(filled), now(), Prices.of(service().settings))
    return answer({"brief": filled, "estimate": shown})


@bp.route("/v1/accounts/<account_id>/templates/<template_id>/productions", methods=["POST"])
@needs(scopes.TRIGGER, resource=templates.find)
@bp.arguments(IdempotencyHeader, location="headers")
@bp.arguments(shapes.Values)
@answers(
    202,
    Production,
    "The production is accepted and queued.",
    headers=("Location", "Idempotent-Replayed"),
    e400="A value is missing or does not fit its variable, or the filled brief is not valid.",
    e403="`ACCOUNT_NOT_ACTIVE`: the account is not `Active` or `Pilot`.",
    e404=_NOT_FOUND,
    e409="`BUDGET_GATE_1_FAILED`, `BUDGET_GATE_2_FAILED`, `CONCURRENCY_LIMIT_REACHED`, `SENSITIVITY_RULE_SUPPRESSED`, "
    "`DISK_QUOTA_REACHED`, `REQUEST_IN_PROGRESS`: as for a trigger.",
    e422="`SUBJECT_OVERRIDE_MISSING`: the title template contains `{subject}`. " + _REUSED,
)
def trigger_template(template: Template, headers: dict[str, Any], body: dict[str, Any]) -> Response:
    """Trigger a production from a template

    The filled brief is triggered as if it had been sent itself, through the same checks and gates.
    """
    brief = _brief(templates.fill(template, body["values"], _overrides(body)))
    settings = service().settings
    triggered = productions.trigger(
        accounts.find(g.caller, template["account_id"]), brief, now(), correlation_id=g.correlation_id,
        ttl_hours=settings.production_ttl_hours, key=headers["key"], prices=Prices.of(settings),
    )  # fmt: skip
    more = {"Idempotent_Replayed": "true"} if triggered.replayed else {}
    location = f"/v1/accounts/{template['account_id']}/productions/{triggered.production_id}"
    return answer(triggered.text, 202, Location=location, **more)


@bp.route("/v1/accounts/<account_id>/templates/<template_id>/batches", methods=["POST"])
@needs(scopes.TRIGGER, resource=templates.find, longest=LARGEST)
@bp.arguments(IdempotencyHeader, location="headers")
@bp.arguments(shapes.TableOrder)
@answers(
    202,
    shapes.Batch,
    "The briefs are accepted or refused; the items of the batch say which.",
    headers=("Location", "Idempotent-Replayed"),
    e400="The table cannot be read, or a row does not fit; `fields` names the rows.",
    e404=_NOT_FOUND,
    e409=_REFUSED,
    e422=_REUSED,
    e429=_BUSY,
)
def trigger_table(template: Template, headers: dict[str, Any], body: dict[str, Any]) -> Response:
    """Trigger a batch from a template and a table

    Each row of the CSV table fills the template once. Nothing is triggered unless all rows fit the template.
    """
    briefs, wrong = templates.briefs_of(template, body["csv"], batches.MOST_ITEMS, _brief)
    if wrong:
        first, texts = next(iter(wrong.items()))
        raise InvalidRequest(f"{first}: {texts[0]}", fields=wrong)
    account = accounts.find(g.caller, template["account_id"])
    return _triggered(account, body["mode"], briefs, headers["key"])


def _overrides(body: dict[str, Any]) -> dict[str, Any]:
    return {name: body[name] for name in templates.OVERRIDES}


def _brief(filled: dict[str, Any]) -> Brief:
    """Return a filled brief after the checks of a brief that is sent itself. InvalidRequest."""
    brief: Brief = checked(BriefShape, filled)
    return brief
