"""Signing in, and sessions: started, found by the token of a cookie, listed, ended."""

import hmac
import secrets
from typing import Any

from svc.base import clock, ids, key_texts
from svc.base.crypto import signing
from svc.base.crypto.signing import KeyRing
from svc.base.errors import NotFound, SignInFailed
from svc.domain.audit import audit
from svc.domain.audit.audit import Actor
from svc.domain.people import passwords, sign_in_log, throttle, users
from svc.domain.people.users import Viewer
from svc.domain.tables import people as tables
from svc.domain.tables.people import Person
from svc.store.database import db
from svc.store.expressions import JOIN, least
from svc.store.models.partners import Partner
from svc.store.models.people import Session, User
from svc.store.queries import Prepared, slot, slots

IDLE = 14 * clock.DAY  # a session ends after this time without use
LONGEST = 90 * clock.DAY  # a session ends this long after its start in any case
MOST = 20  # sessions of a user; another one ends the least recently used
# How long after the password the code of the second factor is accepted.
CHALLENGE_LIFETIME = 10 * clock.MINUTE
_SEEN_EVERY = clock.MINUTE


class SignedIn(Person):
    """A user with their current session."""

    session_id: str
    seen_at: int


_BY_HASH = Prepared(
    Session.select(
        Session.id.alias("session_id"),
        Session.seen_at,
        User,
        Partner.status.alias("partner_status"),
    )
    .join(User, on=User.id == Session.user_id)
    .join(Partner, JOIN.LEFT_OUTER, on=Partner.id == User.partner_id)
    .where(
        Session.hash == slot("hash"),
        Session.seen_at > slot("seen_after"),
        Session.created_at > slot("created_after"),
        User.disabled_at.is_null(),
    ),
    SignedIn,
)
_START = Prepared(
    Session.insert(slots("id", "hash", "user_id", "created_at", "seen_at", "address", "browser"))
)
_NEWEST = Session.alias("newest")
_END_OLDEST = Prepared(
    Session.delete().where(
        Session.user_id == slot("user_id"),
        Session.id.not_in(
            _NEWEST.select(_NEWEST.id)
            .where(_NEWEST.user_id == slot("user_id"))
            .order_by(_NEWEST.seen_at.desc(), _NEWEST.id.desc())
            .limit(slot("most"))
        ),
    )
)
_NOTE_USE = Prepared(
    Session.update(
        seen_at=slot("now"),
        # one that began in the future, before the clock was set back, ends in time, too
        created_at=least(Session.created_at, slot("now").cast("bigint")),
    ).where(Session.id == slot("id"))
)
_OF_USER = Prepared(
    Session.select()
    .where(
        Session.user_id == slot("user_id"),
        Session.seen_at > slot("seen_after"),
        Session.created_at > slot("created_after"),
    )
    .order_by(Session.seen_at.desc(), Session.id.desc()),
    tables.Session,
)
_END = Prepared(
    Session.delete().where(Session.id == slot("id"), Session.user_id == slot("user_id"))
)
_END_OTHERS = Prepared(
    Session.delete().where(Session.user_id == slot("user_id"), Session.id != slot("but"))
)
_PRUNE = Prepared(Session.delete().where(Session.seen_at <= slot("before")))
_BRING_BACK = Prepared(Session.update(seen_at=slot("now")).where(Session.seen_at > slot("latest")))


def sign_in(email: str, password: str, address: str, device: str | None, now: int) -> Person:
    """Check the password and return the user's row. ``device``: the result of
    :func:`find_known_device`.

    Raises:
        SignInFailed: The address is unknown, the password wrong or the user disabled; the message
            and the time are the same.
        TooManySignIns: There were too many tries.
        SignInsBusy: No slot for hashing is free.
    """
    account = email.strip().lower()[:200]
    counted = throttle.list_counters(account, address, device)
    throttle.check(counted, now)
    row = users.find(account)
    stored, known = row["password"] if row else None, device is not None
    is_correct = passwords.matches(
        password, stored, known=known, admitted=lambda: throttle.count_try(counted, now)
    )
    if row is None or not is_correct or row["disabled_at"] is not None:
        sign_in_log.record_failure(row, address, now, "password" if not is_correct else "disabled")
        raise SignInFailed()
    throttle.uncount_try(counted)
    return row


def second_factor_challenge(row: Person, now: int) -> dict[str, Any]:
    """Return the content of the signed cookie between the password and the code of
    the second factor.
    """
    return {"user": row["id"], "at": now, "mark": _compute_password_mark(row)}


def find_challenged_user(cookie: dict[str, Any] | None, now: int) -> Person | None:
    """Return the user of a :func:`second_factor_challenge` cookie; None: it has expired, the
    password has changed, or the user is disabled.
    """
    if not cookie or not now - CHALLENGE_LIFETIME < cookie["at"] <= now:
        return None
    try:
        row = users.get(cookie["user"])
    except NotFound:
        return None
    return (
        row
        if row["disabled_at"] is None
        and hmac.compare_digest(_compute_password_mark(row), cookie["mark"])
        else None
    )


