"""Posts: the public watch pages of published productions, and their files."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypedDict

from svc.base import states
from svc.base.errors import NotFound
from svc.base.shapes import SIZES
from svc.domain.paging import Page
from svc.domain.tables.productions import PostFile
from svc.store.expressions import Tuple, elements, fn
from svc.store.models.partners import Account
from svc.store.models.productions import Deliverable, Production
from svc.store.models.publishing import Publication
from svc.store.queries import Prepared, slot


class ShownAccount(TypedDict):
    """What viewers see of an account."""

    name: str
    environment: str


@dataclass(frozen=True)
class Shape:
    """The shape of a video: ``"landscape"`` or ``"portrait"``, with its size in pixels."""

    name: str
    width: int
    height: int


# The platforms whose posts are watch pages of this server; a test compares them with
# svc.platforms.watch.
SHAPES = {
    "Watch": Shape("landscape", *SIZES["landscape"]),
    "WatchVertical": Shape("portrait", *SIZES["portrait"]),
}


def is_video_of(model: Any) -> Any:
    """Return the condition that a deliverable is the video of a play or publication."""
    return (
        (Deliverable.production_id == model.production_id)
        & (Deliverable.type == "Video")
        & (Deliverable.platform == model.platform)
    )


_VISIBLE = (
    Publication.select(
        Publication.platform_post_id.alias("post_id"),
        Publication.platform,
        Publication.production_id,
        Publication.account_id,
        Publication.published_at,
        Publication.description,
        Production.title,
        Account.name.alias("account_name"),
        Account.environment,
        Deliverable.file,
        Deliverable.size_bytes,
        Deliverable.sha256,
        Deliverable.duration_seconds,
        Deliverable.language,
        Deliverable.voice,
    )
    .join_from(Publication, Production, on=Production.id == Publication.production_id)
    .join_from(Publication, Account, on=Account.id == Publication.account_id)
    .join_from(Publication, Deliverable, on=is_video_of(Publication))
    .where(
        Publication.status == "Published",
        Publication.platform.in_(tuple(SHAPES)),
        Production.status.not_in((states.FAILED, states.CANCELLED)),
    )
)
_BY_ID = Prepared(_VISIBLE.where(Publication.platform_post_id == slot("post_id")))
_OF_PRODUCTION = Prepared(
    _VISIBLE.where(Publication.production_id == slot("production_id")).order_by(
        Publication.platform
    )
)
_OF_PRODUCTIONS = Prepared(
    _VISIBLE.where(Publication.production_id.in_(elements(slot("ids")))).order_by(
        Publication.platform
    )
)
_NEWEST = Prepared(
    _VISIBLE.where(
        Publication.account_id == slot("account_id"),
        Publication.platform == slot("platform"),
        Publication.published_at.is_null(False),
    )
    .order_by(Publication.published_at.desc(), Publication.production_id.desc())
    .limit(slot("limit"))
)
_SECOND = Publication.alias("second")


def _shape_page_query(platform: str, others: tuple[str, ...]) -> Prepared[Any]:
    """Return the query of a page of an account's posts on a platform,
    without what is also on one of ``others``.
    """
    elsewhere = _SECOND.select(_SECOND.production_id).where(
        _SECOND.production_id == Publication.production_id,
        _SECOND.platform.in_(others),
        _SECOND.status == "Published",
    )
    query = _VISIBLE.where(
        Publication.account_id == slot("account_id"),
        Publication.platform == platform,
        Publication.published_at.is_null(False),
        Tuple(Publication.published_at, Publication.production_id)
        < Tuple(slot("created"), slot("id")),
    )
    if others:
        query = query.where(~fn.EXISTS(elsewhere))
    newest = query.order_by(Publication.published_at.desc(), Publication.production_id.desc())
    return Prepared(newest.limit(slot("limit")))


# A production is listed once, in the first of its shapes.
_PAGES = [
    _shape_page_query(platform, tuple(SHAPES)[:place]) for place, platform in enumerate(SHAPES)
]
_OTHER = Production.alias("other")
_GROUP = _OTHER.select(_OTHER.group_id).where(_OTHER.id == slot("production_id"))
_OF_GROUP = Prepared(
    _VISIBLE.where(
        Publication.platform == slot("platform"),
        Production.group_id.is_null(False),
        Production.group_id == _GROUP,
    ).order_by(Deliverable.language, Publication.published_at.desc())
)
_FILES = Prepared(
    Deliverable.select(
        Deliverable.type,
        Deliverable.format,
        Deliverable.file,
        Deliverable.size_bytes,
        Deliverable.sha256,
        Deliverable.duration_seconds,
        Deliverable.language,
    )
    .where(
        Deliverable.production_id == slot("production_id"),
        Deliverable.platform.is_null() | (Deliverable.platform == slot("platform")),
    )
    .order_by(Deliverable.platform.is_null(False), Deliverable.position.desc()),
    PostFile,
)
_ACCOUNT = Prepared(
    Account.select(Account.name, Account.environment).where(Account.id == slot("id")), ShownAccount
)


@dataclass(frozen=True, slots=True)
class WatchPost:
    """A visible watch page.

    ``file`` and later fields describe its video; ``title`` and ``account_name`` are untrusted.
    """

    post_id: str
    platform: str
    production_id: str
    account_id: str
    published_at: int
    description: str | None  # the text beside the video; None: a production of an earlier version
    title: str
    account_name: str
    environment: str
    file: str
    size_bytes: int
    sha256: str
    duration_seconds: float | None
    language: str
    voice: str | None  # the trained voice that speaks; None: none does

    @property
    def shape(self) -> Shape:
        return SHAPES[self.platform]

    @property
    def poster(self) -> str:
        """Return the path of the poster image, relative to the media directory;
        the file may be missing.
        """
        return f"{self.production_id}/poster-{self.shape.name}.jpg"


def find_post(platform_post_id: str) -> WatchPost:
    """Return a visible post. NotFound: there is none, or it is not published (any more)."""
    columns = _BY_ID.row(post_id=platform_post_id)
    if columns is None:
        raise NotFound()
    return WatchPost(**columns)


def list_shapes(production_id: str) -> list[WatchPost]:
    """Return the visible posts of a production, landscape first."""
    return [WatchPost(**columns) for columns in _OF_PRODUCTION.rows(production_id=production_id)]


def find_languages(shown: WatchPost) -> dict[str, WatchPost]:
    """Return the visible posts of the same video in other languages, and itself, by BCP 47 code;
    empty: it has one language.
    """
    by_language: dict[str, WatchPost] = {}
    for columns in _OF_GROUP.rows(platform=shown.platform, production_id=shown.production_id):
        by_language.setdefault(columns["language"], WatchPost(**columns))
    if not by_language.keys() - {shown.language}:
        return {}
    return {**by_language, shown.language: shown}


def find_files(shown: WatchPost) -> dict[tuple[str, str], PostFile]:
    """Return the deliverables of a post by ``(type, format)``;
    those of its platform override those of the production.
    """
    return find_files_on_platform(shown.production_id, shown.platform)


def find_files_on_platform(production_id: str, platform: str) -> dict[tuple[str, str], PostFile]:
    """Return the deliverables of a production on a platform, as :func:`find_files` does."""
    return group_files(list_files(production_id, platform))


def list_files(production_id: str, platform: str) -> list[PostFile]:
    """Return the deliverables of a production on a platform; of one kind, the last one counts."""
    return _FILES.rows(production_id=production_id, platform=platform)


def group_files(deliverables: Iterable[PostFile]) -> dict[tuple[str, str], PostFile]:
    """Return what :func:`list_files` found by ``(type, format)``."""
    return {(file["type"], file["format"]): file for file in deliverables}


def find_translated_captions(
    shown: WatchPost, deliverables: Iterable[PostFile]
) -> dict[str, PostFile]:
    """Return the WebVTT captions of a post in further languages, by BCP 47 code.

    ``deliverables``: its own, as listed.
    """
    captions = (
        each for each in deliverables if (each["type"], each["format"]) == ("ClosedCaptions", "vtt")
    )
    return {each["language"]: each for each in captions if each["language"] != shown.language}


def find_account(account_id: str) -> ShownAccount:
    """Return an account, whose name is untrusted. NotFound: there is none."""
    row = _ACCOUNT.row(id=account_id)
    if row is None:
        raise NotFound()
    return row


def list_posts_of_productions(production_ids: list[str]) -> dict[str, list[WatchPost]]:
    """Return the visible posts of some productions by their ids; of each, landscape first."""
    by_production: dict[str, list[WatchPost]] = {}
    for columns in _OF_PRODUCTIONS.rows(ids=json.dumps(production_ids)):
        by_production.setdefault(columns["production_id"], []).append(WatchPost(**columns))
    return by_production


def list_posts_of_account(account_id: str, limit: int) -> list[list[WatchPost]]:
    """Return the posts of an account's newest ``limit`` published productions, newest first;
    of each, landscape first.
    """
    productions: dict[str, list[WatchPost]] = {}
    for platform in SHAPES:  # one index scan per platform
        for columns in _NEWEST.rows(account_id=account_id, platform=platform, limit=limit):
            productions.setdefault(columns["production_id"], []).append(WatchPost(**columns))
    newest = sorted(
        productions.values(),
        key=lambda posts: (posts[0].published_at, posts[0].production_id),
        reverse=True,
    )
    return newest[:limit]


def list_page_of_account(account_id: str, page: Page) -> dict[str, Any]:
    """Return a page of an account's published productions, newest first: of each, one post,
    landscape if it has one.
    """
    posts = [
        WatchPost(**columns)
        for query in _PAGES
        for columns in query.rows(account_id=account_id, **page.params)
    ]
    newest = sorted(posts, key=_get_sort_key, reverse=True)
    return page.make_envelope(newest[: page.limit + 1], lambda post: post, key=_get_sort_key)


def _get_sort_key(post: WatchPost) -> tuple[int, str]:
    return post.published_at, post.production_id
