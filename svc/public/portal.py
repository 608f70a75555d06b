"""The portal of an account: a read-only page for the customers of a partner,
by a signed link, without script.
"""

import re
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from flask import Blueprint, Response, current_app, make_response, render_template, request

from svc.base import states
from svc.base.errors import InvalidRequest, NotFound
from svc.base.text.display import to_one_line
from svc.domain import locales, paging
from svc.domain.paging import Page
from svc.domain.watch import portal as portals
from svc.domain.watch import posts
from svc.domain.watch.portal import Listing, PortalFile, Visit

portal = Blueprint("portal", __name__, template_folder="templates")

_SHOWN = 20  # productions on a page
_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors {}"
)
_GROUPS = {
    "Video": "Videos",
    "ClosedCaptions": "Captions and text",
    "Transcript": "Captions and text",
}
_GROUPS["AudioDescription"] = "Audio description"
_OTHERS = "Documents"
_HEADERS = {
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex",
    "Cache-Control": "private, no-store",
}
_WORDS = {
    states.QUEUED: "Waiting to be made",
    states.PRODUCING: "Being made",
    states.AWAITING_APPROVAL: "Made, and waiting for its release",
    states.DISTRIBUTING: "Being published",
    states.PUBLISHED: "Published",
    states.FAILED: "Could not be made",
    states.CANCELLED: "Cancelled",
}
_PROGRESS = (states.QUEUED, states.PRODUCING)
_BIG_LETTER = re.compile(r"(?<=[a-z])(?=[A-Z])")


@portal.after_request
def _protect(response: Response) -> Response:
    for name, value in _HEADERS.items():
        response.headers[name] = value
    response.headers.setdefault("Content-Security-Policy", _POLICY.format("'none'"))
    return response


@portal.get("/portal/<token>")
def page(token: str) -> Response:
    service = current_app.extensions["svc"]
    try:
        visit = portals.open_link(token, service.clock(), service.ring)
    except NotFound:
        return make_response(_render_page("portal_ended.html"), 404)
    if visit.is_open:
        return _allow_framing(visit, *_render_listing(token, visit))
    return _allow_framing(visit, _render_page("portal_ended.html"), 410)


def _render_listing(token: str, visit: Visit) -> tuple[str, int]:
    """Return the page, and its status."""
    cursor, list_name = request.args.get("cursor", ""), f"portal {visit.account['id']}"
    try:
        page = (
            Page(_SHOWN, paging.decode(cursor, list_name), list_name)
            if cursor
            else Page(_SHOWN, of=list_name)
        )
    except InvalidRequest:
        return _render_page("portal_astray.html", start=token), 400
    listing = portals.list_productions(visit, page)
    entries = [_represent_entry(each, listing, visit.has_files) for each in listing.page["data"]]
    return _render_page(
        "portal.html",
        start=token,
        account=to_one_line(visit.account["name"], "Unnamed"),
        entries=entries,
        is_first=page.is_first,
        older=listing.page["nextCursor"],
        is_sandbox=visit.account["environment"] == "sandbox",
        has_files=visit.has_files,
    ), 200


def _allow_framing(visit: Visit, text: str, status: int) -> Response:
    response = make_response(text, status)
    policy = _POLICY.format(" ".join(visit.origins) or "'none'")
    response.headers["Content-Security-Policy"] = current_app.extensions["svc"].allow_media(policy)
    return response


def _render_page(template: str, **values: Any) -> str:
    return render_template(
        template, base=urlsplit(current_app.extensions["svc"].settings.base_url).path, **values
    )


def _represent_entry(
    production: dict[str, Any], listing: Listing, links_files: bool
) -> dict[str, Any]:
    files = listing.files.get(production["productionId"], [])
    posts_of_production = listing.posts.get(production["productionId"], [])
    created = datetime.fromisoformat(production["createdAt"]).astimezone(UTC)
    return {
        "id": production["productionId"],
        "title": to_one_line(production["title"]),
        "words": _WORDS[production["status"]],
        "status": production["status"],
        "percent": production["progressPercent"] if production["status"] in _PROGRESS else None,
        "since": production["createdAt"],
        "day": f"{created.day} {created:%B %Y}",
        "language": locales.list_languages().get(production["languageId"]),
        "post": posts_of_production[0] if posts_of_production else None,
        "has_captions": any(
            (each["type"], each["format"]) == ("ClosedCaptions", "vtt") for each in files
        ),
        "groups": _group_files(files) if links_files else {},
    }


def _group_files(files: list[PortalFile]) -> dict[str, list[dict[str, str]]]:
    """Return the files of each kind, by the heading under which they are listed."""
    headings = dict.fromkeys([*_GROUPS.values(), _OTHERS])
    groups = {
        heading: [
            _represent_file(each) for each in files if _GROUPS.get(each["type"], _OTHERS) == heading
        ]
        for heading in headings
    }
    return {heading: entries for heading, entries in groups.items() if entries}


def _represent_file(file: PortalFile) -> dict[str, str]:
    service = current_app.extensions["svc"]
    address, _ = service.storage.make_link(file["id"], service.clock())
    name = _split_name(file["type"]) + (
        f", {_name_shape(file['platform'])}" if file["platform"] else ""
    )
    return {
        "name": name,
        "format": file["format"].upper(),
        "size": _format_size(file["size_bytes"]),
        "address": address,
    }


def _name_shape(platform: str) -> str:
    """Return the shape of a platform's video; of a platform that is not this server's, its name."""
    return posts.SHAPES[platform].name if platform in posts.SHAPES else platform


def _split_name(name: str) -> str:
    """Return a name such as ``ClosedCaptions`` in words."""
    return _BIG_LETTER.sub(" ", name).capitalize()


def _format_size(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{max(size, 1) / 1e3:.1f} kB"
