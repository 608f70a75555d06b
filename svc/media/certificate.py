"""Issuing the certificate of compliance: what was made, from what, how it was judged, and the fingerprints of every file."""

import dataclasses
import datetime
import hashlib
import importlib.metadata
import json
import platform
from pathlib import Path

from svc.media import files, finished, words
from svc.media.programme import Brief, Finding, Findings, load
from svc.media.sheet import Sheet

DISCLOSURE = (
    "This programme was made by software. Its narration is synthetic speech (espeak-ng) and its presenter is a drawn figure: "
    "neither is a recording or a likeness of a person. The words are those of the brief; captions, transcript and audio "
    "description were derived from them automatically. Wherever this programme is published, say that it was made this way."
)
_TOOLS = ("av", "espeakng-loader", "pillow", "numpy", "fpdf2", "python-docx", "markdown-it-py")
_EPOCH = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)  # where a brief has no time
_LONGEST = 300  # characters of a fact


def issue(brief: Brief, folder: Path, progress) -> None:
    """Make ``certificate.pdf`` from ``findings.json`` and the finished files, which must not change after."""
    findings = load(Findings, folder / "findings.json").findings
    facts, prints = _facts(brief), _fingerprints(brief, folder)
    progress(0.3)
    with _sheet(brief, " ".join(each for row in (*facts, *_judged(findings)) for each in row)) as sheet:
        sheet.title("CERTIFICATE OF COMPLIANCE", _shown(brief.title or brief.topic))
        sheet.facts(facts)
        sheet.heading("How it was made")
        sheet.paragraph(DISCLOSURE)
        sheet.heading(f"Quality gates: {sum(each.passed for each in findings)} of {len(findings)} passed")
        sheet.table(("Check", "Of", "Measured", "Limit", "Result"), _judged(findings), (24, 25, 24, 18, 9))
        sheet.heading("Fingerprints (SHA-256)")
        sheet.table(("File", "SHA-256"), prints, (27, 73), size=7)
        sheet.heading("Tools")
        sheet.paragraph(_tools())
        with files.whole(folder / finished.CERTIFICATE) as partial:
            sheet.write(partial)
    progress(1.0)


def _sheet(brief: Brief, text: str) -> Sheet:
    moment = datetime.datetime.fromisoformat(brief.triggered_at) if brief.triggered_at else _EPOCH
    title = _shown(brief.title or brief.topic)
    return Sheet(f"Certificate of compliance: {title}", "en", moment, brief.accent, text)


def _facts(brief: Brief) -> list[tuple[str, str]]:
    facts = [
        ("Production", brief.production_id),
        ("Account", brief.account_name),
        ("Topic", brief.topic),
        ("Kind", brief.project_type),
        ("Language, country", f"{brief.language}, {brief.country}"),
        ("Presenter", brief.avatar.name),
        ("Triggered", brief.triggered_at),
    ]
    return [(name, _shown(value)) for name, value in facts if _shown(value)]


def _judged(findings: tuple[Finding, ...]) -> list[tuple[str, ...]]:
    return [
        (_shown(each.check), _shown(each.subject), _shown(each.measured), _shown(each.limit), "pass" if each.passed else "fail")
        for each in findings
    ]


def _fingerprints(brief: Brief, folder: Path) -> list[tuple[str, str]]:
    """The brief (as JSON with sorted keys), what was made of it on the way, and every deliverable but this document."""
    as_json = json.dumps(dataclasses.asdict(brief), sort_keys=True, ensure_ascii=True)
    names = ["script.json", "narration.wav", *(each.path for each in finished.deliverables(brief, folder))]
    names = [name for name in dict.fromkeys(names) if name != finished.CERTIFICATE]
    return [
        ("brief", hashlib.sha256(as_json.encode()).hexdigest()),
        *((name, _fingerprint(folder / name)) for name in names),
    ]


def _fingerprint(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _tools() -> str:
    versions = [f"{name} {importlib.metadata.version(name)}" for name in _TOOLS]
    return ", ".join([f"Python {platform.python_version()}", *versions])


def _shown(text: str) -> str:
    return words.shortened(words.clean(text), _LONGEST)
