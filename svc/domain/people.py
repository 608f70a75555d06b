"""The people who sign in to the console: operators, and the owners and members of partners."""

import re
import secrets
from dataclasses import dataclass

from svc.base import clock, ids, signing
from svc.base.errors import Conflict, InvalidRequest, LinkSpent, NotFound, NotYours
from svc.domain import audit, passwords, throttle
from svc.domain.audit import Actor
from svc.store import database

OPERATOR, OWNER, MEMBER = ROLES = ("operator", "owner", "member")
INVITATION = 7 * clock.DAY

_EMAIL = re.compile(r"[^\s@\x00-\x20<>\"(),:;\\\[\]]{1,64}@[^\s@\x00-\x20<>\"(),:;\\\[\]]{1,190}")
_LONGEST_NAME = 100
_OPEN = "used_at IS NULL AND expires_at > :now"


@dataclass(frozen=True, slots=True)
class Viewer:
    """A person who is signed in. An operator belongs to no partner and sees all of them."""

    id: str | None  # None: at the command line
    name: str
    email: str
    role: str
    partner_id: str | None

    @property
    def is_operator(self) -> bool:
        return self.role == OPERATOR

    @property
    def may_change(self) -> bool:
        """Members read; operators and owners change things too."""
        return self.role != MEMBER

    @property
    def actor(self) -> Actor:
        return Actor(self.id, self.email)

    def sees(self, partner_id: str | None) -> bool:
        """Whether what belongs to that partner is in this person's reach."""
        return self.is_operator or (partner_id is not None and partner_id == self.partner_id)


def viewer(row: database.Row) -> Viewer:
    """The person of a row of ``users``."""
    return Viewer(row["id"], row["name"], row["email"], row["role"], row["partner_id"])


def find(email: str) -> database.Row | None:
    """The row of a person by e-mail address, however it is written."""
    return database.row("SELECT * FROM users WHERE email = ?", (email.strip().lower(),))


def get(user_id: str) -> database.Row:
    """The row of a person. NotFound."""
    row = database.row("SELECT * FROM users WHERE id = ?", (user_id,))
    if row is None:
        raise NotFound("There is no such person.")
    return row


def of_partner(partner_id: str | None) -> list[database.Row]:
    """The people of a partner, or the operators (None), oldest first."""
    return database.rows("SELECT * FROM users WHERE partner_id IS ? ORDER BY created_at, id", (partner_id,))


def everybody() -> list[database.Row]:
    """Everybody who can sign in, or could, oldest first."""
    return database.rows("SELECT * FROM users ORDER BY created_at, id")


def there_is_an_operator() -> bool:
    """Whether somebody can already run the place."""
    return database.row("SELECT 1 FROM users WHERE role = 'operator' AND disabled_at IS NULL") is not None


def add(actor: Actor, email: str, name: str, password: str, role: str, partner_id: str | None, now: int) -> str:
    """Make a person; the id. InvalidRequest: names the bad field. Conflict: the address is taken."""
    email, name = _checked(email, name)
    passwords.check(password, email, name)
    _check_role(role, partner_id)
    stored = passwords.hashed(password)
    with database.write():
        return _insert(actor, email, name, stored, role, partner_id, now)


def _insert(actor: Actor, email: str, name: str, stored: str, role: str, partner_id: str | None, now: int) -> str:
    if find(email):
        raise Conflict(f"Somebody with the e-mail address {email} is there already.", fields={"email": ["It is taken."]})
    user_id = ids.new(now)
    database.execute(
        "INSERT INTO users (id, email, name, role, partner_id, password, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (user_id, email, name, role, partner_id, stored, now),
    )
    audit.record(
        actor if actor.name else Actor(user_id, email), "user.add", email, now, subject_id=user_id, partner_id=partner_id,
        after={"name": name, "role": role},
    )  # fmt: skip
    return user_id


def change_password(user: Viewer, present: str, new: str, now: int) -> None:
    """InvalidRequest: ``present`` is wrong, or ``new`` is not fit. TooManySignIns: so were too many."""
    stored, counted = get(user.id)["password"], {f"password {user.id}": throttle.BY_DEVICE}
    throttle.begin(counted, now)
    if not passwords.matches(present, stored):
        message = "This is not your present password."
        raise InvalidRequest(message, fields={"present": [message]})
    throttle.succeeded(counted)
    passwords.check(new, user.email, user.name)
    _set_password(user.actor, user.id, passwords.hashed(new), now)


def _set_password(actor: Actor, user_id: str, stored: str, now: int) -> None:
    with database.write():
        database.execute("UPDATE users SET password = ? WHERE id = ?", (stored, user_id))
        row = get(user_id)
        audit.record(actor, "user.password", row["email"], now, subject_id=user_id, partner_id=row["partner_id"])


def set_password(actor: Actor, user_id: str, new: str, now: int) -> None:
    """Give a person a new password, and end their sessions."""
    row = get(user_id)
    passwords.check(new, row["email"], row["name"])
    stored = passwords.hashed(new)
    with database.write():
        _set_password(actor, user_id, stored, now)
        database.execute("DELETE FROM sessions WHERE user_id = ?", (user_id,))


