"""The brief of a production, and its checks against the account."""

import functools
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from svc.base import looks, voices
from svc.base.api_fields import Option, TextRule, list_options
from svc.base.errors import InvalidRequest
from svc.base.text.languages import FURTHER
from svc.domain import locales
from svc.domain.tables.partners import BriefedAccount
from svc.domain.tables.productions import BriefedProduction, Production
from svc.store.expressions import JOIN, fn
from svc.store.models import partners, productions
from svc.store.queries import Prepared, slot
from svc.store.read_cache import ReadCache

TOPIC = TextRule(1, 500, trim=True)
SUBJECT = TextRule(1, 200, trim=True)
EXTERNAL_ID = TextRule(1, 200, trim=True)
MOST_LANGUAGES = 50  # of a brief, besides its own
MOST_CAPTION_LANGUAGES = 10
METADATA = TextRule(0, 4096, trim=False)  # specification, "Other constants"
PROJECT_TYPE = TextRule(1, 100, trim=False)

_PLACES = re.compile(r"\{topic\}|\{subject\}")  # in a title template
_accounts = ReadCache("estate")  # rows of _CHECKED
_ACCOUNT, _TYPE, _AVATAR = partners.Account, partners.ProjectType, partners.Avatar
_CHECKED = Prepared(
    _ACCOUNT.select(
        _ACCOUNT,
        partners.Customer.monthly_ceiling.alias("customer_monthly_ceiling"),
        partners.Customer.concurrency_ceiling.alias("customer_concurrency_ceiling"),
        partners.Partner.tier,
        partners.Partner.status.alias("partner_status"),
        _TYPE.slug.alias("project_type"),
        _TYPE.title_template,
        _TYPE.price,
        _AVATAR.id.alias("avatar_id"),
        _AVATAR.language_ids.alias("avatar_languages"),
        _AVATAR.appearance.alias("avatar_appearance"),
    )
    .join_from(_ACCOUNT, partners.Customer, on=partners.Customer.id == _ACCOUNT.customer_id)
    .join_from(_ACCOUNT, partners.Partner, on=partners.Partner.id == _ACCOUNT.partner_id)
    .join_from(
        _ACCOUNT,
        _TYPE,
        JOIN.LEFT_OUTER,
        on=(_TYPE.account_id == _ACCOUNT.id)
        & (_TYPE.slug == fn.coalesce(slot("project_type"), _ACCOUNT.default_project_type)),
    )
    .join_from(
        _ACCOUNT,
        _AVATAR,
        JOIN.LEFT_OUTER,
        on=(_AVATAR.id == slot("avatar_id")) & (_AVATAR.customer_id == _ACCOUNT.customer_id),
    )
    .where(_ACCOUNT.id == slot("account_id")),
    BriefedAccount,
)
_PRODUCTION = productions.Production


def _of_brand(query: Any, model: Any) -> Any:
    """Return a query with the file of the account that a production may have of a kind."""
    return query.join_from(
        _PRODUCTION, model, JOIN.LEFT_OUTER, on=model.account_id == _PRODUCTION.account_id
    )


_BRANDED = (
    _PRODUCTION.select(
        _PRODUCTION,
        _ACCOUNT.name.alias("account_name"),
        _ACCOUNT.accent,
        _ACCOUNT.second_colour,
        fn.coalesce(_PRODUCTION.theme, _ACCOUNT.theme).alias("video_theme"),
        _ACCOUNT.caption_style,
        _ACCOUNT.full_text,
        _ACCOUNT.music,
        _ACCOUNT.logo,
        _ACCOUNT.logo_style,
        _ACCOUNT.lower_third,
        partners.BrandFont.file.alias("font"),
        partners.MusicTrack.file.alias("track"),
        partners.MusicTrack.licence.alias("track_licence"),
        partners.IntroClip.file.alias("intro"),
        partners.IntroClip.licence.alias("intro_licence"),
        partners.OutroClip.file.alias("outro"),
        partners.OutroClip.licence.alias("outro_licence"),
        _AVATAR.name.alias("avatar_name"),
        _AVATAR.appearance,
        _AVATAR.portrait,
        _AVATAR.moving,
        fn.coalesce(_PRODUCTION.look, _TYPE.look).alias("video_look"),
    )
    .join_from(_PRODUCTION, _ACCOUNT, on=_ACCOUNT.id == _PRODUCTION.account_id)
    .join_from(_PRODUCTION, _AVATAR, on=_AVATAR.id == _PRODUCTION.avatar_id)
    .join_from(
        _PRODUCTION,
        _TYPE,
        JOIN.LEFT_OUTER,
        on=(_TYPE.account_id == _PRODUCTION.account_id) & (_TYPE.slug == _PRODUCTION.project_type),
    )
)
for _model in (partners.BrandFont, partners.MusicTrack, partners.IntroClip, partners.OutroClip):
    _BRANDED = _of_brand(_BRANDED, _model)
