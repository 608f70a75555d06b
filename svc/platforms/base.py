"""The interface of this server's own platforms, and the profiles and the error that they share with
accounts' places.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class Profile:
    """The requirements of a platform for its videos."""

    width: int  # pixels
    height: int  # pixels
    frame_rate: int = 30  # frames per second
    loudness: float = -14.0  # LUFS, integrated; at most -14
    longest: int = 12 * 3600  # seconds
    # The shares that are covered: left, top, right, bottom; None: by shape.
    safe: tuple[float, float, float, float] | None = None
    longest_description: int = 5000  # characters of the text beside a video
    chapter_list: bool = True  # whether that text may list chapters


@dataclass(frozen=True)
class Post:
    """A finished video to be published. ``title``, ``account_name``: untrusted text."""

    production_id: str
    account_id: str
    account_name: str
    title: str
    language: str  # BCP 47
    video: Path  # the platform's own rendition
    size_bytes: int  # as recorded when the video was finished, like its hash
    sha256: str  # hex
    duration_seconds: float | None
    captions: Path | None = None  # WebVTT
    poster: Path | None = None  # JPEG
    description: str = ""  # the text beside the video, within the profile's limit


class PublishError(Exception):
    """A platform did not publish or withdraw a post; the message says why, and what to do about it.

    ``retryable``: the same call may succeed later. ``retry_after``: not before so many seconds, by
    the platform's own word.
    """

    def __init__(self, message: str, retryable: bool, retry_after: int | None = None):
        super().__init__(message)
        self.message = message
        self.retryable = retryable
        self.retry_after = retry_after


class Platform(Protocol):
    """A platform.

    Publishing must be idempotent: it is repeated after a crash, and a post must not appear twice.
    """

    @property
    def name(self) -> str:
        """The name in the connections of accounts and in events."""
        ...

    @property
    def profile(self) -> Profile:
        """The requirements for videos."""
        ...

    @property
    def rendition(self) -> str:
        """``landscape`` or ``portrait``."""
        ...

    def publish(self, post: Post) -> str | None:
        """Publish a post; return the platform's identifier of it, or None if it has none.

        PublishError: not published.
        """
        ...

    def withdraw(self, platform_post_id: str | None) -> None:
        """Remove a post, if it exists. PublishError: it may still exist."""
