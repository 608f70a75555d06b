"""The code samples of the document."""

from typing import Any

from svc.base.samples import LANGUAGES, read_sample

_SAMPLES = {"trigger_production": "trigger", "create_webhook": "verify"}


def add_samples(operation: dict[str, Any]) -> None:
    """Add the code samples of ``operation`` to it."""
    stem = _SAMPLES.get(operation["operationId"])
    if stem:
        operation["x-codeSamples"] = [
            {"lang": lang, "label": label, "source": read_sample(f"{stem}{suffix}")}
            for suffix, (lang, label) in LANGUAGES.items()
        ]
