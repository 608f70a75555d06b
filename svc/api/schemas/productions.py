"""Productions: the brief, the production object, its steps, events and deliverables."""

from marshmallow import Schema, fields, post_load, validate

from svc.api.schemas.common import PageQuery, listing
from svc.api.schemas.fields import Id, Instant, Text, Whole, count, identifier, text, time
from svc.base import states
from svc.domain import briefs
from svc.domain.briefs import Brief as DomainBrief


class Brief(Schema):
    topic = Text(
        shortest=1, longest=briefs.TOPIC_LENGTH, trim=True, required=True,
        metadata={"description": "What the production is about.", "example": "How tides work"},
    )  # fmt: skip
    languageId = Id(required=True, metadata={"description": "A `languageId` of `GET /v1/languages`."})
    countryId = Id(required=True, metadata={"description": "A `countryId` of `GET /v1/countries`."})
    avatarId = Id(required=True, metadata={"description": "An `avatarId` of the account."})
    projectTypeSlug = Text(
        shortest=1, longest=100, load_default=None, allow_none=True,
        metadata={"description": "A project type of the account; by default the account's own default."},
    )  # fmt: skip
    metadataMD = Text(
        longest=briefs.METADATA_LENGTH, load_default=None, allow_none=True,
        metadata={
            "description": "Notes in Markdown: headings become scenes, list items become points, prose becomes narration.",
            "example": "## The moon pulls\n\nThe sea rises towards the moon.\n\n- Two tides a day\n- Higher at full moon",
        },
    )  # fmt: skip
    subjectOverride = Text(
        shortest=1, longest=briefs.SUBJECT_LENGTH, trim=True, load_default=None, allow_none=True,
        metadata={"description": "Required when the project type's title template names `{subject}`."},
    )  # fmt: skip

    @post_load
    def to_brief(self, given: dict, **_) -> DomainBrief:
        return DomainBrief(
            topic=given["topic"], language_id=given["languageId"], country_id=given["countryId"],
            avatar_id=given["avatarId"], project_type=given["projectTypeSlug"], metadata_md=given["metadataMD"],
            subject_override=given["subjectOverride"],
        )  # fmt: skip


class IdempotencyHeader(Schema):
    key = fields.String(
        data_key="Idempotency-Key", load_default=None, validate=validate.Regexp(r"^[A-Za-z0-9_:.\-]{1,255}\Z"),
        metadata={"description": "Answers the first 202 again to a repeated call with the same body, for 24 hours."},
    )  # fmt: skip


class ListQuery(PageQuery):
    status = fields.List(
        fields.String(validate=validate.OneOf(states.PRODUCTION_STATES)), load_default=list,
        metadata={"description": "Only productions in these states; repeatable."},
    )  # fmt: skip
    since = Instant(data_key="from", load_default=None, metadata={"description": "Only those created at or after this."})
    until = Instant(data_key="to", load_default=None, metadata={"description": "Only those created at or before this."})

    repeatable = ("status",)


class EventsQuery(PageQuery):
    after_sequence = Whole(
        0, 2**53, data_key="afterSequence", load_default=0, metadata={"description": "Only events after this `sequenceNumber`."}
    )


class Publication(Schema):
    platform = text(example="Watch")
    status = text(description="`Pending`, `Publishing`, `Published`, `Failed` or `Withdrawn`.", example="Published")
    platformPostId = fields.String(allow_none=True, metadata={"description": "Present once published."})


class Production(Schema):
    productionId = identifier()
    accountId = identifier()
    status = fields.String(validate=validate.OneOf(states.PRODUCTION_STATES))
    title = text()
    topic = text()
    subjectOverride = fields.String(allow_none=True)
    languageId = identifier()
    countryId = identifier()
    avatarId = identifier()
    projectTypeSlug = text()
    metadataMD = fields.String(allow_none=True)
    apiTriggered = fields.Boolean()
    stepsComplete = count(description="Pipeline steps completed.")
    stepsTotal = count()
    currentStep = fields.String(allow_none=True, metadata={"description": "Label of the step that was completed last."})
    progressPercent = count(description="0 to 100.")
    estimatedCompletionAt = fields.String(allow_none=True, metadata={"format": "date-time"})
    errorCode = fields.String(allow_none=True, metadata={"description": "Why it failed."})
    errorMessage = fields.String(allow_none=True)
    failedStep = fields.String(allow_none=True)
    platforms = fields.List(fields.Nested(Publication))
    pollAfterSeconds = fields.Integer(allow_none=True, metadata={"description": "When to ask again; null when terminal."})
    createdAt = time()
    updatedAt = time()
    expiresAt = fields.String(allow_none=True, metadata={"format": "date-time"})
    cancelRequestedAt = fields.String(allow_none=True, metadata={"format": "date-time"})


class Step(Schema):
    name = text(example="narration")
    status = text(description="`Pending`, `Running`, `Completed`, `Failed` or `Cancelled`.")
    startedAt = fields.String(allow_none=True, metadata={"format": "date-time"})
    completedAt = fields.String(allow_none=True, metadata={"format": "date-time"})


class ProductionWithSteps(Production):
    steps = fields.List(fields.Nested(Step))


class Event(Schema):
    eventType = text(example="production.step.complete")
    productionId = identifier()
    accountId = identifier()
    timestamp = time()
    sequenceNumber = count(description="From 1 within a production, without gaps.")
    correlationId = text()
    truncated = fields.Boolean()
    data = fields.Dict()


class Deliverable(Schema):
    deliverableId = identifier()
    type = text(description="`Video`, `ClosedCaptions`, `AudioDescription`, `Transcript` or `ComplianceCertificate`.")
    platform = fields.String(allow_none=True)
    format = text(description="`mp4`, `srt`, `vtt`, `txt`, `docx` or `pdf`.")
    sasUrl = text(description="Download address, valid for one hour; needs no key.", format="uri")
    sasExpiresAt = time()
    sizeBytes = count()
    sha256 = text(description="SHA-256 of the file, in hex.")
    durationSeconds = fields.Float(allow_none=True)
    language = text(example="en")


ProductionList = listing(Production, "ProductionList")
EventList = listing(Event, "EventList")
DeliverableList = listing(Deliverable, "DeliverableList", productionId=identifier())
