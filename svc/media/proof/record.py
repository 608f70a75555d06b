"""The record of a production: its inputs, its gate findings and the hashes of all files,
as signed JSON.
"""

import dataclasses
import datetime
import hashlib
import importlib.metadata
import json
import platform
from pathlib import Path

from svc.base import deliverable_kinds
from svc.base.file_hash import hash_file
from svc.media import deliverables, fonts
from svc.media.cache import make_cache_key
from svc.media.model import (
    QualityFindings,
    Script,
    Timeline,
    VideoBrief,
    load,
    load_script,
    load_timeline,
)
from svc.media.proof.identity import compute_fingerprint
from svc.media.proof.provenance import PROVIDED, Origin
from svc.media.text import tokens

VERSION = 1
_TOOLS = (
    "av",
    "espeakng-loader",
    "pillow",
    "numpy",
    "typst",
    "c2pa-python",
    "cryptography",
    "python-docx",
    "markdown-it-py",
)
_LONGEST, _SHORT = 300, 40  # characters of a fact, and of a scene's heading
_UNTRAINED = "No trained model took part: its words are those of the brief. "
_BETWEEN = ("script.json", "narration.wav", "timeline.json", "findings.json")  # intermediate files


def build_record(brief: VideoBrief, folder: Path, origins: tuple[Origin, ...], key: bytes) -> dict:
    """Return the record as JSON values, with all text fit for display.

    ``key``: the public key of the signer.
    """
    findings = load(QualityFindings, folder / "findings.json").findings
    return {
        "version": VERSION,
        "production": _list_facts(brief),
        "judged": _read_modification_time(folder / "findings.json"),
        "brief": {"sha256": _hash_text(_encode_canonically(dataclasses.asdict(brief)))},
        "origins": [dataclasses.asdict(origin) for origin in origins],
        "disclosure": find_disclosure(brief, origins),
        "findings": [
            {name: make_displayable(value) for name, value in dataclasses.asdict(finding).items()}
            for finding in findings
        ],
        "scenes": _list_scenes(load_script(folder), load_timeline(folder)),
        "files": _list_files(brief, folder),
        "between": [{"name": name, "sha256": hash_file(folder / name).sha256} for name in _BETWEEN],
        "tools": {"python": platform.python_version()}
        | {name: importlib.metadata.version(name) for name in _TOOLS},
        "key": {
            "algorithm": "Ed25519",
            "public": key.hex(),
            "fingerprint": compute_fingerprint(key),
        },
    }


def serialise(record: dict) -> bytes:
    """Return the bytes that are signed: UTF-8, sorted keys, no spaces."""
    return _encode_canonically(record).encode()


def make_displayable(value):
    """Return text cleaned and shortened for a document, in letters that fonts have;
    any other value unchanged.
    """
    return (
        tokens.shorten(fonts.drop_undrawable(tokens.clean(value)), _LONGEST)
        if isinstance(value, str)
        else value
    )


def compute_scene_fingerprint(scene) -> str:
    """Return the SHA-256 of everything that a scene says and shows, computed as a cache key."""
    return make_cache_key("scene", dataclasses.asdict(scene))


def find_disclosure(brief: VideoBrief, origins: tuple[Origin, ...]) -> str:
    """Return the disclosure that must accompany the programme wherever it is published."""
    makers = ", ".join(
        f"{origin.part} by {origin.maker}" for origin in origins if origin.part not in PROVIDED
    )
    provided = "".join(
        f"{origin.part.capitalize()}: {origin.maker}. "
        for origin in origins
        if origin.part in PROVIDED
    )
    trained = " and its ".join(origin.part for origin in origins if origin.trained)
    presenter = "a picture that the account provided" if brief.avatar.portrait else "a drawn figure"
    shown = (
        f"and its presenter {presenter}: neither is"
        if brief.avatar.is_shown
        else "without a presenter: it is not"
    )
    model = f"A trained model made its {trained}. " if trained else _UNTRAINED
    return (
        f"This programme was made by software ({makers}). Its narration is synthetic speech "
        f"{shown} a recording of a person. {model}{provided}Captions, transcript and audio "
        "description were derived from it automatically. Wherever this programme is published, "
        "say that it was made this way."
    )


def _list_facts(brief: VideoBrief) -> dict[str, str]:
    facts = {
        "id": brief.production_id,
        "title": brief.title or brief.topic,
        "account": brief.account_name,
        "topic": brief.topic,
        "kind": brief.project_type,
        "language": brief.language,
        "country": brief.country,
        "presenter": brief.avatar.name,
        "triggered": brief.triggered_at,
    }
    return {name: make_displayable(value) for name, value in facts.items()}


def _list_scenes(script: Script, timeline: Timeline) -> list[dict]:
    return [
        {
            "number": number,
            "heading": tokens.shorten(
                make_displayable(scene.heading or tokens.join_words(scene.words)), _SHORT
            ),
            "start": f"{timing.start:.2f}",
            "seconds": f"{timing.end - timing.start:.2f}",
            "words": len(scene.words),
            "sha256": compute_scene_fingerprint(scene),
        }
        for number, (scene, timing) in enumerate(
            zip(script.scenes, timeline.scenes, strict=True), 1
        )
    ]


def _list_files(brief: VideoBrief, folder: Path) -> list[dict]:
    """Return every deliverable except the certificate, each once,
    and the texts beside the videos.
    """
    kinds = {
        file.path: file.type
        for file in deliverables.list_deliverables(brief, folder)
        if file.path != deliverable_kinds.CERTIFICATE
    }
    texts = (deliverables.name_description_file(rendition) for rendition in brief.renditions)
    kinds |= {name: deliverables.DESCRIPTION for name in texts if (folder / name).exists()}
    return [
        {
            "name": name,
            "type": kind,
            "bytes": (folder / name).stat().st_size,
            "sha256": hash_file(folder / name).sha256,
        }
        for name, kind in kinds.items()
    ]


def _read_modification_time(path: Path) -> str:
    """Return the modification time of a file, in ISO 8601 UTC."""
    moment = datetime.datetime.fromtimestamp(path.stat().st_mtime, datetime.UTC)
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def _encode_canonically(value) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _hash_text(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
