"""What a place must offer so that productions can be published to it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class Profile:
    """What a platform asks of a video."""

    width: int  # pixels
    height: int  # pixels
    frame_rate: int = 30  # frames per second
    loudness: float = -14.0  # LUFS, integrated; not over -14
    longest: int = 12 * 3600  # seconds
    safe: tuple[float, float, float, float] | None = None  # shares covered at left, top, right, bottom; None: by shape


@dataclass(frozen=True)
class Post:
    """One finished video that is handed to a platform. ``title``, ``account_name``: untrusted text."""

    production_id: str
    account_id: str
    account_name: str
    title: str
    language: str  # BCP 47
    video: Path  # the platform's own rendition
    size_bytes: int  # as recorded when the video was made, and so is its hash
    sha256: str  # hex
    duration_seconds: float | None
    captions: Path | None = None  # WebVTT
    poster: Path | None = None  # JPEG


class PublishError(Exception):
    """A platform did not take a post, or did not take it back. ``retryable``: trying the same again may succeed."""

    def __init__(self, message: str, retryable: bool):
        super().__init__(message)
        self.message = message
        self.retryable = retryable


class Platform(Protocol):
    """One place to publish to. Publishing may be repeated after a crash at any moment: the same post must not appear twice."""

    @property
    def name(self) -> str:
        """As accounts are connected to it, and as events name it."""
        ...

    @property
    def profile(self) -> Profile:
        """What it asks of a video."""
        ...

    @property
    def rendition(self) -> str:
        """``landscape`` or ``portrait``."""
        ...

    def publish(self, post: Post) -> str | None:
        """The platform's identifier of the post, None where it gives none. PublishError: the post is not there."""
        ...

    def withdraw(self, platform_post_id: str | None) -> None:
        """Take a post back; one that is not there is fine. PublishError: it may still be there."""
