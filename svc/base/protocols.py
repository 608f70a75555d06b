"""Protocols of the objects that one layer uses and another implements, so that neither imports the other."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol


class Objects(Protocol):
    """A store of objects, such as a directory or a bucket. Names are relative paths in ASCII; errors are OSErrors."""

    def put(self, name: str, content: bytes) -> None:
        """Store ``content`` under ``name`` and return when it is durable. An interrupted call leaves the old content."""

    def get(self, name: str) -> bytes:
        """Return the content. FileNotFoundError: there is no such object."""
        ...

    def names(self, folder: str) -> Iterator[str]:
        """Yield all names within a folder, in no particular order."""
        ...

    def delete(self, name: str) -> None:
        """Remove an object, if it exists."""


class FileStore(Protocol):
    """Finished files, and the signed links to download them."""

    def path(self, file: str) -> Path:
        """Return the path of a stored file."""
        ...

    def redirect(self, file: str) -> str | None:
        """Return the path under which the reverse proxy serves a stored file; None if it does not serve files."""
        ...

    def link(self, deliverable_id: str, now: int) -> tuple[str, int]:
        """Return a download URL and the instant in milliseconds when it expires."""
        ...

    def check_link(self, deliverable_id: str, expires: str, signature: str, now: int) -> None:
        """Raise LinkInvalid or LinkExpired unless the link is valid."""


class UrlCheck(Protocol):
    """Decides whether webhooks of a partner may be sent to a URL."""

    def __call__(self, url: str, partner_id: str) -> None:
        """Raise HttpsRequired, InvalidEndpointUrl or ServiceUnavailable."""


class AvatarPreviews(Protocol):
    """Renders pictures and samples of avatars, in child processes."""

    @property
    def assets(self) -> Path:
        """The folder of uploaded pictures."""
        ...

    def checked(self, what: str, content: bytes) -> bytes:
        """Return an uploaded picture, re-encoded. ``what``: portrait or logo. InvalidRequest: not a usable picture."""
        ...

    def picture(self, avatar: dict[str, Any]) -> Path:
        """Return the file of a picture of the avatar."""
        ...

    def sample(self, avatar: dict[str, Any], language_id: str, text: str) -> Path:
        """Return the file of a short video in which the avatar says ``text``. InvalidRequest: it cannot be spoken."""
        ...

    def kept(self, name: str) -> Path | None:
        """Return the path of a sample by its file name; None if it no longer exists."""
        ...

    def asset(self, file: str) -> Path | None:
        """Return the path of an uploaded picture by its file name; None if it does not exist."""
        ...
