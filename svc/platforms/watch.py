"""The platforms of this server itself: public watch pages for landscape and for portrait videos."""

import hashlib
from dataclasses import dataclass

from svc.base import outage
from svc.base.crypto.signing import encode_base64url
from svc.base.file_hash import hash_file
from svc.base.shapes import SIZES
from svc.platforms.base import Post, Profile, PublishError

# The characters of an id in base64url: 96 bits, which cannot be guessed without the production's
# id.
_ID_LENGTH = 16


@dataclass(frozen=True)
class WatchPages:
    """Watch pages of one shape.

    A page is shown while its publication is Published, so publishing only returns its id.
    """

    name: str
    profile: Profile
    rendition: str

    def publish(self, post: Post) -> str:
        """Return the id of the watch page, the same at each call.

        PublishError: the video differs from the recorded one.
        """
        _check_whole(post)
        return post_id(post.production_id, self.name)

    def withdraw(self, platform_post_id: str | None) -> None:
        """Do nothing: the page disappears when the status of the publication changes."""


def post_id(production_id: str, platform: str) -> str:
    """Return the id of a production's watch page on ``platform``."""
    return encode_base64url(
        hashlib.sha256(f"watch\n{production_id}\n{platform}".encode()).digest()
    )[:_ID_LENGTH]


def _check_whole(post: Post) -> None:
    try:
        file_hash = hash_file(post.video)
    except OSError as error:  # for example a disk that is not mounted yet
        if outage.recognise(error) is not None:
            raise  # an outage of the service's own, which uses no attempt
        raise PublishError(
            f"The video file cannot be read: {error.strerror or error}.", retryable=True
        ) from error
    if file_hash.size != post.size_bytes:
        raise PublishError(
            f"The video file has {file_hash.size} bytes; {post.size_bytes} were recorded.",
            retryable=False,
        )
    if file_hash.sha256 != post.sha256:
        raise PublishError(
            "The video file is not the one that was recorded: its SHA-256 differs.", retryable=False
        )


WATCH = WatchPages("Watch", Profile(*SIZES["landscape"]), "landscape")
WATCH_VERTICAL = WatchPages(
    "WatchVertical",
    Profile(*SIZES["portrait"], longest_description=2200, chapter_list=False),
    "portrait",
)
