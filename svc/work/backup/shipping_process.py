"""The shipping process: sends database changes to the backups
(``python -m svc.work.backup.shipping_process``).

It ends when its standard input is closed, so it never outlives the engine's process. No data is
lost however it ends: the next one begins with a new base, whose unchanged pages are stored already.
"""

import fcntl
import os
import select
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from svc.base import clock
from svc.base.errors import CommandError
from svc.base.processes import confinement
from svc.store.backup.database_file import DATABASE
from svc.store.backup.wal_frames import Change, Follower, Lost
from svc.store.database import db
from svc.work.backup import incremental, stream, unsent_bases
from svc.work.backup import make as backup
from svc.work.backup.repository import BASE, Repository, make_id

_PATIENCE = 3600.0  # seconds to wait for another backup
_LARGE_LOG = 1_000  # frames, as in svc.store.sqlite.wal
_MOST_PENDING = 256 << 20  # bytes buffered while the destination does not answer
_CONFIRM_EVERY = 30 * clock.SECOND
_LOOK_EVERY = 5 * clock.MINUTE  # whether the base is still there
_ANEW_AFTER = clock.DAY  # a new base, to limit the segments that a restoration reads


class Sender:
    """Sends streams of changes, one after another: each is a base and the changes
    committed after it.
    """

    def __init__(
        self,
        data_dir: Path,
        repo: Repository,
        now: Callable[[], int] = clock.now,
        keep: int | None = None,
    ):
        self._data_dir, self._repo, self._now, self._keep = data_dir, repo, now, keep
        self._follower = Follower(data_dir / DATABASE, now)
        self._pending: Change | None = None
        self._writer: stream.Writer | None = None
        self._base: threading.Thread | None = None
        self._failure: BaseException | None = None
        self._began = self._confirmed = self._checkpointed = self._looked = 0
        self._is_checkpointed = self._is_set_back = False
        self._until = 0  # the time of the last read for the stream, which never goes back
        self._keys: tuple[int, int] | None = None

    def begin(self) -> None:
        """Copy the database as of the last look, and begin to send it as the base of
        a new stream.
        """
        self.wait_for_base()
        now, self._keys = self._follower.at, self._keys_mark()
        folder = Path(tempfile.mkdtemp(".part", "base-", self._data_dir))
        try:
            # The keys are linked before the slow copy, during which one may be retired.
            backup.link_master_keys(self._data_dir, folder)
            self._follower.copy(folder / DATABASE)
            page_size = self._follower.page_size
        except BaseException:
            unsent_bases.remove_folder(folder)
            raise
        identity = make_id(now)
        self._writer = stream.Writer(self._repo, identity, page_size)
        self._began = self._confirmed = self._until = self._looked = now
        self._is_set_back = False
        self._base = threading.Thread(
            target=self._send_base, args=(folder, identity, now, page_size), name="base"
        )
        self._base.start()

    def _keys_mark(self) -> tuple[int, int] | None:
        """Return a value that changes with the master keys,
        which a base contains besides the database.
        """
        try:
            stat = (self._data_dir / "secret").stat()
        except FileNotFoundError:
            return None
        return stat.st_ino, stat.st_mtime_ns

    def _send_base(self, folder: Path, identity: str, now: int, page_size: int) -> None:
        """Send the base while changes are already being sent;
        the stream is valid once its base has a manifest.
        """
        try:
            with backup.hold_locks(self._data_dir, _PATIENCE):
                self._repo.add(folder, BASE, now, more={"page_size": page_size}, identity=identity)
                if self._keep:
                    self._repo.prune(self._keep, now)
        except BaseException as failure:
            self._failure = failure
        finally:
            unsent_bases.remove_folder(folder)

    def wait_for_base(self) -> None:
        """Return when the base has been sent."""
        if self._base:
            self._base.join()
        self._raise_failure()

    def send_changes(self) -> int:
        """Send the changes since the last call and return the bytes sent.

        OSError: the destination does not answer; Lost: a new stream must begin.
        """
        self._raise_failure()
        sent = self._send()
        is_due = (
            self._follower.at - self._began > _ANEW_AFTER
            or self._is_set_back
            or self._keys_mark() != self._keys
        )
        if not (self._base and self._base.is_alive()) and (is_due or self._has_lost_base()):
            self.begin()
        return sent

    def _has_lost_base(self) -> bool:
        """Return whether somebody removed the base, or put another disk in its place: what follows
        it restores nothing any more.
        """
        if self._writer is None or self._until - self._looked < _LOOK_EVERY:
            return False
        self._looked = self._until
        name = f"manifests/{self._writer.base}.json"
        return name not in self._repo.objects.list_names("manifests")

    def _send(self) -> int:
        change = self._follower.read_changes(checkpoint=self._decide_to_checkpoint())
        # What follows a clock that was set back belongs to a new stream: in this one, its moments
        # would be found before commits that were there already.
        self._is_set_back = self._is_set_back or self._follower.at < self._until
        self._until = at = max(self._until, self._follower.at)
        if change:
            self._is_checkpointed = False
            self._pending = change if self._pending is None else self._pending.merge_with(change)
            if len(self._pending.pages) * self._follower.page_size > _MOST_PENDING:
                raise Lost(f"{self._repo.objects} does not accept the database's commits")
        if self._pending and self._writer:
            sent = self._writer.put(self._pending, at)
            self._pending, self._confirmed = None, at
            return sent
        if at - self._confirmed >= _CONFIRM_EVERY:
            self.confirm()
        return 0

    def _decide_to_checkpoint(self) -> bool:
        """Return whether to checkpoint: if the log is large, or idle,
        so that other processes can reset it.
        """
        frames, at = self._follower.count_frames(), self._now()
        if frames >= _LARGE_LOG or (
            frames > 0
            and not self._is_checkpointed
            and not 0 <= at - self._checkpointed < _CONFIRM_EVERY
        ):
            self._checkpointed, self._is_checkpointed = at, True
            return True
        return False

    def confirm(self) -> None:
        """Record that the stream is complete up to the last look."""
        if self._pending is None and self._writer is not None:
            self._writer.confirm(self._until)
            self._confirmed = self._until

    def _raise_failure(self) -> None:
        if self._failure:
            raise Lost(
                f"the base of the stream could not be sent: {self._failure}"
            ) from self._failure

    def close(self) -> None:
        self._follower.close()


