"""The parts that one layer uses and another makes: what each can do, so that neither has to import the other."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol


class Objects(Protocol):
    """Names are relative paths of plain letters. Errors of a bucket are OSErrors, as those of a directory are."""

    def put(self, name: str, content: bytes) -> None:
        """Keep ``content`` under ``name``: returns when it is durable; an interrupted call leaves what was there before."""

    def get(self, name: str) -> bytes:
        """The content. FileNotFoundError: there is none."""
        ...

    def names(self, folder: str) -> Iterator[str]:
        """All names within a folder, in no order."""
        ...

    def delete(self, name: str) -> None:
        """Remove an object; it is no error if it is not there."""


class FileStore(Protocol):
    """Finished files, and the signed links that hand them out."""

    def path(self, file: str) -> Path:
        """Where a stored file is."""
        ...

    def redirect(self, file: str) -> str | None:
        """Under which path the proxy in front hands a stored file out; None: no proxy does."""
        ...

    def link(self, deliverable_id: str, now: int) -> tuple[str, int]:
        """A download address, and when it ends in milliseconds."""
        ...

    def check_link(self, deliverable_id: str, expires: str, signature: str, now: int) -> None:
        """Raise LinkInvalid or LinkExpired unless the link may be used."""


class UrlCheck(Protocol):
    """Decides whether webhooks of a partner may be sent to a URL."""

    def __call__(self, url: str, partner_id: str) -> None:
        """Raise HttpsRequired, InvalidEndpointUrl or ServiceUnavailable."""


class Studio(Protocol):
    """Makes pictures and samples of avatars, in child processes."""

    @property
    def assets(self) -> Path:
        """The folder of uploaded pictures."""
        ...

    def checked(self, what: str, content: bytes) -> bytes:
        """Return an uploaded picture, encoded again. ``what``: portrait or logo. InvalidRequest: it cannot be used."""
        ...

    def picture(self, avatar: dict[str, Any]) -> Path:
        """The file of a picture of the avatar."""
        ...

    def sample(self, avatar: dict[str, Any], language_id: str, text: str) -> Path:
        """A short film in which the avatar says ``text``. InvalidRequest: it cannot be said."""
        ...

    def kept(self, name: str) -> Path | None:
        """A sample by its file name; None: it is not there any more."""
        ...

    def asset(self, file: str) -> Path | None:
        """An uploaded picture by its file name; None: it is not there."""
        ...
