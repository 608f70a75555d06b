"""The interface of a kind of place to which accounts connect: what every connector implements."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from svc.adapters.addresses import Allowed, Lookup
from svc.adapters.deadline import Deadline
from svc.adapters.transfers import Transfers
from svc.base import outage
from svc.base.connectors import Connection, Connector
from svc.base.file_hash import hash_file
from svc.platforms.base import PublishError


@dataclass(frozen=True)
class PostFile:
    """A file of a post. ``name``: such as ``captions.srt``. ``fetch``: gives its path on this
    machine, for the time of a with.

    ``sha256``: empty for the poster, of which nothing is recorded. ``link``, ``link_ends``: empty
    for the poster, too.
    """

    name: str
    type: str  # of the deliverable, or "Poster"
    language: str  # BCP 47
    size_bytes: int
    sha256: str
    fetch: Callable[[], AbstractContextManager[Path]]
    link: str = ""
    link_ends: str = ""


def _refuse_sound(alive: Callable[[], None]) -> int:
    raise PublishError("There is no sound.", False)


@dataclass(frozen=True)
class ConnectedPost:
    """A finished production to be published. All texts are untrusted; ``text`` and ``title`` fit
    the limits of the place.

    ``keep_sound``: stores the sound of the video beside it on this server and returns its size in
    bytes; it may be repeated, and calls its argument now and then.
    """

    production_id: str
    account_id: str
    title: str
    text: str
    language: str  # BCP 47
    hashtags: tuple[str, ...]  # without their sign
    duration_seconds: float | None
    files: tuple[PostFile, ...]  # the video first
    chapters: tuple[tuple[int, str], ...] = ()  # second and title; empty: fewer than three
    keep_sound: Callable[[Callable[[], None]], int] = _refuse_sound
    # When the place is to show it, milliseconds in the future; None: at once.
    publish_at: int | None = None

    @property
    def translated_captions(self) -> tuple[PostFile, ...]:
        """The WebVTT files of captions in further languages: ``captions.es.vtt``."""
        return tuple(
            file
            for file in self.files
            if file.type == "ClosedCaptions"
            and file.language != self.language
            and file.name.endswith(".vtt")
        )

    @property
    def video(self) -> PostFile:
        return self.files[0]

    def to_json(self) -> dict[str, Any]:
        """Return the post as folders and relays get it, without its files."""
        return {
            "productionId": self.production_id,
            "title": self.title,
            "description": self.text,
            "language": self.language,
            "hashtags": list(self.hashtags),
            "madeBySoftware": True,
            "durationSeconds": self.duration_seconds,
        }


@dataclass(frozen=True)
class Posted:
    """What a place returns for a post: its identifier there, and the address where people see it;
    None: it does not say.

    ``details``: what a page of this server needs of it, in JSON.
    """

    post_id: str | None
    url: str | None = None
    details: dict[str, Any] | None = None


class UploadState(Protocol):
    """The stored state of a publication that is under way.

    Its methods raise svc.store.claims.LostClaim if another worker has it.
    """

    @property
    def key(self) -> str:
        """The idempotency key, the same at every attempt; it was stored before
        this attempt began.
        """
        ...

    @property
    def session(self) -> dict[str, Any]:
        """What the last :meth:`save` stored, perhaps in an earlier process; empty at first."""
        ...

    @property
    def begun_anew(self) -> bool:
        """Whether this is the first attempt, or one by hand,
        before which what was at the place may have been removed.
        """
        ...

    def save(self, session: dict[str, Any]) -> None:
        """Store ``session``, and return when it is durable: a crash after this finds it."""

    def count_sent_before(self, number: int) -> None:
        """Count bytes that an earlier attempt has sent, and hold the claim.

        Negative: what was counted is not there.
        """

    def count_sent(self, number: int) -> None:
        """Count bytes that were sent, hold the claim, and wait as long as the connection's limit
        of speed wants.
        """


@dataclass(frozen=True)
class Tools:
    """What reaches the network: the guarded sender, and for other protocols the rules by which an
    address may be reached.
    """

    transfers: Transfers
    allowed: Allowed
    lookup: Lookup
    clock: Callable[[], int]  # milliseconds since 1970 UTC

    @property
    def deadline(self) -> Deadline:
        """The end of all that is done with these."""
        return self.transfers.deadline

    def with_deadline(self, deadline: Deadline) -> "Tools":
        """Return the same with another deadline."""
        return replace(self, transfers=self.transfers.with_deadline(deadline))


@dataclass(frozen=True)
class Figures:
    """What a place counts of a post; None: it does not count that. ``likes``: also favourites;
    ``shares``: also boosts.

    ``became``: what the post is by now, where it had another identifier until it was shown.
    """

    views: int | None = None
    likes: int | None = None
    shares: int | None = None
    became: Posted | None = None


class PlaceKind(Protocol):
    """A kind of place.

    Publishing is repeated after a crash at any moment, and a post must not appear twice.
    """

    @property
    def description(self) -> Connector:
        """What the place takes, and what a connection needs."""
        ...

    def check(self, values: dict[str, str]) -> dict[str, str]:
        """Return the problems with the values of a connection, a sentence for each field; empty if
        there are none.
        """
        ...

    def test(self, connection: Connection, tools: Tools) -> dict[str, str]:
        """Try a connection without publishing anything; return the values that it learned.

        PublishError: it does not work.
        """
        ...

    def publish(
        self, post: ConnectedPost, connection: Connection, upload_state: UploadState, tools: Tools
    ) -> Posted:
        """Publish a post, or find that it is already there. PublishError: it was not published."""
        ...

    def withdraw(self, post_id: str | None, connection: Connection, tools: Tools) -> None:
        """Remove a post, if it exists. PublishError: it may still exist."""


@runtime_checkable
class PlaceWithFigures(PlaceKind, Protocol):
    """A kind of place that counts."""

    def read_figures(
        self, post_id: str | None, connection: Connection, tools: Tools
    ) -> Figures | None:
        """Return what the place counts of a post; None: it is not there any more.

        PublishError: the place did not tell.
        """
        ...


@contextmanager
def open_verified(file: PostFile) -> Iterator[Path]:
    """Give the path of a file after comparing it with its record.

    PublishError: it is missing, or not the recorded one.
    """
    with ExitStack() as stack:
        try:
            path = stack.enter_context(file.fetch())
            file_hash = hash_file(path)
        except OSError as error:  # for example a disk that is not mounted yet
            if outage.recognise(error) is not None:
                raise  # an outage of the service's own, which uses no attempt
            raise PublishError(
                f"The file {file.name} cannot be read: {error.strerror or error}.", True
            ) from error
        if file_hash.size != file.size_bytes or file.sha256 not in ("", file_hash.sha256):
            raise PublishError(
                (
                    f"The file {file.name} is not the one that was recorded; trigger the "
                    "production again."
                ),
                False,
            )
        yield path
