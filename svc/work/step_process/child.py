"""The child's side: ``python -m svc.work.step_process.child STEP FOLDER`` runs one step of the media engine on a folder.

It reads ``brief.json``, writes its files into the folder, and tells its parent on standard output, one JSON object a line:
``{"fraction": 0.4}``, ``{"alive": 0}`` where its work goes on without a figure, or ``{"alive": 120}`` where it waits for an
answer that may take so many seconds, ``{"spent": {…}}`` for what a model charges, then ``{"done": true}``,
``{"failed": {"code": …, "message": …}}`` or, where the machine is in trouble that passes, ``{"trouble": …, "message": …}``.
Its standard input is a pipe that the parent holds: first comes a line with the step's means; when the parent dies, it ends,
and so does the child.
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
from svc.work.step_process.config import Means
from svc.work.step_process.context import kit_of

_turn = threading.Lock()


def main(name: str, folder: str) -> int:
    means = Means.from_json(_first_line())
    if means.cache:
        Path(means.cache).mkdir(parents=True, exist_ok=True, mode=0o700)  # what is not there cannot be named to the kernel
    confinement.apply(means.confinement(name, folder))
    heartbeat.tell(lambda seconds: _tell({"alive": seconds}))
    kit = kit_of(means, lambda spent: _tell({"spent": dataclasses.asdict(spent)}))
    threading.Thread(target=_die_with_parent, daemon=True).start()
    step = next(each for each in steps.STEPS if each.name == name)
    brief = programme.load(programme.VideoBrief, Path(folder) / "brief.json")
    try:
        step.run(brief, Path(folder), lambda fraction: _tell({"fraction": round(fraction, 3)}), kit)
    except MediaError as refused:
        _tell({"failed": {"code": refused.code, "message": refused.message}})
        return 0
    except (ModelRefused, ModelUnavailable) as refused:
        again = isinstance(refused, ModelUnavailable)
        _tell({"failed": {"code": refused.code, "message": str(refused), "again": again}})
        return 0
    except Exception as failure:
        found = outage.recognise(failure)
        if found is None:
            raise
        _tell({"trouble": found.name, "message": str(failure)})
        return 0
    _tell({"done": True})
    return 0


def _tell(line: dict[str, Any]) -> None:
    with _turn:  # several threads of a step may have something to tell
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


def _first_line() -> str:
    line = b""
    while not line.endswith(b"\n"):
        if not (piece := os.read(0, 1)):  # not sys.stdin, which would read ahead; see below
            sys.exit("the parent ended without a word")
        line += piece
    return line.decode()


def _die_with_parent() -> None:
    while os.read(0, 1):  # not sys.stdin: its lock, held here, would abort the interpreter at its end
        pass
    os.killpg(os.getpgrp(), signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
