"""Schemas of productions: the brief, the production object, its steps, events and deliverables."""

from typing import Any

from marshmallow import Schema, ValidationError, fields, post_load

from svc.api.schemas import brief_languages
from svc.api.schemas.common import PageQuery, make_list_envelope
from svc.api.schemas.fields import (
    Id,
    Instant,
    List,
    OneOf,
    Text,
    Whole,
    count,
    flag,
    identifier,
    make_option_field,
    make_response_field,
    number,
    text,
    time,
)
from svc.base import deliverable_kinds, states
from svc.base.errors import ServiceError
from svc.domain.lifecycle import brief_warnings, briefs
from svc.domain.lifecycle.briefs import Brief as DomainBrief
from svc.domain.lifecycle.deliverables import MOST_IN_ONE_EVENT
from svc.domain.productions import gate_warnings, view
from svc.domain.translation import translations

_MOST_STATES = 50  # of a query: more than there are, as repetitions are permitted


class Brief(brief_languages.Localized):
    topic = Text(
        **briefs.TOPIC._asdict(),
        required=True,
        metadata={"description": "What the production is about.", "example": "How tides work"},
    )
    languageId = brief_languages.language_id()
    language = brief_languages.language()
    countryId = brief_languages.country_id()
    country = brief_languages.country()
    avatarId = Id(required=True, metadata={"description": "An `avatarId` of the account."})
    projectTypeSlug = Text(
        **briefs.PROJECT_TYPE._asdict(),
        load_default=None,
        allow_none=True,
        metadata={
            "description": "A project type of the account; by default the account's default.",
            "example": "explainer",
        },
    )
    metadataMD = Text(
        **briefs.METADATA._asdict(),
        load_default=None,
        allow_none=True,
        metadata={
            "description": (
                "Notes in Markdown: headings become scenes, list items become points, prose "
                "becomes narration."
            ),
            "example": (
                "## The moon pulls\n\nThe sea rises towards the moon.\n\n- Two tides a day\n"
                "- Higher at full moon"
            ),
        },
    )
    subjectOverride = Text(
        **briefs.SUBJECT._asdict(),
        load_default=None,
        allow_none=True,
        metadata={
            "description": "Required when the project type's title template names `{subject}`.",
            "example": None,
        },
    )
    externalId = Text(
        **briefs.EXTERNAL_ID._asdict(),
        load_default=None,
        allow_none=True,
        metadata={
            "description": (
                "Your own reference, such as an order number. Not unique: several productions may "
                "have one."
            ),
            "example": "order-4711",
        },
    )

    review = OneOf(
        "script",
        "none",
        load_default=None,
        allow_none=True,
        metadata={
            "description": (
                "`script`: the production stops after its script, until that is approved; `none`: "
                "it does not. By default as the account has it."
            ),
            "example": None,
        },
    )

    class Meta:
        include = {
            **{
                option.name: make_option_field(
                    option, description=option.description, example=option.example
                )
                for option in briefs.OPTIONS.values()
            },
            "languageIds": brief_languages.further_languages(),
            "languages": brief_languages.further_codes(),
            "translation": OneOf(
                translations.PEOPLE,
                translations.MODEL,
                load_default=None,
                allow_none=True,
                metadata={
                    "description": (
                        "Who translates into `languageIds`: `people`, whom each production "
                        "awaits; `model`: the model that writes scripts writes each in its "
                        "language. By default the model, where one is configured."
                    ),
                    "example": None,
                },
            ),
            "captionLanguageIds": brief_languages.caption_languages(),
            "captionLanguages": brief_languages.caption_codes(),
        }

    def load(self, data: Any, **options: Any) -> Any:
        """Load like marshmallow, but take the short way for a valid brief:
        only its fields are looked at.
        """
        sent_fields = self._find_sent_fields(data)
        return super().load(data, **options) if sent_fields is None else self.to_brief(sent_fields)

    def _find_sent_fields(self, data: Any) -> dict[str, Any] | None:
        """Return the fields that were sent; None: something is wrong, and marshmallow says what."""
        if (
            not isinstance(data, dict)
            or not data.keys() >= _REQUIRED
            or brief_languages.check_names(data, self.needed)
        ):
            return None
        fields = self.load_fields
        try:
            return {
                name: fields[name].deserialize(value, name, data) for name, value in data.items()
            }
        except (KeyError, ValidationError, ServiceError):
            return None

    @post_load
    def to_brief(self, data: dict[str, Any], **_: Any) -> DomainBrief:
        data = brief_languages.keep_identifiers(data)
        value = data.get  # without fields that are absent
        return DomainBrief(
            topic=data["topic"],
            language_id=data["languageId"],
            country_id=data["countryId"],
            avatar_id=data["avatarId"],
            project_type=value("projectTypeSlug"),
            metadata_md=value("metadataMD"),
            subject_override=value("subjectOverride"),
            external_id=value("externalId"),
            review=value("review"),
            further_languages=tuple(value("languageIds", ())),
            translation=value("translation"),
            caption_languages=tuple(value("captionLanguageIds", ())),
            **{attribute: value(each.name) for attribute, each in briefs.OPTIONS.items()},
        )


_REQUIRED = frozenset(name for name, field in Brief().load_fields.items() if field.required)


