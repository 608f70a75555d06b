"""Schemas of estimates, batches and templates."""

from typing import Any

from marshmallow import Schema, ValidationError, fields, post_load

from svc.api.schemas import brief_languages
from svc.api.schemas.common import make_list_envelope
from svc.api.schemas.fields import (
    Dict,
    Flag,
    Id,
    List,
    OneOf,
    Text,
    TextOrNumber,
    count,
    flag,
    identifier,
    make_option_field,
    number,
    text,
    time,
)
from svc.api.schemas.productions import Brief, BriefWarning
from svc.api.schemas.scripts import Scene
from svc.base import states
from svc.domain.briefing import batch_rows, batches, template_values
from svc.domain.productions import briefs
from svc.domain.translation import translations

_MODE = {
    "description": (
        "`each`: accept or refuse brief by brief; `atomic`: trigger all of them or none."
    ),
    "example": batches.EACH,
}


# Linters take an example that has a type and a default for a schema.
_VARIABLES = {
    "description": "All variables that the brief names.",
    "example": [{"name": "city", "type": "text"}],
}


class Refusal(Schema):
    error = text(description="Machine-readable code.", example="BUDGET_GATE_1_FAILED")
    message = text(
        description="Why it is refused.",
        example="The account's monthly spend ceiling would be exceeded.",
    )


class GateRefusal(Refusal):
    retryAfterSeconds = count(
        nullable=True, description="Seconds to wait, where waiting helps.", example=None
    )


class Estimate(Schema):
    isAccepted = flag(description="Whether a trigger would be accepted now.", example=True)
    refusals = fields.List(
        fields.Nested(GateRefusal),
        metadata={
            "description": (
                "Every gate that would refuse the brief, in their order; a trigger names the first."
            ),
            "example": [],
        },
    )
    title = text(description="The title that the production would have.", example="How tides work")
    estimatedCost = number(
        description="What would be reserved, in the operator's currency.", example=9.0
    )
    estimatedDurationSeconds = count(description="About how long the video would play.", example=74)
    estimatedCompletionAt = time(
        nullable=True,
        description="When the files would be there; null: not known yet.",
        example=None,
    )
    warnings = fields.List(
        fields.Nested(BriefWarning),
        metadata={
            "description": "What the brief lacks or what would be simplified.",
            "example": [],
        },
    )


class BatchOrder(Schema):
    mode = OneOf(batches.EACH, batches.ATOMIC, load_default=batches.EACH, metadata=_MODE)
    items = List(
        fields.Nested(Brief),
        fewest=1,
        most=batches.MOST_ITEMS,
        required=True,
        metadata={"description": f"The briefs, at most {batches.MOST_ITEMS:,}."},
    )


class Counts(Schema):
    refused = count(description="Briefs that a gate refused.", example=0)
    waiting = count(
        description="Briefs that wait behind a ceiling of concurrent productions.", example=0
    )
    queued = count(description="Productions in this state, like those below.", example=40)
    producing = count(example=0, description="`Producing`.")
    awaitingApproval = count(example=0, description="`AwaitingApproval`.")
    distributing = count(example=0, description="`Distributing`.")
    published = count(example=0, description="`Published`.")
    failed = count(example=0, description="`Failed`.")
    cancelled = count(example=0, description="`Cancelled`.")
    removed = count(example=0, description="Productions that were removed after their retention.")
    pending = count(
        example=0,
        description="Briefs that were not handled, as the request was interrupted: repeat it.",
    )


class Batch(Schema):
    batchId = identifier(description="The batch.")
    accountId = identifier(description="Its account.")
    mode = text(
        one_of=(batches.ATOMIC, batches.EACH),
        description="How it was triggered.",
        example=batches.EACH,
    )
    status = text(
        one_of=("Open", "Finished"),
        description="`Finished` when every production has ended.",
        example="Open",
    )
    size = count(
        description="How many briefs it has, each counted once for each of its languages.",
        example=40,
    )
    counts = fields.Nested(Counts, metadata={"description": "Its briefs by state."})
    createdAt = time(description="When it was triggered.")
    cancelRequestedAt = time(
        nullable=True, description="When its cancellation was requested.", example=None
    )
    finishedAt = time(
        nullable=True, description="When its last production had ended.", example=None
    )


