"""The code samples of the document: real files, which the tests run against a real server."""

from pathlib import Path

_FOLDER = Path(__file__).parents[1] / "samples"
_LANGUAGES = {".sh": ("shell", "curl"), ".py": ("python", "Python"), ".mjs": ("javascript", "Node.js")}
_SAMPLES = {"trigger_production": "trigger", "create_webhook": "verify"}


def add(operation: dict) -> None:
    """Put the samples of ``operation`` into it."""
    stem = _SAMPLES.get(operation["operationId"])
    if stem:
        operation["x-codeSamples"] = [
            {"lang": lang, "label": label, "source": source(f"{stem}{suffix}")} for suffix, (lang, label) in _LANGUAGES.items()
        ]


def source(name: str) -> str:
    """The text of a sample."""
    return (_FOLDER / name).read_text("utf-8")
