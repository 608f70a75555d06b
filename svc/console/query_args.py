"""Query parameters of pages: cursor, partner and period; and the URLs of further pages."""

from dataclasses import dataclass
from urllib.parse import urlencode

from flask import g, request

from svc.base import ids
from svc.base.errors import NotFound
from svc.console import access, time_zone
from svc.domain import paging
from svc.domain.paging import Page
from svc.domain.partners import create as create_partner
from svc.domain.partners import search as partner_search

ROWS_ON_A_PAGE = 25
_NOTHING = "ffffffff-ffff-ffff-ffff-ffffffffffff"  # an ID that nothing has


def read_page(limit: int = ROWS_ON_A_PAGE) -> Page:
    """Return the requested page of a list. InvalidRequest: the cursor is invalid."""
    return paging.make_page(request.args.get("cursor", ""), limit)


def read_text(name: str) -> str:
    return request.args.get(name, "").strip()[:200]


def read_choice(name: str, allowed) -> str | None:
    """Return a parameter that has a fixed set of values; None for any other value."""
    text = read_text(name)
    return text if text in allowed else None


def read_identifier(name: str) -> str | None:
    """Return an ID. A malformed one is a mistake, which its field shows; it matches nothing."""
    text = read_text(name)
    if text and ids.normalise(text) is None:
        note_field_error(
            name,
            f"{text[:60]!r} is not an ID; an ID looks like 0190b6a5-7c1e-7d3a-9f7e-3c5b8a1d2e4f.",
        )
        return _NOTHING
    return ids.normalise(text) if text else None


def read_days() -> tuple[int | None, int | None]:
    """Return the first and the last millisecond of the days ``from`` to ``to``, in the viewer's
    zone.

    A day that is none, or an end before the beginning, is a mistake, which its field shows; it does
    not limit the list.
    """
    first, last = _day("from"), _day("to")
    if first and last and last < first:
        note_field_error("to", "The last day is before the first.")
        last = None
    return first[0] if first else None, last[1] if last else None


def _day(name: str) -> tuple[int, int] | None:
    text = read_text(name)
    try:
        return time_zone.parse_day(text) if text else None
    except (ValueError, OverflowError):
        note_field_error(name, f"{text[:40]!r} is not a valid date; write it as 2026-11-20.")
        return None


def note_field_error(name: str, message: str) -> None:
    """Keep what is wrong with a filter, for the macros that show its field."""
    g.setdefault("field_errors", {})[name] = message


@dataclass(frozen=True)
class ShownPartner:
    """The partner whose data a page shows. ``partner_id`` None: all partners."""

    partner_id: str | None
    name: str = ""
    typed: str = ""
    several: tuple = ()  # partners to choose one from
    is_only: bool = False  # there is no other


def selected_partner(or_nobody: bool = False) -> ShownPartner:
    """Return the user's own partner; for an operator the one named by ``partner``, an ID or a part
    of a name, or all.

    NotFound: no partner has that name. With ``or_nobody`` this is a mistake instead, which the
    field shows; nothing matches.
    """
    person, typed = access.viewer(), read_text("partner")
    if not person.is_operator:
        return ShownPartner(
            person.partner_id, create_partner.find_partner_name(person.partner_id or "")
        )
    if not typed:
        return ShownPartner(None)
    if partner_id := ids.normalise(typed):
        try:
            return ShownPartner(partner_id, create_partner.find_partner_name(partner_id), typed)
        except NotFound:
            return _handle_unknown_partner(typed, or_nobody)
    rows = partner_search.list_page("partner", Page(8), search=typed)["data"]
    if not rows:
        return _handle_unknown_partner(typed, or_nobody)
    exact = [row for row in rows if row["name"].lower() == typed.lower()] or rows
    if len(exact) == 1:
        return ShownPartner(exact[0]["id"], exact[0]["name"], exact[0]["id"])
    return ShownPartner(None, "", typed, tuple(rows))


def selected_partner_of_form() -> ShownPartner:
    """Return the partner for whom a form is: that of :func:`selected_partner`,
    or for an operator the only one.
    """
    shown = selected_partner(or_nobody=True)
    if shown.partner_id or shown.typed:
        return shown
    rows = partner_search.list_page("partner", Page(2))["data"]
    return ShownPartner(rows[0]["id"], rows[0]["name"], is_only=True) if len(rows) == 1 else shown


def list_newest_partners() -> list:
    """Return the partners that an operator is offered to choose from; others are typed."""
    if not access.viewer().is_operator:
        return []
    if "newest_partners" not in g:
        g.newest_partners = partner_search.list_rows("partner")
    return list(g.newest_partners)


def _handle_unknown_partner(typed: str, is_shown: bool) -> ShownPartner:
    message = f"No partner has the id or the name {typed!r}."
    if not is_shown:
        raise NotFound(message)
    note_field_error("partner", message)
    return ShownPartner(_NOTHING, "", typed)


def current_url(**changes) -> str:
    """Return the URL of this page with some parameters changed; None removes a parameter."""
    parameters = {**request.args.to_dict(), **changes}
    query = urlencode(
        {name: value for name, value in parameters.items() if value not in (None, "")}
    )
    return access.get_base_path() + request.path + (f"?{query}" if query else "")


def pager_links(listed: dict) -> dict:
    """Return ``older`` and ``newest``, the URLs for the pager of a list."""
    return {
        "older": current_url(cursor=listed["nextCursor"]) if listed["hasMore"] else None,
        "newest": current_url(cursor=None) if read_text("cursor") else None,
    }
