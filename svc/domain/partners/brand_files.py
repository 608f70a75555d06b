"""The files of the brand kit that an operator uploads for an account's videos,
each with the licence that it is used under.
"""

import functools
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from svc.base import ids
from svc.domain import file_removal, form_fields
from svc.domain.audit import audit
from svc.domain.audit.audit import Actor
from svc.domain.file_removal import UPLOAD, Removal
from svc.domain.partners import admin, assets, disk_quota
from svc.domain.tables.partners import Account, BrandFile
from svc.store.database import Row
from svc.store.models.partners import BrandFont, IntroClip, MusicTrack, OutroClip
from svc.store.models.table import Table
from svc.store.queries import Prepared, slot, slots

MOST_LICENCE = 200  # characters
_COLUMNS = ("account_id", "licence", "file", "size_bytes", "sha256", "created_at")
_LENGTHS = [
    Prepared(clip.select(clip.milliseconds).where(clip.account_id == slot("account_id")))
    for clip in (IntroClip, OutroClip)
]
_CLIP_HEAD = b"mvhd\0\0\0\0"  # with version 0: times of 32 bits
_READERS = {"licence": form_fields.words(MOST_LICENCE)}


def check_licence(licence: str) -> str:
    """Return the licence as it is stored.

    InvalidRequest: it is missing, too long, or not one line of text.
    """
    text: str = form_fields.read(_READERS, {"licence": licence})["licence"]
    return text


@dataclass(frozen=True)
class BrandFiles:
    """The files of one kind, at most one for each account.

    ``action``: the name of a change in the audit log.
    """

    model: type[Table]
    action: str
    ending: Callable[[bytes], str]  # of the file's name, from its content
    # Returns how long the file lasts, from its content; None: that is not noted.
    milliseconds: Callable[[bytes], int] | None = None

    def find(self, account_id: str) -> BrandFile | None:
        """Return the file of an account; None: it has none."""
        return _row_query(self.model).row(account_id=account_id)

    def replace(
        self, actor: Actor, account_id: str, content: bytes, licence: str, folder: Path, now: int
    ) -> None:
        """Use the file in the account's videos from now on.

        ``content``: already checked and written again. ``folder``: the assets folder.

        Raises:
            NotFound: There is no such account.
            InvalidRequest: The licence is not noted.
            DiskQuotaReached: The partner has no room for the file.
        """
        noted = check_licence(licence)
        turn = admin.find_partner_of_account(account_id)
        with audit.recording(actor, self.action, None, now, in_turn_of=turn) as entry:
            account, before = admin.find(admin.ACCOUNT, account_id), self.find(account_id)
            disk_quota.require_room(account["partner_id"], len(content))
            file = f"{ids.make_id(now)}.{self.ending(content)}"
            assets.write(folder / file, content)
            digest = hashlib.sha256(content).hexdigest()
            _delete_query(self.model).execute(account_id=account_id)
            self._insert(account_id, content, noted, file, digest, now)
            _describe_change(entry, account, before, {"licence": noted, "sha256": digest})
            _schedule_removal(before, now)
        _remove_file(folder, before)

    def _insert(
        self, account_id: str, content: bytes, licence: str, file: str, digest: str, now: int
    ) -> None:
        lasts = {"milliseconds": self.milliseconds(content)} if self.milliseconds else {}
        _insert_query(self.model, *lasts).execute(
            account_id=account_id,
            licence=licence,
            file=file,
            size_bytes=len(content),
            sha256=digest,
            created_at=now,
            **lasts,
        )

    def remove(self, actor: Actor, account_id: str, folder: Path, now: int) -> None:
        """Make the account's videos without the file again. NotFound: no such account."""
        turn = admin.find_partner_of_account(account_id)
        with audit.recording(actor, self.action, None, now, in_turn_of=turn) as entry:
            account, before = admin.find(admin.ACCOUNT, account_id), self.find(account_id)
            _describe_change(entry, account, before, None)
            if _delete_query(self.model).execute(account_id=account_id):
                _schedule_removal(before, now)
            else:
                entry.omit()
        _remove_file(folder, before)


@functools.cache
def _row_query(model: Any) -> Prepared[BrandFile]:
    columns = [getattr(model, name) for name in _COLUMNS]
    return Prepared(model.select(*columns).where(model.account_id == slot("account_id")), BrandFile)


@functools.cache
def _insert_query(model: type[Table], *more: str) -> Prepared[Row]:
    return Prepared(model.insert(slots(*_COLUMNS, *more)))


@functools.cache
def _delete_query(model: Any) -> Prepared[Row]:
    return Prepared(model.delete().where(model.account_id == slot("account_id")))


def _describe_change(
    entry: audit.Entry, account: Account, before: BrandFile | None, after: dict[str, str] | None
) -> None:
    entry.describe_account(
        account,
        before={"licence": before["licence"], "sha256": before["sha256"]} if before else None,
        after=after,
    )


def _schedule_removal(file: BrandFile | None, now: int) -> None:
    if file is not None:
        file_removal.schedule_removals([Removal(UPLOAD, file["file"], file["sha256"])], now)


def _remove_file(folder: Path, file: BrandFile | None) -> None:
    """Remove a file that no account has any longer; from the bucket,
    and after a crash, svc.domain.file_removal does.
    """
    if file is not None:
        (folder / file["file"]).unlink(missing_ok=True)


def _read_clip_length(content: bytes) -> int:
    """Return the length of an MP4 in milliseconds, by the head that this service wrote (ISO/IEC
    14496-12, section 8.2.2); 0 if it has none.
    """
    at = content.find(_CLIP_HEAD)
    scale, length = (int.from_bytes(content[at + first : at + first + 4]) for first in (16, 20))
    return round(1000 * length / scale) if at >= 0 and scale else 0


brand_fonts = BrandFiles(
    BrandFont, "account.font", lambda content: "otf" if content.startswith(b"OTTO") else "ttf"
)
music_tracks = BrandFiles(MusicTrack, "account.music_track", lambda content: "m4a")
intro_clips = BrandFiles(IntroClip, "account.intro", lambda content: "mp4", _read_clip_length)
outro_clips = BrandFiles(OutroClip, "account.outro", lambda content: "mp4", _read_clip_length)
MODELS: tuple[Any, ...] = (BrandFont, MusicTrack, IntroClip, OutroClip)
TABLES = tuple(model._meta.table_name for model in MODELS)


def sum_clip_seconds(account_id: str) -> float:
    """Return how long intro and outro of an account last together."""
    return sum(length.value(account_id=account_id) or 0 for length in _LENGTHS) / 1000
