"""Portals: an account's productions for the customers of a partner, by signed links that end."""

import json
from dataclasses import dataclass
from typing import Any, TypedDict

from svc.base import clock, states
from svc.base.crypto import signing
from svc.base.crypto.signing import KeyRing
from svc.base.errors import NotFound
from svc.domain import partner_status, scopes
from svc.domain.access import keys
from svc.domain.caller import Caller
from svc.domain.paging import Page
from svc.domain.productions import listing as productions_listing
from svc.domain.productions.listing import Listed
from svc.domain.watch import posts
from svc.domain.watch.posts import WatchPost
from svc.store.expressions import elements
from svc.store.models.partners import Account, Partner
from svc.store.models.productions import Deliverable
from svc.store.queries import Prepared, slot

MINUTES = 60  # for which a link is valid
MOST_MINUTES = 24 * 60
_FOR_EVER = 2**62


class PortalAccount(TypedDict):
    """The account of a portal, with ``portal_origins`` of its partner:
    origins with a space between.
    """

    id: str
    name: str
    status: str
    environment: str
    creator: str | None
    partner_id: str
    portal_origins: str


class PortalFile(TypedDict):
    """A file that can be downloaded."""

    id: str
    production_id: str
    type: str
    platform: str | None
    format: str
    size_bytes: int


_ACCOUNT = Prepared(
    Account.select(
        Account.id,
        Account.name,
        Account.status,
        Account.environment,
        Account.creator,
        Account.partner_id,
        Partner.portal_origins,
    )
    .join(Partner, on=Partner.id == Account.partner_id)
    .where(Account.id == slot("id")),
    PortalAccount,
)
_FILES = Prepared(
    Deliverable.select(
        Deliverable.id,
        Deliverable.production_id,
        Deliverable.type,
        Deliverable.platform,
        Deliverable.format,
        Deliverable.size_bytes,
    )
    .where(Deliverable.production_id.in_(elements(slot("production_ids"))))
    .order_by(Deliverable.production_id, Deliverable.position),
    PortalFile,
)


@dataclass(frozen=True)
class Visit:
    """What a link that we signed leads to.

    Attributes:
        is_open: False: the link has ended, and nothing of the account may be shown.
        has_files: Whether the key of the link may download files.
    """

    account: PortalAccount
    is_open: bool
    has_files: bool

    @property
    def origins(self) -> list[str]:
        """Return the origins that may show the page within theirs."""
        return self.account["portal_origins"].split()


def create_link(
    caller: Caller, account_id: str, minutes: int, now: int, ring: KeyRing
) -> tuple[str, int]:
    """Return a token for the portal of an account, and when it expires (milliseconds):
    no later than the key.
    """
    ends = min(now + minutes * clock.MINUTE, caller.expires_at or _FOR_EVER) // clock.SECOND
    return signing.sign_portal_token(ring, account_id, caller.key_id, ends), ends * clock.SECOND


def open_link(token: str, now: int, ring: KeyRing) -> Visit:
    """Return the visit of a token. NotFound: we did not sign it, or its account is no more."""
    claims = signing.read_portal_token(ring, token)
    account = _ACCOUNT.row(id=claims[0]) if claims else None
    if claims is None or account is None:
        raise NotFound()
    _, key_id, ends = claims
    caller = keys.find_caller(key_id, now)
    # one of a clock that was ahead by days is not open until then
    is_of_now = now < ends * clock.SECOND <= now + MOST_MINUTES * clock.MINUTE + clock.DAY
    is_open = is_of_now and caller is not None and _may_read(caller, account)
    return Visit(
        account,
        is_open,
        caller is not None and scopes.is_granted(caller.scopes, scopes.DELIVERABLES),
    )


def _may_read(caller: Caller, account: PortalAccount) -> bool:
    """Return whether the key of a link could still read the account by itself."""
    return (
        caller.partner_status == partner_status.ACTIVE
        and account["status"] != "Closed"
        and scopes.is_granted(caller.scopes, scopes.READ)
        and caller.reaches(
            account["id"], account["partner_id"], account["environment"], account["creator"]
        )
    )


@dataclass(frozen=True)
class Listing:
    """A page of the account's productions, newest first, with what there is of the published ones
    by their ids.
    """

    page: dict[str, Any]
    files: dict[str, list[PortalFile]]
    posts: dict[str, list[WatchPost]]  # their watch pages, landscape first


def list_productions(visited: Visit, page: Page) -> Listing:
    """Return a page of the productions that the link shows.

    ``files`` are to be linked if ``visited.has_files``.
    """
    listed = productions_listing.list_page(Listed(visited.account["id"]), page)
    published = [
        each["productionId"] for each in listed["data"] if each["status"] == states.PUBLISHED
    ]
    files: dict[str, list[PortalFile]] = {}
    if not published:
        return Listing(listed, files, {})
    for file in _FILES.rows(production_ids=json.dumps(published)):
        files.setdefault(file["production_id"], []).append(file)
    return Listing(listed, files, posts.list_posts_of_productions(published))
