"""Users of the console: operators, and the owners and members of partners."""

import secrets
from dataclasses import dataclass

from svc.base import clock, ids
from svc.base.crypto import signing
from svc.base.errors import Conflict, InvalidRequest, LinkSpent, NotFound, NotYours
from svc.domain import partner_status
from svc.domain.audit import audit
from svc.domain.audit.audit import Actor
from svc.domain.people import identity, passwords, revocation, throttle
from svc.domain.people.identity import MEMBER, OPERATOR
from svc.domain.tables import people as tables
from svc.domain.tables.people import ListedUser, Person
from svc.store.database import db
from svc.store.expressions import JOIN, fn, is_same
from svc.store.models.partners import Partner
from svc.store.models.people import Invitation, SecondFactor, User
from svc.store.queries import Prepared, slot, slots

INVITATION = 7 * clock.DAY  # lifetime of a link that creates a user
PASSWORD_LINK = 24 * clock.HOUR  # lifetime of a link that sets a new password

MOST_USERS = 1000  # of a partner
MOST_INVITATIONS = 200  # open links of a partner
_PERSON = User.select(User, Partner.status.alias("partner_status")).join(
    Partner, JOIN.LEFT_OUTER, on=Partner.id == User.partner_id
)
_BY_EMAIL = Prepared(_PERSON.where(User.email == slot("email")), Person)
_BY_ID = Prepared(_PERSON.where(User.id == slot("id")), Person)
_LISTED = User.select(
    User,
    fn.EXISTS(
        SecondFactor.select(1).where(
            SecondFactor.user_id == User.id, SecondFactor.confirmed_at.is_null(False)
        )
    ).alias("second_factor"),
).order_by(User.created_at, User.id)
_OF_PARTNER = Prepared(_LISTED.where(is_same(User.partner_id, slot("partner_id"))), ListedUser)
_ALL = Prepared(_LISTED, ListedUser)
_OPERATOR = Prepared(User.select(User.id).where(User.role == OPERATOR, User.disabled_at.is_null()))
_NUMBER = Prepared(User.select(fn.count(User.id)).where(User.partner_id == slot("partner_id")))
_ADD = Prepared(
    User.insert(slots("id", "email", "name", "role", "partner_id", "password", "created_at"))
)
_SET_PASSWORD = Prepared(User.update(password=slot("password")).where(User.id == slot("id")))
_CHANGE = Prepared(
    User.update(role=slot("role"), disabled_at=slot("disabled_at")).where(User.id == slot("id"))
)

_IS_OPEN = Invitation.used_at.is_null() & (Invitation.expires_at > slot("now"))
_INVITE = Prepared(
    Invitation.insert(
        slots(
            "id",
            "hash",
            "role",
            "partner_id",
            "email",
            "user_id",
            "created_at",
            "expires_at",
            "creator",
        )
    )
)
_WITHDRAW_FOR_OPERATORS = Prepared(
    Invitation.delete().where(Invitation.role == OPERATOR, Invitation.used_at.is_null())
)
_OPEN_INVITATIONS = Prepared(
    Invitation.select()
    .where(is_same(Invitation.partner_id, slot("partner_id")), _IS_OPEN)
    .order_by(Invitation.created_at, Invitation.id),
    tables.Invitation,
)
_PRUNE_INVITATIONS = Prepared(Invitation.delete().where(Invitation.expires_at < slot("before")))
_INVITATION_OF_PARTNER = Prepared(
    Invitation.select().where(
        Invitation.id == slot("id"), is_same(Invitation.partner_id, slot("partner_id"))
    )
)
_WITHDRAW = Prepared(
    Invitation.delete().where(Invitation.id == slot("id"), Invitation.used_at.is_null())
)
_INVITATION = Prepared(
    Invitation.select().where(Invitation.hash == slot("hash"), _IS_OPEN), tables.Invitation
)
_USE = Prepared(
    Invitation.update(used_at=slot("now")).where(
        Invitation.id == slot("id"), Invitation.used_at.is_null()
    )
)


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
        """Return whether the user may change things: operators always,
        owners while their partner is Active, members never.
        """
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


def make_viewer(row: Person) -> Viewer:
    """Return the viewer for a row of :func:`get` or :func:`find`."""
    return Viewer(
        row["id"], row["name"], row["email"], row["role"], row["partner_id"], row["partner_status"]
    )


def find(email: str) -> Person | None:
    """Return the user with that e-mail address, regardless of case and spaces around it;
    None: there is none.
    """
    return _BY_EMAIL.row(email=email.strip().lower())


def get(user_id: str) -> Person:
    """Return a user. NotFound: there is none."""
    row = _BY_ID.row(id=user_id)
    if row is None:
        raise NotFound("There is no such user.")
    return row


def list_users(partner_id: str | None) -> list[ListedUser]:
    """Return the users of a partner, or the operators (None), oldest first."""
    return _OF_PARTNER.rows(partner_id=partner_id)


