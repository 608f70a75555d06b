"""Webhooks in the console: list with health, registration, changes, pauses,
test events and replay.
"""

import functools

from flask import flash, g, redirect, render_template, request

from svc.base import samples, states
from svc.base.errors import (
    EditConflict,
    HttpsRequired,
    InvalidEndpointUrl,
    InvalidEventType,
    InvalidRequest,
    ServiceError,
)
from svc.console import access, forms, one_time_secrets, query_args, sorting
from svc.console.page_blueprint import make_section
from svc.domain.partners import create as create_partner
from svc.domain.partners import search as partner_search
from svc.domain.webhooks import admin as webhook_admin
from svc.domain.webhooks import deliveries as delivery_log
from svc.domain.webhooks import event_types, subscriptions

pages = make_section("webhooks_pages", "/webhooks")

_TYPES = (*event_types.SPECIFIED_OF_PRODUCTIONS, *event_types.FURTHER)  # that a form offers
_TEST_TYPES = event_types.NAMES
# Under which a delivery is sent, and found: a ping has a type of its own.
_SENT_TYPES = (*_TYPES, event_types.PING_EVENT)
_FIELD_OF: dict[type, str] = {  # which an error without fields is about
    HttpsRequired: "endpointUrl",
    InvalidEndpointUrl: "endpointUrl",
    InvalidEventType: "eventTypes",
}
_VERIFY = (("verify.py", "Python"), ("verify.mjs", "Node.js"), ("verify.sh", "shell"))


@pages.get("/")
def index():
    shown_partner = query_args.selected_partner(or_nobody=True)
    status = query_args.read_choice("status", webhook_admin.STANDINGS)
    orders = sorting.WEBHOOKS if shown_partner.partner_id else sorting.BY_TIME
    listed = webhook_admin.list_page(
        shown_partner.partner_id, sorting.read_page(orders, 20), status
    )
    listed["data"] = [
        {**dict(each), "health": webhook_admin.measure_delivery_health(each["id"], 30)}
        for each in listed["data"]
    ]
    return render_template(
        "webhooks.html",
        title="Webhooks",
        listed=listed,
        shown_partner=shown_partner,
        filtered=bool(status or shown_partner.typed),
        verify=_samples(),
        standings=webhook_admin.STANDINGS,
        **query_args.pager_links(listed),
    )


@pages.get("/deliveries")
def deliveries():
    """Show the deliveries of all webhooks of a partner, or to an operator of all partners."""
    shown_partner = query_args.selected_partner(or_nobody=True)
    search = _search(
        partner_id=shown_partner.partner_id,
        endpoint=query_args.read_text("endpoint") or None,
        standing=query_args.read_choice("webhook", subscriptions.STANDING_CONDITIONS),
    )
    listed = delivery_log.search(search, sorting.read_page(sorting.BY_TIME))
    return render_template(
        "deliveries.html",
        title="Deliveries",
        listed=listed,
        shown_partner=shown_partner,
        filtered=bool(shown_partner.typed)
        or search != delivery_log.Search(shown_partner.partner_id),
        states=states.DELIVERY_STATES,
        standings=subscriptions.STANDING_CONDITIONS,
        sent_types=_SENT_TYPES,
        addresses=webhook_admin.list_addresses(shown_partner.partner_id)
        if shown_partner.partner_id
        else [],
        **query_args.pager_links(listed),
    )


@pages.get("/new")
@access.owner_only
def form():
    return _form(query_args.selected_partner_of_form(), {})


@pages.post("/new")
@access.owner_only
@access.keep_form
def add():
    person, service = access.viewer(), access.service()
    partner_id = person.partner_id or request.form.get("partner", "")
    fields = {
        "endpointUrl": request.form.get("endpointUrl", ""),
        "eventTypes": request.form.getlist("eventTypes"),
        "accountIds": request.form.getlist("accountIds"),
    }
    creator = request.form.get("creator") or None
    check_url = functools.partial(service.check_url, partner_id=partner_id)
    try:
        forms.check_sent()
        answer = webhook_admin.add(
            person, partner_id, creator, fields, access.now(), service.ring, check_url
        )
    except ServiceError as refused:
        if refused.status in (403, 404):
            raise
        wait = {} if refused.retry_after is None else {"Retry-After": str(refused.retry_after)}
        shown_partner = query_args.ShownPartner(
            partner_id, create_partner.find_partner_name(partner_id)
        )
        return _form(shown_partner, {**fields, "creator": creator}, refused), refused.status, wait
    return _reveal_secret(answer["subscriptionId"], answer)


