"""The child's side: ``python -m svc.work.steps.child STEP FOLDER`` runs one step of the media engine on a folder.

It reads ``brief.json``, writes its files into the folder, and tells its parent on standard output, one JSON object a line:
``{"fraction": 0.4}``, ``{"spent": {…}}`` for what a model charges, then ``{"done": true}`` or ``{"failed": {"code": …,
"message": …}}``. Its standard input is a pipe that the parent holds: first comes a line with the step's means; when the parent
dies, the pipe ends, and so does the child.
"""

import dataclasses
import json
import os
import signal
import sys
import threading
from pathlib import Path

from svc.base.errors import ModelRefused, ModelUnavailable
from svc.media import programme, steps
from svc.media.errors import MediaError
from svc.work.steps.kits import kit_of
from svc.work.steps.means import Means


def main(name: str, folder: str) -> int:
    kit = kit_of(Means.from_json(_first_line()), lambda spent: _tell({"spent": dataclasses.asdict(spent)}))
    threading.Thread(target=_die_with_parent, daemon=True).start()
    step = next(each for each in steps.STEPS if each.name == name)
    brief = programme.load(programme.Brief, Path(folder) / "brief.json")
    try:
        step.run(brief, Path(folder), lambda fraction: _tell({"fraction": round(fraction, 3)}), kit)
    except MediaError as refused:
        _tell({"failed": {"code": refused.code, "message": refused.message}})
        return 0
    except (ModelRefused, ModelUnavailable) as refused:
        again = isinstance(refused, ModelUnavailable)
        _tell({"failed": {"code": refused.code, "message": str(refused), "again": again}})
        return 0
    _tell({"done": True})
    return 0


def _tell(line: dict) -> None:
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
