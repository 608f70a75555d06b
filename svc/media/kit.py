"""What a step may use besides its brief and its folder."""

import os
from dataclasses import dataclass, field

from svc.media.cache import Cache
from svc.media.voice import Voice


@dataclass(frozen=True)
class Kit:
    """With nothing given, a step makes everything itself and keeps nothing for the next time."""

    cache: Cache = field(default_factory=Cache)
    voice: Voice | None = None  # in place of espeak-ng
    seed: bytes = field(default_factory=lambda: os.urandom(32), repr=False)  # of the keys that sign; by default nobody's
