"""The recorded hashes and sizes of uploads (pictures, fonts, music and clips), which are compared
with the files.

Uploads whose files are missing can be forgotten.
"""

import functools
import json
import operator
from collections.abc import Sequence
from typing import Any

from svc.domain.partners import brand_files
from svc.store.database import Connection
from svc.store.expressions import Select, elements
from svc.store.models.partners import Account, Asset, Avatar
from svc.store.queries import Prepared, slot

_MODELS: tuple[Any, ...] = (Asset, *brand_files.MODELS)
_RECORDED = [
    Prepared(
        model.select(model.file, model.sha256, model.size_bytes)
        .order_by(model.created_at.desc())
        .limit(slot("most"))
    )
    for model in _MODELS
]
_EACH = [Select((model,), (model.file, model.sha256)) for model in _MODELS]
_HASHES = Prepared(functools.reduce(operator.add, _EACH))
_FILES = elements(slot("files"))
_LOST = Asset.select(Asset.id).where(Asset.file.in_(_FILES))
_FORGET = (
    Prepared(Account.update(logo=None).where(Account.logo.in_(_LOST))),
    Prepared(Avatar.update(portrait=None).where(Avatar.portrait.in_(_LOST))),
    *(Prepared(model.delete().where(model.file.in_(_FILES))) for model in _MODELS),
)


def list_recorded_by(connection: Connection, newest: int | None) -> dict[str, tuple[str, int]]:
    """Return the hash and the size of each upload by the name of its file: of all,
    or only the newest of each kind.
    """
    uploads: dict[str, tuple[str, int]] = {}
    for query in _RECORDED:
        rows = query.rows_by(connection, most=2**62 if newest is None else newest)
        uploads |= {row["file"]: (row["sha256"], row["size_bytes"]) for row in rows}
    return uploads


def read_hashes() -> dict[str, str]:
    """Return the hash of each upload by the name of its file."""
    return {row["file"]: row["sha256"] for row in _HASHES.rows()}


def read_hashes_by(connection: Connection) -> dict[str, str]:
    """Return :func:`read_hashes` over another connection."""
    return {row["file"]: row["sha256"] for row in _HASHES.rows_by(connection)}


def forget_uploads(files: Sequence[str]) -> None:
    """Remove the rows of uploads, and what refers to them: accounts and presenters are as if they
    had none. Inside a transaction.
    """
    for statement in _FORGET if files else ():
        statement.execute(files=json.dumps(list(files)))
