"""``/.well-known/security.txt`` (RFC 9116): the contact for vulnerability reports,
if the operator has set one.
"""

from flask import Blueprint, Response, current_app

from svc.base import clock
from svc.base.errors import NotFound

security_txt = Blueprint("security_txt", __name__)

_VALID = 180 * clock.DAY  # RFC 9116 recommends less than a year
_MAX_AGE = 3600  # seconds


@security_txt.get("/.well-known/security.txt")
def page() -> Response:
    service = current_app.extensions["svc"]
    contacts = service.settings.security_contact
    if not contacts:
        raise NotFound()
    expires = (service.clock() // clock.DAY) * clock.DAY + _VALID  # the same all day
    lines = [
        *(f"Contact: {contact}" for contact in contacts),
        f"Expires: {clock.format_time(expires)}",
        "Preferred-Languages: en",
        f"Canonical: {service.settings.base_url}/.well-known/security.txt",
    ]
    response = Response(
        "".join(f"{line}\n" for line in lines), content_type="text/plain; charset=utf-8"
    )
    response.cache_control.public, response.cache_control.max_age = True, _MAX_AGE
    return response
