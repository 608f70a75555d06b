"""The places that a production can be published to, by name."""

from svc.platforms.base import Platform, Post, PublishError
from svc.platforms.watch import WATCH, WATCH_VERTICAL

__all__ = ["PLATFORMS", "Platform", "Post", "PublishError"]

PLATFORMS: dict[str, Platform] = {platform.name: platform for platform in (WATCH, WATCH_VERTICAL)}
