"""API keys: create, authenticate, verify and rotate them. Only hashes are stored."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from ipaddress import IPv4Network, IPv6Network
from typing import Any

from svc.base import client_addresses, clock, ids
from svc.base.crypto import signing
from svc.base.errors import KeyAlreadyRotated, RateLimitExceeded, SelfServeDisabled, Unauthorized
from svc.domain import tiers
from svc.domain.access import scopes
from svc.domain.access.idempotency import NOT_KEPT, FirstAnswer
from svc.domain.caller import Caller
from svc.domain.partners import status as partner_status
from svc.domain.people import audit
from svc.store import database
from svc.store.read_cache import ReadCache

GRACE = 24 * clock.HOUR  # specification, "Other constants": old key grace period after rotation
ACTIVATION_LIFETIME = 7 * clock.DAY
MOST_A_DAY = 200  # keys that a partner makes and rotates

_ENDED = "min(coalesce({0}.revoked_at, 4611686018427387904), coalesce({0}.expires_at, 4611686018427387904)) < :before"
# A key to which one was rotated that has not ended so long ago stays for as long as that one.
_PRUNE_KEYS = f"""
    DELETE FROM api_keys WHERE {_ENDED.format("api_keys")} AND NOT EXISTS (
        SELECT 1 FROM api_keys o WHERE o.rotated_to = api_keys.id AND NOT {_ENDED.format("o")})
"""

_callers = ReadCache("access")  # by hash

_WELL_FORMED = re.compile(r"svc_(live|test|activate)_[A-Za-z0-9_-]{43}([A-Za-z0-9_-]{5})?", re.ASCII)

_BY_HASH = """
    SELECT k.id, k.hash, k.prefix, k.name, k.environment, k.creator, k.scopes, k.permitted_account_ids, k.expires_at,
           k.allowed_ranges, p.id AS partner_id, p.name AS partner_name, p.status AS partner_status, p.tier,
           p.key_rotation, p.self_lifecycle
    FROM api_keys k JOIN partners p ON p.id = k.partner_id
    WHERE k.hash = :hash AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > :now)
"""
_BY_ID = _BY_HASH.replace("k.hash = :hash", "k.id = :id")
_ACTIVATION_BY_HASH = """
    SELECT k.id, k.hash, k.prefix, k.name, 'live' AS environment, NULL AS creator, k.scopes, k.permitted_account_ids,
           k.expires_at, k.allowed_ranges, p.id AS partner_id, p.name AS partner_name, p.status AS partner_status, p.tier,
           p.key_rotation, p.self_lifecycle
    FROM activation_keys k JOIN partners p ON p.id = k.partner_id
    WHERE k.hash = :hash AND k.expires_at > :now AND k.spent_at IS NULL
"""
_INSERT = """
    INSERT INTO api_keys (id, partner_id, hash, prefix, environment, name, creator, scopes, permitted_account_ids,
                          created_at, verified_at, expires_at, allowed_ranges)
    VALUES (:id, :partner_id, :hash, :prefix, :environment, :name, :creator, :scopes, :permitted, :now, :verified_at,
            :expires_at, :ranges)
