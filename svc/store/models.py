"""peewee models of the records that operators manage: partners, customers, accounts and what belongs to them.

The tables are defined in ``schema.sql``, which a test compares with these models. Code that runs on every request uses
constant SQL through ``database`` instead, because peewee's query builder would cost more than SQLite itself.
"""

from typing import TypeAlias

import peewee

from svc.store.sqlite.engine import database

Condition: TypeAlias = peewee.Expression  # an argument of where()


class _Table(peewee.Model):
    class Meta:
        database = database
        legacy_table_names = False


class Partner(_Table):
    id = peewee.TextField(primary_key=True)
    name = peewee.TextField()
    status = peewee.TextField(default="Active")
    tier = peewee.TextField(default="Free")
    key_rotation = peewee.IntegerField(default=1)
    self_lifecycle = peewee.IntegerField(default=1)
    created_at = peewee.IntegerField()
    portal_origins = peewee.TextField(default="")

    class Meta:
        table_name = "partners"


class Customer(_Table):
    id = peewee.TextField(primary_key=True)
    partner = peewee.ForeignKeyField(Partner, column_name="partner_id")
    name = peewee.TextField()
    monthly_ceiling = peewee.IntegerField(null=True)
    concurrency_ceiling = peewee.IntegerField(null=True)
    created_at = peewee.IntegerField()

    class Meta:
        table_name = "customers"


class Account(_Table):
    id = peewee.TextField(primary_key=True)
    partner = peewee.ForeignKeyField(Partner, column_name="partner_id")
    customer = peewee.ForeignKeyField(Customer, column_name="customer_id")
    name = peewee.TextField()
    status = peewee.TextField(default="Active")
    environment = peewee.TextField()
    creator = peewee.TextField(null=True)
    default_project_type = peewee.TextField()
    auto_release = peewee.IntegerField(default=0)
    monthly_ceiling = peewee.IntegerField(null=True)
    concurrency_ceiling = peewee.IntegerField(null=True)
    accent = peewee.TextField(default="#3d7eff")
    created_at = peewee.IntegerField()
    second_colour = peewee.TextField(default="")
    theme = peewee.TextField(default="dark")
    caption_style = peewee.TextField(default="highlight")
    full_text = peewee.IntegerField(default=0)
    script_review = peewee.IntegerField(default=0)
    logo_style = peewee.TextField(default="mark")
    lower_third = peewee.IntegerField(default=0)
    music = peewee.TextField(default="look")
    logo = peewee.TextField(null=True)

    class Meta:
        table_name = "accounts"


class ProjectType(_Table):
    account = peewee.ForeignKeyField(Account, column_name="account_id")
    slug = peewee.TextField()
    name = peewee.TextField()
    title_template = peewee.TextField(default="{topic}")
    price = peewee.IntegerField(default=0)
    look = peewee.TextField(default="explainer")

    class Meta:
        table_name = "project_types"
        primary_key = peewee.CompositeKey("account", "slug")


class Avatar(_Table):
    id = peewee.TextField(primary_key=True)
    customer = peewee.ForeignKeyField(Customer, column_name="customer_id")
    name = peewee.TextField()
    language_ids = peewee.TextField(null=True)
    appearance = peewee.TextField(default="{}")
    created_at = peewee.IntegerField()
    portrait = peewee.TextField(null=True)
    moving = peewee.IntegerField(default=1)

    class Meta:
        table_name = "avatars"


class Asset(_Table):
    id = peewee.TextField(primary_key=True)
    customer = peewee.ForeignKeyField(Customer, column_name="customer_id")
    account = peewee.ForeignKeyField(Account, column_name="account_id", null=True)
    name = peewee.TextField()
    media_type = peewee.TextField()
    file = peewee.TextField()
    size_bytes = peewee.IntegerField()
    sha256 = peewee.TextField()
    created_at = peewee.IntegerField()

    class Meta:
        table_name = "assets"


class ConnectedPlatform(_Table):
    account = peewee.ForeignKeyField(Account, column_name="account_id")
    platform = peewee.TextField()
    status = peewee.TextField(default="Connected")
    connected_at = peewee.IntegerField()
    connection_id = peewee.TextField(null=True)

    class Meta:
        table_name = "connected_platforms"
        primary_key = peewee.CompositeKey("account", "platform")


class SensitivityRule(_Table):
    id = peewee.TextField(primary_key=True)
    scope = peewee.TextField()
    scope_id = peewee.TextField(null=True)
    phrase = peewee.TextField()
    is_pattern = peewee.IntegerField(default=0)
    created_at = peewee.IntegerField()

    class Meta:
        table_name = "sensitivity_rules"


MODELS = (Partner, Customer, Account, ProjectType, Avatar, Asset, ConnectedPlatform, SensitivityRule)