_COMPLETE = Prepared(_BRANDED.where(_PRODUCTION.id == slot("id")), BriefedProduction)


# The fields that briefs had from the first release on: see Brief.digest.
_FIRST = frozenset(
    (
        "topic",
        "language_id",
        "country_id",
        "avatar_id",
        "project_type",
        "metadata_md",
        "subject_override",
    )
)


@dataclass(frozen=True)
class Brief:
    """What a partner asks a production to be. An attribute with an :class:`Option` is one of
    :data:`OPTIONS`, which the API, templates, forms and agents' tools offer, and which the column
    of its name keeps.
    """

    topic: str
    language_id: str
    country_id: str
    avatar_id: str
    project_type: str | None = None  # None: the account's default
    metadata_md: str | None = None
    subject_override: str | None = None
    external_id: str | None = None  # the partner's own reference
    review: str | None = None  # "script" or "none"; None: as the account has it
    further_languages: tuple[str, ...] = ()  # languageIds besides the first: a production for each
    # Who translates into those languages: "people" or "model"; None: the model, where one is
    # configured.
    translation: str | None = None
    look: Annotated[
        str | None,
        Option(
            "look",
            looks.LOOK_NAMES,
            "What the video looks like; by default as its project type has it.",
            label="Look",
            unset="As the project type has it",
        ),
    ] = None
    theme: Annotated[
        str | None,
        Option(
            "theme",
            looks.THEMES,
            "Dark or light; by default as the account has it.",
            label="Theme",
            unset="As the account has it",
        ),
    ] = None
    # The languageIds into which the model translates the captions.
    caption_languages: tuple[str, ...] = ()
    group_id: str | None = None  # of the productions that are the same in several languages
    # The language of the texts, where it is another one than ``language_id``.
    translated_from: str | None = None

    @property
    def length(self) -> int:
        """The number of characters of text to be spoken."""
        return len(self.topic) + len(self.subject_override or "") + len(self.metadata_md or "")

    @property
    def languages(self) -> list[str]:
        """The languages of the productions that are made of it, that of its texts first."""
        return [
            self.language_id,
            *(each for each in self.further_languages if each != self.language_id),
        ]

    def split_by_language(self, group_id: str) -> list["Brief"]:
        """Return a brief for each language, the language of its texts first.

        ``group_id``: of all, if there are several.
        """
        if not self.further_languages:
            return [self]
        first = replace(self, further_languages=(), group_id=group_id)
        others = (
            replace(first, language_id=each, translated_from=self.language_id)
            for each in self.languages[1:]
        )
        return [first, *others]

    def digest(self, account_id: str) -> bytes:
        """Return the SHA-256 of account and brief: equal digests mean equal requests."""
        # keeps digests valid that a release without the later attributes made
        fields = {name: value for name, value in vars(self).items() if value or name in _FIRST}
        canonical = json.dumps([account_id, fields], ensure_ascii=True, sort_keys=True)
        return hashlib.sha256(canonical.encode()).digest()


#: The options of a brief, by their attributes.
OPTIONS = list_options(Brief)


def read(fields: dict[str, Any]) -> Brief:
    """Return the brief whose fields were kept as JSON."""
    several = {name: tuple(fields[name]) for name in ("further_languages", "caption_languages")}
    return Brief(**(fields | several))


