"""Administration of API keys: users create, rotate and revoke them, with entries in the audit log."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from svc.base.errors import Conflict, InvalidRequest, NotFound, NotYours
from svc.domain import form_fields, rows
from svc.domain.access import key_limits, keys, scopes
from svc.domain.access.key_limits import Limits
from svc.domain.partners import admin as partner_admin
from svc.domain.partners import status as partner_status
from svc.domain.people import audit
from svc.domain.people.users import Viewer
from svc.domain.tables.access import ActivationKey, Key
from svc.store import database

MOST = 100  # active keys of a partner
_NAME = form_fields.words(100)

_OF_PARTNER = """
    SELECT k.*, u.name AS creator_name FROM api_keys k LEFT JOIN users u ON u.id = k.creator
    WHERE k.partner_id = ? ORDER BY k.created_at DESC, k.id DESC LIMIT 500
"""
# The chain of keys that replaced a key by rotation.
_SUCCESSORS = """
    WITH RECURSIVE later (id) AS (
        SELECT rotated_to FROM api_keys WHERE id = :id AND rotated_to IS NOT NULL
        UNION SELECT k.rotated_to FROM api_keys k JOIN later ON later.id = k.id WHERE k.rotated_to IS NOT NULL
    )
    SELECT k.* FROM api_keys k JOIN later ON later.id = k.id
    WHERE k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > :now) ORDER BY k.created_at, k.id
"""
_IN_USE = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)"


class NamedKey(Key):
    """A key with the name of the user who created it."""

    creator_name: str | None


def of_partner(partner_id: str) -> list[NamedKey]:
    """Return the keys of a partner, newest first."""
    return rows.every(NamedKey, _OF_PARTNER, (partner_id,))


def activations(partner_id: str, now: int) -> list[ActivationKey]:
    """Return the activation keys of a partner that are neither spent nor expired."""
    sql = "SELECT * FROM activation_keys WHERE partner_id = ? AND spent_at IS NULL AND expires_at > ? ORDER BY created_at"
    return rows.every(ActivationKey, sql, (partner_id, now))


def state(key: Key, now: int) -> str:
    """Return ``Active``, ``Rotated`` (in its grace period), ``Expired`` or ``Revoked``."""
    if key["revoked_at"] is not None:
        return "Revoked"
    if key["expires_at"] is not None and key["expires_at"] <= now:
        return "Expired"
    return "Active" if key["rotated_to"] is None else "Rotated"


def scope_list(key: Key | ActivationKey) -> list[str]:
    """Return the scopes of a key as a list, also if it has all."""
    return list(scopes.ALL) if key["scopes"] is None else json.loads(key["scopes"])


def make_test(
    viewer: Viewer,
    name: str,
    wanted: Iterable[str],
    platforms: Iterable[str],
    now: int,
    actor: audit.Actor | None = None,
    limits: Limits = key_limits.NONE,
) -> tuple[str, str]:
    """Create a test key for the user's own sandbox (created when needed); return its id, and the key, shown once.

    ``wanted``: scopes; empty: the read-only ones. ``actor``: the person who acts on the user's behalf; None: the user.
    InvalidRequest: names the fields. NotYours: an operator has no sandbox. PartnerNotActive.
    """
    if viewer.partner_id is None:
        raise NotYours("Only a partner's users have test keys; for a live key, give the partner an activation key.")
    name, chosen = _checked(name, wanted)
    with database.write():
        partner_status.require_active(viewer.partner_id)
        _needs_room(viewer.partner_id, now)
        partner_admin.ensure_sandbox(viewer, platforms, now)
        key_id, key = keys.create(
            viewer.partner_id, "test", name, now, creator=viewer.id, scope_list=chosen, verified_at=now,
            expires_at=limits.expires_at, ranges=limits.ranges,
        )  # fmt: skip
        after = {"environment": "test", "scopes": chosen, **limits.view()}
        _enter(actor or viewer.actor, "key.add", key_id, now, after=after)
        return key_id, key


def make_activation(
    actor: audit.Actor,
    partner_id: str,
    name: str,
    wanted: Iterable[str],
    now: int,
    permitted: list[str] | None = None,
    limits: Limits = key_limits.NONE,
) -> str:
    """Create an activation key, and return it to be shown once; verify exchanges it for a live key that only its user sees.

    ``permitted``: live accounts of the partner; None: all. ``limits``: of the live key. PartnerNotActive.
    """
    name, chosen = _checked(name, wanted)
    with database.write():
        partner_status.require_active(partner_id)
        partner = partner_admin.find(partner_admin.PARTNER, partner_id)
        unknown = {*(permitted or ())} - {row["id"] for row in _live_accounts(partner_id)}
        if unknown:
            message = f"{sorted(unknown)[0]} is not a live account of this partner."
            raise InvalidRequest(message, fields={"permitted": [message]})
        key = keys.create_activation(
            partner_id,
            name,
            now,
            scope_list=chosen,
            permitted=permitted or None,
            expires_at=limits.expires_at,
            ranges=limits.ranges,
        )
        audit.record(
            actor,
            "key.activation",
            name,
            now,
            subject_id=partner_id,
            partner_id=partner_id,
            after={"partner": partner["name"], "scopes": chosen, "permitted": permitted or None, **limits.view()},
        )
        return key


def withdraw_activation(actor: audit.Actor, activation_id: str, now: int) -> None:
    """End an activation key that is not spent. NotFound: there is none."""
    with database.write():
        row = database.row("SELECT * FROM activation_keys WHERE id = ?", (activation_id,))
        sql = "UPDATE activation_keys SET expires_at = ? WHERE id = ? AND spent_at IS NULL AND expires_at > ?"
        if row is None or not database.execute(sql, (now, activation_id, now)):
            raise NotFound("There is no such unused activation key.")
        audit.record(
            actor,
            "key.withdraw",
            row["name"],
            now,
            subject_id=activation_id,
            partner_id=row["partner_id"],
            before={"prefix": row["prefix"]},
        )


@dataclass(frozen=True)
class Revoked:
    """The result of a revocation: prefixes of the revoked keys, and of keys that replaced them and are still active."""

    ended: tuple[str, ...]
    still_in_use: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """Return the result as a text for users."""
        ended = " and ".join(f"{prefix}…" for prefix in self.ended)
        done = f"The key {ended} is revoked" if len(self.ended) == 1 else f"The keys {ended} are revoked"
        left = " and ".join(f"{prefix}…" for prefix in self.still_in_use)
        works = "works" if len(self.still_in_use) == 1 else "work"
        return (
            f"{done}. {left}, which replaced it by rotation, still {works}."
            if left
            else f"{done}; no key that replaced it is in use."
        )


def successors(key_id: str, now: int) -> list[Key]:
    """Return the active keys that replaced a key by rotation, directly or indirectly, oldest first."""
    return rows.every(Key, _SUCCESSORS, {"id": key_id, "now": now})


def revoke(viewer_or_actor: Viewer | audit.Actor, key_id: str, now: int, *, with_successors: bool = False) -> Revoked:
    """Revoke a key at once, and ``with_successors`` the keys that replaced it: a thief may have rotated a stolen key.

    NotFound: there is none that the viewer may see. Conflict: the keys have ended already.
    """
    with database.write():
        row = _find(viewer_or_actor, key_id)
        later = successors(key_id, now)
        ended = [key for key in [row, *(later if with_successors else ())] if _end(key["id"], now)]
        if not ended:
            raise Conflict(f"This key is {state(row, now).lower()} already.")
        for key in ended:
            _enter(_actor(viewer_or_actor), "key.revoke", key["id"], now, before={"prefix": key["prefix"]})
        left = [key["prefix"] for key in later if key not in ended]
        return Revoked(tuple(key["prefix"] for key in ended), tuple(left))


def _end(key_id: str, now: int) -> int:
    return database.execute(f"UPDATE api_keys SET revoked_at = :now WHERE id = :id AND {_IN_USE}", {"now": now, "id": key_id})


def rotate(viewer: Viewer, key_id: str, now: int) -> dict[str, Any]:
    """Rotate a key like ``POST /v1/partners/keys/rotate``. NotYours: another user's test key. PartnerNotActive."""
    row = _find(viewer, key_id)
    if viewer.is_operator:
        raise NotYours("Only the partner's own users can rotate keys, because the new key is shown to them.")
    if row["environment"] == "test" and row["creator"] != viewer.id:
        raise NotYours("A test key belongs to the user who created it, and only that user can rotate it. You can revoke it.")
    caller = keys.caller_of(key_id, now)
    if caller is None:
        raise Conflict(f"This key is {state(row, now).lower()} already.")
    keys.check_partner(caller)
    return keys.rotate(caller, now, actor=viewer.actor)


