"""The steps that make a production, in order: each reads the files of the steps before it and adds
its own.

A step may be repeated at any time and writes the same files again. It runs in a process that may be
killed at any moment, so a file appears under its final name only when it is complete. A step's
modules are imported when it runs: importing the libraries of all steps would take longer than a
short step does.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from svc.base import steps
from svc.base.processes.entry_points import Part, load
from svc.media.model import VideoBrief
from svc.media.resources import Resources

Progress = Callable[[float], None]  # called with 0.0 to 1.0


@dataclass(frozen=True)
class PipelineStep:
    """One step. ``label``: what a partner reads as ``currentStep``."""

    name: str
    label: str  # what a partner reads as ``currentStep``
    run: Callable[[VideoBrief, Path, Progress, Resources], None]


def _narration(brief: VideoBrief, folder: Path, progress: Progress, resources: Resources) -> None:
    load(Part.SCRIPT).revise_step(brief, folder)
    load(Part.NARRATION).record_narration(brief, folder, progress, resources)
    if brief.caption_languages:  # here, as what cannot be translated is not worth rendering
        load(Part.CAPTION_TRANSLATION).translate_captions(brief, folder, resources)


def _captions_and_transcript(
    brief: VideoBrief, folder: Path, progress: Progress, resources: Resources
) -> None:
    load(Part.CAPTIONS).write_captions(brief, folder)
    if brief.caption_languages:
        load(Part.TRANSLATED_CAPTIONS).write_translated_captions(folder)
    load(Part.TRANSCRIPT).write_transcript(brief, folder)
    progress(1.0)


def _checks(brief: VideoBrief, folder: Path, progress: Progress, resources: Resources) -> None:
    # here, as productions begun by an earlier version have passed the steps before
    load(Part.SOCIAL).write_descriptions(brief, folder)
    load(Part.CHECKS).run_checks(brief, folder, progress)


def _certificate(brief: VideoBrief, folder: Path, progress: Progress, resources: Resources) -> None:
    load(Part.CERTIFICATE).issue_certificate(
        brief, folder, progress, load(Part.IDENTITY).Identity(resources.seed)
    )


_RUN = {
    "script": lambda brief, folder, progress, resources: load(Part.SCRIPT).write_step(
        brief, folder, progress, resources
    ),
    "narration": _narration,
    "video": lambda brief, folder, progress, resources: load(Part.VIDEO).render(
        brief, folder, progress, resources
    ),
    "captions": _captions_and_transcript,
    "description": lambda brief, folder, progress, resources: load(
        Part.DESCRIPTION
    ).record_descriptions(brief, folder, progress, resources),
    "checks": _checks,
    "certificate": _certificate,
}

PIPELINE_STEPS = tuple(PipelineStep(name, label, _RUN[name]) for name, label in steps.STEPS)
