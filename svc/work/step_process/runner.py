"""The parent's side of a step: starts the child, follows its progress,
and kills it with all its processes.
"""

import json
import os
import re
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from svc.base import outage, voices
from svc.base.processes import confinement, entry_points, pipes, run_queue, seccomp
from svc.base.processes.entry_points import Process
from svc.work.step_process.config import StepConfig
from svc.work.step_process.outcomes import (
    Completed,
    Crashed,
    Failed,
    Interrupted,
    Outcome,
    PutOff,
    TimedOut,
)

SILENCE = 60.0  # seconds without a sign of life after which a step's process counts as hung
MOST_PROCESSES = 64  # of one step; the voices need a few
# -P: do not import from the working directory
_CHILD = ("-P", *entry_points.list_arguments(Process.STEP))
_ANSWER_EVERY = 0.02  # seconds between looks while the child waits for an answer
_SCENE = re.compile("[0-9a-f]{64}")  # see svc.media.cache.make_cache_key
_HEARD_EVERY = 0.25  # seconds between calls of ``report_progress`` while the child is silent
_LOOK_EVERY = 1.0  # seconds between looks at the child's processes
_OUT_OF_MEMORY = " because it needed more than SVC_STEP_MEMORY_MEGABYTES"
_REASONS: dict[int, str] = {
    signal.SIGKILL: ", perhaps because memory ran out",
    signal.SIGXCPU: " because it used more processor time than SVC_STEP_TIMEOUT_SECONDS allows",
    signal.SIGSYS: " because it made a system call that only an attacker makes",
    signal.SIGXFSZ: " because it wrote a file that is too large",
}
_REFUSED = "Operation not permitted"  # how Python says EPERM
_LONGEST_LINE = 1_000_000  # bytes in a line from a step's process
_TAIL = 65_536  # bytes at the end of its standard error that are read
# How many seconds killed processes have to end: the group is never empty if zombies are not reaped.
_ENDING_SECONDS = 3.0


class Scenes(Protocol):
    """Scenes that other machines have rendered. Its methods return at once."""

    @property
    def is_asked(self) -> bool:
        """Whether there are answers to wait for."""
        ...

    def fetch(self, name: str) -> None:
        """Begin to bring a scene to this machine's cache, if there is one elsewhere."""

    def keep(self, name: str) -> None:
        """Begin to send a scene of this machine's cache."""

    def take_answers(self) -> list[str]:
        """Return the scenes that were looked up since the last call."""
        ...


class _InvalidMessage(Exception):
    """The child sent a message that no step sends."""


