"""Actions of people on templates and batches; each change is entered in the audit log."""

import hashlib
import json
from contextlib import AbstractContextManager
from typing import Any

from svc.base.errors import NotFound, NotYours
from svc.domain import partner_status
from svc.domain.audit import audit
from svc.domain.briefing import batches, estimate, templates
from svc.domain.briefing.batches import Order
from svc.domain.briefing.templates import Template
from svc.domain.lifecycle import batch_rows, briefs, stages
from svc.domain.lifecycle.batch_rows import Batch
from svc.domain.lifecycle.briefs import Brief
from svc.domain.paging import Page, page_newest_first
from svc.domain.partners import accounts
from svc.domain.people.users import Viewer
from svc.domain.productions import admin as production_admin
from svc.domain.productions import detail as production_detail
from svc.domain.tables.partners import Account
from svc.domain.translation import translations
from svc.domain.usage.model_costs import Prices
from svc.store.expressions import elements
from svc.store.models import briefing as models
from svc.store.models import partners
from svc.store.models.productions import Production
from svc.store.queries import Prepared, Select, slot


class ShownTemplate(Template):
    """A template with the account and the partner that it belongs to."""

    partner_id: str
    account_name: str
    environment: str
    partner_name: str


class ShownBatch(Batch):
    """A batch with the account and the partner that it belongs to."""

    account_name: str
    environment: str
    partner_name: str


_TEMPLATE = models.Template
_BATCH = models.Batch
_ACCOUNT = partners.Account
_PARTNER = partners.Partner
_NAMES = (
    _ACCOUNT.name.alias("account_name"),
    _ACCOUNT.environment,
    _PARTNER.name.alias("partner_name"),
)
_IDS_OF_PARTNER = partners.Account.alias()
_IS_OF_PARTNER = _TEMPLATE.account_id.in_(
    _IDS_OF_PARTNER.select(_IDS_OF_PARTNER.id).where(_IDS_OF_PARTNER.partner_id == slot("partner"))
)


def _join_names(query: Select, account_id: Any) -> Select:
    """Join the account of ``account_id``, and its partner."""
    account = query.join(_ACCOUNT, on=_ACCOUNT.id == account_id)
    return account.join(_PARTNER, on=_PARTNER.id == _ACCOUNT.partner_id)


_TEMPLATES = _join_names(
    _TEMPLATE.select(_TEMPLATE, _ACCOUNT.partner_id, *_NAMES).where(_TEMPLATE.removed_at.is_null()),
    _TEMPLATE.account_id,
)
_TEMPLATE_PAGE = page_newest_first(_TEMPLATES, _TEMPLATE.created_at, _TEMPLATE.id)
_TEMPLATES_OF_ALL = Prepared(_TEMPLATE_PAGE, ShownTemplate)
_TEMPLATES_OF_PARTNER = Prepared(_TEMPLATE_PAGE.where(_IS_OF_PARTNER), ShownTemplate)
_FIND_TEMPLATE = Prepared(_TEMPLATES.where(_TEMPLATE.id == slot("id")), ShownTemplate)
_BATCHES = _join_names(_BATCH.select(_BATCH, *_NAMES), _BATCH.account_id)
_BATCH_PAGE = page_newest_first(_BATCHES, _BATCH.created_at, _BATCH.id)
_BATCHES_OF_ALL = Prepared(_BATCH_PAGE, ShownBatch)
_BATCHES_OF_PARTNER = Prepared(_BATCH_PAGE.where(_BATCH.partner_id == slot("partner")), ShownBatch)
_FIND_BATCH = Prepared(_BATCHES.where(_BATCH.id == slot("id")), ShownBatch)
_LISTED = (Production.id, Production.title, Production.language_id)
_STAGE = [getattr(Production, name) for name in stages.COLUMNS.split(", ")]
_PRODUCTIONS = Prepared(
    Production.select(*_LISTED, *_STAGE).where(Production.id.in_(elements(slot("ids"))))
)


def list_template_page(partner_id: str | None, page: Page) -> dict[str, Any]:
    """Return a page of the templates of a partner, newest first. None: of all partners."""
    whose = {"partner": partner_id} if partner_id else {}
    query = _TEMPLATES_OF_PARTNER if partner_id else _TEMPLATES_OF_ALL
    return page.make_envelope(query.rows(**whose, **page.params), dict)


def find_template(viewer: Viewer, template_id: str) -> ShownTemplate:
    """Return a template. NotFound: there is none that this person may see."""
    template = _FIND_TEMPLATE.row(id=template_id)
    if template is None or not viewer.sees(template["partner_id"]):
        raise NotFound("There is no such template.")
    return template


