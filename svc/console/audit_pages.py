"""Operators' page of the audit log, with filters in the URL."""

from flask import render_template, request

from svc.console import forms
from svc.console.section import section
from svc.domain import audit, directory, people

pages = section("audit_pages", "/audit", rule="operator")
_KINDS = (
    "partner", "customer", "account", "project-type", "platform", "avatar", "key", "user", "production", "webhook", "rule",
    "alert", "maintenance", "key-ring", "audit",
)  # fmt: skip


@pages.get("")
def index():
    asked = {name: request.args.get(name) or None for name in ("actor", "kind", "partner", "subject")}
    kind = asked["kind"] if asked["kind"] in _KINDS else None
    listed = audit.page(
        forms.page_asked(), actor_id=asked["actor"], action=f"{kind}." if kind else None, partner_id=asked["partner"],
        subject_id=asked["subject"],
    )  # fmt: skip
    return render_template(
        "audit.html", title="Audit log", listed=listed["data"], older=forms.older("audit_pages.index", listed), kinds=_KINDS,
        operators=people.of_partner(None), partners=directory.everything("partner"), asked=asked,
        filtered=any(asked.values()),
    )  # fmt: skip
