"""Protocols of the objects that one layer uses and another implements,
so that neither imports the other.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from svc.base.connectors import Connector


class Objects(Protocol):
    """A store of objects, such as a directory or a bucket.

    Names are relative paths in ASCII; errors are OSErrors.
    """

    def put(self, name: str, content: bytes) -> None:
        """Store ``content`` under ``name`` and return when it is durable.

        An interrupted call leaves the old content.
        """

    def get(self, name: str) -> bytes:
        """Return the content. FileNotFoundError: there is no such object."""
        ...

    def list_names(self, folder: str) -> Iterator[str]:
        """Yield all names within a folder, in no particular order."""
        ...

    def delete(self, name: str) -> None:
        """Remove an object, if it exists."""


@dataclass(frozen=True)
class Stored:
    """A stored file: its name in the store, its size, and its SHA-256 in hex."""

    file: str
    size_bytes: int
    sha256: str


class Files(Protocol):
    """A store of files: a directory, or a bucket. Names are relative paths; a file appears under
    its name only when whole.

    Raises FileNotFoundError where a file is missing, and FileStoreUnavailable where the store does
    not answer.
    """

    @property
    def is_remote(self) -> bool:
        """Whether the files are on other machines, so that none has a path."""
        ...

    def find_local(self, name: str) -> Path | None:
        """Return the path of a file, which may be missing; None: the store is remote."""
        ...

    def put(
        self,
        source: Path,
        name: str,
        *,
        sent_as: str = "",
        fixed: bool = False,
        alive: Callable[[], None] = lambda: None,
    ) -> Stored:
        """Store a copy of ``source``, hashed as it is copied. ValueError: ``source`` is not a file,
        or is changing.

        Args:
            sent_as: The file name that a download suggests.
            fixed: Use exactly ``name``. Otherwise the store may add the content's hash, so that no
                late writer changes a file that a row names; the result has the name.
            alive: Called now and then during a long transfer. If it raises an exception, nothing is
                stored.
        """
        ...

    def find_file_size(self, name: str) -> int | None:
        """Return the size of a file in bytes; None: there is no such file."""
        ...

    def has(self, name: str) -> bool:
        """Return whether there is a file, as it was at most a minute ago."""
        ...

    def read(self, name: str, start: int = 0, length: int | None = None) -> bytes:
        """Return at most ``length`` bytes from the offset ``start``; None: all that follow."""
        ...

    def stream(self, name: str) -> Iterator[bytes]:
        """Yield the content in blocks."""
        ...

    def list_names(self, folder: str) -> Iterator[str]:
        """Yield the names of all files within a folder, in no particular order."""
        ...

    def delete_folder(self, folder: str) -> None:
        """Remove a folder with all its files, if it exists."""

    def presign(self, name: str, seconds: int) -> str:
        """Return an address from which anybody can download a file of a remote
        store for ``seconds``.
        """
        ...

    def get_origin(self) -> str:
        """Return the origin of presigned addresses, such as https://bucket.example.com;
        empty if the store is not remote.
        """
        ...

    def find_problem(self) -> str | None:
        """Return a sentence if the store does not answer at this moment; None: it does.

        Raises nothing.
        """
        ...


class FileStore(Protocol):
    """Finished files, and the signed links to download them."""

    @property
    def files(self) -> Files:
        """The store of the files."""
        ...

    def find_redirect(self, file: str) -> str | None:
        """Return the path under which the reverse proxy serves a stored file;
        None if it does not serve files.
        """
        ...

    def make_link(self, deliverable_id: str, now: int) -> tuple[str, int]:
        """Return a download URL and the instant in milliseconds when it expires."""
        ...

    def check_link(self, deliverable_id: str, expires: str, signature: str, now: int) -> None:
        """Raise LinkInvalid or LinkExpired unless the link is valid."""


class UrlCheck(Protocol):
    """Decides whether webhooks of a partner may be sent to a URL."""

    def __call__(self, url: str, partner_id: str) -> None:
        """Raise HttpsRequired, InvalidEndpointUrl or ServiceUnavailable."""


class AvatarPreviews(Protocol):
    """Renders pictures and samples of avatars, in child processes.

    With ``owner`` (of a thread, svc.base.threads), a file is made beside the request, which waits
    at most ``seconds``; None is returned while it is being made. A later call returns it, or raises
    its error. RateLimitExceeded, ServiceUnavailable: too much is being made.
    """

    @property
    def assets(self) -> Path:
        """The folder of uploaded pictures."""
        ...

    def reencode(self, what: str, content: bytes) -> bytes:
        """Return an uploaded picture, re-encoded.

        ``what``: portrait or logo. InvalidRequest: not a usable picture.
        """
        ...

    def render_picture(
        self, avatar: dict[str, Any], owner: str | None = None, seconds: float = 0
    ) -> Path | None:
        """Return the file of a picture of the avatar."""
        ...

    def render_sample(
        self,
        avatar: dict[str, Any],
        language_id: str,
        text: str,
        owner: str | None = None,
        seconds: float = 0,
    ) -> Path | None:
        """Return the file of a short video in which the avatar says ``text``.

        InvalidRequest: it cannot be spoken.
        """
        ...

    def render_scene(
        self, production_id: str, scene: int, owner: str | None = None, seconds: float = 0
    ) -> Path | None:
        """Return the file of a short video of a scene of a script under review.

        NotFound; InvalidRequest: it cannot be made.
        """
        ...

    def outline(self, account: Any, brief: Any, now: int) -> list[dict[str, Any]]:
        """Return the scenes of the script that the built-in writer makes from a brief.

        InvalidRequest: it makes none.
        """
        ...

    def begin_outline(
        self, account: Any, brief: Any, now: int, owner: str, seconds: float = 0
    ) -> list[dict[str, Any]] | None:
        """Return the outline of a script, made beside the request; None: it is not made yet."""
        ...

    def find_sample(self, name: str) -> Path | None:
        """Return the path of a sample by its file name; None if it no longer exists."""
        ...

    def fetch_asset(self, file: str) -> Path | None:
        """Return the path of an uploaded picture by its file name; None if it does not exist."""
        ...


class Connections(Protocol):
    """Connections of accounts to places of their own. Each method that changes one first tries it
    at the place.

    All raise NotFound, NotYours, and Conflict if the place does not work. Each waits for the place:
    requests call them through :meth:`run_beside_request`.
    """

    @property
    def connectors(self) -> Mapping[str, Connector]:
        """The kinds of places by name."""
        ...

    def run_beside_request(
        self,
        viewer: Any,
        account_id: str,
        title: str,
        action: Callable[[], object],
        production_id: str | None = None,
    ) -> bool:
        """Run a call of a method below beside the request; return whether it has ended well. False:
        it goes on.

        svc.domain.publishing.connection_tries has how it ends then. Raises the error of ``action``
        if it ends soon; RateLimitExceeded, ServiceUnavailable: too many are being tried, of this
        partner or of all.
        """
        ...

    def make_missing_secrets(self, connector: str, given: Mapping[str, str]) -> dict[str, str]:
        """Return new secrets for those fields that the service makes and that were not given."""
        ...

    def find_account_of_draft(self, viewer: Any, sealed: str, state: str) -> str:
        """Return the account of the draft of a sign-in.

        Conflict: it is another's, another way's, or too late.
        """
        ...

    def add(
        self, viewer: Any, account_id: str, connector: str, given: Mapping[str, str]
    ) -> tuple[str, dict[str, str]]:
        """Add a connection; return its id and the secrets that were made for it, which are shown
        only here. InvalidRequest.

        ``viewer``: svc.domain.people.users.Viewer. ``given``: texts by the field's name, as typed
        into a form.
        """
        ...

    def renew(
        self,
        viewer: Any,
        connection_id: str,
        given: Mapping[str, str],
        forget_host_key: bool = False,
    ) -> None:
        """Replace the given values of a connection; an empty secret keeps the present one.

        InvalidRequest.
        """

    def prepare_renewal(
        self,
        viewer: Any,
        connection_id: str,
        given: Mapping[str, str],
        forget_host_key: bool = False,
    ) -> Callable[[], None]:
        """Return a function that tries and stores the given values of a connection, as
        :meth:`renew` does; it may run in another thread.

        What is stored now is read at once: a change by somebody else from here on is a Conflict
        then. InvalidRequest.
        """
        ...

    def begin_sign_in(
        self,
        viewer: Any,
        account_id: str,
        connector: str,
        given: Mapping[str, str],
        return_to: str,
        connection_id: str = "",
    ) -> tuple[str, str]:
        """Return the address of the page on which people sign in at the place, and a sealed draft
        for their browser.

        ``return_to``: the address to which the place sends them back. ``connection_id``: of one to
        renew. InvalidRequest.
        """
        ...

    def finish_sign_in(self, viewer: Any, sealed: str, state: str, code: str) -> str:
        """Add or renew the connection of a draft, with the token for ``code``;
        return the id of its account. InvalidRequest.
        """
        ...

    def try_connection(self, viewer: Any, connection_id: str) -> None:
        """Try a connection as it is, and store what that showed."""

    def withdraw(self, viewer: Any, production_id: str, platform: str) -> None:
        """Remove what was published at a place, and record it; it may be repeated."""