def may_change_templates(viewer: Viewer, account: Account | ShownTemplate) -> bool:
    """Return whether this person may change the templates of an account and trigger from them:
    as for triggering.
    """
    return production_admin.may_trigger(viewer, account["environment"])


def add_template(viewer: Viewer, account_id: str, content: dict[str, Any], now: int) -> str:
    """Add a template; return its id.

    Raises:
        NotFound: There is none that the caller may see.
        NotYours: The role of the person does not permit it.
        InvalidRequest: A field is not valid; the error names it.
        TemplateLimitReached: The account has as many as it may.
    """
    account = find_account_to_change(viewer, account_id)
    partner_id = account["partner_id"]
    with audit.recording(viewer.actor, "template.add", None, now, in_turn_of=partner_id) as entry:
        added = templates.add(account["id"], content, now)
        entry.describe(
            added["name"],
            subject_id=added["id"],
            partner_id=partner_id,
            after={"account": account["name"]},
        )
    return added["id"]


def change_template(
    viewer: Viewer, template: ShownTemplate, content: dict[str, Any], now: int
) -> None:
    """Replace a template.

    Raises:
        NotYours: The role of the person does not permit it.
        InvalidRequest: A field is not valid; the error names it.
        NotFound: It was deleted meanwhile.
    """
    find_account_to_change(viewer, template["account_id"])
    with _recording(viewer, "template.change", template, now) as entry:
        templates.change(template, content, now)
        entry.before, entry.after = {"name": template["name"]}, {"name": content["name"]}


def remove_template(viewer: Viewer, template: ShownTemplate, now: int) -> None:
    """Delete a template. NotYours."""
    find_account_to_change(viewer, template["account_id"])
    with _recording(viewer, "template.delete", template, now):
        templates.remove(template)


def preview_template(
    template: ShownTemplate,
    values: dict[str, str],
    overrides: dict[str, str],
    now: int,
    prices: Prices,
) -> dict[str, Any]:
    """Return the filled ``brief`` by its fields, the same as ``asked``, and its ``estimate``.

    Nothing is triggered or kept. InvalidRequest: a value or the brief is wrong.
    """
    filled = templates.fill(template, values, overrides)
    account = accounts.load_account(template["account_id"])
    request = _parse_filled_form(filled)
    return {
        "brief": filled,
        "asked": request,
        "estimate": estimate.estimate_brief(account, request, now, prices),
    }


def trigger_template(
    viewer: Viewer,
    template: ShownTemplate,
    values: dict[str, str],
    overrides: dict[str, str],
    now: int,
    correlation_id: str,
    prices: Prices,
) -> str:
    """Trigger a production from a template; return its id.

    Raises what :func:`production_admin.trigger` does.
    """
    texts = _list_texts(templates.fill(template, values, overrides))
    return production_admin.trigger(
        viewer, template["account_id"], texts, now, correlation_id, prices
    )


def preview_table(template: ShownTemplate, table: str, prices: Prices) -> list[dict[str, Any]]:
    """Return what :func:`estimate.estimate_briefs` does for the rows of a CSV table.

    InvalidRequest: as in :func:`trigger_table`.
    """
    account = accounts.load_account(template["account_id"])
    return estimate.estimate_briefs(
        account, templates.fill_from_table(template, table, _parse_filled_form), prices
    )


def trigger_table(
    viewer: Viewer,
    template: ShownTemplate,
    table: str,
    mode: str,
    key: str,
    now: int,
    correlation_id: str,
    prices: Prices,
) -> str:
    """Trigger a batch from a template and a CSV table; return its id. ``key``: of this form, which
    triggers one batch.

    Raises:
        NotFound: There is none that the caller may see.
        NotYours: The role of the person does not permit it.
        InvalidRequest: The table cannot be read, or a row does not fit.
        BatchRefused: As :func:`batches.trigger`, with its other errors.
    """
    account = find_account_to_change(viewer, template["account_id"])
    briefs = templates.fill_from_table(template, table, _parse_filled_form)
    # a corrected table is another batch
    unchanged = hashlib.sha256(f"{mode}\n{table}".encode()).hexdigest()[:16]
    order = Order(account, mode, briefs, None, prices, correlation_id, f"console {key} {unchanged}")
    batch, is_repeated = batches.trigger(order, now)
    if not is_repeated:
        details = {"account": account["name"], "size": len(briefs), "mode": mode}
        _enter_batch(
            viewer, "batch.trigger", template["name"], batch, account["partner_id"], now, details
        )
    return batch["id"]


