"""API keys: create, authenticate, verify and rotate them. Only hashes are stored."""

import json
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from ipaddress import IPv4Network, IPv6Network
from typing import Any

from svc.base import client_addresses, clock, ids
from svc.base.crypto import signing
from svc.base.errors import KeyAlreadyRotated, RateLimitExceeded, SelfServeDisabled, Unauthorized
from svc.domain import partner_status, scopes, tiers
from svc.domain.access.idempotency import NOT_KEPT, FirstAnswer
from svc.domain.audit import audit
from svc.domain.caller import Caller
from svc.store.database import Row, db
from svc.store.expressions import SQL, fn, least
from svc.store.models.access import ActivationKey, ApiKey
from svc.store.models.partners import Partner
from svc.store.queries import Prepared, slot, slots
from svc.store.read_cache import ReadCache

GRACE = 24 * clock.HOUR  # specification, "Other constants": old key grace period after rotation
ACTIVATION_LIFETIME = 7 * clock.DAY
MOST_A_DAY = 200  # keys that a partner makes and rotates


def _ended_condition(key: Any) -> Any:
    """Return the condition that a key ended before ``before``."""
    return least(fn.coalesce(key.revoked_at, 2**62), fn.coalesce(key.expires_at, 2**62)) < slot(
        "before"
    )


# A key to which one was rotated that has not ended so long ago stays for as long as that one.
_EARLIER = ApiKey.alias("earlier")
_PRUNE_KEYS = Prepared(
    ApiKey.delete().where(
        _ended_condition(ApiKey),
        ~fn.EXISTS(
            _EARLIER.select(1).where(_EARLIER.rotated_to == ApiKey.id, ~_ended_condition(_EARLIER))
        ),
    )
)
_PRUNE_ACTIVATIONS = Prepared(
    ActivationKey.delete().where(ActivationKey.expires_at < slot("before"))
)
_callers = ReadCache("access")  # by hash

_WELL_FORMED = re.compile(
    r"svc_(live|test|activate)_[A-Za-z0-9_-]{43}([A-Za-z0-9_-]{5})?", re.ASCII
)


def _caller_query(key: Any, environment: Any, creator: Any) -> Any:
    """Return the query of what a caller is made of, for keys or activation keys."""
    return key.select(
        key.id,
        key.hash,
        key.prefix,
        key.name,
        environment.alias("environment"),
        creator.alias("creator"),
        key.scopes,
        key.permitted_account_ids,
        key.expires_at,
        key.allowed_ranges,
        Partner.id.alias("partner_id"),
        Partner.name.alias("partner_name"),
        Partner.status.alias("partner_status"),
        Partner.tier,
        Partner.key_rotation,
        Partner.self_lifecycle,
    ).join(Partner, on=Partner.id == key.partner_id)


_VALID = _caller_query(ApiKey, ApiKey.environment, ApiKey.creator).where(
    ApiKey.revoked_at.is_null(), ApiKey.expires_at.is_null() | (ApiKey.expires_at > slot("now"))
)
_BY_HASH = Prepared(_VALID.where(ApiKey.hash == slot("hash")))
_BY_ID = Prepared(_VALID.where(ApiKey.id == slot("id")))
_ACTIVATION_BY_HASH = Prepared(
    _caller_query(ActivationKey, SQL("'live'"), SQL("NULL")).where(
        ActivationKey.hash == slot("hash"),
        ActivationKey.expires_at > slot("now"),
        ActivationKey.spent_at.is_null(),
    )
)
_ADD = Prepared(
    ApiKey.insert(
        slots(
            "id",
            "partner_id",
            "hash",
            "prefix",
            "environment",
            "name",
            "creator",
            "scopes",
            "permitted_account_ids",
            "created_at",
            "verified_at",
            "expires_at",
            "allowed_ranges",
        )
    )
)
_ADD_ACTIVATION = Prepared(
    ActivationKey.insert(
        slots(
            "id",
            "partner_id",
            "hash",
            "prefix",
            "name",
            "scopes",
            "permitted_account_ids",
            "created_at",
            "expires_at",
            "key_expires_at",
            "allowed_ranges",
        )
    )
)
_MADE_SINCE = Prepared(
    ApiKey.select(fn.count(ApiKey.id)).where(
        ApiKey.partner_id == slot("partner_id"),
        ApiKey.created_at > slot("since"),
        ApiKey.created_at <= slot("latest"),
    )
)
_NOTE_VERIFY = Prepared(
    ApiKey.update(verified_at=slot("now")).where(
        ApiKey.id == slot("id"), ApiKey.verified_at.is_null()
    )
)
_SPEND = Prepared(
    ActivationKey.update(spent_at=slot("now"))
    .where(ActivationKey.id == slot("id"), ActivationKey.spent_at.is_null())
    .returning(ActivationKey.key_expires_at)
)
_ROTATE = Prepared(
    ApiKey.update(rotated_to=slot("rotated_to"), expires_at=slot("expires_at")).where(
        ApiKey.id == slot("id"), ApiKey.rotated_to.is_null(), ApiKey.revoked_at.is_null()
    )
)


