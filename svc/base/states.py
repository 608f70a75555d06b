"""The states of productions, publications, subscriptions and deliveries."""

QUEUED = "Queued"
PRODUCING = "Producing"
AWAITING_APPROVAL = "AwaitingApproval"
DISTRIBUTING = "Distributing"
PUBLISHED = "Published"
FAILED = "Failed"
CANCELLED = "Cancelled"

PRODUCTION_STATES = (
    QUEUED,
    PRODUCING,
    AWAITING_APPROVAL,
    DISTRIBUTING,
    PUBLISHED,
    FAILED,
    CANCELLED,
)
TERMINAL_STATES = frozenset((PUBLISHED, FAILED, CANCELLED))
OPEN_STATES = tuple(state for state in PRODUCTION_STATES if state not in TERMINAL_STATES)
STATES_WITH_DELIVERABLES = frozenset((AWAITING_APPROVAL, DISTRIBUTING, PUBLISHED))

# Seconds that a client should wait until the next poll (specification, "Behaviour rules" 10;
# DECISIONS.md §5).
POLL_AFTER_SECONDS = {QUEUED: 10, PRODUCING: 30, AWAITING_APPROVAL: 30, DISTRIBUTING: 30}

SANDBOX = "sandbox"  # the environment of an account; the other is "live"
ACCOUNT_MAY_PRODUCE = frozenset(("Active", "Pilot"))

EVENT_TYPES = (
    "production.queued",
    "production.step.complete",
    "production.awaiting_approval",
    "production.distributing",
    "production.published",
    "production.failed",
    "production.cancelled",
    "deliverable.ready",
    "webhook.ping",
)
BATCH_EVENT = "batch.completed"
SCRIPT_REVIEW = "ScriptReview"  # why a production is held, whose script awaits its review
TRANSLATION = "Translation"  # why a production is held, whose brief people translate
SCRIPT_EVENT = "production.script.ready"
USAGE_EVENT = "usage.threshold"
FURTHER_EVENT_TYPES = (
    BATCH_EVENT,
    SCRIPT_EVENT,
    USAGE_EVENT,
)  # additions to the specification, which only subscriptions that name them hear
# The numbers of a production's events that only those hear who name them begin after this: the
# others' have no gaps for it.
FURTHER_NUMBERS = 1_000_000_000
# the type under which a ping is delivered; clients can subscribe to either name
PING_EVENT = "webhook.test"
SUBSCRIBABLE_EVENTS = frozenset((*EVENT_TYPES, *FURTHER_EVENT_TYPES, PING_EVENT))

DELIVERY_STATES = ("Pending", "Succeeded", "Failed", "Parked", "Skipped")
