"""The first page of the console: running and waiting work, today's failures, and the health of the service."""

from flask import render_template

from svc.console import access
from svc.console.section import section
from svc.domain import board

pages = section("home")


@pages.get("/")
def index():
    return render_template("home.html", title="Home", **_now())


@pages.get("/now")
def now():
    """Return the part of the page that htmx polls."""
    return render_template("home_now.html", **_now())


def _now() -> dict:
    person, moment = access.viewer(), access.now()
    shown = {"work": board.productions(person.partner_id, moment), "engine": board.health(moment)}
    if person.partner_id is None:
        return {**shown, "alerts": board.open_alerts(), "troubled": board.troubled(None)}
    deliveries = board.deliveries_of(person.partner_id, moment)
    return {**shown, "deliveries": deliveries, "troubled": deliveries["troubled"]}
