"""Pictures that an operator uploads for a customer or one of its accounts: logos, portraits, pictures and clips for briefs.

Here only their first bytes are checked. They are decoded only in the process of the media engine.
"""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

from svc.base import atomic_file, ids
from svc.base.errors import CommandError
from svc.domain import disk_quota, file_removal, rows
from svc.domain.file_removal import UPLOAD, Removal
from svc.domain.tables import partners as tables
from svc.store import database
from svc.store.models import Asset, Condition

MOST_BYTES, MOST_OF_A_CLIP = 10 * 1024 * 1024, 40 * 1024 * 1024
_NAME = re.compile(r"[\w][\w. -]{0,99}")
_TYPES = {  # by the first bytes of the file
    "image/png": (re.compile(rb"\x89PNG\r\n\x1a\n"), "png"),
    "image/jpeg": (re.compile(rb"\xff\xd8\xff"), "jpg"),
    "image/webp": (re.compile(rb"RIFF....WEBP", re.DOTALL), "webp"),
}
CLIP = "video/mp4"
_CLIP = re.compile(rb"....ftyp", re.DOTALL)


def keep(folder: Path, customer_id: str, account_id: str | None, name: str, content: bytes, now: int) -> str:
    """Store a picture in ``folder`` as ``name``, replacing one of that name, and return its id. Call it inside write().

    ``account_id``: None for all accounts of the customer. CommandError: invalid name, too large, or not a picture.
    """
    media_type = next((kind for kind, (start, _) in _TYPES.items() if start.match(content)), None)
    if media_type is None:
        raise CommandError("The file is not a PNG, JPEG or WebP picture.")
    return _keep(folder, customer_id, account_id, name, content, (media_type, _TYPES[media_type][1], MOST_BYTES), now)


def keep_clip(folder: Path, customer_id: str, account_id: str | None, name: str, content: bytes, now: int) -> str:
    """Store a clip as :func:`keep` stores a picture; both share their names."""
    if not _CLIP.match(content):
        raise CommandError("The file is not an MP4 clip.")
    return _keep(folder, customer_id, account_id, name, content, (CLIP, "mp4", MOST_OF_A_CLIP), now)


def _keep(
    folder: Path, customer_id: str, account_id: str | None, name: str, content: bytes, kind: tuple[str, str, int], now: int
) -> str:
    """Store a file. ``kind``: its media type, how its name ends, and how many bytes it may have."""
    media_type, ending, most = kind
    if not is_name(name):
        raise CommandError(f"{name!r} is not a valid picture name: use up to 100 letters, digits, dots, hyphens and spaces.")
    if len(content) > most:
        raise CommandError(f"The file has {len(content):,} bytes; the limit is {most:,}.")
    owner = database.one("SELECT partner_id FROM customers WHERE id = ?", (customer_id,))
    disk_quota.require_room(owner["partner_id"], len(content))
    asset_id = ids.new(now)
    file = f"{asset_id}.{ending}"
    write(folder / file, content)
    existing = Asset.customer == customer_id, Asset.name == name, _of(account_id)
    for replaced in Asset.select().where(*existing):
        file_removal.enter([Removal(UPLOAD, replaced.file, replaced.sha256)], now)
    Asset.delete().where(*existing).execute()  # type: ignore[misc] # the stubs give the query the type of the model
    Asset.create(
        id=asset_id, customer=customer_id, account=account_id, name=name, media_type=media_type, file=file,
        size_bytes=len(content), sha256=hashlib.sha256(content).hexdigest(), created_at=now,
    )  # fmt: skip
    return asset_id


def is_name(name: str) -> bool:
    """Return whether a picture may have this name."""
    return bool(_NAME.fullmatch(name))


def for_account(account_id: str) -> list[tables.Asset]:
    """Return the pictures that an account's productions may show: its customer's, then its own, which take precedence."""
    return rows.every(
        tables.Asset,
        "SELECT s.* FROM accounts a JOIN assets s ON s.customer_id = a.customer_id "
        "WHERE a.id = ? AND (s.account_id IS NULL OR s.account_id = a.id) ORDER BY s.account_id IS NOT NULL, s.name",
        (account_id,),
    )


def logo_file(account_id: str) -> str | None:
    """Return the file name of an account's logo in the assets folder; None: it has none."""
    row = database.row("SELECT s.file FROM accounts a JOIN assets s ON s.id = a.logo WHERE a.id = ?", (account_id,))
    return row["file"] if row else None


def hashes(names: Iterable[str]) -> dict[str, str]:
    """Return the hash of each upload in these tables, by the name of its file."""
    return {row["file"]: row["sha256"] for row in database.rows(_hashes(names))}


def hashes_by(connection: database.Connection, names: Iterable[str]) -> dict[str, str]:
    """Return the same as :func:`hashes`, over another connection."""
    return dict(connection.execute(_hashes(names)).fetchall())


def _hashes(names: Iterable[str]) -> str:
    return " UNION ALL ".join(f"SELECT file, sha256 FROM {table}" for table in names)


def recorded_by(connection: database.Connection, names: Iterable[str], newest: int | None) -> dict[str, int]:
    """Return the sizes of uploads by hash, of all or only the newest in each of these tables, in another connection."""
    found: dict[str, int] = {}
    for table in names:
        sql = f"SELECT sha256, size_bytes FROM {table} ORDER BY created_at DESC LIMIT ?"
        found |= {row["sha256"]: row["size_bytes"] for row in connection.execute(sql, (2**62 if newest is None else newest,))}
    return found


def _of(account_id: str | None) -> Condition:
    account = Asset.account
    return account.is_null() if account_id is None else account == account_id


def write(path: Path, content: bytes) -> None:
    """Write a file atomically and durably."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    atomic_file.write_durably(path, content, 0o666)
