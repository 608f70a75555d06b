"""Schemas of estimates and batches."""

from marshmallow import Schema, fields

from svc.api.schemas.common import make_list_envelope
from svc.api.schemas.fields import (
    List,
    OneOf,
    count,
    flag,
    identifier,
    number,
    text,
    time,
)
from svc.api.schemas.productions import Brief, BriefWarning
from svc.base import states
from svc.domain.briefing import batches
from svc.domain.lifecycle import batch_rows

MODE = {
    "description": (
        "`each`: accept or refuse brief by brief; `atomic`: trigger all of them or none."
    ),
    "example": batches.EACH,
}


class Refusal(Schema):
    error = text(description="Machine-readable code.", example="BUDGET_GATE_1_FAILED")
    message = text(
        description="Why it is refused.",
        example="The account's monthly spend ceiling would be exceeded.",
    )


class GateRefusal(Refusal):
    retryAfterSeconds = count(
        nullable=True, description="Seconds to wait, where waiting helps.", example=None
    )


class Estimate(Schema):
    isAccepted = flag(description="Whether a trigger would be accepted now.", example=True)
    refusals = fields.List(
        fields.Nested(GateRefusal),
        metadata={
            "description": (
                "Every gate that would refuse the brief, in their order; a trigger names the first."
            ),
            "example": [],
        },
    )
    title = text(description="The title that the production would have.", example="How tides work")
    estimatedCost = number(
        description="What would be reserved, in the operator's currency.", example=9.0
    )
    estimatedDurationSeconds = count(description="About how long the video would play.", example=74)
    estimatedCompletionAt = time(
        nullable=True,
        description="When the files would be there; null: not known yet.",
        example=None,
    )
    warnings = fields.List(
        fields.Nested(BriefWarning),
        metadata={
            "description": "What the brief lacks or what would be simplified.",
            "example": [],
        },
    )


class BatchOrder(Schema):
    mode = OneOf(batches.EACH, batches.ATOMIC, load_default=batches.EACH, metadata=MODE)
    items = List(
        fields.Nested(Brief),
        fewest=1,
        most=batches.MOST_ITEMS,
        required=True,
        metadata={"description": f"The briefs, at most {batches.MOST_ITEMS:,}."},
    )


class Counts(Schema):
    refused = count(description="Briefs that a gate refused.", example=0)
    waiting = count(
        description="Briefs that wait behind a ceiling of concurrent productions.", example=0
    )
    queued = count(description="Productions in this state, like those below.", example=40)
    producing = count(example=0, description="`Producing`.")
    awaitingApproval = count(example=0, description="`AwaitingApproval`.")
    distributing = count(example=0, description="`Distributing`.")
    published = count(example=0, description="`Published`.")
    failed = count(example=0, description="`Failed`.")
    cancelled = count(example=0, description="`Cancelled`.")
    removed = count(example=0, description="Productions that were removed after their retention.")
    pending = count(
        example=0,
        description="Briefs that were not handled, as the request was interrupted: repeat it.",
    )


class Batch(Schema):
    batchId = identifier(description="The batch.")
    accountId = identifier(description="Its account.")
    mode = text(
        one_of=(batches.ATOMIC, batches.EACH),
        description="How it was triggered.",
        example=batches.EACH,
    )
    status = text(
        one_of=("Open", "Finished"),
        description="`Finished` when every production has ended.",
        example="Open",
    )
    size = count(
        description="How many briefs it has, each counted once for each of its languages.",
        example=40,
    )
    counts = fields.Nested(Counts, metadata={"description": "Its briefs by state."})
    createdAt = time(description="When it was triggered.")
    cancelRequestedAt = time(
        nullable=True, description="When its cancellation was requested.", example=None
    )
    finishedAt = time(
        nullable=True, description="When its last production had ended.", example=None
    )


class BatchItem(Schema):
    position = count(
        description="The place of the brief in the request, from 0; one for each of its languages.",
        example=0,
    )
    externalId = text(
        nullable=True, description="Your own reference, as it was sent.", example="order-4711"
    )
    topic = text(
        nullable=True,
        description=(
            "What it is about, also where the brief waits or was refused; null: its production "
            "was removed, or an earlier release took the brief."
        ),
        example="How tides work",
    )
    productionId = identifier(
        nullable=True, description="Its production; null: the brief was refused."
    )
    status = text(
        nullable=True,
        one_of=states.PRODUCTION_STATES,
        example="Queued",
        description=(
            "Of the production; null: there is none. `Cancelled` also of a brief that waited "
            "until its batch's cancel."
        ),
    )
    holdReason = text(
        nullable=True,
        one_of=(batch_rows.CONCURRENCY_LIMIT,),
        description=(
            "`ConcurrencyLimit`: it waits until productions of the account or customer have "
            "ended; null: it does not wait."
        ),
        example=None,
    )
    refusal = fields.Nested(
        Refusal,
        allow_none=True,
        metadata={"description": "Why it was refused; null: it was not.", "example": None},
    )


BatchList = make_list_envelope(Batch, "BatchList")
BatchItemList = make_list_envelope(BatchItem, "BatchItemList")