def authenticate(
    key: str | None, now: int, *, activation: bool = False, known: Caller | None = None
) -> Caller:
    """Return the caller of an API key. Unauthorized: missing, malformed, unknown, revoked or
    expired.

    ``activation``: the operation accepts activation keys (only verify does). The partner's status
    is not checked. ``known``: what this function returned for the same key before, so that it need
    not be hashed again.
    """
    if known is not None and key is not None and not key.startswith(signing.ACTIVATION_PREFIX):
        return _check_key(key, known.key_hash, now)
    if not key:
        raise Unauthorized("The X-API-Key header is missing. Send your API key in it.")
    if not _WELL_FORMED.fullmatch(key):
        raise Unauthorized(
            "The X-API-Key header does not hold a well-formed key: svc_live_ or svc_test_ and 48 "
            "characters."
        )
    if key.startswith(signing.ACTIVATION_PREFIX):
        if not activation:
            raise Unauthorized(
                "Use an activation key only for GET /v1/partners/verify, which returns the "
                "live key."
            )
        return _find_caller(_ACTIVATION_BY_HASH, key, signing.hash_key(key), now)
    return _check_key(key, signing.hash_key(key), now)


def _check_key(key: str, key_hash: bytes, now: int) -> Caller:
    """Return the caller of a well-formed key. Unauthorized: it is unknown, revoked or expired."""
    caller = _callers.get(key_hash, lambda: _find_caller(_BY_HASH, key, key_hash, now))
    if caller.expires_at is not None and caller.expires_at <= now:
        raise _unknown_key_error()
    return caller


def _find_caller(query: Prepared[Row], key: str, key_hash: bytes, now: int) -> Caller:
    if signing.is_mistyped(key):
        raise Unauthorized(
            "The key in the X-API-Key header is truncated or mistyped: its checksum is wrong. "
            "Copy it again."
        )
    row = query.row(hash=key_hash, now=now)
    if row is None:
        raise _unknown_key_error()
    return _make_caller(row)


def _unknown_key_error() -> Unauthorized:
    return Unauthorized("This API key is not valid: it is unknown, revoked or expired.")


def find_caller(key_id: str, now: int) -> Caller | None:
    """Return the caller of a key by its id; None: unknown, revoked or expired."""
    row = _BY_ID.row(id=key_id, now=now)
    return _make_caller(row) if row else None


def _make_caller(row: Row) -> Caller:
    return Caller(
        key_id=row["id"],
        key_prefix=row["prefix"],
        key_name=row["name"],
        environment=row["environment"],
        creator=row["creator"],
        scopes=_parse_set(row["scopes"]),
        permitted=_parse_set(row["permitted_account_ids"]),
        partner_id=row["partner_id"],
        partner_name=row["partner_name"],
        partner_status=row["partner_status"],
        tier=row["tier"],
        key_rotation=bool(row["key_rotation"]),
        self_lifecycle=bool(row["self_lifecycle"]),
        expires_at=row["expires_at"],
        ranges=_parse_ranges(row["allowed_ranges"]),
        key_hash=row["hash"],
    )


