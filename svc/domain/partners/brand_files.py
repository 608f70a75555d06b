"""The files of the brand kit that an operator uploads for an account's videos, each with the licence that it is used under."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from svc.base import ids
from svc.domain import disk_quota, file_removal, form_fields, rows
from svc.domain.file_removal import UPLOAD, Removal
from svc.domain.partners import admin, assets
from svc.domain.people import audit
from svc.domain.people.audit import Actor
from svc.domain.tables.partners import Account, BrandFile
from svc.store import database

MOST_LICENCE = 200  # characters
_READERS = {"licence": form_fields.words(MOST_LICENCE)}


def check_licence(licence: str) -> str:
    """Return the licence as it is stored. InvalidRequest: it is missing, too long, or not one line of text."""
    text: str = form_fields.read(_READERS, {"licence": licence})["licence"]
    return text


@dataclass(frozen=True)
class BrandFiles:
    """The files of one kind, at most one for each account. ``action``: the name of a change in the audit log."""

    table: str
    action: str
    ending: Callable[[bytes], str]  # of the file's name, from its content

    def of(self, account_id: str) -> BrandFile | None:
        """Return the file of an account; None: it has none."""
        return rows.first(BrandFile, f"SELECT * FROM {self.table} WHERE account_id = ?", (account_id,))

    def replace(self, actor: Actor, account_id: str, content: bytes, licence: str, folder: Path, now: int) -> None:
        """Use the file in the account's videos from now on.

        ``content``: already checked and written again. ``folder``: the assets folder. NotFound: no such account.
        InvalidRequest: the licence is not noted. DiskQuotaReached: the partner has no room for the file.
        """
        noted = check_licence(licence)
        with database.write():
            account, before = admin.find(admin.ACCOUNT, account_id), self.of(account_id)
            disk_quota.require_room(account["partner_id"], len(content))
            file = f"{ids.new(now)}.{self.ending(content)}"
            assets.write(folder / file, content)
            digest = hashlib.sha256(content).hexdigest()
            database.execute(f"DELETE FROM {self.table} WHERE account_id = ?", (account_id,))
            database.execute(
                f"INSERT INTO {self.table} (account_id, licence, file, size_bytes, sha256, created_at) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (account_id, noted, file, len(content), digest, now),
            )
            self._record(actor, account, now, before, {"licence": noted, "sha256": digest})
            _enter(before, now)
        _forget(folder, before)

    def remove(self, actor: Actor, account_id: str, folder: Path, now: int) -> None:
        """Make the account's videos without the file again. NotFound: no such account."""
        with database.write():
            account, before = admin.find(admin.ACCOUNT, account_id), self.of(account_id)
            if database.execute(f"DELETE FROM {self.table} WHERE account_id = ?", (account_id,)):
                self._record(actor, account, now, before, None)
                _enter(before, now)
        _forget(folder, before)

    def _record(self, actor: Actor, account: Account, now: int, before: BrandFile | None, after: dict[str, str] | None) -> None:
        audit.record(
            actor, self.action, account["name"], now, subject_id=account["id"], partner_id=account["partner_id"],
            before={"licence": before["licence"], "sha256": before["sha256"]} if before else None, after=after,
        )  # fmt: skip


def _enter(file: BrandFile | None, now: int) -> None:
    if file is not None:
        file_removal.enter([Removal(UPLOAD, file["file"], file["sha256"])], now)


def _forget(folder: Path, file: BrandFile | None) -> None:
    """Remove a file that no account has any longer; from the bucket, and after a crash, svc.domain.file_removal does."""
    if file is not None:
        (folder / file["file"]).unlink(missing_ok=True)


brand_fonts = BrandFiles("brand_fonts", "account.font", lambda content: "otf" if content.startswith(b"OTTO") else "ttf")
music_tracks = BrandFiles("music_tracks", "account.music_track", lambda content: "m4a")
TABLES = (brand_fonts.table, music_tracks.table)
