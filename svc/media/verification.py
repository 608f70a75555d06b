"""Checking files against what was signed: their Content Credentials, and the certificate that lists their hashes.

Run as a program in a process of its own, because its libraries are heavy: a job as JSON comes in, the answer as JSON goes out.
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

from svc.base import signing
from svc.base.key_ring import FileRing
from svc.media import credentials, sealing
from svc.media.identity import Identity, Public, fingerprint, from_pem, is_signed

INTACT, CHANGED, FOREIGN, UNKNOWN = "intact", "changed", "foreign", "unknown"
_CREDENTIALED = (".mp4", ".pdf")


@dataclass(frozen=True)
class Found:
    """``what`` was checked, whether it ``holds``, and how a person is told."""

    what: str
    holds: bool
    sentence: str


@dataclass
class Verdict:
    """Of one file. ``verdict``: INTACT; CHANGED since it was signed; FOREIGN: intact, by an installation that is not known
    UNKNOWN: nothing was found that vouches for it."""

    file: str
    verdict: str = UNKNOWN
    sha256: str = ""
    production: str = ""
    signer: str = ""
    found: list[Found] = field(default_factory=list)

    def note(self, what: str, holds: bool, sentence: str) -> None:
        self.found.append(Found(what, holds, sentence))


@dataclass(frozen=True)
class Certificate:
    """A certificate that is whole. ``key``: of who signed it."""

    path: Path
    record: dict
    key: bytes

    def lists(self, sha256: str) -> bool:
        return any(each["sha256"] == sha256 for each in self.record["files"])

    def lists_such(self, path: Path) -> bool:
        """Whether it lists a file of this kind."""
        return path.suffix.lower() in {Path(each["name"]).suffix for each in self.record["files"]}

    def entry(self, sha256: str, name: str) -> dict | None:
        """What it says of a file with this hash or, failing that, with this name."""
        files = self.record["files"]
        by_hash = (each for each in files if each["sha256"] == sha256)
        return next(by_hash, None) or next((each for each in files if name.endswith(each["name"])), None)


def verify(paths: list[Path], certificate: Path | None, known: list[Public]) -> list[Verdict]:
    """``certificate``: None: looked for beside each file. ``known``: the installations that are believed."""
    return [_verified(path, certificate, known) for path in paths]


def _verified(path: Path, certificate: Path | None, known: list[Public]) -> Verdict:
    verdict = Verdict(str(path))
    try:
        content = path.read_bytes()
    except OSError as unreadable:
        verdict.note("file", False, f"It cannot be read: {unreadable.strerror}.")
        verdict.verdict = CHANGED
        return verdict
    verdict.sha256 = hashlib.sha256(content).hexdigest()
    believed = [True]  # whether each signer that was found is known
    if path.suffix.lower() in _CREDENTIALED:
        believed += _by_credentials(path, known, verdict)
    if path.suffix.lower() == ".pdf":
        believed += _by_seal(content, known, verdict)
    else:
        believed += _by_certificate(path, certificate, known, verdict)
    vouched = [each.holds for each in verdict.found]
    verdict.verdict = UNKNOWN if not vouched else CHANGED if not all(vouched) else INTACT if all(believed) else FOREIGN
    return verdict


def _by_credentials(path: Path, known: list[Public], verdict: Verdict) -> list[bool]:
    found = credentials.read(path, "".join(each.authority for each in known))
    if found is None:
        verdict.note("Content Credentials", False, "There are none in it; every film and certificate has some.")
        return []
    if found.state == "Invalid":
        problems = ", ".join(found.problems) or "the manifest is broken"
        verdict.note("Content Credentials", False, f"They do not hold: {problems}.")
        return []
    made = found.source_type.rpartition("/")[2] or "no source type"
    verdict.note("Content Credentials", True, f"They hold: {made}, signed by {found.signer}.")
    return [found.state == "Trusted"]


def _by_seal(content: bytes, known: list[Public], verdict: Verdict) -> list[bool]:
    sealed = sealing.seal_of(content)
    if sealed is None:
        verdict.note("seal", False, "It has none: it is no certificate of this service, or the seal was taken out.")
        return []
    key, holds = sealed
    verdict.signer = fingerprint(key)
    if not holds:
        verdict.note("seal", False, "It does not hold: a byte of the file is not as it was sealed.")
        return []
    verdict.note("seal", True, f"Every byte is as installation {verdict.signer} sealed it (Ed25519).")
    certificate = _opened(content, Path(verdict.file))
    if certificate is None:
        verdict.note("record", False, "The record in it is not the one that was signed.")
        return []
    verdict.production = certificate.record["production"]["id"]
    passed = sum(each["passed"] for each in certificate.record["findings"])
    verdict.note("record", True, f"Its record is signed: {passed} of {len(certificate.record['findings'])} gates passed.")
    return [_is_known(key, known)]


def _by_certificate(path: Path, given: Path | None, known: list[Public], verdict: Verdict) -> list[bool]:
    opened = _certificates(given or path.parent)
    if given and not opened:
        verdict.note("certificate", False, f"{given.name} is no certificate of this service, or was changed.")
        return []
    certificate = _fitting(opened, path, verdict.sha256)
    if certificate is None or not (given or certificate.lists_such(path)):
        return []  # nothing to compare with; or no deliverable, such as a poster
    entry, name = certificate.entry(verdict.sha256, path.name), certificate.path.name
    verdict.signer, verdict.production = fingerprint(certificate.key), certificate.record["production"]["id"]
    if not certificate.lists(verdict.sha256):
        what = f"lists {entry['name']} with another SHA-256" if entry else "does not list its SHA-256"
        verdict.note("certificate", False, f"{name} {what}: it was changed, or is of another production.")
        return []
    listed = entry["name"] if entry else path.name
    verdict.note("certificate", True, f"{name}, signed by installation {verdict.signer}, lists it as {listed}.")
    return [_is_known(certificate.key, known)]


@cache
def _certificates(where: Path) -> list[Certificate]:
    """Those that are whole: ``where`` itself, or the PDFs in it."""
    offered = sorted(where.glob("*.pdf")) if where.is_dir() else [where]
    return [each for each in (_opened(_content(offer), offer) for offer in offered) if each]


def _fitting(opened: list[Certificate], path: Path, sha256: str) -> Certificate | None:
    """The one that lists the file; else one that lists its name; else any."""
    by_hash = (each for each in opened if each.lists(sha256))
    by_name = (each for each in opened if each.entry(sha256, path.name))
    return next(by_hash, None) or next(by_name, None) or next(iter(opened), None)


def _is_known(key: bytes, known: list[Public]) -> bool:
    return any(each.key == key for each in known)


def _opened(content: bytes, path: Path) -> Certificate | None:
    """The certificate in ``content``, None unless its seal and its record's signature hold."""
    sealed = sealing.seal_of(content)
    if sealed is None or not sealed[1]:
        return None
    key = sealed[0]
    try:
        attached = PdfReader(io.BytesIO(content)).attachments
        [told], [signature] = attached["certificate.json"], attached["certificate.json.sig"]
    except (PyPdfError, KeyError, ValueError):
        return None
    return Certificate(path, json.loads(told), key) if is_signed(key, signature, told) else None


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _known(job: dict) -> list[Public]:
    """The installations of a job: those of PEM texts, and the one of a data directory, by each version of its secret."""
    known = [from_pem(text) for text in job.get("trust", ())]
    if job.get("secret_in"):
        ring = FileRing(Path(job["secret_in"]) / "secret")
        known += [Identity(signing.identity_seed(ring, version)).public for version in ring.versions]
    return known


def main() -> int:
    job = json.load(sys.stdin)
    try:
        known = _known(job)
    except ValueError as wrong:
        json.dump({"error": f"That is no identity of an installation: {wrong}."}, sys.stdout)
        return 0
    if job["task"] == "identity":
        json.dump({"pem": known[0].pem(), "fingerprint": fingerprint(known[0].key)}, sys.stdout)
        return 0
    certificate = Path(job["certificate"]) if job.get("certificate") else None
    found = verify([Path(each) for each in job["files"]], certificate, known)
    json.dump({"verdicts": [asdict(each) for each in found]}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
