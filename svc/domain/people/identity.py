"""Validates the e-mail address, name and role of a user."""

import re

from svc.base import key_texts
from svc.base.errors import InvalidRequest

OPERATOR, OWNER, MEMBER = ROLES = ("operator", "owner", "member")

_EMAIL = re.compile(r"[^\s@\x00-\x20<>\"(),:;\\\[\]]{1,64}@[^\s@\x00-\x20<>\"(),:;\\\[\]]{1,190}")
_LONGEST_NAME = 100


def check_role(role: str, partner_id: str | None) -> None:
    """Raise InvalidRequest unless ``role`` is valid: operators belong to no partner,
    all other users to one.
    """
    if role not in ROLES or (role == OPERATOR) != (partner_id is None):
        message = "An operator must not have a partner; an owner or member must have one."
        raise InvalidRequest(message, fields={"role": [message]})


def normalise(email: str, name: str) -> tuple[str, str]:
    """Return the address in lower case and the name without superfluous spaces.

    InvalidRequest: one of them is malformed.
    """
    errors = {}
    email, name = email.strip().lower(), " ".join(name.split())
    if not _EMAIL.fullmatch(email):
        errors["email"] = ["Give an e-mail address such as ada@example.com."]
    if not 1 <= len(name) <= _LONGEST_NAME or not name.isprintable():
        errors["name"] = [f"Give a name of 1 to {_LONGEST_NAME} characters."]
    for field, text in (("email", email), ("name", name)):
        if key_texts.holds_key(text):
            errors[field] = [key_texts.REFUSAL]
    if errors:
        raise InvalidRequest(" ".join(sentences[0] for sentences in errors.values()), fields=errors)
    return email, name
