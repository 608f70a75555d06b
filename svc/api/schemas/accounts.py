"""Accounts, languages, countries, and what a key is."""

from marshmallow import Schema, fields

from svc.api.schemas.common import listing
from svc.api.schemas.fields import count, identifier, text, time


class ProjectType(Schema):
    slug = text(example="explainer")
    name = text()
    requiresSubjectOverride = fields.Boolean()


class Avatar(Schema):
    avatarId = identifier()
    name = text()
    languageIds = fields.List(identifier(), allow_none=True, metadata={"description": "null: every language."})


class Platform(Schema):
    platform = text(example="Watch")
    status = text(example="Connected")


class Account(Schema):
    accountId = identifier()
    name = text()
    status = text(description="`Active`, `Pilot`, `Suspended` or `Closed`.")
    environment = text(description="`live` or `sandbox`.")
    defaultProjectTypeSlug = text()
    projectTypes = fields.List(fields.Nested(ProjectType))
    avatars = fields.List(fields.Nested(Avatar))
    connectedPlatforms = fields.List(fields.Nested(Platform))
    createdAt = time()


class Language(Schema):
    languageId = identifier()
    code = text(description="BCP 47.", example="en")
    name = text(example="English")


class Country(Schema):
    countryId = identifier()
    code = text(description="ISO 3166-1 alpha-2.", example="US")
    name = text(example="United States")


class Limits(Schema):
    requestsPerMinute = count()
    requestsPerDay = fields.Integer(allow_none=True)
    dailyProductionsPerAccount = fields.Integer(allow_none=True)


class Verification(Schema):
    partnerId = identifier()
    partnerName = text()
    partnerStatus = text()
    tier = text(description="`Free`, `Standard` or `Enterprise`.")
    environment = text(description="`live` or `test`.")
    keyName = text()
    keyPrefix = text()
    scopes = fields.List(fields.String(), allow_none=True, metadata={"description": "null: all scopes."})
    permittedAccountIds = fields.List(identifier(), allow_none=True)
    selfServeKeyRotationEnabled = fields.Boolean()
    selfServeLifecycleEnabled = fields.Boolean()
    keyExpiresAt = fields.String(allow_none=True, metadata={"format": "date-time"})
    limits = fields.Nested(Limits)
    apiKey = fields.String(allow_none=True, metadata={"description": "The key, on its first verify; null ever after."})


class Rotation(Schema):
    apiKey = text(description="The new key, shown once.")
    keyPrefix = text()
    activeFrom = time()
    previousKeyPrefix = text()
    previousKeyExpiresAt = time(description="The end of the old key's 24-hour grace period.")


class Nothing(Schema):
    """No body, or an empty object."""

    may_be_absent = True


AccountList = listing(Account, "AccountList")
LanguageList = listing(Language, "LanguageList")
CountryList = listing(Country, "CountryList")
