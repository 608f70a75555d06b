"""Podcasts: the published episodes of connections, which have a feed on this server."""

import json
from dataclasses import dataclass
from typing import Any

from svc.base.errors import NotFound
from svc.domain.tables.productions import PostFile
from svc.domain.watch import posts
from svc.store.database import Row, row, rows

KIND = "Podcast"
_SHOW = """
    SELECT c.id, c.name, c.settings, c.account_id, a.name AS account_name, a.environment
    FROM connections c JOIN accounts a ON a.id = c.account_id
    WHERE c.id = ? AND c.connector = ? AND c.removed_at IS NULL
"""
_VISIBLE = """
    SELECT pub.platform_post_id AS post_id, pub.platform, pub.production_id, pub.details,
           CASE WHEN pub.publish_at > pub.published_at THEN pub.publish_at ELSE pub.published_at END AS published_at,
           video.duration_seconds, video.language, video.size_bytes AS video_bytes
    FROM publications pub
    JOIN productions p ON p.id = pub.production_id
    JOIN deliverables video ON video.production_id = pub.production_id AND video.type = 'Video'
         AND video.platform = pub.platform
    WHERE pub.connection_id = ? AND pub.status = 'Published' AND pub.details IS NOT NULL
      AND (pub.publish_at IS NULL OR pub.publish_at <= ?) AND p.status NOT IN ('Failed', 'Cancelled')
"""
_NEWEST = _VISIBLE + (
    "AND pub.account_id = ? AND pub.platform = ? AND pub.published_at IS NOT NULL "
    "ORDER BY pub.published_at DESC, pub.production_id DESC LIMIT ?"
)
_ONE = _VISIBLE + "AND pub.platform_post_id = ?"


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
        """Return the path of the sound, relative to the media directory; the file may be missing."""
        return f"{self.production_id}/podcast.m4a"


def show(connection_id: str) -> Show:
    """Return a podcast. NotFound: there is none, or its connection was removed."""
    columns = row(_SHOW, (connection_id, KIND))
    if columns is None:
        raise NotFound()
    return Show(**{**dict(columns), "settings": json.loads(columns["settings"])})


def episodes(of: Show, limit: int, now: int) -> list[Episode]:
    """Return the newest episodes of a podcast whose time has come, newest first."""
    found = [_episode(columns) for columns in rows(_NEWEST, (of.id, now, of.account_id, of.name, limit))]
    return sorted(found, key=lambda each: each.published_at, reverse=True)  # some waited for their time


def episode(of: Show, post_id: str, now: int) -> Episode:
    """Return an episode. NotFound: there is none, it was withdrawn, or its time has not come."""
    columns = row(_ONE, (of.id, now, post_id))
    if columns is None:
        raise NotFound()
    return _episode(columns)


def files(of: Episode) -> dict[tuple[str, str], PostFile]:
    """Return the deliverables of an episode by ``(type, format)``."""
    return posts.files_of(of.production_id, of.platform)


def _episode(columns: Row) -> Episode:
    known: dict[str, Any] = dict(columns)
    details = json.loads(known.pop("details"))
    return Episode(
        **known, title=details["title"], text=details["text"], sound_bytes=details["soundBytes"],
        chapters=[(seconds, title) for seconds, title in details["chapters"]],
    )  # fmt: skip
