"""Issuing the certificate of compliance: a tagged PDF that says how a production was judged, and is signed to the last byte."""

import datetime
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Literal

import typst

from svc.media import credentials, files, finished, fonts, origins, record, sealing
from svc.media.colour import parse, written
from svc.media.identity import Identity
from svc.media.programme import Brief, Script, Timeline, load

ATTACHED, SIGNATURE = "certificate.json", "certificate.json.sig"
# PDF/UA-1 and PDF/A-3a: the typesetter refuses what they do not allow.
STANDARDS: list[Literal["ua-1", "a-3a"]] = ["ua-1", "a-3a"]
_TEMPLATE = Path(__file__).with_suffix(".typ")
_EPOCH = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)  # where a brief has no time


def issue(brief: Brief, folder: Path, progress, identity: Identity) -> None:
    """Sign the films, and make ``certificate.pdf`` from ``findings.json`` and the finished files, which must not change after.
    Raises MediaError (CREDENTIALS_FAILED)."""
    made_by = origins.of(load(Script, folder / "script.json"), load(Timeline, folder / "timeline.json"))
    source_type = origins.source_type(made_by)
    films = sorted({each.path for each in finished.deliverables(brief, folder) if each.format == "mp4"})
    for number, name in enumerate(films, 1):
        details = {"productionId": record.shown(brief.production_id), "file": name}
        credentials.sign_film(folder / name, identity, name, source_type, details)
        progress(0.6 * number / len(films))
    told = record.made(brief, folder, made_by, identity.public.key)
    document = _typeset(brief, record.written(told), identity)
    path = folder / finished.CERTIFICATE
    signed = credentials.sign_around(
        path, identity, path.name, source_type, lambda manifest: sealing.with_manifest(document, manifest, identity.public.key)
    )
    with files.whole(path) as partial:
        partial.write_bytes(sealing.sealed(signed, identity))
        files.flush(partial)
    progress(1.0)


def _typeset(brief: Brief, told: bytes, identity: Identity) -> bytes:
    """The tagged PDF, with the record and its signature attached."""
    moment = datetime.datetime.fromisoformat(brief.triggered_at) if brief.triggered_at else _EPOCH
    with tempfile.TemporaryDirectory() as work:
        (Path(work) / ATTACHED).write_bytes(told)
        (Path(work) / SIGNATURE).write_bytes(identity.sign(told))
        template = Path(shutil.copy(_TEMPLATE, work))
        return typst.compile(
            template, root=Path(work), format="pdf", pdf_standards=[*STANDARDS], timestamp=moment.replace(microsecond=0),
            font_paths=_fonts(), ignore_system_fonts=True, sys_inputs={"accent": written(parse(brief.accent))},
        )  # fmt: skip


@cache
def _fonts() -> typst.Fonts:
    folders = sorted({str(fonts.path(family).parent) for family in fonts.families()})
    return typst.Fonts(include_system_fonts=False, include_embedded_fonts=False, font_paths=folders)
