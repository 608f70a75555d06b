"""The event types that webhooks subscribe to: when each is sent, in a sentence,
for the API's document and the console.
"""

from svc.base import states

_NAMED = "Only webhooks that name it hear it."
DESCRIPTIONS = {
    "production.queued": "A production was submitted to the pipeline.",
    "production.step.complete": "A step of the pipeline has finished.",
    "production.awaiting_approval": (
        "All gates have passed; the files await the operator's release."
    ),
    "production.distributing": "The first publication has started.",
    "production.published": "The production is published. Final.",
    "production.failed": "The production has failed. Final.",
    "production.cancelled": "The production was cancelled by partner or operator. Final.",
    "deliverable.ready": (
        "The files are there; the deliverables endpoint gives their download addresses."
    ),
    "webhook.ping": (
        "Somebody called ping. It is delivered once, as `webhook.test`, without retries."
    ),
    states.BATCH_EVENT: (
        f"Every production of a batch has ended. {_NAMED} `productionId` is the batch's id."
    ),
    states.SCRIPT_EVENT: f"The script of a production awaits its review. {_NAMED}",
    states.USAGE_EVENT: (
        "80 % or 100 % of a limit or a budget are used: told once for each period, within a "
        f"minute. {_NAMED} `productionId` is an id of its own for each limit and period; "
        "`accountId` is the id of the customer or the partner where the limit is theirs."
    ),
}
