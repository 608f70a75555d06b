"""The people who sign in to the console: operators, and the owners and members of partners."""

import secrets
from dataclasses import dataclass

from svc.base import clock, ids
from svc.base.crypto import signing
from svc.base.errors import Conflict, InvalidRequest, LinkSpent, NotFound, NotYours
from svc.domain import rows
from svc.domain.partners import status as partner_status
from svc.domain.people import audit, identity, passwords, rights, throttle
from svc.domain.people.audit import Actor
from svc.domain.people.identity import MEMBER, OPERATOR
from svc.domain.tables import Invitation, ListedUser, Person
from svc.store import database

INVITATION = 7 * clock.DAY  # how long a link that makes a person can be used
PASSWORD_LINK = 24 * clock.HOUR  # the same of one that gives somebody a new password

_OPEN = "used_at IS NULL AND expires_at > :now"
_LISTED = """
    SELECT *, EXISTS (SELECT 1 FROM second_factors WHERE user_id = users.id AND confirmed_at IS NOT NULL) AS second_factor
    FROM users
"""
_PERSON = "SELECT u.*, p.status AS partner_status FROM users u LEFT JOIN partners p ON p.id = u.partner_id"


@dataclass(frozen=True, slots=True)
class Viewer:
    """A person who is signed in. An operator belongs to no partner and sees all of them."""

    id: str | None  # None: at the command line
    name: str
    email: str
    role: str
    partner_id: str | None
    partner_status: str | None = None  # None: belongs to no partner

    @property
    def own_id(self) -> str:
        """The id of somebody who is signed in. RuntimeError: this is the command line."""
        if self.id is None:
            raise RuntimeError("nobody is signed in at the command line")
        return self.id

    @property
    def is_operator(self) -> bool:
        return self.role == OPERATOR

    @property
    def may_change(self) -> bool:
        """Members read; operators and owners change things too, these while their partner is Active."""
        return self.role != MEMBER and self.partner_is_active

    @property
    def partner_is_active(self) -> bool:
        """Whether their partner account is Active; operators have none that could be otherwise."""
        return self.partner_status in (None, partner_status.ACTIVE)

    @property
    def actor(self) -> Actor:
        return Actor(self.id, self.email)

    def sees(self, partner_id: str | None) -> bool:
        """Whether what belongs to that partner is in this person's reach."""
        return self.is_operator or (partner_id is not None and partner_id == self.partner_id)


def viewer(row: Person) -> Viewer:
    """The person of a row of :func:`get` or :func:`find`."""
    return Viewer(row["id"], row["name"], row["email"], row["role"], row["partner_id"], row["partner_status"])


def find(email: str) -> Person | None:
    """The row of a person by e-mail address, however it is written."""
    return rows.first(Person, f"{_PERSON} WHERE u.email = ?", (email.strip().lower(),))


def get(user_id: str) -> Person:
    """The row of a person. NotFound."""
    row = rows.first(Person, f"{_PERSON} WHERE u.id = ?", (user_id,))
    if row is None:
        raise NotFound("There is no such person.")
    return row


def of_partner(partner_id: str | None) -> list[ListedUser]:
    """The people of a partner, or the operators (None), oldest first."""
    return rows.every(ListedUser, f"{_LISTED} WHERE partner_id IS ? ORDER BY created_at, id", (partner_id,))


def everybody() -> list[ListedUser]:
    """Everybody who can sign in, or could, oldest first."""
    return rows.every(ListedUser, f"{_LISTED} ORDER BY created_at, id")


def there_is_an_operator() -> bool:
    """Whether somebody can already run the place."""
    return database.row("SELECT 1 FROM users WHERE role = 'operator' AND disabled_at IS NULL") is not None


def add(actor: Actor, email: str, name: str, password: str, role: str, partner_id: str | None, now: int) -> str:
    """Make a person; the id. InvalidRequest: names the bad field. Conflict: the address is taken. PartnerNotActive."""
    email, name = identity.normalise(email, name)
    passwords.check(password, email, name)
    identity.check_role(role, partner_id)
    stored = passwords.hashed(password)
    with database.write():
        return _insert(actor, email, name, stored, role, partner_id, now)


def _insert(actor: Actor, email: str, name: str, stored: str, role: str, partner_id: str | None, now: int) -> str:
    partner_status.require_active(partner_id)
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


def confirm_password(user: Viewer, present: str, now: int) -> str:
    """Return the stored hash if ``present`` is the password. InvalidRequest: it is not. TooManySignIns. SignInsBusy."""
    counted = {f"password {user.id}": throttle.BY_DEVICE}
    throttle.check(counted, now)
    stored: str = get(user.own_id)["password"]
    if not passwords.matches(present, stored, known=True, admitted=lambda: throttle.begin(counted, now)):
        raise _not_present()
    throttle.succeeded(counted)
    return stored


def _not_present() -> InvalidRequest:
    message = "This is not your present password."
    return InvalidRequest(message, fields={"present": [message]})


def change_password(user: Viewer, present: str, new: str, now: int, session_id: str | None = None) -> None:
    """Change one's own password; every session but ``session_id`` ends, and every open link for a new one.

    InvalidRequest: ``present`` is wrong, or ``new`` is not fit. TooManySignIns. SignInsBusy."""
    proven = confirm_password(user, present, now)
    passwords.check(new, user.email, user.name)
    stored = passwords.hashed(new)
    with database.write():
        if get(user.own_id)["password"] != proven:  # reset meanwhile, perhaps because somebody else knows it
            raise _not_present()
        _set_password(user.actor, user.own_id, stored, now, session_id)