def _parse_set(stored: str | None) -> frozenset[str] | None:
    return None if stored is None else frozenset(json.loads(stored))


def _parse_ranges(stored: str | None) -> tuple[IPv4Network | IPv6Network, ...] | None:
    return (
        None
        if stored is None
        else tuple(client_addresses.parse_network(text) for text in json.loads(stored))
    )


def check_partner(caller: Caller) -> None:
    """Raise PartnerNotActive unless the status of the partner is Active."""
    partner_status.check(caller.partner_status)


def create(
    partner_id: str,
    environment: str,
    name: str,
    now: int,
    *,
    creator: str | None = None,
    scope_list: list[str] | None = None,
    permitted: list[str] | None = None,
    verified_at: int | None = None,
    expires_at: int | None = None,
    ranges: Sequence[str] | None = None,
) -> tuple[str, str]:
    """Create a key; return its id and the key, which is not stored. Call it inside a transaction.

    ``expires_at``: milliseconds, None: never; ``ranges``: CIDR ranges from which it may be used,
    None: any.
    """
    key = signing.make_key(signing.TEST_PREFIX if environment == "test" else signing.LIVE_PREFIX)
    key_id = ids.make_id(now)
    _ADD.execute(
        id=key_id,
        partner_id=partner_id,
        hash=signing.hash_key(key),
        prefix=signing.shorten_key(key),
        environment=environment,
        name=name,
        creator=creator,
        created_at=now,
        verified_at=verified_at,
        scopes=None if scope_list is None else json.dumps(scopes.normalise(scope_list)),
        permitted_account_ids=None if permitted is None else json.dumps(permitted),
        expires_at=expires_at,
        allowed_ranges=None if ranges is None else json.dumps(ranges),
    )
    return key_id, key


def check_creation_rate(partner_id: str, now: int) -> None:
    """Raise RateLimitExceeded if the partner made too many keys lately. Inside a transaction."""
    since, latest = now - clock.DAY, now + clock.SKEW
    if _MADE_SINCE.value(partner_id=partner_id, since=since, latest=latest) >= MOST_A_DAY:
        message = (
            f"A partner makes and rotates at most {MOST_A_DAY} keys in 24 hours; try again later."
        )
        raise RateLimitExceeded(message, retry_after=clock.HOUR // clock.SECOND)


def prune(before: int) -> None:
    """Remove keys and activation keys that ended before ``before`` (ms),
    and whose requests are no longer in the history.
    """
    with db.transaction(durable=False):
        _PRUNE_KEYS.execute(before=before)
        _PRUNE_ACTIVATIONS.execute(before=before)


def create_activation(
    partner_id: str,
    name: str,
    now: int,
    *,
    scope_list: list[str] | None = None,
    permitted: list[str] | None = None,
    expires_at: int | None = None,
    ranges: Sequence[str] | None = None,
) -> str:
    """Create an activation key, which verify exchanges for a live key, and return it. Call it
    inside a transaction.

    ``expires_at``, ``ranges``: of the live key; the ranges also apply to the activation key.
    """
    key = signing.make_key(signing.ACTIVATION_PREFIX)
    _ADD_ACTIVATION.execute(
        id=ids.make_id(now),
        partner_id=partner_id,
        hash=signing.hash_key(key),
        prefix=signing.shorten_key(key),
        name=name,
        scopes=None if scope_list is None else json.dumps(scopes.normalise(scope_list)),
        permitted_account_ids=None if permitted is None else json.dumps(permitted),
        created_at=now,
        expires_at=min(now + ACTIVATION_LIFETIME, expires_at or 2**62),
        key_expires_at=expires_at,
        allowed_ranges=None if ranges is None else json.dumps(ranges),
    )
    return key


def verify(caller: Caller, presented: str, now: int, *, spend: bool = True) -> dict[str, Any]:
    """Return the properties of a key. ``apiKey``: the key on its first verify, or the live key for
    an activation key.

    ``spend``: False for a request that must not change anything, such as HEAD; ``apiKey`` is then
    None.
    """
    key = None
    if spend and presented.startswith(signing.ACTIVATION_PREFIX):
        caller, key = _activate_key(caller, now)
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
        "keyExpiresAt": clock.format_time(caller.expires_at),
        "allowedRanges": None
        if caller.ranges is None
        else [str(network) for network in caller.ranges],
        "limits": tiers.represent(caller.tier),
        "apiKey": key,
    }


