"""The second factor: codes of an authenticator app (TOTP, RFC 6238), and recovery codes."""

import base64
import hmac
import secrets

import pyotp

from svc.base import clock
from svc.base.crypto import signing
from svc.base.crypto.signing import KeyRing
from svc.base.errors import Conflict, InvalidRequest, SecondFactorFailed
from svc.domain.audit import audit
from svc.domain.audit.audit import Actor
from svc.domain.people import revocation, sign_in_log, throttle, users
from svc.domain.people.users import Viewer
from svc.store.database import Row, db
from svc.store.expressions import fn
from svc.store.models.people import RecoveryCode, SecondFactor
from svc.store.queries import Prepared, slot, slots

ISSUER = "Partner Production"
STEP = 30  # seconds for which a code is valid
RECOVERY_CODES = 10
SETUP_LIFETIME = 15 * clock.MINUTE  # milliseconds within which a new secret must be confirmed
BY_ACCOUNT = 10  # tries in a window from unknown devices in all networks
# The steps before and after the current one that are accepted: clocks differ, and people type
# slowly.
_AROUND = 1
# The most steps that the last used code may be ahead. One further ahead was used before the clock
# was set back.
_MOST_AHEAD = 10
_SIGNS = "0123456789abcdefghijklmnopqrstuvwxyz"
_OF_USER = SecondFactor.user_id == slot("user_id")
_BEGIN = Prepared(
    SecondFactor.insert(slots("user_id", "nonce", "key_version", "created_at")).on_conflict(
        conflict_target=[SecondFactor.user_id],
        preserve=[SecondFactor.nonce, SecondFactor.key_version, SecondFactor.created_at],
        update={SecondFactor.last_step: 0, SecondFactor.confirmed_at: None},
    )
)
_IN_FORCE = Prepared(
    SecondFactor.select().where(_OF_USER, SecondFactor.confirmed_at.is_null(False))
)
_WAITING = Prepared(
    SecondFactor.select().where(
        _OF_USER, SecondFactor.confirmed_at.is_null(), SecondFactor.created_at > slot("since")
    )
)
_CONFIRM = Prepared(SecondFactor.update(confirmed_at=slot("now")).where(_OF_USER))
_SPEND = Prepared(
    SecondFactor.update(last_step=slot("step")).where(
        _OF_USER,
        (SecondFactor.last_step < slot("step")) | (SecondFactor.last_step > slot("latest")),
    )
)
_REMOVE = Prepared(SecondFactor.delete().where(_OF_USER))
_ADD_CODE = Prepared(RecoveryCode.insert(slots("hash", "user_id")))
_CODES_LEFT = Prepared(
    RecoveryCode.select(fn.count(RecoveryCode.hash)).where(
        RecoveryCode.user_id == slot("user_id"), RecoveryCode.used_at.is_null()
    )
)
_USE_CODE = Prepared(
    RecoveryCode.update(used_at=slot("now")).where(
        RecoveryCode.hash == slot("hash"),
        RecoveryCode.user_id == slot("user_id"),
        RecoveryCode.used_at.is_null(),
    )
)
_REMOVE_CODES = Prepared(RecoveryCode.delete().where(RecoveryCode.user_id == slot("user_id")))


def is_on(user_id: str) -> bool:
    """Return whether the user needs a code to sign in."""
    return _find_factor(user_id) is not None


def _find_factor(user_id: str) -> Row | None:
    return _IN_FORCE.row(user_id=user_id)


def count_recovery_codes(user_id: str) -> int:
    """Return the number of unused recovery codes of a user."""
    return int(_CODES_LEFT.value(user_id=user_id))


def begin_setup(user: Viewer, ring: KeyRing, now: int) -> None:
    """Create a new secret, to be confirmed by its first code. Conflict: the second factor is
    already on.

    The caller has checked the password (:func:`svc.domain.people.users.confirm_password`).
    """
    with db.transaction():
        if is_on(user.own_id):
            raise Conflict(
                "Your second factor is already on; turn it off before you set up another one."
            )
        _BEGIN.execute(
            user_id=user.own_id,
            nonce=secrets.token_bytes(16),
            key_version=ring.newest,
            created_at=now,
        )


def find_pending_setup(user: Viewer, ring: KeyRing, now: int) -> tuple[str, str] | None:
    """Return the unconfirmed secret in base32 and the URI for the QR code; None: there is none."""
    row = _find_waiting(user.own_id, now)
    secret = row and _derive_secret(ring, row)
    return (
        (secret, pyotp.TOTP(secret).provisioning_uri(name=user.email, issuer_name=ISSUER))
        if secret
        else None
    )


def _find_waiting(user_id: str, now: int) -> Row | None:
    return _WAITING.row(user_id=user_id, since=now - SETUP_LIFETIME)


def confirm_setup(user: Viewer, code: str, ring: KeyRing, now: int, session_id: str) -> list[str]:
    """Turn the second factor on with the first code, end all other sessions, and return the
    recovery codes, shown once.

    Raises:
        InvalidRequest: The code is wrong.
        Conflict: The secret has expired or was replaced.
        TooManySignIns: There were too many tries.
    """
    counted = {f"second {user.own_id}": throttle.BY_DEVICE}
    throttle.count_try(counted, now)
    with sign_in_log.recording(users.get(user.own_id), "user.totp-on", now):
        row = _find_waiting(user.own_id, now)
        if row is None:
            raise Conflict("The secret has expired or was replaced; start again.")
        if not _spend_code(row, code, ring, now):
            raise _wrong_code_error()
        _CONFIRM.execute(user_id=user.own_id, now=now)
        revocation.end_sessions(user.own_id, session_id)
        codes = _make_recovery_codes(user.own_id)
    throttle.uncount_try(counted)
    return codes


