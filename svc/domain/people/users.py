"""Users of the console: operators, and the owners and members of partners."""

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
from svc.domain.tables.people import Invitation, ListedUser, Person
from svc.store import database

INVITATION = 7 * clock.DAY  # lifetime of a link that creates a user
PASSWORD_LINK = 24 * clock.HOUR  # lifetime of a link that sets a new password

MOST_USERS = 1000  # of a partner
MOST_INVITATIONS = 200  # open links of a partner
_OPEN = "used_at IS NULL AND expires_at > :now"
_LISTED = """
    SELECT *, EXISTS (SELECT 1 FROM second_factors WHERE user_id = users.id AND confirmed_at IS NOT NULL) AS second_factor
    FROM users
"""
_PERSON = "SELECT u.*, p.status AS partner_status FROM users u LEFT JOIN partners p ON p.id = u.partner_id"


@dataclass(frozen=True, slots=True)
class Viewer:
    """A signed-in user. An operator belongs to no partner and sees all of them."""

    id: str | None  # None: at the command line
    name: str
    email: str
    role: str
    partner_id: str | None
    partner_status: str | None = None  # None: an operator

    @property
    def own_id(self) -> str:
        """Return the id of the signed-in user. RuntimeError: there is none, at the command line."""
        if self.id is None:
            raise RuntimeError("no user is signed in at the command line")
        return self.id

    @property
    def is_operator(self) -> bool:
        return self.role == OPERATOR

    @property
    def may_change(self) -> bool:
        """Return whether the user may change things: operators always, owners while their partner is Active, members never."""
        return self.role != MEMBER and self.partner_is_active

    @property
    def partner_is_active(self) -> bool:
        """Return whether the user's partner is Active; True for operators."""
        return self.partner_status in (None, partner_status.ACTIVE)

    @property
    def actor(self) -> Actor:
        return Actor(self.id, self.email)

    def sees(self, partner_id: str | None) -> bool:
        """Return whether the user may see what belongs to that partner."""
        return self.is_operator or (partner_id is not None and partner_id == self.partner_id)


def viewer(row: Person) -> Viewer:
    """Return the viewer for a row of :func:`get` or :func:`find`."""
    return Viewer(row["id"], row["name"], row["email"], row["role"], row["partner_id"], row["partner_status"])


def find(email: str) -> Person | None:
    """Return the user with that e-mail address, regardless of case and spaces around it; None: there is none."""
    return rows.first(Person, f"{_PERSON} WHERE u.email = ?", (email.strip().lower(),))


def get(user_id: str) -> Person:
    """Return a user. NotFound: there is none."""
    row = rows.first(Person, f"{_PERSON} WHERE u.id = ?", (user_id,))
    if row is None:
        raise NotFound("There is no such user.")
    return row


def of_partner(partner_id: str | None) -> list[ListedUser]:
    """Return the users of a partner, or the operators (None), oldest first."""
    return rows.every(ListedUser, f"{_LISTED} WHERE partner_id IS NOT DISTINCT FROM ? ORDER BY created_at, id", (partner_id,))


def all_users() -> list[ListedUser]:
    """Return all users, including disabled ones, oldest first."""
    return rows.every(ListedUser, f"{_LISTED} ORDER BY created_at, id")


def has_operator() -> bool:
    """Return whether there is an operator who is not disabled."""
    return database.row("SELECT 1 FROM users WHERE role = 'operator' AND disabled_at IS NULL") is not None


def add(actor: Actor, email: str, name: str, password: str, role: str, partner_id: str | None, now: int) -> str:
    """Create a user and return the id. InvalidRequest: names the field. Conflict: the address is taken. PartnerNotActive."""
    email, name = identity.normalise(email, name)
    passwords.check(password, email, name)
    identity.check_role(role, partner_id)
    stored = passwords.hashed(password)
    with database.write():
        return _insert(actor, email, name, stored, role, partner_id, now)


def _insert(actor: Actor, email: str, name: str, stored: str, role: str, partner_id: str | None, now: int) -> str:
    partner_status.require_active(partner_id)
    if find(email):
        raise Conflict(
            f"A user with the e-mail address {email} already exists.", fields={"email": ["This address is already in use."]}
        )
    if partner_id and database.one("SELECT count(*) FROM users WHERE partner_id = ?", (partner_id,))[0] >= MOST_USERS:
        raise Conflict(f"A partner has at most {MOST_USERS:,} users, disabled ones included; ask the operator.")
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
    """Return the stored hash if ``present`` is the current password. InvalidRequest: it is not. TooManySignIns. SignInsBusy."""
    counted = {f"password {user.id}": throttle.BY_DEVICE}
    throttle.check(counted, now)
    stored: str = get(user.own_id)["password"]
    if not passwords.matches(present, stored, known=True, admitted=lambda: throttle.begin(counted, now)):
        raise _not_present()
    throttle.succeeded(counted)
    return stored


def _not_present() -> InvalidRequest:
    message = "This is not your current password."
    return InvalidRequest(message, fields={"present": [message]})


def change_password(user: Viewer, present: str, new: str, now: int, session_id: str | None = None) -> None:
    """Change the user's own password; end all sessions except ``session_id``, and all open password-reset links.

    InvalidRequest: ``present`` is wrong, or ``new`` is not acceptable. TooManySignIns. SignInsBusy.
    """
    proven = confirm_password(user, present, now)
    passwords.check(new, user.email, user.name)
    stored = passwords.hashed(new)
    with database.write():
        if get(user.own_id)["password"] != proven:  # it was reset meanwhile, perhaps because it leaked
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
    """Set a user's password; end their sessions and open password-reset links."""
    row = get(user_id)
    passwords.check(new, row["email"], row["name"])
    _set_password(actor, user_id, passwords.hashed(new), now)


