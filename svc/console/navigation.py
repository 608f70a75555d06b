"""The console's navigation: its pages, and the actions that lead to a part of one."""

from flask import current_app, request, url_for

from svc.domain.monitoring import alerts
from svc.domain.people.identity import OPERATOR
from svc.domain.people.users import Viewer

# A heading and its links: label, endpoint, icon in components.html, and whether only operators see
# it; None: only others.
_SECTIONS = (
    (
        "",
        (
            ("Home", "home.index", "home", False),
            ("Productions", "productions_pages.index", "productions", False),
            ("Templates", "template_pages.index", "templates", False),
            ("Batches", "batch_pages.index", "batches", False),
            ("Webhooks", "webhooks_pages.index", "webhooks", False),
            ("Requests", "requests_pages.index", "requests", False),
            ("Usage", "usage_pages.index", "usage", False),
        ),
    ),
    (
        "Settings",
        (
            ("API keys", "api_keys.index", "keys", False),
            ("Places", "connection_pages.index", "places", False),
            ("Accounts", "own_pages.accounts", "accounts", None),
            ("Avatars", "own_pages.avatar_list", "avatars", None),
            ("People", "team.index", "people", False),
            ("Audit log", "own_pages.audit_log", "audit", None),
        ),
    ),
    (
        "Operator",
        (
            ("Partners", "partner_pages.index", "partners", True),
            ("Accounts", "account_pages.index", "accounts", True),
            ("Avatars", "avatar_pages.index", "avatars", True),
            ("Sensitivity rules", "rule_pages.index", "rules", True),
            ("Alerts", "alert_pages.index", "alerts", True),
            ("Maintenance", "maintenance_pages.index", "maintenance", True),
            ("Audit log", "audit_pages.index", "audit", True),
        ),
    ),
    ("Help", (("Documentation", "docs.page", "docs", False),)),
)

# What people come to do: words, endpoint, part of the page, further words, and whether only
# operators do it.
_ACTIONS = (
    ("New production", "trigger_pages.form", "", "trigger brief video make", False),
    ("New template", "template_pages.form", "", "create make", False),
    ("New webhook", "webhooks_pages.form", "", "register create subscription", False),
    ("Look through deliveries", "webhooks_pages.deliveries", "", "find failed webhooks", False),
    ("Create a key", "api_keys.index", "h-make", "new api activation", False),
    ("Rotate a key", "api_keys.index", "", "replace api keys", False),
    ("Revoke a key", "api_keys.index", "", "remove end api keys", False),
    ("Connect an account to a place", "connection_pages.index", "", "platform add", False),
    ("Invite a person", "team.index", "h-invite", "user people add new", False),
    ("Change my password", "profile.index", "h-password", "profile", False),
    ("Add a partner", "partner_pages.index", "h-add", "new create", True),
    ("Add a sensitivity rule", "rule_pages.index", "h-add", "new create", True),
    ("Pause or resume the queue", "maintenance_pages.index", "h-queue", "productions stop", True),
)
_FOR_MEMBERS = {"webhooks_pages.deliveries", "profile.index"}  # who change nothing else


def list_actions(viewer: Viewer, words: str) -> list[tuple[str, str]]:
    """Return what a user can do, as pairs of words and address.

    ``words``: beginnings of words that each has, in any order.
    """
    beginnings = words.lower().split()
    return [
        (label, url_for(endpoint, _anchor=part or None))
        for label, endpoint, part, further, only_operators in _ACTIONS
        if endpoint in current_app.view_functions
        and (viewer.role == OPERATOR or not only_operators)
        and (viewer.may_change or endpoint in _FOR_MEMBERS)
        and all(
            any(has.startswith(word) for has in f"{label} {further}".lower().split())
            for word in beginnings
        )
    ]


def list_sections(viewer: Viewer | None) -> list[tuple[str, list[dict]]]:
    """Return the headings with their links for a user; the link to the current page
    is marked ``here``.
    """
    if viewer is None:
        return []
    visible = [
        (heading, [_link(entry) for entry in links if _is_for(viewer, entry)])
        for heading, links in _SECTIONS
    ]
    return [(heading, links) for heading, links in visible if links]


def _is_for(viewer: Viewer, link: tuple) -> bool:
    return link[1] in current_app.view_functions and link[3] in (
        False,
        True if viewer.role == OPERATOR else None,
    )


def _link(link: tuple) -> dict:
    label, endpoint, icon, _ = link
    path = url_for(endpoint)
    here = request.path == path or (path.count("/") > 2 and request.path.startswith(path))
    count = alerts.count_open() if endpoint == "alert_pages.index" else 0
    return {"label": label, "endpoint": endpoint, "icon": icon, "here": here, "count": count}
