"""Models of platforms, connections to them, and publications."""

import peewee

from svc.store.models.partners import Account
from svc.store.models.productions import Production
from svc.store.models.table import Table


class ConnectedPlatform(Table):
    account_id = peewee.ForeignKeyField(Account, backref="+")
    platform = peewee.TextField()
    status = peewee.TextField(default="Connected")
    connected_at = peewee.BigIntegerField()
    connection_id = peewee.TextField(null=True)

    class Meta:
        table_name = "connected_platforms"
        primary_key = peewee.CompositeKey("account_id", "platform")


class Connection(Table):
    id = peewee.TextField(primary_key=True)
    account_id = peewee.ForeignKeyField(Account, backref="+")
    name = peewee.TextField()
    connector = peewee.TextField()
    shape = peewee.TextField()
    title_template = peewee.TextField()
    text_template = peewee.TextField()
    settings = peewee.TextField()
    sealed = peewee.BlobField(null=True)
    created_at = peewee.BigIntegerField()
    renewed_at = peewee.BigIntegerField(null=True)
    tried_at = peewee.BigIntegerField(null=True)
    problem = peewee.TextField(null=True)
    removed_at = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "connections"


class ConnectionTry(Table):
    id = peewee.TextField(primary_key=True)
    account_id = peewee.ForeignKeyField(Account, backref="+")
    production_id = peewee.TextField(null=True)
    title = peewee.TextField()
    begun_at = peewee.BigIntegerField()
    ended_at = peewee.BigIntegerField(null=True)
    problem = peewee.TextField(null=True)

    class Meta:
        table_name = "connection_tries"


class Publication(Table):
    production_id = peewee.ForeignKeyField(Production, backref="+")
    platform = peewee.TextField()
    account_id = peewee.TextField()
    status = peewee.TextField(default="Pending")
    platform_post_id = peewee.TextField(null=True)
    attempts = peewee.BigIntegerField(default=0)
    error = peewee.TextField(null=True)
    next_attempt_at = peewee.BigIntegerField(null=True)
    published_at = peewee.BigIntegerField(null=True)
    claim_token = peewee.TextField(null=True)
    claim_boot = peewee.TextField(null=True)
    claim_until = peewee.BigIntegerField(null=True)
    description = peewee.TextField(null=True)
    connection_id = peewee.TextField(null=True)
    idempotency_key = peewee.TextField(null=True)
    session = peewee.BlobField(null=True)
    sent_bytes = peewee.BigIntegerField(null=True)
    post_url = peewee.TextField(null=True)
    details = peewee.TextField(null=True)
    figures = peewee.TextField(null=True)
    figures_at = peewee.BigIntegerField(null=True)
    figures_due = peewee.BigIntegerField(null=True)
    total_bytes = peewee.BigIntegerField(null=True)
    publish_at = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "publications"
        primary_key = peewee.CompositeKey("production_id", "platform")