def list_all_users() -> list[ListedUser]:
    """Return all users, including disabled ones, oldest first."""
    return _ALL.rows()


def has_operator() -> bool:
    """Return whether there is an operator who is not disabled."""
    return _OPERATOR.row() is not None


def add(
    actor: Actor, email: str, name: str, password: str, role: str, partner_id: str | None, now: int
) -> str:
    """Create a user and return the id.

    Raises:
        InvalidRequest: A field is not valid; the error names it.
        Conflict: The address is taken.
        PartnerNotActive: The partner is suspended or closed.
    """
    email, name = identity.normalise(email, name)
    passwords.check(password, email, name)
    identity.check_role(role, partner_id)
    stored = passwords.hash_password(password)
    with db.transaction():
        return _insert_user(actor, email, name, stored, role, partner_id, now)


def _insert_user(
    actor: Actor, email: str, name: str, stored: str, role: str, partner_id: str | None, now: int
) -> str:
    partner_status.require_active(partner_id)
    if find(email):
        raise Conflict(
            f"A user with the e-mail address {email} already exists.",
            fields={"email": ["This address is already in use."]},
        )
    if partner_id and _NUMBER.value(partner_id=partner_id) >= MOST_USERS:
        raise Conflict(
            f"A partner has at most {MOST_USERS:,} users, disabled ones included; ask the operator."
        )
    user_id = ids.make_id(now)
    with audit.recording(
        actor if actor.name else Actor(user_id, email),
        "user.add",
        email,
        now,
        subject_id=user_id,
        partner_id=partner_id,
        after={"name": name, "role": role},
    ):
        _ADD.execute(
            id=user_id,
            email=email,
            name=name,
            role=role,
            partner_id=partner_id,
            password=stored,
            created_at=now,
        )
    return user_id


def confirm_password(user: Viewer, present: str, now: int) -> str:
    """Return the stored hash if ``present`` is the current password.

    Raises:
        InvalidRequest: It is not the password.
        TooManySignIns: No try is left for now.
        SignInsBusy: No slot for hashing is free.
    """
    counted = {f"password {user.id}": throttle.BY_DEVICE}
    throttle.check(counted, now)
    stored: str = get(user.own_id)["password"]
    if not passwords.matches(
        present, stored, known=True, admitted=lambda: throttle.count_try(counted, now)
    ):
        raise _not_present()
    throttle.uncount_try(counted)
    return stored


def _not_present() -> InvalidRequest:
    message = "This is not your current password."
    return InvalidRequest(message, fields={"present": [message]})


def change_password(
    user: Viewer, present: str, new: str, now: int, session_id: str | None = None
) -> None:
    """Change the user's own password; end all sessions except ``session_id``, and all open
    password-reset links.

    Raises:
        InvalidRequest: ``present`` is wrong, or ``new`` is not acceptable.
        TooManySignIns: No try is left for now.
        SignInsBusy: No slot for hashing is free.
    """
    proven = confirm_password(user, present, now)
    passwords.check(new, user.email, user.name)
    stored = passwords.hash_password(new)
    with db.transaction():
        # it was reset meanwhile, perhaps because it leaked
        if get(user.own_id)["password"] != proven:
            raise _not_present()
        _set_password(user.actor, user.own_id, stored, now, session_id)


def _set_password(
    actor: Actor, user_id: str, stored: str, now: int, session_id: str | None = None
) -> None:
    with audit.recording(actor, "user.password", None, now) as entry:
        _SET_PASSWORD.execute(id=user_id, password=stored)
        revocation.end_sessions(user_id, session_id)
        revocation.end_password_links(user_id)
        row = get(user_id)
        entry.describe(row["email"], subject_id=user_id, partner_id=row["partner_id"])


def set_password(actor: Actor, user_id: str, new: str, now: int) -> None:
    """Set a user's password; end their sessions and open password-reset links."""
    row = get(user_id)
    passwords.check(new, row["email"], row["name"])
    _set_password(actor, user_id, passwords.hash_password(new), now)


def change(
    actor: Actor, user_id: str, now: int, *, role: str | None = None, disabled: bool | None = None
) -> None:
    """Change a user's role, or whether they may sign in. Conflict: no operator would be left.

    Open password-reset links end in any case. A user who is disabled or becomes a member also loses
    their test keys and the invitations that they created; a disabled user's sessions end.
    """
    with audit.recording(actor, "user.change", None, now) as entry:
        row = get(user_id)
        new_role = role or row["role"]
        identity.check_role(new_role, row["partner_id"])
        disabled_at = row["disabled_at"] if disabled is None else (now if disabled else None)
        ended = {}
        _CHANGE.execute(id=user_id, role=new_role, disabled_at=disabled_at)
        if disabled_at is not None:
            ended = revocation.end_all(user_id, now)
        elif new_role == MEMBER != row["role"]:
            ended = revocation.end_powers(user_id, now)
        revocation.end_password_links(user_id)
        if row["role"] == OPERATOR and not has_operator():
            raise Conflict("This is the last operator; create another one first.")
        entry.describe(
            row["email"],
            subject_id=user_id,
            partner_id=row["partner_id"],
            before={"role": row["role"], "disabled": row["disabled_at"] is not None},
            after={"role": new_role, "disabled": disabled_at is not None, **ended},
        )


