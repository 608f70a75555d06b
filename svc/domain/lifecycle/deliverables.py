"""The deliverables of productions, and the texts beside their videos: stored after the last step,
listed with fresh links, looked up for downloads.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from svc.base import clock, ids, states
from svc.base.errors import NotFound
from svc.domain.lifecycle import lifecycle
from svc.domain.tables.productions import Deliverable, ProductionState
from svc.domain.webhooks.event_types import ReadyFile
from svc.store.database import Connection, db
from svc.store.expressions import SQL, Case, elements, fn
from svc.store.models import productions as models
from svc.store.models.publishing import Publication
from svc.store.queries import Prepared, slot, slots

MOST_IN_ONE_EVENT = 100  # specification, "Other constants"

_FILE = models.Deliverable
_OF_PRODUCTION = _FILE.production_id == slot("production_id")
_ADD = Prepared(
    _FILE.insert(
        slots(
            "id",
            "production_id",
            "position",
            "type",
            "platform",
            "format",
            "file",
            "size_bytes",
            "sha256",
            "duration_seconds",
            "language",
            "created_at",
            "voice",
        )
    )
)
_BY_PRODUCTION = Prepared(
    _FILE.select().where(_OF_PRODUCTION).order_by(_FILE.position), Deliverable
)
_ANY = Prepared(_FILE.select(_FILE.id).where(_OF_PRODUCTION).limit(1))
_REMOVE = Prepared(_FILE.delete().where(_OF_PRODUCTION))
_FORGET = Prepared(_FILE.delete().where(_FILE.file.in_(elements(slot("files")))))
# Of a database that may be another than the open one:
_SIZES = Prepared(
    _FILE.select(_FILE.file, _FILE.size_bytes)
    .order_by(_FILE.production_id.desc(), _FILE.position)
    .limit(slot("most"))
)
_PRODUCTION = models.Production
_WITH_FILES = Prepared(
    _PRODUCTION.select(_PRODUCTION.id).where(
        _PRODUCTION.status.in_(states.OPEN_STATES)
        | fn.EXISTS(_FILE.select(SQL("1")).where(_FILE.production_id == _PRODUCTION.id))
    )
)
_NAMED = (_FILE.file, _FILE.type, _FILE.format, _PRODUCTION.title)
_OF_ONE_PLATFORM = Case(None, [(fn.count(SQL("1")) == 1, fn.max(_FILE.platform))])
_NAMES = Prepared(
    _FILE.select(*_NAMED, _OF_ONE_PLATFORM.alias("platform"))
    .join(_PRODUCTION, on=_PRODUCTION.id == _FILE.production_id)
    .group_by(*_NAMED)
)
_IN_PRODUCTION = Publication.production_id == slot("production_id")
_DESCRIBE = Prepared(
    Publication.update(slots("description")).where(
        _IN_PRODUCTION, Publication.platform == slot("platform")
    )
)
_DESCRIPTIONS = Prepared(
    Publication.select(Publication.platform, Publication.description)
    .where(_IN_PRODUCTION, Publication.description.is_null(False))
    .order_by(Publication.platform)
)


class Download(Deliverable):
    """A deliverable with its production's title."""

    title: str


_DOWNLOAD = Prepared(
    _FILE.select(_FILE, models.Production.title)
    .join(models.Production, on=models.Production.id == _FILE.production_id)
    .where(_FILE.id == slot("id")),
    Download,
)


@dataclass(frozen=True)
class FinishedFile:
    """A finished file, stored as ``file`` in the media directory."""

    type: str
    platform: str | None
    format: str
    file: str
    size_bytes: int
    sha256: str  # hex
    duration_seconds: float | None
    language: str  # BCP 47
    voice: str | None = None  # the trained voice that speaks in it


def add_files(production_id: str, files: Sequence[FinishedFile], now: int) -> None:
    """Insert the files of a production. Inside the transaction that completes its last step."""
    _ADD.execute_many(
        {
            **vars(file),
            "id": ids.make_id(now),
            "production_id": production_id,
            "position": position,
            "created_at": now,
        }
        for position, file in enumerate(files)
    )


def store_descriptions(production_id: str, descriptions: Mapping[str, str]) -> None:
    """Store the text beside the video on each platform.

    ``descriptions``: by the name of the platform.
    """
    with db.transaction(partner=lifecycle.find_partner(production_id)):
        _DESCRIBE.execute_many(
            {"production_id": production_id, "platform": platform, "description": text}
            for platform, text in descriptions.items()
        )