def check(brief: Brief, account_id: str) -> BriefedAccount:
    """Check the ids of a brief; return its account with the customer's ceilings, the partner's tier
    and the project type.

    Inside the transaction that triggers. InvalidRequest: an id is unknown for this account.
    """
    account = find_account(brief, account_id)
    errors = {}
    language = "languageIds" if brief.translated_from else "languageId"
    offered = locales.list_offered_languages()
    if brief.language_id not in offered:
        errors[language] = ["No such language; GET /v1/languages lists those that can be narrated."]
    if unknown := [each for each in brief.caption_languages if each not in offered]:
        errors["captionLanguageIds"] = [
            f"There is no language {unknown[0]}; GET /v1/languages lists them."
        ]
    if brief.country_id not in locales.list_countries():
        errors["countryId"] = ["No such country; GET /v1/countries lists them."]
    if account["avatar_id"] is None:
        errors["avatarId"] = [
            f"The account has no such avatar; GET /v1/accounts/{account_id} lists its avatars."
        ]
    elif account["avatar_languages"] and brief.language_id not in json.loads(
        account["avatar_languages"]
    ):
        spoken = (
            locales.list_languages()[brief.language_id]["code"]
            if brief.translated_from
            else "that language"
        )
        errors["avatarId"] = [
            f"This avatar does not speak {spoken}; its languageIds lists the languages it speaks."
        ]
    if account["project_type"] is None:
        errors["projectTypeSlug"] = [
            f"The account has no such project type; GET /v1/accounts/{account_id} lists them as "
            "projectTypes."
        ]
    if errors:
        raise InvalidRequest.from_fields(errors)
    return account


def find_account(brief: Brief, account_id: str) -> BriefedAccount:
    """Return the same row as :func:`check`, unchecked: the columns of a missing avatar or project
    type are None.
    """
    return _accounts.get(
        (account_id, brief.project_type, brief.avatar_id),
        lambda: _CHECKED.one(
            account_id=account_id, project_type=brief.project_type, avatar_id=brief.avatar_id
        ),
    )


def load_production(production_id: str) -> BriefedProduction:
    """Return the row of a production with the columns of its account's brand,
    avatar and project type that the media need.
    """
    return _COMPLETE.one(id=production_id)


def rebuild_brief(row: Production, translated_from: str | None) -> Brief:
    """Return the brief of a production, to trigger it again.

    ``translated_from``: the language of a brief whose translation was still awaited.
    """
    columns: Mapping[str, Any] = row
    brief = Brief(
        row["topic"],
        row["language_id"],
        row["country_id"],
        row["avatar_id"],
        row["project_type"],
        row["metadata_md"],
        row["subject_override"],
        row["external_id"],
        "script" if row["review"] else "none",
        caption_languages=tuple(json.loads(row["caption_languages"] or "[]")),
        group_id=row["group_id"],
        **{option: columns[option] for option in OPTIONS},
    )
    return (
        replace(brief, translated_from=translated_from, translation="people")
        if translated_from
        else brief
    )


def find_voice_model(account: BriefedAccount, brief: Brief) -> str | None:
    """Return the model of the voice that a brief wants, if it is not on every machine.

    ``account``: of :func:`check`.
    """
    return _voice_model(account["avatar_appearance"], brief.language_id)


@functools.lru_cache(maxsize=256)  # most triggers of an avatar are in one language
def _voice_model(appearance: str | None, language_id: str) -> str | None:
    looks = json.loads(appearance or "{}")
    code = locales.list_languages()[language_id]["code"]
    if code in FURTHER:  # a process that speaks it has what it needs: it waits for no other
        return None
    return voices.find_optional_model(code, looks.get("speaker", ""), looks.get("voice", ""))


def make_title(account: BriefedAccount, brief: Brief) -> str:
    """Return the title for a brief. ``account``: as returned by :func:`find_account`."""
    return fill_title(account["title_template"] or "{topic}", brief.topic, brief.subject_override)


def fill_title(template: str, topic: str, subject: str | None) -> str:
    """Return ``template`` with ``{topic}`` and ``{subject}`` replaced in one pass,
    so that neither can refer to the other.
    """
    words = {"{topic}": topic, "{subject}": subject or ""}
    return _PLACES.sub(lambda match: words[match.group()], template)
