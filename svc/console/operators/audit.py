"""Operators' page of the audit log, with filters in the URL."""

from typing import Any

from flask import render_template, request

from svc.console import exports, forms, query_args
from svc.console.page_blueprint import make_section
from svc.domain.audit import audit
from svc.domain.paging import Page
from svc.domain.people import users

pages = make_section("audit_pages", "/audit", rule="operator")


@pages.get("")
def index():
    shown_partner = query_args.selected_partner(or_nobody=True)
    filters = _filters(shown_partner)
    listed = _page(query_args.read_page(50), filters)
    return render_template(
        "audit.html",
        title="Audit log",
        listed=listed["data"],
        older=forms.make_older_page_url("audit_pages.index", listed),
        kinds=audit.KINDS,
        operators=users.list_users(None),
        shown_partner=shown_partner,
        asked=filters,
        filtered=any(filters.values()),
    )


@pages.get("/export.csv")
def export():
    """Send the entries that match the filters as CSV."""
    filters = _filters(query_args.selected_partner(or_nobody=True))
    return exports.make_csv_response(
        "audit-log",
        exports.AUDIT_COLUMNS,
        exports.iterate_entries(lambda page: _page(page, filters)),
    )


def _filters(shown_partner: query_args.ShownPartner) -> dict[str, str | None]:
    others = {name: request.args.get(name) or None for name in ("actor", "kind", "subject")}
    return {**others, "partner": shown_partner.partner_id}


def _page(page: Page, filters: dict[str, str | None]) -> dict[str, Any]:
    kind = filters["kind"] if filters["kind"] in audit.KINDS else None
    return audit.list_page(
        page,
        actor_id=filters["actor"],
        action=f"{kind}." if kind else None,
        partner_id=filters["partner"],
        subject_id=filters["subject"],
    )