def list_descriptions(production_id: str) -> list[dict[str, str]]:
    """Return the text beside the video on each platform that has one."""
    stored = _DESCRIPTIONS.rows(production_id=production_id)
    return [{"platform": row["platform"], "text": row["description"]} for row in stored]


def unlist_files(production_id: str) -> None:
    """Remove the files of a production from its list, because the next ones overwrite them. Inside
    a transaction.

    They are not entered to be removed, which could meet the next ones:
    svc.domain.lifecycle.endings does that if none follow.
    """
    _REMOVE.execute(production_id=production_id)


def forget_files(files: Sequence[str]) -> None:
    """Remove the rows of stored files that are lost. Inside a transaction."""
    _FORGET.execute(files=json.dumps(list(files)))


def has_files(production_id: str) -> bool:
    """Return whether a production has files."""
    return _ANY.row(production_id=production_id) is not None


def list_for_event(production_id: str) -> tuple[list[ReadyFile], bool]:
    """Return the first 100 deliverables as in the event ``deliverable.ready``, without links,
    and whether there are more.
    """
    rows = _BY_PRODUCTION.rows(production_id=production_id)
    shown: list[ReadyFile] = [
        {
            "deliverableId": row["id"],
            "type": row["type"],
            "platform": row["platform"],
            "format": row["format"],
        }
        for row in rows[:MOST_IN_ONE_EVENT]
    ]
    return shown, len(rows) > MOST_IN_ONE_EVENT


def list_with_links(
    production: ProductionState, link: Callable[[str], tuple[str, int]]
) -> dict[str, Any]:
    """Return every deliverable with a new link, if the production's state has any
    (specification, "Production states"), and the texts that stand beside the videos.

    ``link``: returns the address for a deliverable id, and when it expires in milliseconds.
    """
    production_id = production["id"]
    if production["status"] not in states.STATES_WITH_DELIVERABLES:
        return {
            "productionId": production_id,
            "data": [],
            "hasMore": False,
            "nextCursor": None,
            "descriptions": [],
        }
    entries = [
        _represent_row(row, *link(row["id"]))
        for row in _BY_PRODUCTION.rows(production_id=production_id)
    ]
    texts = list_descriptions(production_id)
    return {
        "productionId": production_id,
        "data": entries,
        "hasMore": False,
        "nextCursor": None,
        "descriptions": texts,
    }


def find(deliverable_id: str) -> Download:
    """Return a deliverable with its production's title, for a download by link.

    NotFound: it was removed.
    """
    row = _DOWNLOAD.row(id=deliverable_id)
    if row is None:
        raise NotFound("This file is no longer kept.")
    return row


def list_recorded_by(connection: Connection, newest: int | None) -> dict[str, int]:
    """Return the sizes of stored files by name, of all or only the newest,
    in the database of ``connection``.
    """
    rows = _SIZES.rows_by(connection, most=2**62 if newest is None else newest)
    return {row["file"]: row["size_bytes"] for row in rows}


def list_productions_by(connection: Connection) -> set[str]:
    """Return the productions that have files, or may get some,
    in the database of ``connection``.
    """
    return {row["id"] for row in _WITH_FILES.rows_by(connection)}


def list_download_names(connection: Connection) -> dict[str, str]:
    """Return the file name that a download of each stored file suggests,
    in the database of ``connection``.
    """
    return {
        row["file"]: make_file_name(row["title"], row["type"], row["platform"], row["format"])
        for row in _NAMES.rows_by(connection)
    }


def make_file_name(title: str, type_: str, platform: str | None, format_: str) -> str:
    """Return a file name that every file system accepts, made from the title and the type
    of the file.
    """
    stem = re.sub(r"[^\w]+", "-", title).strip("-_")[:60] or "production"
    kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", type_).lower()
    return f"{stem}-{kind}{f'-{platform.lower()}' if platform else ''}.{format_}"


def _represent_row(row: Deliverable, url: str, expires_at: int) -> dict[str, Any]:
    return {
        "deliverableId": row["id"],
        "type": row["type"],
        "platform": row["platform"],
        "format": row["format"],
        "sasUrl": url,
        "sasExpiresAt": clock.format_time(expires_at),
        "sizeBytes": row["size_bytes"],
        "sha256": row["sha256"],
        "durationSeconds": row["duration_seconds"],
        "language": row["language"],
    }
