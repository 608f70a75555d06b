"""The form of a template: its fields and variables as they were typed,
and the template that they make.
"""

import json
from collections.abc import Mapping
from typing import Any

from werkzeug.datastructures import MultiDict

from svc.base import ids
from svc.base.errors import InvalidRequest
from svc.console import form_errors
from svc.domain import form_fields
from svc.domain.briefing import template_values
from svc.domain.briefing.templates import Template
from svc.domain.lifecycle import briefs
from svc.domain.productions import admin as production_admin

BRIEF = tuple(production_admin.BRIEF_FIELDS)
LABELS = {name: form_errors.find_label(name) for name in ("name", *BRIEF, "variables")} | {
    "review": "Script"
}
_VARIABLE = ("name", "type", "default", "choices", "example", "description")


def _id(value: str) -> str:
    identifier = ids.normalise(value)
    if identifier is None:
        raise ValueError("Choose one of the list.")
    return identifier


_TEXT = production_admin.text(template_values.TEXT.longest)
_READERS: dict[str, form_fields.Reader] = {  # a brief's, but for texts that may have variables
    "name": form_fields.words(template_values.TEMPLATE_NAME.longest),
    **{name: field.read for name, field in production_admin.BRIEF_FIELDS.items()},
    "topic": production_admin.text(template_values.TEXT.longest, template_values.TEXT.shortest),
    "projectTypeSlug": production_admin.text(briefs.PROJECT_TYPE.longest),
    "subjectOverride": _TEXT,
    "metadataMD": production_admin.text(template_values.NOTES.longest),
    "externalId": _TEXT,
    **dict.fromkeys(("languageId", "countryId", "avatarId"), _id),
    "languageIds": lambda value: [_id(each) for each in production_admin.read_languages(value)],
    "captionLanguageIds": lambda value: [
        _id(each) for each in production_admin.read_caption_languages(value)
    ],
}
_VARIABLE_READERS: dict[str, form_fields.Reader] = {
    "name": str,
    "type": form_fields.choice(*template_values.TYPES),
    "default": production_admin.text(template_values.LONGEST_VALUE),
    "choices": production_admin.text(template_values.LONGEST_VALUE),
    "example": production_admin.text(template_values.LONGEST_VALUE),
    "description": production_admin.text(template_values.LONGEST_DESCRIPTION),
}


def read_form(form: MultiDict[str, str]) -> dict[str, Any]:
    """Return what was typed: the fields by name, and ``variables``,
    of which those without any text are left out.
    """
    fields = {name: " ".join(form.getlist(name)) for name in ("name", *BRIEF)}
    variables = []
    for number in range(template_values.MOST_VARIABLES + 1):
        variable: dict[str, Any] = {
            name: form.get(f"v{number}-{name}", "").strip() for name in _VARIABLE
        }
        if any(value for name, value in variable.items() if name != "type"):
            variables.append(
                {
                    **variable,
                    "type": variable["type"] or "text",
                    "required": form.get(f"v{number}-required") == "on",
                }
            )
    return {**fields, "variables": variables}


def fill_form(template: Template) -> dict[str, Any]:
    """Return a template as its form has it."""
    brief, variables = json.loads(template["brief"]), json.loads(template["variables"])
    shown = [
        {
            **{name: each.get(name) or "" for name in _VARIABLE},
            "choices": "\n".join(each["choices"]),
            "required": each["required"],
        }
        for each in variables
    ]
    fields = {name: brief.get(name) or "" for name in BRIEF}
    for name in ("languageIds", "captionLanguageIds"):
        fields[name] = " ".join(fields[name])
    return {"name": template["name"], **fields, "variables": shown}


def parse_template(typed: dict[str, Any]) -> dict[str, Any]:
    """Return a template as :func:`templates.add` takes it.

    InvalidRequest: names each invalid field.
    """
    wrong: dict[str, list[str]] = {}
    fields = _read(_READERS, {name: typed[name] for name in _READERS}, "", wrong)
    variables = [
        {
            **_read(
                _VARIABLE_READERS,
                {name: each[name] for name in _VARIABLE_READERS},
                f"variables[{number}]",
                wrong,
            )
        }
        for number, each in enumerate(typed["variables"])
    ]
    if wrong:
        raise InvalidRequest("Some fields need correction.", fields=wrong)
    for variable, each in zip(variables, typed["variables"], strict=True):
        variable["required"] = each["required"]
        variable["choices"] = [
            line.strip() for line in (variable["choices"] or "").split("\n") if line.strip()
        ]
        variable["description"] = variable["description"] or ""
    return {"name": fields.pop("name"), "brief": fields, "variables": variables}


def find_undeclared_variables(typed: dict[str, Any]) -> list[str]:
    """Return the names in the texts of the brief that are not declared as variables, each once,
    and could be.
    """
    declared = {each["name"] for each in typed["variables"]}
    named = dict.fromkeys(
        name for names in template_values.list_variables_by_field(typed).values() for name in names
    )
    return [name for name in named if name not in declared and template_values.NAME.fullmatch(name)]


def make_empty_variable(name: str = "") -> dict[str, Any]:
    """Return a variable of which nothing was typed but its name."""
    return {**dict.fromkeys(_VARIABLE, ""), "name": name, "type": "text", "required": True}


def _read(
    readers: Mapping[str, form_fields.Reader],
    texts: dict[str, str],
    where: str,
    wrong: dict[str, list[str]],
) -> dict[str, Any]:
    """Return parsed values; add what is wrong to ``wrong``, by field,
    or all of it under the name ``where``.
    """
    try:
        return form_fields.read(readers, texts)
    except InvalidRequest as refused:
        for name, messages in (refused.fields or {}).items():
            wrong.setdefault(where or name, []).extend(
                f"{form_errors.find_label(name)}: {text}" if where else text for text in messages
            )
        return {}
