"""The first page of the console: running and waiting work, today's failures, and the health of the service."""

from flask import render_template

from svc.console.page_blueprint import section
from svc.console.sign_in import access
from svc.domain.monitoring import dashboard, setup_checklist, workers
from svc.domain.monitoring.setup_checklist import SetupStep
from svc.domain.webhooks import endpoint_health

pages = section("home")

# What each step of the checklist is called, and the page on which it is done.
_STEPS = {
    "partner": ("Add a partner", "partner_pages.index"),
    "customer": ("Add a customer", "partner_pages.index"),
    "account": ("Add an account", "partner_pages.index"),
    "avatar": ("Add an avatar", "avatar_pages.index"),
    "key": ("Create an API key", "api_keys.index"),
    "production": ("Trigger the first production", "trigger_pages.form"),
    "webhook": ("Create a webhook", "webhooks_pages.form"),
}


@pages.get("/")
def index():
    return render_template("home.html", title="Home", **_now())


@pages.get("/now")
def now():
    """Return the part of the page that htmx polls."""
    return render_template("home_now.html", **_now())


def _setup() -> list[dict]:
    """Return the checklist of a user who can work it off, or an empty list."""
    person = access.viewer()
    if not person.may_change:
        return []
    steps = setup_checklist.steps(person.partner_id)
    places = {step.name: _place(step, steps) for step in steps}
    return [
        {"name": step.name, "label": _STEPS[step.name][0], "done": step.found is not None, "place": places[step.name]}
        for step in steps
    ]


def _place(step: SetupStep, steps: list[SetupStep]) -> str:
    """Return the page of a step: of the partner or customer that an earlier step made, if it is done there."""
    found = {each.name: each.found for each in steps}
    if step.name == "customer" and found["partner"]:
        return access.link("partner_pages.show", partner_id=found["partner"])
    if step.name == "account" and found["customer"]:
        return access.link("partner_pages.customer", customer_id=found["customer"])
    return access.link(_STEPS[step.name][1])


def _now() -> dict:
    person, moment = access.viewer(), access.now()
    setup = _setup()
    shown = {
        "setup": setup,
        "ready": all(step["done"] for step in setup if step["name"] in ("account", "avatar")),  # for a first production
        "work": dashboard.productions(person.partner_id, moment),
        "engine": dashboard.health(moment),
        "about_webhooks": (endpoint_health.WARNING, endpoint_health.SUSPENDED),
    }
    if person.partner_id is None:
        processes = {"processes": workers.shown(moment)}
        return {**shown, **processes, "alerts": dashboard.open_alerts(), "troubled": dashboard.troubled(None)}
    deliveries = dashboard.deliveries_of(person.partner_id, moment)
    return {**shown, "deliveries": deliveries, "troubled": deliveries["troubled"]}
