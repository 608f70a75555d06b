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
from enum import Enum, auto
from pathlib import Path
from typing import Any

from svc.base import outage
from svc.base.outage import Trouble
from svc.base.processes import confinement, entry_points, pipes
from svc.base.processes.entry_points import Process
from svc.work.step_process.config import Means

TIMED_OUT = "STEP_TIMED_OUT"
SILENCE = 60.0  # seconds without a sign of life, after which a step's process is taken for hung
MOST_PROCESSES = 64  # of one step: the voices need a few
_CHILD = ("-P", *entry_points.arguments(Process.STEP))  # -P: nothing is imported from the folder that it works in
_HEARD_EVERY = 0.25  # seconds after which the caller hears from us even when the child is silent, and may stop it
_OUT_OF_MEMORY = ", since it needed more than SVC_STEP_MEMORY_MEGABYTES"
_REASONS: dict[int, str] = {
    signal.SIGKILL: ", perhaps for want of memory",
    signal.SIGXCPU: ", since it used more of the processor than SVC_STEP_TIMEOUT_SECONDS allows",
    signal.SIGXFSZ: ", since it wrote a larger file than it may",
}
_LONGEST_LINE = 1_000_000  # bytes that a step's process may say at a time
_TAIL = 65_536  # bytes of what it wrote to its standard error that are looked at
_ENDING_SECONDS = 3.0  # in which the kernel ends what was killed; where nobody reaps the dead, the group is never empty


class _Nonsense(Exception):
    """The child said what no step says."""


class Ending(Enum):
    """The ways in which a step ends; what follows from each is in svc.work.pipeline."""

    COMPLETED = auto()
    FAILED = auto()  # it cannot be made, for the reason that its code names
    PUT_OFF = auto()  # something that it needs is down
    TIMED_OUT = auto()
    CRASHED = auto()  # its process died, or said what no step says
    INTERRUPTED = auto()  # by trouble with the machine, which passes


@dataclass(frozen=True)
class Outcome:
    """How a step ended: ``done``; refused with ``code``; stopped by ``trouble`` with the machine, which passes; or died by
    itself (none of these), with what it last wrote."""

    done: bool
    code: str | None
    message: str
    trouble: Trouble | None = None
    again: bool = False  # refused for now only: worth another try later

    @property
    def ending(self) -> Ending:
        """Which of the ways it is."""
        if self.trouble is not None:
            return Ending.INTERRUPTED
        if self.done:
            return Ending.COMPLETED
        if self.again:
            return Ending.PUT_OFF
        if self.code == TIMED_OUT:
            return Ending.TIMED_OUT
        return Ending.CRASHED if self.code is None else Ending.FAILED


def run(
    name: str,
    folder: Path,
    timeout: float,
    heard: Callable[[float], None],
    means: Means = Means(),
    spent: Callable[[dict[str, Any]], None] = lambda charge: None,
    silence: float = SILENCE,
) -> Outcome:
    """Run a step in a child process. ``heard``: called with the fraction done whenever the child says it, and at least four
    times a second; whatever it raises kills the child and is raised here. ``timeout``: seconds, then the child is killed.
    ``spent``: hears what a model's answer is charged for (svc.adapters.model_api.Spent) as soon as it was given.
    ``silence``: seconds without a sign of life from its work, then it is killed, and has died by itself."""
    errors = folder / "errors.txt"
    with errors.open("wb") as stderr:
        child = subprocess.Popen(
            [sys.executable, *_CHILD, name, str(folder.absolute())],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, start_new_session=True,
            env=confinement.environment(folder.absolute(), entry_points.ROOT), cwd=folder,
        )  # fmt: skip
    try:
        confinement.lower_priority(child.pid)  # before it loads the media libraries, which takes a second of the processor
        _tell(child, means)
        try:
            verdict = _listen(child, time.monotonic() + timeout, heard, spent, silence)
        except _Nonsense:
            return Outcome(False, None, "The step's process said what no step says; it was stopped.")
        return verdict or _died(child, errors)
    finally:
        kill(child)


def _tell(child: subprocess.Popen[bytes], means: Means) -> None:
    with suppress(BrokenPipeError):  # it died already; what it said of that is read later
        os.write(pipes.end(child.stdin).fileno(), means.to_json().encode() + b"\n")


