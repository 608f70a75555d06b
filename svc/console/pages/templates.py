"""Templates in the console: list, form, preview with values,
one production or a batch from a table.
"""

import json
import uuid
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from flask import Response, flash, g, redirect, render_template, request

from svc.base.errors import InvalidRequest, ServiceError
from svc.console import access, brief_form, exports, forms, markdown, query_args, template_form
from svc.console.page_blueprint import make_section
from svc.domain import locales
from svc.domain.briefing import admin as briefing_admin
from svc.domain.briefing import batches, template_values, templates
from svc.domain.briefing.admin import ShownTemplate
from svc.domain.partners import accounts
from svc.domain.partners import create as create_partner
from svc.domain.productions import admin as production_admin
from svc.domain.tables.partners import Account

pages = make_section("template_pages", "/templates")

_LARGEST_TABLE = 3 * 2**20  # bytes
_SHOWN_AGAIN = 400_000  # characters of a table that its form keeps
_ROWS_SHOWN = 50  # of a preview


@pages.get("/")
def index():
    shown_partner = query_args.selected_partner(or_nobody=True)
    listed = briefing_admin.list_template_page(shown_partner.partner_id, query_args.read_page())
    for each in listed["data"]:
        each["names"] = [variable["name"] for variable in json.loads(each["variables"])]
    return render_template(
        "templates.html",
        title="Templates",
        listed=listed,
        shown_partner=shown_partner,
        filtered=bool(shown_partner.typed),
        **query_args.pager_links(listed),
    )


@pages.get("/new")
@access.owner_only
def form():
    shown_partner = query_args.selected_partner_of_form()
    there, chosen = brief_form.list_accounts(shown_partner.partner_id)
    return _form(shown_partner, there, chosen, {})


@pages.post("/new")
@access.owner_only
@access.keep_form
def add():
    person, fields = access.viewer(), template_form.read_form(request.form)
    account = production_admin.find_account(person, request.form.get("account", ""))

    def again(refused: ServiceError | None = None) -> str:
        shown_partner = query_args.ShownPartner(
            account["partner_id"], create_partner.find_partner_name(account["partner_id"])
        )
        return _form(
            shown_partner,
            production_admin.list_accounts(person, account["partner_id"]),
            account,
            fields,
            refused,
        )

    if "more" in request.form:
        return again()
    added: list[str] = []
    return forms.submit(
        lambda: added.append(
            briefing_admin.add_template(
                person, account["id"], template_form.parse_template(fields), access.now()
            )
        ),
        "Template created.",
        lambda: access.link("template_pages.show", template_id=added[0]),
        again,
    )


@pages.get("/<template_id>/edit")
@access.owner_only
def edit(template_id: str):
    template = _find_template(template_id)
    return _form_of(template, template_form.fill_form(template))


@pages.post("/<template_id>/edit")
@access.owner_only
@access.keep_form
def change(template_id: str):
    template, fields = _find_template(template_id), template_form.read_form(request.form)
    if "more" in request.form:
        return _form_of(template, fields)
    return forms.submit_edit(
        fields,
        lambda: template_form.fill_form(_find_template(template_id)),
        lambda merged: briefing_admin.change_template(
            access.viewer(), template, template_form.parse_template(merged), access.now()
        ),
        "Template saved.",
        _template_url(template),
        lambda refused, merged: _form_of(template, merged, refused),
        template["partner_id"],
    )


@pages.post("/<template_id>/delete")
@access.owner_only
def delete(template_id: str):
    briefing_admin.remove_template(access.viewer(), _find_template(template_id), access.now())
    flash("Template deleted. Its productions stay.", "good")
    return redirect(access.link("template_pages.index"), 303)


@pages.get("/<template_id>")
def show(template_id: str):
    return _page(_find_template(template_id), {})


@pages.post("/<template_id>/preview")
@access.allow_members
@access.keep_form
def preview(template_id: str):
    """Show the filled brief and its estimate. Members may, as it changes nothing."""
    template, fields = _find_template(template_id), _values()
    prices = access.service().prices
    try:
        forms.check_sent()
        shown = briefing_admin.preview_template(
            template, *_read_form(template, fields), access.now(), prices
        )
    except ServiceError as refused:
        return _page(template, fields, refused), refused.status
    shown["notes"] = markdown.render_html(shown["brief"].get("metadataMD") or "", below=3)
    shown["scenes"] = _scenes(template, shown)
    return _page(template, fields, preview=shown)


