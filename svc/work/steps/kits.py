"""In a step's child: what its means are turned into for the media engine."""

from collections.abc import Callable
from pathlib import Path

from svc.adapters.models import Chat, Endpoint, Speech, Spent
from svc.media.cache import Cache
from svc.media.kit import Kit
from svc.media.remote import RemoteVoice
from svc.work.steps.means import Means


def kit_of(means: Means, spent: Callable[[Spent], None]) -> Kit:
    """What the media engine is handed. ``spent``: hears what each answer of a model is charged for."""
    speech = Speech(Endpoint(**means.speech), means.speech_voice, spent) if means.speech else None
    return Kit(
        cache=Cache(Path(means.cache), means.cache_bytes) if means.cache else Cache(),
        voice=RemoteVoice(speech) if speech else None,
        chat=Chat(Endpoint(**means.script), spent) if means.script else None,
    )
