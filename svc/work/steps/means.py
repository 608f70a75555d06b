"""What the parent gives a step's child for its work, as it goes through the pipe between them."""

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path

from svc.base import signing
from svc.base.settings import Settings, key_ring
from svc.media.cache import Cache
from svc.media.kit import Kit


@dataclass(frozen=True)
class Means:
    """Nothing of it is secret: keys stay in their files until a child needs one."""

    cache: str = ""  # folder; empty: nothing is kept
    cache_bytes: int = 0
    secret_in: str = ""  # the data directory; empty: what is signed is signed by nobody known

    @classmethod
    def of(cls, settings: Settings) -> "Means":
        return cls(
            cache=str(settings.cache_dir), cache_bytes=settings.cache_megabytes * 1_000_000, secret_in=str(settings.data_dir)
        )

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Means":
        return cls(**json.loads(text))

    def kit(self) -> Kit:
        """What the media engine is handed."""
        cache = Cache(Path(self.cache), self.cache_bytes) if self.cache else Cache()
        return Kit(cache, signing.identity_seed(key_ring(Path(self.secret_in)))) if self.secret_in else Kit(cache)
