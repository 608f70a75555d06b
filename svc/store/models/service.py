"""Models of the service itself: named values, workers and alerts."""

import peewee

from svc.store.models.table import Table


class NamedValue(Table):
    name = peewee.TextField(primary_key=True)
    value = peewee.TextField()

    class Meta:
        table_name = "meta"


class Worker(Table):
    id = peewee.TextField(primary_key=True)
    role = peewee.TextField()
    hostname = peewee.TextField()
    pid = peewee.BigIntegerField()
    version = peewee.TextField()
    steps = peewee.BigIntegerField()
    can_run = peewee.TextField()
    started_at = peewee.BigIntegerField()
    seen_at = peewee.BigIntegerField()
    sick = peewee.TextField(null=True)
    master_keys = peewee.TextField(null=True)
    signs_with = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "workers"


class Alert(Table):
    id = peewee.BigAutoField()
    at = peewee.BigIntegerField()
    name = peewee.TextField()
    severity = peewee.TextField()
    partner_id = peewee.TextField(null=True)
    subject_id = peewee.TextField(null=True)
    message = peewee.TextField()
    notified_at = peewee.BigIntegerField(null=True)
    seen_at = peewee.BigIntegerField(null=True)
    closed_at = peewee.BigIntegerField(null=True)
    told = peewee.TextField(null=True)

    class Meta:
        table_name = "alerts"
