"""The platforms to which productions can be published, by name."""

from svc.platforms.base import Platform, Post, Profile, PublishError
from svc.platforms.watch import WATCH, WATCH_VERTICAL

__all__ = ["PLATFORMS", "Platform", "Post", "Profile", "PublishError"]

_ALL: tuple[Platform, ...] = (WATCH, WATCH_VERTICAL)
PLATFORMS = {platform.name: platform for platform in _ALL}
