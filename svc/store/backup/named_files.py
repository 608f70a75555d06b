"""The files that a database names: those in the data directory, and those in the bucket."""

import json
from contextlib import closing
from pathlib import Path

from svc.store import database, meta, schema
from svc.store.backup import archive
from svc.store.backup.archive import Part

_STORED = "SELECT DISTINCT file, size_bytes, sha256 FROM deliverables"
# A cancel, and the end of a production, remove its archives from the bucket before, or without, their descriptions.
_CARRIED = """
    SELECT s.files FROM production_steps s JOIN productions p ON p.id = s.production_id
    WHERE s.files IS NOT NULL AND p.status IN ('Queued', 'Producing') AND p.cancel_token IS NULL
"""
# Tables of uploads, by the schema from which on there are: an older database can be backed up, too.
_UPLOADS = {30: ("assets", "brand_fonts", "music_tracks"), 64: ("intro_clips", "outro_clips")}


def media_of(file: Path) -> set[str]:
    """Return the media files that SQLite's database refers to, as :func:`media`."""
    with closing(archive.connect(file)) as connection:
        return media(connection)


def media(connection: database.Connection) -> set[str]:
    """Return the media files that a database refers to, relative to the data directory; none if they are in a bucket."""
    if "storage_url" in meta.texts_of(connection):
        return set()
    return {f"media/{file}" for (file,) in connection.execute("SELECT DISTINCT file FROM deliverables")}


def local(connection: database.Connection) -> set[str]:
    """Return all files in the data directory that a database refers to; none if they are in a bucket."""
    if "storage_url" in meta.texts_of(connection):
        return set()
    version = schema.version_of(connection) or 0
    tables = [table for since, those in _UPLOADS.items() if version >= since for table in those]
    uploaded = {file for table in tables for (file,) in connection.execute(f"SELECT file FROM {table}")}
    return media(connection) | {f"assets/{file}" for file in uploaded}


def described(name: str) -> str:
    """Return a file that is missing, and what it belongs to, in words."""
    folder, _, file = name.removeprefix("media/").partition("/")
    if name.startswith(("assets/", "uploads/")):
        return f"{name}, an upload"
    return f"{name} of the production {file.split('/')[0] if folder == 'work' else folder}"


def productions(connection: database.Connection) -> set[str]:
    """Return the ids of all productions."""
    return {row[0] for row in connection.execute("SELECT id FROM productions")}


def in_bucket(connection: database.Connection) -> dict[str, Part]:
    """Return the finished files, and those of unfinished productions, by their names in a bucket."""
    found = {file: Part(size, sha256) for file, size, sha256 in connection.execute(_STORED)}
    for (text,) in connection.execute(_CARRIED):
        carried = json.loads(text)
        found[carried["name"]] = Part(carried["size_bytes"], carried["sha256"])
    return found
