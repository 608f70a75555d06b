"""Keys, hashes and signatures: everything that is secret is derived or hashed here."""

import base64
import hashlib
import hmac
import secrets
import zlib

LIVE_PREFIX = "svc_live_"
TEST_PREFIX = "svc_test_"
ACTIVATION_PREFIX = "svc_activate_"
_SHOWN = 6  # characters of a key, after its prefix, that are kept for display
_RANDOM = 32  # bytes
_WHOLE = 48  # characters after the prefix: the random bytes and their checksum; 43 where a key was made before there was one


def base64url(raw: bytes) -> str:
    """Base64url without padding (RFC 4648 §5)."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


def new_key(prefix: str, random: bytes | None = None) -> str:
    """A fresh API key: ``prefix``, and in base64url 32 random bytes followed by the CRC32 of all before it, big-endian, by
    which scanners tell a real key from what only looks like one. ``random``: the bytes, where they are derived."""
    random = random or secrets.token_bytes(_RANDOM)
    return prefix + base64url(random + _checksum(prefix, random))


def is_mistyped(key: str) -> bool:
    """Whether the checksum of a well-formed key is wrong; a key that was made before there was one is never mistyped."""
    prefix, text = key[: len(_prefix(key))], key[len(_prefix(key)) :]
    if len(text) != _WHOLE:
        return False
    raw = base64.urlsafe_b64decode(text)
    return raw[_RANDOM:] != _checksum(prefix, raw[:_RANDOM])


def _checksum(prefix: str, random: bytes) -> bytes:
    return zlib.crc32(prefix.encode() + random).to_bytes(4, "big")


def _prefix(key: str) -> str:
    return next(prefix for prefix in (LIVE_PREFIX, TEST_PREFIX, ACTIVATION_PREFIX) if key.startswith(prefix))


def key_hash(key: str) -> bytes:
    """SHA-256 of a key: 256 random bits need no slow hash."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


def shown(key: str) -> str:
    """The first characters of a key, which may be displayed."""
    return key[: len(_prefix(key)) + _SHOWN]


class KeyRing:
    """Master keys by version; the highest version makes new signatures, every one verifies."""

    def __init__(self, keys: dict[int, bytes]):
        self._keys = keys

    @property
    def newest(self) -> int:
        return max(self._keys)

    def derive(self, purpose: str, version: int | None = None) -> bytes:
        """32 bytes for ``purpose`` alone. KeyError: no such version."""
        return hmac.digest(self._keys[version or self.newest], purpose.encode(), "sha256")

    @property
    def versions(self) -> list[int]:
        return sorted(self._keys, reverse=True)


def webhook_secret(ring: KeyRing, subscription_id: str, version: int, generation: int = 0) -> bytes:
    """A subscription's signing secret, derived: a stolen database holds none. ``generation``: how often it was rolled."""
    purpose = f"webhook:{subscription_id}:{generation}" if generation else f"webhook:{subscription_id}"
    return ring.derive(purpose, version)


def standard_secret(secret: bytes) -> str:
    """A signing secret as Standard Webhooks writes it: padded Base64 behind ``whsec_``."""
    return "whsec_" + base64.b64encode(secret).decode("ascii")


def totp_secret(ring: KeyRing, user_id: str, nonce: bytes, version: int) -> bytes:
    """The 20 bytes that a person's authenticator app shares with us, derived: a stolen database holds none."""
    return ring.derive(f"second factor:{user_id}:{nonce.hex()}", version)[:20]


def identity_seed(ring: KeyRing, version: int | None = None) -> bytes:
    """What the keys that sign certificates and films are made from."""
    return ring.derive("identity", version)


def activated(ring: KeyRing, activation_key: str, version: int) -> bytes:
    """The random part of the live key that an activation key makes: to be had from both together, and from neither alone."""
    return hmac.digest(ring.derive("activated keys", version), activation_key.encode(), "sha256")


def service_signature(secret: bytes, body: bytes) -> str:
    """The value of ``X-SERVICE-Signature`` (specification, "Signature verification")."""
    return "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()


def standard_signature(secret: bytes, message_id: str, timestamp: int, body: bytes) -> str:
    """The value of ``webhook-signature`` (Standard Webhooks specification, "Signature scheme"). ``timestamp``: Unix seconds."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode("ascii")


def link_signature(ring: KeyRing, subject: str, expires: int) -> str:
    """The signature of a download link for ``subject`` that ends at ``expires`` (Unix seconds)."""
    return _link_signature(ring, subject, expires, ring.newest)


def link_is_ours(ring: KeyRing, subject: str, expires: int, signature: str) -> bool:
    """Whether ``signature`` was made by :func:`link_signature`, by any master key of the ring, in constant time."""
    given = signature.encode("utf-8", "surrogatepass")
    matches = [
        hmac.compare_digest(_link_signature(ring, subject, expires, version).encode(), given) for version in ring.versions
    ]
    return any(matches)


def _link_signature(ring: KeyRing, subject: str, expires: int, version: int) -> str:
    return base64url(hmac.digest(ring.derive("links", version), f"{subject}\n{expires}".encode(), "sha256"))
