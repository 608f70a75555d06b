"""Models of productions, their steps, deliverables and the render queue."""

import peewee

from svc.store.models.partners import Account, Partner
from svc.store.models.table import Table


class Production(Table):
    id = peewee.TextField(primary_key=True)
    partner_id = peewee.TextField()
    account_id = peewee.ForeignKeyField(Account, backref="+")
    customer_id = peewee.TextField()
    status = peewee.TextField()
    title = peewee.TextField()
    topic = peewee.TextField()
    subject_override = peewee.TextField(null=True)
    language_id = peewee.TextField()
    country_id = peewee.TextField()
    avatar_id = peewee.TextField()
    project_type = peewee.TextField()
    metadata_md = peewee.TextField(null=True)
    api_triggered = peewee.BigIntegerField()
    auto_release = peewee.BigIntegerField()
    scenario = peewee.TextField(null=True)
    held_in = peewee.TextField(null=True)
    correlation_id = peewee.TextField()
    steps_complete = peewee.BigIntegerField(default=0)
    steps_total = peewee.BigIntegerField()
    current_step = peewee.TextField(null=True)
    step_fraction = peewee.DoubleField(default=0.0)
    error_code = peewee.TextField(null=True)
    error_message = peewee.TextField(null=True)
    failed_step = peewee.TextField(null=True)
    last_sequence = peewee.BigIntegerField(default=0)
    rendered_seconds = peewee.DoubleField(default=0.0)
    created_at = peewee.BigIntegerField()
    updated_at = peewee.BigIntegerField()
    expires_at = peewee.BigIntegerField(null=True)
    released_at = peewee.BigIntegerField(null=True)
    finished_at = peewee.BigIntegerField(null=True)
    cancel_requested_at = peewee.BigIntegerField(null=True)
    cancel_token = peewee.TextField(null=True)
    claim_token = peewee.TextField(null=True)
    claim_boot = peewee.TextField(null=True)
    claim_until = peewee.BigIntegerField(null=True)
    estimated_at = peewee.BigIntegerField(null=True)
    promised_at = peewee.BigIntegerField(null=True)
    retry_of = peewee.TextField(null=True)
    lane = peewee.BigIntegerField(default=1)
    not_before = peewee.BigIntegerField(null=True)
    cancel_correlation_id = peewee.TextField(null=True)
    external_id = peewee.TextField(null=True)
    warnings = peewee.TextField(null=True)
    review = peewee.TextField(null=True)
    group_id = peewee.TextField(null=True)
    translation = peewee.TextField(null=True)
    revision = peewee.BigIntegerField(default=1)
    look = peewee.TextField(null=True)
    theme = peewee.TextField(null=True)
    caption_languages = peewee.TextField(null=True)
    voice_model = peewee.TextField(null=True)
    gate_warnings = peewee.TextField(null=True)

    class Meta:
        table_name = "productions"


class ProductionStep(Table):
    production_id = peewee.ForeignKeyField(Production, backref="+")
    position = peewee.BigIntegerField()
    name = peewee.TextField()
    label = peewee.TextField()
    status = peewee.TextField(default="Pending")
    attempts = peewee.BigIntegerField(default=0)
    started_at = peewee.BigIntegerField(null=True)
    completed_at = peewee.BigIntegerField(null=True)
    files = peewee.TextField(null=True)

    class Meta:
        table_name = "production_steps"
        primary_key = peewee.CompositeKey("production_id", "position")


class SettledBrief(Table):
    production_id = peewee.ForeignKeyField(
        Production, backref="+", on_delete="CASCADE", primary_key=True
    )
    settings = peewee.TextField()

    class Meta:
        table_name = "settled_briefs"


class RenderQueue(Table):
    partner_id = peewee.TextField(primary_key=True)
    turn = peewee.DoubleField(default=0.0)
    paused_at = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "render_queues"


class StepPace(Table):
    step = peewee.TextField(primary_key=True)
    number = peewee.BigIntegerField()
    mean_size = peewee.DoubleField()
    mean_ms = peewee.DoubleField()
    size_variance = peewee.DoubleField()
    covariance = peewee.DoubleField()

    class Meta:
        table_name = "step_paces"


class Deliverable(Table):
    id = peewee.TextField(primary_key=True)
    production_id = peewee.ForeignKeyField(Production, backref="+")
    position = peewee.BigIntegerField()
    type = peewee.TextField()
    platform = peewee.TextField(null=True)
    format = peewee.TextField()
    file = peewee.TextField()
    size_bytes = peewee.BigIntegerField()
    sha256 = peewee.TextField()
    duration_seconds = peewee.DoubleField(null=True)
    language = peewee.TextField()
    created_at = peewee.BigIntegerField()
    voice = peewee.TextField(null=True)

    class Meta:
        table_name = "deliverables"


class FileToRemove(Table):
    kind = peewee.TextField()
    name = peewee.TextField()
    sha256 = peewee.TextField(null=True)
    since = peewee.BigIntegerField()

    class Meta:
        table_name = "files_to_remove"
        primary_key = peewee.CompositeKey("kind", "name")


class TitleWord(Table):
    partner_id = peewee.ForeignKeyField(Partner, backref="+")
    word = peewee.TextField()
    production_id = peewee.ForeignKeyField(Production, backref="+")

    class Meta:
        table_name = "title_words"
        primary_key = peewee.CompositeKey("partner_id", "word", "production_id")