def _compute_password_mark(row: Person) -> str:
    """Return a value that changes with the password and does not reveal its hash."""
    return signing.encode_base64url(signing.hash_key(f"half way {row['password']}"))


def make_device_mark(ring: KeyRing, user_id: str) -> str:
    """Return the content of the cookie by which a browser is known at its next sign-in."""
    nonce = secrets.token_hex(12)
    return f"{nonce}.{_device_signature(ring, user_id, nonce)}"


def find_known_device(ring: KeyRing, email: str, mark: str) -> str | None:
    """Return the device's name if ``mark`` is a :func:`make_device_mark` of the user with that
    address, else None.
    """
    row = users.find(email)
    nonce, _, signature = mark.partition(".")
    expected = _device_signature(ring, row["id"] if row else ids.NIL, nonce)
    is_valid = hmac.compare_digest(signature.encode("utf-8", "surrogatepass"), expected.encode())
    return nonce if is_valid and row else None


def _device_signature(ring: KeyRing, user_id: str, nonce: str) -> str:
    return hmac.new(
        ring.derive("devices"), f"{user_id}.{nonce}".encode("utf-8", "surrogatepass"), "sha256"
    ).hexdigest()


def start(user_id: str, address: str, browser: str, now: int) -> str:
    """Start a session, and return the token for its cookie."""
    token = signing.encode_base64url(secrets.token_bytes(32))
    with db.transaction():
        _START.execute(
            id=ids.make_id(now),
            hash=signing.hash_key(token),
            user_id=user_id,
            created_at=now,
            seen_at=now,
            address=address,
            browser=key_texts.mask_keys(browser)[:200],
        )
        _END_OLDEST.execute(user_id=user_id, most=MOST)
    return token


def begin(person: Person, address: str, browser: str, now: int, *, proof: str) -> str:
    """Record a sign-in in the audit log and call :func:`start`. ``proof``: how the user signed in,
    such as ``password``.

    SignInFailed: since ``person`` was read, the password was changed or the user was disabled.
    """
    with db.transaction():
        row = users.get(person["id"])
        if row["password"] != person["password"] or row["disabled_at"] is not None:
            raise SignInFailed()
        with sign_in_log.recording(row, "user.sign-in", now, address=address, proof=proof):
            return start(row["id"], address, browser, now)


def sign_out(viewer: Viewer, session_id: str, now: int) -> None:
    """End the current session."""
    with sign_in_log.recording(users.get(viewer.own_id), "user.sign-out", now):
        _END.execute(id=session_id, user_id=viewer.id)


def find_by_token(token: str, now: int) -> tuple[Viewer, str] | None:
    """Return the user and the id of the session with that token, and update its last use;
    None: unknown or ended.
    """
    row = _BY_HASH.row(
        hash=signing.hash_key(token), seen_after=now - IDLE, created_after=now - LONGEST
    )
    if row is None:
        return None
    if abs(now - row["seen_at"]) >= _SEEN_EVERY:
        with db.transaction(durable=False):
            _NOTE_USE.execute(id=row["session_id"], now=now)
    return users.make_viewer(row), row["session_id"]


def list_sessions(user_id: str, now: int) -> list[tables.Session]:
    """Return the sessions of a user, the most recently used first."""
    return _OF_USER.rows(user_id=user_id, seen_after=now - IDLE, created_after=now - LONGEST)


def end(user_id: str, session_id: str, actor: Actor, now: int) -> None:
    """End one session of a user. NotFound: there is none with that id."""
    row = users.get(user_id)
    with audit.recording(
        actor,
        "user.sessions-end",
        row["email"],
        now,
        subject_id=user_id,
        partner_id=row["partner_id"],
        after={"ended": 1},
    ):
        if not _END.execute(id=session_id, user_id=user_id):
            raise NotFound("There is no such session; it may have expired.")


def end_others(user_id: str, but: str, actor: Actor, now: int) -> int:
    """End all sessions of a user except ``but``, and return their number."""
    with audit.recording(actor, "user.sessions-end", None, now) as entry:
        ended = _END_OTHERS.execute(user_id=user_id, but=but)
        if not ended:
            entry.omit()
            return 0
        row = users.get(user_id)
        entry.describe(
            row["email"],
            subject_id=user_id,
            partner_id=row["partner_id"],
            after={"ended": ended},
        )
        return ended


def prune(now: int) -> None:
    """Remove expired sessions and expired counters of sign-in tries.

    A session that was last used in the future, before the clock was set back, lasts from now on.
    """
    with db.transaction(durable=False):
        _BRING_BACK.execute(now=now, latest=now + clock.SKEW)
        _PRUNE.execute(before=now - IDLE)
    throttle.prune(now)
