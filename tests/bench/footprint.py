"""``python -m tests.bench.footprint``: how soon the server answers and how much memory it then
holds, beside a bare Flask's.

The memory is what the serving process (gunicorn's one worker) holds for itself or shares with
its parent, five seconds after its first answer.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.api import machine
from tests.bench.servers import BARE, OURS, ROOT, serving

STARTS = 7
ASKED_SECONDS, ASKED_MEGABYTES = 1.0, 110  # issue 7
_PROBE = b"GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
HEAVY = (
    "numpy",
    "av",
    "PIL",
    "fontTools",
    "uharfbuzz",
    "docx",
    "fpdf",
    "espeakng_loader",
    "onnxruntime",
    "hibari",
)


def main() -> None:
    print(machine())
    taken = {"bare Flask": [], "ours": []}
    held = {}
    with tempfile.TemporaryDirectory(prefix="bench.") as folder:
        for number in range(STARTS):
            for name, command, path in (
                ("bare Flask", BARE, b"/hello"),
                ("ours", OURS, b"/v1/languages"),
            ):
                with serving(
                    command, Path(folder) / name, _PROBE % path, SVC_ENGINE="on"
                ) as server:
                    taken[name].append(server.first_answer)
                    if number == STARTS - 1:
                        time.sleep(5)
                        held[name] = resident(server.worker)
    for name, starts in taken.items():
        print(
            f"{name:12}{statistics.median(starts):7.2f} s to the first answer{held[name]:7.0f} MB "
            "in the serving process"
        )
    heavy = reachable()
    print(f"heavy libraries among its imports: {', '.join(heavy) or 'none'}")
    passed = (
        statistics.median(taken["ours"]) <= ASKED_SECONDS
        and held["ours"] <= ASKED_MEGABYTES
        and not heavy
    )
    raise SystemExit(0 if passed else 1)


def resident(process: int) -> float:
    """Megabytes of a process that are in memory."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def reachable() -> list[str]:
    """Libraries that only children of the serving process should load,
    but whose import app.py causes.
    """
    code = f"import app, sys; print(*(each for each in {HEAVY} if each in sys.modules))"
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()


if __name__ == "__main__":
    main()
