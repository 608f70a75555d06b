"""What the API takes and gives, as typed dictionaries. Written by sdk/generate.py; do not edit."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


ProductionStatus: TypeAlias = Literal[
    "Queued",
    "Producing",
    "AwaitingApproval",
    "Distributing",
    "Published",
    "Failed",
    "Cancelled",
]


HoldReason: TypeAlias = Literal["ScriptReview", "Translation"]


StepStatus: TypeAlias = Literal[
    "Pending", "Running", "Completed", "Failed", "Cancelled"
]


PublicationStatus: TypeAlias = Literal[
    "Pending", "Publishing", "Published", "Failed", "Withdrawn"
]


BatchStatus: TypeAlias = Literal["Open", "Finished"]


DeliveryStatus: TypeAlias = Literal[
    "Pending", "Succeeded", "Failed", "Parked", "Skipped"
]


SubscriptionStatus: TypeAlias = Literal["Active", "Failed"]


AccountStatus: TypeAlias = Literal["Active", "Pilot", "Suspended", "Closed"]


DeliverableType: TypeAlias = Literal[
    "Video", "ClosedCaptions", "AudioDescription", "Transcript", "ComplianceCertificate"
]


EventType: TypeAlias = Literal[
    "batch.completed",
    "deliverable.ready",
    "production.awaiting_approval",
    "production.cancelled",
    "production.distributing",
    "production.expiring",
    "production.failed",
    "production.published",
    "production.queued",
    "production.script.ready",
    "production.step.complete",
    "usage.threshold",
    "webhook.ping",
    "webhook.test",
]


class Error(TypedDict):
    error: str
    """Machine-readable code."""

    message: str
    """What is wrong with the request, and how to fix it."""

    retryAfterSeconds: int | None
    """Seconds to wait; on 429 and 503, else null."""

    correlationId: str
    """Trace identifier to quote to support; also in `X-Correlation-Id`."""

    fields: NotRequired[dict[str, list[str]]]
    """On validation errors: field name to messages."""


class Nothing(TypedDict):
    pass


class LexiconEntry(TypedDict):
    written: str
    """The word as it is written, or several. With a capital letter: only this form; without: every form."""

    spoken: str
    """What is said instead, with at least as many words."""


class NewLexicon(TypedDict):
    entries: list[LexiconEntry]
    """The whole lexicon, at most 500 entries; none to empty it."""


class NewPortalLink(TypedDict):
    expiresInMinutes: NotRequired[int]
    """How long the link is valid; it ends earlier with its key."""


class Brief(TypedDict):
    topic: str
    """What the production is about."""

    languageId: NotRequired[str]
    """A `languageId` of `GET /v1/languages`; or send `language`."""

    language: NotRequired[str]
    """A `code` of `GET /v1/languages`, in place of `languageId`."""

    countryId: NotRequired[str]
    """A `countryId` of `GET /v1/countries`; or send `country`."""

    country: NotRequired[str]
    """A `code` of `GET /v1/countries`, in place of `countryId`."""

    avatarId: str
    """An `avatarId` of the account."""

    projectTypeSlug: NotRequired[str | None]
    """A project type of the account; by default the account's default."""

    metadataMD: NotRequired[str | None]
    """Notes in Markdown: headings become scenes, list items become points, prose becomes narration."""

    subjectOverride: NotRequired[str | None]
    """Required when the project type's title template names `{subject}`."""

    externalId: NotRequired[str | None]
    """Your own reference, such as an order number. Not unique: several productions may have one."""

    review: NotRequired[Literal["script", "none"] | None]
    """`script`: the production stops after its script, until that is approved; `none`: it does not. By default as the account has it."""

    look: NotRequired[
        Literal[
            "explainer", "short", "news", "editorial", "playful", "product", "scenes"
        ]
        | None
    ]
    """What the video looks like; by default as its project type has it."""

    theme: NotRequired[Literal["dark", "light"] | None]
    """Dark or light; by default as the account has it."""

    languageIds: NotRequired[list[str]]
    """Further languages: a production for each besides `languageId`, in which the brief is written; all or none, with one `groupId`."""

    languages: NotRequired[list[str]]
    """A `code` of `GET /v1/languages` for each, in place of `languageIds`."""

    translation: NotRequired[Literal["people", "model"] | None]
    """Who translates into `languageIds`: `people`, whom each production awaits; `model`: the model that writes scripts writes each in its language. By default the model, where one is configured."""

    captionLanguageIds: NotRequired[list[str]]
    """Languages into which the model that writes scripts translates the captions; the production's own is left out. Each becomes a SubRip and a WebVTT file among the deliverables."""

    captionLanguages: NotRequired[list[str]]
    """A `code` of `GET /v1/languages` for each, in place of `captionLanguageIds`."""


class Registration(TypedDict):
    endpointUrl: str
    """Where events are posted to: https, a public address."""

    eventTypes: list[EventType]
    """At least one of: production.queued, production.step.complete, production.awaiting_approval, production.distributing, production.published, production.failed, production.cancelled, deliverable.ready, webhook.ping, batch.completed, production.script.ready, production.expiring, usage.threshold."""

    accountIds: NotRequired[list[str] | None]
    """Only events of these accounts; at most 50; empty: as if left out."""

    accountScopeId: NotRequired[str | None]
    """Only events of this account."""


class WebhookChange(TypedDict):
    endpointUrl: NotRequired[str]
    """Where events are posted to from now on, also those that are queued: https, a public address."""

    eventTypes: NotRequired[list[EventType]]
    """All event types to hear from now on."""


class Roll(TypedDict):
    overlapHours: NotRequired[int]
    """How long the old secret also signs; 0: only the new one signs, immediately."""


class SampleEvent(TypedDict):
    eventType: NotRequired[
        Literal[
            "production.queued",
            "production.step.complete",
            "production.awaiting_approval",
            "production.distributing",
            "production.published",
            "production.failed",
            "production.cancelled",
            "deliverable.ready",
            "webhook.ping",
            "batch.completed",
            "production.script.ready",
            "production.expiring",
            "usage.threshold",
        ]
    ]
    """Send a sample of this type, with the nil UUID as its production."""


Window = TypedDict(
    "Window",
    {
        "from": str,
        "to": NotRequired[str | None],
        "productionId": NotRequired[str | None],
        "missed": NotRequired[bool],
    },
)


class BatchOrder(TypedDict):
    mode: NotRequired[Literal["each", "atomic"]]
    """`each`: accept or refuse brief by brief; `atomic`: trigger all of them or none."""

    items: list[Brief]
    """The briefs, at most 1,000."""