def _listen(
    child: subprocess.Popen[bytes], deadline: float, heard: Callable[..., Any], spent: Callable[..., Any], silence: float
) -> Outcome | None:
    output, messages = pipes.end(child.stdout), _Messages(spent, silence)
    count_at = time.monotonic() + 1.0
    os.set_blocking(output.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(output, selectors.EVENT_READ)
        while True:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                return Outcome(False, TIMED_OUT, "The step took longer than the operator allows; it was stopped.")
            if selector.select(min(_HEARD_EVERY, remaining)):
                block = os.read(output.fileno(), 65536)
                verdict = messages.take(block)
                if verdict or not block:
                    return verdict
            elif time.monotonic() > messages.quiet_until:
                return Outcome(False, None, f"The step gave no sign of life for {silence:g} s; it was stopped.")
            if time.monotonic() > count_at:
                count_at = time.monotonic() + 1.0
                if _processes(child.pid) > MOST_PROCESSES:
                    return Outcome(False, None, "The step started more processes than it may; it was stopped.")
            heard(messages.fraction)


class _Messages:
    """What a step's process has said so far. ``quiet_until``: when its silence counts as its death."""

    def __init__(self, spent: Callable[..., Any], silence: float):
        self._spent, self._silence = spent, silence
        self._incomplete = b""
        self.fraction, self.quiet_until = 0.0, time.monotonic() + silence

    def take(self, block: bytes) -> Outcome | None:
        """Read what came; return how the step ended once it says so. _Nonsense: no step writes this."""
        *lines, self._incomplete = (self._incomplete + block).split(b"\n")
        self.quiet_until = max(self.quiet_until, time.monotonic() + self._silence)
        if len(self._incomplete) > _LONGEST_LINE:
            raise _Nonsense
        for message in map(_read, lines):
            if "spent" in message:
                self._spent(message["spent"])
            elif "alive" in message:
                self.quiet_until = time.monotonic() + message["alive"] + self._silence
            elif "fraction" in message:
                self.fraction = message["fraction"]
            else:
                return _verdict(message)
        return None


def _read(line: bytes) -> dict[str, Any]:
    """A line of the child's, which may have been taken over by what it worked on. _Nonsense."""
    try:
        said: dict[str, Any] = json.loads(line)
        [(kind, value)] = list(said.items())[:1]
        numbers = {"alive", "fraction"}
        if kind in numbers and not (type(value) in (int, float) and 0 <= value <= 86_400):
            raise ValueError(kind)
        _verdict(said) if kind not in {*numbers, "spent"} else None
        _spent(value) if kind == "spent" else None
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as wrong:
        raise _Nonsense from wrong
    return said


def _spent(charge: dict[str, Any]) -> None:
    """ValueError, TypeError: this is no charge."""
    if not all(type(charge[name]) is int and 0 <= charge[name] < 10**9 for name in ("units_in", "units_out")):
        raise ValueError("units")
    if charge["purpose"] not in ("script", "speech") or not isinstance(charge["model"], str):
        raise ValueError("purpose")


def _processes(group: int) -> int:
    """How many processes are in a process group, which none of a step's can leave; 0 where nobody says so."""
    try:
        return sum(_group(entry.path) == group for entry in os.scandir("/proc") if entry.name.isdigit())
    except OSError:
        return 0


def _group(process: str) -> int:
    try:
        with open(f"{process}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[2])
    except (OSError, IndexError):
        return 0  # it has ended


def _verdict(said: dict[str, Any]) -> Outcome:
    if said.get("done"):
        return Outcome(True, None, "")
    if "trouble" in said:
        return Outcome(False, None, said["message"], outage.ALL[said["trouble"]])
    failed = said["failed"]
    return Outcome(False, str(failed["code"])[:64], str(failed["message"])[:2000], again=bool(failed.get("again")))


def _died(child: subprocess.Popen[bytes], errors: Path) -> Outcome:
    status = child.wait()
    with errors.open("rb") as file:
        file.seek(max(0, errors.stat().st_size - _TAIL))
        tail = file.read(_TAIL).decode("utf-8", "replace").strip().splitlines()[-1:] or ["it said nothing"]
    how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
    how += _REASONS.get(-status, "") or (_OUT_OF_MEMORY if tail[0].startswith("MemoryError") else "")
    return Outcome(False, None, f"The step's process {how}: {tail[0][:300]}")


def kill(child: subprocess.Popen[bytes]) -> None:
    """Kill the child and everything in its process group, and reap it. What it started has ended too when this returns, unless
    the kernel takes longer than a few seconds to end it."""
    _kill_group(child.pid)
    child.wait()
    until = time.monotonic() + _ENDING_SECONDS
    while _kill_group(child.pid) and time.monotonic() < until:
        time.sleep(0.01)
    pipes.end(child.stdin).close()
    pipes.end(child.stdout).close()


def _kill_group(group: int) -> bool:
    """Whether there was anything to kill."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True
