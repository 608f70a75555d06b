"""The request history and usage."""

from marshmallow import Schema, fields

from svc.api.schemas.accounts import Limits
from svc.api.schemas.common import HistoryPageQuery, listing
from svc.api.schemas.fields import Instant, OneOf, Whole, count, identifier, text, time
from svc.base.errors import InvalidDateFormat, InvalidMonthsParam, InvalidStatusClass


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


class UsageQuery(Schema):
    months = Whole(
        1, 12, refusal=InvalidMonthsParam, load_default=1, metadata={"description": "How many months, the current one among them."}
    )


class RequestCounts(Schema):
    total = count()
    status2xx = count()
    status4xx = count()
    status5xx = count()
    rateLimited = count(description="Answered 429; counted in `status4xx` too.")


class ProductionCounts(Schema):
    triggered = count()
    published = count()
    failed = count()
    cancelled = count()


class DeliveryCounts(Schema):
    succeeded = count()
    failed = count()


class AccountUsage(Schema):
    accountId = identifier()
    productions = fields.Nested(ProductionCounts)
    renderedSeconds = fields.Float()
    spend = fields.Float()


class UsageSums(Schema):
    requests = fields.Nested(RequestCounts)
    productions = fields.Nested(ProductionCounts)
    renderedSeconds = fields.Float(metadata={"description": "Length of the videos that were made."})
    webhookDeliveries = fields.Nested(DeliveryCounts)
    spend = fields.Float(metadata={"description": "In the operator's currency."})


class UsageMonth(UsageSums):
    month = text(example="2026-11")
    byAccount = fields.List(fields.Nested(AccountUsage))


class Usage(Schema):
    since = fields.String(data_key="from", metadata={"format": "date-time"})
    until = fields.String(data_key="to", metadata={"format": "date-time"})
    tier = text()
    limits = fields.Nested(Limits)
    months = fields.List(fields.Nested(UsageMonth))
    totals = fields.Nested(UsageSums)


RequestList = listing(Request, "RequestList")
