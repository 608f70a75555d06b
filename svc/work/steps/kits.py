"""In a step's child: what its means are turned into for the media engine."""

from dataclasses import replace
from pathlib import Path

from svc.base import signing
from svc.base.settings import key_ring
from svc.media.cache import Cache
from svc.media.kit import Kit
from svc.work.steps.means import Means


def kit_of(means: Means) -> Kit:
    """What the media engine is handed."""
    kit = Kit(cache=Cache(Path(means.cache), means.cache_bytes) if means.cache else Cache())
    return replace(kit, seed=signing.identity_seed(key_ring(Path(means.secret_in)))) if means.secret_in else kit