def _find(who: Viewer | audit.Actor, key_id: str) -> Key:
    row = rows.first(Key, "SELECT * FROM api_keys WHERE id = ?", (key_id,))
    if row is None or (isinstance(who, Viewer) and not who.sees(row["partner_id"])):
        raise NotFound("There is no such API key.")
    return row


def _actor(who: Viewer | audit.Actor) -> audit.Actor:
    return who.actor if isinstance(who, Viewer) else who


def _enter(actor: audit.Actor, action: str, key_id: str, now: int, **more: Any) -> None:
    row = database.one("SELECT name, prefix, partner_id FROM api_keys WHERE id = ?", (key_id,))
    subject = f"{row['name']} ({row['prefix']}…)"
    audit.record(actor, action, subject, now, subject_id=key_id, partner_id=row["partner_id"], **more)


def _live_accounts(partner_id: str) -> list[database.Row]:
    return database.rows("SELECT id FROM accounts WHERE partner_id = ? AND environment = 'live'", (partner_id,))


def _checked(name: str, wanted: Iterable[str]) -> tuple[str, list[str]]:
    values = form_fields.read({"name": _NAME}, {"name": name})
    try:
        return values["name"], scopes.normalise(list(wanted) or list(scopes.READ_ONLY))
    except ValueError as error:
        raise InvalidRequest(str(error), fields={"scopes": [str(error)]}) from error


def _needs_room(partner_id: str, now: int) -> None:
    keys.require_few(partner_id, now)
    sql = f"SELECT count(*) FROM api_keys WHERE partner_id = :partner AND {_IN_USE}"
    if database.one(sql, {"partner": partner_id, "now": now})[0] >= MOST:
        raise Conflict(f"A partner has at most {MOST} keys in use; revoke one that is no longer needed.")
