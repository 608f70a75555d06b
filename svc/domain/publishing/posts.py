"""What is published of a production at a place: its texts and files, as they were recorded."""

from typing import TypedDict

from svc.domain import rows
from svc.domain.tables.productions import Deliverable

_TEXTS = """
    SELECT p.title, p.topic, p.subject_override, p.account_id, pub.description
    FROM productions p JOIN publications pub ON pub.production_id = p.id WHERE p.id = ? AND pub.platform = ?
"""
# The video of the platform, then what belongs to the whole production.
_FILES = """
    SELECT * FROM deliverables WHERE production_id = ? AND (platform = ? OR (platform IS NULL AND type <> 'Video'))
    ORDER BY type = 'Video' DESC, position
"""


class PostTexts(TypedDict):
    """The texts of a post. ``description``: the text beside the video; None: there is none."""

    title: str
    topic: str
    subject_override: str | None
    account_id: str
    description: str | None


def texts(production_id: str, platform: str) -> PostTexts:
    """Return the texts of a publication. LookupError: there is no such publication."""
    return rows.one(PostTexts, _TEXTS, (production_id, platform))


def files(production_id: str, platform: str) -> list[Deliverable]:
    """Return the files of a publication, the video first; without a video for the platform there may be others alone."""
    return rows.every(Deliverable, _FILES, (production_id, platform))
