"""Carries productions through their states as the engine would, without running anything."""

from svc.domain.lifecycle import endings, render_queue
from svc.domain.lifecycle.deliverables import FinishedFile
from svc.domain.productions import progress, publications
from svc.store.claims import Driver

DRIVER = Driver("test")


def make(
    platform: str | None = None, kind: str = "Transcript", form: str = "txt", **changes
) -> FinishedFile:
    """A deliverable that was made."""
    fields = {
        "file": "x/transcript.txt",
        "size_bytes": 5,
        "sha256": "0" * 64,
        "duration_seconds": None,
        "language": "en",
    }
    return FinishedFile(kind, platform, form, **{**fields, **changes})


def claim(clock) -> progress.Claim:
    """The claim on the oldest production that has work."""
    return render_queue.claim_next(DRIVER, clock())


def complete_steps(
    clock, number: int = 7, made: list[FinishedFile] | None = None
) -> progress.Claim:
    """Claim the oldest production and complete so many of its steps, a second each."""
    held = claim(clock)
    for _ in range(number):
        step = progress.start_step(held, clock())
        progress.complete_step(held, step, clock.tick(1), made if made is not None else [make()])
    return held


def complete_cancels(clock) -> None:
    """Complete every cancel that is requested."""
    for production_id in endings.list_cancelling():
        endings.finish_cancel(production_id, clock())


def publish_all(clock) -> list[str]:
    """Publish every publication that is due; their platforms."""
    done = []
    while publication := publications.claim_next(DRIVER, clock()):
        publications.record_published(publication, f"post-{publication.platform}", clock.tick(1))
        done.append(publication.platform)
    return done