def _ship_until_stopped(data_dir: Path, repo: Repository, seconds: float, keep: int) -> None:
    with (data_dir / "shipping.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # an earlier process may still be ending
        unsent_bases.remove(data_dir)
        sender = Sender(data_dir, repo, keep=keep)
        sender.begin()
        while not _is_told_to_end(seconds):
            try:
                sender.send_changes()
            except OSError as error:  # tried again, together with later changes
                print(error, file=sys.stderr, flush=True)
        sender.send_changes()
        sender.confirm()
        sender.close()


def _is_told_to_end(seconds: float) -> bool:
    """Wait ``seconds``, or until standard input is closed; return whether it is closed."""
    ready, _, _ = select.select([sys.stdin], [], [], seconds)
    return bool(ready) and not os.read(sys.stdin.fileno(), 1)


def _run_shipping(data_dir: str, place: str, seconds: str, keep: str, recipients: str) -> int:
    confinement.lower_priority()
    try:
        repo = incremental.open_scheduled(Path(data_dir), place, recipients)
        _ship_until_stopped(Path(data_dir), repo, float(seconds), int(keep))
    except (CommandError, OSError, Lost, db.Error) as error:
        print(
            f"The database's commits cannot be sent to {place}: {error}.",
            file=sys.stderr,
            flush=True,
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(_run_shipping(*sys.argv[1:]))