def invite(
    actor: Actor,
    role: str,
    partner_id: str | None,
    now: int,
    *,
    email: str | None = None,
    user_id: str | None = None,
    lifetime: int | None = None,
) -> str:
    """Return the token of a one-time link that creates a user with that role, or sets a new
    password for ``user_id``.

    ``lifetime``: milliseconds; None: INVITATION or PASSWORD_LINK. PartnerNotActive: only for links
    that create a user. Conflict: the address is taken, or the user is disabled.
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
                f"A user with the e-mail address {email} already exists.",
                fields={"email": ["This address is already in use."]},
            )
    token, invitation_id = signing.encode_base64url(secrets.token_bytes(24)), ids.make_id(now)
    with audit.recording(
        actor, "user.reset-link" if user_id else "user.invite", None, now
    ) as entry:
        if (
            partner_id
            and user_id is None
            and len(list_invitations(partner_id, now)) >= MOST_INVITATIONS
        ):
            raise Conflict(
                f"A partner has at most {MOST_INVITATIONS} open links; withdraw one that is no "
                "longer needed."
            )
        _INVITE.execute(
            id=invitation_id,
            hash=signing.hash_key(token),
            role=role,
            partner_id=partner_id,
            email=email,
            user_id=user_id,
            created_at=now,
            expires_at=now + lifetime,
            creator=actor.id,
        )
        entry.describe(
            email or role, subject_id=invitation_id, partner_id=partner_id, after={"role": role}
        )
    return token


def make_first_operator_link(now: int) -> str | None:
    """Return the token of a new link that creates the first operator, and end earlier ones;
    None: there is an operator.
    """
    with db.transaction():
        if has_operator():
            return None
        _WITHDRAW_FOR_OPERATORS.execute()
        return invite(Actor(None, "the first start"), OPERATOR, None, now)


def list_invitations(partner_id: str | None, now: int) -> list[tables.Invitation]:
    """Return the open links of a partner, or those for operators (None)."""
    return _OPEN_INVITATIONS.rows(partner_id=partner_id, now=now)


def prune_invitations(before: int) -> None:
    """Remove links that expired before ``before`` (ms), used or not."""
    with db.transaction(durable=False):
        _PRUNE_INVITATIONS.execute(before=before)


def withdraw(actor: Actor, invitation_id: str, partner_id: str | None, now: int) -> None:
    """End an open link of that partner. NotFound: there is none."""
    with audit.recording(actor, "user.withdraw", None, now) as entry:
        row = _INVITATION_OF_PARTNER.row(id=invitation_id, partner_id=partner_id)
        if row is None or not _WITHDRAW.execute(id=invitation_id):
            raise NotFound("There is no such open invitation.")
        subject = row["email"] or row["role"]
        entry.describe(subject, subject_id=invitation_id, partner_id=partner_id)


def find_invitation(token: str, now: int) -> tables.Invitation:
    """Return the invitation of a one-time link.

    LinkSpent: it was used, has expired, or does not exist.
    """
    row = _INVITATION.row(hash=signing.hash_key(token), now=now)
    if row is None:
        raise LinkSpent()
    return row


def accept(token: str, email: str, name: str, password: str, now: int) -> str:
    """Use a one-time link, and return the id of its user.

    LinkSpent: it was used or has expired; else as in :func:`add`.
    """
    link = find_invitation(token, now)
    known = get(link["user_id"]) if link["user_id"] else None
    email, name = (
        (known["email"], known["name"])
        if known
        else identity.normalise(link["email"] or email, name)
    )
    passwords.check(password, email, name)
    stored = passwords.hash_password(password)
    with db.transaction():
        if not _USE.execute(id=link["id"], now=now):
            raise LinkSpent()
        if known is None:
            return _insert_user(
                Actor(None, ""), email, name, stored, link["role"], link["partner_id"], now
            )
        _set_password(Actor(known["id"], email), known["id"], stored, now)
        return str(known["id"])


def find_colleague(viewer: Viewer, user_id: str) -> Person:
    """Return a user whom ``viewer`` may manage.

    NotFound: a user of another partner; NotYours: the viewer.
    """
    row = get(user_id)
    if not viewer.is_operator and row["partner_id"] != viewer.partner_id:
        raise NotFound("There is no such user.")
    if row["id"] == viewer.id:
        raise NotYours("You cannot change your own role or disable yourself; ask a colleague.")
    return row
