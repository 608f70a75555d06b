"""In a step's child: what its means are turned into for the media engine."""

import os
from collections.abc import Callable
from pathlib import Path

from svc.adapters.models import Chat, Endpoint, Speech, Spent
from svc.base import signing
from svc.base.settings import key_ring
from svc.media import fonts
from svc.media.cache import Cache
from svc.media.kit import Kit
from svc.media.piper import Piper
from svc.media.remote import RemoteVoice
from svc.media.voice import Voice
from svc.work.steps.means import Means


def kit_of(means: Means, spent: Callable[[Spent], None]) -> Kit:
    """What the media engine is handed; the operator's fonts are found from now on. ``spent``: hears what each answer of a
    model is charged for."""
    if means.fonts:
        fonts.use(Path(means.fonts))
    return Kit(
        cache=Cache(Path(means.cache), means.cache_bytes) if means.cache else Cache(),
        voice=_voice(means, spent),
        chat=Chat(Endpoint(**means.script), spent) if means.script else None,
        seed=signing.identity_seed(key_ring(Path(means.secret_in))) if means.secret_in else os.urandom(32),
    )


def _voice(means: Means, spent: Callable[[Spent], None]) -> Voice | None:
    """An endpoint before Piper's voices, those before espeak-ng."""
    if means.speech:
        return RemoteVoice(Speech(Endpoint(**means.speech), means.speech_voice, spent))
    if means.voices and any(Path(means.voices).glob("*.onnx")):
        return Piper(Path(means.voices))
    return None
