"""One delivery in the console: its attempts with request and response,
and a button to send it again.
"""

from flask import flash, redirect, render_template

from svc.base.errors import ServiceError
from svc.console import access, query_args
from svc.console.page_blueprint import make_section
from svc.domain.webhooks import admin as webhook_admin
from svc.domain.webhooks import attempts as delivery_attempts
from svc.domain.webhooks import deliveries

pages = make_section("deliveries_pages", "/webhooks/<subscription_id>/deliveries")


@pages.get("/<delivery_id>")
def show(subscription_id: str, delivery_id: str):
    return render_template(
        "delivery.html", title="Delivery", **_load_delivery(subscription_id, delivery_id)
    )


@pages.get("/<delivery_id>/live")
def live(subscription_id: str, delivery_id: str):
    """Return the live part of the page while the delivery is pending;
    204 if nothing has changed.
    """
    shown = _load_delivery(subscription_id, delivery_id)
    if query_args.read_text("seen") == shown["version"]:
        return "", 204
    return render_template("delivery_live.html", **shown)


@pages.post("/<delivery_id>/redeliver")
def redeliver(subscription_id: str, delivery_id: str):
    try:
        webhook_admin.redeliver(access.viewer(), subscription_id, delivery_id, access.now())
        flash("The delivery is being sent again.", "good")
    except ServiceError as refused:
        if refused.status in (403, 404):
            raise
        flash(refused.message, "bad")
    place = access.link(
        "deliveries_pages.show", subscription_id=subscription_id, delivery_id=delivery_id
    )
    return redirect(place, 303)


def _load_delivery(subscription_id: str, delivery_id: str) -> dict:
    subscription = webhook_admin.find(access.viewer().partner_id, subscription_id)
    delivery = deliveries.find_with_title(subscription_id, delivery_id)
    attempts = delivery_attempts.list_attempts_with_requests(access.service().ring, delivery)
    return {
        "subscription": subscription,
        "delivery": delivery,
        "attempts": list(reversed(attempts)),
        "version": f"{delivery['status']}-{len(attempts)}-{delivery['next_attempt_at'] or 0}",
    }