def _reveal_secret(subscription_id: str, shown: dict):
    """Show a signing secret on a page of its own, once: a reload neither shows it again nor
    makes another one.
    """
    one_time_secrets.keep_secret(f"{pages.name} {subscription_id}", shown)
    return redirect(access.link("webhooks_pages.show_secret", subscription_id=subscription_id), 303)


@pages.get("/<subscription_id>/secret")
@access.owner_only
def show_secret(subscription_id: str):
    subscription = webhook_admin.find(access.viewer().partner_id, subscription_id)
    shown = one_time_secrets.take_secret(f"{pages.name} {subscription_id}")
    if shown is None:
        return _redirect_back(
            subscription_id, "A signing secret is shown once. Roll it if it was lost.", "info"
        )
    shown = {"endpointUrl": subscription["endpoint_url"], **shown}
    title = (
        "The signing secret is rolled"
        if "previousSecretEndsAt" in shown
        else "The webhook is registered"
    )
    return render_template("webhook_made.html", title=title, made=shown, verify=_samples())


def _form(shown_partner, fields: dict, refused: ServiceError | None = None) -> str:
    accounts = (
        partner_search.list_rows("account", partner_id=shown_partner.partner_id)[:200]
        if shown_partner.partner_id
        else []
    )
    sandboxes = (
        webhook_admin.list_sandboxes(shown_partner.partner_id) if shown_partner.partner_id else {}
    )
    return render_template(
        "webhook_form.html",
        title="New webhook",
        shown_partner=shown_partner,
        accounts=accounts,
        sandboxes=sandboxes,
        refused=refused,
        given={
            "endpointUrl": "",
            "eventTypes": list(event_types.SPECIFIED_OF_PRODUCTIONS),
            "accountIds": [],
            "creator": None,
            **fields,
        },
        event_types=_describe_event_types(_TYPES),
        wrong=_list_field_errors(refused),
    )


def _list_field_errors(refused: ServiceError | None) -> dict[str, list[str]]:
    """Return the message for each field."""
    if refused is None:
        return {}
    if type(refused) in _FIELD_OF:
        return {_FIELD_OF[type(refused)]: [refused.message]}
    return refused.fields or {}


@pages.get("/<subscription_id>")
def show(subscription_id: str):
    subscription = webhook_admin.find(access.viewer().partner_id, subscription_id)
    search = _search(subscription_id=subscription_id)
    listed = delivery_log.search(search, sorting.read_page(sorting.BY_TIME))
    return render_template(
        "webhook.html",
        title="Webhook",
        subscription=subscription,
        shown=subscriptions.represent(subscription),
        listed=listed,
        health=webhook_admin.measure_delivery_health(subscription_id),
        filtered=search != delivery_log.Search(subscription_id=subscription_id),
        states=states.DELIVERY_STATES,
        event_types=_describe_event_types(_TEST_TYPES),
        sent_types=_SENT_TYPES,
        verify=_samples(),
        **query_args.pager_links(listed),
    )


def _search(**criteria: str | None) -> delivery_log.Search:
    """Return the search in deliveries that the URL asks for. ``criteria``: further ones."""
    since, until = query_args.read_days()
    return delivery_log.Search(
        **criteria,
        status=query_args.read_choice("status", states.DELIVERY_STATES),
        event_type=query_args.read_choice("type", _SENT_TYPES),
        production_id=query_args.read_identifier("production"),
        since=since,
        until=until,
    )


def _describe_event_types(names: tuple[str, ...]) -> dict[str, str]:
    """Return when each of these event types is sent."""
    return {name: event_types.DESCRIPTIONS[name].replace("`", "") for name in names}


@pages.get("/<subscription_id>/edit")
@access.owner_only
def edit(subscription_id: str):
    subscription = webhook_admin.find(access.viewer().partner_id, subscription_id)
    return _edited(subscription, webhook_admin.list_form_values(subscription))


@pages.post("/<subscription_id>/edit")
@access.owner_only
@access.keep_form
def change(subscription_id: str):
    service, seen = access.service(), request.form.get("version", "")
    subscription = webhook_admin.find(access.viewer().partner_id, subscription_id)
    fields: dict = {
        "endpointUrl": request.form.get("endpointUrl", ""),
        "eventTypes": sorted(request.form.getlist("eventTypes")),
    }
    check_url = functools.partial(service.check_url, partner_id=subscription["partner_id"])
    return forms.submit(
        lambda: webhook_admin.change(
            access.viewer(), subscription_id, fields, access.now(), check_url, seen
        ),
        "The webhook is changed.",
        access.link("webhooks_pages.show", subscription_id=subscription_id),
        lambda refused: _edited(
            subscription, refused.merged if isinstance(refused, EditConflict) else fields, refused
        ),
    )


