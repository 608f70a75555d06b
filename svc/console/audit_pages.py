"""Operators' page of the audit log, with filters in the URL."""

from flask import render_template, request

from svc.console import asked, forms
from svc.console.section import section
from svc.domain import audit, directory, people

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
        asked.page(50), actor_id=filters["actor"], action=f"{kind}." if kind else None, partner_id=filters["partner"],
        subject_id=filters["subject"],
    )  # fmt: skip
    return render_template(
        "audit.html", title="Audit log", listed=listed["data"], older=forms.older("audit_pages.index", listed), kinds=_KINDS,
        operators=people.of_partner(None), partners=directory.everything("partner"), asked=filters,
        filtered=any(filters.values()),
    )  # fmt: skip
