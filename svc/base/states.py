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

SCRIPT_REVIEW = "ScriptReview"  # why a production is held, whose script awaits its review
TRANSLATION = "Translation"  # why a production is held, whose brief people translate

DELIVERY_STATES = ("Pending", "Succeeded", "Failed", "Parked", "Skipped")
