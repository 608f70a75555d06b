"""Builds the media engine's resources in a step's child process.

Modules of unused resources are not imported.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from svc.media.cache import Cache, Sharing
from svc.media.resources import ChatModel, Resources
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
        from svc.media import fonts

        fonts.use_folder(Path(config.fonts))
    return Resources(
        cache=Cache(Path(config.cache), config.cache_bytes, sharing if config.shared else None)
        if config.cache
        else Cache(),
        voice=_voice(config, spent, lost),
        chat=_chat(config, spent),
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
        from svc.adapters.model_api import Endpoint, Speech
        from svc.media.speech.remote import RemoteVoice

        return RemoteVoice(Speech(Endpoint(**config.speech), config.speech_voice, spent))
    trained: Voice | None = None
    if config.trained:
        from svc.media.speech.trained.voice import Trained

        trained = Trained(lost=lost)
    if config.voices and any(Path(config.voices).glob("*.onnx")):
        from svc.media.speech.piper import Piper

        return Piper(Path(config.voices), trained)
    return trained


def _chat(config: StepConfig, spent: Callable[..., Any]) -> ChatModel | None:
    """Return the model that writes scripts, if one is configured."""
    if not config.script:
        return None
    from svc.adapters import model_api

    return model_api.Chat(model_api.Endpoint(**config.script), spent)