class ListQuery(PageQuery):
    status = List(
        OneOf(*states.PRODUCTION_STATES),
        most=_MOST_STATES,
        load_default=list,
        metadata={"description": "Only productions in these states; repeatable."},
    )
    since = Instant(
        data_key="from",
        load_default=None,
        metadata={"description": "Only those created at or after this."},
    )
    until = Instant(
        data_key="to",
        load_default=None,
        metadata={"description": "Only those created at or before this."},
    )
    external_id = Text(
        **briefs.EXTERNAL_ID._asdict(),
        data_key="externalId",
        load_default=None,
        metadata={
            "description": "Only those triggered with this `externalId`.",
            "example": "order-4711",
        },
    )

    group_id = Id(
        data_key="groupId",
        load_default=None,
        metadata={"description": "Only those that are the same in several languages."},
    )
    words = Text(
        longest=200,
        shortest=1,
        trim=True,
        data_key="q",
        load_default=None,
        metadata={
            "description": (
                "Only those whose title has words that begin with these, in any order, without "
                "case and accents. New titles are found within seconds."
            ),
            "example": "tides",
        },
    )

    repeatable = ("status",)


class EventsQuery(PageQuery):
    after_sequence = Whole(
        0,
        2**53,
        data_key="afterSequence",
        load_default=0,
        metadata={"description": "Only events after this `sequenceNumber`."},
    )


class Publication(Schema):
    platform = text(description="The place.", example="Watch")
    status = text(
        one_of=("Pending", "Publishing", "Published", "Failed", "Withdrawn"),
        description="How far its publication there is.",
        example="Pending",
    )
    platformPostId = text(
        nullable=True,
        description="The post there; null until published, or if there is none.",
        example=None,
    )


class BriefWarning(Schema):
    code = text(
        one_of=(*brief_warnings.CODES, gate_warnings.CODE),
        description=(
            "What it is about, for programs. `QUALITY_GATE_WARNING`, of finished productions "
            "alone: a quality gate is not sure of a file; the console shows the picture of "
            "the scene."
        ),
        example="PICTURE_NOT_FOUND",
    )
    message = text(
        description="What will be left out or made otherwise, or what to look at, for people.",
        example=(
            "The account has no picture named 'tides.png'; it is left out. Addresses are not "
            "fetched."
        ),
    )


class Production(Schema):
    """The production object, whose fields are declared in ``svc.domain.productions.view`` and, for
    those of columns, in ``svc.store.models.productions``."""

    class Meta:
        include = {
            field.shown.name: make_response_field(
                field.shown,
                is_nullable=field.is_nullable,
                schemas={"platforms": Publication, "warnings": BriefWarning},
            )
            for field in view.FIELDS
        }


class Step(Schema):
    name = text(description="The step.", example="narration")
    status = text(
        one_of=("Pending", "Running", "Completed", "Failed", "Cancelled"),
        description="How far the step is.",
        example="Pending",
    )
    startedAt = time(nullable=True, description="When it was started.", example=None)
    completedAt = time(nullable=True, description="When it was completed.", example=None)


class ProductionWithSteps(Production):
    steps = fields.List(
        fields.Nested(Step), metadata={"description": "The pipeline's steps, in their order."}
    )


class Event(Schema):
    eventType = text(
        description="What happened; `webhooks` below describes each.",
        example="production.step.complete",
    )
    productionId = identifier(description="The production.")
    accountId = identifier(description="Its account.")
    timestamp = time(description="When it happened.")
    sequenceNumber = count(
        description=(
            "From 1 within a production, without gaps; events that only some hear have numbers "
            "above 1,000,000,000."
        ),
        example=2,
    )
    correlationId = text(
        description="Of the request that caused it.", example="9f0c6b1e6f8f4b6c8c1d2f7a5e3b4a10"
    )
    truncated = flag(
        description=(
            f"True on a `deliverable.ready` with more than {MOST_IN_ONE_EVENT} deliverables."
        ),
        example=False,
    )
    data = fields.Dict(
        metadata={
            "description": "The payload of the event type.",
            "example": {"status": "Producing", "stepsComplete": 1, "currentStep": "Script written"},
        }
    )


class Deliverable(Schema):
    deliverableId = identifier(description="The deliverable.")
    type = text(one_of=deliverable_kinds.TYPES, description="What it is.", example="Video")
    platform = text(
        nullable=True,
        description="The place that it was made for; null: the production.",
        example="Watch",
    )
    format = text(one_of=deliverable_kinds.FORMATS, description="Its file format.", example="mp4")
    sasUrl = text(
        description="Download address, valid for one hour; needs no key.",
        format="uri",
        example=(
            "https://media.example.org/files/0190b6a5-7c1e-7d3a-9f7e-3c5b8a1d2e4f"
            "?expires=1795253400&signature=x2b0"
        ),
    )
    sasExpiresAt = time(
        description="When that address expires.", example="2026-11-20T10:30:00.000Z"
    )
    sizeBytes = count(description="The size of the file.", example=8123456)
    sha256 = text(
        description="SHA-256 of the file, in hex.",
        example="9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    )
    durationSeconds = number(
        nullable=True, description="How long it plays; null for documents.", example=82.4
    )
    language = text(description="BCP 47.", example="en")


ProductionList = make_list_envelope(Production, "ProductionList")
EventList = make_list_envelope(Event, "EventList")


class Description(Schema):
    platform = text(description="The place.", example="Watch")
    text = text(
        description=(
            "Title, summary, chapters, disclosure and hashtags, in the language of the video."
        ),
        example=(
            "How tides work\n\nThe sea rises.\n\nThis video was made by software, and its voice "
            "is synthetic."
        ),
    )


DeliverableList = make_list_envelope(
    Deliverable,
    "DeliverableList",
    productionId=identifier(description="The production."),
    descriptions=fields.List(
        fields.Nested(Description),
        metadata={
            "description": (
                "What stands beside the video at each place; empty until the files exist."
            )
        },
    ),
)
