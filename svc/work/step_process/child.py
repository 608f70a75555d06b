"""The child's side: ``python -m svc.work.step_process.child STEP FOLDER`` runs one step of the
media engine on a folder.

It reads ``brief.json``, writes its files into the folder, and reports to its parent on standard
output, one JSON object a line: ``{"fraction": 0.4}``, ``{"alive": 0}`` if it is working without a
known fraction, or ``{"alive": 120}`` if it waits for an answer for up to that many seconds,
``{"spent": {…}}`` for the charge of a model, ``{"voice": {…}}`` for a voice that cannot speak,
``{"lacks": name}`` for a scene that another machine may have and ``{"kept": name}`` for a new one
(svc.work.step_process.scene_requests), then ``{"done": true}``,
``{"failed": {"code": …, "message": …}}`` or, for a temporary outage of the machine,
``{"trouble": …, "message": …}``.
Its standard input is a pipe that the parent keeps open. Its first line is the step's configuration;
others name the scenes of which it was asked, once they are looked up. When the parent dies, it is
closed, and the child ends.
"""

import dataclasses
import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

from svc.base import outage
from svc.base.errors import ModelRefused, ModelUnavailable
from svc.base.processes import confinement, heartbeat
from svc.media import model as programme
from svc.media import steps
from svc.media.errors import MediaError
from svc.work.step_process.config import StepConfig
from svc.work.step_process.context import build_resources
from svc.work.step_process.scene_requests import SceneRequests

_turn = threading.Lock()


def main(name: str, folder: str) -> int:
    config = StepConfig.from_json(_first_line())
    if config.cache:
        # the confinement can only name existing paths
        Path(config.cache).mkdir(parents=True, exist_ok=True, mode=0o700)
    confinement.apply(config.make_confinement(name, folder))
    heartbeat.set_receiver(lambda seconds: _write_message({"alive": seconds}))
    asking = SceneRequests(_write_message)
    resources = build_resources(
        config,
        lambda charge: _write_message({"spent": dataclasses.asdict(charge)}),
        _tell_of_lost_voice,
        asking,
    )
    threading.Thread(target=_die_with_parent, args=(asking,), daemon=True).start()
    step = next(step for step in steps.PIPELINE_STEPS if step.name == name)
    brief = programme.load(programme.VideoBrief, Path(folder) / "brief.json")
    try:
        step.run(
            brief,
            Path(folder),
            lambda fraction: _write_message({"fraction": round(fraction, 3)}),
            resources,
        )
    except MediaError as error:
        _write_message({"failed": {"code": error.code, "message": error.message}})
        return 0
    except (ModelRefused, ModelUnavailable) as error:
        again = isinstance(error, ModelUnavailable)
        _write_message({"failed": {"code": error.code, "message": str(error), "again": again}})
        return 0
    except Exception as failure:
        trouble = outage.recognise(failure, of_step=True)
        if trouble is None:
            raise
        _write_message({"trouble": trouble.name, "message": str(failure)})
        return 0
    _write_message({"done": True})
    return 0


def _write_message(line: dict[str, Any]) -> None:
    with _turn:  # several threads of a step may report
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


def _tell_of_lost_voice(name: str, reason: str) -> None:
    _write_message({"voice": {"name": name, "reason": reason}})


def _first_line() -> str:
    line = b""
    while not line.endswith(b"\n"):
        if not (piece := os.read(0, 1)):  # sys.stdin would read ahead; see below
            sys.exit("the parent process ended before it sent the configuration")
        line += piece
    return line.decode()


def _die_with_parent(asking: SceneRequests) -> None:
    incomplete = b""
    # the lock of sys.stdin, held here, would abort the interpreter at exit
    while block := os.read(0, 4096):
        *lines, incomplete = (incomplete + block).split(b"\n")
        for line in lines:
            asking.answer(line.decode())
    os.killpg(os.getpgrp(), signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
