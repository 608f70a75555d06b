"""One attempt to publish at a place: the post with its files, and the state of its upload."""

import math
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from svc.adapters.deadline import SLOWEST, Deadline
from svc.adapters.storage import Storage
from svc.base import clock as clocks
from svc.base import deliverable_kinds, ids, outage
from svc.base.connectors import Connection, Connector
from svc.base.crypto import connection_secrets
from svc.base.crypto.signing import KeyRing
from svc.base.deliverable_kinds import Kind
from svc.domain.productions.publications import LEASE, Claim
from svc.domain.publishing import connections, posts, upload_state
from svc.domain.tables.productions import Deliverable
from svc.platforms import PLACES, PlaceKind, PublishError, texts
from svc.platforms.connected import ConnectedPost, Posted, PostFile, Tools

_PROGRESS_SECONDS = 5.0  # between two writes of how much was sent
_MOST_TRANSCRIPT = 200_000  # bytes that a template can show
_LEAST_SECRET = 6  # characters; a shorter one would be found in ordinary words
_POSTER, _SOUND = "poster.jpg", "podcast.m4a"


class Stopped(Exception):
    """The process is told to end, or the attempt: the publication is gone on with later."""


class BrokenOff(Stopped):
    """The exchange was aborted: a request may still be under way to the place."""


class Pace:
    """The speed of an upload: how long to hold the next bytes back, so that a connection keeps its
    limit.

    Nothing is saved up while a place is slow, so that no burst follows.
    """

    def __init__(self, bytes_per_second: int | None, steady: Callable[[], float] = time.monotonic):
        """``bytes_per_second``: None: there is no limit.

        ``steady``: a clock that cannot be set, in seconds.
        """
        self._rate, self._steady, self._free_at = bytes_per_second, steady, 0.0

    def find_next_time(self, number: int) -> float:
        """Count bytes that were sent, and return the time of ``steady`` at which more may be."""
        if self._rate:
            self._free_at = max(self._free_at, self._steady()) + number / self._rate
        return self._free_at


class StoredUploadState:
    """Implements svc.platforms.connected.UploadState."""

    def __init__(
        self,
        claim: Claim,
        ring: KeyRing,
        clock: Callable[[], int],
        stopping: threading.Event,
        *,
        most: int | None = None,
        total: int = 0,
        publish_at: int | None = None,
        deadline: Deadline | None = None,
        steady: Callable[[], float] = time.monotonic,
    ):
        """Store the idempotency key; LostClaim.

        ``stopping``: once it is set, :meth:`count_sent` raises Stopped. ``most``: bytes a second,
        which :meth:`count_sent` waits for. ``total``: bytes that the place is sent in all.
        ``publish_at``: when to show it, unless an earlier attempt has settled that; the attribute
        is what was settled. ``deadline``: of the attempt, to which the time of that waiting is
        added. ``steady``: the clock of :meth:`count_sent`, in seconds.
        """
        self._deadline = deadline or Deadline(math.inf)
        self._claim = claim
        self._ring = ring
        self._clock = clock
        self._stopping = stopping
        self._steady = steady
        self._pace = Pace(most, steady)
        self._owner = f"{claim.production_id} {claim.platform}"
        begun = upload_state.begin(claim, _make_key(claim), self._lease_end(), total, publish_at)
        self.key, self.begun_anew, self.publish_at = begun.key, begun.anew, begun.publish_at
        self.session: dict[str, Any] = self._unseal(begun.session)
        self._sent, self._written_at = 0, steady()

    def save(self, session: dict[str, Any]) -> None:
        self.session = session
        upload_state.save_session(
            self._claim,
            connection_secrets.seal(self._ring, self._owner, session),
            self._lease_end(),
        )

    def count_sent(self, number: int) -> None:
        free_at = self._pace.find_next_time(number)
        self._sent += number
        self._hold()
        while (left := free_at - (began := self._steady())) > 0:
            self._stopping.wait(min(left, _PROGRESS_SECONDS))
            self._deadline.extend(self._steady() - began)
            self._hold()

    def count_sent_before(self, number: int) -> None:
        self._sent += number
        self._hold()

    def _hold(self) -> None:
        """Hold the claim. Stopped; LostClaim, also when it was skipped."""
        if self._stopping.is_set():
            raise Stopped
        if self._steady() - self._written_at >= _PROGRESS_SECONDS:
            upload_state.save_progress(self._claim, self._sent, self._lease_end())
            self._written_at = self._steady()

    def _lease_end(self) -> int:
        return self._clock() + LEASE

    def _unseal(self, sealed: bytes | None) -> dict[str, Any]:
        try:
            return connection_secrets.unseal(self._ring, self._owner, sealed)
        except ValueError:  # the master key was retired: the place is asked what it has
            return {}