def change(actor: Actor, user_id: str, now: int, *, role: str | None = None, disabled: bool | None = None) -> None:
    """Change a person's role, or whether they may sign in. Conflict: nobody would be left to run the place."""
    with database.write():
        row = get(user_id)
        wanted = role or row["role"]
        _check_role(wanted, row["partner_id"])
        off = row["disabled_at"] if disabled is None else (now if disabled else None)
        database.execute("UPDATE users SET role = ?, disabled_at = ? WHERE id = ?", (wanted, off, user_id))
        if off is not None:
            database.execute("DELETE FROM sessions WHERE user_id = ?", (user_id,))
        if row["role"] == OPERATOR and not there_is_an_operator():
            raise Conflict("This is the last operator; make another one first.")
        audit.record(
            actor, "user.change", row["email"], now, subject_id=user_id, partner_id=row["partner_id"],
            before={"role": row["role"], "disabled": row["disabled_at"] is not None},
            after={"role": wanted, "disabled": off is not None},
        )  # fmt: skip


def invite(
    actor: Actor, role: str, partner_id: str | None, now: int, *, email: str | None = None, user_id: str | None = None,
    lifetime: int = INVITATION,
) -> str:  # fmt: skip
    """The token of a one-time link, which makes a person of that role, or gives ``user_id`` a new password."""
    _check_role(role, partner_id)
    if email:
        email, _ = _checked(email, "somebody")
        if user_id is None and find(email):
            raise Conflict(f"Somebody with the e-mail address {email} is there already.", fields={"email": ["It is taken."]})
    token, invitation_id = signing.base64url(secrets.token_bytes(24)), ids.new(now)
    with database.write():
        database.execute(
            "INSERT INTO invitations VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)",
            (invitation_id, signing.key_hash(token), role, partner_id, email, user_id, now, now + lifetime),
        )
        audit.record(
            actor, "user.reset-link" if user_id else "user.invite", email or role, now, subject_id=invitation_id,
            partner_id=partner_id, after={"role": role},
        )  # fmt: skip
    return token


def first_operator_link(now: int) -> str | None:
    """The token of a fresh link that makes the first operator; earlier ones end. None: there is an operator."""
    with database.write():
        if there_is_an_operator():
            return None
        database.execute("DELETE FROM invitations WHERE role = 'operator' AND used_at IS NULL")
        return invite(Actor(None, "the first start"), OPERATOR, None, now)


def invitations(partner_id: str | None, now: int) -> list[database.Row]:
    """The links of a partner (None: for operators) that can still be used."""
    return database.rows(
        f"SELECT * FROM invitations WHERE partner_id IS :partner AND {_OPEN} ORDER BY created_at, id",
        {"partner": partner_id, "now": now},
    )


def withdraw(actor: Actor, invitation_id: str, partner_id: str | None, now: int) -> None:
    """End a link of that partner before it is used. NotFound."""
    with database.write():
        row = database.row("SELECT * FROM invitations WHERE id = ? AND partner_id IS ?", (invitation_id, partner_id))
        if row is None or not database.execute("DELETE FROM invitations WHERE id = ? AND used_at IS NULL", (invitation_id,)):
            raise NotFound("There is no such open invitation.")
        subject = row["email"] or row["role"]
        audit.record(actor, "user.withdraw", subject, now, subject_id=invitation_id, partner_id=partner_id)


def invitation(token: str, now: int) -> database.Row:
    """What a one-time link is for. LinkSpent."""
    row = database.row(
        f"SELECT * FROM invitations WHERE hash = :hash AND {_OPEN}", {"hash": signing.key_hash(token), "now": now}
    )
    if row is None:
        raise LinkSpent()
    return row


def accept(token: str, email: str, name: str, password: str, now: int) -> str:
    """Use a one-time link; the id of the person that it made or gave a new password. LinkSpent; as :func:`add` besides."""
    link = invitation(token, now)
    known = get(link["user_id"]) if link["user_id"] else None
    email, name = (known["email"], known["name"]) if known else _checked(link["email"] or email, name)
    passwords.check(password, email, name)
    stored = passwords.hashed(password)
    with database.write():
        if not database.execute("UPDATE invitations SET used_at = ? WHERE id = ? AND used_at IS NULL", (now, link["id"])):
            raise LinkSpent()
        if known is None:
            return _insert(Actor(None, ""), email, name, stored, link["role"], link["partner_id"], now)
        _set_password(Actor(known["id"], email), known["id"], stored, now)
        database.execute("DELETE FROM sessions WHERE user_id = ?", (known["id"],))
        return known["id"]


def colleague(viewer: Viewer, user_id: str) -> database.Row:
    """The row of a person whom ``viewer`` may manage. NotFound: of another partner; NotYours: oneself."""
    row = get(user_id)
    if not viewer.is_operator and row["partner_id"] != viewer.partner_id:
        raise NotFound("There is no such person.")
    if row["id"] == viewer.id:
        raise NotYours("You cannot change your own role or disable yourself; ask a colleague.")
    return row


def _check_role(role: str, partner_id: str | None) -> None:
    if role not in ROLES or (role == OPERATOR) != (partner_id is None):
        message = "An operator belongs to no partner; owner and member belong to one."
        raise InvalidRequest(message, fields={"role": [message]})


def _checked(email: str, name: str) -> tuple[str, str]:
    wrong = {}
    email, name = email.strip().lower(), " ".join(name.split())
    if not _EMAIL.fullmatch(email):
        wrong["email"] = ["Give an e-mail address such as ada@example.com."]
    if not 1 <= len(name) <= _LONGEST_NAME or not name.isprintable():
        wrong["name"] = [f"Give a name of 1 to {_LONGEST_NAME} characters."]
    if wrong:
        raise InvalidRequest(" ".join(each[0] for each in wrong.values()), fields=wrong)
    return email, name
