"""Masks the addresses of this service that are secrets, as whoever knows one may use it, so that no
log shows one whole.

Logs, gunicorn's access log and the deployment files (svc.cli.installation.deploy) leave out what
these name; a test compares each route of the application with them.
"""

import re

# What follows in the path is secret.
IN_PATH = ("/console/kept/", "/console/welcome/", "/portal/")
# The query is secret: a signature of a download, the code of a sign-in elsewhere, an address to
# return to, which may be that.
IN_QUERY = ("/files/", "/console/connections/signed-in", "/console/sign-in")

_BEGINNINGS = (*IN_PATH, *IN_QUERY)
REPLACEMENT = "(secret)"
# Two groups, of which one matches what may be shown; for an address, and for a text with addresses.
# Go (Caddy) reads it alike.
PATTERN = (
    rf"((?:{'|'.join(IN_PATH)}))[^\s\"'<>]+|((?:{'|'.join(IN_QUERY)})[^\s\"'<>?]*\?)[^\s\"'<>]+"
)
_PATTERN = re.compile(PATTERN)


def redact(text: str) -> str:
    """Return a text with the secret part of each address in it replaced by ``(secret)``."""
    return _PATTERN.sub(lambda match: (match[1] or match[2]) + REPLACEMENT, text)


def is_secret(path: str) -> bool:
    """Return whether an address with this path may hold a secret."""
    return path.startswith(_BEGINNINGS)