def publish(
    claim: Claim,
    storage: Storage,
    ring: KeyRing,
    tools: Tools,
    stopping: threading.Event,
    steady: Callable[[], float] = time.monotonic,
) -> Posted:
    """Publish at the place of a claim.

    ``tools``: with the deadline of this attempt, which is moved by the size of what is sent.
    ``steady``: the clock of a limit of speed, in seconds.

    Raises:
        PublishError: It was not published.
        LostClaim: Another worker has it, or it was skipped.
        Stopped: The process is told to end.
    """
    connection, place = open_connection(claim.connection_id or "", ring)
    post = _post(claim, connection, place.description, storage, tools.clock())
    _check_limits(post, place.description)
    total = sum(file.size_bytes for file in _list_sent_files(post, place.description))
    now, most = tools.clock(), connection.bytes_per_second
    tools.deadline.extend(total / SLOWEST)
    state = StoredUploadState(
        claim,
        ring,
        tools.clock,
        stopping,
        most=most,
        total=total,
        publish_at=connection.find_next_time(now),
        deadline=tools.deadline,
        steady=steady,
    )
    # one that has passed in an outage: at once
    later = state.publish_at if (state.publish_at or 0) > now else None
    with hide_secrets(connection, place.description):
        return place.publish(replace(post, publish_at=later), connection, state, tools)


def _make_key(claim: Claim) -> str:
    """Return the idempotency key of a post: the same wherever its publication is begun, so that
    a database that was restored from before it was begun finds it at its place.
    """
    return ids.derive_id("post", f"{claim.production_id} {claim.platform}").replace("-", "")


def withdraw(claim: Claim, post_id: str | None, ring: KeyRing, tools: Tools) -> None:
    """Remove a post that was published for a claim that no longer holds.

    PublishError: it may still exist.
    """
    connection, place = open_connection(claim.connection_id or "", ring)
    with hide_secrets(connection, place.description):
        place.withdraw(post_id, connection, tools)


@contextmanager
def hide_secrets(connection: Connection, connector: Connector) -> Iterator[None]:
    """Take the secrets of a connection out of what a place says of a refusal,
    which more people read than may see them.
    """
    try:
        yield
    except PublishError as failed:
        for name in connector.secrets:
            if len(secret := connection.values.get(name, "")) >= _LEAST_SECRET:
                failed.message = failed.message.replace(secret, "…")
        raise


def open_connection(connection_id: str, ring: KeyRing) -> tuple[Connection, PlaceKind]:
    """Return a connection with its secrets, and its kind of place.

    PublishError: it was removed, or cannot be read.
    """
    try:
        connection = connections.unseal_connection(connection_id, ring)
    except ValueError:
        raise PublishError(
            "The secrets of the connection cannot be read any more; renew the connection.", False
        ) from None
    if connection is None:
        raise PublishError(
            "The connection was removed; add it again, and trigger the production again.", False
        )
    if connection.connector not in PLACES:
        raise PublishError(
            f"This release has no {connection.connector}; install one that has it, then retry.",
            False,
        )
    return connection, PLACES[connection.connector]


def _post(
    claim: Claim, connection: Connection, connector: Connector, storage: Storage, now: int
) -> ConnectedPost:
    rows = posts.list_files(claim.production_id, claim.platform)
    if not rows or rows[0]["type"] != "Video":
        raise PublishError(f"There is no video for {claim.platform}.", retryable=False)
    row, video = posts.find_texts(claim.production_id, claim.platform), rows[0]
    parts = texts.parse_description(row["description"] or "")
    values = {
        "title": row["title"],
        "summary": parts.summary,
        "chapters": parts.chapters,
        "disclosure": parts.disclosure,
        "hashtags": " ".join(f"#{tag}" for tag in parts.hashtags),
        "subject": row["subject_override"] or row["topic"],
        "transcript": _transcript(rows, storage)
        if "{transcript}" in connection.text_template
        else "",
    }
    return ConnectedPost(
        production_id=claim.production_id,
        account_id=row["account_id"],
        title=texts.fill_title(connection.title_template, values, connector.limits),
        text=texts.fill_text(connection.text_template, values, connector.limits),
        language=video["language"],
        hashtags=parts.hashtags,
        duration_seconds=video["duration_seconds"],
        chapters=texts.parse_chapters(parts.chapters),
        keep_sound=_make_sound_store(claim.production_id, video, storage),
        files=(
            *_list_post_files(rows, storage, now),
            *_poster(claim.production_id, connection.shape, storage),
        ),
    )


