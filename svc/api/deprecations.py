"""What is deprecated in the API: one table, for the document,
``/docs`` and the headers of answers (DECISIONS.md §8).
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from email.utils import format_datetime
from typing import Any

HEADERS = ("X-API-Deprecation-Notice", "Deprecation", "Sunset", "Link")
_NOTICE_DAYS = 181  # at least six months (specification, "Versioning")
_SCHEMA = re.compile(r'"#/components/schemas/(\w+)"')

Json = dict[str, Any]


@dataclass(frozen=True)
class Deprecation:
    """ValueError: the sunset is less than six months after the announcement.

    Attributes:
        since: The day of the announcement.
        sunset: The day of the removal.
        instead: What to use, as the end of the sentence "Use …".
    """

    since: date
    sunset: date
    instead: str

    def __post_init__(self) -> None:
        if (self.sunset - self.since).days < _NOTICE_DAYS:
            raise ValueError(
                f"a removal is announced six months ahead, and {self.sunset} is too soon after "
                f"{self.since}"
            )

    def describe(self, name: str) -> str:
        return (
            f"{name} is deprecated since {self.since} and will be removed on {self.sunset}. Use "
            f"{self.instead}."
        )


# By operationId ("get_account"), or by schema and field ("Account.name").
TABLE: dict[str, Deprecation] = {}

Notices = list[tuple[str, Deprecation]]  # the names as the table has them


def mark_deprecated(document: Json) -> None:
    """Mark in ``document`` what the table names, in place.

    ValueError: it names what is not there.
    """
    notices = list_deprecations(document)
    for operation in _list_operations(document):
        deprecated = notices.get(operation["operationId"], [])
        for name, deprecation in deprecated:
            if name == operation["operationId"]:
                _mark(operation, "This operation", deprecation)
        if deprecated:
            _announce(operation)
    for name, deprecation in TABLE.items():
        schema, _, field = name.partition(".")
        properties = document["components"]["schemas"].get(schema, {}).get("properties", {})
        if field in properties:
            _mark(properties[field], "This field", deprecation)
        elif all(operation["operationId"] != name for operation in _list_operations(document)):
            raise ValueError(
                f"{name} is deprecated, but the document has no such operation or field"
            )


def list_deprecations(document: Json) -> dict[str, Notices]:
    """Return what is deprecated of each operation by operationId: itself,
    and the fields of its bodies.
    """
    if not TABLE:
        return {}
    uses = {
        name: set(_SCHEMA.findall(json.dumps(schema)))
        for name, schema in document["components"]["schemas"].items()
    }
    by_operation: dict[str, Notices] = {}
    for operation in _list_operations(document):
        schemas = _collect_schemas(set(_SCHEMA.findall(json.dumps(operation))), uses)
        for name, deprecation in TABLE.items():
            if name == operation["operationId"] or (
                "." in name and name.partition(".")[0] in schemas
            ):
                by_operation.setdefault(operation["operationId"], []).append((name, deprecation))
    return by_operation


def make_deprecation_headers(notices: Notices, base_url: str) -> list[tuple[str, str]]:
    """Return the headers of an answer: Deprecation (RFC 9745) and Sunset (RFC 8594) of what ends
    first, a sentence on each.
    """
    if not notices:
        return []
    deprecated_on = min(each.since for _, each in notices)
    sunset = min(each.sunset for _, each in notices)
    return [
        (
            "X-API-Deprecation-Notice",
            " ".join(deprecation.describe(name) for name, deprecation in notices),
        ),
        ("Deprecation", f"@{int(_find_midnight(deprecated_on).timestamp())}"),
        ("Sunset", format_datetime(_find_midnight(sunset), usegmt=True)),
        ("Link", f'<{base_url}/docs/changelog>; rel="deprecation"; type="text/html"'),
    ]


def _list_operations(document: Json) -> Iterator[Json]:
    for item in document["paths"].values():
        yield from item.values()


def _collect_schemas(names: set[str], uses: dict[str, set[str]]) -> set[str]:
    """Return the names of schemas, with those within them."""
    with_inner = names.union(*(uses.get(name, set()) for name in names))
    return names if with_inner == names else _collect_schemas(with_inner, uses)


def _mark(part: Json, name: str, deprecation: Deprecation) -> None:
    part["deprecated"] = True
    part["description"] = " ".join(
        filter(None, (deprecation.describe(name), part.get("description")))
    )


def _announce(operation: Json) -> None:
    """List the headers in every answer of the operation that is written out."""
    for response in operation["responses"].values():
        if "headers" in response:
            response["headers"] |= {
                name: {"$ref": f"#/components/headers/{name}"} for name in HEADERS
            }


def _find_midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
