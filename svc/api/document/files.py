"""The download of a deliverable in the document: without a key, with byte ranges."""

from typing import Any

from svc.api.document import errors
from svc.api.document.headers import IN_EVERY_ANSWER, list_references
from svc.base import deliverable_kinds, media_types

_MEDIA_TYPES = (
    "application/octet-stream",  # the type that client generators recognise as a file
    *(
        media_type.partition(";")[0]
        for suffix, media_type in media_types.BY_SUFFIX.items()
        if suffix.removeprefix(".") in deliverable_kinds.FORMATS
    ),
)
_HEADERS = (*IN_EVERY_ANSWER, "Content-Disposition", "Accept-Ranges", "ETag", "Cache-Control")
_DESCRIPTION = (
    "`sasUrl` of the deliverables endpoint is such an address: use it unchanged. It needs no key, "
    "answers `HEAD`, conditional requests and `Range` (one range; the whole file for several), "
    "and is valid for one hour."
)


def complete_download(operation: dict[str, Any]) -> None:
    """Complete the operation in place."""
    operation |= {
        "operationId": "download",
        "summary": "Download a file by its signed link",
        "description": _DESCRIPTION,
        "security": [],
        "parameters": [
            _query(
                "expires",
                "The end of the link in Unix seconds.",
                {"type": "string", "pattern": "^[0-9]+$"},
                "1795253400",
            ),
            _query("signature", "Our signature.", {"type": "string"}, "x2b0kL3c"),
            {
                "name": "Range",
                "in": "header",
                "description": "Which bytes to send.",
                "schema": {"type": "string"},
                "example": "bytes=0-1023",
            },
        ],
        "responses": {
            "200": _describe_file_response("The file.", ()),
            "206": _describe_file_response("The bytes that `Range` asked for.", ("Content-Range",)),
            "304": {
                "description": "`If-None-Match` still holds.",
                "headers": list_references((*IN_EVERY_ANSWER, "ETag")),
            },
            "403": errors.describe_response(
                403,
                (
                    "`LINK_EXPIRED`: the hour is over. `LINK_INVALID`: it is not a link that we "
                    "signed. Ask for a fresh one."
                ),
            ),
            "404": errors.describe_response(
                404, "`NOT_FOUND`: the file is no longer kept, as after a cancel or a correction."
            ),
            "412": errors.describe_response(
                412, "`PRECONDITION_FAILED`: `If-Match` or `If-Unmodified-Since` does not hold."
            ),
            "416": _describe_range_error(),
            "500": {"$ref": "#/components/responses/InternalError"},
        },
    }


def _describe_range_error() -> dict[str, Any]:
    response = errors.describe_response(
        416, "`RANGE_NOT_SATISFIABLE`: `Range` begins after the end of the file."
    )
    response["headers"] |= list_references(("Content-Range",))
    return response


def _query(name: str, description: str, schema: dict[str, Any], example: str) -> dict[str, Any]:
    return {
        "name": name,
        "in": "query",
        "required": True,
        "description": description,
        "schema": schema,
        "example": example,
    }


def _describe_file_response(description: str, further_headers: tuple[str, ...]) -> dict[str, Any]:
    content = {
        media_type: {"schema": {"type": "string", "format": "binary"}}
        for media_type in _MEDIA_TYPES
    }
    return {
        "description": description,
        "headers": list_references((*_HEADERS, *further_headers)),
        "content": content,
    }
