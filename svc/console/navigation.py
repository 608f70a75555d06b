"""The console's navigation."""

from flask import current_app, request, url_for

from svc.domain.monitoring import alerts
from svc.domain.people.identity import OPERATOR
from svc.domain.people.users import Viewer

# A heading and its links: label, endpoint, icon in components.html, and whether only operators see it; None: only others.
_SECTIONS = (
    ("", (
        ("Home", "home.index", "home", False),
        ("Productions", "productions_pages.index", "productions", False),
        ("Templates", "template_pages.index", "templates", False),
        ("Batches", "batch_pages.index", "batches", False),
        ("Webhooks", "webhooks_pages.index", "webhooks", False),
        ("Requests", "requests_pages.index", "requests", False),
        ("Usage", "usage_pages.index", "usage", False),
    )),
    ("Settings", (
        ("API keys", "api_keys.index", "keys", False),
        ("Places", "connection_pages.index", "places", False),
        ("Accounts", "own_pages.accounts", "accounts", None),
        ("Avatars", "own_pages.avatar_list", "avatars", None),
        ("People", "team.index", "people", False),
        ("Audit log", "own_pages.audit_log", "audit", None),
    )),
    ("Operator", (
        ("Partners", "partner_pages.index", "partners", True),
        ("Accounts", "account_pages.index", "accounts", True),
        ("Avatars", "avatar_pages.index", "avatars", True),
        ("Sensitivity rules", "rule_pages.index", "rules", True),
        ("Alerts", "alert_pages.index", "alerts", True),
        ("Maintenance", "maintenance_pages.index", "maintenance", True),
        ("Audit log", "audit_pages.index", "audit", True),
    )),
    ("Help", (("Documentation", "docs.page", "docs", False),)),
)  # fmt: skip


def sections(viewer: Viewer | None) -> list[tuple[str, list[dict]]]:
    """Return the headings with their links for a user; the link to the current page is marked ``here``."""
    if viewer is None:
        return []
    visible = [(heading, [_link(entry) for entry in links if _is_for(viewer, entry)]) for heading, links in _SECTIONS]
    return [(heading, links) for heading, links in visible if links]


def _is_for(viewer: Viewer, link: tuple) -> bool:
    return link[1] in current_app.view_functions and link[3] in (False, True if viewer.role == OPERATOR else None)


def _link(link: tuple) -> dict:
    label, endpoint, icon, _ = link
    path = url_for(endpoint)
    here = request.path == path or (path.count("/") > 2 and request.path.startswith(path))
    count = alerts.open_count() if endpoint == "alert_pages.index" else 0
    return {"label": label, "endpoint": endpoint, "icon": icon, "here": here, "count": count}