class TemplateBrief(TypedDict):
    topic: str
    """As in a brief."""

    languageId: NotRequired[str]
    """A `languageId` of `GET /v1/languages`; or send `language`."""

    language: NotRequired[str]
    """A `code` of `GET /v1/languages`, in place of `languageId`."""

    countryId: NotRequired[str]
    """A `countryId` of `GET /v1/countries`; or send `country`."""

    country: NotRequired[str]
    """A `code` of `GET /v1/countries`, in place of `countryId`."""

    avatarId: str
    """As in a brief."""

    projectTypeSlug: NotRequired[str | None]
    """As in a brief."""

    metadataMD: NotRequired[str | None]
    """As in a brief."""

    subjectOverride: NotRequired[str | None]
    """As in a brief."""

    externalId: NotRequired[str | None]
    """As in a brief."""

    review: NotRequired[Literal["script", "none"] | None]
    """As in a brief."""

    look: NotRequired[
        Literal[
            "explainer", "short", "news", "editorial", "playful", "product", "scenes"
        ]
        | None
    ]
    """As in a brief."""

    theme: NotRequired[Literal["dark", "light"] | None]
    """As in a brief."""

    languageIds: NotRequired[list[str]]
    """Further languages: a production for each besides `languageId`, in which the brief is written; all or none, with one `groupId`."""

    languages: NotRequired[list[str]]
    """A `code` of `GET /v1/languages` for each, in place of `languageIds`."""

    translation: NotRequired[Literal["people", "model"] | None]
    """As in a brief."""

    captionLanguageIds: NotRequired[list[str]]
    """Languages into which the model that writes scripts translates the captions; the production's own is left out. Each becomes a SubRip and a WebVTT file among the deliverables."""

    captionLanguages: NotRequired[list[str]]
    """A `code` of `GET /v1/languages` for each, in place of `captionLanguageIds`."""


class Variable(TypedDict):
    name: str
    """As it stands between `{{` and `}}`."""

    type: NotRequired[Literal["text", "markdown", "number", "date", "choice"]]
    """`markdown` may have markup, in `metadataMD`; all others are plain text there."""

    required: NotRequired[bool]
    """Whether a value must be given where there is no default."""

    default: NotRequired[str | float | None]
    """The value where none is given."""

    choices: NotRequired[list[str]]
    """The values of the type `choice`."""

    example: NotRequired[str | float | None]
    """For people."""

    description: NotRequired[str]
    """For people."""


class NewTemplate(TypedDict):
    name: str
    """For people."""

    brief: TemplateBrief
    """The brief, with `{{variables}}` in its texts."""

    variables: NotRequired[list[Variable]]
    """All variables that the brief names."""


class PreviewValues(TypedDict):
    values: NotRequired[dict[str, str | float]]
    """Values by the name of their variable. One of the type `number` may be a number of JSON."""

    languageId: NotRequired[str | None]
    """In place of the template's."""

    language: NotRequired[str | None]
    """A `code` of `GET /v1/languages`, in place of `languageId`."""

    languageIds: NotRequired[list[str] | None]
    """Further languages: a production for each besides `languageId`, in which the brief is written; all or none, with one `groupId`."""

    languages: NotRequired[list[str] | None]
    """A `code` of `GET /v1/languages` for each, in place of `languageIds`."""

    countryId: NotRequired[str | None]
    """In place of the template's."""

    country: NotRequired[str | None]
    """A `code` of `GET /v1/countries`, in place of `countryId`."""

    avatarId: NotRequired[str | None]
    """In place of the template's."""

    externalId: NotRequired[str | None]
    """In place of the template's."""

    withScript: NotRequired[bool]
    """Whether the script is written, too; it takes a second or two."""


class Values(TypedDict):
    values: NotRequired[dict[str, str | float]]
    """Values by the name of their variable. One of the type `number` may be a number of JSON."""

    languageId: NotRequired[str | None]
    """In place of the template's."""

    language: NotRequired[str | None]
    """A `code` of `GET /v1/languages`, in place of `languageId`."""

    languageIds: NotRequired[list[str] | None]
    """Further languages: a production for each besides `languageId`, in which the brief is written; all or none, with one `groupId`."""

    languages: NotRequired[list[str] | None]
    """A `code` of `GET /v1/languages` for each, in place of `languageIds`."""

    countryId: NotRequired[str | None]
    """In place of the template's."""

    country: NotRequired[str | None]
    """A `code` of `GET /v1/countries`, in place of `countryId`."""

    avatarId: NotRequired[str | None]
    """In place of the template's."""

    externalId: NotRequired[str | None]
    """In place of the template's."""


class TableOrder(TypedDict):
    mode: NotRequired[Literal["each", "atomic"]]
    """`each`: accept or refuse brief by brief; `atomic`: trigger all of them or none."""

    csv: str
    """A table: the first line names the columns, which are variables of the template or `language` and `languages` (codes; several in a cell, with spaces between), `country`, `languageId`, `languageIds`, `countryId`, `avatarId` and `externalId`; each further line is a brief, at most 1,000."""


class SceneChange(TypedDict):
    sceneId: NotRequired[int | None]
    """A scene of the script; left out: a new one."""

    heading: NotRequired[str | None]
    """Its heading; left out, it stays as it is."""

    narration: NotRequired[str | None]
    """What is said; left out, it stays as it is."""

    points: NotRequired[list[str] | None]
    """List items; left out, it stays as it is. Those of a table or chart cannot be changed."""

    keyPhrase: NotRequired[str | None]
    """Words of the narration, or the heading, to show large; empty: all of it; left out, it stays as it is."""

    picture: NotRequired[str | None]
    """What its illustration shows, in a word or two; empty: none; left out, it stays as it is."""


class ScriptChange(TypedDict):
    version: int
    """The version that was changed; another one is refused."""

    scenes: list[SceneChange]
    """All scenes, in their order. One that is left out is removed."""


class SceneChoice(TypedDict):
    sceneId: int
    """A scene of the script."""


class Approval(TypedDict):
    version: NotRequired[int | None]
    """The version that was read; left out: the latest."""


class Rejection(TypedDict):
    version: NotRequired[int | None]
    """The version that was read; left out: the latest."""

    reason: NotRequired[str | None]
    """Why; it becomes `errorMessage`."""


class TranslatedSegment(TypedDict):
    segmentId: str
    """The segment."""

    target: str
    """Its translation."""


class NewTranslation(TypedDict):
    segments: NotRequired[list[TranslatedSegment] | None]
    """The translated segments, all of them; or send `xliff`."""

    xliff: NotRequired[str | None]
    """The XLIFF file with its targets filled in, in place of `segments`."""


class Limits(TypedDict):
    requestsPerMinute: int
    """Over a rolling window of 60 seconds."""

    requestsPerDay: int | None
    """To midnight UTC; null: unlimited."""

    dailyProductionsPerAccount: int | None
    """To midnight UTC; null: unlimited."""


class Verification(TypedDict):
    partnerId: str
    """The partner whose key this is."""

    partnerName: str
    """The partner's name."""

    partnerStatus: str
    """`Active` for any call to succeed."""

    tier: Literal["Free", "Standard", "Enterprise"]
    """Decides the limits."""

    environment: Literal["live", "test"]
    """Which accounts the key reaches."""

    keyName: str
    """The name given when the key was created."""

    keyPrefix: str
    """The first characters of the key, which may be displayed."""

    scopes: list[str] | None
    """The permissions of the key; null: all."""

    permittedAccountIds: list[str] | None
    """The accounts that the key may address; null: all of its environment."""

    selfServeKeyRotationEnabled: bool
    """Whether the key may be rotated through the API."""

    selfServeLifecycleEnabled: bool
    """Whether webhooks may be reinstated through the API."""

    keyExpiresAt: str | None
    """When the key expires, as set on creation or by rotation; null: never."""

    allowedRanges: list[str] | None
    """The address ranges from which the key may be used; null: any."""

    limits: Limits
    """The limits of the tier."""

    apiKey: str | None
    """The key itself on its first verify, or the live key of an activation key; null afterwards."""


