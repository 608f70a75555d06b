"""Keys, hashes and signatures: all secrets are derived or hashed here."""

import base64
import hashlib
import hmac
import re
import secrets
import uuid
import zlib

from svc.base import outage

LIVE_PREFIX = "svc_live_"
TEST_PREFIX = "svc_test_"
ACTIVATION_PREFIX = "svc_activate_"
_SHOWN = 6  # characters of a key, after its prefix, that are kept for display
_RANDOM = 32  # bytes
# The length in bytes of a portal's token, two UUIDs and the expiry, without its signature of 32.
_PORTAL_CLAIMS = 40
_PORTAL_TOKEN = re.compile(r"[A-Za-z0-9_-]{96}", re.ASCII)
# The characters of a key after its prefix: random bytes and a checksum. Keys that were made before
# there was a checksum have 43.
_WHOLE = 48


def encode_base64url(raw: bytes) -> str:
    """Encode as base64url without padding (RFC 4648 §5)."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


def make_key(prefix: str) -> str:
    """Return a new API key: ``prefix``, and in base64url 32 random bytes and the CRC32 of all
    before it, big-endian.

    Secret scanners use the checksum to recognise real keys.
    """
    random = secrets.token_bytes(_RANDOM)
    return prefix + encode_base64url(random + _compute_checksum(prefix, random))


def is_mistyped(key: str) -> bool:
    """Return whether the checksum of a well-formed key is wrong; False for an older key,
    which has no checksum.
    """
    prefix, text = key[: len(_find_prefix(key))], key[len(_find_prefix(key)) :]
    if len(text) != _WHOLE:
        return False
    raw = base64.urlsafe_b64decode(text)
    return raw[_RANDOM:] != _compute_checksum(prefix, raw[:_RANDOM])


def _compute_checksum(prefix: str, random: bytes) -> bytes:
    return zlib.crc32(prefix.encode() + random).to_bytes(4, "big")


def _find_prefix(key: str) -> str:
    return next(
        prefix for prefix in (LIVE_PREFIX, TEST_PREFIX, ACTIVATION_PREFIX) if key.startswith(prefix)
    )


def hash_key(key: str) -> bytes:
    """Return the SHA-256 of a key: 256 random bits need no slow hash."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


def shorten_key(key: str) -> str:
    """Return the first characters of a key, which may be displayed."""
    return key[: len(_find_prefix(key)) + _SHOWN]


class KeyMissing(Exception):
    """Other processes sign with a master key that this process does not have yet; it cannot check
    signatures.
    """

    outage = outage.KEY_MISSING


class KeyRing:
    """Master keys by version: the highest version signs, and every version verifies."""

    def __init__(self, keys: dict[int, bytes]):
        self._keys = keys

    @property
    def newest(self) -> int:
        return max(self._keys)

    def derive(self, purpose: str, version: int | None = None) -> bytes:
        """Return 32 bytes derived for ``purpose``.

        KeyError: no such version; KeyMissing: others have it.
        """
        return hmac.digest(self._keys[version or self.newest], purpose.encode(), "sha256")

    @property
    def versions(self) -> list[int]:
        return sorted(self._keys, reverse=True)

    @property
    def held(self) -> list[int]:
        """The versions that the database knows and this ring has."""
        return sorted(self._keys)

    def refresh(self) -> None:
        """Learn at once which keys others use. In a transaction, what is signed after it cannot
        refer to a key that was retired before it.
        """

    def require_complete(self) -> None:
        """Raise KeyMissing if others sign with a key that is not in this ring."""


def derive_webhook_secret(
    ring: KeyRing, subscription_id: str, version: int, generation: int = 0
) -> bytes:
    """Derive a subscription's signing secret, which no database stores.

    ``generation``: how often it was rolled.
    """
    purpose = (
        f"webhook:{subscription_id}:{generation}" if generation else f"webhook:{subscription_id}"
    )
    return ring.derive(purpose, version)


def format_standard_secret(secret: bytes) -> str:
    """Return a signing secret in the form of Standard Webhooks: ``whsec_`` and padded Base64."""
    return "whsec_" + base64.b64encode(secret).decode("ascii")


def derive_totp_secret(ring: KeyRing, user_id: str, nonce: bytes, version: int) -> bytes:
    """Derive the 20 bytes that a user's authenticator app shares with the service,
    which no database stores.
    """
    return ring.derive(f"second factor:{user_id}:{nonce.hex()}", version)[:20]


def derive_identity_seed(ring: KeyRing, version: int | None = None) -> bytes:
    """Return the seed of the keys that sign certificates and videos."""
    return ring.derive("identity", version)


def make_service_signature(secret: bytes, body: bytes) -> str:
    """Return the value of ``X-SERVICE-Signature`` (specification, "Signature verification")."""
    return "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()


def make_standard_signature(secret: bytes, message_id: str, timestamp: int, body: bytes) -> str:
    """Return ``webhook-signature`` (Standard Webhooks specification, "Signature scheme").

    ``timestamp``: Unix seconds.
    """
    content = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(secret, content, hashlib.sha256).digest()).decode(
        "ascii"
    )


def make_link_signature(ring: KeyRing, subject: str, expires: int) -> str:
    """Return the signature of a download link for ``subject`` that expires at
    ``expires`` (Unix seconds).
    """
    return _link_signature(ring, subject, expires, ring.newest)


def link_is_ours(ring: KeyRing, subject: str, expires: int, signature: str) -> bool:
    """Return whether :func:`make_link_signature` made ``signature`` with any master key of the
    ring, in constant time. KeyMissing: none did, but others have more keys.
    """
    signature_bytes = signature.encode("utf-8", "surrogatepass")
    matches = [
        hmac.compare_digest(
            _link_signature(ring, subject, expires, version).encode(), signature_bytes
        )
        for version in ring.versions
    ]
    if not any(matches):
        ring.require_complete()
    return any(matches)


def sign_portal_token(ring: KeyRing, account_id: str, key_id: str, expires: int) -> str:
    """Return a signed token for the portal of an account that ends at ``expires`` (Unix seconds),
    or with the key.
    """
    claims = uuid.UUID(account_id).bytes + uuid.UUID(key_id).bytes + expires.to_bytes(8, "big")
    return encode_base64url(claims + _make_portal_signature(ring, claims, ring.newest))


def read_portal_token(ring: KeyRing, token: str) -> tuple[str, str, int] | None:
    """Return account, key and expiry of a token that any master key of the ring signed;
    None: none did. In constant time. KeyMissing: none did, but others have more keys.
    """
    if not _PORTAL_TOKEN.fullmatch(token):
        return None
    raw = base64.urlsafe_b64decode(token)
    claims, signature = raw[:_PORTAL_CLAIMS], raw[_PORTAL_CLAIMS:]
    matches = [
        hmac.compare_digest(_make_portal_signature(ring, claims, version), signature)
        for version in ring.versions
    ]
    if not any(matches):
        ring.require_complete()
        return None
    return (
        str(uuid.UUID(bytes=claims[:16])),
        str(uuid.UUID(bytes=claims[16:32])),
        int.from_bytes(claims[32:], "big"),
    )


def _make_portal_signature(ring: KeyRing, claims: bytes, version: int) -> bytes:
    return hmac.digest(ring.derive("portal links", version), claims, "sha256")


def _link_signature(ring: KeyRing, subject: str, expires: int, version: int) -> str:
    return encode_base64url(
        hmac.digest(ring.derive("links", version), f"{subject}\n{expires}".encode(), "sha256")
    )
