"""C2PA Content Credentials: signing videos and documents with them, and reading them.

The library cannot write into a PDF, but provides a placeholder manifest and signs it with a hash of
the file around it (C2PA specification, "Embedding manifests into PDFs": an associated file with the
relationship ``C2PA_Manifest``).
"""

import ctypes
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import c2pa

# The C interface is public, but the Python package does not wrap these two calls.
from c2pa.c2pa import _lib as _c

from svc.base import atomic_file
from svc.media.errors import MediaError
from svc.media.proof.identity import ORGANISATION, Identity

Span = tuple[int, int]  # start and length of bytes in a file

_MIME = {".mp4": "video/mp4", ".pdf": "application/pdf"}
_RAW = b"application/c2pa"
_BYTES = ctypes.POINTER(ctypes.c_ubyte)
_c.c2pa_builder_data_hashed_placeholder.argtypes = [
    ctypes.c_void_p,
    ctypes.c_size_t,
    ctypes.c_char_p,
    ctypes.POINTER(_BYTES),
]
_c.c2pa_builder_data_hashed_placeholder.restype = ctypes.c_int64
_c.c2pa_builder_sign_data_hashed_embeddable.argtypes = [
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_char_p,
    ctypes.c_void_p,
    ctypes.POINTER(_BYTES),
]
_c.c2pa_builder_sign_data_hashed_embeddable.restype = ctypes.c_int64


@dataclass(frozen=True)
class Credentials:
    """The content of a file's manifest. ``state``: "Trusted" (signed by a given authority), "Valid"
    (by another) or "Invalid"."""

    state: str
    signer: str  # the common name of the certificate
    source_type: str
    problems: tuple[str, ...]  # codes of the C2PA specification


def sign_film(path: Path, identity: Identity, title: str, source_type: str, details: dict) -> None:
    """Add a manifest to the mp4 at ``path``; a video that has one is left unchanged.

    Raises MediaError.
    """
    if read_credentials(path) is None:
        _sign_file(path, identity, _make_manifest(path, title, source_type, details))
    written = read_credentials(path)
    if written is None or written.state == "Invalid":
        raise MediaError(
            f"{path.name} cannot be signed with Content Credentials: not a valid mp4.",
            "CREDENTIALS_FAILED",
        )


def _sign_file(path: Path, identity: Identity, manifest: dict) -> None:
    with atomic_file.replace(path) as partial:
        try:
            with path.open("rb") as source, partial.open("w+b") as signed:
                c2pa.Builder(manifest, _make_context()).sign(
                    _make_signer(identity), _MIME[path.suffix], source, signed
                )
        except c2pa.C2paError as error:
            partial.unlink(missing_ok=True)
            sentence = f"{path.name} cannot be signed with Content Credentials: {error}."
            raise MediaError(sentence, "CREDENTIALS_FAILED") from error
        atomic_file.sync(partial)


def sign_document(
    path: Path, identity: Identity, title: str, source_type: str, embed: Callable
) -> bytes:
    """Return a document with an embedded manifest.

    ``embed`` is called with a placeholder for the manifest, and returns the document's bytes and
    the spans in it that are not hashed, the manifest's first. Raises MediaError.
    """
    builder = c2pa.Builder(_make_manifest(path, title, source_type, {}), _make_context())
    signer = _make_signer(identity)
    handles = [ctypes.cast(wrapper._handle, ctypes.c_void_p) for wrapper in (builder, signer)]
    placeholder = _call_library(
        _c.c2pa_builder_data_hashed_placeholder, handles[0], signer.reserve_size(), _RAW
    )
    document, spans = embed(placeholder)
    hashed = {
        "name": "jumbf manifest",
        "alg": "sha256",
        "pad": [],
        "hash": list(_hash_without(document, spans)),
    }
    hashed["exclusions"] = [{"start": start, "length": length} for start, length in sorted(spans)]
    manifest = _call_library(
        _c.c2pa_builder_sign_data_hashed_embeddable,
        *handles,
        json.dumps(hashed).encode(),
        _RAW,
        None,
    )
    (start, length), *_ = spans
    if len(manifest) != length:
        sentence = (
            f"The Content Credentials of {path.name} have {len(manifest)} bytes, not {length}."
        )
        raise MediaError(sentence, "CREDENTIALS_FAILED")
    return document[:start] + manifest + document[start + length :]


def read_credentials(path: Path, authorities: str = "") -> Credentials | None:
    """Return the manifest of an mp4 or PDF; None without one.

    ``authorities``: trusted certificates (PEM).
    """
    try:
        with path.open("rb") as file:
            reader = c2pa.Reader(
                _MIME[path.suffix.lower()], file, context=_make_context(authorities)
            )
            store = json.loads(reader.json())
    except c2pa.C2paError.ManifestNotFound:
        return None
    except c2pa.C2paError as error:
        return Credentials("Invalid", "", "", (str(error)[:200],))
    active = store["manifests"][store["active_manifest"]]
    failures = store.get("validation_results", {}).get("activeManifest", {}).get("failure", [])
    problems = tuple(
        failure["code"] for failure in failures if failure["code"] != "signingCredential.untrusted"
    )
    state = store["validation_state"]
    return Credentials(
        state,
        active.get("signature_info", {}).get("common_name", ""),
        _find_source_type(active),
        problems,
    )


def _make_manifest(path: Path, title: str, source_type: str, details: dict) -> dict:
    created = {"action": "c2pa.created", "digitalSourceType": source_type}
    assertions = [{"label": "c2pa.actions", "data": {"actions": [created]}}]
    if details:
        assertions.append({"label": "partner.production", "data": details})
    return {
        "claim_generator_info": [{"name": ORGANISATION}],
        "title": title,
        "format": _MIME[path.suffix],
        "assertions": assertions,
    }


def _make_context(authorities: str = "") -> c2pa.Context:
    """Return a context that downloads nothing."""
    return c2pa.Context.from_dict(
        {
            "version": 1,
            "verify": {"verify_trust": True, "remote_manifest_fetch": False, "ocsp_fetch": False},
            "trust": {"trust_anchors": authorities} if authorities else {},
            "builder": {"thumbnail": {"enabled": False}},
        }
    )


def _make_signer(identity: Identity) -> c2pa.Signer:
    pem = (text.encode() for text in (identity.chain, identity.credentials_key))
    return c2pa.Signer.from_info(c2pa.C2paSignerInfo("ed25519", *pem, None))


def _call_library(function, *arguments) -> bytes:
    content = _BYTES()
    length = function(*arguments, ctypes.byref(content))
    if length < 0:
        raise MediaError(
            "The Content Credentials of a document could not be created.", "CREDENTIALS_FAILED"
        )
    try:
        return ctypes.string_at(content, length)
    finally:
        _c.c2pa_manifest_bytes_free(content)


def _hash_without(document: bytes, spans: list[Span]) -> bytes:
    """Return the SHA-256 of everything outside ``spans``."""
    digest, at = hashlib.sha256(), 0
    for start, length in sorted(spans):
        digest.update(document[at:start])
        at = start + length
    digest.update(document[at:])
    return digest.digest()


def _find_source_type(manifest: dict) -> str:
    assertions = [
        item for item in manifest.get("assertions", ()) if item["label"].startswith("c2pa.actions")
    ]
    actions = (action for assertion in assertions for action in assertion["data"]["actions"])
    return next(
        (action["digitalSourceType"] for action in actions if "digitalSourceType" in action), ""
    )
