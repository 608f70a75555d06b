"""Models of events, subscriptions, deliveries and their attempts."""

import peewee

from svc.store.models.partners import Partner
from svc.store.models.table import Table


class Event(Table):
    production_id = peewee.TextField()
    sequence = peewee.BigIntegerField()
    partner_id = peewee.TextField()
    account_id = peewee.TextField()
    event_type = peewee.TextField()
    at = peewee.BigIntegerField()
    correlation_id = peewee.TextField()
    truncated = peewee.BigIntegerField(default=0)
    data = peewee.TextField()
    position = peewee.BigIntegerField(default=0)

    class Meta:
        table_name = "events"
        primary_key = peewee.CompositeKey("production_id", "sequence")


class Subscription(Table):
    id = peewee.TextField(primary_key=True)
    partner_id = peewee.ForeignKeyField(Partner, backref="+")
    environment = peewee.TextField()
    creator = peewee.TextField(null=True)
    endpoint_url = peewee.TextField()
    event_types = peewee.TextField()
    account_ids = peewee.TextField(null=True)
    account_scope_id = peewee.TextField(null=True)
    permitted_account_ids = peewee.TextField(null=True)
    status = peewee.TextField(default="Active")
    failure_count = peewee.BigIntegerField(default=0)
    troubled = peewee.BigIntegerField(default=0)
    secret_version = peewee.BigIntegerField()
    last_delivery_at = peewee.BigIntegerField(null=True)
    last_ping_at = peewee.BigIntegerField(null=True)
    created_at = peewee.BigIntegerField()
    deleted_at = peewee.BigIntegerField(null=True)
    failing_since = peewee.BigIntegerField(null=True)
    secret_generation = peewee.BigIntegerField(default=0)
    overlap_until = peewee.BigIntegerField(null=True)
    paused_at = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "subscriptions"


class RolledSecret(Table):
    subscription_id = peewee.ForeignKeyField(Subscription, backref="+")
    generation = peewee.BigIntegerField()
    secret_version = peewee.BigIntegerField()
    rolled_at = peewee.BigIntegerField()
    ends_at = peewee.BigIntegerField()

    class Meta:
        table_name = "rolled_secrets"
        primary_key = peewee.CompositeKey("subscription_id", "generation")


class Delivery(Table):
    id = peewee.TextField(primary_key=True)
    subscription_id = peewee.ForeignKeyField(Subscription, backref="+")
    partner_id = peewee.TextField()
    event_id = peewee.TextField()
    event_type = peewee.TextField()
    production_id = peewee.TextField()
    sequence = peewee.BigIntegerField()
    body = peewee.BlobField()
    status = peewee.TextField()
    holds = peewee.BigIntegerField(default=1)
    failures = peewee.BigIntegerField(default=0)
    first_failed_at = peewee.BigIntegerField(null=True)
    second_failed_at = peewee.BigIntegerField(null=True)
    interruptions = peewee.BigIntegerField(default=0)
    lane = peewee.BigIntegerField(default=0)
    next_attempt_at = peewee.BigIntegerField(null=True)
    claim_token = peewee.TextField(null=True)
    claim_boot = peewee.TextField(null=True)
    claim_until = peewee.BigIntegerField(null=True)
    created_at = peewee.BigIntegerField()
    finished_at = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "deliveries"


class Attempt(Table):
    id = peewee.BigAutoField()
    delivery_id = peewee.ForeignKeyField(Delivery, backref="+")
    attempted_at = peewee.BigIntegerField()
    status_code = peewee.BigIntegerField(null=True)
    error = peewee.TextField(null=True)
    duration_ms = peewee.DoubleField(null=True)
    answer = peewee.TextField(null=True)
    findings = peewee.TextField(null=True)
    possible_duplicate = peewee.BigIntegerField(default=0)
    endpoint_url = peewee.TextField(null=True)

    class Meta:
        table_name = "attempts"
