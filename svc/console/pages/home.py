"""The first page of the console: running and waiting work, today's failures, and the health of the service."""

from flask import render_template

from svc.console.page_blueprint import section
from svc.console.sign_in import access
from svc.domain.monitoring import dashboard, workers

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
    shown = {"work": dashboard.productions(person.partner_id, moment), "engine": dashboard.health(moment)}
    if person.partner_id is None:
        processes = {"processes": workers.shown(moment)}
        return {**shown, **processes, "alerts": dashboard.open_alerts(), "troubled": dashboard.troubled(None)}
    deliveries = dashboard.deliveries_of(person.partner_id, moment)
    return {**shown, "deliveries": deliveries, "troubled": deliveries["troubled"]}
