"""The owner of a bucket: only the database that tidied it first removes files unknown to it.

Another database, such as an empty one that was named by mistake, knows none of the files there, and
would remove them all.
"""

import logging
import tempfile
import uuid
from pathlib import Path

from svc.base.protocols import Files
from svc.store import meta
from svc.store.database import db

NAME = "owner/database"  # the file in the bucket with the mark of its database
_LONGEST = 100  # bytes

log = logging.getLogger("svc.files")


def is_ours(files: Files) -> bool:
    """Return whether the open database may tidy the bucket, which is marked at the first call.

    FileStoreUnavailable: the bucket does not answer.
    """
    mark = _make_mark()
    try:
        stored_mark = files.read(NAME, 0, _LONGEST).decode("utf-8", "replace")
    except FileNotFoundError:
        stored_mark = mark
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "mark")
            path.write_text(mark)
            files.put(path, NAME, fixed=True)
    if stored_mark != mark:
        log.warning(
            "the bucket of SVC_STORAGE_URL is not tidied: it belongs to another database (%s: %s); "
            "if that one is gone for good, remove this file",
            NAME,
            stored_mark,
        )
    return stored_mark == mark


def _make_mark() -> str:
    """Return the mark of the open database, which gets one at the first call."""
    mark = meta.read_text("bucket_owner")
    if mark is None:
        mark = uuid.uuid4().hex
        with db.transaction():
            meta.put("bucket_owner", mark)
    return mark
