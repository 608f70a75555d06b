"""Pictures that an operator uploads for a customer or one of its accounts: logos, portraits,
pictures and clips for briefs.

Here only their first bytes are checked. They are decoded only in the process of the media engine.
"""

import hashlib
import re
from pathlib import Path

from svc.base import atomic_file, ids
from svc.base.errors import CommandError
from svc.domain import file_removal
from svc.domain.file_removal import UPLOAD, Removal
from svc.domain.partners import disk_quota
from svc.domain.tables import partners as tables
from svc.store.expressions import is_same
from svc.store.models.partners import Account, Asset, Customer
from svc.store.queries import Prepared, slot, slots

MOST_BYTES, MOST_OF_A_CLIP = 10 * 1024 * 1024, 40 * 1024 * 1024
_NAME = re.compile(r"[\w][\w. -]{0,99}")
_TYPES = {  # by the first bytes of the file
    "image/png": (re.compile(rb"\x89PNG\r\n\x1a\n"), "png"),
    "image/jpeg": (re.compile(rb"\xff\xd8\xff"), "jpg"),
    "image/webp": (re.compile(rb"RIFF....WEBP", re.DOTALL), "webp"),
}
CLIP = "video/mp4"
_CLIP = re.compile(rb"....ftyp", re.DOTALL)

_PARTNER = Prepared(Customer.select(Customer.partner_id).where(Customer.id == slot("id")))
_THIS_ONE = (
    (Asset.customer_id == slot("customer_id"))
    & (Asset.name == slot("name"))
    & is_same(Asset.account_id, slot("account_id"))
)
_REPLACED = Prepared(Asset.select(Asset.file, Asset.sha256).where(_THIS_ONE))
_REMOVE = Prepared(Asset.delete().where(_THIS_ONE))
_ADD = Prepared(
    Asset.insert(
        slots(
            "id",
            "customer_id",
            "account_id",
            "name",
            "media_type",
            "file",
            "size_bytes",
            "sha256",
            "created_at",
        )
    )
)
_FOR_ACCOUNT = Prepared(
    Asset.select()
    .join(Account, on=Asset.customer_id == Account.customer_id)
    .where(
        (Account.id == slot("account_id"))
        & (Asset.account_id.is_null() | (Asset.account_id == Account.id))
    )
    .order_by(Asset.account_id.is_null(False), Asset.name),
    tables.Asset,
)
_LOGO = Prepared(
    Asset.select(Asset.file)
    .join(Account, on=Asset.id == Account.logo)
    .where(Account.id == slot("account_id"))
)


def store_picture(
    folder: Path, customer_id: str, account_id: str | None, name: str, content: bytes, now: int
) -> str:
    """Store a picture in ``folder`` as ``name``, replacing one of that name, and return its id.
    Call it inside a transaction.

    ``account_id``: None for all accounts of the customer. CommandError: invalid name, too large, or
    not a picture.
    """
    media_type = next((kind for kind, (start, _) in _TYPES.items() if start.match(content)), None)
    if media_type is None:
        raise CommandError("The file is not a PNG, JPEG or WebP picture.")
    return _store_file(
        folder,
        customer_id,
        account_id,
        name,
        content,
        (media_type, _TYPES[media_type][1], MOST_BYTES),
        now,
    )


def store_clip(
    folder: Path, customer_id: str, account_id: str | None, name: str, content: bytes, now: int
) -> str:
    """Store a clip as :func:`store_picture` stores a picture; both share their names."""
    if not _CLIP.match(content):
        raise CommandError("The file is not an MP4 clip.")
    return _store_file(
        folder, customer_id, account_id, name, content, (CLIP, "mp4", MOST_OF_A_CLIP), now
    )


def _store_file(
    folder: Path,
    customer_id: str,
    account_id: str | None,
    name: str,
    content: bytes,
    kind: tuple[str, str, int],
    now: int,
) -> str:
    """Store a file. ``kind``: its media type, how its name ends, and how many bytes it may have."""
    media_type, ending, most = kind
    if not is_name(name):
        raise CommandError(
            f"{name!r} is not a valid picture name: use up to 100 letters, digits, dots, hyphens "
            "and spaces."
        )
    if len(content) > most:
        raise CommandError(f"The file has {len(content):,} bytes; the limit is {most:,}.")
    disk_quota.require_room(_PARTNER.one(id=customer_id)["partner_id"], len(content))
    asset_id = ids.make_id(now)
    file = f"{asset_id}.{ending}"
    write(folder / file, content)
    this_one = {"customer_id": customer_id, "name": name, "account_id": account_id}
    for replaced in _REPLACED.rows(**this_one):
        file_removal.schedule_removals([Removal(UPLOAD, replaced["file"], replaced["sha256"])], now)
    _REMOVE.execute(**this_one)
    _ADD.execute(
        **this_one,
        id=asset_id,
        media_type=media_type,
        file=file,
        size_bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        created_at=now,
    )
    return asset_id


def is_name(name: str) -> bool:
    """Return whether a picture may have this name."""
    return bool(_NAME.fullmatch(name))


def list_pictures_of_account(account_id: str) -> list[tables.Asset]:
    """Return the pictures that an account's productions may show: its customer's, then its own,
    which take precedence.
    """
    return _FOR_ACCOUNT.rows(account_id=account_id)


def find_logo_file(account_id: str) -> str | None:
    """Return the file name of an account's logo in the assets folder; None: it has none."""
    row = _LOGO.row(account_id=account_id)
    return row["file"] if row else None


def write(path: Path, content: bytes) -> None:
    """Write a file atomically and durably."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    atomic_file.write_durably(path, content, 0o666)