def _list_post_files(rows: list[Deliverable], storage: Storage, now: int) -> list[PostFile]:
    files = []
    for row in rows:
        link, ends = storage.make_link(row["id"], now)
        files.append(
            PostFile(
                _name_file(row, rows[0]["language"]),
                row["type"],
                row["language"],
                row["size_bytes"],
                row["sha256"],
                _make_fetch(storage, row["file"]),
                link,
                clocks.format_time(ends),
            )
        )
    return files


def _name_file(row: Deliverable, spoken: str) -> str:
    """Return the name of a file.

    ``spoken``: the language of the video; captions in another one have it in their name.
    """
    kind = Kind(row["type"], row["format"])
    name = deliverable_kinds.NAMES.get(kind, f"{kind.type.lower()}.{kind.format}")
    stem, dot, ending = name.rpartition(".")
    return name if row["language"] == spoken else f"{stem}.{row['language']}{dot}{ending}"


def _poster(production_id: str, shape: str, storage: Storage) -> list[PostFile]:
    file = f"{production_id}/poster-{shape}.jpg"
    size = storage.files.find_file_size(file)
    return (
        []
        if size is None
        else [PostFile(_POSTER, "Poster", "und", size, "", _make_fetch(storage, file))]
    )


def _make_sound_store(
    production_id: str, video: Deliverable, storage: Storage
) -> Callable[[Callable[[], None]], int]:
    """Return the function that stores the sound of a video,
    once for all connections that want it.
    """

    def keep(alive: Callable[[], None]) -> int:
        from svc.media.video import sound_track

        file = f"{production_id}/{_SOUND}"
        if size := storage.files.find_file_size(file):
            return size
        try:
            with storage.fetch_file(video["file"]) as path, tempfile.TemporaryDirectory() as folder:
                alive()
                sound = Path(folder, _SOUND)
                sound_track.write_sound_track(path, sound)
                return storage.keep(sound, file, fixed=True, alive=alive).size_bytes
        except (ValueError, OSError) as error:
            if outage.recognise(error) is not None:
                raise  # an outage of the service's own, which uses no attempt
            raise PublishError(
                f"The sound of the video cannot be stored: {error}.", isinstance(error, OSError)
            ) from error

    return keep


def _make_fetch(storage: Storage, file: str) -> Callable[[], AbstractContextManager[Path]]:
    return lambda: storage.fetch_file(file)


def _transcript(rows: list[Deliverable], storage: Storage) -> str:
    file = next(
        (row["file"] for row in rows if (row["type"], row["format"]) == ("Transcript", "txt")),
        None,
    )
    return storage.files.read(file, 0, _MOST_TRANSCRIPT).decode("utf-8", "ignore") if file else ""


def _list_sent_files(post: ConnectedPost, connector: Connector) -> tuple[PostFile, ...]:
    """Return the files that a kind of place is sent."""
    if connector.takes_all or not connector.uploads:
        return post.files if connector.takes_all else ()
    captions = {file.name for file in post.translated_captions} if connector.translated else set()
    return (
        post.video,
        *(file for file in post.files[1:] if file.name in captions.union(connector.beside)),
    )


def _check_limits(post: ConnectedPost, connector: Connector) -> None:
    """PublishError: the video is longer or larger than the place takes,
    which is known before anything is sent.
    """
    longest, largest = connector.limits.seconds, connector.limits.size
    if longest and (post.duration_seconds or 0) > longest:
        raise PublishError(
            (
                f"{connector.name} takes videos of at most {longest} s; this one has "
                f"{post.duration_seconds:.0f} s."
            ),
            False,
        )
    for file in post.files if connector.takes_all else (post.video,):
        if largest and file.size_bytes > largest:
            raise PublishError(
                (
                    f"{connector.name} takes files of at most {largest} bytes; {file.name} has "
                    f"{file.size_bytes}."
                ),
                False,
            )
