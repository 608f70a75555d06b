"""The dated versions of the API; docs/api-changelog.md says what came with each."""

from typing import Any

from svc.base import version
from svc.base.errors import InvalidRequest

HEADER = version.API_VERSION_HEADER
VERSIONS = version.API_VERSIONS  # a client names any of them
NEWEST = VERSIONS[0]
_SHOWN = 20  # characters of an unknown version in the message


def check_version(environ: dict[str, Any]) -> None:
    """Check the version that a request names. InvalidRequest: no version has this date.

    Each version so far only adds to the one before, so all of them answer alike.
    """
    version = environ.get("HTTP_X_API_VERSION")
    if version is None or version in VERSIONS:
        return
    names = ", ".join(VERSIONS)
    message = f"{HEADER} is {version[:_SHOWN]!r}; send one of {names}, or leave it out."
    raise InvalidRequest(message, fields={HEADER: [f"Unknown version. Known: {names}."]})
