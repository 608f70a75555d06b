"""Fields of a brief that name its languages and its country, each by identifier or by code."""

from collections.abc import Mapping
from typing import Any

from marshmallow import Schema, ValidationError, validates_schema

from svc.api.schemas.fields import Code, Id, List
from svc.domain import locales
from svc.domain.lifecycle import briefs

_LANGUAGE = r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$"  # BCP 47, as far as languages are listed
_COUNTRY = r"^[A-Za-z]{2}$"
_FURTHER = (
    "Further languages: a production for each besides `languageId`, in which the brief is "
    "written; all or none, with one `groupId`."
)
_CAPTIONS = (
    "Languages into which the model that writes scripts translates the captions; the production's "
    "own is left out. Each becomes a SubRip and a WebVTT file among the deliverables."
)


def language_id(**options: Any) -> Id:
    metadata = {
        "description": "A `languageId` of `GET /v1/languages`; or send `language`.",
        **options.pop("metadata", {}),
    }
    return Id(
        "GET /v1/languages lists them; language takes a code such as de.",
        metadata=metadata,
        **options,
    )


def country_id(**options: Any) -> Id:
    metadata = {
        "description": "A `countryId` of `GET /v1/countries`; or send `country`.",
        **options.pop("metadata", {}),
    }
    return Id(
        "GET /v1/countries lists them; country takes a code such as DE.",
        metadata=metadata,
        **options,
    )


def language(**options: Any) -> Code:
    metadata = {
        "description": "A `code` of `GET /v1/languages`, in place of `languageId`.",
        "example": "de",
    }
    return Code(locales.find_language, _LANGUAGE, metadata=metadata, **options)


def country(**options: Any) -> Code:
    metadata = {
        "description": "A `code` of `GET /v1/countries`, in place of `countryId`.",
        "example": "DE",
    }
    return Code(locales.find_country, _COUNTRY, metadata=metadata, **options)


def further_languages(**options: Any) -> List:
    return _make_identifier_list("languages", briefs.MOST_LANGUAGES, _FURTHER, **options)


def further_codes(**options: Any) -> List:
    return _make_code_list("languageIds", briefs.MOST_LANGUAGES, **options)


def caption_languages() -> List:
    return _make_identifier_list("captionLanguages", briefs.MOST_CAPTION_LANGUAGES, _CAPTIONS)


def caption_codes() -> List:
    return _make_code_list("captionLanguageIds", briefs.MOST_CAPTION_LANGUAGES)


def _make_identifier_list(codes: str, most: int, description: str, **options: Any) -> List:
    entry = Id(f"GET /v1/languages lists them; {codes} takes codes such as de.")
    return _make_unique_list(entry, most, {"description": description, "example": []}, **options)


def _make_code_list(identifiers: str, most: int, **options: Any) -> List:
    metadata = {
        "description": f"A `code` of `GET /v1/languages` for each, in place of `{identifiers}`.",
        "example": [],
    }
    return _make_unique_list(Code(locales.find_language, _LANGUAGE), most, metadata, **options)


def _make_unique_list(
    entry: Id | Code, most: int, metadata: dict[str, Any], **options: Any
) -> List:
    return List(
        entry,
        most=most,
        validate=_check_each_once,
        metadata=metadata,
        **({"load_default": list} | options),
    )


def _check_each_once(languages: list[str] | None) -> None:
    if languages and len(set(languages)) < len(languages):
        raise ValidationError("Name each language once.")


class Localized(Schema):
    """A body that names languages and a country, each by identifier or by code. ``needed``: the
    identifiers without which, and without whose code, it is not valid."""

    needed: tuple[str, ...] = ("languageId", "countryId")

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def check_names(self, data: Any, original: Any, **_: Any) -> None:
        if isinstance(original, Mapping) and (problems := check_names(original, self.needed)):
            raise ValidationError(problems)


def check_names(body: Mapping[str, Any], needed: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the problems with the names of languages and country: two names for one, or none for
    one that is needed.
    """
    problems = {}
    for code, identifier in locales.BY_CODE.items():
        if body.get(code) and body.get(identifier):
            problems[code] = [f"Send {identifier} or {code}, not both."]
        elif identifier in needed and code not in body and identifier not in body:
            problems[identifier] = [f"Missing data for required field; or send {code} with a code."]
    return problems


def keep_identifiers(data: dict[str, Any]) -> dict[str, Any]:
    """Return loaded fields with identifiers alone, also where codes were sent."""
    if locales.BY_CODE.keys().isdisjoint(data):
        return data
    coded = {
        identifier: data[code] for code, identifier in locales.BY_CODE.items() if data.get(code)
    }
    return {name: value for name, value in data.items() if name not in locales.BY_CODE} | coded
