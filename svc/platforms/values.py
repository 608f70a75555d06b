"""Checks of what people enter for a connection, and of what places answer."""

import re

from svc.adapters import addresses
from svc.base.errors import ServiceError

_HOST = re.compile(r"[A-Za-z0-9.:_-]{1,253}")
_LONGEST_ADDRESS = 2000  # characters


def check_url(fields: dict[str, str], name: str) -> dict[str, str]:
    """Return the problems with an address, by the field's name.

    The network is asked later, at the try.
    """
    try:
        addresses.parse(fields[name])
    except ServiceError:
        return {
            name: (
                "Give a whole address such as https://example.com/path, without a user name, "
                "password or #fragment."
            )
        }
    return {}


def check_host(fields: dict[str, str]) -> dict[str, str]:
    """Return the problems with a host and a port, by field."""
    problems, host, port = {}, fields["host"], fields["port"]
    if not _HOST.fullmatch(host) or check_url(
        {"url": f"https://{f'[{host}]' if ':' in host else host}/"}, "url"
    ):
        problems["host"] = "Give the name or the address of a host, such as files.example.com."
    if not (port.isascii() and port.isdigit() and 1 <= int(port[:6]) <= 65535):
        problems["port"] = "Give a port from 1 to 65535."
    return problems


def check_folder(fields: dict[str, str]) -> dict[str, str]:
    """Return the problems with a folder: parts that lead elsewhere, or unprintable signs."""
    folder = fields["folder"].strip("/")
    parts = folder.split("/")
    if folder and any(part in ("", ".", "..") or not part.isprintable() for part in parts):
        return {"folder": "Give a folder such as videos/published, without empty parts, . and .."}
    return {}


def parse_count(value: object) -> int | None:
    """Return a number of views and the like from an answer, where it may be a text;
    None: it is not one.
    """
    text = read_printable_line(value, 18)
    return int(text) if text and text.isascii() and text.isdigit() else None


def read_printable_line(value: object, longest: int) -> str | None:
    """Return a text or number from an answer as one printable line; None: it is not one,
    or too long.
    """
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    text = str(value)
    return text if text and len(text) <= longest and text.isprintable() else None


def parse_web_address(value: object) -> str | None:
    """Return an http or https address from an answer; None: it is not one.

    It is shown as a link, and never opened.
    """
    text = read_printable_line(value, _LONGEST_ADDRESS)
    return text if text and re.match(r"https?://[^\s/]", text) else None
