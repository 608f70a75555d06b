"""``python -m tests.torture.webhooks --kills 300``: a server under load is killed so often, and
must lose no event.

Clients trigger and cancel productions of sandbox accounts and note what was acknowledged; a
receiver in another process notes every delivery. Every kill is a SIGKILL for the server's whole
process group, 50 to 600 ms after it answers again, and one in eight already while it starts;
``--seed`` repeats the moments. What is wrong makes it end with 1 and leave everything there.
"""

import argparse
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from svc.base import clock
from svc.cli.installation import seed
from svc.cli.signals import end_as_by_ctrl_c
from svc.store import database
from svc.store.database import db
from tests.support.front import remove_data
from tests.torture import verdict
from tests.torture.load import Load, Partner
from tests.torture.remains import Coroner, Remains, sqlite3
from tests.torture.victim import Sink, Victim

PARTNERS = 24  # of 300 requests a minute each
SOONEST, LATEST = 0.05, 0.6  # seconds from the first answer to the kill
STARTING = 8  # one kill in so many comes while the server starts
_START = 1.0  # seconds within which it does
# a delivery that was interrupted again and again waits for its retries of 60 s and 300 s
_DRAIN_SECONDS = 420.0


def main() -> None:
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("--kills", type=int, default=300)
    asked.add_argument("--clients", type=int, default=6)
    asked.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    given = asked.parse_args()
    end_as_by_ctrl_c()  # so that neither server nor receiver is left behind
    print(
        (
            f"--kills {given.kills} --clients {given.clients} --seed {given.seed}, SQLite "
            f"{sqlite3.sqlite_version}"
        ),
        flush=True,
    )
    folder = Path(tempfile.mkdtemp(prefix="torture."))
    began = time.monotonic()
    found, remains = torture(folder, given.kills, given.clients, given.seed)
    _print(found, remains, time.monotonic() - began)
    if found.wrong:
        raise SystemExit(f"WRONG; everything is left in {folder}")
    remove_data(folder)
    print("as asked")


def torture(
    folder: Path, kills: int, clients: int, number: int
) -> tuple[verdict.Verdict, list[Remains]]:
    """Kill so often, let everything end, and compare."""
    data_dir, journal = folder / "server", folder / "arrivals.jsonl"
    partners, victim, coroner = _partners(data_dir), Victim(data_dir), Coroner(data_dir)
    load = Load(victim.port, partners, number, clients)
    with Sink(journal, number) as sink:
        try:
            victim.launch()
            victim.wait()
            load.register(sink.port)
            load.start()
            tracebacks = _kill(victim, coroner, list(moments(random.Random(number), kills)))
            load.stop()
            left = _drain(data_dir)
        finally:
            last = victim.stop()
    remains = coroner.all()
    found = verdict.reach(load, data_dir, verdict.read_arrivals(journal), remains)
    found.none("answers that the API does not give", load.strange)
    found.none("errors in the server's log", tracebacks + last)
    found.none("productions and deliveries still open", left)
    return found, remains


def moments(lots: random.Random, kills: int) -> Iterator[tuple[bool, float]]:
    """When to kill: whether while it starts, and after how many seconds; spread evenly,
    in a random order.
    """
    late = kills - kills // STARTING
    spread = [
        (False, SOONEST + (LATEST - SOONEST) * (each + lots.random()) / late)
        for each in range(late)
    ]
    spread += [(True, lots.uniform(0.0, _START)) for _ in range(kills // STARTING)]
    lots.shuffle(spread)
    yield from spread


def _partners(data_dir: Path) -> list[Partner]:
    database.open_database(data_dir / "service.db")
    made = [
        Partner(number, seed.make_partner("Enterprise", clock.now())) for number in range(PARTNERS)
    ]
    db.close()
    return made


def _kill(victim: Victim, coroner: Coroner, when: list[tuple[bool, float]]) -> list[str]:
    """Kill at each of these moments and start again; the logs that have an error.

    The server answers, before and after.
    """
    tracebacks = []
    for number, (starting, seconds) in enumerate(when, 1):
        if not starting:
            victim.wait()
        time.sleep(seconds)
        tracebacks += victim.kill()
        coroner.look()
        victim.launch()
        if number % 20 == 0:
            print(f"{number} kills", flush=True)
    victim.wait()
    return tracebacks


def _drain(data_dir: Path) -> list[str]:
    """Wait until nothing is open any more; what still is after a long time."""
    deadline = time.monotonic() + _DRAIN_SECONDS
    connection = sqlite3.connect(f"file:{data_dir / 'service.db'}?mode=ro", uri=True)
    try:
        while (
            any(left := connection.execute(verdict.OPEN).fetchone()) and time.monotonic() < deadline
        ):
            time.sleep(0.1)
    finally:
        connection.close()
    return [f"{left[0]} productions, {left[1]} deliveries"] if any(left) else []


def _print(found: verdict.Verdict, remains: list[Remains], seconds: float) -> None:
    half_done = Counter()
    for each in remains:
        half_done.update(name for name, count in each.phases.items() if count)
        half_done["deliveries in flight"] += bool(each.claimed)
    print(
        f"{len(remains)} kills in {seconds:.0f} s; at so many of them there were "
        + ", ".join(f"{name}: {count}" for name, count in sorted(half_done.items()))
    )
    for name, figure in found.figures.items():
        print(f"{name:50}{figure:>9}")
    print("\n".join(f"WRONG {each}" for each in found.wrong), end="\n" if found.wrong else "")


if __name__ == "__main__":
    main()
