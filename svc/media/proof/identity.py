"""The identity of an installation: its signing keys and its certificate authority, all derived from
one seed.

The same seed gives the same keys and certificates, so only the installation's secret has to be
stored. A self-issued certificate proves that a file is unchanged and which installation signed it;
it is on no public trust list.
"""

import datetime
import hashlib
import hmac
from dataclasses import dataclass
from functools import cached_property

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_public_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

ORGANISATION = "Partner Production API"
_FROM = datetime.datetime(2025, 1, 1, tzinfo=datetime.UTC)
_UNTIL = datetime.datetime(2055, 1, 1, tzinfo=datetime.UTC)
_CA_USES = {"key_cert_sign": True, "crl_sign": True}
_LEAF_USES = {"digital_signature": True}


@dataclass(frozen=True)
class PublicIdentity:
    """What others need to recognise an installation.

    ``key``: Ed25519, raw; ``authority``: the CA's certificate, PEM.
    """

    key: bytes
    authority: str

    def to_pem(self) -> str:
        """Return the key and the certificate as PEM, for a file that a partner keeps."""
        key = Ed25519PublicKey.from_public_bytes(self.key)
        return (
            key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
            + self.authority
        )


class Identity:
    """The private side of an installation. ``seed``: 32 secret bytes."""

    def __init__(self, seed: bytes):
        if len(seed) != 32:
            raise ValueError("a seed must have 32 bytes")
        self._record, self._root, self._leaf = (
            _derive_key(seed, purpose) for purpose in ("record", "authority", "credentials")
        )

    def sign(self, content: bytes) -> bytes:
        """Return the Ed25519 signature (RFC 8032) of ``content``: 64 bytes."""
        return self._record.sign(content)

    @cached_property
    def public(self) -> PublicIdentity:
        """The public key and the certificate with which others verify its signatures."""
        return PublicIdentity(
            _encode_public_key(self._record), self._authority.public_bytes(Encoding.PEM).decode()
        )

    @property
    def chain(self) -> str:
        """The certificates for Content Credentials: the signer's, then the authority's (PEM)."""
        return self._signer.public_bytes(Encoding.PEM).decode() + self.public.authority

    @property
    def credentials_key(self) -> str:
        """The private key of the first certificate of :attr:`chain` (PKCS 8, PEM)."""
        return self._leaf.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()

    @cached_property
    def _authority(self) -> x509.Certificate:
        name = self._make_name("authority")
        builder = _make_certificate(
            name,
            name,
            self._root,
            self._root,
            _CA_USES,
            x509.BasicConstraints(ca=True, path_length=0),
        )
        return builder.sign(self._root, None)

    @cached_property
    def _signer(self) -> x509.Certificate:
        """The certificate that Content Credentials require (C2PA, "X.509 Certificates"): no CA, an
        organisation, an extended use."""
        names = self._make_name("credentials"), self._make_name("authority")
        builder = _make_certificate(
            *names,
            self._leaf,
            self._root,
            _LEAF_USES,
            x509.BasicConstraints(ca=False, path_length=None),
        )
        uses = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.EMAIL_PROTECTION])
        return builder.add_extension(uses, critical=False).sign(self._root, None)

    def _make_name(self, role: str) -> x509.Name:
        common = f"Installation {compute_fingerprint(_encode_public_key(self._record))}, {role}"
        return x509.Name(
            [
                x509.NameAttribute(NameOID.ORGANIZATION_NAME, ORGANISATION),
                x509.NameAttribute(NameOID.COMMON_NAME, common),
            ]
        )


def compute_fingerprint(key: bytes) -> str:
    """Return the shortened SHA-256 of a public key, for people to compare."""
    return hashlib.sha256(key).hexdigest()[:16]


def is_signed(key: bytes, signature: bytes, content: bytes) -> bool:
    """Return whether ``signature`` of ``content`` was made by the installation with
    the public ``key``.
    """
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, content)
    except Exception:  # a malformed key or signature is treated as a wrong one
        return False
    return True


def from_pem(text: str) -> PublicIdentity:
    """Return the identity that :meth:`PublicIdentity.to_pem` wrote. Raises ValueError."""
    key, begin, certificate = text.partition("-----BEGIN CERTIFICATE-----")
    loaded = load_pem_public_key(key.encode())
    if not isinstance(loaded, Ed25519PublicKey):
        raise ValueError("not an Ed25519 key")
    authority = x509.load_pem_x509_certificate((begin + certificate).encode())
    return PublicIdentity(loaded.public_bytes_raw(), authority.public_bytes(Encoding.PEM).decode())


def _derive_key(seed: bytes, purpose: str) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(hmac.digest(seed, purpose.encode(), "sha256"))


def _encode_public_key(key: Ed25519PrivateKey) -> bytes:
    return key.public_key().public_bytes_raw()


def _make_certificate(
    subject, issuer, key, issuer_key, uses, constraints
) -> x509.CertificateBuilder:
    """Return a certificate builder.

    The serial number is derived from the key, so that the same seed gives the same bytes.
    """
    every = (
        "digital_signature",
        "content_commitment",
        "key_encipherment",
        "data_encipherment",
        "key_agreement",
        "key_cert_sign",
        "crl_sign",
        "encipher_only",
        "decipher_only",
    )
    serial = int.from_bytes(hashlib.sha256(_encode_public_key(key)).digest()[:16]) >> 1
    return (
        x509.CertificateBuilder(issuer, subject, key.public_key(), serial, _FROM, _UNTIL)
        .add_extension(constraints, critical=True)
        .add_extension(x509.KeyUsage(**dict.fromkeys(every, False) | uses), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()),
            critical=False,
        )
    )