class Rotation(TypedDict):
    apiKey: str
    """The new key, shown only here."""

    keyPrefix: str
    """The first characters of the new key."""

    activeFrom: str
    """When the new key becomes valid: immediately."""

    previousKeyPrefix: str
    """The first characters of the old key."""

    previousKeyExpiresAt: str
    """The end of the old key's 24-hour grace period."""


class ProjectType(TypedDict):
    slug: str
    """What a brief sends as `projectTypeSlug`."""

    name: str
    """Its name for people."""

    requiresSubjectOverride: bool
    """Whether a brief must send `subjectOverride`."""


class Avatar(TypedDict):
    avatarId: str
    """What a brief sends as `avatarId`."""

    name: str
    """Its name for people."""

    languageIds: list[str] | None
    """The languages that it speaks; null: all."""


class Platform(TypedDict):
    platform: str
    """A place to which productions are published."""

    status: str
    """`Connected` if productions are published to it."""


class Account(TypedDict):
    accountId: str
    """The account."""

    name: str
    """Its name for people."""

    status: AccountStatus
    """Productions can be triggered in `Active` and `Pilot`."""

    environment: Literal["live", "sandbox"]
    """Live keys reach live accounts, test keys sandbox accounts."""

    defaultProjectTypeSlug: str
    """The project type of a brief without `projectTypeSlug`."""

    projectTypes: list[ProjectType]
    """What a brief may name as its project type."""

    avatars: list[Avatar]
    """Who can present a production."""

    connectedPlatforms: list[Platform]
    """Where productions are published."""

    createdAt: str
    """When the account was created."""


class AccountList(TypedDict):
    data: list[Account]
    """The entries of this page."""

    hasMore: bool
    """Whether there is another page."""

    nextCursor: str | None
    """What to send as `cursor` for the next page; null on the last."""


class Pronunciation(TypedDict):
    written: str
    """The word as it is written, or several. With a capital letter: only this form; without: every form."""

    spoken: str
    """What is said instead, with at least as many words."""


class Lexicon(TypedDict):
    accountId: str
    """The account."""

    entries: list[Pronunciation]
    """In the order in which they were sent."""

    updatedAt: str | None
    """When it was last changed; null: never set."""


class PortalLink(TypedDict):
    url: str
    """The address of the page. Whoever has it sees the page: give it to one customer, over https."""

    expiresAt: str
    """When the link ends."""


class Language(TypedDict):
    languageId: str
    """What a brief sends as `languageId`; the same on every installation."""

    code: str
    """BCP 47."""

    name: str
    """In English."""


class LanguageList(TypedDict):
    data: list[Language]
    """The entries of this page."""

    hasMore: bool
    """Whether there is another page."""

    nextCursor: str | None
    """What to send as `cursor` for the next page; null on the last."""


class Country(TypedDict):
    countryId: str
    """What a brief sends as `countryId`; the same on every installation."""

    code: str
    """ISO 3166-1 alpha-2."""

    name: str
    """In English."""


class CountryList(TypedDict):
    data: list[Country]
    """The entries of this page."""

    hasMore: bool
    """Whether there is another page."""

    nextCursor: str | None
    """What to send as `cursor` for the next page; null on the last."""


class Publication(TypedDict):
    platform: str
    """The place."""

    status: PublicationStatus
    """How far its publication there is."""

    platformPostId: str | None
    """The post there; null until published, or if there is none."""


class BriefWarning(TypedDict):
    code: Literal[
        "PICTURE_NOT_FOUND", "NOTES_EMPTY", "CONTENT_SIMPLIFIED", "QUALITY_GATE_WARNING"
    ]
    """What it is about, for programs. `QUALITY_GATE_WARNING`, of finished productions alone: a quality gate is not sure of a file; the console shows the picture of the scene."""

    message: str
    """What will be left out or made otherwise, or what to look at, for people."""


class Production(TypedDict):
    productionId: str
    """The production."""

    accountId: str
    """The account that it belongs to."""

    status: ProductionStatus
    """`Published`, `Failed` and `Cancelled` are final."""

    title: str
    """Built from the topic with the title template of the project type."""

    topic: str
    """As it was triggered."""

    subjectOverride: str | None
    """As it was triggered."""

    languageId: str
    """As it was triggered."""

    countryId: str
    """As it was triggered."""

    avatarId: str
    """As it was triggered."""

    projectTypeSlug: str
    """As it was triggered, or the account's default."""

    metadataMD: str | None
    """As it was triggered."""

    apiTriggered: bool
    """Whether an API call triggered it; only then can the API cancel it."""

    stepsComplete: int
    """Pipeline steps completed."""

    stepsTotal: int
    """Pipeline steps in total."""

    currentStep: str | None
    """Label of the step that was completed last."""

    holdReason: HoldReason | None
    """Why it waits: `ScriptReview`: for its approval; `Translation`: for the translated brief; or null."""

    progressPercent: int
    """0 to 100."""

    estimatedCompletionAt: str | None
    """When the files should be there; null once they are."""

    errorCode: str | None
    """Why it failed, for programs; null unless it did."""

    errorMessage: str | None
    """Why it failed, for people."""

    failedStep: str | None
    """The name of the step that failed."""

    platforms: list[Publication]
    """One entry for each place."""

    pollAfterSeconds: int | None
    """Seconds until the next poll; null when terminal."""

    createdAt: str
    """When it was triggered."""

    updatedAt: str
    """When it last changed."""

    expiresAt: str | None
    """When it fails as `EXPIRED` unless it is being distributed; null if not of the API."""

    cancelRequestedAt: str | None
    """When its cancellation was requested."""

    externalId: str | None
    """Your own reference, as it was triggered."""

    look: str | None
    """As its brief had it; null: that of its project type."""

    theme: str | None
    """As its brief had it; null: that of the account."""

    captionLanguageIds: list[str]
    """Into which its captions are translated, as its brief had it."""

    revision: int
    """1, and one more for each correction after it was rendered."""

    groupId: str | None
    """Of the productions that are the same in several languages; or null."""

    warnings: list[BriefWarning]
    """What the accepted brief lacks or what will be simplified, and what a quality gate is not sure of in the finished files; empty if nothing."""


class ProductionList(TypedDict):
    data: list[Production]
    """The entries of this page."""

    hasMore: bool
    """Whether there is another page."""

    nextCursor: str | None
    """What to send as `cursor` for the next page; null on the last."""


class Step(TypedDict):
    name: str
    """The step."""

    status: StepStatus
    """How far the step is."""

    startedAt: str | None
    """When it was started."""

    completedAt: str | None
    """When it was completed."""


