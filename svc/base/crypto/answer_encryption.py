"""Encryption of what only the caller who presents the same key again may read."""

import hmac
import os
from collections.abc import Callable
from functools import cache
from typing import Protocol

from svc.base.crypto.signing import KeyRing
from svc.base.processes.entry_points import Library, load

_NONCE = 12  # bytes (NIST SP 800-38D, 5.2.1.1)
_PURPOSE = "idempotent answers"


class _Cipher(Protocol):
    """What is used of cryptography's AESGCM, which takes the key."""

    def encrypt(self, nonce: bytes, data: bytes, associated_data: bytes | None) -> bytes: ...

    def decrypt(self, nonce: bytes, data: bytes, associated_data: bytes | None) -> bytes: ...


@cache
def _aesgcm() -> Callable[[bytes], _Cipher]:
    """AES-GCM; few processes ever need it, and it takes 8 MB."""
    found: Callable[[bytes], _Cipher] = load(Library.AEAD).AESGCM
    return found


def seal(ring: KeyRing, secret: str, text: str) -> bytes:
    """Encrypt ``text``, so that it takes a master key and ``secret`` to read it."""
    version, nonce = ring.newest, os.urandom(_NONCE)
    head = version.to_bytes(4, "big")
    return head + nonce + _aesgcm()(_key(ring, secret, version)).encrypt(nonce, text.encode(), head)


def unseal(ring: KeyRing, secret: str, sealed: bytes) -> str:
    """The text. ValueError: the secret is another one, the master key has been retired, or the bytes were changed."""
    head, nonce, rest = sealed[:4], sealed[4 : 4 + _NONCE], sealed[4 + _NONCE :]
    try:
        key = _key(ring, secret, int.from_bytes(head, "big"))
        return _aesgcm()(key).decrypt(nonce, rest, head).decode()
    except (KeyError, load(Library.CRYPTOGRAPHY_ERRORS).InvalidTag) as failed:
        raise ValueError("it cannot be read") from failed


def _key(ring: KeyRing, secret: str, version: int) -> bytes:
    return hmac.digest(ring.derive(_PURPOSE, version), secret.encode(), "sha256")
