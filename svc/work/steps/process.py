"""The parent's side of a step: start the child, hear how far it is, and kill it with everything it started."""

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from svc.work.steps.means import Means

_HEARD_EVERY = 0.25  # seconds after which the caller hears from us even when the child is silent, and may stop it
_ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Outcome:
    """How a step ended: ``done``; refused with ``code``; or died by itself (neither), with what it last wrote."""

    done: bool
    code: str | None
    message: str
    again: bool = False  # refused for now only: worth another try later


def run(
    name: str,
    folder: Path,
    timeout: float,
    heard: Callable[[float], None],
    means: Means = Means(),
    spent: Callable[[dict], None] = lambda charge: None,
) -> Outcome:
    """Run a step in a child process. ``heard``: called with the fraction done whenever the child says it, and at least four
    times a second; whatever it raises kills the child and is raised here. ``timeout``: seconds, then the child is killed.
    ``spent``: hears what a model's answer is charged for (svc.adapters.models.Spent) as soon as it was given."""
    errors = folder / "errors.txt"
    with errors.open("wb") as stderr:
        child = subprocess.Popen(
            [sys.executable, "-m", "svc.work.steps.child", name, str(folder)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, start_new_session=True,
            env={**os.environ, "PYTHONPATH": str(_ROOT), "PYTHONHASHSEED": "0"},
        )  # fmt: skip
    try:
        _tell(child, means)
        verdict = _listen(child, time.monotonic() + timeout, heard, spent)
        return verdict or _died(child, errors)
    finally:
        kill(child)


def _tell(child: subprocess.Popen, means: Means) -> None:
    with suppress(BrokenPipeError):  # it died already; what it said of that is read later
        os.write(child.stdin.fileno(), means.to_json().encode() + b"\n")


def _listen(child: subprocess.Popen, deadline: float, heard: Callable, spent: Callable) -> Outcome | None:
    fraction, buffered = 0.0, b""
    os.set_blocking(child.stdout.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdout, selectors.EVENT_READ)
        while True:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                return Outcome(False, "STEP_TIMED_OUT", "The step took longer than the operator allows; it was stopped.")
            if selector.select(min(_HEARD_EVERY, remaining)):
                block = os.read(child.stdout.fileno(), 65536)
                if not block:
                    return None
                *lines, buffered = (buffered + block).split(b"\n")
                for said in map(json.loads, lines):
                    if "spent" in said:
                        spent(said["spent"])
                    elif "fraction" in said:
                        fraction = said["fraction"]
                    else:
                        return _verdict(said)
            heard(fraction)


def _verdict(said: dict) -> Outcome:
    if said.get("done"):
        return Outcome(True, None, "")
    return Outcome(False, **said["failed"])


def _died(child: subprocess.Popen, errors: Path) -> Outcome:
    status = child.wait()
    tail = errors.read_text("utf-8", "replace").strip().splitlines()[-1:] or ["it said nothing"]
    how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
    return Outcome(False, None, f"The step's process {how}: {tail[0][:300]}")


def kill(child: subprocess.Popen) -> None:
    """Kill the child and everything in its process group, and reap it."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    child.wait()
    child.stdin.close()
    child.stdout.close()
