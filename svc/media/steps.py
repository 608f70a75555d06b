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
from svc.media.model import VideoBrief
from svc.media.resources import Resources

Progress = Callable[[float], None]  # called with 0.0 to 1.0


@dataclass(frozen=True)
class PipelineStep:
    """One step. ``label``: what a partner reads as ``currentStep``."""

    name: str
    label: str  # what a partner reads as ``currentStep``
    run: Callable[[VideoBrief, Path, Progress, Resources], None]


def _write_script(
    brief: VideoBrief, folder: Path, progress: Progress, resources: Resources
) -> None:
    from svc.media.script import step

    step.write_step(brief, folder, progress, resources)


def _record_narration(
    brief: VideoBrief, folder: Path, progress: Progress, resources: Resources
) -> None:
    from svc.media.script import revision
    from svc.media.speech import narration

    revision.apply_edits(brief, folder)
    narration.record_narration(brief, folder, progress, resources)
    if brief.caption_languages:  # here, as what cannot be translated is not worth rendering
        from svc.media.captions import model_translation

        model_translation.translate_captions(brief, folder, resources)


def _render_video(
    brief: VideoBrief, folder: Path, progress: Progress, resources: Resources
) -> None:
    from svc.media.video import render

    render.render(brief, folder, progress, resources)


def _write_captions_and_transcript(
    brief: VideoBrief, folder: Path, progress: Progress, resources: Resources
) -> None:
    from svc.media.captions import captions, transcript

    captions.write_captions(folder)
    if brief.caption_languages:
        from svc.media.captions import timed_translations

        timed_translations.write_translated_captions(folder)
    transcript.write_transcript(brief, folder)
    progress(1.0)


def _write_description(
    brief: VideoBrief, folder: Path, progress: Progress, resources: Resources
) -> None:
    from svc.media.video import audio_description

    audio_description.record_descriptions(brief, folder, progress, resources)


def _run_checks(brief: VideoBrief, folder: Path, progress: Progress, resources: Resources) -> None:
    from svc.media.captions import description
    from svc.media.checks import run

    # here, as productions begun by an earlier version have passed the steps before
    description.write_descriptions(brief, folder)
    run.run_checks(brief, folder, progress)


def _write_certificate(
    brief: VideoBrief, folder: Path, progress: Progress, resources: Resources
) -> None:
    from svc.media.proof import certificate, identity

    certificate.issue_certificate(brief, folder, progress, identity.Identity(resources.seed))


_RUN = {
    "script": _write_script,
    "narration": _record_narration,
    "video": _render_video,
    "captions": _write_captions_and_transcript,
    "description": _write_description,
    "checks": _run_checks,
    "certificate": _write_certificate,
}

PIPELINE_STEPS = tuple(PipelineStep(name, label, _RUN[name]) for name, label in steps.STEPS)
