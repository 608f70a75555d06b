"""Uploads whose files are missing: pictures, fonts and music, whose rows are compared with the files, and forgotten."""

import json
from collections.abc import Sequence

from svc.domain.partners import brand_files
from svc.store import database
from svc.store.expressions import elements
from svc.store.models.partners import Account, Asset, Avatar
from svc.store.queries import Prepared, slot

_TABLES = ("assets", *brand_files.TABLES)
_FILES = elements(slot("files"))
_LOST = Asset.select(Asset.id).where(Asset.file.in_(_FILES))
_FORGET = (
    Prepared(Account.update(logo=None).where(Account.logo.in_(_LOST))),
    Prepared(Avatar.update(portrait=None).where(Avatar.portrait.in_(_LOST))),
    *(Prepared(model.delete().where(model.file.in_(_FILES))) for model in (Asset, *brand_files.MODELS)),
)


def recorded_by(connection: database.Connection, newest: int | None) -> dict[str, tuple[str, int]]:
    """Return the hash and the size of each upload by the name of its file: of all, or only the newest of each kind."""
    found: dict[str, tuple[str, int]] = {}
    for table in _TABLES:
        sql = f"SELECT file, sha256, size_bytes FROM {table} ORDER BY created_at DESC LIMIT ?"
        rows = connection.execute(sql, (2**62 if newest is None else newest,))
        found |= {row["file"]: (row["sha256"], row["size_bytes"]) for row in rows}
    return found


def forget(files: Sequence[str]) -> None:
    """Remove the rows of uploads, and what refers to them: accounts and presenters are as if they had none. Inside write()."""
    for statement in _FORGET if files else ():
        statement.execute(files=json.dumps(list(files)))