class ProductionWithSteps(TypedDict):
    productionId: str
    """The production."""

    accountId: str
    """The account that it belongs to."""

    status: ProductionStatus
    """`Published`, `Failed` and `Cancelled` are final."""

    title: str
    """Built from the topic with the title template of the project type."""

    topic: str
    """As it was triggered."""

    subjectOverride: str | None
    """As it was triggered."""

    languageId: str
    """As it was triggered."""

    countryId: str
    """As it was triggered."""

    avatarId: str
    """As it was triggered."""

    projectTypeSlug: str
    """As it was triggered, or the account's default."""

    metadataMD: str | None
    """As it was triggered."""

    apiTriggered: bool
    """Whether an API call triggered it; only then can the API cancel it."""

    stepsComplete: int
    """Pipeline steps completed."""

    stepsTotal: int
    """Pipeline steps in total."""

    currentStep: str | None
    """Label of the step that was completed last."""

    holdReason: HoldReason | None
    """Why it waits: `ScriptReview`: for its approval; `Translation`: for the translated brief; or null."""

    progressPercent: int
    """0 to 100."""

    estimatedCompletionAt: str | None
    """When the files should be there; null once they are."""

    errorCode: str | None
    """Why it failed, for programs; null unless it did."""

    errorMessage: str | None
    """Why it failed, for people."""

    failedStep: str | None
    """The name of the step that failed."""

    platforms: list[Publication]
    """One entry for each place."""

    pollAfterSeconds: int | None
    """Seconds until the next poll; null when terminal."""

    createdAt: str
    """When it was triggered."""

    updatedAt: str
    """When it last changed."""

    expiresAt: str | None
    """When it fails as `EXPIRED` unless it is being distributed; null if not of the API."""

    cancelRequestedAt: str | None
    """When its cancellation was requested."""

    externalId: str | None
    """Your own reference, as it was triggered."""

    look: str | None
    """As its brief had it; null: that of its project type."""

    theme: str | None
    """As its brief had it; null: that of the account."""

    captionLanguageIds: list[str]
    """Into which its captions are translated, as its brief had it."""

    revision: int
    """1, and one more for each correction after it was rendered."""

    groupId: str | None
    """Of the productions that are the same in several languages; or null."""

    warnings: list[BriefWarning]
    """What the accepted brief lacks or what will be simplified, and what a quality gate is not sure of in the finished files; empty if nothing."""

    steps: list[Step]
    """The pipeline's steps, in their order."""


class Event(TypedDict):
    eventType: EventType
    """What happened; `webhooks` below describes each."""

    productionId: str
    """The production."""

    accountId: str
    """Its account."""

    timestamp: str
    """When it happened."""

    sequenceNumber: int
    """From 1 within a production, without gaps; events that only some hear have numbers above 1,000,000,000."""

    correlationId: str
    """Of the request that caused it."""

    truncated: bool
    """True on a `deliverable.ready` with more than 100 deliverables."""

    data: dict[str, Any]
    """The payload of the event type."""


class EventList(TypedDict):
    data: list[Event]
    """The entries of this page."""

    hasMore: bool
    """Whether there is another page."""

    nextCursor: str | None
    """What to send as `cursor` for the next page; null on the last."""


class EventFeed(TypedDict):
    data: list[Event]
    """The entries of this page."""

    hasMore: bool
    """Whether there is another page."""

    nextCursor: str
    """What to send as `cursor` for the following events; always present."""

    pollAfterSeconds: int
    """Seconds until the next call; 0: immediately."""


class Deliverable(TypedDict):
    deliverableId: str
    """The deliverable."""

    type: DeliverableType
    """What it is."""

    platform: str | None
    """The place that it was made for; null: the production."""

    format: Literal["mp4", "srt", "vtt", "txt", "docx", "pdf"]
    """Its file format."""

    sasUrl: str
    """Download address, valid for one hour; needs no key."""

    sasExpiresAt: str
    """When that address expires."""

    sizeBytes: int
    """The size of the file."""

    sha256: str
    """SHA-256 of the file, in hex."""

    durationSeconds: float | None
    """How long it plays; null for documents."""

    language: str
    """BCP 47."""


class Description(TypedDict):
    platform: str
    """The place."""

    text: str
    """Title, summary, chapters, disclosure and hashtags, in the language of the video."""


class DeliverableList(TypedDict):
    data: list[Deliverable]
    """The entries of this page."""

    hasMore: bool
    """Whether there is another page."""

    nextCursor: str | None
    """What to send as `cursor` for the next page; null on the last."""

    productionId: str
    """The production."""

    descriptions: list[Description]
    """What stands beside the video at each place; empty until the files exist."""


class Figures(TypedDict):
    views: int | None
    """Plays with watched time; null: not measured."""

    uniqueViewers: int | None
    """Different viewers among them."""

    watchTimeSeconds: float | None
    """Watched time of all views."""

    averagePercentViewed: float | None
    """0 to 100; null without views."""


class PlatformFigures(TypedDict):
    views: int | None
    """Plays with watched time; null: not measured."""

    uniqueViewers: int | None
    """Different viewers among them."""

    watchTimeSeconds: float | None
    """Watched time of all views."""

    averagePercentViewed: float | None
    """0 to 100; null without views."""

    platform: str
    """The place."""

    platformPostId: str | None
    """The post there; null if the place gives none."""

    dataSource: str | None
    """`measured` or `imported`; null: not measured."""

    likes: int | None
    """Likes or favourites there; null: not counted, or not read."""

    shares: int | None
    """Shares or boosts there; null: not counted, or not read."""

    asOf: str | None
    """When imported figures were read at the place; null: they are not imported."""


class Day(TypedDict):
    date: str
    """A UTC date with views."""

    views: int
    """The views that began on it."""

    watchTimeSeconds: float
    """Watched time of these."""


class Performance(TypedDict):
    productionId: str
    """The production."""

    asOf: str
    """When the figures were read."""

    totals: Figures
    """Over the places that this server measures."""

    platforms: list[PlatformFigures]
    """One entry for each publication."""

    daily: list[Day]
    """Oldest first; days without views are left out."""


class Request(TypedDict):
    requestId: str
    """The request."""

    timestamp: str
    """When it was received."""

    method: str
    """Its HTTP method."""

    path: str
    """Its path, without the query."""

    statusCode: int | None
    """The status of the answer; null while it is being answered."""

    errorCode: str | None
    """`error` of the error envelope; null on success."""

    durationMs: float | None
    """How long the answer took."""

    keyPrefix: str
    """The first characters of the key."""

    correlationId: str
    """Its `X-Correlation-Id`."""

    count: int
    """How many alike it stands for: refusals that no budget bounds, such as 429, are counted by key, method, route, status and minute; 1 for every other request."""


class RequestList(TypedDict):
    data: list[Request]
    """The entries of this page."""

    hasMore: bool
    """Whether there is another page."""

    nextCursor: str | None
    """What to send as `cursor` for the next page; null on the last."""


class Money(TypedDict):
    ceiling: float | None
    """At most in a UTC month, in the operator's currency; null: none."""

    used: float
    """Spent and reserved in this month."""

    left: float | None
    """What a further production may cost; null: no ceiling."""


class Places(TypedDict):
    ceiling: int | None
    """At most; null: no ceiling."""

    used: int
    """Now."""

    left: int | None
    """What is left; null: no ceiling."""


