"""The event types that webhooks subscribe to, with a declaration each: its data, its name and when
it is sent. The document's schemas and the data of test events are made of these declarations, and
the type checker compares them with what is recorded.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import (
    Annotated,
    Any,
    Generic,
    NamedTuple,
    TypedDict,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from svc.base import ids, states

PING = "webhook.ping"
# The type under which a ping is delivered. Clients can subscribe to either name.
PING_EVENT = "webhook.test"
# The numbers of a production's events that only those hear who name them begin after this: the
# others' have no gaps for it.
FURTHER_NUMBERS = 1_000_000_000

# The limits of which webhooks hear.
ACCOUNT_BUDGET, CUSTOMER_BUDGET = "accountBudget", "customerBudget"
DAILY_PRODUCTIONS, DAILY_REQUESTS = "dailyProductions", "dailyRequests"
LIMITS = (ACCOUNT_BUDGET, CUSTOMER_BUDGET, DAILY_PRODUCTIONS, DAILY_REQUESTS)


class FieldDescription(NamedTuple):
    """What the API's document says of a field of an event's data.

    ``example``: its value in the document, and in test events unless they have a ``sample``; None:
    its entries have examples of their own. ``format``: of JSON Schema. ``one_of``: its possible
    values. ``is_constant``: it is always the example.
    """

    description: str
    example: Any = None
    sample: Any = None
    format: str | None = None
    one_of: tuple[str, ...] = ()
    is_constant: bool = False


def _always(value: str) -> FieldDescription:
    return FieldDescription(f"Always `{value}`.", value, is_constant=True)


def _identifier(description: str, like: str) -> FieldDescription:
    """Return what is said of a UUID: its example is that of the identifier ``like``."""
    return FieldDescription(description, like, ids.NIL, "uuid")


NULL = object()  # the sample of a field that is null in test events

_STEPS_COMPLETE = FieldDescription("Pipeline steps completed.", 3)
_PLATFORM = FieldDescription("The place.", "Watch")


class Reference(TypedDict, total=False):
    """What the data of every event but a ping may have besides."""

    externalId: Annotated[
        str,
        FieldDescription(
            "Your own reference, where the production was triggered with one.", "order-4711"
        ),
    ]


class ProductionQueued(TypedDict):
    status: Annotated[str, _always(states.QUEUED)]
    expiresAt: Annotated[
        str | None,
        FieldDescription("Null unless of the API.", "2026-11-23T09:30:00.000Z", NULL, "date-time"),
    ]


class StepComplete(TypedDict):
    status: Annotated[str, _always(states.PRODUCING)]
    stepsComplete: Annotated[int, _STEPS_COMPLETE]
    currentStep: Annotated[str, FieldDescription("Label of the step.", "Video rendered")]


class AwaitingApproval(TypedDict):
    status: Annotated[str, _always(states.AWAITING_APPROVAL)]
    stepsComplete: Annotated[int, _STEPS_COMPLETE._replace(sample=7)]


class PlatformState(TypedDict):
    platform: Annotated[str, _PLATFORM]
    status: Annotated[str, FieldDescription("Its status.", "Publishing")]


class Distributing(TypedDict):
    status: Annotated[str, _always(states.DISTRIBUTING)]
    platforms: Annotated[list[PlatformState], FieldDescription("One each.")]


class Post(TypedDict):
    platform: Annotated[str, _PLATFORM]
    status: Annotated[str, FieldDescription("Its status.", "Published")]
    platformPostId: Annotated[
        str | None, FieldDescription("The post there; null if the place gives none.", "m3Kq81xZ")
    ]


class ProductionPublished(TypedDict):
    status: Annotated[str, _always(states.PUBLISHED)]
    platforms: Annotated[list[Post], FieldDescription("One entry for each place.")]


class ProductionFailed(TypedDict):
    status: Annotated[str, _always(states.FAILED)]
    errorCode: Annotated[str, FieldDescription("Why, for programs.", "EXPIRED")]
    errorMessage: Annotated[
        str, FieldDescription("Why, for people.", "The production was not released in time.")
    ]


class ProductionCancelled(TypedDict):
    status: Annotated[str, _always(states.CANCELLED)]


class ReadyFile(TypedDict):
    deliverableId: Annotated[str, _identifier("The deliverable.", "deliverableId")]
    type: Annotated[str, FieldDescription("What it is.", "Video")]
    platform: Annotated[str | None, FieldDescription("Its place; null: the production.", "Watch")]
    format: Annotated[str, FieldDescription("Its file format.", "mp4")]


_FILE = {"deliverableId": ids.NIL, "platform": "Watch"}


class DeliverablesReady(TypedDict):
    status: Annotated[
        str, FieldDescription("Typically `AwaitingApproval`.", states.AWAITING_APPROVAL)
    ]
    deliverables: Annotated[
        list[ReadyFile],
        FieldDescription(
            "The first 100; `truncated` says whether there are more.",
            sample=[
                {**_FILE, "type": "Video", "format": "mp4"},
                {**_FILE, "type": "Captions", "format": "vtt"},
            ],
        ),
    ]


class Ping(TypedDict):
    type: Annotated[str, FieldDescription("As `eventType`.", PING_EVENT)]
    message: Annotated[
        str,
        FieldDescription(
            "For people.",
            "This is a test delivery.",
            "This is a test delivery. Your endpoint is reachable and its webhook is active.",
        ),
    ]


class BatchCompleted(TypedDict):
    batchId: Annotated[str, _identifier("The batch.", "batchId")]
    counts: Annotated[
        dict[str, int],
        FieldDescription(
            "Its briefs by state.",
            {
                "refused": 1,
                "waiting": 0,
                "queued": 0,
                "producing": 0,
                "awaitingApproval": 0,
                "distributing": 0,
                "published": 38,
                "failed": 0,
                "cancelled": 1,
                "removed": 0,
                "pending": 0,
            },
        ),
    ]


class ScriptReady(TypedDict):
    status: Annotated[str, _always(states.PRODUCING)]
    holdReason: Annotated[
        str, FieldDescription(f"Always `{states.SCRIPT_REVIEW}`.", states.SCRIPT_REVIEW)
    ]
    version: Annotated[int, FieldDescription("Of the script.", 1)]
    scenes: Annotated[int, FieldDescription("How many it has.", 5)]


class ProductionExpiring(TypedDict):
    status: Annotated[
        str,
        FieldDescription(
            "`Producing` before the review, `Queued` before the translation.",
            states.PRODUCING,
            one_of=(states.PRODUCING, states.QUEUED),
        ),
    ]
    holdReason: Annotated[
        str,
        FieldDescription(
            "What it waits for.",
            states.SCRIPT_REVIEW,
            one_of=(states.SCRIPT_REVIEW, states.TRANSLATION),
        ),
    ]
    expiresAt: Annotated[
        str, FieldDescription("When it fails.", "2026-11-23T09:30:00.000Z", format="date-time")
    ]


class UsageThreshold(TypedDict):
    limit: Annotated[str, FieldDescription("What is used.", ACCOUNT_BUDGET, one_of=LIMITS)]
    ownerId: Annotated[str, _identifier("Whose limit it is.", "accountId")]
    percent: Annotated[int, FieldDescription("80 or 100.", 80)]
    used: Annotated[
        float, FieldDescription("Of a budget in the operator's currency, else a number.", 80.5)
    ]
    most: Annotated[float, FieldDescription("How much there is.", 100.0)]
    period: Annotated[
        str, FieldDescription("The month of a budget, the day of a limit; UTC.", "2026-11")
    ]


Data = TypeVar("Data", bound=Mapping[str, object])


@dataclass(frozen=True)
class EventType(Generic[Data]):
    """An event type.

    ``description``: when it is sent, for the API's document and the console. ``number``: what its
    ``sequenceNumber`` is, with an example.
    """

    name: str
    description: str
    data: type[Data]
    number: tuple[str, int] = ("From 1 within a production, without gaps.", 4)

    @property
    def sent_as(self) -> str:
        """The type under which it is delivered: a ping has another one."""
        return PING_EVENT if self.name == PING else self.name


def list_fields(data: type) -> dict[str, tuple[Any, FieldDescription]]:
    """Return the type of each field of an event's data, or of an object in it, and what is said of
    it.
    """
    return {
        name: (hint.__origin__, hint.__metadata__[0])
        for name, hint in get_type_hints(data, include_extras=True).items()
    }


def find_entry(kind: Any) -> type | None:
    """Return the type of the objects of a list; None: a field of this type has none."""
    return get_args(kind)[0] if get_origin(kind) is list else None


def _make_sample(data: type) -> dict[str, Any]:
    """Return the data of a test event."""
    sample: dict[str, Any] = {}
    for name, (kind, said) in list_fields(data).items():
        entry = find_entry(kind)
        if said.sample is not None:
            sample[name] = None if said.sample is NULL else said.sample
        else:
            sample[name] = said.example if entry is None else [_make_sample(entry)]
    return sample


_NAMED = "Only webhooks that name it hear it."
_APART = (
    f"From {FURTHER_NUMBERS + 1:,} within a production: apart from those of the other events, "
    "which have no gaps.",
    FURTHER_NUMBERS + 1,
)

PRODUCTION_QUEUED = EventType(
    "production.queued", "A production was submitted to the pipeline.", ProductionQueued
)
STEP_COMPLETE = EventType(
    "production.step.complete", "A step of the pipeline has finished.", StepComplete
)
AWAITING_APPROVAL = EventType(
    "production.awaiting_approval",
    "All gates have passed; the files await the operator's release.",
    AwaitingApproval,
)
DISTRIBUTING = EventType(
    "production.distributing", "The first publication has started.", Distributing
)
PRODUCTION_PUBLISHED = EventType(
    "production.published", "The production is published. Final.", ProductionPublished
)
PRODUCTION_FAILED = EventType(
    "production.failed", "The production has failed. Final.", ProductionFailed
)
PRODUCTION_CANCELLED = EventType(
    "production.cancelled",
    "The production was cancelled by partner or operator. Final.",
    ProductionCancelled,
)
DELIVERABLES_READY = EventType(
    "deliverable.ready",
    "The files are there; the deliverables endpoint gives their download addresses.",
    DeliverablesReady,
)
_PING = EventType(
    PING,
    "Somebody called ping. It is delivered once, as `webhook.test`, without retries.",
    Ping,
    ("0 on test events.", 0),
)
BATCH_COMPLETED = EventType(
    "batch.completed",
    f"Every production of a batch has ended. {_NAMED} `productionId` is the batch's id.",
    BatchCompleted,
    ("From 1 within a batch, which ends again after it was resumed.", 1),
)
SCRIPT_READY = EventType(
    "production.script.ready",
    f"The script of a production awaits its review. {_NAMED}",
    ScriptReady,
    _APART,
)
PRODUCTION_EXPIRING = EventType(
    "production.expiring",
    "A production expires soon, because its script awaits its review or its brief a translation: "
    f"told once for each of them, in the last quarter of its time, 12 hours at most. {_NAMED}",
    ProductionExpiring,
    _APART,
)
USAGE_THRESHOLD = EventType(
    "usage.threshold",
    "80 % or 100 % of a limit or a budget are used: told once for each period, within a "
    f"minute. {_NAMED} `productionId` is an id of its own for each limit and period; "
    "`accountId` is the id of the customer or the partner where the limit is theirs.",
    UsageThreshold,
    ("1 at 80 %, 2 at 100 %.", 1),
)

_SPECIFIED: tuple[EventType[Any], ...] = (
    PRODUCTION_QUEUED,
    STEP_COMPLETE,
    AWAITING_APPROVAL,
    DISTRIBUTING,
    PRODUCTION_PUBLISHED,
    PRODUCTION_FAILED,
    PRODUCTION_CANCELLED,
    DELIVERABLES_READY,
    # The last one: what offers event types to choose from leaves it out by its place.
    _PING,
)
# Additions to the specification, which only subscriptions that name them hear: new types go here.
_FURTHER: tuple[EventType[Any], ...] = (
    BATCH_COMPLETED,
    SCRIPT_READY,
    PRODUCTION_EXPIRING,
    USAGE_THRESHOLD,
)

ALL = (*_SPECIFIED, *_FURTHER)
# The names of the event types.
SPECIFIED = tuple(each.name for each in _SPECIFIED)
SPECIFIED_OF_PRODUCTIONS = tuple(name for name in SPECIFIED if name != PING)
FURTHER = tuple(each.name for each in _FURTHER)
NAMES = (*SPECIFIED, *FURTHER)
SUBSCRIBABLE = frozenset((*NAMES, PING_EVENT))
DESCRIPTIONS = {each.name: each.description for each in ALL}
# By the type under which it is sent: the data of its test event.
SAMPLES = {each.sent_as: _make_sample(each.data) for each in ALL}
