"""Operators' page of the audit log, with filters in the URL."""

from flask import render_template, request

from svc.console import forms, query_args
from svc.console.page_blueprint import section
from svc.domain.partners import search as partner_search
from svc.domain.people import audit, users

pages = section("audit_pages", "/audit", rule="operator")
_KINDS = (
    "partner", "customer", "account", "project-type", "platform", "avatar", "key", "user", "production", "webhook", "rule",
    "alert", "maintenance", "key-ring", "audit",
)  # fmt: skip


@pages.get("")
def index():
    filters = {name: request.args.get(name) or None for name in ("actor", "kind", "partner", "subject")}
    kind = filters["kind"] if filters["kind"] in _KINDS else None
    listed = audit.page(
        query_args.page(50),
        actor_id=filters["actor"],
        action=f"{kind}." if kind else None,
        partner_id=filters["partner"],
        subject_id=filters["subject"],
    )
    return render_template(
        "audit.html", title="Audit log", listed=listed["data"], older=forms.older("audit_pages.index", listed), kinds=_KINDS,
        operators=users.of_partner(None), partners=partner_search.all_rows("partner"), asked=filters,
        filtered=any(filters.values()),
    )  # fmt: skip
