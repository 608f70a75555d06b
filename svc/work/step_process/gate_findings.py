"""Reads the warnings among the findings of the quality gates.

The process that wrote them is not trusted.
"""

import re
from dataclasses import replace
from itertools import islice
from pathlib import Path

from svc.base.text import display
from svc.domain.productions.gate_warnings import LONGEST, MOST, QualityWarning
from svc.media.model import QualityFinding, QualityFindings, load

FILE = "findings.json"
_MOST_SCENES = 10_000
_PICTURE = re.compile(r"warning-[1-9][0-9]?\.jpg")


def read_warnings(folder: Path) -> list[QualityWarning]:
    """Return the warnings in a production's folder, at most MOST.

    OSError, ValueError, TypeError: malformed findings.
    """
    if not (folder / FILE).exists():
        return []  # as in a scenario, or where another engine makes the films
    findings = load(QualityFindings, folder / FILE).findings
    alike: dict[QualityFinding, list[str]] = {}  # such as those of the same captions in two formats
    for finding in findings:
        if finding.warns:
            alike.setdefault(replace(finding, subject=""), []).append(finding.subject)
    merged = (
        replace(finding, subject=" and ".join(map(str, subjects)))
        for finding, subjects in alike.items()
    )
    return [_warning(finding, folder) for finding in islice(merged, MOST)]


def _warning(finding: QualityFinding, folder: Path) -> QualityWarning:
    scene, picture = finding.scene, finding.picture
    is_number = type(scene) is int and 0 < scene < _MOST_SCENES
    if not (scene is None or is_number) or not isinstance(picture, str):
        raise ValueError(f"{FILE} has a scene or a picture that is none")
    file = folder / picture
    shown = (
        picture
        if _PICTURE.fullmatch(picture) and file.is_file() and not file.is_symlink()
        else None
    )
    sentence = display.to_one_line(finding.describe(), "")
    return QualityWarning(
        display.shorten(f"{sentence[:1].upper()}{sentence[1:]}.", LONGEST), scene, shown
    )
