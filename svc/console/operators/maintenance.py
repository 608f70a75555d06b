"""Operators' page of maintenance mode, in which the API answers 503 with a Retry-After."""

from flask import render_template

from svc.base.errors import ServiceError
from svc.console import access, forms
from svc.console.page_blueprint import make_section
from svc.domain import form_fields
from svc.domain.audit import audit
from svc.domain.lifecycle import render_queue
from svc.domain.monitoring import maintenance
from svc.domain.paging import Page

pages = make_section("maintenance_pages", "/maintenance", rule="operator")


@pages.get("")
def index():
    return _page()


@pages.post("")
@access.keep_form
def switch():
    fields = forms.read_fields("on", "seconds")
    on = fields["on"] == "on"

    def act():
        filled = {"seconds": fields["seconds"]} if on and fields["seconds"] else {}
        seconds = form_fields.read(
            {"seconds": form_fields.whole_number(1, maintenance.LONGEST)}, filled
        )
        maintenance.set_maintenance_as(access.viewer().actor, on, access.now(), **seconds)

    done = "The API now answers 503." if on else "The API answers normally again."
    return forms.submit(
        act, done, access.link("maintenance_pages.index"), lambda error: _page(error, fields)
    )


@pages.post("/queue")
@access.keep_form
def queue():
    """Pause or resume the queue of a partner, or the whole queue if none is named."""
    fields = forms.read_fields("partner", "paused")
    partner, paused = fields["partner"] or None, fields["paused"] == "on"

    def act():
        (render_queue.pause if paused else render_queue.resume)(
            access.viewer(), partner, access.now()
        )

    done = "The queue is paused; running steps finish." if paused else "The queue is resumed."
    return forms.submit(act, done, access.link("maintenance_pages.index"), _page)


def _page(error: ServiceError | None = None, fields: dict | None = None) -> str:
    return render_template(
        "maintenance.html",
        title="Maintenance",
        retry_after=maintenance.retry_after(),
        error=error,
        given=fields or {},
        longest=maintenance.LONGEST,
        usual=maintenance.RETRY_SECONDS,
        queue_paused=render_queue.find_pause_time(),
        queues=render_queue.list_shares(),
        entries=audit.list_page(Page(5), action="maintenance.")["data"],
    )
