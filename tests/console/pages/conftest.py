"""A partner that has been at work, whose people and whose operator look at it in the console."""

import pytest
from support.cast import Clock, body
from support.outbox import answer, claim
from support.stage import complete_steps, make, publish_all

URL = "https://93.184.215.14/hooks"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def busy(app, partner, clock):
    """A partner with a subscription, a published production, one that is being made,
    and a request history.
    """
    types = ["production.queued", "production.published", "production.step.complete"]
    made = body(partner.post("/v1/webhooks", json={"endpointUrl": URL, "eventTypes": types}))
    done = body(partner.trigger(topic="Tides", metadataMD="# Moon\n\n- a <b>point</b>"))[
        "productionId"
    ]
    complete_steps(
        clock, made=[make("Watch", "Video", "mp4"), make(kind="ClosedCaptions", form="vtt"), make()]
    )
    publish_all(clock)
    answer(claim(clock()), clock(), 200)
    running = body(partner.trigger(topic="Winds"))["productionId"]
    complete_steps(clock, 2)
    app.extensions["svc"].recorder.flush()
    return {"done": done, "running": running, "subscription": made["subscriptionId"]}
