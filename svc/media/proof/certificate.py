"""Issuing the certificate of compliance: a tagged, signed PDF that reports the results of
the quality gates.
"""

import datetime
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Literal

import typst

from svc.base import atomic_file, deliverable_kinds
from svc.media import deliverables, fonts
from svc.media.clips import clip_choice
from svc.media.colour import parse_colour, to_hex
from svc.media.model import VideoBrief, load_script, load_timeline
from svc.media.music import effects, mixing
from svc.media.music.track import Track
from svc.media.proof import content_credentials, pdf_seal, provenance, record
from svc.media.proof.identity import Identity

ATTACHED, SIGNATURE = "certificate.json", "certificate.json.sig"
# PDF/UA-1 and PDF/A-3a: the typesetter raises for what they do not allow.
STANDARDS: list[Literal["ua-1", "a-3a"]] = ["ua-1", "a-3a"]
_TEMPLATE = Path(__file__).with_suffix(".typ")
# The date of a brief without a trigger time.
_EPOCH = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)


def issue_certificate(brief: VideoBrief, folder: Path, progress, identity: Identity) -> None:
    """Sign the videos, and write ``certificate.pdf`` from ``findings.json`` and the finished files,
    which must not change afterwards.

    Raises MediaError (CREDENTIALS_FAILED).
    """
    script = load_script(folder)
    timeline = load_timeline(folder)
    makers = provenance.list_origins(
        script,
        timeline,
        *_describe_music(folder),
        _list_clip_licences(folder),
        bool(effects.read_effects(folder)),
    )
    source_type = provenance.find_source_type(makers)
    named = {
        origin.part: origin.maker
        for origin in makers
        if origin.part in (provenance.VOICE, *provenance.PROVIDED)
    }
    videos = sorted(
        {
            file.path
            for file in deliverables.list_deliverables(brief, folder)
            if file.format == "mp4"
        }
    )
    for number, name in enumerate(videos, 1):
        details = {
            "productionId": record.make_displayable(brief.production_id),
            "file": name,
            **named,
        }
        content_credentials.sign_film(folder / name, identity, name, source_type, details)
        progress(0.6 * number / len(videos))
    content = record.serialise(record.build_record(brief, folder, makers, identity.public.key))
    document = _typeset_certificate(brief, content, identity)
    path = folder / deliverable_kinds.CERTIFICATE
    signed = content_credentials.sign_document(
        path,
        identity,
        path.name,
        source_type,
        lambda manifest: pdf_seal.attach_manifest(document, manifest, identity.public.key),
    )
    with atomic_file.replace(path) as partial:
        partial.write_bytes(pdf_seal.seal_document(signed, identity))
        atomic_file.sync(partial)
    progress(1.0)


def _describe_music(folder: Path) -> tuple[str, str]:
    """Return the mood of the music and the licence of the account's own track,
    each empty where there is none.
    """
    match mixing.read_choice(folder):
        case None:
            return "", ""
        case Track() as track:
            return "", record.make_displayable(track.licence)
        case mood:
            return mood.name, ""


def _list_clip_licences(folder: Path) -> dict[str, str]:
    """Return the licences of intro and outro, where there are any."""
    return {
        clip.place: record.make_displayable(clip.licence)
        for clip in clip_choice.read_choice(folder)
        if clip
    }


def _typeset_certificate(brief: VideoBrief, content: bytes, identity: Identity) -> bytes:
    """Return the tagged PDF with the record and its signature attached."""
    moment = datetime.datetime.fromisoformat(brief.triggered_at) if brief.triggered_at else _EPOCH
    with tempfile.TemporaryDirectory() as root:
        (Path(root) / ATTACHED).write_bytes(content)
        (Path(root) / SIGNATURE).write_bytes(identity.sign(content))
        template = Path(shutil.copy(_TEMPLATE, root))
        return typst.compile(
            template,
            root=Path(root),
            format="pdf",
            pdf_standards=[*STANDARDS],
            timestamp=moment.replace(microsecond=0),
            font_paths=_load_fonts(),
            ignore_system_fonts=True,
            sys_inputs={"accent": to_hex(parse_colour(brief.accent))},
        )


@cache
def _load_fonts() -> typst.Fonts:
    folders = sorted({str(fonts.find_path(family).parent) for family in fonts.list_families()})
    return typst.Fonts(include_system_fonts=False, include_embedded_fonts=False, font_paths=folders)
