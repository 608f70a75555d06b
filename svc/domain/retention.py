"""Retention: removes old ended productions, or only their files, in small transactions; file_removal has the files."""

import json

from svc.base import ids
from svc.domain import file_removal
from svc.store import database

_BATCH = 100  # productions in one transaction
_ENDED = "status IN ('Published', 'Failed', 'Cancelled') AND finished_at < :before"
# By id: ids contain the time and are the order of the table, so that no other index is needed.
_OLD = f"SELECT id FROM productions WHERE id > :after AND id < :until AND {_ENDED} {{}} ORDER BY id LIMIT :batch"
_OLD_OF_ACCOUNT = f"""
    SELECT id FROM productions
    WHERE account_id = :account AND created_at < :before AND id > :after AND id < :until AND {_ENDED} {{}}
    ORDER BY id LIMIT :batch
"""
_WITH_FILES = "AND EXISTS (SELECT 1 FROM deliverables d WHERE d.production_id = productions.id)"
_NOTHING_TO_SEND = """
    AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.production_id = productions.id AND d.status = 'Pending')
"""
_THOSE = "IN (SELECT value FROM json_each(:ids))"
_REMOVE = (
    f"DELETE FROM attempts WHERE delivery_id IN (SELECT id FROM deliveries WHERE production_id {_THOSE})",
    f"DELETE FROM deliveries WHERE production_id {_THOSE}",
    *(f"DELETE FROM {table} WHERE production_id {_THOSE}"
      for table in ("events", "plays", "play_days", "play_viewers", "publications", "production_steps",
                    "scripts", "settled_briefs", "translations", "title_words", "ledger", "model_charges")),
    f"DELETE FROM productions WHERE id {_THOSE}",
)  # fmt: skip


def prune_productions(before: int, now: int, sandboxes: bool = False) -> int:
    """Remove productions that ended before ``before`` (ms) with all dependent rows, and return their number.

    A production with pending webhook deliveries is kept until they have ended.
    """
    return _prune_all(_NOTHING_TO_SEND, _REMOVE, before, now, sandboxes)


def prune_files(before: int, now: int, sandboxes: bool = False) -> int:
    """Remove only the rows of files of productions that ended before ``before`` (ms), and return the number of productions."""
    return _prune_all(_WITH_FILES, (), before, now, sandboxes)


def _prune_all(which: str, statements: tuple[str, ...], before: int, now: int, sandboxes: bool) -> int:
    """Prune in batches. ``sandboxes``: only sandbox accounts, one by one, so that live productions are not read."""
    if not sandboxes:
        return _prune(_OLD.format(which), statements, before, now)
    find, removed = _OLD_OF_ACCOUNT.format(which), 0
    for row in database.rows("SELECT id FROM accounts WHERE environment = 'sandbox'"):
        removed += _prune(find, statements, before, now, row["id"])
    return removed


def _prune(find: str, statements: tuple[str, ...], before: int, now: int, account: str | None = None) -> int:
    params = {"until": ids.earliest(before), "before": before, "account": account, "batch": _BATCH}
    removed, params = 0, {"after": "", **params}
    if not database.rows(find, params):
        return 0  # the usual case; saves a write transaction
    while True:
        with database.write(durable=False):
            production_ids = [row["id"] for row in database.rows(find, params)]
            file_removal.forget_productions(production_ids, now)
            for statement in statements:
                database.execute(statement, {"ids": json.dumps(production_ids)})
        if not production_ids:
            return removed
        removed, params["after"] = removed + len(production_ids), production_ids[-1]
