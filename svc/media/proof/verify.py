"""Verifying files against their signatures: Content Credentials, the seal, and the certificate that
lists their hashes.

It runs in a process of its own, because its libraries are heavy: a job as JSON on standard input,
the result as JSON on standard output.
"""

import hashlib
import io
import json
import sys
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

from pypdf import PdfReader
from pypdf.errors import PyPdfError

from svc.base.crypto import signing
from svc.base.crypto.key_ring import FileRing
from svc.media.proof import content_credentials, pdf_seal
from svc.media.proof.identity import (
    Identity,
    PublicIdentity,
    compute_fingerprint,
    from_pem,
    is_signed,
)

INTACT, CHANGED, FOREIGN, UNKNOWN = "intact", "changed", "foreign", "unknown"
_CREDENTIALED = (".mp4", ".pdf")


@dataclass(frozen=True)
class Check:
    """One check: ``what`` was checked, whether it ``holds``, and a sentence for people."""

    what: str
    holds: bool
    sentence: str


@dataclass
class FileVerdict:
    """The verdict on one file: INTACT; CHANGED since it was signed; FOREIGN: intact, but signed by
    an unknown installation; UNKNOWN: it has no signature."""

    file: str
    verdict: str = UNKNOWN
    sha256: str = ""
    production: str = ""
    signer: str = ""
    found: list[Check] = field(default_factory=list)

    def note(self, subject: str, holds: bool, sentence: str) -> None:
        """Add the result of a check."""
        self.found.append(Check(subject, holds, sentence))


@dataclass(frozen=True)
class SignedCertificate:
    """A certificate whose signatures are valid. ``key``: the signer's."""

    path: Path
    record: dict
    key: bytes

    def lists_file(self, sha256: str) -> bool:
        """Return whether the record lists a file with this hash."""
        return any(entry["sha256"] == sha256 for entry in self.record["files"])

    def lists_type_of(self, path: Path) -> bool:
        """Return whether the record lists a file of the same type."""
        return path.suffix.lower() in {Path(entry["name"]).suffix for entry in self.record["files"]}

    def find_entry(self, sha256: str, name: str) -> dict | None:
        """Return the entry for a file with this hash or, failing that, with this name."""
        files = self.record["files"]
        by_hash = (entry for entry in files if entry["sha256"] == sha256)
        return next(by_hash, None) or next(
            (entry for entry in files if name.endswith(entry["name"])), None
        )


def verify_files(
    paths: list[Path], certificate: Path | None, known: list[PublicIdentity]
) -> list[FileVerdict]:
    """Return the verdict on each file.

    ``certificate``: None: search beside each file. ``known``: the trusted installations.
    """
    return [_verify_file(path, certificate, known) for path in paths]


def _verify_file(path: Path, certificate: Path | None, known: list[PublicIdentity]) -> FileVerdict:
    verdict = FileVerdict(str(path))
    try:
        content = path.read_bytes()
    except OSError as error:
        verdict.note("file", False, f"It cannot be read: {error.strerror}.")
        verdict.verdict = CHANGED
        return verdict
    verdict.sha256 = hashlib.sha256(content).hexdigest()
    known_signers = [True]  # whether each signer is known
    if path.suffix.lower() in _CREDENTIALED:
        known_signers += _verify_by_credentials(path, known, verdict)
    if path.suffix.lower() == ".pdf":
        known_signers += _verify_by_seal(content, known, verdict)
    else:
        known_signers += _verify_by_certificate(path, certificate, known, verdict)
    verdict.verdict = _reach_verdict([check.holds for check in verdict.found], known_signers)
    return verdict


def _reach_verdict(checks: list[bool], known_signers: list[bool]) -> str:
    if not checks:
        return UNKNOWN
    if not all(checks):
        return CHANGED
    return INTACT if all(known_signers) else FOREIGN


def _verify_by_credentials(
    path: Path, known: list[PublicIdentity], verdict: FileVerdict
) -> list[bool]:
    manifest = content_credentials.read_credentials(
        path, "".join(identity.authority for identity in known)
    )
    if manifest is None:
        verdict.note(
            "Content Credentials",
            False,
            "There are none, although every video and certificate has some.",
        )
        return []
    if manifest.state == "Invalid":
        problems = ", ".join(manifest.problems) or "the manifest is damaged"
        verdict.note("Content Credentials", False, f"They are not valid: {problems}.")
        return []
    source_type = manifest.source_type.rpartition("/")[2] or "no source type"
    verdict.note(
        "Content Credentials", True, f"They are valid: {source_type}, signed by {manifest.signer}."
    )
    return [manifest.state == "Trusted"]


