"""Models of users, their sessions and forms, and the audit log."""

import peewee

from svc.store.models.partners import Partner
from svc.store.models.table import Table


class User(Table):
    id = peewee.TextField(primary_key=True)
    email = peewee.TextField(unique=True)
    name = peewee.TextField()
    role = peewee.TextField()
    partner_id = peewee.ForeignKeyField(Partner, backref="+", null=True)
    password = peewee.TextField()
    created_at = peewee.BigIntegerField()
    disabled_at = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "users"


class Session(Table):
    id = peewee.TextField(primary_key=True)
    hash = peewee.BlobField(unique=True)
    user_id = peewee.ForeignKeyField(User, backref="+")
    created_at = peewee.BigIntegerField()
    seen_at = peewee.BigIntegerField()
    address = peewee.TextField()
    browser = peewee.TextField()

    class Meta:
        table_name = "sessions"


class Invitation(Table):
    id = peewee.TextField(primary_key=True)
    hash = peewee.BlobField(unique=True)
    role = peewee.TextField()
    partner_id = peewee.ForeignKeyField(Partner, backref="+", null=True)
    email = peewee.TextField(null=True)
    user_id = peewee.ForeignKeyField(User, backref="+", null=True)
    created_at = peewee.BigIntegerField()
    expires_at = peewee.BigIntegerField()
    used_at = peewee.BigIntegerField(null=True)
    creator = peewee.TextField(null=True)

    class Meta:
        table_name = "invitations"


class SecondFactor(Table):
    user_id = peewee.ForeignKeyField(User, backref="+", primary_key=True)
    nonce = peewee.BlobField()
    key_version = peewee.BigIntegerField()
    last_step = peewee.BigIntegerField(default=0)
    created_at = peewee.BigIntegerField()
    confirmed_at = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "second_factors"


class RecoveryCode(Table):
    hash = peewee.BlobField(primary_key=True)
    user_id = peewee.ForeignKeyField(User, backref="+")
    used_at = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "recovery_codes"


class SentForm(Table):
    hash = peewee.BlobField(primary_key=True)
    user_id = peewee.ForeignKeyField(User, backref="+", on_delete="CASCADE")
    created_at = peewee.BigIntegerField()
    answer = peewee.TextField(null=True)

    class Meta:
        table_name = "sent_forms"


class KeptForm(Table):
    hash = peewee.BlobField(primary_key=True)
    user_id = peewee.ForeignKeyField(User, backref="+", on_delete="CASCADE")
    sealed = peewee.BlobField()
    created_at = peewee.BigIntegerField()

    class Meta:
        table_name = "kept_forms"


class SavedFilter(Table):
    user_id = peewee.ForeignKeyField(User, backref="+", on_delete="CASCADE")
    list = peewee.TextField()
    name = peewee.TextField()
    query = peewee.TextField()
    created_at = peewee.BigIntegerField()

    class Meta:
        table_name = "saved_filters"
        primary_key = peewee.CompositeKey("user_id", "list", "name")


class SignInTry(Table):
    subject = peewee.TextField(primary_key=True)
    since = peewee.BigIntegerField()
    tries = peewee.BigIntegerField()

    class Meta:
        table_name = "sign_in_tries"


class AuditEntry(Table):
    id = peewee.BigAutoField()
    at = peewee.BigIntegerField()
    actor_id = peewee.TextField(null=True)
    actor = peewee.TextField()
    action = peewee.TextField()
    partner_id = peewee.TextField(null=True)
    subject_id = peewee.TextField(null=True)
    subject = peewee.TextField()
    before = peewee.TextField(null=True)
    after = peewee.TextField(null=True)
    salt = peewee.BlobField(null=True)
    content_hash = peewee.BlobField(null=True)
    hash = peewee.BlobField(null=True)
    seal = peewee.BlobField(null=True)
    key_version = peewee.BigIntegerField(null=True)
    redacted_at = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "audit"
