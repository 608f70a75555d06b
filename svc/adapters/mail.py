"""Mails to one person through the mail server of the operator's Apprise addresses."""

import logging
import re
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from svc.adapters import notify

log = logging.getLogger("svc.mail")

_SCHEMES = ("mailto", "mailtos")
_REPLACED = ("to", "cc", "bcc", "format")
_ONE_ADDRESS = re.compile(r"[^\s,;<>\"@]+@[^\s,;<>\"@]+")  # Apprise reads several from a list


def find_server(urls: tuple[str, ...]) -> str | None:
    """Return the first of ``urls`` that is a mail server; None if there is none."""
    return next((url for url in urls if url.partition(":")[0].lower() in _SCHEMES), None)


def send(url: str, recipient: str, title: str, body: str) -> bool:
    """Send a mail by the server of ``url`` to ``recipient`` alone,
    and return whether it was accepted.
    """
    if not _ONE_ADDRESS.fullmatch(recipient):
        return False
    if not notify.notify((make_recipient_url(url, recipient),), title, body):
        log.warning("a mail could not be sent by the mail address of SVC_ALERT_URLS")
        return False
    return True


def make_recipient_url(url: str, recipient: str) -> str:
    """Return ``url`` for a plain text to ``recipient``, in place of the recipients
    that it names.
    """
    parts = urlsplit(url)
    parameters = [
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if name.lower() not in _REPLACED
    ]
    query = urlencode([*parameters, ("format", "text"), ("to", recipient)], quote_via=quote)
    return urlunsplit((parts.scheme, parts.netloc, "", query, ""))