def _edited(subscription, fields: dict, refused: ServiceError | None = None) -> str:
    stored = webhook_admin.list_form_values(
        webhook_admin.find(access.viewer().partner_id, subscription["id"])
    )
    return render_template(
        "webhook_edit.html",
        title="Edit webhook",
        subscription=subscription,
        given=fields,
        refused=refused,
        event_types=_describe_event_types(_TYPES),
        wrong=_list_field_errors(refused),
        version=forms.find_version(stored, refused),
        labels={"endpointUrl": "Endpoint", "eventTypes": "Event types"},
    )


@pages.post("/<subscription_id>/pause")
@access.owner_only
def pause(subscription_id: str):
    webhook_admin.pause(access.viewer(), subscription_id, access.now())
    return _redirect_back(
        subscription_id, "The webhook is paused. Its deliveries wait until you resume it."
    )


@pages.post("/<subscription_id>/resume")
@access.owner_only
def resume(subscription_id: str):
    webhook_admin.resume(access.viewer(), subscription_id, access.now())
    return _redirect_back(
        subscription_id, "The webhook is resumed. The deliveries that waited are sent in order."
    )


@pages.post("/<subscription_id>/delete")
@access.owner_only
def delete(subscription_id: str):
    webhook_admin.delete(access.viewer(), subscription_id, access.now())
    flash("The webhook is deleted. Deliveries that are already queued are still sent.", "good")
    return redirect(access.link("webhooks_pages.index"), 303)


@pages.post("/<subscription_id>/ping")
def ping(subscription_id: str):
    event_type = request.form.get("eventType") or event_types.PING
    if event_type not in _TEST_TYPES:
        return _redirect_back(subscription_id, f"There is no event type {event_type[:60]}.", "bad")
    try:
        delivery_id = webhook_admin.ping(
            access.viewer(), subscription_id, access.now(), g.correlation_id, event_type
        )
    except ServiceError as refused:
        return _show_refusal(subscription_id, refused)
    place = access.link(
        "deliveries_pages.show", subscription_id=subscription_id, delivery_id=delivery_id
    )
    return redirect(place, 303)


@pages.post("/<subscription_id>/secret/roll")
@access.owner_only
def roll_secret(subscription_id: str):
    typed = request.form.get("overlapHours", "").strip()
    hours = int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 9 else -1
    try:
        answer = webhook_admin.roll_secret(
            access.viewer(), subscription_id, hours, access.now(), access.service().ring
        )
    except InvalidRequest as refused:
        return _show_refusal(subscription_id, refused)
    return _reveal_secret(subscription_id, answer)


@pages.post("/<subscription_id>/reinstate")
def reinstate(subscription_id: str):
    try:
        webhook_admin.reinstate(access.viewer(), subscription_id, access.now())
    except ServiceError as refused:
        return _show_refusal(subscription_id, refused)
    return _redirect_back(
        subscription_id, "The webhook is Active again; parked deliveries are sent in order."
    )


@pages.post("/<subscription_id>/replay")
def replay(subscription_id: str):
    fields = {name: request.form.get(name, "") for name in ("from", "to", "missed")}
    try:
        queued = webhook_admin.replay(access.viewer(), subscription_id, fields, access.now())
    except ServiceError as refused:
        return _show_refusal(subscription_id, refused)
    said = (
        "No delivery of this period could be repeated."
        if not queued
        else f"{queued:,} delivery is sent again."
        if queued == 1
        else f"{queued:,} deliveries are sent again in order."
    )
    return _redirect_back(subscription_id, said, "good" if queued else "info")


def _show_refusal(subscription_id: str, refused: ServiceError):
    if refused.status == 404 or (refused.status == 403 and refused.code == "NOT_YOURS"):
        raise refused
    words = "; ".join(texts[0] for texts in (refused.fields or {}).values())
    return _redirect_back(subscription_id, words or refused.message, "bad")


def _redirect_back(subscription_id: str, message: str, tone: str = "good"):
    flash(message, tone)
    return redirect(access.link("webhooks_pages.show", subscription_id=subscription_id), 303)


def _samples() -> list[tuple[str, str]]:
    """Return code that verifies a delivery, as pairs (language, text)."""
    return [(label, samples.read_sample(name)) for name, label in _VERIFY]
