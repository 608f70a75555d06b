"""Runs a module as a program and kills it: ``python -m tests.support.killed_at NUMBER FOLDER MODULE
ARGUMENT…``.

It dies before the step of that number, counted from 1. A step is a change of a name below FOLDER: a
file or a folder is made or opened for writing, renamed, linked, or removed. A program of fewer
steps ends as it always does.
"""

import os
import runpy
import signal
import sys

# https://docs.python.org/3/library/audit_events.html
_CHANGES = {"os.rename", "os.remove", "os.link", "os.mkdir", "os.rmdir"}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def main(number: str, folder: str, module: str, *arguments: str) -> None:
    left = int(number)

    def before(event: str, given: tuple) -> None:
        nonlocal left
        if (event in _CHANGES or (event == "open" and given[2] & _WRITES)) and str(
            given[0]
        ).startswith(folder):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(before)
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