class BatchItem(Schema):
    position = count(
        description="The place of the brief in the request, from 0; one for each of its languages.",
        example=0,
    )
    externalId = text(
        nullable=True, description="Your own reference, as it was sent.", example="order-4711"
    )
    productionId = identifier(
        nullable=True, description="Its production; null: the brief was refused."
    )
    status = text(
        nullable=True,
        one_of=states.PRODUCTION_STATES,
        example="Queued",
        description=(
            "Of the production; null: there is none. `Cancelled` also of a brief that waited "
            "until its batch's cancel."
        ),
    )
    holdReason = text(
        nullable=True,
        one_of=(batch_rows.CONCURRENCY_LIMIT,),
        description=(
            "`ConcurrencyLimit`: it waits until productions of the account or customer have "
            "ended; null: it does not wait."
        ),
        example=None,
    )
    refusal = fields.Nested(
        Refusal,
        allow_none=True,
        metadata={"description": "Why it was refused; null: it was not.", "example": None},
    )


BatchList = make_list_envelope(Batch, "BatchList")
BatchItemList = make_list_envelope(BatchItem, "BatchItemList")


class Variable(Schema):
    name = Text(
        longest=40,
        shortest=1,
        required=True,
        metadata={
            "description": "As it stands between `{{` and `}}`.",
            "example": "city",
            "pattern": f"^{template_values.NAME.pattern}$",
        },
    )
    type = OneOf(
        *template_values.TYPES,
        load_default="text",
        metadata={
            "description": (
                "`markdown` may have markup, in `metadataMD`; all others are plain text there."
            ),
            "example": "text",
        },
    )
    required = Flag(
        load_default=True,
        metadata={
            "description": "Whether a value must be given where there is no default.",
            "example": True,
        },
    )
    default = TextOrNumber(
        longest=template_values.LONGEST_VALUE,
        load_default=None,
        allow_none=True,
        metadata={"description": "The value where none is given.", "example": None},
    )
    choices = List(
        Text(longest=200, shortest=1),
        most=template_values.MOST_CHOICES,
        load_default=list,
        metadata={"description": "The values of the type `choice`.", "example": []},
    )
    example = TextOrNumber(
        longest=template_values.LONGEST_VALUE,
        load_default=None,
        allow_none=True,
        metadata={"description": "For people.", "example": "Lisbon"},
    )
    description = Text(
        longest=template_values.LONGEST_DESCRIPTION,
        load_default="",
        metadata={"description": "For people.", "example": ""},
    )

    @post_load
    def format_values(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        texts = {}
        for name in ("default", "example"):
            try:
                texts[name] = template_values.format_value(data, data[name])
            except ValueError as bad:
                raise ValidationError({name: [str(bad)]}) from None
        return data | texts


def _describe_as_in_brief(example: Any = None) -> dict[str, Any]:
    return {"description": "As in a brief.", "example": example}


class TemplateBrief(brief_languages.Localized):
    """A brief whose texts may have variables; it is validated when they are filled."""

    topic = Text(
        **template_values.TEXT._asdict(),
        required=True,
        metadata=_describe_as_in_brief("A day in {{city}}"),
    )
    languageId = brief_languages.language_id()
    language = brief_languages.language()
    countryId = brief_languages.country_id()
    country = brief_languages.country()
    avatarId = Id(required=True, metadata={"description": "As in a brief."})
    projectTypeSlug = Text(
        **briefs.PROJECT_TYPE._asdict(),
        load_default=None,
        allow_none=True,
        metadata=_describe_as_in_brief("explainer"),
    )
    metadataMD = Text(
        **template_values.NOTES._asdict(),
        load_default=None,
        allow_none=True,
        metadata=_describe_as_in_brief("## {{city}}\n\nGo there."),
    )
    subjectOverride = Text(
        **template_values.TEXT._asdict(),
        load_default=None,
        allow_none=True,
        metadata=_describe_as_in_brief(),
    )
    externalId = Text(
        **template_values.TEXT._asdict(),
        load_default=None,
        allow_none=True,
        metadata=_describe_as_in_brief(),
    )
    review = OneOf(
        "script", "none", load_default=None, allow_none=True, metadata=_describe_as_in_brief()
    )

    class Meta:
        include = {
            **{
                option.name: make_option_field(option, **_describe_as_in_brief())
                for option in briefs.OPTIONS.values()
            },
            "languageIds": brief_languages.further_languages(),
            "languages": brief_languages.further_codes(),
            "translation": OneOf(
                translations.PEOPLE,
                translations.MODEL,
                load_default=None,
                allow_none=True,
                metadata=_describe_as_in_brief(),
            ),
            "captionLanguageIds": brief_languages.caption_languages(),
            "captionLanguages": brief_languages.caption_codes(),
        }

    @post_load
    def keep_identifiers(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        return brief_languages.keep_identifiers(data)


class NewTemplate(Schema):
    name = Text(
        **template_values.TEMPLATE_NAME._asdict(),
        required=True,
        metadata={"description": "For people.", "example": "City guide"},
    )
    brief = fields.Nested(
        TemplateBrief,
        required=True,
        metadata={"description": "The brief, with `{{variables}}` in its texts."},
    )
    variables = List(
        fields.Nested(Variable),
        most=template_values.MOST_VARIABLES,
        load_default=list,
        metadata=_VARIABLES,
    )


class Template(Schema):
    templateId = identifier(description="The template.")
    accountId = identifier(description="Its account.")
    name = text(description="For people.", example="City guide")
    brief = fields.Nested(
        TemplateBrief, metadata={"description": "The brief, with `{{variables}}` in its texts."}
    )
    variables = fields.List(fields.Nested(Variable), metadata=_VARIABLES)
    createdAt = time(description="When it was added.")
    updatedAt = time(description="When it was last replaced.")


TemplateList = make_list_envelope(Template, "TemplateList")


def _values(**options: Any) -> Dict:
    return Dict(
        most=template_values.MOST_VARIABLES,
        keys=Text(longest=40),
        values=TextOrNumber(longest=template_values.LONGEST_VALUE),
        metadata={
            "description": (
                "Values by the name of their variable. One of the type `number` may be a number "
                "of JSON."
            ),
            "example": {"city": "Lisbon"},
        },
        **options,
    )


_IN_PLACE = {"description": "In place of the template's.", "example": None}


class Values(brief_languages.Localized):
    """Values for the variables of a template, and fields of the brief that take the place
    of the template's.
    """

    values = _values(load_default=dict)
    languageId = brief_languages.language_id(load_default=None, allow_none=True, metadata=_IN_PLACE)
    language = brief_languages.language(load_default=None, allow_none=True)
    languageIds = brief_languages.further_languages(load_default=None, allow_none=True)
    languages = brief_languages.further_codes(load_default=None, allow_none=True)
    countryId = brief_languages.country_id(load_default=None, allow_none=True, metadata=_IN_PLACE)
    country = brief_languages.country(load_default=None, allow_none=True)
    avatarId = Id(load_default=None, allow_none=True, metadata=_IN_PLACE)
    externalId = Text(
        **briefs.EXTERNAL_ID._asdict(),
        load_default=None,
        allow_none=True,
        metadata={"description": "In place of the template's.", "example": "order-4711"},
    )

    needed = ()

    @post_load
    def keep_identifiers(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        return brief_languages.keep_identifiers(data)


class PreviewValues(Values):
    """As for a trigger, and whether the script is wanted."""

    withScript = Flag(
        load_default=False,
        metadata={
            "description": "Whether the script is written, too; it takes a second or two.",
            "example": True,
        },
    )


class Preview(Schema):
    brief = fields.Nested(Brief, metadata={"description": "The filled brief, ready to trigger."})
    estimate = fields.Nested(Estimate, metadata={"description": "The estimate of that brief."})
    script = fields.List(
        fields.Nested(Scene),
        allow_none=True,
        metadata={
            "description": (
                "The scenes of its script, if `withScript` asked for them; null where a model "
                "will write it."
            ),
        },
    )


class TableOrder(Schema):
    mode = OneOf(batches.EACH, batches.ATOMIC, load_default=batches.EACH, metadata=_MODE)
    csv = Text(
        longest=2**21,
        shortest=1,
        required=True,
        metadata={
            "description": (
                "A table: the first line names the columns, which are variables of the template "
                "or `language` and `languages` (codes; several in a cell, with spaces between), "
                "`country`, `languageId`, `languageIds`, `countryId`, `avatarId` and "
                f"`externalId`; each further line is a brief, at most {batches.MOST_ITEMS:,}."
            ),
            "example": "city,externalId\nLisbon,order-1\nPorto,order-2\n",
        },
    )
