"""The platforms of this server, and the kinds of places to which accounts are
connected, by name.
"""

from svc.base.shapes import SIZES
from svc.platforms.base import Platform, Post, Profile, PublishError
from svc.platforms.bucket import Bucket
from svc.platforms.connected import PlaceKind
from svc.platforms.hook import Hook
from svc.platforms.mastodon import Mastodon
from svc.platforms.peertube import PeerTube
from svc.platforms.podcast import Podcast
from svc.platforms.sftp import Sftp
from svc.platforms.watch import WATCH, WATCH_VERTICAL
from svc.platforms.webdav import WebDav
from svc.platforms.wordpress import WordPress
from svc.platforms.youtube import YouTube

__all__ = [
    "PLACES",
    "PLATFORMS",
    "PROFILES",
    "Place",
    "Platform",
    "Post",
    "Profile",
    "PublishError",
]

_ALL: tuple[Platform, ...] = (WATCH, WATCH_VERTICAL)
PLATFORMS = {platform.name: platform for platform in _ALL}
# By shape: places take the videos of this server's platforms, and two shapes of their own.
PROFILES = {
    **{platform.rendition: platform.profile for platform in _ALL},
    "square": Profile(*SIZES["square"], longest_description=2200, chapter_list=False),
    "feed": Profile(*SIZES["feed"], longest_description=2200, chapter_list=False),
}

_PLACES: tuple[PlaceKind, ...] = (
    Hook(),
    Bucket(),
    WebDav(),
    Sftp(),
    Mastodon(),
    PeerTube(),
    WordPress(),
    YouTube(),
    Podcast(),
)
PLACES = {place.description.name: place for place in _PLACES}
