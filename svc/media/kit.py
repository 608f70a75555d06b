"""What a step may use besides its brief and its folder."""

from dataclasses import dataclass, field

from svc.media.cache import Cache
from svc.media.voice import Voice


@dataclass(frozen=True)
class Kit:
    """With nothing given, a step makes everything itself and keeps nothing for the next time."""

    cache: Cache = field(default_factory=Cache)
    voice: Voice | None = None  # in place of espeak-ng
