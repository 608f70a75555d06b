"""What a step may use besides its brief and its folder: cache, voice, chat model, signing seed."""

import os
from dataclasses import dataclass, field
from typing import Protocol

from svc.media.cache import Cache
from svc.media.voice import Voice


class ChatModel(Protocol):
    """A chat model."""

    name: str

    def ask(self, messages: list[dict[str, str]], name: str, schema: dict) -> str:
        """Return the model's answer to ``messages``.

        It is asked for JSON that matches ``schema``, but may answer otherwise.
        """


@dataclass(frozen=True)
class Resources:
    """The resources of a step.

    By default nothing is cached and only the built-in voice and writer are used.
    """

    cache: Cache = field(default_factory=Cache)
    voice: Voice | None = None  # replaces espeak-ng
    chat: ChatModel | None = None  # writes the script in place of the built-in writer
    effects: bool = True  # whether looks may have sound effects at entrances
    # The seed of the signing keys, which is random by default.
    seed: bytes = field(default_factory=lambda: os.urandom(32), repr=False)
