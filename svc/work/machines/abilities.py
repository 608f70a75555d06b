"""What a process is able to run: the steps that it may, and the voices and languages that are not
on every machine.
"""

from svc.base import voices
from svc.base.settings import Settings
from svc.domain.lifecycle import render_queue
from svc.media.speech.trained import weights
from svc.work.machines import further_languages


def list_abilities(
    settings: Settings, steps: frozenset[str] = render_queue.STEP_NAMES
) -> frozenset[str]:
    """Return the names of ``steps`` and of the voice models of svc.base.voices.OPTIONAL that this
    process speaks with, and the codes of the further languages that it speaks.

    Where a model elsewhere speaks, or espeak-ng by choice, no model has to be here: the process
    lacks none.
    """
    able = steps.union(further_languages.list_codes(settings))
    if settings.voice != "trained" or settings.speech_url:
        return able.union(voices.OPTIONAL)
    return able.union(model for model in voices.OPTIONAL if weights.is_installed(model))
