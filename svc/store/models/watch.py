"""Models of viewings of watch pages."""

import peewee

from svc.store.models.table import Table


class Play(Table):
    id = peewee.TextField(primary_key=True)
    platform_post_id = peewee.TextField()
    production_id = peewee.TextField()
    platform = peewee.TextField()
    viewer = peewee.BlobField()
    day = peewee.TextField()
    started_at = peewee.BigIntegerField()
    watched_seconds = peewee.DoubleField(default=0.0)
    updated_at = peewee.BigIntegerField()

    class Meta:
        table_name = "plays"


class PlayDay(Table):
    production_id = peewee.TextField()
    platform = peewee.TextField()
    day = peewee.TextField()
    views = peewee.BigIntegerField()
    watched_seconds = peewee.DoubleField()

    class Meta:
        table_name = "play_days"
        primary_key = peewee.CompositeKey("production_id", "platform", "day")


class PlayViewer(Table):
    production_id = peewee.TextField()
    platform = peewee.TextField()
    viewers = peewee.BigIntegerField()

    class Meta:
        table_name = "play_viewers"
        primary_key = peewee.CompositeKey("production_id", "platform")
