"""The request history and usage."""

from marshmallow import Schema, fields

from svc.api.schemas.common import HistoryPageQuery, listing
from svc.api.schemas.fields import Instant, OneOf, identifier, text, time
from svc.base.errors import InvalidDateFormat, InvalidStatusClass


class HistoryQuery(HistoryPageQuery):
    since = Instant(
        data_key="from", refusal=InvalidDateFormat, load_default=None,
        metadata={"description": "Only requests at or after this; by default 24 hours before `to`."},
    )  # fmt: skip
    until = Instant(
        data_key="to", refusal=InvalidDateFormat, load_default=None,
        metadata={"description": "Only requests at or before this; by default now. At most 30 days after `from`."},
    )  # fmt: skip
    status = OneOf("2", "4", "5", refusal=InvalidStatusClass, load_default=None, metadata={"description": "Status class."})


class Request(Schema):
    requestId = identifier()
    timestamp = time()
    method = text(example="GET")
    path = text(example="/v1/accounts")
    statusCode = fields.Integer(allow_none=True, metadata={"description": "null while it is being answered."})
    errorCode = fields.String(allow_none=True)
    durationMs = fields.Float(allow_none=True)
    keyPrefix = text()
    correlationId = text()


RequestList = listing(Request, "RequestList")
