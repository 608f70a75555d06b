"""In a step's child: what its means are turned into for the media engine."""

from pathlib import Path

from svc.media import fonts
from svc.media.cache import Cache
from svc.media.kit import Kit
from svc.work.steps.means import Means


def kit_of(means: Means) -> Kit:
    """What the media engine is handed; the operator's fonts are found from now on."""
    if means.fonts:
        fonts.use(Path(means.fonts))
    return Kit(cache=Cache(Path(means.cache), means.cache_bytes) if means.cache else Cache())