class CustomerCeilings(TypedDict):
    monthlySpend: Money
    """Budget gate 2."""

    concurrentProductions: Places
    """Productions that have not ended."""


class AccountCeilings(TypedDict):
    accountId: str
    """The account."""

    monthlySpend: Money
    """Budget gate 1."""

    concurrentProductions: Places
    """Productions that have not ended."""

    dailyProductions: Places
    """Triggered since midnight UTC; the tier's ceiling."""

    customer: CustomerCeilings | None
    """Those of its customer, shared by its live accounts and, apart from them, by its sandboxes; null: the key is limited to some accounts."""


class RequestCounts(TypedDict):
    total: int
    """All requests."""

    status2xx: int
    """Answered 2xx."""

    status4xx: int
    """Answered 4xx."""

    status5xx: int
    """Answered 5xx."""

    rateLimited: int
    """Answered 429; counted in `status4xx` too."""


class ProductionCounts(TypedDict):
    triggered: int
    """Triggered in the month."""

    published: int
    """Published in the month."""

    failed: int
    """Failed in the month."""

    cancelled: int
    """Cancelled in the month."""


class DeliveryCounts(TypedDict):
    succeeded: int
    """Webhook deliveries that were answered 2xx."""

    failed: int
    """Webhook deliveries that failed, including all retries."""


class AccountUsage(TypedDict):
    accountId: str
    """The account."""

    productions: ProductionCounts
    """Its productions."""

    renderedSeconds: float
    """Length of its videos."""

    spend: float
    """In the operator's currency."""


class UsageMonth(TypedDict):
    requests: RequestCounts
    """API requests by the status of their answers."""

    productions: ProductionCounts
    """Productions by their outcome."""

    renderedSeconds: float
    """Length of the videos."""

    webhookDeliveries: DeliveryCounts
    """Webhook deliveries that ended."""

    spend: float
    """In the operator's currency, of the accounts that the key may access."""

    sandboxSpend: float
    """What productions of sandboxes would have cost. It is no part of what live accounts spend, nor of any budget of theirs. A test key sees its own, in `spend`, too."""

    month: str
    """A UTC month."""

    byAccount: list[AccountUsage]
    """By account, without accounts that have none."""


class UsageSums(TypedDict):
    requests: RequestCounts
    """API requests by the status of their answers."""

    productions: ProductionCounts
    """Productions by their outcome."""

    renderedSeconds: float
    """Length of the videos."""

    webhookDeliveries: DeliveryCounts
    """Webhook deliveries that ended."""

    spend: float
    """In the operator's currency, of the accounts that the key may access."""

    sandboxSpend: float
    """What productions of sandboxes would have cost. It is no part of what live accounts spend, nor of any budget of theirs. A test key sees its own, in `spend`, too."""


Usage = TypedDict(
    "Usage",
    {
        "from": str,
        "to": str,
        "tier": Literal["Free", "Standard", "Enterprise"],
        "limits": Limits,
        "ceilings": list[AccountCeilings],
        "months": list[UsageMonth],
        "totals": UsageSums,
    },
)


class NewSubscription(TypedDict):
    subscriptionId: str
    """The webhook."""

    endpointUrl: str
    """Where events are posted to."""

    eventTypes: list[EventType]
    """The subscribed event types."""

    accountIds: list[str] | None
    """The accounts whose events are sent; null: see `accountScopeId`."""

    accountScopeId: str | None
    """The one account whose events are sent; both null: all accounts of the key."""

    status: SubscriptionStatus
    """`Failed` after 10 consecutive failures."""

    pausedAt: str | None
    """Since when its deliveries wait; null: they are sent."""

    failureCount: int
    """Consecutive failed deliveries."""

    lastDeliveryAt: str | None
    """The time of the last delivery."""

    createdAt: str
    """When it was registered."""

    signingSecret: str
    """Base64url; decoded, it is the key of the signatures. Shown only here."""

    standardWebhooksSecret: str
    """The same secret in the form of Standard Webhooks. Shown only here."""


class Subscription(TypedDict):
    subscriptionId: str
    """The webhook."""

    endpointUrl: str
    """Where events are posted to."""

    eventTypes: list[EventType]
    """The subscribed event types."""

    accountIds: list[str] | None
    """The accounts whose events are sent; null: see `accountScopeId`."""

    accountScopeId: str | None
    """The one account whose events are sent; both null: all accounts of the key."""

    status: SubscriptionStatus
    """`Failed` after 10 consecutive failures."""

    pausedAt: str | None
    """Since when its deliveries wait; null: they are sent."""

    failureCount: int
    """Consecutive failed deliveries."""

    lastDeliveryAt: str | None
    """The time of the last delivery."""

    createdAt: str
    """When it was registered."""


class SubscriptionList(TypedDict):
    data: list[Subscription]
    """The entries of this page."""

    hasMore: bool
    """Whether there is another page."""

    nextCursor: str | None
    """What to send as `cursor` for the next page; null on the last."""


class RolledSecret(TypedDict):
    subscriptionId: str
    """The webhook."""

    signingSecret: str
    """Base64url; decoded, it is the key of the signatures. Shown only here."""

    standardWebhooksSecret: str
    """The same secret in the form of Standard Webhooks. Shown only here."""

    previousSecretEndsAt: str | None
    """Until when the old secret also signs; null: it has ended."""


class Ping(TypedDict):
    subscriptionId: str
    """The webhook."""

    eventId: str
    """Of the test event."""

    eventType: EventType
    """The event type of the test event."""


class EndpointAnswer(TypedDict):
    headers: dict[str, str]
    """Some of its headers."""

    body: str
    """The beginning of its body: at most 1 KiB, as text."""


class Certificate(TypedDict):
    subject: str
    """The subject."""

    issuer: str
    """The issuer."""

    names: list[str]
    """Its first 20 names."""

    expiresAt: str
    """When it expires."""

    daysLeft: int
    """Whole days left at the ping; negative: it had expired."""


class Findings(TypedDict):
    addresses: list[str]
    """The public addresses that the host's name resolved to."""

    tlsVersion: str | None
    """The negotiated version; null: no TLS connection."""

    certificate: Certificate | None
    """The certificate of the endpoint, trusted or not; null: none."""

    resolveMs: float | None
    """Milliseconds to look the name up."""

    connectMs: float | None
    """Milliseconds to connect."""

    tlsMs: float | None
    """Milliseconds of the TLS handshake."""

    firstByteMs: float | None
    """Milliseconds from the request to the answer's first byte."""


class Attempt(TypedDict):
    attemptedAt: str
    """When it was sent."""

    statusCode: int | None
    """The status of the endpoint's answer; null: none."""

    error: str | None
    """What went wrong, in words; null on success."""

    durationMs: float | None
    """How long the exchange took, in milliseconds."""

    answer: EndpointAnswer | None
    """An excerpt of the endpoint's answer; null: none."""

    findings: Findings | None
    """The findings of a ping about the endpoint; null for other deliveries."""


