"""A server whose productions are carried through their steps without being rendered,
as fast as they can be claimed.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from support import plain_sql
from support.scripts import scene
from support.stage import DRIVER, complete_cancels, make, publish_all

from svc.base import clock
from svc.domain.briefing import batches
from svc.domain.lifecycle import batch_endings, briefs, render_queue, script_review
from svc.domain.lifecycle.script_review import WrittenScript
from svc.domain.productions import distribution, progress
from svc.domain.usage.model_costs import Prices
from tests.support import own_server

_AWAITING = "SELECT id FROM productions WHERE status = 'AwaitingApproval' AND released_at IS NULL"
_PAUSE = 0.02  # seconds between two rounds


class Now:
    """The clock of the machine, as the stage moves clocks."""

    def __call__(self) -> int:
        return clock.now()

    def tick(self, seconds: float) -> int:
        return clock.now()


@dataclass(frozen=True)
class Workshop:
    """A server with a partner, as ``seed`` makes it."""

    address: str
    seeded: dict[str, str]


@contextmanager
def served(app, seeded: dict[str, str]) -> Iterator[Workshop]:
    """Serve ``app`` and carry its productions on; an operator releases each."""
    ended = threading.Event()
    worker = threading.Thread(target=_work, args=(ended,))
    with own_server.served(app) as port:
        worker.start()
        try:
            yield Workshop(f"http://127.0.0.1:{port}", seeded)
        finally:
            ended.set()
            worker.join()


def _work(ended: threading.Event) -> None:
    now = Now()
    while not ended.wait(_PAUSE):
        complete_cancels(now)
        while claim := render_queue.claim_next(DRIVER, now()):
            _carry_on(claim, now)
        for row in plain_sql.rows(_AWAITING):
            distribution.release(row["id"], now())
        publish_all(now)
        batches.continue_batches(now(), 72, Prices())
        batch_endings.finish_ended(now())


def _carry_on(claim: progress.Claim, now: Now) -> None:
    """Complete the steps of a production that it may take now: one before its review,
    all others after it.
    """
    while step := progress.start_step(claim, now()):
        written = None
        if step["position"] == 0 and script_review.is_review_wanted(claim.production_id):
            row = briefs.load_production(claim.production_id)
            written = WrittenScript(
                [scene(1, row["metadata_md"] or row["topic"])], '{"scenes": []}'
            )
        progress.complete_step(claim, step, now(), [make()], written=written)
        if written or step["position"] == 6:
            break
    render_queue.release_claim(claim)
