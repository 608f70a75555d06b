"""The brief: what a partner asks for, checked against the account that it is for."""

import hashlib
import json
import re
from dataclasses import asdict, dataclass

from svc.base.errors import InvalidRequest
from svc.domain import reference
from svc.store import database

TOPIC_LENGTH = 500
SUBJECT_LENGTH = 200
METADATA_LENGTH = 4096  # characters (specification, "Other constants")


@dataclass(frozen=True)
class Brief:
    topic: str
    language_id: str
    country_id: str
    avatar_id: str
    project_type: str | None = None  # None: the account's default
    metadata_md: str | None = None
    subject_override: str | None = None

    @property
    def length(self) -> int:
        """Characters that the brief gives to say."""
        return len(self.topic) + len(self.subject_override or "") + len(self.metadata_md or "")

    def digest(self, account_id: str) -> bytes:
        """SHA-256 of account and brief: two triggers with the same one ask for the same thing."""
        canonical = json.dumps([account_id, asdict(self)], ensure_ascii=True, sort_keys=True)
        return hashlib.sha256(canonical.encode()).digest()


def check(brief: Brief, account: database.Row) -> database.Row:
    """The project type of the brief. InvalidRequest: an id that names nothing of this account."""
    wrong = {}
    if brief.language_id not in reference.languages():
        wrong["languageId"] = ["No such language; GET /v1/languages lists those that can be narrated."]
    if brief.country_id not in reference.countries():
        wrong["countryId"] = ["No such country; GET /v1/countries lists them."]
    _check_avatar(brief, account, wrong)
    slug = brief.project_type or account["default_project_type"]
    found = database.row("SELECT * FROM project_types WHERE account_id = ? AND slug = ?", (account["id"], slug))
    if found is None:
        wrong["projectTypeSlug"] = ["No such project type of this account; its projectTypes lists them."]
    if wrong:
        raise InvalidRequest("; ".join(f"{name}: {texts[0]}" for name, texts in wrong.items()), fields=wrong)
    return found


def _check_avatar(brief: Brief, account: database.Row, wrong: dict) -> None:
    avatar = database.row("SELECT customer_id, language_ids FROM avatars WHERE id = ?", (brief.avatar_id,))
    if avatar is None or avatar["customer_id"] != account["customer_id"]:
        wrong["avatarId"] = ["No such avatar of this account; its avatars lists them."]
    elif avatar["language_ids"] and brief.language_id not in json.loads(avatar["language_ids"]):
        wrong["avatarId"] = ["This avatar does not speak that language; its languageIds lists those that it does."]


def title(template: str, topic: str, subject: str | None) -> str:
    """The title: ``{topic}`` and ``{subject}`` of the template replaced in one pass, so that neither can name the other."""
    words = {"{topic}": topic, "{subject}": subject or ""}
    return re.sub(r"\{topic\}|\{subject\}", lambda found: words[found.group()], template)
