"""Makes valid requests of schemathesis valid in what JSON Schema cannot say; invalid ones are left
as they are.

Every change is one rule of the documentation: identifiers name what exists, a cursor is one that we
made, a window ends after it begins and is at most 30 days long, nothing waits, an Idempotency-Key
goes with one body, the two account fields exclude each other, an entry of a lexicon is the only one
for its word and has words and sounds, a variable of a template is declared, is the only one of its
name, has choices if it is a choice, and a default that fits; a value is of a variable; languages
exist, and are each named once, by identifier or by code; people translate where there is no model;
a search by words stands alone.
"""

import itertools
import json
import os
import random
import re
import time
import uuid
from pathlib import Path

import schemathesis

from svc.base import clock
from svc.domain import locales, paging

KNOWN: dict[str, list[str]] = json.loads(Path(os.environ["CONTRACT_KNOWN"]).read_text("utf-8"))
UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
DAYS_KEPT = 29
# in a brief without variables
LONGEST = {"topic": 500, "subjectOverride": 200, "metadataMD": 4096, "externalId": 200}
CITY = {"name": "city", "type": "text", "required": False}
RIGHT = {  # in place of what was made up
    "projectTypeSlug": "explainer",
    "translation": "people",  # no model is configured
    "captionLanguageIds": [],  # likewise
    "captionLanguages": [],
    "withScript": False,  # a hundred of them would be minutes
}
_requests = itertools.count()


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    case.path_parameters = {
        name: known(name, value, 0.9) for name, value in (case.path_parameters or {}).items()
    }
    if case.query:
        case.query = right_query(dict(case.query), list_of(case))
    if "Idempotency-Key" in (case.headers or {}):
        case.headers["Idempotency-Key"] = f"{next(_requests)}-{time.time_ns()}"
    if isinstance(case.body, dict):
        case.body = right_body(case.body)


def known(name: str, value, chance: float = 1.0):
    """One that exists in the place of a made-up one; below a ``chance`` of 1 some unknown ones stay
    in the mixture.
    """
    if isinstance(value, list):
        return [known(name, each, chance) for each in value]
    if not (isinstance(value, str) and UUID.fullmatch(value) and name in KNOWN):
        return value
    drawn = random.Random(value)  # the same for the same value: hypothesis asks everything twice
    return (
        drawn.choice(KNOWN[name]) if value not in KNOWN[name] and drawn.random() < chance else value
    )


def list_of(case) -> str:
    """The name of the list that is asked for, by which its cursors
    are known (svc.api.schemas.fields.find_list_name).
    """
    name = case.operation.definition.raw["operationId"].replace("_partner_", "_")
    return " ".join([name, *map(str, (case.path_parameters or {}).values())]).lower()


def right_query(query: dict, of: str) -> dict:
    if "cursor" in query:
        query["cursor"] = paging.encode(clock.now(), str(uuid.uuid4()), of)
    if "q" in query:  # it stands alone
        query = {
            name: value for name, value in query.items() if name not in ("externalId", "groupId")
        }
    if "waitSeconds" in query:
        query["waitSeconds"] = 0  # a hundred of them would be an hour
    return right_window(query)


def right_window(given: dict) -> dict:
    if given.get("to") is not None:
        given["to"] = clock.format_time(clock.now())
    if given.get("from") is not None:
        given["from"] = clock.format_time(
            clock.now() - random.Random(given["from"]).randrange(DAYS_KEPT * clock.DAY)
        )
    return given


def right_body(body: dict) -> dict:
    body = right_window({name: known(name, value) for name, value in body.items()})
    if body.get("accountIds") and body.get("accountScopeId"):
        body["accountScopeId"] = None
    if body.get("languageIds"):
        body["languageIds"] = KNOWN["languageId"][: len(body["languageIds"])]
    body = named_once(body)
    body |= {name: value for name, value in RIGHT.items() if body.get(name)}
    for name in ("brief", "items"):
        if name in body:
            body[name] = (
                [right_body(each) for each in body[name]]
                if isinstance(body[name], list)
                else right_body(body[name])
            )
    if "brief" in body:
        body["brief"] |= {
            name: body["brief"][name][:most]
            for name, most in LONGEST.items()
            if body["brief"].get(name)
        }
        # every template has the variable city, and needs no other
        body["variables"] = [
            CITY,
            *(
                right_variable(number, each)
                for number, each in enumerate(body.get("variables", [])[1:])
            ),
        ]
    if "values" in body:
        body["values"] = {"city": "Lisbon"}
    if "csv" in body:
        body["csv"] = "city\nLisbon\nPorto\n"
    if isinstance(body.get("entries"), list):
        body["entries"] = [
            right_entry(number, entry) for number, entry in enumerate(body["entries"])
        ]
    return body


def named_once(body: dict) -> dict:
    """A body whose languages and country are named in one way each, and in a brief at all."""
    codes = [locales.list_languages()[each]["code"] for each in KNOWN["languageId"]]
    right = {
        "language": codes[0],
        "country": "US",
        "languages": codes[: len(body.get("languages") or [])],
    }
    body |= {name: value for name, value in right.items() if body.get(name) is not None}
    for code, identifier in locales.BY_CODE.items():
        if body.get(code) and body.get(identifier):
            del body[code]
    if "topic" in body:  # a brief
        for code, identifier in (("language", "languageId"), ("country", "countryId")):
            if not {code, identifier} & body.keys():
                body[code] = right[code]
    return body


def right_variable(number: int, variable: dict) -> dict:
    kind = variable.get("type", "text")
    choices = ["one", "two"] if kind == "choice" else []
    value = {"number": "12.5", "date": "2026-11-20", "choice": "two"}.get(kind, "words")
    right = variable | {"name": f"name_{number}", "choices": choices, "required": False}
    return right | {each: value for each in ("default", "example") if right.get(each) is not None}


def right_entry(number: int, entry: dict) -> dict:
    words = re.sub(r"[\W_]+", "", entry["written"])[:40]
    return entry | {
        "written": f"{words}{number}",
        "spoken": f"word {re.sub(r'[=]', '', entry['spoken'])[:150]}",
    }
