"""The steps that make a production, in order: each reads what the ones before left in the folder and adds its own files.

A step may be repeated at any time: it writes the same files again. It is called in a process that may be killed at any
moment, so a file appears under its final name only when it is whole.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from svc.base import steps
from svc.media import captions, certificate, checks, description, documents, narration, video, writing
from svc.media.identity import Identity
from svc.media.kit import Kit
from svc.media.programme import Brief

Progress = Callable[[float], None]  # called with 0.0 to 1.0


@dataclass(frozen=True)
class Step:
    name: str
    label: str  # what a partner reads as ``currentStep``
    run: Callable[[Brief, Path, Progress, Kit], None]


def _captions_and_transcript(brief: Brief, folder: Path, progress: Progress) -> None:
    captions.write(brief, folder)
    documents.write_transcript(brief, folder)
    progress(1.0)


def _certificate(brief: Brief, folder: Path, progress: Progress, kit: Kit) -> None:
    certificate.issue(brief, folder, progress, Identity(kit.seed))


def _without_kit(run: Callable[[Brief, Path, Progress], None]) -> Callable[[Brief, Path, Progress, Kit], None]:
    return lambda brief, folder, progress, kit: run(brief, folder, progress)


_RUN = {
    "script": writing.write,
    "narration": narration.record,
    "video": video.render,
    "captions": _without_kit(_captions_and_transcript),
    "description": description.record,
    "checks": _without_kit(checks.run),
    "certificate": _certificate,
}

STEPS = tuple(Step(name, label, _RUN[name]) for name, label in steps.STEPS)
