"""The places that a production can be published to, by name."""

from svc.platforms.base import Platform, Post, Profile, PublishError
from svc.platforms.watch import WATCH, WATCH_VERTICAL

__all__ = ["PLATFORMS", "Platform", "Post", "Profile", "PublishError"]

PLATFORMS: dict[str, Platform] = {platform.name: platform for platform in (WATCH, WATCH_VERTICAL)}
