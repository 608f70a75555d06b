"""Publishes released productions on their platforms, one leased publication at a time."""

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from svc.adapters.storage import Storage
from svc.base import logs, traces
from svc.domain.productions import publications, sandbox
from svc.platforms import PLATFORMS, Post, PublishError
from svc.store import claims
from svc.work.leasing import Workers
from svc.work.outages import Outages

log = logging.getLogger("svc.publishing")

WORKERS = 2
PLATFORM_NAMES = tuple(PLATFORMS)


class Publisher:
    """Publishes at most ``WORKERS`` at a time."""

    def __init__(self, driver: claims.Driver, storage: Storage, clock: Callable[[], int], outages: Outages):
        self._driver, self._storage, self._clock, self._outages = driver, storage, clock, outages
        self._workers = Workers("publishing", WORKERS, self._claim_next, self._publish, outages)

    def turn(self) -> None:
        """Lease a publication for each free worker; returns at once."""
        self._workers.turn()

    def _claim_next(self) -> publications.Claim | None:
        return publications.claim_next(self._driver, self._clock())

    def _publish(self, claim: publications.Claim) -> None:
        with logs.about(production=claim.production_id, partner=claim.partner_id, correlation=claim.correlation_id):
            with traces.span(f"publish {claim.platform}", production=claim.production_id, correlation=claim.correlation_id):
                self._carry_out(claim)

    def _carry_out(self, claim: publications.Claim) -> None:
        try:
            self._play_scenario(claim)
            platform = PLATFORMS[claim.platform]
            with self._post(claim) as post:
                post_id = platform.publish(post)
            if not self._outages.until_written(publications.record_published, claim, post_id, self._clock()):
                platform.withdraw(post_id)  # cancelled in the meantime
        except PublishError as error:
            self._failed(claim, error.message, error.retryable)
        except Exception as failure:
            if self._outages.note(failure) is None:
                log.exception("publishing failed")
            self._failed(claim, f"unexpected: {type(failure).__name__}", True)

    def _failed(self, claim: publications.Claim, message: str, retryable: bool) -> None:
        self._outages.until_written(publications.record_failed, claim, message, retryable, self._clock())

    def _play_scenario(self, claim: publications.Claim) -> None:
        """Raise PublishError if a sandbox scenario requests that the first attempt on this platform fails."""
        if sandbox.of(claim.production_id).flaky_platform == claim.platform and publications.is_first_attempt(claim):
            raise PublishError("The sandbox scenario of this brief requests this failure.", retryable=True)

    @contextmanager
    def _post(self, claim: publications.Claim) -> Iterator[Post]:
        row = publications.video_of(claim)
        if row is None:
            raise PublishError(f"There is no video for {claim.platform}.", retryable=False)
        with ExitStack() as fetched:
            try:
                video = fetched.enter_context(self._storage.fetched(row["file"]))
            except OSError as error:
                self._outages.note(error)
                raise PublishError(f"The video file cannot be read: {error.strerror or error}.", retryable=True) from error
            yield Post(
                production_id=claim.production_id,
                account_id=row["account_id"],
                account_name=row["account_name"],
                title=row["title"],
                language=row["language"],
                video=video,
                size_bytes=row["size_bytes"],
                sha256=row["sha256"],
                duration_seconds=row["duration_seconds"],
                description=row["description"] or "",
            )

    def stop(self) -> None:
        """Finish the running publications and take no further ones."""
        self._workers.stop()
