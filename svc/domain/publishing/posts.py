"""The texts and files of a production that are published at a place, as they were recorded."""

from typing import TypedDict

from svc.domain.tables.productions import Deliverable
from svc.store.models import productions as models
from svc.store.models.publishing import Publication
from svc.store.queries import Prepared, slot


class PostTexts(TypedDict):
    """The texts of a post. ``description``: the text beside the video; None: there is none."""

    title: str
    topic: str
    subject_override: str | None
    account_id: str
    description: str | None


_TEXTS = Prepared(
    models.Production.select(
        models.Production.title,
        models.Production.topic,
        models.Production.subject_override,
        models.Production.account_id,
        Publication.description,
    )
    .join(Publication, on=Publication.production_id == models.Production.id)
    .where(models.Production.id == slot("production_id"), Publication.platform == slot("platform")),
    PostTexts,
)
_FILE = models.Deliverable
# The video of the platform, then what belongs to the whole production.
_FILES = Prepared(
    _FILE.select()
    .where(
        _FILE.production_id == slot("production_id"),
        (_FILE.platform == slot("platform")) | (_FILE.platform.is_null() & (_FILE.type != "Video")),
    )
    .order_by((_FILE.type == "Video").desc(), _FILE.position),
    Deliverable,
)


def find_texts(production_id: str, platform: str) -> PostTexts:
    """Return the texts of a publication. LookupError: there is no such publication."""
    return _TEXTS.one(production_id=production_id, platform=platform)


def list_files(production_id: str, platform: str) -> list[Deliverable]:
    """Return the files of a publication, the video first; without a video for the platform there
    may be others alone.
    """
    return _FILES.rows(production_id=production_id, platform=platform)
