"""Builds the media engine's kit in a step's child process. Modules of unused resources are not imported."""

import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from svc.base.processes.entry_points import Part, load
from svc.media.cache import Cache
from svc.media.kit import Kit
from svc.media.voice import Voice
from svc.work.step_process.config import Means


def kit_of(means: Means, spent: Callable[..., Any], lost: Callable[[str, str], None]) -> Kit:
    """Return the kit of the media engine, and make the operator's fonts available.

    ``spent``: called with the charge of each answer of a model. ``lost``: called with the name of a voice that cannot speak and
    the reason.
    """
    if means.fonts and Path(means.fonts).is_dir():
        load(Part.FONTS).use(Path(means.fonts))
    return Kit(
        cache=Cache(Path(means.cache), means.cache_bytes) if means.cache else Cache(),
        voice=_voice(means, spent, lost),
        chat=_models().Chat(_models().Endpoint(**means.script), spent) if means.script else None,
        seed=bytes.fromhex(means.seed) if means.seed else os.urandom(32),
    )


def _voice(means: Means, spent: Callable[..., Any], lost: Callable[[str, str], None]) -> Voice | None:
    """Return the voice: an endpoint if configured, else Piper if it has voices, else the trained ones; None: espeak-ng."""
    if means.speech:
        speech = _models().Speech(_models().Endpoint(**means.speech), means.speech_voice, spent)
        remote: Voice = load(Part.REMOTE_VOICE).RemoteVoice(speech)
        return remote
    trained: Voice | None = load(Part.TRAINED_VOICE).Trained(lost=lost) if means.trained else None
    if means.voices and any(Path(means.voices).glob("*.onnx")):
        piper: Voice = load(Part.PIPER_VOICE).Piper(Path(means.voices), trained)
        return piper
    return trained


def _models() -> ModuleType:
    return load(Part.MODELS)