def estimate_retry_cost(viewer: Viewer, production_id: str, prices: Prices) -> int:
    """Return what a retry of a production would cost, in millionths.

    NotFound; InvalidRequest: its brief no longer fits.
    """
    production = production_detail.find(viewer.partner_id, production_id)
    account = production_admin.find_account(viewer, production["account_id"])
    brief = briefs.rebuild_brief(production, translations.find_awaited_source(production_id))
    [estimated] = estimate.estimate_briefs(account, [brief], prices)
    return int(estimated["cost"])


def list_batch_page(partner_id: str | None, page: Page) -> dict[str, Any]:
    """Return a page of the batches of a partner, newest first. None: of all partners."""
    whose = {"partner": partner_id} if partner_id else {}
    query = _BATCHES_OF_PARTNER if partner_id else _BATCHES_OF_ALL
    return page.make_envelope(query.rows(**whose, **page.params), dict)


def find_batch(viewer: Viewer, batch_id: str) -> ShownBatch:
    """Return a batch. NotFound: there is none that this person may see."""
    batch = _FIND_BATCH.row(id=batch_id)
    if batch is None or not viewer.sees(batch["partner_id"]):
        raise NotFound("There is no such batch.")
    return batch


def cancel_batch(viewer: Viewer, batch: ShownBatch, now: int, correlation_id: str) -> int:
    """Begin to cancel the productions of a batch that have not ended; return how many there are.

    NotYours.
    """
    if not viewer.may_change:
        raise NotYours()
    details, size = {"account": batch["account_name"]}, f"{batch['size']} briefs"
    _enter_batch(viewer, "batch.cancel", size, batch, batch["partner_id"], now, details)
    return batches.cancel(batch, now, correlation_id)


def resume_batch(
    viewer: Viewer, batch: ShownBatch, now: int, correlation_id: str, ttl_hours: int, prices: Prices
) -> None:
    """Trigger the cancelled productions of a batch again.

    NotYours; and the errors of batches.resume.
    """
    account = find_account_to_change(viewer, batch["account_id"])
    details, size = {"account": account["name"]}, f"{batch['size']} briefs"
    _enter_batch(viewer, "batch.resume", size, batch, batch["partner_id"], now, details)
    batches.resume(batch, now, correlation_id, ttl_hours, prices)


def count_items(batch: Batch) -> dict[str, int]:
    """Return how many items of a batch are in each state; those in which there are any."""
    return {name: number for name, number in batch_rows.count_items(batch).items() if number}


def find_productions_of_items(items: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return what a list shows of the productions of a batch's items, by id."""
    production_ids = [each["productionId"] for each in items if each["productionId"]]
    return {row["id"]: dict(row) for row in _PRODUCTIONS.rows(ids=json.dumps(production_ids))}


def find_account_to_change(viewer: Viewer, account_id: str) -> Account:
    """Return an account whose templates this person may change.

    Raises:
        NotFound: There is none that the caller may see.
        NotYours: The role of the person does not permit it.
        PartnerNotActive: The partner is suspended or closed.
    """
    account = production_admin.find_account(viewer, account_id)
    if not may_change_templates(viewer, account):
        raise NotYours(
            "In the console, a partner's users change templates only of sandboxes; use a live key "
            "for those of live accounts."
        )
    partner_status.require_active(account["partner_id"])
    return account


def _parse_filled_form(filled: dict[str, Any]) -> Brief:
    return production_admin.parse_form(_list_texts(filled))


def _list_texts(filled: dict[str, Any]) -> dict[str, str]:
    """Return a filled brief as a form has it."""
    return {
        name: " ".join(value) if isinstance(value, list) else value or ""
        for name, value in filled.items()
    }


def _recording(
    viewer: Viewer, action: str, template: ShownTemplate, now: int
) -> AbstractContextManager[audit.Entry]:
    return audit.recording(
        viewer.actor,
        action,
        template["name"],
        now,
        subject_id=template["id"],
        partner_id=template["partner_id"],
        in_turn_of=template["partner_id"],
    )


def _enter_batch(
    viewer: Viewer,
    action: str,
    subject: str,
    batch: Batch,
    partner_id: str,
    now: int,
    after: dict[str, Any],
) -> None:
    """Enter an action on a batch, each production of which has a transaction of its own."""
    with audit.recording(
        viewer.actor,
        action,
        subject,
        now,
        subject_id=batch["id"],
        partner_id=partner_id,
        after=after,
        in_turn_of=partner_id,
    ):
        pass
