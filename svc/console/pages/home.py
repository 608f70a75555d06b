"""The first page of the console: running and waiting work, today's failures,
and the health of the service.
"""

from dataclasses import dataclass

from flask import make_response, render_template

from svc.base import start_failures, states
from svc.console import access, production_list, time_zone
from svc.console.page_blueprint import POLICY, find_queue_pauses, make_section
from svc.domain.lifecycle import stages
from svc.domain.monitoring import start_notes, workers
from svc.domain.overview import dashboard, queue_jobs, setup_checklist, state_counts
from svc.domain.overview.setup_checklist import SetupStep
from svc.domain.webhooks import endpoint_health

pages = make_section("home")

# What each step of the checklist is called, the page on which it is done, and why it is needed.
_STEPS = {
    "partner": (
        "Add a partner",
        "partner_pages.index",
        "A company that triggers productions. Its form adds a customer and an account, too.",
    ),
    "customer": (
        "Add a customer",
        "partner_pages.index",
        "A client of the partner, whose accounts share avatars and ceilings.",
    ),
    "account": (
        "Add an account",
        "partner_pages.index",
        "What productions are made for. Begin with a sandbox: it is free and releases by itself.",
    ),
    "avatar": (
        "Add an avatar",
        "avatar_pages.index",
        "Who presents the videos. Each new customer has three.",
    ),
    "key": (
        "Create an API key",
        "api_keys.index",
        "With it, the partner's programs trigger productions.",
    ),
    "production": (
        "Trigger the first production",
        "trigger_pages.form",
        "It shows that all of the above works. A sample brief is there.",
    ),
    "webhook": (
        "Create a webhook",
        "webhooks_pages.form",
        "It tells the partner's programs when a production is published.",
    ),
}


@dataclass(frozen=True)
class _Card:
    """A number, and the address of the list that has as many rows."""

    number: int
    address: str


@pages.get("/")
def index():
    response = make_response(render_template("home.html", title="Home", **_load_present_state()))
    # Whoever releases from here sees the video first.
    response.headers["Content-Security-Policy"] = access.service().allow_media(POLICY)
    return response


@pages.get("/now")
def now():
    """Return the part of the page that htmx polls."""
    return render_template("home_now.html", **_load_present_state())


def _setup() -> list[dict]:
    """Return the checklist of a user who can work it off, or an empty list."""
    person = access.viewer()
    if not person.may_change:
        return []
    steps = setup_checklist.list_steps(person.partner_id, access.now())
    places = {step.name: _place(step, steps) for step in steps}
    return [
        {
            "name": step.name,
            "label": _STEPS[step.name][0],
            "why": _STEPS[step.name][2],
            "done": step.found is not None,
            "waits": step.waits,
            "place": places[step.name],
        }
        for step in steps
    ]


def _place(step: SetupStep, steps: list[SetupStep]) -> str:
    """Return the page of a step: of the partner or customer that an earlier step made,
    if it is done there.
    """
    places = {each.name: each.found for each in steps}
    if step.name == "customer" and places["partner"]:
        return access.link("partner_pages.show", partner_id=places["partner"])
    if step.name == "account" and places["customer"]:
        return access.link("partner_pages.customer", customer_id=places["customer"])
    return access.link(_STEPS[step.name][1])


def _load_present_state() -> dict:
    person, moment = access.viewer(), access.now()
    setup, work = _setup(), dashboard.list_productions(person.partner_id, time_zone.today())
    cards = {
        name: _Card(each.number, production_list.make_address(each.search))
        for name, each in work["cards"].items()
    }
    decided_here = [
        each
        for each in stages.GROUPS[stages.WAITING]
        if person.is_operator or each != states.AWAITING_APPROVAL
    ]
    shown = {
        "setup": setup,
        # What a first production needs is there.
        "ready": all(step["done"] for step in setup if step["name"] in ("account", "avatar")),
        "work": work,
        **find_queue_pauses(),
        "cards": cards,
        "for_viewer": sum(cards[each].number for each in decided_here),  # only operators release
        "most": state_counts.MOST,
        "waiting_for": stages.GROUPS[stages.WAITING],
        "engine": dashboard.find_engine_health(moment),
        "about_webhooks": (endpoint_health.WARNING, endpoint_health.SUSPENDED),
    }
    if person.partner_id is None:
        processes = {
            "processes": workers.list_with_steps(moment),
            "jobs": queue_jobs.count_by_queue(),
        }
        return {
            **shown,
            **processes,
            **_find_start_failures(moment),
            "alerts": dashboard.list_open_alerts(),
            "troubled": dashboard.list_failing_webhooks(None),
        }
    deliveries = dashboard.find_delivery_health(person.partner_id, moment)
    return {**shown, "deliveries": deliveries, "troubled": deliveries["troubled"]}


def _find_start_failures(moment: int) -> dict:
    data_dir = access.service().settings.data_dir
    return {
        "start_failure": start_failures.find(data_dir, moment),
        "failures_elsewhere": start_notes.list_elsewhere(data_dir, moment),
    }
