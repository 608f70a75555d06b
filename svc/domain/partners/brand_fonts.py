"""The font that an operator uploads for an account's videos, with the licence that it is used under."""

import hashlib
from pathlib import Path

from svc.base import ids
from svc.domain import disk_quota, form_fields, rows
from svc.domain.partners import admin, assets
from svc.domain.people import audit
from svc.domain.people.audit import Actor
from svc.domain.tables.partners import Account, BrandFont
from svc.store import database

MOST_LICENCE = 200  # characters
_READERS = {"licence": form_fields.words(MOST_LICENCE)}


def of(account_id: str) -> BrandFont | None:
    """Return the font of an account; None: its videos are set in the fonts of their look."""
    return rows.first(BrandFont, "SELECT * FROM brand_fonts WHERE account_id = ?", (account_id,))


def check_licence(licence: str) -> str:
    """Return the licence as it is stored. InvalidRequest: it is missing, too long, or not one line of text."""
    text: str = form_fields.read(_READERS, {"licence": licence})["licence"]
    return text


def replace(actor: Actor, account_id: str, content: bytes, licence: str, folder: Path, now: int) -> None:
    """Set the account's videos in a font from now on.

    ``content``: already checked and written again. ``folder``: the assets folder. NotFound: no such account.
    InvalidRequest: the licence is not noted. DiskQuotaReached: the partner has no room for the file.
    """
    noted = check_licence(licence)
    with database.write():
        account, before = admin.find(admin.ACCOUNT, account_id), of(account_id)
        disk_quota.require_room(account["partner_id"], len(content))
        file = f"{ids.new(now)}.{'otf' if content.startswith(b'OTTO') else 'ttf'}"
        assets.write(folder / file, content)
        digest = hashlib.sha256(content).hexdigest()
        database.execute("DELETE FROM brand_fonts WHERE account_id = ?", (account_id,))
        database.execute(
            "INSERT INTO brand_fonts (account_id, licence, file, size_bytes, sha256, created_at) VALUES (?, ?, ?, ?, ?, ?)",
            (account_id, noted, file, len(content), digest, now),
        )
        _record(actor, account, now, before, {"licence": noted, "sha256": digest})
    _forget(folder, before)


def remove(actor: Actor, account_id: str, folder: Path, now: int) -> None:
    """Set the account's videos in the fonts of their look again. NotFound: no such account."""
    with database.write():
        account, before = admin.find(admin.ACCOUNT, account_id), of(account_id)
        if database.execute("DELETE FROM brand_fonts WHERE account_id = ?", (account_id,)):
            _record(actor, account, now, before, None)
    _forget(folder, before)


def _record(actor: Actor, account: Account, now: int, before: BrandFont | None, after: dict[str, str] | None) -> None:
    audit.record(
        actor, "account.font", account["name"], now, subject_id=account["id"], partner_id=account["partner_id"],
        before={"licence": before["licence"], "sha256": before["sha256"]} if before else None, after=after,
    )  # fmt: skip


def _forget(folder: Path, font: BrandFont | None) -> None:
    """Remove the file of a font that no account has any longer."""
    if font is not None:
        (folder / font["file"]).unlink(missing_ok=True)
