"""An answer of the API: what it says, and whether it has the shape that the SDK
itself relies on.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from partner_production import models
from partner_production.errors import InvalidResponse, excerpt

_NUMBER = (int, float)
# What the SDK reads of answers, by the type that they should have; whatever else they hold is the
# caller's to read.
_READ: dict[object, Mapping[str, Any]] = {
    models.Event: {"sequenceNumber": int},
    models.EventFeed: {"data": [models.Event], "nextCursor": str, "pollAfterSeconds": _NUMBER},
    models.ProductionWithSteps: {"productionId": str, "status": str},
    models.ScenePreview: {"content": str},
    models.Language: {"languageId": str, "code": str},
    models.Country: {"countryId": str, "code": str},
    models.Batch: {"batchId": str, "status": str, "counts": dict},
    models.Deliverable: {
        "deliverableId": str,
        "type": str,
        "format": str,
        "sasUrl": str,
        "sizeBytes": int,
        "sha256": str,
    },
    models.DeliverableList: {"data": [models.Deliverable]},
}


@dataclass(frozen=True)
class Response:
    """An answer that is no error.

    Attributes:
        status: The HTTP status.
        headers: With their names in lower case.
        body: What its JSON says; None if it is empty.
    """

    status: int
    headers: Mapping[str, str]
    body: Any = None

    @property
    def correlation_id(self) -> str | None:
        """What to quote to support."""
        return self.headers.get("x-correlation-id")


def read(status: int, headers: Mapping[str, str], content: bytes, kind: object) -> Response:
    """Return an answer whose body is to be a ``kind``; ``object``: anything. InvalidResponse."""
    named = {name.lower(): value for name, value in headers.items()}
    response = Response(status, named, _json(status, named, content))
    if kind is not object:
        require(response, response.body, kind)
    return response


def require(response: Response, value: Any, kind: object, name: str = "the answer") -> None:
    """Raise InvalidResponse where a value of an answer has not what the SDK reads of a ``kind``."""
    if not isinstance(value, dict):
        raise _wrong(response, f"{name} is {_called(value)}, not an object")
    for field, wanted in _READ.get(kind, {}).items():
        given, where = value.get(field), f"{field} of {name}"
        if isinstance(wanted, list):
            if not isinstance(given, list):
                raise _wrong(response, f"{where} is {_called(given)}, not a list")
            for entry in given:
                require(response, entry, wanted[0], f"an entry of {where}")
        elif not isinstance(given, wanted) or isinstance(given, bool):
            raise _wrong(response, f"{where} is {_called(given)}")


def require_page(response: Response, kind: object) -> None:
    """Raise InvalidResponse where an answer is no page of a list whose entries are a ``kind``."""
    page = response.body
    require(response, page, object)
    if not isinstance(page.get("data"), list):
        raise _wrong(response, f"data of the answer is {_called(page.get('data'))}, not a list")
    for entry in page["data"]:
        require(response, entry, kind, "an entry of data")
    if page.get("hasMore") and not isinstance(page.get("nextCursor"), str):
        raise _wrong(response, "there is another page, but no nextCursor")


def _json(status: int, headers: Mapping[str, str], content: bytes) -> Any:
    if not content.strip():
        return None
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as bad:
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if "json" in kind:
            reason = f"The answer is no whole JSON: {excerpt(content)}"
            raise InvalidResponse(status, headers, reason, is_damaged=True) from bad
        reason = (
            f"The answer is {kind or 'something'} instead of JSON; is the address the service's? "
            f"{excerpt(content)}"
        )
        raise InvalidResponse(status, headers, reason) from bad


def _called(value: object) -> str:
    """Return what a value is called, without what it holds."""
    if value is None:
        return "missing or null"
    return f"a {type(value).__name__}"


def _wrong(response: Response, reason: str) -> InvalidResponse:
    return InvalidResponse(
        response.status, response.headers, f"The answer has another shape: {reason}."
    )
