"""Schemas of accounts, languages, countries and keys."""

from marshmallow import Schema, fields, validate

from svc.api.schemas.common import make_list_envelope
from svc.api.schemas.fields import (
    WholeNumber,
    flag,
    identifier,
    make_response_field,
    text,
    time,
)
from svc.domain import scopes, tiers
from svc.domain.watch import portal

_ACCOUNT_STATES = ("Active", "Pilot", "Suspended", "Closed")


class ProjectType(Schema):
    slug = text(description="What a brief sends as `projectTypeSlug`.", example="explainer")
    name = text(description="Its name for people.", example="Explainer")
    requiresSubjectOverride = flag(
        description="Whether a brief must send `subjectOverride`.", example=False
    )


class Avatar(Schema):
    avatarId = identifier(description="What a brief sends as `avatarId`.")
    name = text(description="Its name for people.", example="Ada")
    languageIds = fields.List(
        identifier(),
        allow_none=True,
        metadata={"description": "The languages that it speaks; null: all.", "example": None},
    )


class Platform(Schema):
    platform = text(description="A place to which productions are published.", example="Watch")
    status = text(
        description="`Connected` if productions are published to it.", example="Connected"
    )


class Account(Schema):
    accountId = identifier(description="The account.")
    name = text(description="Its name for people.", example="Demo channel")
    status = text(
        one_of=_ACCOUNT_STATES,
        description="Productions can be triggered in `Active` and `Pilot`.",
        example="Active",
    )
    environment = text(
        one_of=("live", "sandbox"),
        description="Live keys reach live accounts, test keys sandbox accounts.",
        example="live",
    )
    defaultProjectTypeSlug = text(
        description="The project type of a brief without `projectTypeSlug`.", example="explainer"
    )
    projectTypes = fields.List(
        fields.Nested(ProjectType),
        metadata={"description": "What a brief may name as its project type."},
    )
    avatars = fields.List(
        fields.Nested(Avatar), metadata={"description": "Who can present a production."}
    )
    connectedPlatforms = fields.List(
        fields.Nested(Platform), metadata={"description": "Where productions are published."}
    )
    createdAt = time(description="When the account was created.")


class Language(Schema):
    languageId = identifier(
        description="What a brief sends as `languageId`; the same on every installation."
    )
    code = text(description="BCP 47.", example="en")
    name = text(description="In English.", example="English")


class Country(Schema):
    countryId = identifier(
        description="What a brief sends as `countryId`; the same on every installation."
    )
    code = text(description="ISO 3166-1 alpha-2.", example="US")
    name = text(description="In English.", example="United States")


class Limits(Schema):
    """Its fields are declared in svc.domain.tiers."""

    class Meta:
        include = {
            how.name: make_response_field(how, is_nullable=is_nullable, schemas={})
            for how, is_nullable in tiers.SHOWN.values()
        }


class NewPortalLink(Schema):
    """An absent body means the default."""

    may_be_absent = True
    expiresInMinutes = WholeNumber(
        strict=True,
        load_default=portal.MINUTES,
        metadata={
            "description": "How long the link is valid; it ends earlier with its key.",
            "example": portal.MINUTES,
            "minimum": 1,
            "maximum": portal.MOST_MINUTES,
        },
        validate=validate.Range(1, portal.MOST_MINUTES),
    )


class PortalLink(Schema):
    url = text(
        description=(
            "The address of the page. Whoever has it sees the page: give it to one customer, "
            "over https."
        ),
        example="https://media.example.com/portal/AZCmtXwefT0qh5gPWxqNLk8BkKa1fB59Op-fPFuKHS5P",
        format="uri",
    )
    expiresAt = time(description="When the link ends.")


class Verification(Schema):
    partnerId = identifier(description="The partner whose key this is.")
    partnerName = text(description="The partner's name.", example="Demo partner")
    partnerStatus = text(description="`Active` for any call to succeed.", example="Active")
    tier = text(one_of=tuple(tiers.TIERS), description="Decides the limits.", example="Standard")
    environment = text(
        one_of=("live", "test"), description="Which accounts the key reaches.", example="live"
    )
    keyName = text(
        description="The name given when the key was created.", example="Production server"
    )
    keyPrefix = text(
        description="The first characters of the key, which may be displayed.",
        example="svc_live_h3Xk0q",
    )
    scopes = fields.List(
        text(example=scopes.READ),
        allow_none=True,
        metadata={"description": "The permissions of the key; null: all."},
    )
    permittedAccountIds = fields.List(
        identifier(),
        allow_none=True,
        metadata={
            "description": "The accounts that the key may address; null: all of its environment."
        },
    )
    selfServeKeyRotationEnabled = flag(
        description="Whether the key may be rotated through the API.", example=True
    )
    selfServeLifecycleEnabled = flag(
        description="Whether webhooks may be reinstated through the API.", example=True
    )
    keyExpiresAt = time(
        nullable=True,
        description="When the key expires, as set on creation or by rotation; null: never.",
        example=None,
    )
    allowedRanges = fields.List(
        text(example="192.0.2.0/24"),
        allow_none=True,
        metadata={
            "description": "The address ranges from which the key may be used; null: any.",
            "example": None,
        },
    )
    limits = fields.Nested(Limits, metadata={"description": "The limits of the tier."})
    apiKey = text(
        nullable=True,
        description=(
            "The key itself on its first verify, or the live key of an activation key; null "
            "afterwards."
        ),
        example=None,
    )


class Rotation(Schema):
    apiKey = text(description="The new key, shown only here.", example="<API_KEY>")
    keyPrefix = text(description="The first characters of the new key.", example="svc_live_h3Xk0q")
    activeFrom = time(description="When the new key becomes valid: immediately.")
    previousKeyPrefix = text(
        description="The first characters of the old key.", example="svc_live_9cTb2w"
    )
    previousKeyExpiresAt = time(
        description="The end of the old key's 24-hour grace period.",
        example="2026-11-21T09:30:00.000Z",
    )


AccountList = make_list_envelope(Account, "AccountList")
LanguageList = make_list_envelope(Language, "LanguageList")
CountryList = make_list_envelope(Country, "CountryList")
