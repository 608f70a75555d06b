"""Builds the media engine's resources in a step's child process.

Modules of unused resources are not imported.
"""

import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from svc.base.processes.entry_points import Part, load
from svc.media.cache import Cache, Sharing
from svc.media.resources import Resources
from svc.media.voice import Voice
from svc.work.step_process.config import StepConfig


def build_resources(
    config: StepConfig,
    spent: Callable[..., Any],
    lost: Callable[[str, str], None],
    sharing: Sharing | None = None,
) -> Resources:
    """Return the resources of the media engine, and make the operator's fonts available.

    Args:
        spent: Called with the charge of each answer of a model.
        lost: Called with the name of a voice that cannot speak and the reason.
        sharing: What other machines have, if the configuration says that it is shared.
    """
    if config.fonts and Path(config.fonts).is_dir():
        load(Part.FONTS).use_folder(Path(config.fonts))
    return Resources(
        cache=Cache(Path(config.cache), config.cache_bytes, sharing if config.shared else None)
        if config.cache
        else Cache(),
        voice=_voice(config, spent, lost),
        chat=_models().Chat(_models().Endpoint(**config.script), spent) if config.script else None,
        effects=config.effects,
        seed=bytes.fromhex(config.seed) if config.seed else os.urandom(32),
    )


def _voice(
    config: StepConfig, spent: Callable[..., Any], lost: Callable[[str, str], None]
) -> Voice | None:
    """Return the voice: an endpoint if configured, else Piper if it has voices,
    else the trained ones; None: espeak-ng.
    """
    if config.speech:
        speech = _models().Speech(_models().Endpoint(**config.speech), config.speech_voice, spent)
        remote: Voice = load(Part.REMOTE_VOICE).RemoteVoice(speech)
        return remote
    trained: Voice | None = load(Part.TRAINED_VOICE).Trained(lost=lost) if config.trained else None
    if config.voices and any(Path(config.voices).glob("*.onnx")):
        piper: Voice = load(Part.PIPER_VOICE).Piper(Path(config.voices), trained)
        return piper
    return trained


def _models() -> ModuleType:
    return load(Part.MODELS)
