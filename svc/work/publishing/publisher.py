"""Publishes released productions on their platforms, one leased publication at a time."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from svc.adapters.deadline import Deadline
from svc.adapters.storage import Storage
from svc.base import clock as clocks
from svc.base import logs, traces
from svc.base.crypto.signing import KeyMissing, KeyRing
from svc.base.errors import FileStoreUnavailable
from svc.domain.lifecycle import sandbox
from svc.domain.productions import publications
from svc.domain.publishing import connections
from svc.platforms import PLATFORMS, Post, PublishError
from svc.platforms.connected import Posted, Tools
from svc.store import claims
from svc.store.engine.jobs import IsAborted
from svc.work.leasing import Workers
from svc.work.outages import AGAIN_SECONDS, Outages, guard_job
from svc.work.publishing import posting
from svc.work.publishing.running import Attempt, Running

log = logging.getLogger("svc.publishing")

WORKERS = 2
WORKERS_AT_PLACES = 6  # each waits for a place, and uploads
PLATFORM_NAMES = tuple(PLATFORMS)


_WITHDRAW_SECONDS = 60.0  # for all exchanges of a withdrawal
_GRACE_SECONDS = 10.0  # for the exchanges under way when the process, or one of them, is to end


class Publisher:
    """Publishes at most ``WORKERS`` at a time on this server's platforms,
    and ``WORKERS_AT_PLACES`` at places of accounts.
    """

    def __init__(
        self,
        driver: claims.Driver,
        storage: Storage,
        clock: Callable[[], int],
        outages: Outages,
        ring: KeyRing,
        tools: Tools,
        running: Running | None = None,
        grace: float = _GRACE_SECONDS,
    ):
        """``tools``: what reaches the places.

        ``grace``: seconds for the exchanges under way when :meth:`stop` is called, or their job is
        aborted.
        """
        self._driver, self._storage, self._clock, self._outages = driver, storage, clock, outages
        self._ring = ring
        self._tools = tools
        self._running = running or Running()
        self._grace = grace
        self._draining = threading.Event()
        self._patience: threading.Timer | None = None
        self._pools = (
            Workers("publishing", WORKERS, self._claim_next, self._publish, outages),
            Workers(
                "places", WORKERS_AT_PLACES, self._claim_next_at_places, self._publish, outages
            ),
        )

    def claim_publications(self) -> None:
        """Look after what runs at places, and lease a publication for each free worker; returns at
        once.
        """
        self.look_after()
        for workers in self._pools:
            workers.claim_work()

    def look_after(self) -> None:
        """Renew the leases of what runs at places, and end what was aborted; returns at once."""
        self._running.end_aborted(self._grace)
        self._running.renew(self._clock())

    def publish_one(self, is_aborted: IsAborted = lambda: False) -> None:
        """Publish what is next on this server's platforms, which takes a moment; returns when that
        is done.

        The queue of jobs calls it, in place of :meth:`claim_publications`, as the next one. It does
        not raise.
        """
        self._carry_out_one(self._claim_next)

    def publish_one_at_place(self, is_aborted: IsAborted = lambda: False) -> None:
        """The same at a place. If it ``is_aborted``, the upload is gone on with later."""
        self._carry_out_one(lambda: self._claim_next_at_places(is_aborted))

    def _carry_out_one(self, claim_next: Callable[[], publications.Claim | None]) -> None:
        def carry_out_one() -> None:
            if (claim := claim_next()) is not None:
                self._publish(claim)

        guard_job(self._outages, carry_out_one)()

    def _claim_next(self) -> publications.Claim | None:
        return (
            None
            if self._draining.is_set()
            else publications.claim_next(self._driver, self._clock())
        )

    def _claim_next_at_places(
        self, is_aborted: IsAborted = lambda: False
    ) -> publications.Claim | None:
        if self._draining.is_set():  # one pool is waited for after the other
            return None
        claim = publications.claim_next(
            self._driver, self._clock(), at_places=True, running=self._running.list_claims()
        )
        if claim is not None:
            self._running.add(claim, is_aborted)
        return claim

    def _publish(self, claim: publications.Claim) -> None:
        with logs.log_context(
            production=claim.production_id,
            partner=claim.partner_id,
            correlation=claim.correlation_id,
        ):
            with traces.span(
                f"publish {claim.platform}",
                production=claim.production_id,
                correlation=claim.correlation_id,
            ):
                if claim.connection_id:
                    with self._running.attempt(claim) as attempt:
                        self._carry_out(claim, lambda: self._publish_there(claim, attempt))
                else:
                    self._carry_out(claim, lambda: self._publish_here(claim))

    def _carry_out(self, claim: publications.Claim, publish: Callable[[], Posted]) -> None:
        try:
            self._play_scenario(claim)
            posted = publish()
            recorded = (
                publications.record_published,
                claim,
                posted.post_id,
                self._clock(),
                posted.url,
                posted.details,
            )
            if not self._outages.retry_until_written(*recorded):
                self._withdraw(claim, posted)  # cancelled or skipped in the meantime
        except claims.LostClaim:
            log.info("another worker has this publication, or it was given up")
        except posting.BrokenOff:
            publications.release_after_exchange(claim, self._clock())
        except posting.Stopped:
            publications.release_claim(claim)
        except KeyMissing as missing:  # of this process, which takes no more work
            self._outages.record_failure(missing)
            publications.release_claim(claim)
        except PublishError as error:
            self._record_failure(claim, error.message, error.retryable, error.retry_after)
        except Exception as failure:
            trouble = self._outages.record_failure(failure)
            if trouble is not None:  # no fault of the place: the production waits for its end
                until = self._clock() + trouble.seconds * clocks.SECOND
                self._outages.retry_until_written(publications.postpone, claim, until)
                return
            log.exception("publishing failed")
            self._record_failure(claim, f"unexpected: {type(failure).__name__}", True)

    def _publish_here(self, claim: publications.Claim) -> Posted:
        with self._post(claim) as post:
            return Posted(PLATFORMS[claim.platform].publish(post))

    def _publish_there(self, claim: publications.Claim, attempt: Attempt) -> Posted:
        tools = self._tools.with_deadline(attempt.deadline)
        posted = posting.publish(claim, self._storage, self._ring, tools, attempt.stopping)
        self._note(claim, None)
        return posted

    def _withdraw(self, claim: publications.Claim, posted: Posted) -> None:
        """Remove what was published for nothing.

        Its failure is logged: nobody waits for it any more.
        """
        try:
            if claim.connection_id:
                with Deadline(_WITHDRAW_SECONDS) as deadline:
                    posting.withdraw(
                        claim, posted.post_id, self._ring, self._tools.with_deadline(deadline)
                    )
            else:
                PLATFORMS[claim.platform].withdraw(posted.post_id)
        except PublishError as error:
            log.warning("a post that is no longer wanted could not be withdrawn: %s", error.message)
        except Exception as failure:
            if self._outages.record_failure(failure) is None:
                raise
            log.warning("a post that is no longer wanted could not be withdrawn: %s", failure)

    def _record_failure(
        self,
        claim: publications.Claim,
        message: str,
        retryable: bool,
        retry_after: int | None = None,
    ) -> None:
        recorded = publications.record_failed, claim, message, retryable, self._clock(), retry_after
        self._outages.retry_until_written(*recorded)
        self._note(claim, message)

    def _note(self, claim: publications.Claim, problem: str | None) -> None:
        if claim.connection_id:
            self._outages.retry_until_written(
                connections.record_result, claim.connection_id, problem, self._clock()
            )

    def _play_scenario(self, claim: publications.Claim) -> None:
        """Raise PublishError if a sandbox scenario requests that the first attempt on
        this platform fails.
        """
        if sandbox.find_scenario(
            claim.production_id
        ).flaky_platform == claim.platform and publications.is_first_attempt(claim):
            raise PublishError(
                "The sandbox scenario of this brief requests this failure.", retryable=True
            )

    @contextmanager
    def _post(self, claim: publications.Claim) -> Iterator[Post]:
        row = publications.find_video(claim)
        if row is None:
            raise PublishError(f"There is no video for {claim.platform}.", retryable=False)
        with ExitStack() as fetched:
            video = self._fetch_video(fetched, row["file"])
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

    def _fetch_video(self, fetched: ExitStack, file: str) -> Path:
        """Return the video's file here.

        An outage of this machine is no fault of the video: its end is waited for.

        Raises:
            FileStoreUnavailable: The bucket does not answer.
            Stopped: The process is told to end.
            PublishError: The file cannot be read.
        """
        while True:
            try:
                return fetched.enter_context(self._storage.fetch_file(file))
            except OSError as error:
                if isinstance(error, FileStoreUnavailable):
                    raise
                if self._outages.record_failure(error) is None:
                    raise PublishError(
                        f"The video file cannot be read: {error.strerror or error}.", retryable=True
                    ) from error
                if self._outages.stopping.wait(AGAIN_SECONDS):
                    raise posting.Stopped from error

    def begin_to_drain(self) -> None:
        """Take no further publications; those that run go on. Returns at once."""
        self._draining.set()

    def begin_to_stop(self) -> None:
        """Take no further publications, and finish the running ones; uploads to places break off,
        and are resumed later. Returns at once.

        The exchanges with places that have not ended after a moment are cut.
        """
        self.begin_to_drain()
        self._running.stop()
        if self._patience is None:
            self._patience = threading.Timer(self._grace, self._running.end, (posting.Stopped(),))
            self._patience.start()

    def stop(self) -> None:
        """Stop as :meth:`begin_to_stop` says; returns when what :meth:`turn` began has ended."""
        self.begin_to_stop()
        for workers in self._pools:
            workers.stop()
        if self._patience is not None:
            self._patience.cancel()
