"""What a page was asked for in its URL: which page of a list, whose, in which time; and the URLs that ask for more."""

from dataclasses import dataclass
from urllib.parse import urlencode

from flask import request

from svc.base import clock, ids
from svc.base.errors import InvalidRequest, NotFound
from svc.console import access
from svc.domain import directory, paging, partners
from svc.domain.paging import Page

ON_A_PAGE = 25


def page(limit: int = ON_A_PAGE) -> Page:
    """The page of a list. InvalidRequest: the cursor is none of ours."""
    cursor = request.args.get("cursor", "")
    return Page(limit, paging.decode(cursor)) if cursor else Page(limit)


def text(name: str) -> str:
    return request.args.get(name, "").strip()[:200]


def one_of(name: str, allowed) -> str | None:
    """A word of a few; what is none of them asks for nothing."""
    given = text(name)
    return given if given in allowed else None


def identifier(name: str) -> str | None:
    """An id; what is none cannot be found, so it is refused. InvalidRequest."""
    given = text(name)
    if given and ids.canonical(given) is None:
        raise InvalidRequest(f"{given[:60]!r} is no identifier; it looks like 0190b6a5-7c1e-7d3a-9f7e-3c5b8a1d2e4f.")
    return ids.canonical(given) if given else None


def days() -> tuple[int | None, int | None]:
    """The first and the last instant of the days ``from`` and ``to``, in UTC. InvalidRequest."""
    since, until = (_day(text(name)) for name in ("from", "to"))
    return since, None if until is None else until + clock.DAY - 1


def _day(given: str) -> int | None:
    try:
        return clock.parse(f"{given}T00:00:00Z") if given else None
    except (ValueError, OverflowError):
        raise InvalidRequest(f"{given[:40]!r} is no date; write 2026-11-20.") from None


@dataclass(frozen=True)
class Whose:
    """Whose things a page shows. ``partner_id`` None: everybody's."""

    partner_id: str | None
    name: str = ""
    typed: str = ""
    several: tuple = ()  # partners of whom one is to be chosen


def whose() -> Whose:
    """The viewer's own partner; for an operator the one that ``partner`` names, by id or by a part of its name, or all."""
    person, typed = access.viewer(), text("partner")
    if not person.is_operator:
        return Whose(person.partner_id)
    if not typed:
        return Whose(None)
    if partner_id := ids.canonical(typed):
        return Whose(partner_id, partners.name(partner_id), typed)
    found = directory.page("partner", Page(8), search=typed)["data"]
    if not found:
        raise NotFound(f"No partner's name has {typed!r} in it.")
    exact = [each for each in found if each["name"].lower() == typed.lower()] or found
    if len(exact) == 1:
        return Whose(exact[0]["id"], exact[0]["name"], exact[0]["id"])
    return Whose(None, "", typed, tuple(found))


def here(**changes) -> str:
    """The URL of this page with some of its parameters changed; None leaves one out."""
    given = {**request.args.to_dict(), **changes}
    query = urlencode({name: value for name, value in given.items() if value not in (None, "")})
    return access.base() + request.path + (f"?{query}" if query else "")


def turning(listed: dict) -> dict:
    """``older`` and ``newest`` for the pager under a list envelope."""
    return {
        "older": here(cursor=listed["nextCursor"]) if listed["hasMore"] else None,
        "newest": here(cursor=None) if text("cursor") else None,
    }
