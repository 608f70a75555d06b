"""The form that triggers a production, next to the equivalent API request."""

from typing import Any

from flask import g, redirect, render_template, request

from svc.base import ids
from svc.base.errors import NotFound, ServiceError
from svc.console import access, api_snippets, brief_form, forms, query_args
from svc.console.page_blueprint import make_section
from svc.domain import locales
from svc.domain.briefing import estimate
from svc.domain.lifecycle import brief_warnings
from svc.domain.lifecycle.briefs import METADATA, OPTIONS, TOPIC, Brief
from svc.domain.partners import accounts
from svc.domain.partners import create as create_partner
from svc.domain.productions import admin as production_admin
from svc.domain.tables.partners import Account

pages = make_section("trigger_pages", "/productions")

_FIELDS = (
    "topic",
    "subjectOverride",
    "languageId",
    "countryId",
    "avatarId",
    "projectTypeSlug",
    "metadataMD",
    "review",
    *(option.name for option in OPTIONS.values()),
    "languageIds",
    "captionLanguageIds",
)
_SAMPLE = {
    "topic": "Why there are two tides a day",
    "metadataMD": """## The moon pulls

The sea rises towards the moon, and on the far side of the earth as well.

## What you see at the beach

- Two high tides a day, about twelve hours apart
- Higher ones at full moon and at new moon

> The sea never forgets the moon.
""",
}


@pages.get("/new")
@access.owner_only
def form():
    shown_partner = query_args.selected_partner_of_form()
    there, chosen = brief_form.list_accounts(shown_partner.partner_id)
    return _page(shown_partner, there, chosen, _SAMPLE if query_args.read_text("sample") else {})


@pages.post("/new")
@access.owner_only
@access.keep_form
def trigger():
    person, fields = access.viewer(), _read_form()
    account = production_admin.find_account(person, request.form.get("account", ""))
    refused = None
    if "preview" not in request.form:
        try:
            forms.check_sent()
            prices = access.service().prices
            production_id = production_admin.trigger(
                person, account["id"], fields, access.now(), g.correlation_id, prices
            )
            return redirect(access.link("productions_pages.show", production_id=production_id), 303)
        except ServiceError as refusal:
            refused = refusal
    shown_partner = query_args.ShownPartner(
        account["partner_id"], create_partner.find_partner_name(account["partner_id"])
    )
    page = _page(
        shown_partner,
        production_admin.list_accounts(person, account["partner_id"]),
        account,
        fields,
        refused,
    )
    return page, refused.status if refused else 200


@pages.post("/new/call")
@access.owner_only
def call():
    """Return only what follows from the current form: the warnings about its brief,
    and the code of the API request.
    """
    account_id = ids.normalise(request.form.get("account", "")) or ids.NIL
    fields = _read_form()
    samples = api_snippets.trigger(access.service().settings.base_url, account_id, _body(fields))
    shown = request.form.get("sample")  # the chosen language stays selected
    chosen = shown if shown in dict(samples) else None
    account = _account(account_id)
    return render_template(
        "call.html",
        calls=samples,
        chosen_sample=chosen,
        warnings=_warnings(fields, account_id),
        estimate=_estimate(fields, account),
        environment=account["environment"] if account else "sandbox",
        wants_scenes=request.form.get("scenes"),
    )


@pages.post("/new/scenes")
@access.owner_only
def scenes():
    """Return the scenes of the current form, or a line that asks again until they are made."""
    shown = _scenes(
        _read_form(), _account(ids.normalise(request.form.get("account", "")) or ids.NIL)
    )
    address = access.link("trigger_pages.scenes")
    return render_template("brief_scenes.html", shown=shown, address=address, form="brief")


def _scenes(values: dict, account: Account | None) -> brief_form.ShownScenes:
    if account is None or _estimate(values, account) is None:
        return brief_form.ShownScenes(problem="The scenes are shown once the brief is complete.")
    return brief_form.outline_scenes(account, production_admin.parse_form(values))


def _read_form() -> dict[str, str]:
    """Return what was typed, by field; of several languages the ids with spaces between."""
    return {name: " ".join(request.form.getlist(name)) for name in _FIELDS}


def _page(
    shown_partner, there: list, chosen, fields: dict, refused: ServiceError | None = None
) -> str:
    offered = accounts.represent(chosen) if chosen else None
    values = {**(_defaults(offered) if offered else {}), **fields}
    address = access.service().settings.base_url
    return render_template(
        "trigger.html",
        title="New production",
        shown_partner=shown_partner,
        accounts=there,
        chosen=chosen,
        offered=offered,
        values=values,
        longest={"topic": TOPIC.longest, "metadataMD": METADATA.longest},
        languages=locales.list_offered_languages().values(),
        countries=locales.list_countries().values(),
        refused=refused,
        has_model=brief_form.has_model(),
        wrong=(refused.fields or {}) if refused else {},
        calls=api_snippets.trigger(address, chosen["id"], _body(values)) if chosen else [],
        warnings=_warnings(values, chosen["id"]) if chosen else [],
        estimate=_estimate(values, chosen),
        environment=chosen["environment"] if chosen else "sandbox",
        shown=_scenes(values, chosen) if request.form.get("preview") == "scenes" else None,
    )


def _account(account_id: str) -> Account | None:
    """Return an account that the viewer may see; None: there is none."""
    try:
        return production_admin.find_account(access.viewer(), account_id)
    except NotFound:
        return None


def _estimate(values: dict, account: Account | None) -> dict[str, Any] | None:
    """Return what a trigger would cost and take, and what would refuse it.

    None: the brief is not complete, or not valid.
    """
    if account is None or not values.get("topic", "").strip():
        return None
    try:
        estimated = estimate.estimate_brief(
            account, production_admin.parse_form(values), access.now(), access.service().prices
        )
    except ServiceError:  # each field says what is wrong with it when the form is sent
        return None
    return {**estimated, "warnings": _warnings(values, account["id"])}


def _warnings(values: dict, account_id: str) -> list[brief_warnings.BriefWarning]:
    """Return what the trigger would warn of; nothing as long as there is no topic."""
    topic = values.get("topic", "").strip()
    notes = values.get("metadataMD", "").replace("\r\n", "\n")
    if (
        not topic
        or len(notes) > METADATA.longest
        or not production_admin.sees_account(access.viewer(), account_id)
    ):
        return []
    return brief_warnings.find_warnings(
        _make_brief(topic, notes, values), account_id, brief_form.has_model()
    )


def _make_brief(topic: str, notes: str, values: dict) -> Brief:
    slug, subject = values.get("projectTypeSlug") or None, values.get("subjectOverride") or None
    return Brief(topic, "", "", "", slug, notes, subject)


def _defaults(offered: dict) -> dict[str, str]:
    return {
        "topic": "",
        "subjectOverride": "",
        "metadataMD": "",
        "review": "",
        **{option.name: "" for option in OPTIONS.values()},
        "languageIds": "",
        "captionLanguageIds": "",
        **brief_form.choose_default_values(offered),
    }


def _body(values: dict) -> dict[str, str | list[str]]:
    """Return the body of the API request: the required fields,
    and the others if they are not empty.
    """
    required = ("topic", "languageId", "countryId", "avatarId")
    typed = {name: values.get(name, "").replace("\r\n", "\n").strip() for name in _FIELDS}
    body: dict[str, str | list[str]] = {
        name: value for name, value in typed.items() if value or name in required
    }
    return body | {
        name: typed[name].split() for name in ("languageIds", "captionLanguageIds") if typed[name]
    }