def run_step(
    name: str,
    folder: Path,
    timeout: float,
    report_progress: Callable[[float], None],
    config: StepConfig = StepConfig(),
    report_charge: Callable[[dict[str, Any]], None] = lambda charge: None,
    report_lost_voice: Callable[[str], None] = lambda sentence: None,
    scenes: "Scenes | None" = None,
    silence: float = SILENCE,
    steady: Callable[[], float] = time.monotonic,
) -> Outcome:
    """Run a step in a child process and return its outcome.

    Args:
        timeout: Seconds after which the child is killed.
        report_progress: Called with the fraction done, at least four times a second. If it raises
            an exception, the child is killed and the exception is raised here.
        report_charge: Called with the charge of a model's answer (svc.adapters.model_api.Spent) as
            soon as it arrives.
        report_lost_voice: Called with a sentence about a voice that cannot speak, in whose place
            another one does.
        scenes: Those of other machines, if ``config`` says that they are shared.
        silence: Seconds without a sign of life after which the child is killed and counts as
            crashed.
        steady: The clock of ``timeout`` and ``silence``, in seconds.
    """
    errors = folder / "errors.txt"
    with errors.open("wb") as stderr:
        child = subprocess.Popen(
            [sys.executable, *_CHILD, name, str(folder.absolute())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,
            env=confinement.make_environment(folder.absolute()),
            cwd=folder,
        )
    try:
        # Here and not in the child, which would first load the media libraries: a second of
        # processor time.
        confinement.lower_priority(child.pid)
        _send_config(child, config)
        try:
            messages = _Messages(report_charge, report_lost_voice, silence, scenes, steady)
            verdict = _listen(child, steady() + timeout, report_progress, messages)
        except _InvalidMessage:
            return Crashed("The step's process sent an invalid message; it was stopped.")
        return verdict or _died(child, errors)
    finally:
        kill_step(child)


def _send_config(child: subprocess.Popen[bytes], config: StepConfig) -> None:
    with suppress(BrokenPipeError):  # it has died already; its error output is read later
        os.write(pipes.end_of_pipe(child.stdin).fileno(), config.to_json().encode() + b"\n")


def _listen(
    child: subprocess.Popen[bytes],
    deadline: float,
    report_progress: Callable[..., Any],
    messages: "_Messages",
) -> Outcome | None:
    output, silence, steady = pipes.end_of_pipe(child.stdout), messages.silence, messages.steady
    look_at = time.monotonic() + _LOOK_EVERY
    os.set_blocking(output.fileno(), False)
    os.set_blocking(pipes.end_of_pipe(child.stdin).fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(output, selectors.EVENT_READ)
        while True:
            remaining = deadline - steady()
            if remaining <= 0:
                return TimedOut("The step took longer than the operator allows; it was stopped.")
            messages.answer(child)
            if selector.select(min(messages.patience, remaining)):
                block = os.read(output.fileno(), 65536)
                verdict = messages.take(block)
                if verdict or not block:
                    return verdict
            elif steady() > messages.quiet_until:
                return Crashed(f"The step sent no message for {silence:g} s; it was stopped.")
            if time.monotonic() > look_at:
                look_at = time.monotonic() + _LOOK_EVERY
                if len(run_queue.list_members(child.pid)) > MOST_PROCESSES:
                    return Crashed("The step started too many processes; it was stopped.")
                messages.wait_for_processor(run_queue.read_thread_waits(child.pid))
            report_progress(messages.fraction)


class _Messages:
    """The messages of a step's process.

    ``quiet_until``: when it counts as hung without a further message.
    """

    def __init__(
        self,
        report_charge: Callable[..., Any],
        report_lost_voice: Callable[[str], None],
        silence: float,
        scenes: Scenes | None,
        steady: Callable[[], float],
    ):
        self._report_charge = report_charge
        self._report_lost_voice = report_lost_voice
        self.silence = silence
        self._scenes = scenes
        self.steady = steady
        self._incomplete = b""
        self._waits: dict[int, float] = {}
        self.fraction, self.quiet_until = 0.0, steady() + silence

    def take(self, block: bytes) -> Outcome | None:
        """Read received bytes; return the outcome once the step reports it. _InvalidMessage: the
        message is invalid.
        """
        *lines, self._incomplete = (self._incomplete + block).split(b"\n")
        self.quiet_until = max(self.quiet_until, self.steady() + self.silence)
        if len(self._incomplete) > _LONGEST_LINE:
            raise _InvalidMessage
        for message in map(_read_message, lines):
            if "spent" in message:
                self._report_charge(message["spent"])
            elif "voice" in message:
                self._report_lost_voice(_describe_lost_voice(message["voice"]))
            elif "lacks" in message or "kept" in message:
                self._share(message)
            elif "alive" in message:
                self.quiet_until = self.steady() + message["alive"] + self.silence
            elif "fraction" in message:
                self.fraction = message["fraction"]
            else:
                return _verdict(message)
        return None

    def wait_for_processor(self, waits: dict[int, float]) -> None:
        """Do not count as silence what the process has waited for a processor since the last call.

        ``waits``: see :func:`svc.base.processes.run_queue.waits`. Steps have a low priority, and on
        a busy machine they may have no processor for minutes, although nothing hangs.
        """
        self.quiet_until += max(
            (waited - self._waits.get(thread, waited) for thread, waited in waits.items()),
            default=0.0,
        )
        self._waits = waits

    @property
    def patience(self) -> float:
        """Seconds until it may be time for an answer."""
        return _ANSWER_EVERY if self._scenes is not None and self._scenes.is_asked else _HEARD_EVERY

    def answer(self, child: subprocess.Popen[bytes]) -> None:
        """Tell the child of the scenes that were looked up.

        One that does not read gets no answer.
        """
        for name in self._scenes.take_answers() if self._scenes is not None else ():
            with suppress(BrokenPipeError, BlockingIOError):
                os.write(pipes.end_of_pipe(child.stdin).fileno(), f"{name}\n".encode())

    def _share(self, message: dict[str, Any]) -> None:
        if self._scenes is None:
            return
        if "lacks" in message:
            self._scenes.fetch(message["lacks"])
        else:
            self._scenes.keep(message["kept"])


def _read_message(line: bytes) -> dict[str, Any]:
    """Return a message of the child, which may be compromised by its input. _InvalidMessage: the
    message is invalid.
    """
    try:
        message: dict[str, Any] = json.loads(line)
        [(kind, value)] = list(message.items())[:1]
        numbers = {"alive", "fraction"}
        if kind in numbers and not (type(value) in (int, float) and 0 <= value <= 86_400):
            raise ValueError(kind)
        checks: dict[str, Callable[[Any], object]] = {
            "spent": _check_charge,
            "voice": _describe_lost_voice,
            "lacks": _check_scene_name,
            "kept": _check_scene_name,
        }
        _verdict(message) if kind not in {*numbers, *checks} else None
        checks[kind](value) if kind in checks else None
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise _InvalidMessage from error
    return message


def _check_charge(charge: dict[str, Any]) -> None:
    """Check a charge. ValueError, TypeError, LookupError: it is invalid."""
    if not all(
        type(charge[name]) is int and 0 <= charge[name] < 10**9
        for name in ("units_in", "units_out")
    ):
        raise ValueError("units")
    if charge["purpose"] not in ("script", "speech") or not isinstance(charge["model"], str):
        raise ValueError("purpose")


def _describe_lost_voice(report: dict[str, Any]) -> str:
    """Return the sentence about a voice.

    TypeError, LookupError: there is no such voice or reason.
    """
    return f"The voice {voices.VOICES[report['name']].name} {voices.REASONS[report['reason']]}."


def _check_scene_name(name: str) -> None:
    """Check the name of a scene. ValueError, TypeError: it is none."""
    if not _SCENE.fullmatch(name):
        raise ValueError("scene")


def _verdict(message: dict[str, Any]) -> Outcome:
    if message.get("done"):
        return Completed()
    if "trouble" in message:
        return Interrupted(message["message"], outage.OUTAGES[message["trouble"]])
    failed = message["failed"]
    kind = PutOff if failed.get("again") else Failed
    return kind(str(failed["code"])[:64], str(failed["message"])[:2000])


def _died(child: subprocess.Popen[bytes], errors: Path) -> Outcome:
    status = child.wait()
    with errors.open("rb") as file:
        file.seek(max(0, errors.stat().st_size - _TAIL))
        tail = file.read(_TAIL).decode("utf-8", "replace").strip().splitlines()[-1:] or [
            "it wrote nothing"
        ]
    sentence = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
    sentence += _REASONS.get(-status, "") or (
        _OUT_OF_MEMORY if tail[0].startswith("MemoryError") else ""
    )
    if (-status == signal.SIGSYS or _REFUSED in tail[0]) and (
        calls := seccomp.list_refused_calls(child.pid)
    ):
        with errors.open("a", encoding="utf-8") as file:
            file.write(f"System calls that steps may not make: {', '.join(calls)}\n")
        sentence += f" after system calls that steps may not make ({', '.join(calls[:5])})"
    return Crashed(f"The step's process {sentence}: {tail[0][:300]}")


def kill_step(child: subprocess.Popen[bytes]) -> None:
    """Kill the child with its process group, and reap it.

    Returns when the group has ended, or after a few seconds.
    """
    _kill_group(child.pid)
    child.wait()
    until = time.monotonic() + _ENDING_SECONDS
    while _kill_group(child.pid) and time.monotonic() < until:
        time.sleep(0.01)
    pipes.end_of_pipe(child.stdin).close()
    pipes.end_of_pipe(child.stdout).close()


def _kill_group(group: int) -> bool:
    """Kill a process group; return whether there was any process to kill."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True
