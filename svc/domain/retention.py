"""How long what has ended is kept: productions with their events, and their files; removed a few at a time."""

import json
from collections.abc import Callable

from svc.base import ids
from svc.store import database, meta

_BATCH = 100  # productions in one transaction
_ENDED = "status IN ('Published', 'Failed', 'Cancelled') AND finished_at < :before"
# By age of their identifiers, which are in the order of the table: no index of its own is needed.
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
      for table in ("deliverables", "events", "plays", "play_days", "play_viewers", "publications", "production_steps",
                    "ledger")),
    f"DELETE FROM productions WHERE id {_THOSE}",
)  # fmt: skip
_REMOVE_FILES = (f"DELETE FROM deliverables WHERE production_id {_THOSE}",)


def prune_productions(before: int, remove: Callable[[str], None], sandboxes: bool = False) -> int:
    """Remove what ended before an instant, with all that hangs on it: how many. ``remove``: called to remove one's files.

    One of whose webhooks some are still to be sent stays until they are.
    """
    return _prune_all(_NOTHING_TO_SEND, _REMOVE, before, remove, sandboxes)


def prune_files(before: int, remove: Callable[[str], None], sandboxes: bool = False) -> int:
    """Remove the files of what ended before an instant: of how many productions. The productions stay."""
    return _prune_all(_WITH_FILES, _REMOVE_FILES, before, remove, sandboxes)


def _prune_all(which: str, statements: tuple[str, ...], before: int, remove: Callable[[str], None], sandboxes: bool) -> int:
    """``sandboxes``: only productions of sandbox accounts, found account by account, so that no live one is read."""
    _remove_files(remove)  # what a process that died had not come to
    if not sandboxes:
        return _prune(_OLD.format(which), statements, before, remove)
    find, removed = _OLD_OF_ACCOUNT.format(which), 0
    for row in database.rows("SELECT id FROM accounts WHERE environment = 'sandbox'"):
        removed += _prune(find, statements, before, remove, row["id"])
    return removed


def _prune(
    find: str, statements: tuple[str, ...], before: int, remove: Callable[[str], None], account: str | None = None
) -> int:
    params = {"until": ids.earliest(before), "before": before, "account": account, "batch": _BATCH}
    removed, asked = 0, {"after": "", **params}
    if not database.rows(find, asked):
        return 0  # mostly there is nothing, and nothing is written
    while True:
        with database.write(durable=False):
            found = [row["id"] for row in database.rows(find, asked)]
            for statement in statements:
                database.execute(statement, {"ids": json.dumps(found)})
            meta.put("files_to_remove", json.dumps(found))
        _remove_files(remove)
        if not found:
            return removed
        removed, asked["after"] = removed + len(found), found[-1]


def _remove_files(remove: Callable[[str], None]) -> None:
    """After the commit, so that nothing names a file that is not there; noted, so that no file is left that nothing names."""
    noted = meta.text("files_to_remove")
    for each in json.loads(noted) if noted else ():
        remove(each)
    with database.write(durable=False):
        meta.remove("files_to_remove")
