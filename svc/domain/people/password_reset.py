"""Links for people who have forgotten their password, sent to the address with which
they sign in.
"""

import hashlib
from collections.abc import Callable

from svc.base import client_addresses, clock
from svc.base.errors import ServiceError
from svc.domain.audit.audit import Actor
from svc.domain.monitoring import alerts
from svc.domain.people import throttle, users

LIFETIME = 30 * clock.MINUTE
_BY_ADDRESS, _BY_ACCOUNT = 10, 3  # requests in a window of svc.domain.people.throttle
_ACTOR = Actor(None, "forgotten password")

ALERT = "MailFailed"

# Takes the recipient and the token of the link, and returns whether the mail was accepted.
Mail = Callable[[str, str], bool]


def count(email: str, address: str, now: int) -> None:
    """Count a request, whether or not anybody has this address.

    TooManySignIns: no request is left.
    """
    whom = hashlib.sha256(email.strip().lower().encode("utf-8", "replace")).hexdigest()[:32]
    counted = {
        f"forgotten {whom}": _BY_ACCOUNT,
        f"forgotten at {client_addresses.find_network(address)}": _BY_ADDRESS,
    }
    throttle.check(counted, now)
    throttle.count_try(counted, now)


def send(email: str, mail: Mail, now: int) -> bool:
    """Send a link to the user with this address; return whether a mail was accepted.

    Nobody learns at the page whether there is such a user, nor, therefore, that a mail failed: an
    alert tells the operator.
    """
    person = users.find(email)
    if person is None:
        return False
    try:
        token = users.invite(
            _ACTOR,
            person["role"],
            person["partner_id"],
            now,
            email=person["email"],
            user_id=person["id"],
            lifetime=LIFETIME,
        )
    except ServiceError:
        return False  # disabled
    if mail(person["email"], token):
        return True
    message = (
        "A link for a new password was not sent: the mail address of SVC_ALERT_URLS did not take "
        "the mail."
    )
    alerts.raise_once(ALERT, "warning", message, now, person["partner_id"], person["id"])
    return False