"""


def authenticate(key: str | None, now: int, *, activation: bool = False, known: Caller | None = None) -> Caller:
    """Return the caller of an API key. Unauthorized: missing, malformed, unknown, revoked or expired.

    ``activation``: the operation accepts activation keys (only verify does). The partner's status is not checked.
    ``known``: what this function returned for the same key before, so that it need not be hashed again.
    """
    if known is not None and key is not None and not key.startswith(signing.ACTIVATION_PREFIX):
        return _valid(key, known.key_hash, now)
    if not key:
        raise Unauthorized("The X-API-Key header is missing. Send your API key in it.")
    if not _WELL_FORMED.fullmatch(key):
        raise Unauthorized("The X-API-Key header does not hold a well-formed key: svc_live_ or svc_test_ and 48 characters.")
    if key.startswith(signing.ACTIVATION_PREFIX):
        if not activation:
            raise Unauthorized("Use an activation key only for GET /v1/partners/verify, which returns the live key.")
        return _find(_ACTIVATION_BY_HASH, key, signing.key_hash(key), now)
    return _valid(key, signing.key_hash(key), now)


def _valid(key: str, key_hash: bytes, now: int) -> Caller:
    """Return the caller of a well-formed key. Unauthorized: it is unknown, revoked or expired."""
    caller = _callers.get(key_hash, lambda: _find(_BY_HASH, key, key_hash, now))
    if caller.expires_at is not None and caller.expires_at <= now:
        raise _unknown()
    return caller


def _find(statement: str, key: str, key_hash: bytes, now: int) -> Caller:
    if signing.is_mistyped(key):
        raise Unauthorized("The key in the X-API-Key header is truncated or mistyped: its checksum is wrong. Copy it again.")
    row = database.row(statement, {"hash": key_hash, "now": now})
    if row is None:
        raise _unknown()
    return _caller(row)


def _unknown() -> Unauthorized:
    return Unauthorized("This API key is not valid: it is unknown, revoked or expired.")


def caller_of(key_id: str, now: int) -> Caller | None:
    """Return the caller of a key by its id; None: unknown, revoked or expired."""
    row = database.row(_BY_ID, {"id": key_id, "now": now})
    return _caller(row) if row else None


def _caller(row: database.Row) -> Caller:
    return Caller(
        key_id=row["id"], key_prefix=row["prefix"], key_name=row["name"], environment=row["environment"],
        creator=row["creator"], scopes=_set(row["scopes"]), permitted=_set(row["permitted_account_ids"]),
        partner_id=row["partner_id"], partner_name=row["partner_name"], partner_status=row["partner_status"],
        tier=row["tier"], key_rotation=bool(row["key_rotation"]), self_lifecycle=bool(row["self_lifecycle"]),
        expires_at=row["expires_at"], ranges=_ranges(row["allowed_ranges"]), key_hash=row["hash"],
    )  # fmt: skip


def _set(stored: str | None) -> frozenset[str] | None:
    return None if stored is None else frozenset(json.loads(stored))


def _ranges(stored: str | None) -> tuple[IPv4Network | IPv6Network, ...] | None:
    return None if stored is None else tuple(client_addresses.network_of(text) for text in json.loads(stored))


def check_partner(caller: Caller) -> None:
    """Raise PartnerNotActive unless the status of the partner is Active."""
    partner_status.check(caller.partner_status)


def create(
    partner_id: str, environment: str, name: str, now: int, *,
    creator: str | None = None, scope_list: list[str] | None = None, permitted: list[str] | None = None,
    verified_at: int | None = None, expires_at: int | None = None, ranges: Sequence[str] | None = None,
) -> tuple[str, str]:  # fmt: skip
    """Create a key; return its id and the key, which is not stored. Call it inside write().

    ``expires_at``: milliseconds, None: never; ``ranges``: CIDR ranges from which it may be used, None: any.
    """
    key = signing.new_key(signing.TEST_PREFIX if environment == "test" else signing.LIVE_PREFIX)
    key_id = ids.new(now)
    database.execute(_INSERT, {
        "id": key_id, "partner_id": partner_id, "hash": signing.key_hash(key), "prefix": signing.shown(key),
        "environment": environment, "name": name, "creator": creator, "now": now, "verified_at": verified_at,
        "scopes": None if scope_list is None else json.dumps(scopes.normalise(scope_list)),
        "permitted": None if permitted is None else json.dumps(permitted),
        "expires_at": expires_at, "ranges": None if ranges is None else json.dumps(ranges),
    })  # fmt: skip
    return key_id, key


def require_few(partner_id: str, now: int) -> None:
    """Raise RateLimitExceeded if the partner made too many keys lately. Inside write()."""
    sql = "SELECT count(*) FROM api_keys WHERE partner_id = ? AND created_at > ?"
    if database.one(sql, (partner_id, now - clock.DAY))[0] >= MOST_A_DAY:
        message = f"A partner makes and rotates at most {MOST_A_DAY} keys in 24 hours; try again later."
        raise RateLimitExceeded(message, retry_after=clock.HOUR // clock.SECOND)


def prune(before: int) -> None:
    """Remove keys and activation keys that ended before ``before`` (ms), and whose requests are no longer in the history."""
    with database.write(durable=False):
        database.execute(_PRUNE_KEYS, {"before": before})
        database.execute("DELETE FROM activation_keys WHERE expires_at < ?", (before,))


def create_activation(
    partner_id: str, name: str, now: int, *, scope_list: list[str] | None = None, permitted: list[str] | None = None,
    expires_at: int | None = None, ranges: Sequence[str] | None = None,
) -> str:  # fmt: skip
    """Create an activation key, which verify exchanges for a live key, and return it. Call it inside write().

    ``expires_at``, ``ranges``: of the live key; the ranges also apply to the activation key.
    """
    key = signing.new_key(signing.ACTIVATION_PREFIX)
    database.insert("activation_keys", {
        "id": ids.new(now), "partner_id": partner_id, "hash": signing.key_hash(key), "prefix": signing.shown(key),
        "name": name, "scopes": None if scope_list is None else json.dumps(scopes.normalise(scope_list)),
        "permitted_account_ids": None if permitted is None else json.dumps(permitted), "created_at": now,
        "expires_at": min(now + ACTIVATION_LIFETIME, expires_at or 2**62), "key_expires_at": expires_at,
        "allowed_ranges": None if ranges is None else json.dumps(ranges),
    })  # fmt: skip
    return key


def verify(caller: Caller, presented: str, now: int, *, spend: bool = True) -> dict[str, Any]:
    """Return the properties of a key. ``apiKey``: the key on its first verify, or the live key for an activation key.

    ``spend``: False for a request that must not change anything, such as HEAD; ``apiKey`` is then None.
    """
    key = None
    if spend and presented.startswith(signing.ACTIVATION_PREFIX):
        caller, key = _activate(caller, now)
    elif spend and _note_first_verify(caller, now):
        key = presented
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
        "allowedRanges": None if caller.ranges is None else [str(network) for network in caller.ranges],
        "limits": tiers.view(caller.tier),
        "apiKey": key,
    }


def _note_first_verify(caller: Caller, now: int) -> bool:
    with database.write():
        sql = "UPDATE api_keys SET verified_at = ? WHERE id = ? AND verified_at IS NULL"
        return bool(database.execute(sql, (now, caller.key_id)))


def _activate(caller: Caller, now: int) -> tuple[Caller, str]:
    """Create the live key of an activation key, which is spent with it, and return it. Unauthorized: another request was first.

    It is stored nowhere and shown here alone (DECISIONS.md §3): where the answer is lost, the operator makes another one.
    """
    with database.write():
        sql = "UPDATE activation_keys SET spent_at = ? WHERE id = ? AND spent_at IS NULL RETURNING key_expires_at"
        spent = database.rows(sql, (now, caller.key_id))
        if not spent:
            raise _unknown()
        expires_at = spent[0]["key_expires_at"]
        key_id, key = create(
            caller.partner_id,
            "live",
            caller.key_name,
            now,
            verified_at=now,
            expires_at=expires_at,
            scope_list=None if caller.scopes is None else sorted(caller.scopes),
            permitted=None if caller.permitted is None else sorted(caller.permitted),
            ranges=None if caller.ranges is None else [str(network) for network in caller.ranges],
        )
        _enter(caller, "key.activate", now, after={"keyId": key_id, "prefix": signing.shown(key)})
    return replace(caller, key_id=key_id, key_prefix=signing.shown(key), expires_at=expires_at), key


def _enter(caller: Caller, action: str, now: int, actor: audit.Actor | None = None, **more: Any) -> None:
    """Record in the audit log an action that was authenticated with the key itself."""
    actor = actor or audit.Actor(None, f"API key {caller.key_prefix}…")
    subject = f"{caller.key_name} ({caller.key_prefix}…)"
    audit.record(actor, action, subject, now, subject_id=caller.key_id, partner_id=caller.partner_id, **more)


def rotate(caller: Caller, now: int, first: FirstAnswer = NOT_KEPT, actor: audit.Actor | None = None) -> dict[str, Any]:
    """Create a new key with the same scopes, accounts, addresses and expiry; the old one stays valid for at most 24 hours.

    The rotation is recorded in the audit log. ``first``: stores the answer for a repeated request. ``actor``: the user of the
    console; None: the key itself.

    SelfServeDisabled: rotation is not enabled for the partner. KeyAlreadyRotated: the key was rotated before.
    """
    if not caller.key_rotation:
        raise SelfServeDisabled("Self-serve key rotation is not enabled for your partner account; ask the operator.")
    ends = min(now + GRACE, caller.expires_at or 2**62)
    with first.transaction() as keep:
        require_few(caller.partner_id, now)
        key_id, key = create(
            caller.partner_id, caller.environment, caller.key_name, now, creator=caller.creator,
            scope_list=None if caller.scopes is None else sorted(caller.scopes),
            permitted=None if caller.permitted is None else sorted(caller.permitted), verified_at=now,
            expires_at=caller.expires_at, ranges=None if caller.ranges is None else [str(network) for network in caller.ranges],
        )  # fmt: skip
        updated = database.execute(
            "UPDATE api_keys SET rotated_to = ?, expires_at = ? WHERE id = ? AND rotated_to IS NULL AND revoked_at IS NULL",
            (key_id, ends, caller.key_id),
        )
        if not updated:
            raise KeyAlreadyRotated()
        before, after = {"prefix": caller.key_prefix}, {"prefix": signing.shown(key)}
        _enter(caller, "key.rotate", now, actor, before=before, after=after)
        return keep(
            {
                "apiKey": key,
                "keyPrefix": signing.shown(key),
                "activeFrom": clock.text(now),
                "previousKeyPrefix": caller.key_prefix,
                "previousKeyExpiresAt": clock.text(ends),
            }
        )
