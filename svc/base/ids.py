"""Identifiers: new ones, the nil one, and those that are the same on every installation."""

import os
import re
import uuid

LAST = "~"  # after every identifier
NIL = "00000000-0000-0000-0000-000000000000"

_CANONICAL = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)
_NAMESPACE = uuid.UUID("6f2c2f4e-6d0e-5b0a-9f0b-2b7f1c6a4d11")

_RANDOM = 10  # bytes of one identifier
_AT_ONCE = 64
# Random bytes that are read ahead: each system call lets other threads run, which costs more than
# the call.
_spare: list[bytes] = []
os.register_at_fork(after_in_child=_spare.clear)


def make_id(at: int) -> str:
    """Return a new UUIDv7 (RFC 9562 §5.7) for the instant ``at`` in milliseconds;
    the order of an index follows the time.
    """
    random = int.from_bytes(_read_random(), "big")
    value = (
        (at & (2**48 - 1)) << 80
        | 0x7 << 76
        | (random >> 68) << 64
        | 0b10 << 62
        | random & (2**62 - 1)
    )
    text = f"{value:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def _read_random() -> bytes:
    try:
        return _spare.pop()
    except IndexError:
        block = os.urandom(_RANDOM * _AT_ONCE)
        first, *others = (block[at : at + _RANDOM] for at in range(0, len(block), _RANDOM))
        _spare.extend(others)
        return first


def make_lowest_id(at: int) -> str:
    """Return the lowest identifier that :func:`make_id` can make at the instant ``at``;
    all older identifiers are lower.
    """
    text = f"{min(at, 2**48 - 1):012x}"
    return f"{text[:8]}-{text[8:]}-7000-8000-{0:012x}"


def read_time(identifier: str) -> int:
    """Return the instant at which :func:`make_id` made an identifier."""
    return int(identifier[:8] + identifier[9:13], 16)


def derive_id(kind: str, code: str) -> str:
    """Return the UUIDv5 of a name, such as the code of a language or country,
    which is the same on every installation.
    """
    return str(uuid.uuid5(_NAMESPACE, f"{kind}:{code}"))


def normalise(value: str) -> str | None:
    """Return ``value`` in lower case if it is a UUID in the canonical form (no braces, no
    urn), else None.
    """
    return value.lower() if _CANONICAL.fullmatch(value) else None
