"""The event types that webhooks subscribe to, with a declaration each: its name, when it is sent,
and the data of its test event.
"""

from typing import Any, NamedTuple

from svc.base import ids, states

PING = "webhook.ping"
# The type under which a ping is delivered. Clients can subscribe to either name.
PING_EVENT = "webhook.test"
BATCH_EVENT = "batch.completed"
SCRIPT_EVENT = "production.script.ready"
USAGE_EVENT = "usage.threshold"
# The numbers of a production's events that only those hear who name them begin after this: the
# others' have no gaps for it.
FURTHER_NUMBERS = 1_000_000_000


class EventType(NamedTuple):
    """An event type.

    ``description``: when it is sent, for the API's document and the console. ``sample``: the data
    of its test event.
    """

    name: str
    description: str
    sample: dict[str, Any]

    @property
    def sent_as(self) -> str:
        """The type under which it is delivered: a ping has another one."""
        return PING_EVENT if self.name == PING else self.name


_NAMED = "Only webhooks that name it hear it."
_PLATFORM = {"platform": "Watch"}
_FILE = {"deliverableId": ids.NIL, "platform": "Watch"}
_SPECIFIED = (
    EventType(
        "production.queued",
        "A production was submitted to the pipeline.",
        {"status": states.QUEUED, "expiresAt": None},
    ),
    EventType(
        "production.step.complete",
        "A step of the pipeline has finished.",
        {"status": states.PRODUCING, "stepsComplete": 3, "currentStep": "Video rendered"},
    ),
    EventType(
        "production.awaiting_approval",
        "All gates have passed; the files await the operator's release.",
        {"status": states.AWAITING_APPROVAL, "stepsComplete": 7},
    ),
    EventType(
        "production.distributing",
        "The first publication has started.",
        {"status": states.DISTRIBUTING, "platforms": [{**_PLATFORM, "status": "Publishing"}]},
    ),
    EventType(
        "production.published",
        "The production is published. Final.",
        {
            "status": states.PUBLISHED,
            "platforms": [{**_PLATFORM, "status": "Published", "platformPostId": "m3Kq81xZ"}],
        },
    ),
    EventType(
        "production.failed",
        "The production has failed. Final.",
        {
            "status": states.FAILED,
            "errorCode": "EXPIRED",
            "errorMessage": "The production was not released in time.",
        },
    ),
    EventType(
        "production.cancelled",
        "The production was cancelled by partner or operator. Final.",
        {"status": states.CANCELLED},
    ),
    EventType(
        "deliverable.ready",
        "The files are there; the deliverables endpoint gives their download addresses.",
        {
            "status": states.AWAITING_APPROVAL,
            "deliverables": [
                {**_FILE, "type": "Video", "format": "mp4"},
                {**_FILE, "type": "Captions", "format": "vtt"},
            ],
        },
    ),
    # The last one: what offers event types to choose from leaves it out by its place.
    EventType(
        PING,
        "Somebody called ping. It is delivered once, as `webhook.test`, without retries.",
        {
            "type": PING_EVENT,
            "message": (
                "This is a test delivery. Your endpoint is reachable and its webhook is active."
            ),
        },
    ),
)
# Additions to the specification, which only subscriptions that name them hear: new types go here.
_FURTHER = (
    EventType(
        BATCH_EVENT,
        f"Every production of a batch has ended. {_NAMED} `productionId` is the batch's id.",
        {
            "batchId": ids.NIL,
            "counts": {
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
        },
    ),
    EventType(
        SCRIPT_EVENT,
        f"The script of a production awaits its review. {_NAMED}",
        {
            "status": states.PRODUCING,
            "holdReason": states.SCRIPT_REVIEW,
            "version": 1,
            "scenes": 5,
        },
    ),
    EventType(
        USAGE_EVENT,
        "80 % or 100 % of a limit or a budget are used: told once for each period, within a "
        f"minute. {_NAMED} `productionId` is an id of its own for each limit and period; "
        "`accountId` is the id of the customer or the partner where the limit is theirs.",
        {
            "limit": "accountBudget",
            "ownerId": ids.NIL,
            "percent": 80,
            "used": 80.5,
            "most": 100.0,
            "period": "2026-11",
        },
    ),
)

# The names of the event types.
SPECIFIED = tuple(each.name for each in _SPECIFIED)
SPECIFIED_OF_PRODUCTIONS = tuple(name for name in SPECIFIED if name != PING)
FURTHER = tuple(each.name for each in _FURTHER)
NAMES = (*SPECIFIED, *FURTHER)
SUBSCRIBABLE = frozenset((*NAMES, PING_EVENT))
DESCRIPTIONS = {each.name: each.description for each in (*_SPECIFIED, *_FURTHER)}
# By the type under which it is sent: the data of its test event.
SAMPLES = {each.sent_as: each.sample for each in (*_SPECIFIED, *_FURTHER)}
