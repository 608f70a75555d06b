"""Models of the request history, budgets, usage and costs."""

import peewee

from svc.store.models.table import Table


class Request(Table):
    id = peewee.BigAutoField()
    request_id = peewee.TextField()
    partner_id = peewee.TextField()
    at = peewee.BigIntegerField()
    counted = peewee.BigIntegerField()
    method = peewee.TextField()
    path = peewee.TextField()
    status_code = peewee.BigIntegerField(null=True)
    error_code = peewee.TextField(null=True)
    duration_ms = peewee.DoubleField(null=True)
    key_prefix = peewee.TextField()
    correlation_id = peewee.TextField()
    times = peewee.BigIntegerField(default=1)

    class Meta:
        table_name = "requests"


class Refusal(Table):
    id = peewee.BigAutoField()
    partner_id = peewee.TextField()
    at = peewee.BigIntegerField()
    answer = peewee.TextField()
    content_type = peewee.TextField(null=True)
    body = peewee.TextField(null=True)

    class Meta:
        table_name = "refusals"


class ProductionDay(Table):
    account_id = peewee.TextField()
    day = peewee.TextField()
    triggered = peewee.BigIntegerField(default=0)
    published = peewee.BigIntegerField(default=0)
    failed = peewee.BigIntegerField(default=0)
    cancelled = peewee.BigIntegerField(default=0)
    rendered_ms = peewee.BigIntegerField(default=0)

    class Meta:
        table_name = "production_days"
        primary_key = peewee.CompositeKey("account_id", "day")


class UsageDay(Table):
    partner_id = peewee.TextField()
    day = peewee.TextField()
    requests = peewee.BigIntegerField(default=0)
    status2xx = peewee.BigIntegerField(default=0)
    status4xx = peewee.BigIntegerField(default=0)
    status5xx = peewee.BigIntegerField(default=0)
    rate_limited = peewee.BigIntegerField(default=0)
    deliveries_succeeded = peewee.BigIntegerField(default=0)
    deliveries_failed = peewee.BigIntegerField(default=0)
    counted = peewee.BigIntegerField(default=0)

    class Meta:
        table_name = "usage_days"
        primary_key = peewee.CompositeKey("partner_id", "day")


class SandboxDay(Table):
    partner_id = peewee.TextField()
    creator = peewee.TextField()
    day = peewee.TextField()
    requests = peewee.BigIntegerField(default=0)
    status2xx = peewee.BigIntegerField(default=0)
    status4xx = peewee.BigIntegerField(default=0)
    status5xx = peewee.BigIntegerField(default=0)
    rate_limited = peewee.BigIntegerField(default=0)
    deliveries_succeeded = peewee.BigIntegerField(default=0)
    deliveries_failed = peewee.BigIntegerField(default=0)

    class Meta:
        table_name = "sandbox_days"
        primary_key = peewee.CompositeKey("partner_id", "creator", "day")


class LedgerEntry(Table):
    production_id = peewee.TextField(primary_key=True)
    account_id = peewee.TextField()
    customer_id = peewee.TextField()
    month = peewee.TextField()
    reserved = peewee.BigIntegerField()
    settled = peewee.BigIntegerField(null=True)
    for_models = peewee.BigIntegerField(default=0)

    class Meta:
        table_name = "ledger"


class ModelCharge(Table):
    id = peewee.BigAutoField()
    production_id = peewee.TextField()
    at = peewee.BigIntegerField()
    purpose = peewee.TextField()
    model = peewee.TextField()
    units_in = peewee.BigIntegerField()
    units_out = peewee.BigIntegerField()
    cost = peewee.BigIntegerField()

    class Meta:
        table_name = "model_charges"


class SpendMonth(Table):
    owner_id = peewee.TextField()
    month = peewee.TextField()
    amount = peewee.BigIntegerField(default=0)

    class Meta:
        table_name = "spend_months"
        primary_key = peewee.CompositeKey("owner_id", "month")


class UsageThreshold(Table):
    owner_id = peewee.TextField()
    name = peewee.TextField()
    period = peewee.TextField()
    percent = peewee.BigIntegerField()
    most = peewee.BigIntegerField()
    partner_id = peewee.TextField()
    reached_at = peewee.BigIntegerField()

    class Meta:
        table_name = "usage_thresholds"
        primary_key = peewee.CompositeKey("owner_id", "name", "period", "percent", "most")


class Counter(Table):
    name = peewee.TextField()
    labels = peewee.TextField()
    value = peewee.DoubleField()

    class Meta:
        table_name = "counters"
        primary_key = peewee.CompositeKey("name", "labels")
