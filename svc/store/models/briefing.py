"""Models of scripts, translations, batches and templates."""

import peewee

from svc.store.models.partners import Account
from svc.store.models.productions import Production
from svc.store.models.table import Table


class Script(Table):
    production_id = peewee.ForeignKeyField(Production, backref="+")
    version = peewee.BigIntegerField()
    scenes = peewee.TextField()
    written = peewee.TextField(null=True)
    created_at = peewee.BigIntegerField()
    last_scene = peewee.BigIntegerField(default=0)

    class Meta:
        table_name = "scripts"
        primary_key = peewee.CompositeKey("production_id", "version")


class Translation(Table):
    production_id = peewee.ForeignKeyField(Production, backref="+", primary_key=True)
    source_language_id = peewee.TextField()
    source = peewee.TextField()
    target = peewee.TextField(null=True)
    created_at = peewee.BigIntegerField()
    done_at = peewee.BigIntegerField(null=True)
    draft = peewee.TextField(null=True)
    draft_version = peewee.BigIntegerField(default=0)

    class Meta:
        table_name = "translations"


class Batch(Table):
    id = peewee.TextField(primary_key=True)
    partner_id = peewee.TextField()
    account_id = peewee.ForeignKeyField(Account, backref="+")
    mode = peewee.TextField()
    idempotency_key = peewee.TextField(null=True)
    digest = peewee.BlobField()
    size = peewee.BigIntegerField()
    correlation_id = peewee.TextField()
    created_at = peewee.BigIntegerField()
    handled_at = peewee.BigIntegerField(null=True)
    cancelled_at = peewee.BigIntegerField(null=True)
    finished_at = peewee.BigIntegerField(null=True)
    under_way = peewee.TextField(null=True)
    under_way_for = peewee.TextField(null=True)
    completions = peewee.BigIntegerField(default=0)

    class Meta:
        table_name = "batches"


class BatchItem(Table):
    batch_id = peewee.ForeignKeyField(Batch, backref="+")
    position = peewee.BigIntegerField()
    external_id = peewee.TextField(null=True)
    production_id = peewee.TextField(null=True)
    error_code = peewee.TextField(null=True)
    error_message = peewee.TextField(null=True)
    stopped = peewee.BigIntegerField(default=0)
    brief = peewee.TextField(null=True)
    topic = peewee.TextField(null=True)

    class Meta:
        table_name = "batch_items"
        primary_key = peewee.CompositeKey("batch_id", "position")


class Template(Table):
    id = peewee.TextField(primary_key=True)
    account_id = peewee.ForeignKeyField(Account, backref="+")
    name = peewee.TextField()
    brief = peewee.TextField()
    variables = peewee.TextField()
    created_at = peewee.BigIntegerField()
    updated_at = peewee.BigIntegerField()
    removed_at = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "templates"
