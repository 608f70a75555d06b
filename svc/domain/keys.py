"""API keys: made, hashed, authenticated, verified, rotated. No key is ever stored."""

import json
import re
from dataclasses import replace

from svc.base import clock, ids, scopes, signing
from svc.base.errors import KeyAlreadyRotated, SelfServeDisabled, Unauthorized
from svc.domain import audit, partner_status, tiers
from svc.domain.callers import Caller
from svc.store import database
from svc.store.remembered import Remembered

GRACE = 24 * clock.HOUR  # specification, "Other constants": old key grace period after rotation
ACTIVATION_LIFETIME = 7 * clock.DAY

_callers = Remembered("access")  # by hash

_WELL_FORMED = re.compile(r"svc_(live|test|activate)_[A-Za-z0-9_-]{43}", re.ASCII)

_BY_HASH = """
    SELECT k.id, k.hash, k.prefix, k.name, k.environment, k.creator, k.scopes, k.permitted_account_ids, k.expires_at,
           p.id AS partner_id, p.name AS partner_name, p.status AS partner_status, p.tier,
           p.key_rotation, p.self_lifecycle
    FROM api_keys k JOIN partners p ON p.id = k.partner_id
    WHERE k.hash = :hash AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > :now)
"""
_BY_ID = _BY_HASH.replace("k.hash = :hash", "k.id = :id")
_ACTIVATION_BY_HASH = """
    SELECT k.id, k.hash, k.prefix, k.name, 'live' AS environment, NULL AS creator, k.scopes, k.permitted_account_ids,
           k.expires_at, p.id AS partner_id, p.name AS partner_name, p.status AS partner_status, p.tier,
           p.key_rotation, p.self_lifecycle
    FROM activation_keys k JOIN partners p ON p.id = k.partner_id
    WHERE k.hash = :hash AND k.spent_at IS NULL AND k.expires_at > :now
"""
_INSERT = """
    INSERT INTO api_keys (id, partner_id, hash, prefix, environment, name, creator, scopes, permitted_account_ids,
                          created_at, verified_at)
    VALUES (:id, :partner_id, :hash, :prefix, :environment, :name, :creator, :scopes, :permitted, :now, :verified_at)
"""


def authenticate(key: str | None, now: int, *, activation: bool = False) -> Caller:
    """The caller whose key this is. Unauthorized: missing, malformed, unknown, revoked or past its grace period.

    ``activation``: the operation takes activation keys too (verify alone does). The partner's status is not looked at.
    """
    if not key:
        raise Unauthorized("The X-API-Key header is missing. Send your API key in it.")
    if not _WELL_FORMED.fullmatch(key):
        raise Unauthorized("The X-API-Key header does not hold a well-formed key: svc_live_ or svc_test_ and 43 characters.")
    if key.startswith(signing.ACTIVATION_PREFIX):
        if not activation:
            raise Unauthorized("An activation key is spent at GET /v1/partners/verify alone, which answers with the real key.")
        return _find(_ACTIVATION_BY_HASH, signing.key_hash(key), now)
    key_hash = signing.key_hash(key)
    caller = _callers.get(key_hash, lambda: _find(_BY_HASH, key_hash, now))
    if caller.expires_at is not None and caller.expires_at <= now:
        raise _unknown()
    return caller


def _find(statement: str, key_hash: bytes, now: int) -> Caller:
    row = database.row(statement, {"hash": key_hash, "now": now})
    if row is None:
        raise _unknown()
    return _caller(row)


def _unknown() -> Unauthorized:
    return Unauthorized("This API key is not valid: it is unknown, revoked, or past the end of its grace period.")


def caller_of(key_id: str, now: int) -> Caller | None:
    """Whoever calls with that key; None: it has ended."""
    row = database.row(_BY_ID, {"id": key_id, "now": now})
    return _caller(row) if row else None


def _caller(row: database.Row) -> Caller:
    return Caller(
        key_id=row["id"], key_prefix=row["prefix"], key_name=row["name"], environment=row["environment"],
        creator=row["creator"], scopes=_set(row["scopes"]), permitted=_set(row["permitted_account_ids"]),
        partner_id=row["partner_id"], partner_name=row["partner_name"], partner_status=row["partner_status"],
        tier=row["tier"], key_rotation=bool(row["key_rotation"]), self_lifecycle=bool(row["self_lifecycle"]),
        expires_at=row["expires_at"],
    )  # fmt: skip


def _set(stored: str | None) -> frozenset[str] | None:
    return None if stored is None else frozenset(json.loads(stored))


def check_partner(caller: Caller) -> None:
    """PartnerNotActive: the partner account's status is not Active."""
    partner_status.check(caller.partner_status)


