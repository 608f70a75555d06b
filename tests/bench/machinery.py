"""``python -m tests.bench.machinery``: what each part of our own machinery buys, beside the same
server with the plain way.

All servers run at the same time and are asked turn about. A part stays if it buys 5 % of the
requests a second of a status read or a trigger, at eight connections, or an exactness that the
specification asks for; ``docs/architecture.md`` has the figures. The wake FIFO is measured by the
time from a commit to the receiver's first byte.
"""

import argparse
import statistics
import subprocess
import tempfile
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path
from unittest import mock

from svc.base import clock, settings
from svc.domain.access import master_keys
from svc.store import database, wake
from svc.store.database import db
from tests.bench import latency, load, partners
from tests.bench.api import PARTNERS, machine
from tests.bench.serve_without import PARTS
from tests.bench.servers import OURS, Server, serving

CONNECTIONS = 8
BUYS = 1.05  # times the requests a second of the plain way
_EVENT_SECONDS = 5
_LOST = load.Round(0, 0, float("nan"), float("nan"), float("nan"))  # requests got no answer


def main() -> None:
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("--seconds", type=int, default=2, help="of each measurement")
    asked.add_argument("--rounds", type=int, default=7)
    given = asked.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory(prefix="machinery.") as folder, ExitStack() as stack:
        servers = {name: _serve(Path(folder), name, stack) for name in ("everything", *PARTS)}
        _print(_measure(servers, given.seconds, given.rounds))
    with tempfile.TemporaryDirectory(prefix="machinery.") as folder:
        _print_wake(Path(folder))


def _serve(folder: Path, name: str, stack: ExitStack) -> dict[str, tuple[int, list[bytes]]]:
    """Start a server on partners of its own; port and requests, by what is asked."""
    chosen = settings.read({}, data_dir=folder / name)
    database.open_database(chosen.database)
    master_keys.open_ring(chosen.secret, clock.now())
    askers = partners.make(PARTNERS)
    db.close()
    command = OURS if name == "everything" else ["-m", "tests.bench.serve_without", name]
    server: Server = stack.enter_context(serving(command, folder / name))
    return {
        "status read": (server.port, [each.status() for each in askers]),
        "trigger": (server.port, [each.trigger() for each in askers]),
    }


def _measure(servers: dict, seconds: int, rounds: int) -> dict[tuple[str, str], list[load.Round]]:
    measured = defaultdict(list)
    for number in range(rounds):
        for what in ("status read", "trigger"):
            for name, asked in servers.items():
                try:
                    measured[name, what].append(load.run(*asked[what], CONNECTIONS, seconds))
                except (SystemExit, subprocess.CalledProcessError):
                    measured[name, what].append(_LOST)
        print(f"round {number + 1} of {rounds}", end="\r", flush=True)
    return measured


def _print(measured: dict[tuple[str, str], list[load.Round]]) -> None:
    """A line for each part; ratios are those of the same round, of which the median is taken."""
    print(f"{'without':22}{'':14}{'requests/s':>12}{'p99 ms':>9}{'with, times':>13}")
    for (name, what), rounds in measured.items():
        if lost := rounds.count(_LOST):
            print(f"{name:22}{what:14}requests got no answer in {lost} of {len(rounds)} rounds")
            continue
        pairs = zip(measured["everything", what], rounds)
        bought = statistics.median(whole.per_second / plain.per_second for whole, plain in pairs)
        speed, slowest = (
            statistics.median(each)
            for each in ((r.per_second for r in rounds), (r.p99 for r in rounds))
        )
        verdict = (
            ""
            if name == "everything"
            else "kept for speed"
            if bought >= BUYS
            else "not kept for speed"
        )
        print(f"{name:22}{what:14}{speed:12.0f}{slowest:9.2f}{bought:13.2f}  {verdict}")


def _print_wake(folder: Path) -> None:
    woken = latency.run(folder / "woken", _EVENT_SECONDS, 0)
    with mock.patch.object(wake, "wake_engine", lambda: None):
        polled = latency.run(folder / "polled", _EVENT_SECONDS, 0)
    print(
        f"wake FIFO: commit to the receiver's first byte p50 {woken.p50:.1f} ms; without it "
        f"{polled.p50:.0f} ms"
    )


if __name__ == "__main__":
    main()
