"""Models of productions, their steps, deliverables and the render queue; of the production, also
how the API shows its columns.
"""

from typing import Annotated, TypedDict

import peewee

from svc.base import states
from svc.base.api_fields import Kind, shown
from svc.store.models.partners import Account, Partner
from svc.store.models.table import Table

_AS_TRIGGERED = "As it was triggered."


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


class ShownProduction(TypedDict):
    """The columns of a production that its API object is made of, in the order of its fields, each
    with how the API shows it; those without are read by what is computed, and by events.

    ``svc.domain.productions.view`` has the fields that are computed.
    """

    id: Annotated[str, shown("productionId", Kind.IDENTIFIER, "The production.")]
    partner_id: str
    account_id: Annotated[
        str, shown("accountId", Kind.IDENTIFIER, "The account that it belongs to.")
    ]
    correlation_id: str
    status: Annotated[
        str,
        shown(
            "status",
            Kind.TEXT,
            "`Published`, `Failed` and `Cancelled` are final.",
            one_of=states.PRODUCTION_STATES,
            example="Queued",
        ),
    ]
    title: Annotated[
        str,
        shown(
            "title",
            Kind.TEXT,
            "Built from the topic with the title template of the project type.",
            example="How tides work",
        ),
    ]
    topic: Annotated[str, shown("topic", Kind.TEXT, _AS_TRIGGERED, example="How tides work")]
    subject_override: Annotated[
        str | None, shown("subjectOverride", Kind.TEXT, _AS_TRIGGERED, example=None)
    ]
    language_id: Annotated[str, shown("languageId", Kind.IDENTIFIER, _AS_TRIGGERED)]
    country_id: Annotated[str, shown("countryId", Kind.IDENTIFIER, _AS_TRIGGERED)]
    avatar_id: Annotated[str, shown("avatarId", Kind.IDENTIFIER, _AS_TRIGGERED)]
    project_type: Annotated[
        str,
        shown(
            "projectTypeSlug",
            Kind.TEXT,
            "As it was triggered, or the account's default.",
            example="explainer",
        ),
    ]
    metadata_md: Annotated[str | None, shown("metadataMD", Kind.TEXT, _AS_TRIGGERED, example=None)]
    api_triggered: Annotated[
        int,
        shown(
            "apiTriggered",
            Kind.FLAG,
            "Whether an API call triggered it; only then can the API cancel it.",
            example=True,
        ),
    ]
    steps_complete: Annotated[
        int, shown("stepsComplete", Kind.COUNT, "Pipeline steps completed.", example=0)
    ]
    steps_total: Annotated[
        int, shown("stepsTotal", Kind.COUNT, "Pipeline steps in total.", example=7)
    ]
    current_step: Annotated[
        str | None,
        shown("currentStep", Kind.TEXT, "Label of the step that was completed last.", example=None),
    ]
    step_fraction: float
    estimated_at: int | None
    error_code: Annotated[
        str | None,
        shown(
            "errorCode",
            Kind.TEXT,
            "Why it failed, for programs; null unless it did.",
            example=None,
        ),
    ]
    error_message: Annotated[
        str | None, shown("errorMessage", Kind.TEXT, "Why it failed, for people.", example=None)
    ]
    failed_step: Annotated[
        str | None,
        shown("failedStep", Kind.TEXT, "The name of the step that failed.", example=None),
    ]
    created_at: Annotated[int, shown("createdAt", Kind.TIME, "When it was triggered.")]
    updated_at: Annotated[int, shown("updatedAt", Kind.TIME, "When it last changed.")]
    expires_at: Annotated[
        int | None,
        shown(
            "expiresAt",
            Kind.TIME,
            "When it fails as `EXPIRED` unless it is being distributed; null if not of the API.",
            example="2026-11-23T09:30:00.000Z",
        ),
    ]
    cancel_requested_at: Annotated[
        int | None,
        shown("cancelRequestedAt", Kind.TIME, "When its cancellation was requested.", example=None),
    ]
    external_id: Annotated[
        str | None,
        shown(
            "externalId",
            Kind.TEXT,
            "Your own reference, as it was triggered.",
            example="order-4711",
        ),
    ]
    look: Annotated[
        str | None,
        shown(
            "look",
            Kind.TEXT,
            "As its brief had it; null: that of its project type.",
            example=None,
        ),
    ]
    theme: Annotated[
        str | None,
        shown("theme", Kind.TEXT, "As its brief had it; null: that of the account.", example=None),
    ]
    caption_languages: Annotated[
        str | None,
        shown(
            "captionLanguageIds",
            Kind.IDENTIFIERS,
            "Into which its captions are translated, as its brief had it.",
            example=[],
        ),
    ]
    revision: Annotated[
        int,
        shown(
            "revision",
            Kind.COUNT,
            "1, and one more for each correction after it was rendered.",
            example=1,
        ),
    ]
    group_id: Annotated[
        str | None,
        shown(
            "groupId",
            Kind.IDENTIFIER,
            "Of the productions that are the same in several languages; or null.",
        ),
    ]
    warnings: str | None
    gate_warnings: str | None
    review: str | None
    translation: str | None
    voice_model: str | None


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
    losses = peewee.BigIntegerField(default=0)

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
