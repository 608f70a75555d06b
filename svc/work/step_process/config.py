"""The configuration of a step's child process, sent by the parent through a pipe."""

import dataclasses
import json
import os
from dataclasses import dataclass, field
from typing import Any

from svc.base.processes.confinement import Confinement
from svc.base.settings import Settings
from svc.base.steps import SPEAKING_STEPS

# The steps of the pipeline that use the script's model, the one of translations, and the signing
# keys.
_SCRIPT, _TRANSLATING, _SIGNING = ("script",), ("narration",), ("certificate",)


@dataclass(frozen=True)
class StepConfig:
    """The resources of a step.

    Model keys are passed as file names, and the secret ``seed`` only to the step that signs.
    """

    cache: str = ""  # folder; empty: no cache
    cache_bytes: int = 0
    # The fields of svc.adapters.model_api.Endpoint; empty: the built-in writer.
    script: dict[str, Any] = field(default_factory=dict)
    speech: dict[str, Any] = field(default_factory=dict)  # likewise; empty: a local voice
    speech_voice: str = ""
    voices: str = ""  # folder with Piper's models
    trained: bool = False  # whether the trained voices speak where no other one is configured
    shared: bool = False  # whether the parent answers questions for scenes that the cache lacks
    fonts: str = ""  # folder with the operator's fonts
    effects: bool = True  # whether looks may have sound effects at entrances
    seed: str = field(default="", repr=False)  # hex, of the signing keys; empty: random keys
    memory: int = Confinement.memory  # megabytes
    seconds: int = Confinement.seconds  # of processor time

    @classmethod
    def from_settings(cls, settings: Settings) -> "StepConfig":
        return cls(
            cache=str(settings.cache_dir),
            cache_bytes=settings.cache_megabytes * 1_000_000,
            script=_endpoint(
                settings.script_url, settings.script_model, settings.script_key_file, settings
            ),
            speech=_endpoint(
                settings.speech_url, settings.speech_model, settings.speech_key_file, settings
            ),
            speech_voice=settings.speech_voice,
            voices=str(settings.voices_dir),
            trained=settings.voice == "trained",
            fonts=str(settings.fonts_dir),
            effects=settings.sound_effects == "on",
            memory=settings.step_memory_megabytes,
            # the sum over all threads
            seconds=settings.step_timeout_seconds * (os.cpu_count() or 1),
        )

    def prepare_for_step(
        self, name: str, seed: bytes = b"", shared: bool = False, translates: bool = False
    ) -> "StepConfig":
        """Return the part that a step needs. ``seed``: of the signing keys. ``shared``: whether its
        scenes are. ``translates``: whether captions are translated."""
        return dataclasses.replace(
            self,
            script=self.script if name in _SCRIPT or (translates and name in _TRANSLATING) else {},
            speech=self.speech if name in SPEAKING_STEPS else {},
            voices=self.voices if name in SPEAKING_STEPS else "",
            trained=self.trained and name in SPEAKING_STEPS,
            shared=shared,
            seed=seed.hex() if name in _SIGNING else "",
        )

    def make_confinement(self, name: str, folder: str) -> Confinement:
        """Return the confinement of a step's child. ``folder``: of the production."""
        keys = [
            endpoint["key_file"]
            for endpoint in (self.script, self.speech)
            if endpoint.get("key_file")
        ]
        return Confinement(
            read=tuple(path for path in (*keys, self.voices, self.fonts) if path),
            write=tuple(path for path in (folder, self.cache) if path),
            network=bool(self.script or self.speech),
            children=name in SPEAKING_STEPS,  # a local voice runs in a child process
            memory=self.memory,
            seconds=self.seconds,
        )

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "StepConfig":
        return cls(**json.loads(text))


def _endpoint(url: str, model: str, key_file: str, settings: Settings) -> dict[str, Any]:
    if not url:
        return {}
    return {
        "url": url,
        "model": model,
        "key_file": key_file,
        "seconds": settings.model_timeout_seconds,
    }
