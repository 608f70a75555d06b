"""The pictures and clips that an account's briefs may show by their
name, as ``![The boat](boat.png)``.
"""

import re
from pathlib import Path

from svc.base.errors import InvalidRequest, NotFound
from svc.domain.audit import audit
from svc.domain.audit.audit import Actor
from svc.domain.partners import admin, assets
from svc.domain.tables.partners import Asset
from svc.store.expressions import fn
from svc.store.models import partners as models
from svc.store.queries import Prepared, slot

# The beginnings of the names of pictures that an account or an avatar has.
_RESERVED = ("logo ", "portrait ")
_NAMES = (
    "Use up to 100 letters, digits, dots, hyphens and spaces, such as boat.png; names that begin "
    "with logo or portrait and a space are this service's own."
)
# ISO/IEC 14496-12, section 4.3, but for the brands of still pictures; older QuickTime files;
# Matroska (RFC 8794, section 11.2)
_CLIP = re.compile(
    rb"....ftyp(?!hei|hev|mif1|msf1|avif|avis)|....(?:moov|mdat|wide|free|skip)|\x1aE\xdf\xa3",
    re.DOTALL,
)
_OF_ACCOUNT = Prepared(
    models.Asset.select()
    .where(
        models.Asset.account_id == slot("account_id"), fn.substr(models.Asset.name, 1, 5) != "logo "
    )
    .order_by(models.Asset.name),
    Asset,
)
_REMOVE = Prepared(models.Asset.delete().where(models.Asset.id == slot("id")))


def list_pictures(account_id: str) -> list[Asset]:
    """Return the pictures of an account, by name."""
    return _OF_ACCOUNT.rows(account_id=account_id)


def detect_kind(content: bytes) -> str:
    """Return what an upload seems to be, by its first bytes: "clip" or "picture"."""
    return "clip" if _CLIP.match(content) else "picture"


def add(actor: Actor, account_id: str, name: str, picture: bytes, folder: Path, now: int) -> None:
    """Let the account's briefs show a picture or a clip as ``name``; one of that name is replaced.

    ``picture``: the content, already checked and written again. ``folder``: the assets folder.

    Raises:
        NotFound: There is no such account.
        InvalidRequest: The name is not valid.
        DiskQuotaReached: The partner has no room for it.
    """
    if not assets.is_name(name) or name.startswith(_RESERVED):
        raise InvalidRequest(f"name: {_NAMES}", fields={"name": [_NAMES]})
    turn = admin.find_partner_of_account(account_id)
    with audit.recording(actor, "account.picture", None, now, in_turn_of=turn) as entry:
        account = admin.find(admin.ACCOUNT, account_id)
        keep = assets.store_clip if detect_kind(picture) == "clip" else assets.store_picture
        keep(folder, account["customer_id"], account_id, name, picture, now)
        entry.describe_account(account, after={"picture": name})


def remove(actor: Actor, account_id: str, name: str, now: int) -> None:
    """Remove a picture. NotFound: the account has none of this name."""
    turn = admin.find_partner_of_account(account_id)
    with audit.recording(actor, "account.picture", None, now, in_turn_of=turn) as entry:
        account = admin.find(admin.ACCOUNT, account_id)
        picture = next((each for each in list_pictures(account_id) if each["name"] == name), None)
        if picture is None:
            raise NotFound(f"The account has no picture named {name[:100]!r}.")
        _REMOVE.execute(id=picture["id"])
        entry.describe_account(account, before={"picture": name})