@pages.post("/<template_id>/scenes")
@access.allow_members
def scenes(template_id: str):
    """Return the scenes of the filled brief, or a line that asks again until they are made."""
    template, prices = _find_template(template_id), access.service().prices
    shown = briefing_admin.preview_template(
        template, *_read_form(template, _values()), access.now(), prices
    )
    address = access.link("template_pages.scenes", template_id=template_id)
    return render_template(
        "brief_scenes.html", shown=_scenes(template, shown), address=address, form="values"
    )


def _scenes(template: ShownTemplate, previewed: dict[str, Any]) -> brief_form.ShownScenes:
    account = production_admin.find_account(access.viewer(), template["account_id"])
    return brief_form.outline_scenes(account, previewed["asked"])


@pages.post("/<template_id>/trigger")
@access.owner_only
@access.keep_form
def trigger(template_id: str):
    template, fields = _find_template(template_id), _values()
    triggered: list[str] = []

    def act() -> None:
        prices = access.service().prices
        sent = _read_form(template, fields)
        triggered.append(
            briefing_admin.trigger_template(
                access.viewer(), template, *sent, access.now(), g.correlation_id, prices
            )
        )

    return forms.submit(
        act,
        "Production triggered.",
        lambda: access.link("productions_pages.show", production_id=triggered[0]),
        lambda refused: _page(template, fields, refused),
    )


@pages.post("/<template_id>/batch")
@access.owner_only
@access.allow_form_size(_LARGEST_TABLE)
@access.repeatable
@access.keep_form
def trigger_table(template_id: str):
    template, triggered, table = _find_template(template_id), [], ""
    mode = batches.ATOMIC if request.form.get("mode") == batches.ATOMIC else batches.EACH
    try:
        table = _table()
        forms.check_sent()
        prices, key = access.service().prices, str(uuid.UUID(request.form.get("once", "")))
        if "preview" in request.form:
            rows = briefing_admin.preview_table(template, table, prices)
            return _page(template, {}, table=table, mode=mode, rows=rows)
        triggered.append(
            briefing_admin.trigger_table(
                access.viewer(), template, table, mode, key, access.now(), g.correlation_id, prices
            )
        )
    except ValueError:
        return _page(template, {}, table=table, mode=mode), 400  # the form was altered
    except ServiceError as refused:
        if refused.status in (403, 404):
            raise
        page = _page(template, {}, refused_table=refused, table=table, mode=mode)
        return page, refused.status, forms.retry_after(refused)
    flash("Batch triggered.", "good")
    return redirect(access.link("batch_pages.show", batch_id=triggered[0]), 303)


@pages.get("/<template_id>/example.csv")
def example(template_id: str) -> Response:
    """Send a table with the columns of a template and one row of its examples, to fill in."""
    variables = json.loads(_find_template(template_id)["variables"])
    columns: dict[str, Callable[[Any], Any]] = {
        name: itemgetter(name) for name in (*(v["name"] for v in variables), "externalId")
    }
    row = {
        each["name"]: each["example"] or each["default"] or next(iter(each["choices"]), "")
        for each in variables
    }
    return exports.make_csv_response("table", columns, [{**row, "externalId": ""}])


def _find_template(template_id: str) -> ShownTemplate:
    return briefing_admin.find_template(access.viewer(), template_id)


def _template_url(template: ShownTemplate) -> str:
    return access.link("template_pages.show", template_id=template["id"])


def _values() -> dict[str, str]:
    return {
        name: text.replace("\r\n", "\n")
        for name, text in request.form.items()
        if name not in ("csrf_token", "once")
    }


