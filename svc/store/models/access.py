"""Models of API keys, master keys, stored answers and failed authentications."""

import peewee

from svc.store.models.partners import Partner
from svc.store.models.table import Table


class ApiKey(Table):
    id = peewee.TextField(primary_key=True)
    partner_id = peewee.ForeignKeyField(Partner, backref="+")
    hash = peewee.BlobField(unique=True)
    prefix = peewee.TextField()
    environment = peewee.TextField()
    name = peewee.TextField()
    creator = peewee.TextField(null=True)
    scopes = peewee.TextField(null=True)
    permitted_account_ids = peewee.TextField(null=True)
    created_at = peewee.BigIntegerField()
    expires_at = peewee.BigIntegerField(null=True)
    revoked_at = peewee.BigIntegerField(null=True)
    rotated_to = peewee.ForeignKeyField("self", backref="+", column_name="rotated_to", null=True)
    verified_at = peewee.BigIntegerField(null=True)
    last_used_at = peewee.BigIntegerField(null=True)
    allowed_ranges = peewee.TextField(null=True)
    warned_at = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "api_keys"


class ActivationKey(Table):
    id = peewee.TextField(primary_key=True)
    partner_id = peewee.ForeignKeyField(Partner, backref="+")
    hash = peewee.BlobField(unique=True)
    prefix = peewee.TextField()
    name = peewee.TextField()
    scopes = peewee.TextField(null=True)
    permitted_account_ids = peewee.TextField(null=True)
    created_at = peewee.BigIntegerField()
    expires_at = peewee.BigIntegerField()
    spent_at = peewee.BigIntegerField(null=True)
    key_expires_at = peewee.BigIntegerField(null=True)
    allowed_ranges = peewee.TextField(null=True)

    class Meta:
        table_name = "activation_keys"


class IdempotencyKey(Table):
    partner_id = peewee.TextField()
    key = peewee.TextField()
    body_hash = peewee.BlobField()
    production_id = peewee.TextField()
    answer = peewee.TextField()
    created_at = peewee.BigIntegerField()
    sealed = peewee.BlobField(null=True)

    class Meta:
        table_name = "idempotency_keys"
        primary_key = peewee.CompositeKey("partner_id", "key")


class MasterKey(Table):
    version = peewee.BigAutoField()
    fingerprint = peewee.TextField()
    added_at = peewee.BigIntegerField()
    retired_at = peewee.BigIntegerField(null=True)
    waits_since = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "master_keys"


class AuthFailure(Table):
    address = peewee.TextField()
    at = peewee.BigIntegerField()

    class Meta:
        table_name = "auth_failures"
        primary_key = False


class AuthBurst(Table):
    address = peewee.TextField(primary_key=True)
    alerted_at = peewee.BigIntegerField()

    class Meta:
        table_name = "auth_bursts"
