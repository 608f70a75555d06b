"""Schemas of the request history and of usage."""

from marshmallow import Schema, fields

from svc.api.schemas.accounts import Limits
from svc.api.schemas.common import HistoryPageQuery, make_list_envelope
from svc.api.schemas.fields import (
    Instant,
    OneOf,
    Text,
    Whole,
    count,
    identifier,
    number,
    text,
    time,
)
from svc.base.errors import InvalidMonthsParam, InvalidStatusClass
from svc.domain.tiers import TIERS


class HistoryQuery(HistoryPageQuery):
    since = Instant(
        data_key="from",
        load_default=None,
        metadata={
            "description": "Only requests at or after this; by default 24 hours before `to`."
        },
    )
    until = Instant(
        data_key="to",
        load_default=None,
        metadata={
            "description": (
                "Only requests at or before this; by default now. At most 30 days after `from`."
            )
        },
    )
    correlation_id = Text(
        shortest=1,
        longest=64,
        data_key="correlationId",
        load_default=None,
        metadata={"description": "Only requests with this `X-Correlation-Id`."},
    )
    status = OneOf(
        "2",
        "4",
        "5",
        refusal=InvalidStatusClass,
        load_default=None,
        metadata={"description": "Status class."},
    )


class Request(Schema):
    requestId = identifier(description="The request.")
    timestamp = time(description="When it was received.")
    method = text(description="Its HTTP method.", example="GET")
    path = text(description="Its path, without the query.", example="/v1/accounts")
    statusCode = count(
        nullable=True,
        description="The status of the answer; null while it is being answered.",
        example=200,
    )
    errorCode = text(
        nullable=True, description="`error` of the error envelope; null on success.", example=None
    )
    durationMs = number(nullable=True, description="How long the answer took.", example=3.2)
    keyPrefix = text(description="The first characters of the key.", example="svc_live_h3Xk0q")
    correlationId = text(
        description="Its `X-Correlation-Id`.", example="9f0c6b1e6f8f4b6c8c1d2f7a5e3b4a10"
    )
    count = count(
        description=(
            "How many alike it stands for: refusals that no budget bounds, such as 429, are "
            "counted by key, method, route, status and minute; 1 for every other request."
        ),
        example=1,
    )


class UsageQuery(Schema):
    months = Whole(
        1,
        12,
        refusal=InvalidMonthsParam,
        load_default=1,
        metadata={"description": "The number of months, including the current one."},
    )


class RequestCounts(Schema):
    total = count(description="All requests.", example=1480)
    status2xx = count(description="Answered 2xx.", example=1466)
    status4xx = count(description="Answered 4xx.", example=14)
    status5xx = count(description="Answered 5xx.", example=0)
    rateLimited = count(description="Answered 429; counted in `status4xx` too.", example=3)


class ProductionCounts(Schema):
    triggered = count(description="Triggered in the month.", example=18)
    published = count(description="Published in the month.", example=16)
    failed = count(description="Failed in the month.", example=1)
    cancelled = count(description="Cancelled in the month.", example=1)


class DeliveryCounts(Schema):
    succeeded = count(description="Webhook deliveries that were answered 2xx.", example=214)
    failed = count(description="Webhook deliveries that failed, including all retries.", example=2)


class AccountUsage(Schema):
    accountId = identifier(description="The account.")
    productions = fields.Nested(ProductionCounts, metadata={"description": "Its productions."})
    renderedSeconds = number(description="Length of its videos.", example=1312.4)
    spend = number(description="In the operator's currency.", example=9.0)


class UsageSums(Schema):
    requests = fields.Nested(
        RequestCounts, metadata={"description": "API requests by the status of their answers."}
    )
    productions = fields.Nested(
        ProductionCounts, metadata={"description": "Productions by their outcome."}
    )
    renderedSeconds = number(description="Length of the videos.", example=1312.4)
    webhookDeliveries = fields.Nested(
        DeliveryCounts, metadata={"description": "Webhook deliveries that ended."}
    )
    spend = number(
        description="In the operator's currency, of the accounts that the key may access.",
        example=9.0,
    )
    sandboxSpend = number(
        description=(
            "What productions of sandboxes would have cost. It is no part of what live accounts "
            "spend, nor of any budget of theirs. A test key sees its own, in `spend`, too."
        ),
        example=2.5,
    )


class UsageMonth(UsageSums):
    month = text(description="A UTC month.", example="2026-11")
    byAccount = fields.List(
        fields.Nested(AccountUsage),
        metadata={"description": "By account, without accounts that have none."},
    )


class Money(Schema):
    ceiling = number(
        nullable=True,
        description="At most in a UTC month, in the operator's currency; null: none.",
        example=50.0,
    )
    used = number(description="Spent and reserved in this month.", example=9.0)
    left = number(
        nullable=True,
        description="What a further production may cost; null: no ceiling.",
        example=41.0,
    )


class Places(Schema):
    ceiling = count(nullable=True, description="At most; null: no ceiling.", example=10)
    used = count(description="Now.", example=4)
    left = count(nullable=True, description="What is left; null: no ceiling.", example=6)


class CustomerCeilings(Schema):
    monthlySpend = fields.Nested(Money, metadata={"description": "Budget gate 2."})
    concurrentProductions = fields.Nested(
        Places, metadata={"description": "Productions that have not ended."}
    )


class AccountCeilings(Schema):
    accountId = identifier(description="The account.")
    monthlySpend = fields.Nested(Money, metadata={"description": "Budget gate 1."})
    concurrentProductions = fields.Nested(
        Places, metadata={"description": "Productions that have not ended."}
    )
    dailyProductions = fields.Nested(
        Places, metadata={"description": "Triggered since midnight UTC; the tier's ceiling."}
    )
    customer = fields.Nested(
        CustomerCeilings,
        allow_none=True,
        metadata={
            "description": (
                "Those of its customer, shared by its live accounts and, apart from them, by its "
                "sandboxes; null: the key is limited to some accounts."
            ),
        },
    )


class Usage(Schema):
    since = time(
        data_key="from",
        description="The beginning of the oldest month.",
        example="2026-11-01T00:00:00.000Z",
    )
    until = time(data_key="to", description="Now.", example="2026-11-21T12:00:00.000Z")
    tier = text(one_of=tuple(TIERS), description="The current tier.", example="Standard")
    limits = fields.Nested(Limits, metadata={"description": "The limits of the tier."})
    ceilings = fields.List(
        fields.Nested(AccountCeilings),
        metadata={
            "description": (
                "What is used and left now: at most 100 accounts, those that spent most in this "
                "month first."
            )
        },
    )
    months = fields.List(fields.Nested(UsageMonth), metadata={"description": "Newest first."})
    totals = fields.Nested(UsageSums, metadata={"description": "Over these months."})


RequestList = make_list_envelope(Request, "RequestList")
