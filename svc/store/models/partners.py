"""Models of partners, customers, accounts, and what belongs to an account."""

import peewee

from svc.store.models.table import Table


class Partner(Table):
    id = peewee.TextField(primary_key=True)
    name = peewee.TextField()
    status = peewee.TextField(default="Active")
    tier = peewee.TextField(default="Free")
    key_rotation = peewee.BigIntegerField(default=1)
    self_lifecycle = peewee.BigIntegerField(default=1)
    created_at = peewee.BigIntegerField()
    portal_origins = peewee.TextField(default="")

    class Meta:
        table_name = "partners"


class Customer(Table):
    id = peewee.TextField(primary_key=True)
    partner_id = peewee.ForeignKeyField(Partner, backref="+")
    name = peewee.TextField()
    monthly_ceiling = peewee.BigIntegerField(null=True)
    concurrency_ceiling = peewee.BigIntegerField(null=True)
    created_at = peewee.BigIntegerField()

    class Meta:
        table_name = "customers"


class Account(Table):
    id = peewee.TextField(primary_key=True)
    partner_id = peewee.ForeignKeyField(Partner, backref="+")
    customer_id = peewee.ForeignKeyField(Customer, backref="+")
    name = peewee.TextField()
    status = peewee.TextField(default="Active")
    environment = peewee.TextField()
    creator = peewee.TextField(null=True)
    default_project_type = peewee.TextField()
    auto_release = peewee.BigIntegerField(default=0)
    monthly_ceiling = peewee.BigIntegerField(null=True)
    concurrency_ceiling = peewee.BigIntegerField(null=True)
    accent = peewee.TextField(default="#3d7eff")
    created_at = peewee.BigIntegerField()
    second_colour = peewee.TextField(default="")
    theme = peewee.TextField(default="dark")
    caption_style = peewee.TextField(default="highlight")
    logo = peewee.TextField(null=True)
    full_text = peewee.BigIntegerField(default=0)
    logo_style = peewee.TextField(default="mark")
    lower_third = peewee.BigIntegerField(default=0)
    script_review = peewee.BigIntegerField(default=0)
    music = peewee.TextField(default="look")

    class Meta:
        table_name = "accounts"


class BrandFont(Table):
    account_id = peewee.ForeignKeyField(Account, backref="+", primary_key=True)
    licence = peewee.TextField()
    file = peewee.TextField()
    size_bytes = peewee.BigIntegerField()
    sha256 = peewee.TextField()
    created_at = peewee.BigIntegerField()

    class Meta:
        table_name = "brand_fonts"


class MusicTrack(Table):
    account_id = peewee.ForeignKeyField(Account, backref="+", primary_key=True)
    licence = peewee.TextField()
    file = peewee.TextField()
    size_bytes = peewee.BigIntegerField()
    sha256 = peewee.TextField()
    created_at = peewee.BigIntegerField()

    class Meta:
        table_name = "music_tracks"


class IntroClip(Table):
    account_id = peewee.ForeignKeyField(Account, backref="+", primary_key=True)
    licence = peewee.TextField()
    file = peewee.TextField()
    size_bytes = peewee.BigIntegerField()
    sha256 = peewee.TextField()
    created_at = peewee.BigIntegerField()
    milliseconds = peewee.BigIntegerField()

    class Meta:
        table_name = "intro_clips"


class OutroClip(Table):
    account_id = peewee.ForeignKeyField(Account, backref="+", primary_key=True)
    licence = peewee.TextField()
    file = peewee.TextField()
    size_bytes = peewee.BigIntegerField()
    sha256 = peewee.TextField()
    created_at = peewee.BigIntegerField()
    milliseconds = peewee.BigIntegerField()

    class Meta:
        table_name = "outro_clips"


class Lexicon(Table):
    account_id = peewee.ForeignKeyField(Account, backref="+", primary_key=True)
    entries = peewee.TextField()
    updated_at = peewee.BigIntegerField()

    class Meta:
        table_name = "lexicons"


class ProjectType(Table):
    account_id = peewee.ForeignKeyField(Account, backref="+")
    slug = peewee.TextField()
    name = peewee.TextField()
    title_template = peewee.TextField(default="{topic}")
    price = peewee.BigIntegerField(default=0)
    look = peewee.TextField(default="explainer")

    class Meta:
        table_name = "project_types"
        primary_key = peewee.CompositeKey("account_id", "slug")


class Avatar(Table):
    id = peewee.TextField(primary_key=True)
    customer_id = peewee.ForeignKeyField(Customer, backref="+")
    name = peewee.TextField()
    language_ids = peewee.TextField(null=True)
    appearance = peewee.TextField(default="{}")
    created_at = peewee.BigIntegerField()
    portrait = peewee.TextField(null=True)
    moving = peewee.BigIntegerField(default=1)

    class Meta:
        table_name = "avatars"


class Asset(Table):
    id = peewee.TextField(primary_key=True)
    customer_id = peewee.ForeignKeyField(Customer, backref="+")
    account_id = peewee.ForeignKeyField(Account, backref="+", null=True)
    name = peewee.TextField()
    media_type = peewee.TextField()
    file = peewee.TextField()
    size_bytes = peewee.BigIntegerField()
    sha256 = peewee.TextField()
    created_at = peewee.BigIntegerField()

    class Meta:
        table_name = "assets"


class SensitivityRule(Table):
    id = peewee.TextField(primary_key=True)
    scope = peewee.TextField()
    scope_id = peewee.TextField(null=True)
    phrase = peewee.TextField()
    is_pattern = peewee.BigIntegerField(default=0)
    created_at = peewee.BigIntegerField()

    class Meta:
        table_name = "sensitivity_rules"


class PartnerStorage(Table):
    partner_id = peewee.TextField(primary_key=True)
    bytes = peewee.BigIntegerField()

    class Meta:
        table_name = "partner_storage"
