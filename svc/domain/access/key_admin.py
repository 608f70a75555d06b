"""Administration of API keys: users create, rotate and revoke them,
with entries in the audit log.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from svc.base.crypto import signing
from svc.base.errors import Conflict, InvalidRequest, NotFound, NotYours
from svc.domain import form_fields, partner_status, scopes
from svc.domain.access import key_limits, keys
from svc.domain.access.key_limits import Limits
from svc.domain.audit import audit
from svc.domain.partners import admin as partner_admin
from svc.domain.people.users import Viewer
from svc.domain.tables import access as tables
from svc.domain.tables.access import Key
from svc.store.database import db
from svc.store.expressions import JOIN, fn
from svc.store.models.access import ActivationKey, ApiKey
from svc.store.models.partners import Account
from svc.store.models.people import User
from svc.store.queries import Prepared, slot

MOST = 100  # active keys of a partner
_NAME = form_fields.words(100)


class NamedKey(Key):
    """A key with the name of the user who created it."""

    creator_name: str | None


_OF_PARTNER = Prepared(
    ApiKey.select(ApiKey, User.name.alias("creator_name"))
    .join(User, JOIN.LEFT_OUTER, on=User.id == ApiKey.creator)
    .where(ApiKey.partner_id == slot("partner_id"))
    .order_by(ApiKey.created_at.desc(), ApiKey.id.desc())
    .limit(500),
    NamedKey,
)
_IN_USE = ApiKey.revoked_at.is_null() & (
    ApiKey.expires_at.is_null() | (ApiKey.expires_at > slot("now"))
)


def _successor_query() -> Prepared[Key]:
    """Return the query of the chain of keys that replaced a key by rotation."""
    key = ApiKey.alias("k")
    later = (
        ApiKey.select(ApiKey.rotated_to)
        .where(ApiKey.id == slot("id"), ApiKey.rotated_to.is_null(False))
        .cte("later", recursive=True, columns=("id",))
    )
    chain = later.union(
        key.select(key.rotated_to)
        .join(later, on=later.c.id == key.id)
        .where(key.rotated_to.is_null(False))
    )
    return Prepared(
        ApiKey.select()
        .join(chain, on=chain.c.id == ApiKey.id)
        .where(_IN_USE)
        .order_by(ApiKey.created_at, ApiKey.id)
        .with_cte(chain),
        Key,
    )


_SUCCESSORS = _successor_query()
_ACTIVATIONS = Prepared(
    ActivationKey.select()
    .where(
        ActivationKey.partner_id == slot("partner_id"),
        ActivationKey.spent_at.is_null(),
        ActivationKey.expires_at > slot("now"),
    )
    .order_by(ActivationKey.created_at),
    tables.ActivationKey,
)
_FIND_ACTIVATION = Prepared(
    ActivationKey.select(ActivationKey.name, ActivationKey.partner_id, ActivationKey.prefix).where(
        ActivationKey.id == slot("id")
    )
)
_WITHDRAW = Prepared(
    ActivationKey.update(expires_at=slot("now")).where(
        ActivationKey.id == slot("id"),
        ActivationKey.spent_at.is_null(),
        ActivationKey.expires_at > slot("now"),
    )
)
_END = Prepared(ApiKey.update(revoked_at=slot("now")).where(ApiKey.id == slot("id"), _IN_USE))
_FIND = Prepared(ApiKey.select().where(ApiKey.id == slot("id")), Key)
_NUMBER_IN_USE = Prepared(
    ApiKey.select(fn.count(ApiKey.id)).where(ApiKey.partner_id == slot("partner_id"), _IN_USE)
)
_LIVE_ACCOUNTS = Prepared(
    Account.select(Account.id).where(
        Account.partner_id == slot("partner_id"), Account.environment == "live"
    )
)


def list_keys(partner_id: str) -> list[NamedKey]:
    """Return the keys of a partner, newest first."""
    return _OF_PARTNER.rows(partner_id=partner_id)


def list_activation_keys(partner_id: str, now: int) -> list[tables.ActivationKey]:
    """Return the activation keys of a partner that are neither spent nor expired."""
    return _ACTIVATIONS.rows(partner_id=partner_id, now=now)


def find_key_state(key: Key, now: int) -> str:
    """Return ``Active``, ``Rotated`` (in its grace period), ``Expired`` or ``Revoked``."""
    if key["revoked_at"] is not None:
        return "Revoked"
    if key["expires_at"] is not None and key["expires_at"] <= now:
        return "Expired"
    return "Active" if key["rotated_to"] is None else "Rotated"


def list_scopes(key: Key | tables.ActivationKey) -> list[str]:
    """Return the scopes of a key as a list, also if it has all."""
    return list(scopes.ALL) if key["scopes"] is None else json.loads(key["scopes"])


def create_test_key(
    viewer: Viewer,
    name: str,
    scope_list: Iterable[str],
    platforms: Iterable[str],
    now: int,
    actor: audit.Actor | None = None,
    limits: Limits = key_limits.NO_LIMITS,
) -> tuple[str, str]:
    """Create a test key for the user's own sandbox (created when needed); return its id, and the
    key, shown once.

    ``scope_list``: scopes; empty: the read-only ones. ``actor``: the person who acts on the user's
    behalf; None: the user.

    Raises:
        InvalidRequest: A field is not valid; the error names it.
        NotYours: An operator has no sandbox.
        PartnerNotActive: The partner is suspended or closed.
    """
    if viewer.partner_id is None:
        raise NotYours(
            "Only a partner's users have test keys; for a live key, give the partner an "
            "activation key."
        )
    name, chosen = _check_name_and_scopes(name, scope_list)
    with audit.recording(
        actor or viewer.actor, "key.add", None, now, in_turn_of=viewer.partner_id
    ) as entry:
        partner_status.require_active(viewer.partner_id)
        _check_room(viewer.partner_id, now)
        partner_admin.ensure_sandbox(viewer, platforms, now)
        key_id, key = keys.create(
            viewer.partner_id,
            "test",
            name,
            now,
            creator=viewer.id,
            scope_list=chosen,
            verified_at=now,
            expires_at=limits.expires_at,
            ranges=limits.ranges,
        )
        entry.describe(
            _describe_key(name, signing.shorten_key(key)),
            subject_id=key_id,
            partner_id=viewer.partner_id,
            after={"environment": "test", "scopes": chosen, **limits.represent()},
        )
        return key_id, key


def create_activation_key(
    actor: audit.Actor,
    partner_id: str,
    name: str,
    scope_list: Iterable[str],
    now: int,
    permitted: list[str] | None = None,
    limits: Limits = key_limits.NO_LIMITS,
) -> str:
    """Create an activation key, and return it to be shown once; verify exchanges it for a live key
    that only its user sees.

    ``permitted``: live accounts of the partner; None: all. ``limits``: of the live key.
    PartnerNotActive.
    """
    name, chosen = _check_name_and_scopes(name, scope_list)
    with audit.recording(actor, "key.activation", None, now, in_turn_of=partner_id) as entry:
        partner_status.require_active(partner_id)
        partner = partner_admin.find(partner_admin.PARTNER, partner_id)
        unknown = {*(permitted or ())} - {
            row["id"] for row in _LIVE_ACCOUNTS.rows(partner_id=partner_id)
        }
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
        entry.describe(
            name,
            subject_id=partner_id,
            partner_id=partner_id,
            after={
                "partner": partner["name"],
                "scopes": chosen,
                "permitted": permitted or None,
                **limits.represent(),
            },
        )
        return key


def withdraw_activation(actor: audit.Actor, activation_id: str, now: int) -> None:
    """End an activation key that is not spent. NotFound: there is none."""
    row = _FIND_ACTIVATION.row(id=activation_id)
    partner_id: str | None = row["partner_id"] if row else None
    with audit.recording(actor, "key.withdraw", None, now, in_turn_of=partner_id) as entry:
        if row is None or not _WITHDRAW.execute(id=activation_id, now=now):
            raise NotFound("There is no such unused activation key.")
        entry.describe(
            row["name"],
            subject_id=activation_id,
            partner_id=partner_id,
            before={"prefix": row["prefix"]},
        )


@dataclass(frozen=True)
class Revoked:
    """The result of a revocation: prefixes of the revoked keys,
    and of keys that replaced them and are still active.
    """

    ended: tuple[str, ...]
    still_in_use: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """Return the result as a text for users."""
        ended = " and ".join(f"{prefix}…" for prefix in self.ended)
        done = (
            f"The key {ended} is revoked"
            if len(self.ended) == 1
            else f"The keys {ended} are revoked"
        )
        left = " and ".join(f"{prefix}…" for prefix in self.still_in_use)
        works = "works" if len(self.still_in_use) == 1 else "work"
        return (
            f"{done}. {left}, which replaced it by rotation, still {works}."
            if left
            else f"{done}; no key that replaced it is in use."
        )


def list_successors(key_id: str, now: int) -> list[Key]:
    """Return the active keys that replaced a key by rotation,
    directly or indirectly, oldest first.
    """
    return _SUCCESSORS.rows(id=key_id, now=now)


def revoke(
    viewer_or_actor: Viewer | audit.Actor, key_id: str, now: int, *, with_successors: bool = False
) -> Revoked:
    """Revoke a key at once, and ``with_successors`` the keys that replaced it: a thief may have
    rotated a stolen key.

    NotFound: there is none that the viewer may see. Conflict: the keys have ended already.
    """
    partner_id = _find_key(viewer_or_actor, key_id)["partner_id"]
    with db.transaction(partner=partner_id):
        row = _find_key(viewer_or_actor, key_id)
        later = list_successors(key_id, now)
        actor = _get_actor(viewer_or_actor)
        ended = [
            key
            for key in [row, *(later if with_successors else ())]
            if _revoke_key(actor, key, now)
        ]
        if not ended:
            raise Conflict(f"This key is {find_key_state(row, now).lower()} already.")
        left = [key["prefix"] for key in later if key not in ended]
        return Revoked(tuple(key["prefix"] for key in ended), tuple(left))


def rotate(viewer: Viewer, key_id: str, now: int) -> dict[str, Any]:
    """Rotate a key like ``POST /v1/partners/keys/rotate``.

    NotYours: another user's test key. PartnerNotActive.
    """
    row = _find_key(viewer, key_id)
    if viewer.is_operator:
        raise NotYours(
            "Only the partner's own users can rotate keys, because the new key is shown to them."
        )
    if row["environment"] == "test" and row["creator"] != viewer.id:
        raise NotYours(
            "A test key belongs to the user who created it, and only that user can rotate it. You "
            "can revoke it."
        )
    caller = keys.find_caller(key_id, now)
    if caller is None:
        raise Conflict(f"This key is {find_key_state(row, now).lower()} already.")
    keys.check_partner(caller)
    return keys.rotate(caller, now, actor=viewer.actor)


def _find_key(who: Viewer | audit.Actor, key_id: str) -> Key:
    row = _FIND.row(id=key_id)
    if row is None or (isinstance(who, Viewer) and not who.sees(row["partner_id"])):
        raise NotFound("There is no such API key.")
    return row


def _get_actor(who: Viewer | audit.Actor) -> audit.Actor:
    return who.actor if isinstance(who, Viewer) else who


def _revoke_key(actor: audit.Actor, key: Key, now: int) -> bool:
    """Revoke a key, and return whether it was in use."""
    with audit.recording(actor, "key.revoke", None, now) as entry:
        if not _END.execute(id=key["id"], now=now):
            entry.omit()
            return False
        entry.describe(
            _describe_key(key["name"], key["prefix"]),
            subject_id=key["id"],
            partner_id=key["partner_id"],
            before={"prefix": key["prefix"]},
        )
        return True


def _describe_key(name: str, prefix: str) -> str:
    return f"{name} ({prefix}…)"


def _check_name_and_scopes(name: str, scope_list: Iterable[str]) -> tuple[str, list[str]]:
    values = form_fields.read({"name": _NAME}, {"name": name})
    try:
        return values["name"], scopes.normalise(list(scope_list) or list(scopes.READ_ONLY))
    except ValueError as error:
        raise InvalidRequest(str(error), fields={"scopes": [str(error)]}) from error


def _check_room(partner_id: str, now: int) -> None:
    keys.check_creation_rate(partner_id, now)
    if _NUMBER_IN_USE.value(partner_id=partner_id, now=now) >= MOST:
        raise Conflict(
            f"A partner has at most {MOST} keys in use; revoke one that is no longer needed."
        )
