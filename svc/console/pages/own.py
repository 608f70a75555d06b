"""What belongs to a partner, for its own people: accounts, avatars,
and the partner's part of the audit log.
"""

from typing import Any

from flask import redirect, render_template, request

from svc.console import access, avatar_pictures, exports, forms, query_args, sorting
from svc.console.page_blueprint import make_section
from svc.domain import locales
from svc.domain.audit import audit
from svc.domain.paging import Page
from svc.domain.partners import avatars
from svc.domain.partners import search as partner_search
from svc.domain.people import users

pages = make_section("own_pages", "/own")
_FOR_OPERATORS = {  # the pages that show the same of all partners
    "own_pages.accounts": "account_pages.index",
    "own_pages.avatar_list": "avatar_pages.index",
    "own_pages.audit_log": "audit_pages.index",
}


@pages.before_request
def to_operators():
    """Send operators, who belong to no partner, to the pages of all partners."""
    if access.viewer().is_operator:
        return redirect(access.link(_FOR_OPERATORS.get(request.endpoint or "", "home.index")), 303)
    return None


@pages.get("/accounts")
def accounts():
    page = sorting.read_page(sorting.BY_NAME, 50)
    listed = partner_search.list_page("account", page, partner_id=access.viewer().partner_id)
    return render_template(
        "own_accounts.html",
        title="Accounts",
        listed=listed["data"],
        **query_args.pager_links(listed),
    )


@pages.get("/avatars")
def avatar_list():
    listed = partner_search.list_page(
        "avatar", query_args.read_page(50), partner_id=access.viewer().partner_id
    )
    return render_template(
        "own_avatars.html",
        title="Avatars",
        listed=[avatars.parse_row(row) for row in listed["data"]],
        older=forms.make_older_page_url("own_pages.avatar_list", listed),
        languages=locales.list_languages(),
    )


@pages.get("/avatars/<avatar_id>/picture")
def picture(avatar_id: str):
    avatar = avatars.get(avatar_id)
    access.require_reachable(avatar["partner_id"])
    return avatar_pictures.make_picture_response(avatar)


@pages.get("/audit")
def audit_log():
    """Show the partner's entries.

    Operators are not named: their addresses are not the partner's business.
    """
    kind = query_args.read_choice("kind", audit.KINDS_OF_PARTNERS)
    listed = _entries(query_args.read_page(50), kind)
    return render_template(
        "own_audit.html",
        title="Audit log",
        listed=listed["data"],
        older=forms.make_older_page_url("own_pages.audit_log", listed),
        kinds=audit.KINDS_OF_PARTNERS,
        kind=kind,
    )


@pages.get("/audit/export.csv")
def export_audit_log():
    kind = query_args.read_choice("kind", audit.KINDS_OF_PARTNERS)
    return exports.make_csv_response(
        "audit-log",
        exports.AUDIT_COLUMNS,
        exports.iterate_entries(lambda page: _entries(page, kind)),
    )


def _entries(page: Page, kind: str | None) -> dict[str, Any]:
    """Return a page of the partner's entries of a kind."""
    partner_id = access.viewer().partner_id
    listed = audit.list_page(page, action=f"{kind}." if kind else None, partner_id=partner_id)
    own = {each["id"] for each in users.list_users(partner_id)}
    shown = [
        each if each["actorId"] in own else {**each, "actor": "Operator"} for each in listed["data"]
    ]
    return {**listed, "data": shown}
