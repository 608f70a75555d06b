"""Podcasts: the published episodes of connections, which have a feed on this server."""

import json
from dataclasses import dataclass
from typing import Any

from svc.base import states
from svc.base.errors import NotFound
from svc.domain.tables.productions import PostFile
from svc.domain.watch import posts
from svc.store.database import Row
from svc.store.expressions import Case
from svc.store.models.partners import Account
from svc.store.models.productions import Deliverable, Production
from svc.store.models.publishing import Connection, Publication
from svc.store.queries import Prepared, slot

KIND = "Podcast"
_SHOW = Prepared(
    Connection.select(
        Connection.id,
        Connection.name,
        Connection.settings,
        Connection.account_id,
        Account.name.alias("account_name"),
        Account.environment,
    )
    .join(Account, on=Account.id == Connection.account_id)
    .where(
        Connection.id == slot("id"), Connection.connector == KIND, Connection.removed_at.is_null()
    )
)
_APPEARED = Case(
    None,
    [(Publication.publish_at > Publication.published_at, Publication.publish_at)],
    Publication.published_at,
)
_VISIBLE = (
    Publication.select(
        Publication.platform_post_id.alias("post_id"),
        Publication.platform,
        Publication.production_id,
        Publication.details,
        _APPEARED.alias("published_at"),
        Deliverable.duration_seconds,
        Deliverable.language,
        Deliverable.size_bytes.alias("video_bytes"),
    )
    .join_from(Publication, Production, on=Production.id == Publication.production_id)
    .join_from(Publication, Deliverable, on=posts.is_video_of(Publication))
    .where(
        Publication.connection_id == slot("connection_id"),
        Publication.status == "Published",
        Publication.details.is_null(False),
        Publication.publish_at.is_null() | (Publication.publish_at <= slot("now")),
        Production.status.not_in((states.FAILED, states.CANCELLED)),
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
_ONE = Prepared(_VISIBLE.where(Publication.platform_post_id == slot("post_id")))


@dataclass(frozen=True, slots=True)
class Show:
    """A podcast. ``settings``: as people entered them; all texts are untrusted."""

    id: str
    name: str  # of the platform
    settings: dict[str, str]
    account_id: str
    account_name: str
    environment: str


@dataclass(frozen=True, slots=True)
class Episode:
    """A published episode. ``title`` and ``text``: as they were published; untrusted."""

    post_id: str
    platform: str
    production_id: str
    published_at: int
    title: str
    text: str
    sound_bytes: int
    video_bytes: int
    chapters: list[tuple[int, str]]  # seconds and title
    duration_seconds: float | None
    language: str

    @property
    def sound(self) -> str:
        """Return the path of the sound, relative to the media directory;
        the file may be missing.
        """
        return f"{self.production_id}/podcast.m4a"


def find_show(connection_id: str) -> Show:
    """Return a podcast. NotFound: there is none, or its connection was removed."""
    columns = _SHOW.row(id=connection_id)
    if columns is None:
        raise NotFound()
    return Show(**{**dict(columns), "settings": json.loads(columns["settings"])})


def list_episodes(of: Show, limit: int, now: int) -> list[Episode]:
    """Return the newest episodes of a podcast whose time has come, newest first."""
    newest = _NEWEST.rows(
        connection_id=of.id, now=now, account_id=of.account_id, platform=of.name, limit=limit
    )
    episodes = [_represent_episode(columns) for columns in newest]
    # some waited for their time
    return sorted(episodes, key=lambda each: each.published_at, reverse=True)


def find_episode(of: Show, post_id: str, now: int) -> Episode:
    """Return an episode. NotFound: there is none, it was withdrawn, or its time has not come."""
    columns = _ONE.row(connection_id=of.id, now=now, post_id=post_id)
    if columns is None:
        raise NotFound()
    return _represent_episode(columns)


def find_files(of: Episode) -> dict[tuple[str, str], PostFile]:
    """Return the deliverables of an episode by ``(type, format)``."""
    return posts.find_files_on_platform(of.production_id, of.platform)


def _represent_episode(columns: Row) -> Episode:
    known: dict[str, Any] = dict(columns)
    details = json.loads(known.pop("details"))
    return Episode(
        **known,
        title=details["title"],
        text=details["text"],
        sound_bytes=details["soundBytes"],
        chapters=[(seconds, title) for seconds, title in details["chapters"]],
    )
