"""The gate of the script: it says what the brief's notes say."""

from dataclasses import dataclass
from typing import ClassVar

from svc.media.checks.quality_gates import Measurement, measure_subject, quality_gate
from svc.media.model import QualityFinding, Script, VideoBrief
from svc.media.script import completeness


@dataclass(frozen=True)
class WrittenScript:
    """The script beside the brief that it was written from."""

    CHECKED: ClassVar[str] = "script"
    brief: VideoBrief
    script: Script

    @property
    def name(self) -> str:
        """The name of the file."""
        return "script.json"


def list_findings(brief: VideoBrief, script: Script) -> list[QualityFinding]:
    """Return the findings for the script."""
    return measure_subject(WrittenScript(brief, script))


@quality_gate(
    "coverage of the notes",
    of=WrittenScript,
    warning="every word, figure and sign, none twice",
    failure="half of the words",
)
def check_coverage(written: WrittenScript) -> Measurement:
    """Compare the brief's notes with the script: what is neither shown nor spoken,
    or is said twice.
    """
    reports = completeness.list_lost(written.brief, written.script)
    measured = f"{len(reports)} differences: {reports[0]}" if reports else "nothing lost"
    # Markdown can be read in more than one way
    certain = bool(reports) and completeness.is_mostly_lost(written.brief, written.script)
    return Measurement(measured, "nothing lost, nothing said twice", not reports, certain=certain)