def change(actor: Actor, user_id: str, now: int, *, role: str | None = None, disabled: bool | None = None) -> None:
    """Change a user's role, or whether they may sign in. Conflict: no operator would be left.

    Open password-reset links end in any case. A user who is disabled or becomes a member also loses their test keys and the
    invitations that they created; a disabled user's sessions end.
    """
    with database.write():
        row = get(user_id)
        new_role = role or row["role"]
        identity.check_role(new_role, row["partner_id"])
        disabled_at, ended = row["disabled_at"] if disabled is None else (now if disabled else None), {}
        database.execute("UPDATE users SET role = ?, disabled_at = ? WHERE id = ?", (new_role, disabled_at, user_id))
        if disabled_at is not None:
            ended = rights.end_all(user_id, now)
        elif new_role == MEMBER != row["role"]:
            ended = rights.end_powers(user_id, now)
        rights.end_password_links(user_id)
        if row["role"] == OPERATOR and not has_operator():
            raise Conflict("This is the last operator; create another one first.")
        audit.record(
            actor, "user.change", row["email"], now, subject_id=user_id, partner_id=row["partner_id"],
            before={"role": row["role"], "disabled": row["disabled_at"] is not None},
            after={"role": new_role, "disabled": disabled_at is not None, **ended},
        )  # fmt: skip


def invite(
    actor: Actor, role: str, partner_id: str | None, now: int, *, email: str | None = None, user_id: str | None = None,
    lifetime: int | None = None,
) -> str:  # fmt: skip
    """Return the token of a one-time link that creates a user with that role, or sets a new password for ``user_id``.

    ``lifetime``: milliseconds; None: INVITATION or PASSWORD_LINK. PartnerNotActive: only for links that create a user.
    Conflict: the address is taken, or the user is disabled.
    """
    identity.check_role(role, partner_id)
    if user_id is None:
        partner_status.require_active(partner_id)
    elif get(user_id)["disabled_at"] is not None:
        raise Conflict("This user is disabled; enable the user first.")
    lifetime = lifetime or (INVITATION if user_id is None else PASSWORD_LINK)
    if email:
        email, _ = identity.normalise(email, "somebody")
        if user_id is None and find(email):
            raise Conflict(
                f"A user with the e-mail address {email} already exists.", fields={"email": ["This address is already in use."]}
            )
    token, invitation_id = signing.base64url(secrets.token_bytes(24)), ids.new(now)
    with database.write():
        if partner_id and user_id is None and len(invitations(partner_id, now)) >= MOST_INVITATIONS:
            raise Conflict(f"A partner has at most {MOST_INVITATIONS} open links; withdraw one that is no longer needed.")
        database.execute(
            "INSERT INTO invitations (id, hash, role, partner_id, email, user_id, created_at, expires_at, creator) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (invitation_id, signing.key_hash(token), role, partner_id, email, user_id, now, now + lifetime, actor.id),
        )
        audit.record(
            actor, "user.reset-link" if user_id else "user.invite", email or role, now, subject_id=invitation_id,
            partner_id=partner_id, after={"role": role},
        )  # fmt: skip
    return token


def make_first_operator_link(now: int) -> str | None:
    """Return the token of a new link that creates the first operator, and end earlier ones; None: there is an operator."""
    with database.write():
        if has_operator():
            return None
        database.execute("DELETE FROM invitations WHERE role = 'operator' AND used_at IS NULL")
        return invite(Actor(None, "the first start"), OPERATOR, None, now)


def invitations(partner_id: str | None, now: int) -> list[Invitation]:
    """Return the open links of a partner, or those for operators (None)."""
    return rows.every(
        Invitation,
        f"SELECT * FROM invitations WHERE partner_id IS NOT DISTINCT FROM :partner AND {_OPEN} ORDER BY created_at, id",
        {"partner": partner_id, "now": now},
    )


def prune_invitations(before: int) -> None:
    """Remove links that expired before ``before`` (ms), used or not."""
    with database.write(durable=False):
        database.execute("DELETE FROM invitations WHERE expires_at < ?", (before,))


def withdraw(actor: Actor, invitation_id: str, partner_id: str | None, now: int) -> None:
    """End an open link of that partner. NotFound: there is none."""
    with database.write():
        row = database.row(
            "SELECT * FROM invitations WHERE id = ? AND partner_id IS NOT DISTINCT FROM ?", (invitation_id, partner_id)
        )
        if row is None or not database.execute("DELETE FROM invitations WHERE id = ? AND used_at IS NULL", (invitation_id,)):
            raise NotFound("There is no such open invitation.")
        subject = row["email"] or row["role"]
        audit.record(actor, "user.withdraw", subject, now, subject_id=invitation_id, partner_id=partner_id)


def invitation(token: str, now: int) -> Invitation:
    """Return the invitation of a one-time link. LinkSpent: it was used, has expired, or does not exist."""
    sql = f"SELECT * FROM invitations WHERE hash = :hash AND {_OPEN}"
    row = rows.first(Invitation, sql, {"hash": signing.key_hash(token), "now": now})
    if row is None:
        raise LinkSpent()
    return row


def accept(token: str, email: str, name: str, password: str, now: int) -> str:
    """Use a one-time link, and return the id of its user. LinkSpent: it was used or has expired; else as in :func:`add`."""
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
    """Return a user whom ``viewer`` may manage. NotFound: a user of another partner; NotYours: the viewer."""
    row = get(user_id)
    if not viewer.is_operator and row["partner_id"] != viewer.partner_id:
        raise NotFound("There is no such user.")
    if row["id"] == viewer.id:
        raise NotYours("You cannot change your own role or disable yourself; ask a colleague.")
    return row
