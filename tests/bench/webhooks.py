"""``python -m tests.bench.webhooks``: webhooks from outbox to committed outcome, in one run and
turn about.

Deliveries per second: the real dispatcher (signed, logged, outcomes on the disk) beside a bare loop
of ``requests.Session().post`` of the same bodies with 16 threads, against the same local sink.
Then, through the real engine, how long an event takes from its commit to the receiver's first byte,
without dead endpoints and beside them.

    --quick      less of everything: a look, not a figure to quote
    --workers    of the dispatcher in the first part; the setting's default
"""

import argparse
import statistics
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from svc.base.settings import Settings
from tests.bench import latency, throughput
from tests.bench.api import machine
from tests.bench.latency import DEAD, PER_SECOND, SUBSCRIPTIONS, Latency
from tests.bench.sink import receiving

ASKED_RATIO = 1.0  # of the bare loop's deliveries/s
ASKED_P50, ASKED_P99 = 15.0, 60.0  # milliseconds
ASKED_BESIDE_DEAD = 2.0  # times the p99 without dead endpoints


class Effort(NamedTuple):
    """How much is measured.

    ``seconds``: of each run of events; a silent endpoint is given up after fifteen.
    """

    deliveries: int
    pairs: int
    seconds: int
    runs: int


WHOLE, QUICK = Effort(2000, 5, 20, 3), Effort(800, 2, 8, 1)


def main() -> None:
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("--quick", action="store_true")
    asked.add_argument("--workers", type=int, default=Settings.webhook_workers)
    given = asked.parse_args()
    effort = QUICK if given.quick else WHOLE
    print(machine())
    with tempfile.TemporaryDirectory(prefix="bench.") as folder:
        missed = _throughput(Path(folder), effort, given.workers) + _latency(Path(folder), effort)
    print("\n".join(f"MISSED {each}" for each in missed) or "as asked")
    raise SystemExit(1 if missed else 0)


def _throughput(folder: Path, effort: Effort, workers: int) -> list[str]:
    """Measure and print; what was missed."""
    measured, missed = defaultdict(list), []
    with receiving() as sink:
        for number in range(effort.pairs):
            for subscriptions in (1, 20):
                place = folder / f"{subscriptions}-{number}"
                measured[subscriptions].append(
                    throughput.pair(place, sink, subscriptions, effort.deliveries, workers)
                )
    print(f"{workers} workers; the bare loop has {throughput.THREADS} threads")
    print(f"{'subscriptions':14}{'deliveries/s':>14}{'bare loop/s':>14}{'ratio':>8}   of each pair")
    for subscriptions, pairs in measured.items():
        ratios = [ours / bare for ours, bare in pairs]
        ours, bare = (statistics.median(each) for each in zip(*pairs))
        ratio = statistics.median(ratios)
        print(
            f"{subscriptions:<14}{ours:14.0f}{bare:14.0f}{ratio:8.2f}   "
            f"{' '.join(f'{each:.2f}' for each in ratios)}"
        )
        if ratio < ASKED_RATIO:
            missed.append(
                f"{subscriptions} subscriptions: {ratio:.2f} of the bare loop, asked are "
                f"{ASKED_RATIO:.2f}"
            )
    return missed


def _latency(folder: Path, effort: Effort) -> list[str]:
    """Measure and print; what was missed."""
    measured = defaultdict(list)
    for number in range(effort.runs):
        for dead in (0, DEAD):
            measured[dead].append(
                latency.run(folder / f"dead{dead}-{number}", effort.seconds, dead)
            )
    print(f"from commit to first byte, {PER_SECOND} events/s, {SUBSCRIPTIONS} subscriptions")
    for dead, runs in measured.items():
        for each in runs:
            print(
                f"{dead:5} dead: p50 {each.p50:.1f} ms, p99 {each.p99:.1f} ms, {each.missing} "
                "never came"
            )
    return _missed(measured[0], measured[DEAD])


def _missed(without: list[Latency], beside: list[Latency]) -> list[str]:
    p50, p99 = (statistics.median(each) for each in list(zip(*without))[:2])
    times = statistics.median(dead.p99 / well.p99 for well, dead in zip(without, beside))
    print(f"the p99 of the healthy ones beside {DEAD} dead ones is {times:.2f} times that without")
    found = {
        f"p50 is {p50:.1f} ms, asked are {ASKED_P50:.0f}": p50 > ASKED_P50,
        f"p99 is {p99:.1f} ms, asked are {ASKED_P99:.0f}": p99 > ASKED_P99,
        f"dead endpoints make p99 {times:.1f} times, asked are {ASKED_BESIDE_DEAD:.0f}": times
        > ASKED_BESIDE_DEAD,
        "healthy endpoints did not get everything": any(
            each.missing for each in (*without, *beside)
        ),
    }
    return [said for said, is_missed in found.items() if is_missed]


if __name__ == "__main__":
    main()
