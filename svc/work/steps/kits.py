"""In a step's child: what its means are turned into for the media engine."""

from pathlib import Path

from svc.media.cache import Cache
from svc.media.kit import Kit
from svc.work.steps.means import Means


def kit_of(means: Means) -> Kit:
    """What the media engine is handed."""
    return Kit(cache=Cache(Path(means.cache), means.cache_bytes) if means.cache else Cache())
