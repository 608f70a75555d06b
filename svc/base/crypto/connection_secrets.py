"""Encryption of what an account's connections know: credentials,
and the upload sessions of places.
"""

import json
from typing import Any

from svc.base.crypto import answer_encryption
from svc.base.crypto.signing import KeyRing

_PURPOSE = "connections"


def seal(ring: KeyRing, owner: str, values: dict[str, Any]) -> bytes:
    """Encrypt ``values`` under the newest master key.

    ``owner``: the row that has them, which no other row can read.
    """
    return answer_encryption.seal(ring, owner, json.dumps(values, separators=(",", ":")), _PURPOSE)


def unseal(ring: KeyRing, owner: str, sealed: bytes | None) -> dict[str, Any]:
    """Return the values; none for None.

    ValueError: the master key is retired, or the bytes were changed.
    """
    if sealed is None:
        return {}
    values: dict[str, Any] = json.loads(answer_encryption.unseal(ring, owner, sealed, _PURPOSE))
    return values


def read_version(sealed: bytes) -> int:
    """Return the version of the master key that values were encrypted under."""
    return int.from_bytes(sealed[:4], "big")
