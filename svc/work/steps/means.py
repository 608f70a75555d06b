"""What the parent gives a step's child for its work, as it goes through the pipe between them."""

import dataclasses
import json
from dataclasses import dataclass

from svc.base.settings import Settings


@dataclass(frozen=True)
class Means:
    """Nothing of it is secret: keys stay in their files until a child needs one."""

    cache: str = ""  # folder; empty: nothing is kept
    cache_bytes: int = 0
    fonts: str = ""  # folder of the operator's own

    @classmethod
    def of(cls, settings: Settings) -> "Means":
        return cls(cache=str(settings.cache_dir), cache_bytes=settings.cache_megabytes * 1_000_000,
                   fonts=str(settings.fonts_dir))  # fmt: skip

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Means":
        return cls(**json.loads(text))
