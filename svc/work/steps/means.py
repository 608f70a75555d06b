"""What the parent gives a step's child for its work, as it goes through the pipe between them."""

import dataclasses
import json
from dataclasses import dataclass, field

from svc.base.settings import Settings


@dataclass(frozen=True)
class Means:
    """Nothing of it is secret: keys stay in their files until a child needs one."""

    cache: str = ""  # folder; empty: nothing is kept
    cache_bytes: int = 0
    script: dict = field(default_factory=dict)  # fields of svc.adapters.models.Endpoint; empty: our own writer
    speech: dict = field(default_factory=dict)  # the same; empty: a local voice
    speech_voice: str = ""
    voices: str = ""  # folder with Piper's models
    fonts: str = ""  # folder of the operator's own
    secret_in: str = ""  # the data directory; empty: what is signed is signed by nobody known

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
            secret_in=str(settings.data_dir) if settings.secret.exists() else "",  # `render` needs no installation
        )

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Means":
        return cls(**json.loads(text))


def _endpoint(url: str, model: str, key_file: str, settings: Settings) -> dict:
    if not url:
        return {}
    return {"url": url, "model": model, "key_file": key_file, "seconds": settings.model_timeout_seconds}
