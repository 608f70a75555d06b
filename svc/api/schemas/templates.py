"""Schemas of templates: their variables and briefs, the values that fill them, and previews."""

from typing import Any

from marshmallow import Schema, ValidationError, fields, post_load

from svc.api.schemas import brief_languages
from svc.api.schemas.briefing import MODE, Estimate
from svc.api.schemas.common import make_list_envelope
from svc.api.schemas.fields import (
    Dict,
    Flag,
    Id,
    List,
    OneOf,
    Text,
    TextOrNumber,
    identifier,
    make_option_field,
    text,
    time,
)
from svc.api.schemas.productions import Brief
from svc.api.schemas.scripts import Scene
from svc.domain.briefing import batches, template_values
from svc.domain.lifecycle import briefs
from svc.domain.translation import translations

# Linters take an example that has a type and a default for a schema.
_VARIABLES = {
    "description": "All variables that the brief names.",
    "example": [{"name": "city", "type": "text"}],
}


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


def _make_values_field(**options: Any) -> Dict:
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

    values = _make_values_field(load_default=dict)
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
    mode = OneOf(batches.EACH, batches.ATOMIC, load_default=batches.EACH, metadata=MODE)
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
