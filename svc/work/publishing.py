"""Publishing: carries released productions to their platforms, one leased publication at a time."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from svc.adapters.storage import Storage
from svc.base import logs, traces
from svc.domain import publications, scenarios
from svc.platforms import PLATFORMS, Post, PublishError
from svc.store import claims, database
from svc.work.worries import Worries, guarded

log = logging.getLogger("svc.publishing")

WORKERS = 2
PLATFORM_NAMES = tuple(PLATFORMS)


class Publisher:
    """Publishes at most ``WORKERS`` at a time."""

    def __init__(self, driver: claims.Driver, storage: Storage, clock: Callable[[], int], worries: Worries):
        self._driver, self._storage, self._clock, self._worries = driver, storage, clock, worries
        self._pool = ThreadPoolExecutor(WORKERS, "publishing")
        self._free = threading.Semaphore(WORKERS)
        self._stopping = threading.Event()
        self._turn = threading.Lock()

    def turn(self) -> None:
        """Lease what there are free workers for; returns at once."""
        with self._turn:
            while not self._stopping.is_set() and self._free.acquire(blocking=False):
                claim = None
                try:
                    claim = publications.claim_next(self._driver, self._clock())
                finally:
                    if claim is None:
                        self._free.release()
                if claim is None:
                    return
                self._pool.submit(self._publish, claim)

    def _publish(self, claim: publications.Claim) -> None:
        with logs.about(production=claim.production_id, partner=claim.partner_id, correlation=claim.correlation_id):
            with traces.span(f"publish {claim.platform}", production=claim.production_id, correlation=claim.correlation_id):
                self._carry_out(claim)

    def _carry_out(self, claim: publications.Claim) -> None:
        try:
            self._play_scenario(claim)
            platform = PLATFORMS[claim.platform]
            post_id = platform.publish(self._post(claim))
            if not self._worries.until_written(publications.published, claim, post_id, self._clock()):
                platform.withdraw(post_id)  # cancelled while it was being published
        except PublishError as refused:
            self._failed(claim, refused.message, refused.retryable)
        except Exception as unexpected:
            if self._worries.note(unexpected) is None:
                log.exception("publishing stumbled")
            self._failed(claim, f"unexpected: {type(unexpected).__name__}", True)
        finally:
            self._free.release()
            if not self._stopping.is_set():
                guarded(self._worries, self.turn)()

    def _failed(self, claim: publications.Claim, message: str, retryable: bool) -> None:
        self._worries.until_written(publications.failed, claim, message, retryable, self._clock())

    def _play_scenario(self, claim: publications.Claim) -> None:
        """A sandbox scenario may ask for a platform whose first attempt fails."""
        row = database.one(
            "SELECT p.scenario, q.attempts FROM productions p JOIN publications q ON q.production_id = p.id "
            "WHERE p.id = ? AND q.platform = ?",
            (claim.production_id, claim.platform),
        )
        if row["attempts"] == 0 and scenarios.load(row["scenario"]).flaky_platform == claim.platform:
            raise PublishError("The sandbox scenario of this brief asked for this failure.", retryable=True)

    def _post(self, claim: publications.Claim) -> Post:
        row = database.row(
            "SELECT d.*, p.title, p.account_id, a.name AS account_name FROM deliverables d "
            "JOIN productions p ON p.id = d.production_id JOIN accounts a ON a.id = p.account_id "
            "WHERE d.production_id = ? AND d.platform = ? AND d.type = 'Video'",
            (claim.production_id, claim.platform),
        )
        if row is None:
            raise PublishError(f"There is no video for {claim.platform}.", retryable=False)
        return Post(
            production_id=claim.production_id,
            account_id=row["account_id"],
            account_name=row["account_name"],
            title=row["title"],
            language=row["language"],
            video=self._storage.path(row["file"]),
            size_bytes=row["size_bytes"],
            sha256=row["sha256"],
            duration_seconds=row["duration_seconds"],
        )

    def stop(self) -> None:
        """Finish what is being published and take nothing more."""
        self._stopping.set()
        self._pool.shutdown(wait=True)
