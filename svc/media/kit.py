"""What a step may use besides its brief and its folder."""

import os
from dataclasses import dataclass, field
from typing import Protocol

from svc.media.cache import Cache
from svc.media.voice import Voice


class ChatModel(Protocol):
    """A chat model."""

    name: str

    def ask(self, messages: list[dict[str, str]], name: str, schema: dict) -> str:
        """What the model answers to ``messages``; asked for JSON by ``schema``, which it may not keep to."""


@dataclass(frozen=True)
class Kit:
    """With nothing given, a step makes everything itself and keeps nothing for the next time."""

    cache: Cache = field(default_factory=Cache)
    voice: Voice | None = None  # in place of espeak-ng
    chat: ChatModel | None = None  # writes the script in place of our own writer
    seed: bytes = field(default_factory=lambda: os.urandom(32), repr=False)  # of the keys that sign; by default nobody's