def _note_first_verify(caller: Caller, now: int) -> bool:
    with db.transaction(in_turn=False):
        return bool(_NOTE_VERIFY.execute(id=caller.key_id, now=now))


def _activate_key(caller: Caller, now: int) -> tuple[Caller, str]:
    """Create the live key of an activation key, which is spent with it, and return it.
    Unauthorized: another request was first.

    It is stored nowhere and shown here alone (DECISIONS.md §3): where the answer is lost, the
    operator makes another one.
    """
    with _record_own_action(caller, "key.activate", now) as entry:
        spent = _SPEND.rows(id=caller.key_id, now=now)
        if not spent:
            raise _unknown_key_error()
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
        entry.after = {"keyId": key_id, "prefix": signing.shorten_key(key)}
    return replace(
        caller, key_id=key_id, key_prefix=signing.shorten_key(key), expires_at=expires_at
    ), key


def _record_own_action(
    caller: Caller, action: str, now: int, actor: audit.Actor | None = None
) -> AbstractContextManager[audit.Entry]:
    """Record an action in the audit log, as audit.recording does.

    ``actor`` None: it was authenticated with the key itself.
    """
    actor = actor or audit.Actor(None, f"API key {caller.key_prefix}…")
    subject = f"{caller.key_name} ({caller.key_prefix}…)"
    return audit.recording(
        actor,
        action,
        subject,
        now,
        subject_id=caller.key_id,
        partner_id=caller.partner_id,
        in_turn_of=caller.partner_id,
    )


def rotate(
    caller: Caller, now: int, first: FirstAnswer = NOT_KEPT, actor: audit.Actor | None = None
) -> dict[str, Any]:
    """Create a new key with the same scopes, accounts, addresses and expiry; the old one stays
    valid for at most 24 hours.

    The rotation is recorded in the audit log. ``first``: stores the answer for a repeated request.
    ``actor``: the user of the console; None: the key itself.

    SelfServeDisabled: rotation is not enabled for the partner. KeyAlreadyRotated: the key was
    rotated before.
    """
    if not caller.key_rotation:
        raise SelfServeDisabled(
            "Self-serve key rotation is not enabled for your partner account; ask the operator."
        )
    ends = min(now + GRACE, caller.expires_at or 2**62)
    recording = _record_own_action(caller, "key.rotate", now, actor)
    with first.transaction(caller.partner_id) as keep, recording as entry:
        check_creation_rate(caller.partner_id, now)
        key_id, key = create(
            caller.partner_id,
            caller.environment,
            caller.key_name,
            now,
            creator=caller.creator,
            scope_list=None if caller.scopes is None else sorted(caller.scopes),
            permitted=None if caller.permitted is None else sorted(caller.permitted),
            verified_at=now,
            expires_at=caller.expires_at,
            ranges=None if caller.ranges is None else [str(network) for network in caller.ranges],
        )
        if not _ROTATE.execute(id=caller.key_id, rotated_to=key_id, expires_at=ends):
            raise KeyAlreadyRotated()
        entry.before = {"prefix": caller.key_prefix}
        entry.after = {"prefix": signing.shorten_key(key)}
        return keep(
            {
                "apiKey": key,
                "keyPrefix": signing.shorten_key(key),
                "activeFrom": clock.format_time(now),
                "previousKeyPrefix": caller.key_prefix,
                "previousKeyExpiresAt": clock.format_time(ends),
            }
        )
