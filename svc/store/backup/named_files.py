"""The files that a database names: those in the data directory, and those in the bucket."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from svc.store import meta
from svc.store.database import Connection
from svc.store.expressions import SQL, fn
from svc.store.models.partners import Asset, BrandFont, IntroClip, MusicTrack, OutroClip
from svc.store.models.productions import Deliverable, Production, ProductionStep
from svc.store.queries import Prepared

_STORED = Prepared(
    Deliverable.select(Deliverable.file, Deliverable.size_bytes, Deliverable.sha256).distinct()
)
# A cancel, and the end of a production, remove its archives from the bucket before, or without,
# their descriptions.
_CARRIED = Prepared(
    ProductionStep.select(ProductionStep.files)
    .join(Production, on=Production.id == ProductionStep.production_id)
    .where(
        ProductionStep.files.is_null(False),
        Production.status.in_(("Queued", "Producing")),
        Production.cancel_token.is_null(),
    )
)
_PRODUCTIONS = Prepared(Production.select(Production.id))
_UNMADE = Prepared(
    Production.select(Production.id).where(
        ~fn.EXISTS(Deliverable.select(SQL("1")).where(Deliverable.production_id == Production.id))
    )
)
# Tables of uploads, by the schema from which on there are: an older database can be backed up, too.
_UPLOADS = {30: (Asset, BrandFont, MusicTrack), 64: (IntroClip, OutroClip)}
_FILES = {
    model: Prepared(model.select(model.file, model.size_bytes, model.sha256))
    for models in _UPLOADS.values()
    for model in models
}


@dataclass(frozen=True)
class Part:
    """A file: its size in bytes and its SHA-256 in hex."""

    size: int
    sha256: str


class Differences(NamedTuple):
    """The files that a database names and that are missing, and those that are not as it says."""

    missing: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()


def compare_files(named: Mapping[str, Part], present: Mapping[str, Part]) -> Differences:
    """Compare what a database names with what is there."""
    missing = tuple(sorted(named.keys() - present.keys()))
    return Differences(
        missing,
        tuple(
            sorted(name for name in named.keys() & present.keys() if named[name] != present[name])
        ),
    )


def list_media(connection: Connection) -> dict[str, Part]:
    """Return the media files that a database names, relative to the data directory;
    none if they are in a bucket.
    """
    if "storage_url" in meta.read_texts_by(connection):
        return {}
    return {
        f"media/{file}": Part(size, sha256) for file, size, sha256 in _STORED.rows_by(connection)
    }


def list_local_files(connection: Connection) -> dict[str, Part]:
    """Return all files in the data directory that a database names;
    none if they are in a bucket.
    """
    recorded = meta.read_texts_by(connection)
    if "storage_url" in recorded:
        return {}
    version = int(recorded["schema_version"])
    named = list_media(connection)
    for query in [
        _FILES[model] for since, those in _UPLOADS.items() if version >= since for model in those
    ]:
        named |= {
            f"assets/{file}": Part(size, sha256) for file, size, sha256 in query.rows_by(connection)
        }
    return named


def describe_file(name: str) -> str:
    """Return a file that is missing, and what it belongs to, in words."""
    folder, _, file = name.removeprefix("media/").partition("/")
    if name.startswith(("assets/", "uploads/")):
        return f"{name}, an upload"
    return f"{name} of the production {file.split('/')[0] if folder == 'work' else folder}"


def list_productions(connection: Connection) -> set[str]:
    """Return the ids of all productions."""
    return {row[0] for row in _PRODUCTIONS.rows_by(connection)}


def list_unmade_productions(connection: Connection) -> set[str]:
    """Return the ids of productions without finished files."""
    return {row[0] for row in _UNMADE.rows_by(connection)}


def list_bucket_files(connection: Connection) -> dict[str, Part]:
    """Return the finished files, and those of unfinished productions,
    by their names in a bucket.
    """
    parts = {file: Part(size, sha256) for file, size, sha256 in _STORED.rows_by(connection)}
    for (text,) in _CARRIED.rows_by(connection):
        carried = json.loads(text)
        parts[carried["name"]] = Part(carried["size_bytes"], carried["sha256"])
    return parts