def _read_form(
    template: ShownTemplate, fields: dict[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the values of the variables and the fields in place of the template's,
    as they were typed.
    """
    names = [each["name"] for each in json.loads(template["variables"])]
    values = {name: fields.get(f"value-{name}", "").strip() for name in names}
    return values, {
        name: fields[name].strip()
        for name in templates.OVERRIDABLE_FIELDS
        if fields.get(name, "").strip()
    }


def _table() -> str:
    """Return the table that was uploaded or pasted. InvalidRequest: it is not text in UTF-8."""
    uploaded = request.files.get("file")
    raw = uploaded.read() if uploaded else b""
    if not raw:
        return request.form.get("csv", "")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        message = "This file is not text in UTF-8. In a spreadsheet, save it as “CSV UTF-8”."
        raise InvalidRequest(message, fields={"body": [message]}) from None


def _form_of(
    template: ShownTemplate, fields: dict[str, Any], refused: ServiceError | None = None
) -> str:
    account = briefing_admin.find_account_to_change(access.viewer(), template["account_id"])
    shown_partner = query_args.ShownPartner(template["partner_id"], template["partner_name"])
    return _form(shown_partner, [account], account, fields, refused, template)


def _form(
    shown_partner,
    there: list,
    chosen,
    fields: dict[str, Any],
    refused: ServiceError | None = None,
    template: ShownTemplate | None = None,
) -> str:
    offered = accounts.represent(chosen) if chosen else None
    wrong = (refused.fields or {}) if refused else {}
    rows = list(fields.get("variables", ()))
    added: list[str] = []
    if refused or "more" in request.form:
        added = list(template_form.find_undeclared_variables(fields))
        rows += [template_form.make_empty_variable(name) for name in added]
    if len(rows) < template_values.MOST_VARIABLES and ("more" in request.form or not rows):
        rows.append(template_form.make_empty_variable())
    return render_template(
        "template_form.html",
        title="Edit template" if template else "New template",
        shown_partner=shown_partner,
        accounts=there,
        chosen=chosen,
        offered=offered,
        template=template,
        refused=refused,
        wrong=wrong,
        rows=rows[: template_values.MOST_VARIABLES],
        added=added,
        values={**(brief_form.choose_default_values(offered) if offered else {}), **fields},
        types=template_values.TYPES,
        longest={
            "topic": template_values.TEXT.longest,
            "metadataMD": template_values.NOTES.longest,
        },
        has_model=brief_form.has_model(),
        languages=locales.list_offered_languages().values(),
        countries=locales.list_countries().values(),
        labels=template_form.LABELS,
        version=forms.find_version(template_form.fill_form(_find_template(template["id"])), refused)
        if template
        else "",
    )


def _page(
    template: ShownTemplate,
    fields: dict[str, str],
    refused: ServiceError | None = None,
    *,
    preview: dict | None = None,
    refused_table: ServiceError | None = None,
    table: str = "",
    mode: str = batches.EACH,
    rows: list[dict] | None = None,
) -> str:
    """Return the page of a template.

    ``fields``: as typed for one production; ``table``: for many; ``rows``: their preview.
    """
    person, brief = access.viewer(), json.loads(template["brief"])
    account = production_admin.find_account(person, template["account_id"])
    variables = json.loads(template["variables"])
    wrong_rows = _list_wrong_rows(refused_table) if refused_table else {}
    return render_template(
        "template.html",
        title=template["name"],
        template=template,
        brief=brief,
        given=fields,
        refused=refused,
        wrong=(refused.fields or {}) if refused else {},
        preview=preview,
        refused_table=refused_table,
        wrong_rows=wrong_rows,
        rows=rows,
        most_rows=_ROWS_SHOWN,
        table=table if len(table) <= _SHOWN_AGAIN else "",
        mode=mode,
        variables=variables,
        most=batches.MOST_ITEMS,
        may=briefing_admin.may_change_templates(person, template),
        options={each["name"]: [(one, one) for one in each["choices"]] for each in variables},
        options_of=_options(account),
    )


def _list_wrong_rows(refused: ServiceError) -> dict[str, Sequence[str]]:
    """Return all that is wrong with which rows; empty: the error is of the table as a whole."""
    return {
        name: texts
        for name, texts in refused.all_fields.items()
        if name.startswith(("row ", "items["))
    }


def _options(account: Account) -> dict[str, list[tuple[str, str]]]:
    """Return what may take the place of a template's language, country and avatar:
    pairs of id and name.
    """
    return {
        "languageId": [
            (each["languageId"], each["name"]) for each in locales.list_offered_languages().values()
        ],
        "countryId": [
            (each["countryId"], each["name"]) for each in locales.list_countries().values()
        ],
        "avatarId": [
            (each["avatarId"], each["name"]) for each in accounts.represent(account)["avatars"]
        ],
    }
