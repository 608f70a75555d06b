"""Encryption of stored texts under a master key and a second secret, which for answers is the API
key of their request.
"""

import hmac
import os
from collections.abc import Callable
from functools import cache
from typing import Protocol

from svc.base.crypto.signing import KeyRing

_NONCE = 12  # bytes (NIST SP 800-38D, 5.2.1.1)
ANSWERS = "idempotent answers"  # a purpose: each has keys of its own


class _Cipher(Protocol):
    """The methods of cryptography's AESGCM that are used here; its constructor takes the key."""

    def encrypt(self, nonce: bytes, data: bytes, associated_data: bytes | None) -> bytes: ...

    def decrypt(self, nonce: bytes, data: bytes, associated_data: bytes | None) -> bytes: ...


@cache
def _aesgcm() -> Callable[[bytes], _Cipher]:
    """Return the class AESGCM, imported on first use: it takes 8 MB, and few processes need it."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM


def seal(ring: KeyRing, secret: str, text: str, purpose: str = ANSWERS) -> bytes:
    """Encrypt ``text`` with a key derived from the newest master key and ``secret``."""
    version, nonce = ring.newest, os.urandom(_NONCE)
    head = version.to_bytes(4, "big")
    return (
        head
        + nonce
        + _aesgcm()(_key(ring, secret, version, purpose)).encrypt(nonce, text.encode(), head)
    )


def unseal(ring: KeyRing, secret: str, sealed: bytes, purpose: str = ANSWERS) -> str:
    """Return the text.

    ValueError: the secret is wrong, the master key is retired, or the bytes were changed.
    """
    from cryptography.exceptions import InvalidTag

    head, nonce, ciphertext = sealed[:4], sealed[4 : 4 + _NONCE], sealed[4 + _NONCE :]
    try:
        key = _key(ring, secret, int.from_bytes(head, "big"), purpose)
        return _aesgcm()(key).decrypt(nonce, ciphertext, head).decode()
    except (KeyError, InvalidTag) as error:
        raise ValueError("it cannot be read") from error


def _key(ring: KeyRing, secret: str, version: int, purpose: str) -> bytes:
    return hmac.digest(ring.derive(purpose, version), secret.encode(), "sha256")