class Delivery(TypedDict):
    deliveryId: str
    """The delivery."""

    eventId: str
    """The same on every retry, redelivery and replay."""

    eventType: EventType
    """What happened."""

    productionId: str
    """The nil UUID for a ping."""

    sequenceNumber: int
    """Of the event within its production; 0 for a ping."""

    status: DeliveryStatus
    """The state of the delivery."""

    attempts: list[Attempt]
    """All attempts, oldest first."""

    nextAttemptAt: str | None
    """When it is tried next."""

    createdAt: str
    """When it was queued."""


class DeliveryList(TypedDict):
    data: list[Delivery]
    """The entries of this page."""

    hasMore: bool
    """Whether there is another page."""

    nextCursor: str | None
    """What to send as `cursor` for the next page; null on the last."""


class Queued(TypedDict):
    queued: int
    """The number of deliveries that are sent again."""


class Call(TypedDict):
    method: str
    """The method."""

    path: str
    """The path."""

    body: dict[str, Any] | None
    """Its body; null: none."""


class ProductionDeliveries(TypedDict):
    subscriptionId: str
    """The webhook."""

    endpointUrl: str
    """Where its events are posted to."""

    status: SubscriptionStatus
    """Of the webhook."""

    succeeded: list[int]
    """Sequence numbers that were delivered."""

    pending: list[int]
    """Those on their way, or between two attempts."""

    failed: list[int]
    """Those whose retries have all failed."""

    parked: list[int]
    """Those that wait for the reinstatement of the webhook."""

    skipped: list[int]
    """Those that happened while the webhook was `Failed`."""

    firstGap: int | None
    """The first that neither arrived nor is on its way; null: none."""

    fill: Call | None
    """The call that closes the gaps, ready to send; null: there are none."""


class ProductionDeliveriesList(TypedDict):
    data: list[ProductionDeliveries]
    """The entries of this page."""

    hasMore: bool
    """Whether there is another page."""

    nextCursor: str | None
    """What to send as `cursor` for the next page; null on the last."""


class GateRefusal(TypedDict):
    error: str
    """Machine-readable code."""

    message: str
    """Why it is refused."""

    retryAfterSeconds: int | None
    """Seconds to wait, where waiting helps."""


class Estimate(TypedDict):
    isAccepted: bool
    """Whether a trigger would be accepted now."""

    refusals: list[GateRefusal]
    """Every gate that would refuse the brief, in their order; a trigger names the first."""

    title: str
    """The title that the production would have."""

    estimatedCost: float
    """What would be reserved, in the operator's currency."""

    estimatedDurationSeconds: int
    """About how long the video would play."""

    estimatedCompletionAt: str | None
    """When the files would be there; null: not known yet."""

    warnings: list[BriefWarning]
    """What the brief lacks or what would be simplified."""


class Counts(TypedDict):
    refused: int
    """Briefs that a gate refused."""

    waiting: int
    """Briefs that wait behind a ceiling of concurrent productions."""

    queued: int
    """Productions in this state, like those below."""

    producing: int
    """`Producing`."""

    awaitingApproval: int
    """`AwaitingApproval`."""

    distributing: int
    """`Distributing`."""

    published: int
    """`Published`."""

    failed: int
    """`Failed`."""

    cancelled: int
    """`Cancelled`."""

    removed: int
    """Productions that were removed after their retention."""

    pending: int
    """Briefs that were not handled, as the request was interrupted: repeat it."""


class Batch(TypedDict):
    batchId: str
    """The batch."""

    accountId: str
    """Its account."""

    mode: Literal["atomic", "each"]
    """How it was triggered."""

    status: BatchStatus
    """`Finished` when every production has ended."""

    size: int
    """How many briefs it has, each counted once for each of its languages."""

    counts: Counts
    """Its briefs by state."""

    createdAt: str
    """When it was triggered."""

    cancelRequestedAt: str | None
    """When its cancellation was requested."""

    finishedAt: str | None
    """When its last production had ended."""


class BatchList(TypedDict):
    data: list[Batch]
    """The entries of this page."""

    hasMore: bool
    """Whether there is another page."""

    nextCursor: str | None
    """What to send as `cursor` for the next page; null on the last."""


class Refusal(TypedDict):
    error: str
    """Machine-readable code."""

    message: str
    """Why it is refused."""


class BatchItem(TypedDict):
    position: int
    """The place of the brief in the request, from 0; one for each of its languages."""

    externalId: str | None
    """Your own reference, as it was sent."""

    topic: str | None
    """What it is about, also where the brief waits or was refused; null: its production was removed, or an earlier release took the brief."""

    productionId: str | None
    """Its production; null: the brief was refused."""

    status: ProductionStatus | None
    """Of the production; null: there is none. `Cancelled` also of a brief that waited until its batch's cancel."""

    holdReason: Literal["ConcurrencyLimit"] | None
    """`ConcurrencyLimit`: it waits until productions of the account or customer have ended; null: it does not wait."""

    refusal: Refusal | None
    """Why it was refused; null: it was not."""


class BatchItemList(TypedDict):
    data: list[BatchItem]
    """The entries of this page."""

    hasMore: bool
    """Whether there is another page."""

    nextCursor: str | None
    """What to send as `cursor` for the next page; null on the last."""


class Template(TypedDict):
    templateId: str
    """The template."""

    accountId: str
    """Its account."""

    name: str
    """For people."""

    brief: TemplateBrief
    """The brief, with `{{variables}}` in its texts."""

    variables: list[Variable]
    """All variables that the brief names."""

    createdAt: str
    """When it was added."""

    updatedAt: str
    """When it was last replaced."""


class TemplateList(TypedDict):
    data: list[Template]
    """The entries of this page."""

    hasMore: bool
    """Whether there is another page."""

    nextCursor: str | None
    """What to send as `cursor` for the next page; null on the last."""


class SceneVisual(TypedDict):
    kind: str
    """`quote`, `number`, `table`, `bars`, `code`, … ; empty: none."""

    text: str
    """The quotation, the figure, the lines of code."""

    columns: list[str]
    """Of a table or chart."""

    rows: list[list[str]]
    """Of a table or chart."""


class Scene(TypedDict):
    sceneId: int
    """The scene; it stays the same in all versions."""

    heading: str
    """Shown above it, and said first where it begins a section."""

    narration: str
    """What is said, besides heading and points."""

    points: list[str]
    """List items, shown and said."""

    keyPhrase: str | None
    """Words of the narration, or the heading, that are shown large; null: chosen by meaning."""

    picture: str
    """What its illustration shows; empty: none."""

    visual: SceneVisual
    """What it shows besides; it cannot be changed."""

    estimatedSeconds: float
    """About how long it is spoken."""

    estimatedCost: float
    """What a configured model would charge for speaking it."""


class Preview(TypedDict):
    brief: Brief
    """The filled brief, ready to trigger."""

    estimate: Estimate
    """The estimate of that brief."""

    script: list[Scene] | None
    """The scenes of its script, if `withScript` asked for them; null where a model will write it."""


