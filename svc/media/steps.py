"""The steps that make a production, in order: each reads the files of the steps before it and adds its own.

A step may be repeated at any time and writes the same files again. It runs in a process that may be killed at any moment, so a
file appears under its final name only when it is complete. A step's modules are imported when it runs: importing the libraries
of all steps would take longer than a short step does.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from svc.base import steps
from svc.media.kit import Kit
from svc.media.programme import VideoBrief

Progress = Callable[[float], None]  # called with 0.0 to 1.0


@dataclass(frozen=True)
class PipelineStep:
    """One step. ``label``: what a partner reads as ``currentStep``."""

    name: str
    label: str  # what a partner reads as ``currentStep``
    run: Callable[[VideoBrief, Path, Progress, Kit], None]


def _captions_and_transcript(brief: VideoBrief, folder: Path, progress: Progress, kit: Kit) -> None:
    _part("captions").write(brief, folder)
    _part("documents").write_transcript(brief, folder)
    progress(1.0)


def _certificate(brief: VideoBrief, folder: Path, progress: Progress, kit: Kit) -> None:
    _part("certificate").issue(brief, folder, progress, _part("identity").Identity(kit.seed))


def _part(name: str):
    return import_module(f"svc.media.{name}")


_RUN = {
    "script": lambda brief, folder, progress, kit: _part("writing").write(brief, folder, progress, kit),
    "narration": lambda brief, folder, progress, kit: _part("narration").record(brief, folder, progress, kit),
    "video": lambda brief, folder, progress, kit: _part("video").render(brief, folder, progress, kit),
    "captions": _captions_and_transcript,
    "description": lambda brief, folder, progress, kit: _part("description").record(brief, folder, progress, kit),
    "checks": lambda brief, folder, progress, kit: _part("checks").run(brief, folder, progress),
    "certificate": _certificate,
}

STEPS = tuple(PipelineStep(name, label, _RUN[name]) for name, label in steps.STEPS)