def use_code(
    user_id: str, code: str, address: str, device: str | None, ring: KeyRing, now: int
) -> str:
    """Use up a code at the sign-in and return its kind: ``totp`` or ``recovery code``.

    ``device``: as for the password, so that a thief who knows the password cannot lock out a known
    browser. SecondFactorFailed: the code is wrong. TooManySignIns: too many tries.
    """
    counted = _list_counters(user_id, address, device)
    throttle.check(counted, now)
    throttle.count_try(counted, now)
    used = _accept_code(user_id, code, ring, now)
    if used is None:
        sign_in_log.record_failure(users.get(user_id), address, now, "second factor")
        raise SecondFactorFailed(_wrong_code_error().message)
    throttle.uncount_try(counted)
    return used


def _list_counters(user_id: str, address: str, device: str | None) -> dict[str, int]:
    subjects = throttle.list_counters(f"second {user_id}", address, device)
    return {
        f"code {name}": min(limit, BY_ACCOUNT)
        for name, limit in subjects.items()
        if not name.startswith("address")
    }


def _accept_code(user_id: str, code: str, ring: KeyRing, now: int) -> str | None:
    with db.transaction():
        row = _find_factor(user_id)
        if row is None:
            return None
        if _spend_code(row, code, ring, now):
            return "totp"
        if not _USE_CODE.execute(
            hash=signing.hash_key(_normalise_code(code)), user_id=user_id, now=now
        ):
            return None
        left = count_recovery_codes(user_id)
        with sign_in_log.recording(users.get(user_id), "user.recovery-code", now, left=left):
            return "recovery code"


def turn_off(user: Viewer, code: str, ring: KeyRing, now: int) -> None:
    """Turn the second factor off. InvalidRequest: the code is wrong. TooManySignIns: too many
    tries.

    The caller has checked the password.
    """
    _require_code(user, code, ring, now)
    with sign_in_log.recording(users.get(user.own_id), "user.totp-off", now):
        _remove_factor(user.own_id)


def renew_codes(user: Viewer, code: str, ring: KeyRing, now: int) -> list[str]:
    """Replace the recovery codes and return the new ones.

    Checks and errors as in :func:`turn_off`.
    """
    _require_code(user, code, ring, now)
    with sign_in_log.recording(users.get(user.own_id), "user.recovery-codes", now):
        return _make_recovery_codes(user.own_id)


def reset(actor: Actor, user_id: str, now: int) -> None:
    """Remove the second factor of a user who has lost it, and end their sessions.

    Conflict: the user has none.
    """
    with audit.recording(actor, "user.totp-reset", None, now) as entry:
        row = users.get(user_id)
        if not _remove_factor(user_id):
            raise Conflict(f"{row['email']} has no second factor.")
        revocation.end_sessions(user_id)
        entry.describe(row["email"], subject_id=user_id, partner_id=row["partner_id"])


def _require_code(user: Viewer, code: str, ring: KeyRing, now: int) -> None:
    counted = {f"second {user.own_id}": throttle.BY_DEVICE}
    throttle.count_try(counted, now)
    if _accept_code(user.own_id, code, ring, now) is None:
        raise _wrong_code_error()
    throttle.uncount_try(counted)


def _remove_factor(user_id: str) -> int:
    _REMOVE_CODES.execute(user_id=user_id)
    return _REMOVE.execute(user_id=user_id)


def _make_recovery_codes(user_id: str) -> list[str]:
    _REMOVE_CODES.execute(user_id=user_id)
    plain = [
        base64.b32encode(secrets.token_bytes(10)).decode().lower() for _ in range(RECOVERY_CODES)
    ]
    _ADD_CODE.execute_many({"hash": signing.hash_key(code), "user_id": user_id} for code in plain)
    return ["-".join(code[at : at + 4] for at in range(0, 16, 4)) for code in plain]


def _derive_secret(ring: KeyRing, row: Row) -> str | None:
    """Return the shared secret in base32; None: its master key is gone,
    and only recovery codes work.
    """
    try:
        raw = signing.derive_totp_secret(ring, row["user_id"], row["nonce"], row["key_version"])
    except KeyError:
        return None
    return base64.b32encode(raw).decode()


def _spend_code(row: Row, code: str, ring: KeyRing, now: int) -> bool:
    """Use up ``code`` and return True if it is valid now and newer than the last used code.

    Call it inside a transaction.
    """
    secret = _derive_secret(ring, row)
    typed = _normalise_code(code).encode("utf-8", "surrogatepass")
    if secret is None:
        return False
    generator, current = pyotp.TOTP(secret, interval=STEP), now // 1000 // STEP
    steps = range(current - _AROUND, current + _AROUND + 1)
    right = [
        step for step in steps if hmac.compare_digest(generator.generate_otp(step).encode(), typed)
    ]
    return bool(right) and bool(
        _SPEND.execute(step=right[0], latest=current + _MOST_AHEAD, user_id=row["user_id"])
    )


def _normalise_code(code: str) -> str:
    """Return a typed code in its canonical form: lower case, without separators."""
    return "".join(character for character in code[:100].lower() if character in _SIGNS)


def _wrong_code_error() -> InvalidRequest:
    message = (
        "This code is wrong. Type the six digits that your app shows now; each code works once."
    )
    return InvalidRequest(message, fields={"code": [message]})