class Script(TypedDict):
    productionId: str
    """The production."""

    version: int
    """1: as it was written; each change adds 1."""

    review: Literal["Awaited", "Approved"] | None
    """Whether it awaits its review or is approved; null: nobody reviews it, as that was not asked for, or the production ended first."""

    title: str
    """Of the production. Opening and closing scenes are not among the scenes."""

    estimatedDurationSeconds: int
    """About how long the video would play."""

    estimatedCost: float
    """Of the production, in the operator's currency."""

    scenes: list[Scene]
    """In the order in which they are shown."""

    createdAt: str
    """When this version was made."""

    expiresAt: str | None
    """When the production fails if it is not released by then."""


class ScenePreview(TypedDict):
    sceneId: int
    """The scene."""

    mediaType: Literal["video/mp4"]
    """What `content` is."""

    content: str
    """A small video of the scene with its narration, in Base64."""


class Segment(TypedDict):
    segmentId: str
    """The segment."""

    field: Literal["topic", "subjectOverride", "metadataMD"]
    """The text of the brief that it is of."""

    source: str
    """As it was triggered. Markup in it, such as `**` or `|`, is to stay."""

    target: str | None
    """Its translation; null: there is none."""


class Translation(TypedDict):
    productionId: str
    """The production."""

    status: Literal["Awaited", "Done", "Ended"]
    """Whether it is awaited or done; `Ended`: the production ended before it was translated."""

    sourceLanguage: str
    """BCP 47."""

    targetLanguage: str
    """BCP 47."""

    segments: list[Segment]
    """What is to be translated, in its order."""

    xliff: str
    """The same as an XLIFF 2.0 file, for translators' programs."""

    translatedAt: str | None
    """When the translation was received."""


class ProductionQueuedEventData(TypedDict):
    status: Literal["Queued"]
    """Always `Queued`."""

    expiresAt: str | None
    """Null unless of the API."""

    externalId: NotRequired[str]
    """Your own reference, where the production was triggered with one."""


class ProductionQueuedEvent(TypedDict):
    eventId: str
    """One per event and webhook: the same on every retry, redelivery and replay."""

    eventType: Literal["production.queued"]
    """Always `production.queued`."""

    productionId: str
    """The production; the nil UUID on test events."""

    accountId: str
    """Its account; the nil UUID on test events."""

    timestamp: str
    """When it happened."""

    sequenceNumber: int
    """From 1 within a production, without gaps."""

    correlationId: str
    """Of the request that caused it."""

    truncated: bool
    """Whether there are more than 100 deliverables."""

    data: ProductionQueuedEventData


class ProductionStepCompleteEventData(TypedDict):
    status: Literal["Producing"]
    """Always `Producing`."""

    stepsComplete: int
    """Pipeline steps completed."""

    currentStep: str
    """Label of the step."""

    externalId: NotRequired[str]
    """Your own reference, where the production was triggered with one."""


class ProductionStepCompleteEvent(TypedDict):
    eventId: str
    """One per event and webhook: the same on every retry, redelivery and replay."""

    eventType: Literal["production.step.complete"]
    """Always `production.step.complete`."""

    productionId: str
    """The production; the nil UUID on test events."""

    accountId: str
    """Its account; the nil UUID on test events."""

    timestamp: str
    """When it happened."""

    sequenceNumber: int
    """From 1 within a production, without gaps."""

    correlationId: str
    """Of the request that caused it."""

    truncated: bool
    """Whether there are more than 100 deliverables."""

    data: ProductionStepCompleteEventData


class ProductionAwaitingApprovalEventData(TypedDict):
    status: Literal["AwaitingApproval"]
    """Always `AwaitingApproval`."""

    stepsComplete: int
    """Pipeline steps completed."""

    externalId: NotRequired[str]
    """Your own reference, where the production was triggered with one."""


class ProductionAwaitingApprovalEvent(TypedDict):
    eventId: str
    """One per event and webhook: the same on every retry, redelivery and replay."""

    eventType: Literal["production.awaiting_approval"]
    """Always `production.awaiting_approval`."""

    productionId: str
    """The production; the nil UUID on test events."""

    accountId: str
    """Its account; the nil UUID on test events."""

    timestamp: str
    """When it happened."""

    sequenceNumber: int
    """From 1 within a production, without gaps."""

    correlationId: str
    """Of the request that caused it."""

    truncated: bool
    """Whether there are more than 100 deliverables."""

    data: ProductionAwaitingApprovalEventData


class ProductionDistributingEventDataPlatforms(TypedDict):
    platform: str
    """The place."""

    status: str
    """Its status."""


class ProductionDistributingEventData(TypedDict):
    status: Literal["Distributing"]
    """Always `Distributing`."""

    platforms: list[ProductionDistributingEventDataPlatforms]
    """One each."""

    externalId: NotRequired[str]
    """Your own reference, where the production was triggered with one."""


class ProductionDistributingEvent(TypedDict):
    eventId: str
    """One per event and webhook: the same on every retry, redelivery and replay."""

    eventType: Literal["production.distributing"]
    """Always `production.distributing`."""

    productionId: str
    """The production; the nil UUID on test events."""

    accountId: str
    """Its account; the nil UUID on test events."""

    timestamp: str
    """When it happened."""

    sequenceNumber: int
    """From 1 within a production, without gaps."""

    correlationId: str
    """Of the request that caused it."""

    truncated: bool
    """Whether there are more than 100 deliverables."""

    data: ProductionDistributingEventData


class ProductionPublishedEventDataPlatforms(TypedDict):
    platform: str
    """The place."""

    status: str
    """Its status."""

    platformPostId: str | None
    """The post there; null if the place gives none."""


class ProductionPublishedEventData(TypedDict):
    status: Literal["Published"]
    """Always `Published`."""

    platforms: list[ProductionPublishedEventDataPlatforms]
    """One entry for each place."""

    externalId: NotRequired[str]
    """Your own reference, where the production was triggered with one."""


class ProductionPublishedEvent(TypedDict):
    eventId: str
    """One per event and webhook: the same on every retry, redelivery and replay."""

    eventType: Literal["production.published"]
    """Always `production.published`."""

    productionId: str
    """The production; the nil UUID on test events."""

    accountId: str
    """Its account; the nil UUID on test events."""

    timestamp: str
    """When it happened."""

    sequenceNumber: int
    """From 1 within a production, without gaps."""

    correlationId: str
    """Of the request that caused it."""

    truncated: bool
    """Whether there are more than 100 deliverables."""

    data: ProductionPublishedEventData


class ProductionFailedEventData(TypedDict):
    status: Literal["Failed"]
    """Always `Failed`."""

    errorCode: str
    """Why, for programs."""

    errorMessage: str
    """Why, for people."""

    externalId: NotRequired[str]
    """Your own reference, where the production was triggered with one."""


class ProductionFailedEvent(TypedDict):
    eventId: str
    """One per event and webhook: the same on every retry, redelivery and replay."""

    eventType: Literal["production.failed"]
    """Always `production.failed`."""

    productionId: str
    """The production; the nil UUID on test events."""

    accountId: str
    """Its account; the nil UUID on test events."""

    timestamp: str
    """When it happened."""

    sequenceNumber: int
    """From 1 within a production, without gaps."""

    correlationId: str
    """Of the request that caused it."""

    truncated: bool
    """Whether there are more than 100 deliverables."""

    data: ProductionFailedEventData


