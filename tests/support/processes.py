"""Processes: those that should have ended, and several that do the same thing at
the same moment.
"""

import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).parents[2]


def at_once(number: int, imports: str, expression: str, argument: object) -> list[str]:
    """Have so many processes evaluate ``expression`` of ``sys.argv[1]`` at the same moment; what
    each printed.

    They import first and then wait for each other, so that they begin as near together as can be.
    """
    program = f"import sys\n{imports}\nprint(flush=True)\nsys.stdin.readline()\nprint({expression})"
    command = [sys.executable, "-c", program, str(argument)]
    running = [
        subprocess.Popen(
            command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(number)
    ]
    for each in running:
        each.stdout.readline()
    for each in running:
        each.stdin.write("\n")
        each.stdin.flush()
    return [each.communicate(timeout=60)[0].strip() for each in running]


def processes_with(words: str) -> list[str]:
    """The command lines of the living processes that have ``words`` in them."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = each.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue  # it has ended meanwhile
        if words in line:
            found.append(line)
    return found