def create(
    partner_id: str, environment: str, name: str, now: int, *,
    creator: str | None = None, scope_list: list[str] | None = None, permitted: list[str] | None = None,
    verified_at: int | None = None,
) -> tuple[str, str]:  # fmt: skip
    """Make a key; its id and the key itself, which is not to be had again. Inside write()."""
    key = signing.new_key(signing.TEST_PREFIX if environment == "test" else signing.LIVE_PREFIX)
    key_id = ids.new(now)
    database.execute(_INSERT, {
        "id": key_id, "partner_id": partner_id, "hash": signing.key_hash(key), "prefix": signing.shown(key),
        "environment": environment, "name": name, "creator": creator, "now": now, "verified_at": verified_at,
        "scopes": None if scope_list is None else json.dumps(scopes.normalise(scope_list)),
        "permitted": None if permitted is None else json.dumps(permitted),
    })  # fmt: skip
    return key_id, key


def create_activation(
    partner_id: str, name: str, now: int, *, scope_list: list[str] | None = None, permitted: list[str] | None = None
) -> str:
    """Make an activation key: its one use is verify, which makes the live key. Inside write()."""
    key = signing.new_key(signing.ACTIVATION_PREFIX)
    database.execute(
        "INSERT INTO activation_keys VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)",
        (
            ids.new(now), partner_id, signing.key_hash(key), signing.shown(key), name,
            None if scope_list is None else json.dumps(scopes.normalise(scope_list)),
            None if permitted is None else json.dumps(permitted), now, now + ACTIVATION_LIFETIME,
        ),
    )  # fmt: skip
    return key


def verify(caller: Caller, presented: str, now: int) -> dict:
    """What the key is and may do. ``apiKey``: the key itself on its first verify, or the one that an activation key makes."""
    if presented.startswith(signing.ACTIVATION_PREFIX):
        caller, key = _activate(caller, now)
    else:
        with database.write():
            first = database.execute(
                "UPDATE api_keys SET verified_at = ? WHERE id = ? AND verified_at IS NULL", (now, caller.key_id)
            )
        key = presented if first else None
    return {
        "partnerId": caller.partner_id,
        "partnerName": caller.partner_name,
        "partnerStatus": caller.partner_status,
        "tier": caller.tier,
        "environment": caller.environment,
        "keyName": caller.key_name,
        "keyPrefix": caller.key_prefix,
        "scopes": None if caller.scopes is None else sorted(caller.scopes),
        "permittedAccountIds": None if caller.permitted is None else sorted(caller.permitted),
        "selfServeKeyRotationEnabled": caller.key_rotation,
        "selfServeLifecycleEnabled": caller.self_lifecycle,
        "keyExpiresAt": clock.text(caller.expires_at),
        "limits": tiers.view(caller.tier),
        "apiKey": key,
    }


def _activate(caller: Caller, now: int) -> tuple[Caller, str]:
    with database.write():
        spent = database.execute(
            "UPDATE activation_keys SET spent_at = ? WHERE id = ? AND spent_at IS NULL", (now, caller.key_id)
        )
        if not spent:
            raise Unauthorized("This activation key has been spent: the live key was handed out once.")
        key_id, key = create(
            caller.partner_id, "live", caller.key_name, now, verified_at=now,
            scope_list=None if caller.scopes is None else sorted(caller.scopes),
            permitted=None if caller.permitted is None else sorted(caller.permitted),
        )  # fmt: skip
        _enter("key.activate", caller, key_id, key, now, None)
    return replace(caller, key_id=key_id, key_prefix=signing.shown(key), expires_at=None), key


def rotate(caller: Caller, now: int, actor: audit.Actor | None = None) -> dict:
    """A new key with the same scopes and accounts; the presented one stays valid for 24 hours. Entered in the audit log.

    ``actor``: who does so in the console; None: the key itself.
    SelfServeDisabled: the partner may not. KeyAlreadyRotated: the presented key was rotated before.
    """
    if not caller.key_rotation:
        raise SelfServeDisabled("Self-serve key rotation is not enabled for your partner account; ask the operator.")
    with database.write():
        key_id, key = create(
            caller.partner_id, caller.environment, caller.key_name, now, creator=caller.creator,
            scope_list=None if caller.scopes is None else sorted(caller.scopes),
            permitted=None if caller.permitted is None else sorted(caller.permitted), verified_at=now,
        )  # fmt: skip
        turned = database.execute(
            "UPDATE api_keys SET rotated_to = ?, expires_at = ? WHERE id = ? AND rotated_to IS NULL AND revoked_at IS NULL",
            (key_id, now + GRACE, caller.key_id),
        )
        if not turned:
            raise KeyAlreadyRotated()
        _enter("key.rotate", caller, caller.key_id, key, now, actor)
    return {
        "apiKey": key,
        "keyPrefix": signing.shown(key),
        "activeFrom": clock.text(now),
        "previousKeyPrefix": caller.key_prefix,
        "previousKeyExpiresAt": clock.text(now + GRACE),
    }


def _enter(action: str, caller: Caller, subject_id: str, made: str, now: int, actor: audit.Actor | None) -> None:
    audit.record(
        actor or audit.Actor(None, f"API key {caller.key_prefix}…"), action, f"{caller.key_name} ({caller.key_prefix}…)", now,
        subject_id=subject_id, partner_id=caller.partner_id, before={"prefix": caller.key_prefix},
        after={"prefix": signing.shown(made)},
    )  # fmt: skip
