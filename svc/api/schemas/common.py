"""Shared schemas: the error envelope, and the list envelope with its parameters."""

from typing import Any

from marshmallow import Schema, ValidationError, fields, post_load, validate

from svc.api.schemas.fields import Cursor, Whole, count, find_list_name, flag, text
from svc.base import key_texts
from svc.base.errors import InvalidLimit
from svc.domain.paging import Page


class Error(Schema):
    error = text(description="Machine-readable code.", example="INVALID_REQUEST")
    message = text(
        description="What is wrong with the request, and how to fix it.",
        example="The request is not valid.",
    )
    retryAfterSeconds = count(
        nullable=True, description="Seconds to wait; on 429 and 503, else null.", example=None
    )
    correlationId = text(
        description="Trace identifier to quote to support; also in `X-Correlation-Id`.",
        example="9f0c6b1e6f8f4b6c8c1d2f7a5e3b4a10",
    )
    fields_ = fields.Dict(
        keys=fields.String(),
        values=fields.List(fields.String()),
        data_key="fields",
        metadata={
            "description": "On validation errors: field name to messages.",
            "x-optional": True,
        },
    )


def _check_holds_no_key(text: str) -> None:
    if key_texts.holds_key(text):
        raise ValidationError(key_texts.REFUSAL)


class IdempotencyHeader(Schema):
    key = fields.String(
        data_key="Idempotency-Key",
        load_default=None,
        validate=[
            validate.Regexp(
                r"^[A-Za-z0-9_:.-]{1,255}$",
                error="Must be 1 to 255 letters (A to Z, a to z), digits, or signs of `_:.-`.",
            ),
            _check_holds_no_key,  # which has that form, and would be stored for a day
        ],
        metadata={
            "description": (
                "A repeated call with the same key and body gets the first answer again, for "
                "24 hours."
            )
        },
    )


class Nothing(Schema):
    """An absent body or an empty object; fields are refused, as they would have no effect."""

    may_be_absent = True


class PageQuery(Schema):
    limit = Whole(1, 100, load_default=20, metadata={"description": "Entries at most in one page."})
    cursor = Cursor(
        load_default=None,
        metadata={"description": "`nextCursor` of an earlier page.", "pattern": "^[A-Za-z0-9_-]+$"},
    )

    @post_load
    def to_page(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        limit, cursor = data.pop("limit"), data.pop("cursor")
        data["page"] = (
            Page(limit, cursor, find_list_name()) if cursor else Page(limit, of=find_list_name())
        )
        return data


class WholeOrPageQuery(Schema):
    """The query of a list that is short and constant: the response has the complete list,
    unless a page is requested.
    """

    limit = Whole(
        1,
        100,
        load_default=None,
        metadata={"description": "Entries at most in one page; 20 where only `cursor` is sent."},
    )
    cursor = Cursor(
        load_default=None,
        metadata={"description": "`nextCursor` of an earlier page.", "pattern": "^[A-Za-z0-9_-]+$"},
    )

    @post_load
    def to_page(self, data: dict[str, Any], **_: Any) -> dict[str, Any]:
        limit, cursor = data["limit"], data["cursor"]
        if limit is None and cursor is None:
            return {"page": None}
        return {
            "page": Page(limit or 20, cursor, find_list_name())
            if cursor
            else Page(limit, of=find_list_name())
        }


class HistoryPageQuery(PageQuery):
    limit = Whole(
        1,
        100,
        refusal=InvalidLimit,
        load_default=20,
        metadata={"description": "Entries at most in one page."},
    )


def make_list_envelope(
    entry: type[Schema], name: str, **further_fields: "fields.Field[Any]"
) -> type[Schema]:
    """Return the list envelope of ``entry``."""
    fields_by_name: dict[str, fields.Field[Any]] = {
        "data": fields.List(
            fields.Nested(entry), metadata={"description": "The entries of this page."}
        ),
        "hasMore": flag(description="Whether there is another page.", example=False),
        "nextCursor": text(
            nullable=True,
            description="What to send as `cursor` for the next page; null on the last.",
            example=None,
        ),
        **further_fields,
    }
    return Schema.from_dict(fields_by_name, name=name)
