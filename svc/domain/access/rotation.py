"""The rotation of the master keys where several machines share the database, in two phases.

First the new key is recorded, and waits: each process that has it in its file ``secret`` accepts
it, and says so with its sign of life. When all that live have it, it begins to sign.
"""

import json
import time
from collections.abc import Callable
from pathlib import Path

from svc.base import clock
from svc.base.crypto import key_ring
from svc.base.errors import SettingsError, StartRefused
from svc.domain import master_keys
from svc.domain.monitoring import workers
from svc.domain.tables.access import MasterKey
from svc.domain.tables.productions import ShownWorker
from svc.store.database import db
from svc.store.models import access as models
from svc.store.queries import Prepared, slot, slots

_KEY = models.MasterKey
_ANNOUNCE = Prepared(_KEY.insert(slots("version", "fingerprint", "added_at", "waits_since")))
_BEGIN_TO_SIGN = Prepared(
    _KEY.update(waits_since=None).where(
        _KEY.version == slot("version"), _KEY.waits_since.is_null(False)
    )
)
# How long after it was recorded a key that no process has is abandoned: its command was
# interrupted, or a backup was restored that does not contain it.
_ABANDONED_AFTER = clock.MINUTE
_LOOK_SECONDS = 0.5
_LOOKS = 20  # longer than two signs of life


def begin(secret: Path, now: int) -> int:
    """Add a master key to the file ``secret``, and record that it waits; return its version.

    One that waits already is gone on with. StartRefused: the file is not that of the open
    database, another machine's key waits, or a process of an earlier release would sign at once.
    """
    if message := master_keys.describe_mismatch(secret, master_keys.list_recorded()):
        raise StartRefused(f"{message}: {master_keys.operator_hint(secret)}.")
    if early := [row for row in _list_living(now) if row["master_keys"] is None]:
        raise StartRefused(
            f"{describe(early)} has not the present release, and would sign with a new master key "
            "before the others have it: replace it first."
        )
    with key_ring.hold_lock(secret):
        keys, key = key_ring.read(secret), key_ring.make_key()
        with db.transaction():
            recorded = master_keys.list_recorded()
            if waiting := _find_waiting(recorded):
                own = keys.get(waiting["version"])
                if own and key_ring.compute_fingerprint(own) == waiting["fingerprint"]:
                    return waiting["version"]
                _require_abandoned(waiting, now)
                master_keys.mark_retired(waiting["version"], now)
            version = max([*keys, *(row["version"] for row in recorded)]) + 1
            _ANNOUNCE.execute(
                version=version,
                fingerprint=key_ring.compute_fingerprint(key),
                added_at=now,
                waits_since=now,
            )
        # The file is written after the commit, so that it never has a key that another one's of its
        # number replaces.
        key_ring.add(secret, version, key)
    return version


def _require_abandoned(waiting: MasterKey, now: int) -> None:
    """StartRefused: a living process has the key that waits, or may be getting it."""
    holders = [row for row in _list_living(now) if _holds_version(row, waiting["version"])]
    if holders or abs(now - (waiting["waits_since"] or 0)) < _ABANDONED_AFTER:
        raise StartRefused(
            f"Master key {waiting['version']} was added elsewhere"
            f"{f' ({describe(holders)})' if holders else ''}, and is not in use yet: copy that "
            "secret to all servers and workers, or repeat this command in a minute if it is lost."
        )


def sign_with_waiting_key(now: int, own: int | None = None) -> bool:
    """Let the key that waits sign if all living processes have it; return whether none waits now.

    ``own``: a version that the caller has, although it gives no signs of life.
    """
    waiting = _find_waiting(master_keys.list_recorded())
    if waiting is None:
        return True
    version, living = waiting["version"], _list_living(now)
    if not (living or own == version) or list_lacking(version, now):
        return False
    with db.transaction():
        _BEGIN_TO_SIGN.execute(version=version)
    return True


def await_all(
    version: int, now: Callable[[], int], sleep: Callable[[float], None] = time.sleep
) -> list[ShownWorker]:
    """Wait some seconds until the key signs; return the processes that still lack it."""
    for _ in range(_LOOKS):
        if sign_with_waiting_key(now(), version):
            return []
        sleep(_LOOK_SECONDS)
    return list_lacking(version, now())


def list_lacking(version: int, now: int) -> list[ShownWorker]:
    """Return the living processes that do not have a master key."""
    return [row for row in _list_living(now) if not _holds_version(row, version)]


def require_all_sign_with_newest(now: int) -> None:
    """SettingsError: a key waits, or a living process may still sign with an older one."""
    recorded = master_keys.list_recorded()
    if waiting := _find_waiting(recorded):
        version = waiting["version"]
        lacking = describe(list_lacking(version, now)) or "none"
        raise SettingsError(
            f"master key {version} does not sign yet; processes that lack it: {lacking}. Copy the "
            "secret there, or stop them, and repeat the command"
        )
    newest = max(row["version"] for row in recorded if row["retired_at"] is None)
    if older := [row for row in _list_living(now) if row["signs_with"] != newest]:
        raise SettingsError(
            f"{describe(older)} may not sign with master key {newest} yet: repeat the command in "
            "some seconds, or copy the secret there"
        )


def describe(processes: list[ShownWorker]) -> str:
    """Return processes as a part of a sentence."""
    return ", ".join(
        f"the {'worker' if row['role'] == 'worker' else 'server'} {row['pid']} on "
        f"{row['hostname']} (release {row['version']})"
        for row in processes
    )


def _find_waiting(recorded: list[MasterKey]) -> MasterKey | None:
    waiting = [row for row in recorded if row["waits_since"] and row["retired_at"] is None]
    return waiting[-1] if waiting else None


def _list_living(now: int) -> list[ShownWorker]:
    return [row for row in workers.list_with_steps(now) if not row["is_silent"]]


def _holds_version(row: ShownWorker, version: int) -> bool:
    return version in json.loads(row["master_keys"] or "[]")
