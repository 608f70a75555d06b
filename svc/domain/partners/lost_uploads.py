"""Uploads whose files are missing: pictures, fonts and music, whose rows are compared with the files, and forgotten."""

import json
from collections.abc import Sequence

from svc.domain.partners import brand_files
from svc.store import database

_TABLES = ("assets", *brand_files.TABLES)
_THOSE = "file IN (SELECT value FROM json_each(:files))"
_IDS = f"(SELECT id FROM assets WHERE {_THOSE})"
_FORGET = (
    f"UPDATE accounts SET logo = NULL WHERE logo IN {_IDS}",
    f"UPDATE avatars SET portrait = NULL WHERE portrait IN {_IDS}",
    *(f"DELETE FROM {table} WHERE {_THOSE}" for table in _TABLES),
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
        database.execute(statement, {"files": json.dumps(list(files))})
