"""``python tests/support/failpoints.py serve …``: the server, which is killed at a named point, as
by a power failure.

``FAILPOINT`` names the point and the step, such as ``running video``; all else is real. ``endless``
kills nothing: the step does not end by itself.
"""

import dataclasses
import os
import signal
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
if __name__ == "__main__":
    sys.path[0] = str(ROOT)

from svc.cli import run  # noqa: E402
from svc.cli.demo.demo_server import Server  # noqa: E402

BEGUN = "begun"  # the step is marked as running, and has no process yet
RUNNING = "running"  # its process runs
ENDED = "ended"  # its process has ended, and nothing of it is stored
STORED = "stored"  # its files are stored, and nothing is committed
COMMITTED = "committed"  # it is completed, and its claim is held
# an event was received, and that is not committed; no step is named, as with the next
SENT = "sent"
PUBLISHED = "published"  # a post was made, and that is not committed
ENDLESS = "endless"


class FailingServer(Server):
    """A server with failpoints; ``at`` sets the one of its next start, and none with no words."""

    program = str(Path(__file__))

    def at(self, *words: str) -> None:
        self._environment["FAILPOINT"] = " ".join(words)

    def status(self, seconds: float) -> int:
        """Wait until it has ended; its status, which is negative if a signal ended it."""
        return self._require_process().wait(seconds)


def kill() -> None:
    """Kill the server with its workers; they are one group of processes."""
    os.killpg(0, signal.SIGKILL)


def install(point: str, name: str) -> None:
    """Have the engine of this process kill the server at a point."""
    from svc.domain import retry_schedule
    from svc.domain.productions import progress, publications
    from svc.domain.webhooks import outbox
    from svc.work.step_process import runner

    def is_here(*points: str, step: str = name) -> bool:
        return point in points and step == name

    # A step that is lost again and again would wait for minutes in between.
    retry_schedule.LOSS_DELAYS = tuple(0 for _ in retry_schedule.LOSS_DELAYS)
    start_step, run, complete_step = progress.start_step, runner.run_step, progress.complete_step

    def starting(*given):
        step = start_step(*given)
        _ = step and is_here(BEGUN, step=step["name"]) and kill()
        return step

    def running(step, folder, timeout, heard, *more):
        _ = is_here(ENDLESS, step=step) and take_over(runner, folder)
        outcome = run(
            step,
            folder,
            timeout,
            (lambda _: kill()) if is_here(RUNNING, step=step) else heard,
            *more,
        )
        _ = is_here(ENDED, step=step) and kill()
        return outcome

    def completing(claim, step, *more):
        _ = is_here(STORED, step=step["name"]) and kill()
        complete_step(claim, step, *more)
        _ = is_here(COMMITTED, step=step["name"]) and kill()

    progress.start_step, progress.complete_step, runner.run_step = starting, completing, running
    if is_here(SENT):
        outbox.record_outcomes = lambda *_given: kill()
    if is_here(PUBLISHED):
        publications.record_published = lambda *_given: kill()


def take_over(runner, folder: Path) -> None:
    """Have the next process of a step wait for ever."""
    from svc.media import model as programme

    brief = programme.load(programme.VideoBrief, folder / "brief.json")
    programme.save(dataclasses.replace(brief, topic="wait 80000"), folder / "brief.json")
    runner._CHILD = (str(ROOT / "tests" / "work" / "hostile_step.py"),)


def serving_app():
    """Make the application in a worker, after the fork."""
    point, _, name = os.environ.pop("FAILPOINT", "").partition(" ")
    install(point, name)
    from svc import application

    return application.serving_app()


if __name__ == "__main__":
    run.run(serving_app)
