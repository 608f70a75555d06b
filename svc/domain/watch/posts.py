"""Posts: the public watch pages of published productions, and their files."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from svc.base.errors import NotFound
from svc.domain.rows import every
from svc.domain.tables.productions import PostFile
from svc.store.database import row, rows


@dataclass(frozen=True)
class Shape:
    """The shape of a video: ``"landscape"`` or ``"portrait"``, with its size in pixels."""

    name: str
    width: int
    height: int


# The platforms whose posts are watch pages of this server; a test compares them with svc.platforms.watch.
SHAPES = {"Watch": Shape("landscape", 1920, 1080), "WatchVertical": Shape("portrait", 1080, 1920)}

_VISIBLE = """
    SELECT publications.platform_post_id AS post_id, publications.platform, publications.production_id,
           publications.account_id, publications.published_at, publications.description, productions.title,
           accounts.name AS account_name, accounts.environment, video.file, video.size_bytes, video.sha256,
           video.duration_seconds, video.language, video.voice
    FROM publications
    JOIN productions ON productions.id = publications.production_id
    JOIN accounts ON accounts.id = publications.account_id
    JOIN deliverables AS video ON video.production_id = publications.production_id
         AND video.type = 'Video' AND video.platform = publications.platform
    WHERE publications.status = 'Published' AND publications.platform IN ('Watch', 'WatchVertical')
      AND productions.status NOT IN ('Failed', 'Cancelled')
"""
_BY_ID = _VISIBLE + "AND publications.platform_post_id = ?"
_OF_PRODUCTION = _VISIBLE + "AND publications.production_id = ? ORDER BY publications.platform"
_OF_PRODUCTIONS = _VISIBLE + (
    "AND publications.production_id IN (SELECT value FROM json_each(?)) ORDER BY publications.platform"
)
_NEWEST = _VISIBLE + (
    "AND publications.account_id = ? AND publications.platform = ? AND publications.published_at IS NOT NULL "
    "ORDER BY publications.published_at DESC, publications.production_id DESC LIMIT ?"
)
_OF_GROUP = _VISIBLE + (
    "AND publications.platform = ? AND productions.group_id IS NOT NULL AND productions.group_id = ("
    "SELECT g.group_id FROM productions g WHERE g.id = ?) ORDER BY video.language, publications.published_at DESC"
)
_FILES = """
    SELECT type, format, file, size_bytes, sha256, duration_seconds, language FROM deliverables
    WHERE production_id = ? AND (platform IS NULL OR platform = ?) ORDER BY platform IS NOT NULL, position DESC
"""


@dataclass(frozen=True, slots=True)
class WatchPost:
    """A visible watch page. ``file`` and later fields describe its video; ``title`` and ``account_name`` are untrusted."""

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
        """Return the path of the poster image, relative to the media directory; the file may be missing."""
        return f"{self.production_id}/poster-{self.shape.name}.jpg"


def post(platform_post_id: str) -> WatchPost:
    """Return a visible post. NotFound: there is none, or it is not published (any more)."""
    columns = row(_BY_ID, (platform_post_id,))
    if columns is None:
        raise NotFound()
    return WatchPost(**columns)


def shapes_of(production_id: str) -> list[WatchPost]:
    """Return the visible posts of a production, landscape first."""
    return [WatchPost(**columns) for columns in rows(_OF_PRODUCTION, (production_id,))]


def languages_of(shown: WatchPost) -> dict[str, WatchPost]:
    """Return the visible posts of the same video in other languages, and itself, by BCP 47 code; empty: it has one language."""
    found: dict[str, WatchPost] = {}
    for columns in rows(_OF_GROUP, (shown.platform, shown.production_id)):
        found.setdefault(columns["language"], WatchPost(**columns))
    if not found.keys() - {shown.language}:
        return {}
    return {**found, shown.language: shown}


def files(shown: WatchPost) -> dict[tuple[str, str], PostFile]:
    """Return the deliverables of a post by ``(type, format)``; those of its platform override those of the production."""
    return files_of(shown.production_id, shown.platform)


def files_of(production_id: str, platform: str) -> dict[tuple[str, str], PostFile]:
    """Return the deliverables of a production on a platform, likewise."""
    return by_kind(listed(production_id, platform))


def listed(production_id: str, platform: str) -> list[PostFile]:
    """Return the deliverables of a production on a platform; of one kind, the last one counts."""
    return every(PostFile, _FILES, (production_id, platform))


def by_kind(deliverables: Iterable[PostFile]) -> dict[tuple[str, str], PostFile]:
    """Return what :func:`listed` found by ``(type, format)``."""
    return {(file["type"], file["format"]): file for file in deliverables}


def translated_captions(shown: WatchPost, deliverables: Iterable[PostFile]) -> dict[str, PostFile]:
    """Return the WebVTT captions of a post in further languages, by BCP 47 code. ``deliverables``: its own, as listed."""
    captions = (each for each in deliverables if (each["type"], each["format"]) == ("ClosedCaptions", "vtt"))
    return {each["language"]: each for each in captions if each["language"] != shown.language}


def account_name(account_id: str) -> str:
    """Return the name of an account, the title of its feed. NotFound: there is none."""
    account = row("SELECT name FROM accounts WHERE id = ?", (account_id,))
    if account is None:
        raise NotFound()
    return str(account["name"])


def posts_of_productions(production_ids: list[str]) -> dict[str, list[WatchPost]]:
    """Return the visible posts of some productions by their ids; of each, landscape first."""
    found: dict[str, list[WatchPost]] = {}
    for columns in rows(_OF_PRODUCTIONS, (json.dumps(production_ids),)):
        found.setdefault(columns["production_id"], []).append(WatchPost(**columns))
    return found


def posts_of_account(account_id: str, limit: int) -> list[list[WatchPost]]:
    """Return the posts of an account's newest ``limit`` published productions, newest first; of each, landscape first."""
    productions: dict[str, list[WatchPost]] = {}
    for platform in SHAPES:  # one index scan per platform
        for columns in rows(_NEWEST, (account_id, platform, limit)):
            productions.setdefault(columns["production_id"], []).append(WatchPost(**columns))
    newest = sorted(productions.values(), key=lambda posts: (posts[0].published_at, posts[0].production_id), reverse=True)
    return newest[:limit]