class ProductionCancelledEventData(TypedDict):
    status: Literal["Cancelled"]
    """Always `Cancelled`."""

    externalId: NotRequired[str]
    """Your own reference, where the production was triggered with one."""


class ProductionCancelledEvent(TypedDict):
    eventId: str
    """One per event and webhook: the same on every retry, redelivery and replay."""

    eventType: Literal["production.cancelled"]
    """Always `production.cancelled`."""

    productionId: str
    """The production; the nil UUID on test events."""

    accountId: str
    """Its account; the nil UUID on test events."""

    timestamp: str
    """When it happened."""

    sequenceNumber: int
    """From 1 within a production, without gaps."""

    correlationId: str
    """Of the request that caused it."""

    truncated: bool
    """Whether there are more than 100 deliverables."""

    data: ProductionCancelledEventData


class DeliverableReadyEventDataDeliverables(TypedDict):
    deliverableId: str
    """The deliverable."""

    type: str
    """What it is."""

    platform: str | None
    """Its place; null: the production."""

    format: str
    """Its file format."""


class DeliverableReadyEventData(TypedDict):
    status: str
    """Typically `AwaitingApproval`."""

    deliverables: list[DeliverableReadyEventDataDeliverables]
    """The first 100; `truncated` says whether there are more."""

    externalId: NotRequired[str]
    """Your own reference, where the production was triggered with one."""


class DeliverableReadyEvent(TypedDict):
    eventId: str
    """One per event and webhook: the same on every retry, redelivery and replay."""

    eventType: Literal["deliverable.ready"]
    """Always `deliverable.ready`."""

    productionId: str
    """The production; the nil UUID on test events."""

    accountId: str
    """Its account; the nil UUID on test events."""

    timestamp: str
    """When it happened."""

    sequenceNumber: int
    """From 1 within a production, without gaps."""

    correlationId: str
    """Of the request that caused it."""

    truncated: bool
    """Whether there are more than 100 deliverables."""

    data: DeliverableReadyEventData


class WebhookPingEventData(TypedDict):
    type: str
    """As `eventType`."""

    message: str
    """For people."""


class WebhookPingEvent(TypedDict):
    eventId: str
    """One per event and webhook: the same on every retry, redelivery and replay."""

    eventType: Literal["webhook.test"]
    """Always `webhook.test`."""

    productionId: str
    """The production; the nil UUID on test events."""

    accountId: str
    """Its account; the nil UUID on test events."""

    timestamp: str
    """When it happened."""

    sequenceNumber: int
    """0 on test events."""

    correlationId: str
    """Of the request that caused it."""

    truncated: bool
    """Whether there are more than 100 deliverables."""

    data: WebhookPingEventData


class BatchCompletedEventData(TypedDict):
    batchId: str
    """The batch."""

    counts: dict[str, int]
    """Its briefs by state."""

    externalId: NotRequired[str]
    """Your own reference, where the production was triggered with one."""


class BatchCompletedEvent(TypedDict):
    eventId: str
    """One per event and webhook: the same on every retry, redelivery and replay."""

    eventType: Literal["batch.completed"]
    """Always `batch.completed`."""

    productionId: str
    """The production; the nil UUID on test events."""

    accountId: str
    """Its account; the nil UUID on test events."""

    timestamp: str
    """When it happened."""

    sequenceNumber: int
    """From 1 within a batch, which ends again after it was resumed."""

    correlationId: str
    """Of the request that caused it."""

    truncated: bool
    """Whether there are more than 100 deliverables."""

    data: BatchCompletedEventData


class ProductionScriptReadyEventData(TypedDict):
    status: Literal["Producing"]
    """Always `Producing`."""

    holdReason: str
    """Always `ScriptReview`."""

    version: int
    """Of the script."""

    scenes: int
    """How many it has."""

    externalId: NotRequired[str]
    """Your own reference, where the production was triggered with one."""


class ProductionScriptReadyEvent(TypedDict):
    eventId: str
    """One per event and webhook: the same on every retry, redelivery and replay."""

    eventType: Literal["production.script.ready"]
    """Always `production.script.ready`."""

    productionId: str
    """The production; the nil UUID on test events."""

    accountId: str
    """Its account; the nil UUID on test events."""

    timestamp: str
    """When it happened."""

    sequenceNumber: int
    """From 1,000,000,001 within a production: apart from those of the other events, which have no gaps."""

    correlationId: str
    """Of the request that caused it."""

    truncated: bool
    """Whether there are more than 100 deliverables."""

    data: ProductionScriptReadyEventData


class ProductionExpiringEventData(TypedDict):
    status: Literal["Producing", "Queued"]
    """`Producing` before the review, `Queued` before the translation."""

    holdReason: HoldReason
    """What it waits for."""

    expiresAt: str
    """When it fails."""

    externalId: NotRequired[str]
    """Your own reference, where the production was triggered with one."""


class ProductionExpiringEvent(TypedDict):
    eventId: str
    """One per event and webhook: the same on every retry, redelivery and replay."""

    eventType: Literal["production.expiring"]
    """Always `production.expiring`."""

    productionId: str
    """The production; the nil UUID on test events."""

    accountId: str
    """Its account; the nil UUID on test events."""

    timestamp: str
    """When it happened."""

    sequenceNumber: int
    """From 1,000,000,001 within a production: apart from those of the other events, which have no gaps."""

    correlationId: str
    """Of the request that caused it."""

    truncated: bool
    """Whether there are more than 100 deliverables."""

    data: ProductionExpiringEventData


class UsageThresholdEventData(TypedDict):
    limit: Literal[
        "accountBudget", "customerBudget", "dailyProductions", "dailyRequests"
    ]
    """What is used."""

    ownerId: str
    """Whose limit it is."""

    percent: int
    """80 or 100."""

    used: float
    """Of a budget in the operator's currency, else a number."""

    most: float
    """How much there is."""

    period: str
    """The month of a budget, the day of a limit; UTC."""

    externalId: NotRequired[str]
    """Your own reference, where the production was triggered with one."""


class UsageThresholdEvent(TypedDict):
    eventId: str
    """One per event and webhook: the same on every retry, redelivery and replay."""

    eventType: Literal["usage.threshold"]
    """Always `usage.threshold`."""

    productionId: str
    """The production; the nil UUID on test events."""

    accountId: str
    """Its account; the nil UUID on test events."""

    timestamp: str
    """When it happened."""

    sequenceNumber: int
    """1 at 80 %, 2 at 100 %."""

    correlationId: str
    """Of the request that caused it."""

    truncated: bool
    """Whether there are more than 100 deliverables."""

    data: UsageThresholdEventData


WebhookEvent: TypeAlias = (
    ProductionQueuedEvent
    | ProductionStepCompleteEvent
    | ProductionAwaitingApprovalEvent
    | ProductionDistributingEvent
    | ProductionPublishedEvent
    | ProductionFailedEvent
    | ProductionCancelledEvent
    | DeliverableReadyEvent
    | WebhookPingEvent
    | BatchCompletedEvent
    | ProductionScriptReadyEvent
    | ProductionExpiringEvent
    | UsageThresholdEvent
)
