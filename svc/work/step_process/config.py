"""What the parent gives a step's child for its work, as it goes through the pipe between them."""

import dataclasses
import json
import os
from dataclasses import dataclass, field
from typing import Any

from svc.base.processes.confinement import Confinement
from svc.base.settings import Settings

_SCRIPT, _SPEAKING, _SIGNING = ("script",), ("narration", "description"), ("certificate",)  # the steps that use what


@dataclass(frozen=True)
class Means:
    """Keys of models stay in their files until a child needs one. ``seed`` is secret; it goes to the one step that signs."""

    cache: str = ""  # folder; empty: nothing is kept
    cache_bytes: int = 0
    script: dict[str, Any] = field(default_factory=dict)  # fields of svc.adapters.model_api.Endpoint; empty: our own writer
    speech: dict[str, Any] = field(default_factory=dict)  # the same; empty: a local voice
    speech_voice: str = ""
    voices: str = ""  # folder with Piper's models
    fonts: str = ""  # folder of the operator's own
    seed: str = field(default="", repr=False)  # hex, of the keys that sign; empty: what is signed is signed by nobody known
    memory: int = Confinement.memory  # megabytes
    seconds: int = Confinement.seconds  # of the processor

    @classmethod
    def of(cls, settings: Settings) -> "Means":
        return cls(
            cache=str(settings.cache_dir),
            cache_bytes=settings.cache_megabytes * 1_000_000,
            script=_endpoint(settings.script_url, settings.script_model, settings.script_key_file, settings),
            speech=_endpoint(settings.speech_url, settings.speech_model, settings.speech_key_file, settings),
            speech_voice=settings.speech_voice,
            voices=str(settings.voices_dir),
            fonts=str(settings.fonts_dir),
            memory=settings.step_memory_megabytes,
            seconds=settings.step_timeout_seconds * (os.cpu_count() or 1),  # of all threads together
        )

    def for_step(self, name: str, seed: bytes = b"") -> "Means":
        """What of it this step needs. ``seed``: of the keys that sign."""
        return dataclasses.replace(
            self,
            script=self.script if name in _SCRIPT else {},
            speech=self.speech if name in _SPEAKING else {},
            voices=self.voices if name in _SPEAKING else "",
            seed=seed.hex() if name in _SIGNING else "",
        )

    def confinement(self, name: str, folder: str) -> Confinement:
        """What the child of this step is left with. ``folder``: of the production."""
        keys = [each["key_file"] for each in (self.script, self.speech) if each.get("key_file")]
        return Confinement(
            read=tuple(each for each in (*keys, self.voices, self.fonts) if each),
            write=tuple(each for each in (folder, self.cache) if each),
            network=bool(self.script or self.speech),
            children=name in _SPEAKING,  # a local voice speaks in a process of its own
            memory=self.memory,
            seconds=self.seconds,
        )

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Means":
        return cls(**json.loads(text))


def _endpoint(url: str, model: str, key_file: str, settings: Settings) -> dict[str, Any]:
    if not url:
        return {}
    return {"url": url, "model": model, "key_file": key_file, "seconds": settings.model_timeout_seconds}