def _verify_by_seal(
    content: bytes, known: list[PublicIdentity], verdict: FileVerdict
) -> list[bool]:
    sealed = pdf_seal.read_seal(content)
    if sealed is None:
        verdict.note(
            "seal",
            False,
            (
                "There is none: the file is not a certificate of this service, or its seal was "
                "removed."
            ),
        )
        return []
    key, holds = sealed
    verdict.signer = compute_fingerprint(key)
    if not holds:
        verdict.note("seal", False, "It is not valid: the file was changed after it was sealed.")
        return []
    verdict.note(
        "seal", True, f"Every byte is as installation {verdict.signer} sealed it (Ed25519)."
    )
    certificate = _open_certificate(content, Path(verdict.file))
    if certificate is None:
        verdict.note("record", False, "The attached record is not the one that was signed.")
        return []
    verdict.production = certificate.record["production"]["id"]
    findings = certificate.record["findings"]
    passed = sum(finding["passed"] for finding in findings)
    # earlier ones have none
    warned = sum(not finding["passed"] and not finding.get("certain", True) for finding in findings)
    outcome = f"{passed} of {len(findings)} gates passed" + (f", {warned} warned" if warned else "")
    verdict.note("record", True, f"Its record is signed: {outcome}.")
    return [_is_known(key, known)]


def _verify_by_certificate(
    path: Path, location: Path | None, known: list[PublicIdentity], verdict: FileVerdict
) -> list[bool]:
    opened = _list_certificates(location or path.parent)
    if location and not opened:
        verdict.note(
            "certificate",
            False,
            f"{location.name} is not a certificate of this service, or was changed.",
        )
        return []
    certificate = _find_best_match(opened, path, verdict.sha256)
    if certificate is None or not (location or certificate.lists_type_of(path)):
        return []  # there is no certificate, or the file is not a deliverable (such as a poster)
    entry, name = certificate.find_entry(verdict.sha256, path.name), certificate.path.name
    verdict.signer = compute_fingerprint(certificate.key)
    verdict.production = certificate.record["production"]["id"]
    if not certificate.lists_file(verdict.sha256):
        problem = (
            f"lists {entry['name']} with another SHA-256" if entry else "does not list its SHA-256"
        )
        verdict.note(
            "certificate",
            False,
            f"{name} {problem}: it was changed, or belongs to another production.",
        )
        return []
    listed = entry["name"] if entry else path.name
    verdict.note(
        "certificate",
        True,
        f"{name}, signed by installation {verdict.signer}, lists it as {listed}.",
    )
    return [_is_known(certificate.key, known)]


@cache
def _list_certificates(location: Path) -> list[SignedCertificate]:
    """Return the valid certificates: ``location`` itself, or the PDFs in it."""
    candidates = sorted(location.glob("*.pdf")) if location.is_dir() else [location]
    return [
        certificate
        for path in candidates
        if (certificate := _open_certificate(_read_content(path), path))
    ]


def _find_best_match(
    opened: list[SignedCertificate], path: Path, sha256: str
) -> SignedCertificate | None:
    """Return the certificate that lists the file; else one that lists its name; else any."""
    by_hash = (item for item in opened if item.lists_file(sha256))
    by_name = (item for item in opened if item.find_entry(sha256, path.name))
    return next(by_hash, None) or next(by_name, None) or next(iter(opened), None)


def _is_known(key: bytes, known: list[PublicIdentity]) -> bool:
    return any(identity.key == key for identity in known)


def _open_certificate(content: bytes, path: Path) -> SignedCertificate | None:
    """Return the certificate in ``content``; None unless its seal and its record's
    signature are valid.
    """
    sealed = pdf_seal.read_seal(content)
    if sealed is None or not sealed[1]:
        return None
    key = sealed[0]
    try:
        attached = PdfReader(io.BytesIO(content)).attachments
        [record], [signature] = attached["certificate.json"], attached["certificate.json.sig"]
    except (PyPdfError, KeyError, ValueError):
        return None
    return (
        SignedCertificate(path, json.loads(record), key)
        if is_signed(key, signature, record)
        else None
    )


def _read_content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _load_trusted(job: dict) -> list[PublicIdentity]:
    """Return the trusted installations of a job: its PEM texts, and the data directory's,
    for each version of the secret.
    """
    known = [from_pem(text) for text in job.get("trust", ())]
    if job.get("secret_in"):
        ring = FileRing(Path(job["secret_in"]) / "secret")
        known += [
            Identity(signing.derive_identity_seed(ring, version)).public
            for version in ring.versions
        ]
    return known


def main() -> int:
    job = json.load(sys.stdin)
    try:
        known = _load_trusted(job)
    except ValueError as error:
        json.dump({"error": f"This is not the identity of an installation: {error}."}, sys.stdout)
        return 0
    if job["task"] == "identity":
        json.dump(
            {"pem": known[0].to_pem(), "fingerprint": compute_fingerprint(known[0].key)}, sys.stdout
        )
        return 0
    certificate = Path(job["certificate"]) if job.get("certificate") else None
    verdicts = verify_files([Path(name) for name in job["files"]], certificate, known)
    json.dump({"verdicts": [asdict(verdict) for verdict in verdicts]}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
