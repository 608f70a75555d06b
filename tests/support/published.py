"""A published production in tables and on the disk, and an application that has the watch pages
and nothing else.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from flask import Flask
from support import cast, plain_sql

from svc.adapters.storage import Storage
from svc.api.context import Service
from svc.base import ids
from svc.base.crypto.signing import KeyRing
from svc.base.settings import Settings
from svc.platforms.watch import post_id
from svc.public.watch import watch
from svc.store.database import db

START = 1_795_000_000_000  # 2026-11-18T11:06:40Z
ACCOUNT = ids.derive_id("test", "account")
PLATFORMS = {"Watch": "landscape", "WatchVertical": "portrait"}
SPOKEN = (
    "How to make tea\n\n[00:00:00] How to make tea\nAda: How to make tea\n\n"
    "[00:00:01] Tea rests on three things\nAda: None may be left out.\n• The leaf\n• The water\n"
    "• The time\n"
)

_TEXTS = {
    (
        "ClosedCaptions",
        "vtt",
    ): "WEBVTT\n\n00:00:00.000 --> 00:00:02.000\nTea rests on three things.\n",
    (
        "AudioDescription",
        "vtt",
    ): "WEBVTT\n\n00:00:00.000 --> 00:00:02.000\nAda, and the title: Tea.\n",
    ("Transcript", "txt"): SPOKEN,
}


class Clock(cast.Clock):
    """A clock that stands still until it is told otherwise."""

    def __init__(self):
        super().__init__(START)

    def pass_seconds(self, seconds: float) -> None:
        self.tick(seconds)


@dataclass(frozen=True)
class Published:
    production_id: str
    wide: str  # post id
    tall: str


def make_account(
    name: str = "Kettle & Co", environment: str = "live", account_id: str = ACCOUNT
) -> str:
    with db.transaction(durable=False):
        plain_sql.execute(
            (
                "INSERT INTO partners (id, name, created_at) VALUES ('p', 'Partner', ?) "
                "ON CONFLICT DO NOTHING"
            ),
            (START,),
        )
        plain_sql.execute(
            (
                "INSERT INTO customers (id, partner_id, name, created_at) "
                "VALUES ('c', 'p', 'C', ?) ON CONFLICT DO NOTHING"
            ),
            (START,),
        )
        creator = "someone" if environment == "sandbox" else None
        plain_sql.execute(
            "INSERT INTO accounts (id, partner_id, customer_id, name, environment, creator, "
            "default_project_type, created_at) "
            "VALUES (?, 'p', 'c', ?, ?, ?, 'explainer', ?)",
            (account_id, name, environment, creator, START),
        )
    return account_id


def publish(
    media_dir: Path,
    title: str = "How to make tea",
    at: int = START,
    videos: dict | None = None,
    duration: float = 20.0,
    language: str = "en",
    account_id: str = ACCOUNT,
    texts: dict | None = None,
    platforms=tuple(PLATFORMS),
    captions: dict | None = None,
) -> Published:
    """``videos``: platform to the bytes of its file; anything will do where nothing plays it.

    ``captions``: by language.
    """
    production_id = ids.make_id(at)
    with db.transaction(durable=False):
        _production(production_id, account_id, title, at)
        for platform in platforms:
            content = (videos or {}).get(
                platform, f"not really a video for {platform}".encode() * 50
            )
            _deliverable(
                media_dir, production_id, "Video", "mp4", content, platform, duration, language
            )
            _publication(production_id, account_id, platform, at)
        for (kind, form), text in (_TEXTS if texts is None else texts).items():
            content = text if isinstance(text, bytes) else text.encode()
            _deliverable(media_dir, production_id, kind, form, content, None, duration, language)
        for code, text in (captions or {}).items():
            _deliverable(
                media_dir,
                production_id,
                "ClosedCaptions",
                "vtt",
                text.encode(),
                None,
                duration,
                code,
                position=1,
            )
    return Published(production_id, *(post_id(production_id, platform) for platform in PLATFORMS))


def change(sql: str, parameters=()) -> None:
    with db.transaction(durable=False):
        plain_sql.execute(sql, parameters)


def watch_app(data_dir: Path, clock=None, base_url: str = "https://media.example.com") -> Flask:
    settings = Settings(data_dir=data_dir, base_url=base_url)
    ring = KeyRing({1: bytes(32)})
    app = Flask("watch_only", static_folder=None)
    storage = Storage(settings, ring)
    parts = dict.fromkeys(("check_url", "recorder", "probe", "watcher"))
    app.extensions["svc"] = Service(
        settings,
        ring,
        storage,
        clock=clock or Clock(),
        **{"platforms": (), "previews": None, "connections": None, **parts},
    )
    app.register_blueprint(watch)
    return app


def _production(production_id: str, account_id: str, title: str, at: int) -> None:
    plain_sql.execute(
        "INSERT INTO productions (id, partner_id, account_id, customer_id, status, title, topic, "
        "language_id, country_id, "
        "avatar_id, project_type, api_triggered, auto_release, correlation_id, steps_total, "
        "created_at, updated_at) VALUES (?, 'p', ?, 'c', 'Published', ?, 'Tea', 'l', 'n', 'a', "
        "'explainer', 1, 1, 'test', 7, ?, ?)",
        (production_id, account_id, title, at, at),
    )


def _publication(production_id: str, account_id: str, platform: str, at: int) -> None:
    plain_sql.execute(
        "INSERT INTO publications (production_id, platform, account_id, status, platform_post_id, "
        "published_at) "
        "VALUES (?, ?, ?, 'Published', ?, ?)",
        (production_id, platform, account_id, post_id(production_id, platform), at),
    )


def _deliverable(
    media_dir: Path,
    production_id: str,
    kind: str,
    form: str,
    content: bytes,
    platform,
    duration,
    language,
    position: int = 0,
) -> None:
    file = (
        f"{production_id}/{kind}-{platform}-{position}-{language}.{form}"
        if position
        else f"{production_id}/{kind}-{platform}.{form}"
    )
    path = media_dir / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    plain_sql.execute(
        "INSERT INTO deliverables (id, production_id, position, type, platform, format, file, "
        "size_bytes, sha256, "
        "duration_seconds, language, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            ids.derive_id("test", file),
            production_id,
            position,
            kind,
            platform,
            form,
            file,
            len(content),
            digest,
            duration,
            language,
            START,
        ),
    )
