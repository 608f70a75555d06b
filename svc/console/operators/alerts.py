"""Operators' page of alerts: list, acknowledge and close them."""

from flask import render_template, request

from svc.console import access, forms, query_args
from svc.console.page_blueprint import make_section
from svc.domain.monitoring import alerts
from svc.domain.webhooks import endpoint_health

pages = make_section("alert_pages", "/alerts", rule="operator")


@pages.get("")
def index():
    closed = {"closed": True, "all": None}.get(request.args.get("state", ""), False)
    name = request.args.get("name") or None
    listed = alerts.list_page(query_args.read_page(50), closed=closed, name=name)
    return render_template(
        "alerts.html",
        title="Alerts",
        listed=listed["data"],
        older=forms.make_older_page_url("alert_pages.index", listed),
        state=request.args.get("state", "open"),
        name=name,
        are_sent=bool(access.service().settings.alert_urls),
        sent_since=alerts.retry_window_start(access.now()),
        about_webhooks=(endpoint_health.WARNING, endpoint_health.SUSPENDED),
    )


@pages.post("/<int(max=9223372036854775807):alert_id>/see")
def see(alert_id: int):
    return forms.press(
        lambda: alerts.acknowledge(access.viewer().actor, alert_id, access.now()),
        "The alert is acknowledged.",
        _page_url(),
    )


@pages.post("/<int(max=9223372036854775807):alert_id>/close")
def close(alert_id: int):
    return forms.press(
        lambda: alerts.close(access.viewer().actor, alert_id, access.now()),
        "The alert is resolved.",
        _page_url(),
    )


@pages.post("/close-all")
def close_all():
    until = request.form.get("until", "0")
    newest = int(until) if until.isascii() and until.isdigit() and len(until) < 18 else 0
    return forms.press(
        lambda: alerts.close_all(access.viewer().actor, newest, access.now()),
        "All alerts in the list are resolved.",
        _page_url(),
    )


def _page_url() -> str:
    return access.link("alert_pages.index")
