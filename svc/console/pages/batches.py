"""Batches in the console: list, items with their productions and refusals, cancellation."""

from flask import flash, g, redirect, render_template

from svc.console import access, forms, query_args
from svc.console.page_blueprint import find_queue_pauses, make_section
from svc.domain.briefing import admin as briefing_admin
from svc.domain.lifecycle import batch_rows
from svc.domain.productions import admin as production_admin

pages = make_section("batch_pages", "/batches")

_ITEMS = 50  # on a page


@pages.get("/")
def index():
    shown_partner = query_args.selected_partner(or_nobody=True)
    listed = briefing_admin.list_batch_page(shown_partner.partner_id, query_args.read_page(20))
    for each in listed["data"]:
        each["counts"] = briefing_admin.count_items(each)
    return render_template(
        "batches.html",
        title="Batches",
        listed=listed,
        shown_partner=shown_partner,
        filtered=bool(shown_partner.typed),
        **query_args.pager_links(listed),
    )


@pages.get("/<batch_id>")
def show(batch_id: str):
    return render_template("batch.html", title="Batch", **_load_batch(batch_id))


@pages.get("/<batch_id>/live")
def live(batch_id: str):
    """Return the part of a batch that changes; 204 if nothing has changed."""
    shown = _load_batch(batch_id)
    if query_args.read_text("seen") == shown["version"]:
        return "", 204
    return render_template("batch_live.html", **shown)


@pages.post("/<batch_id>/cancel")
def cancel(batch_id: str):
    batch = briefing_admin.find_batch(access.viewer(), batch_id)
    number = briefing_admin.cancel_batch(access.viewer(), batch, access.now(), g.correlation_id)
    flash(
        f"{number} production{' is' if number == 1 else 's are'} being cancelled."
        if number
        else "All had ended.",
        "good",
    )
    return redirect(access.link("batch_pages.show", batch_id=batch_id), 303)


@pages.post("/<batch_id>/resume")
@access.owner_only
def resume(batch_id: str):
    batch = briefing_admin.find_batch(access.viewer(), batch_id)
    settings = access.service().settings

    def act() -> None:
        ttl, prices = settings.production_ttl_hours, access.service().prices
        briefing_admin.resume_batch(
            access.viewer(), batch, access.now(), g.correlation_id, ttl, prices
        )

    return forms.press(
        act,
        "The cancelled productions are being triggered again.",
        access.link("batch_pages.show", batch_id=batch_id),
    )


def _load_batch(batch_id: str) -> dict:
    batch = briefing_admin.find_batch(access.viewer(), batch_id)
    listed = batch_rows.list_items(batch, query_args.read_page(_ITEMS))
    counts = briefing_admin.count_items(batch)
    is_open = batch["finished_at"] is None or batch["under_way"] is not None
    return {
        "batch": batch,
        "counts": counts,
        "listed": listed,
        "is_open": is_open,
        **find_queue_pauses(),
        "productions": briefing_admin.find_productions_of_items(listed["data"]),
        "may_cancel": is_open and batch["cancelled_at"] is None and access.viewer().may_change,
        "may_resume": bool(batch_rows.list_stopped(batch["id"], 1))
        and production_admin.may_trigger(access.viewer(), batch["environment"]),
        "version": "-".join(
            (
                *(f"{name}{number}" for name, number in counts.items()),
                f"{is_open:d}",
                f"{batch['cancelled_at']}",
                f"{batch['under_way']}",
            )
        ),
        "cursor": query_args.read_text("cursor"),
        "next": access.link("batch_pages.show", batch_id=batch_id, cursor=listed["nextCursor"])
        if listed["hasMore"]
        else None,
    }