def _set_password(actor: Actor, user_id: str, stored: str, now: int, session_id: str | None = None) -> None:
    with database.write():
        database.execute("UPDATE users SET password = ? WHERE id = ?", (stored, user_id))
        rights.end_sessions(user_id, session_id)
        rights.end_password_links(user_id)
        row = get(user_id)
        audit.record(actor, "user.password", row["email"], now, subject_id=user_id, partner_id=row["partner_id"])


def set_password(actor: Actor, user_id: str, new: str, now: int) -> None:
    """Give a person a new password; their sessions end, and every open link for another one."""
    row = get(user_id)
    passwords.check(new, row["email"], row["name"])
    _set_password(actor, user_id, passwords.hashed(new), now)


def change(actor: Actor, user_id: str, now: int, *, role: str | None = None, disabled: bool | None = None) -> None:
    """Change a person's role, or whether they may sign in. Conflict: nobody would be left to run the place.

    Open links for a new password end in any case. Whoever is disabled, or may only look from now on, also loses test keys
    and the invitations that they made; a disabled person's sessions end."""
    with database.write():
        row = get(user_id)
        wanted = role or row["role"]
        identity.check_role(wanted, row["partner_id"])
        off, ended = row["disabled_at"] if disabled is None else (now if disabled else None), {}
        database.execute("UPDATE users SET role = ?, disabled_at = ? WHERE id = ?", (wanted, off, user_id))
        if off is not None:
            ended = rights.end_all(user_id, now)
        elif wanted == MEMBER != row["role"]:
            ended = rights.end_powers(user_id, now)
        rights.end_password_links(user_id)
        if row["role"] == OPERATOR and not there_is_an_operator():
            raise Conflict("This is the last operator; make another one first.")
        audit.record(
            actor, "user.change", row["email"], now, subject_id=user_id, partner_id=row["partner_id"],
            before={"role": row["role"], "disabled": row["disabled_at"] is not None},
            after={"role": wanted, "disabled": off is not None, **ended},
        )  # fmt: skip


def invite(
    actor: Actor, role: str, partner_id: str | None, now: int, *, email: str | None = None, user_id: str | None = None,
    lifetime: int | None = None,
) -> str:  # fmt: skip
    """The token of a one-time link, which makes a person of that role, or gives ``user_id`` a new password.

    ``lifetime``: milliseconds; None: as is usual for what the link does. PartnerNotActive: it would make somebody new there.
    Conflict: the address is taken, or the person is disabled."""
    identity.check_role(role, partner_id)
    if user_id is None:
        partner_status.require_active(partner_id)
    elif get(user_id)["disabled_at"] is not None:
        raise Conflict("This person is disabled; let them sign in again first.")
    lifetime = lifetime or (INVITATION if user_id is None else PASSWORD_LINK)
    if email:
        email, _ = identity.normalise(email, "somebody")
        if user_id is None and find(email):
            raise Conflict(f"Somebody with the e-mail address {email} is there already.", fields={"email": ["It is taken."]})
    token, invitation_id = signing.base64url(secrets.token_bytes(24)), ids.new(now)
    with database.write():
        database.execute(
            "INSERT INTO invitations VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, ?)",
            (invitation_id, signing.key_hash(token), role, partner_id, email, user_id, now, now + lifetime, actor.id),
        )
        audit.record(
            actor, "user.reset-link" if user_id else "user.invite", email or role, now, subject_id=invitation_id,
            partner_id=partner_id, after={"role": role},
        )  # fmt: skip
    return token


def make_first_operator_link(now: int) -> str | None:
    """The token of a fresh link that makes the first operator; earlier ones end. None: there is an operator."""
    with database.write():
        if there_is_an_operator():
            return None
        database.execute("DELETE FROM invitations WHERE role = 'operator' AND used_at IS NULL")
        return invite(Actor(None, "the first start"), OPERATOR, None, now)


def invitations(partner_id: str | None, now: int) -> list[Invitation]:
    """The links of a partner (None: for operators) that can still be used."""
    return rows.every(
        Invitation,
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


def invitation(token: str, now: int) -> Invitation:
    """What a one-time link is for. LinkSpent."""
    sql = f"SELECT * FROM invitations WHERE hash = :hash AND {_OPEN}"
    row = rows.first(Invitation, sql, {"hash": signing.key_hash(token), "now": now})
    if row is None:
        raise LinkSpent()
    return row


def accept(token: str, email: str, name: str, password: str, now: int) -> str:
    """Use a one-time link; the id of the person that it made or gave a new password. LinkSpent; as :func:`add` besides."""
    link = invitation(token, now)
    known = get(link["user_id"]) if link["user_id"] else None
    email, name = (known["email"], known["name"]) if known else identity.normalise(link["email"] or email, name)
    passwords.check(password, email, name)
    stored = passwords.hashed(password)
    with database.write():
        if not database.execute("UPDATE invitations SET used_at = ? WHERE id = ? AND used_at IS NULL", (now, link["id"])):
            raise LinkSpent()
        if known is None:
            return _insert(Actor(None, ""), email, name, stored, link["role"], link["partner_id"], now)
        _set_password(Actor(known["id"], email), known["id"], stored, now)
        return str(known["id"])


def colleague(viewer: Viewer, user_id: str) -> Person:
    """The row of a person whom ``viewer`` may manage. NotFound: of another partner; NotYours: oneself."""
    row = get(user_id)
    if not viewer.is_operator and row["partner_id"] != viewer.partner_id:
        raise NotFound("There is no such person.")
    if row["id"] == viewer.id:
        raise NotYours("You cannot change your own role or disable yourself; ask a colleague.")
    return row
