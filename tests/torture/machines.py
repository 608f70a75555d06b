"""``python -m tests.torture.machines --kills 300``: three servers and four workers, or as many as
asked, on one PostgreSQL and one bucket.

Each is a process group with a directory of its own. They are killed so often under load, evenly
spread over the time; meanwhile PostgreSQL crashes and comes back, the bucket does not answer for a
while, and a worker sleeps longer than its lease. At the end nothing may be lost, nothing twice, and
no sequence may have a gap, and each published production has one post at its account's place, which
takes its time to answer. The steps of the workers only wait; all else is real.

Before that, the server that drives is killed a few times together with a worker, while nothing else
fails.

A cancel has to reach the step on another machine within a second. Those are counted apart whose
worker slept meanwhile, or could not ask as the database or the bucket was away.

    --servers 3 --workers 4 --takeovers 3 --kills 300 --crashes 10 --silence 30 --every 2.0 --seed N
    --within 15 --cancelled 1

A short run says how many connections two servers and two workers have, of which fewer than 40 are
asked: ``--servers 2 --workers 2 --takeovers 1 --kills 20 --crashes 1``.
"""

import argparse
import random
import re
import statistics
import tempfile
import threading
import time
from collections import Counter, defaultdict
from datetime import datetime
from pathlib import Path

import psycopg
from support import places

from svc.cli.signals import end_as_by_ctrl_c
from tests.store import buckets
from tests.support.front import remove_data
from tests.support.postgres_server import PostgresServer
from tests.torture.farm import OURS, Clients, Farm, Observer
from tests.torture.verdict import Verdict, read_arrivals
from tests.torture.victim import Sink

RESUMED, CANCELLED = 15.0, 1.0  # seconds, asked
# Fewer than 40 are asked of two servers and two workers. A server has 13 at most: 8 for its tables,
# as many as threads that answer, 2 for what all share, and 3 of the queue. A worker that runs one
# step at a time has 6. What a killed process had may be there for a moment beside its successor.
_OF_SERVER, _OF_WORKER = 13, 6
_SLOW_TAKEOVER = 90.0  # seconds
_SLEEP = 20.0  # seconds, longer than a lease
_AWAY_SECONDS = 0.5  # after PostgreSQL accepts connections again, until it has some
_DRAIN_SECONDS = 180.0  # longer than any lease, and than the waits of a place
_ANSWER_SECONDS = 5.0  # that the place takes at most, so that kills meet exchanges
_OPEN = """
    SELECT (SELECT count(*) FROM productions
            WHERE status NOT IN ('Published', 'Failed', 'Cancelled')),
           (SELECT count(*) FROM deliveries WHERE status = 'Pending')
"""
# From the attempt that a kill interrupted to the next one; all by the clock of this machine.
_REPEATED = """
    SELECT (SELECT min(n.attempted_at) FROM attempts n WHERE n.delivery_id = a.delivery_id
            AND n.id > a.id) - a.attempted_at
    FROM attempts a WHERE a.error LIKE 'interrupted%'
"""
_BUSY = (
    "SELECT w.pid FROM productions p JOIN workers w ON w.id = p.claim_boot WHERE w.role = 'worker'"
)
_CLAIM = (
    "SELECT p.id, p.claim_token FROM productions p JOIN workers w ON w.id = p.claim_boot "
    "WHERE w.pid = %s"
)
_RESUMED = """
    SELECT 1 FROM productions WHERE id = %s
    AND (claim_token <> %s OR claim_token IS NULL AND status NOT IN ('Queued', 'Producing'))
"""
_DROPPED = re.compile(r"^(\S+) .*step dropped: .*production=(\S+)", re.MULTILINE)


def main() -> None:
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("--servers", type=int, default=3)
    asked.add_argument("--workers", type=int, default=4)
    asked.add_argument("--takeovers", type=int, default=3)
    asked.add_argument("--kills", type=int, default=300)
    asked.add_argument("--crashes", type=int, default=10, help="of PostgreSQL")
    asked.add_argument(
        "--silence", type=float, default=30.0, help="seconds for which the bucket does not answer"
    )
    asked.add_argument("--every", type=float, default=2.0, help="seconds between kills")
    asked.add_argument(
        "--within",
        type=float,
        default=RESUMED,
        help="seconds in which a killed worker's step is run again",
    )
    asked.add_argument(
        "--cancelled",
        type=float,
        default=CANCELLED,
        help="seconds in which a cancel reaches a step on another machine",
    )
    asked.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    given = asked.parse_args()
    end_as_by_ctrl_c()
    print(" ".join(f"--{name} {value}" for name, value in vars(given).items()), flush=True)
    folder, began = Path(tempfile.mkdtemp(prefix="torture.")), time.monotonic()
    with PostgresServer() as postgres, buckets.serving("media") as bucket:
        verdict = torture(folder, postgres, bucket, given)
    print(f"{time.monotonic() - began:.0f} s")
    for name, figure in verdict.figures.items():
        print(f"{name:60}{figure:>9}")
    if verdict.wrong:
        print("\n".join(f"WRONG {each}" for each in verdict.wrong))
        raise SystemExit(f"WRONG; everything is left in {folder}")
    remove_data(folder)
    print("as asked")


def torture(
    folder: Path, postgres: PostgresServer, bucket: dict[str, str], given: argparse.Namespace
) -> Verdict:
    """Disturb, let everything end, and judge."""
    bucket = bucket | {"SVC_STORAGE_URL": "s3://media/torture"}
    with places.relay(lambda: time.sleep(random.uniform(0.0, _ANSWER_SECONDS))) as relay:
        return _torture(folder, postgres, bucket, given, relay)


def _torture(
    folder: Path,
    postgres: PostgresServer,
    bucket: dict[str, str],
    given: argparse.Namespace,
    relay: places.Relay,
) -> Verdict:
    address, journal = postgres.make("torture"), folder / "arrivals.jsonl"
    farm = Farm(address, bucket, folder, relay.counterpart, given.servers, given.workers)
    clients, observer = Clients(farm, given.seed), Observer(address)
    with Sink(journal, given.seed) as sink, farm:
        for server in farm.servers:
            server.wait()
        clients.subscribe(sink.port)
        clients.start()
        observer.start()
        taken_over = [_take_over(farm) for _ in range(given.takeovers)]
        _disturb(farm, observer, postgres, bucket, given)
        clients.stop()
        left = _drain(address)
        observer.stop()
    with psycopg.connect(address) as connection:
        verdict = judge(connection, clients, read_arrivals(journal))
        _judge_posts(verdict, connection, relay)
        _times(verdict, connection, farm, observer, given.within)
        _cancels(verdict, connection, farm, given.cancelled)
    most = _OF_SERVER * given.servers + _OF_WORKER * given.workers
    present = observer.connections.total()
    verdict.figures[f"connections at most, of {most} that they may have"] = present
    verdict.figures["of which"] = ", ".join(
        f"{number} {name or 'without a name'}" for name, number in observer.connections.items()
    )
    verdict.none(f"connections above {most}, of all servers and workers", range(most, present))
    late = [seconds for seconds in taken_over if seconds > given.within]
    verdict.figures["resumed after driver and worker were killed, s"] = " ".join(
        f"{each:.1f}" for each in taken_over
    )
    verdict.none("takeovers later than asked", late)
    verdict.none("answers that the API does not give", clients.strange)
    verdict.none("errors in logs", farm.tracebacks)
    verdict.none("productions and deliveries still open", left)
    return verdict


def _take_over(farm: Farm) -> float:
    """Kill a worker in the midst of a step with a server;
    the seconds until that step is at work again.
    """
    for server in farm.servers:
        server.wait()
    with psycopg.connect(farm.address, autocommit=True, **OURS) as connection:
        while (driver := farm.driver()) is None or (lost := _interrupted(farm, connection)) is None:
            time.sleep(0.05)
        driver.kill()
        began = time.monotonic()
        while (
            not connection.execute(_RESUMED, lost).fetchone()
            and time.monotonic() - began < _SLOW_TAKEOVER
        ):
            time.sleep(0.05)
    return time.monotonic() - began


def _interrupted(farm: Farm, connection: psycopg.Connection) -> tuple | None:
    """Kill a worker that has a step; the production and the token of its claim, or None:
    it had none at that moment.
    """
    busy = {pid for (pid,) in connection.execute(_BUSY)}
    worker = next((worker for worker in farm.workers if worker.process.pid in busy), None)
    if worker is None:
        return None
    worker.kill()
    return connection.execute(_CLAIM, (worker.process.pid,)).fetchone()


def _disturb(
    farm: Farm, observer: Observer, postgres: PostgresServer, bucket: dict[str, str], given
) -> None:
    lots = random.Random(given.seed)
    crashes = {
        round((each + 1) * given.kills / (given.crashes + 1)) for each in range(given.crashes)
    }
    others = {
        given.kills // 5: threading.Thread(target=farm.sleep, args=(lots, _SLEEP)),
        given.kills // 2: threading.Thread(target=_silence, args=(farm, observer, given.silence)),
    }
    for number in range(given.kills):
        time.sleep(given.every * lots.uniform(0.5, 1.5))
        if number in others:
            others[number].start()
        if number in crashes:
            observer.failures.append(time.monotonic())
            with farm.pausing():
                postgres.stop()
                time.sleep(lots.uniform(0.5, 3.0))
                postgres.start()
                time.sleep(_AWAY_SECONDS)
            observer.failures.append(time.monotonic())
        killed = farm.kill(lots)
        if killed is None:
            observer.failures.append(time.monotonic())
        else:
            observer.killed(killed)
        if (number + 1) % 20 == 0:
            print(f"{number + 1} kills", flush=True)
    for each in others.values():
        each.join()


def _silence(farm: Farm, observer: Observer, seconds: float) -> None:
    """Let the bucket not answer for a while."""
    observer.failures.append(time.monotonic())
    with farm.pausing():
        buckets.pause(seconds)
    observer.failures.append(time.monotonic())


def _drain(address: str) -> list[str]:
    """Wait until nothing is open any more; what still is after a long time."""
    deadline, left = time.monotonic() + _DRAIN_SECONDS, (0, 0)
    while time.monotonic() < deadline:
        with psycopg.connect(address, **OURS) as connection:
            left = connection.execute(_OPEN).fetchone()
        if not any(left):
            return []
        time.sleep(0.5)
    return [f"{left[0]} productions, {left[1]} deliveries"]


def judge(connection: psycopg.Connection, clients: Clients, arrivals: list[dict]) -> Verdict:
    """Compare what was acknowledged with the database and with what arrived."""
    verdict = Verdict()
    statuses = dict(connection.execute("SELECT id, status FROM productions").fetchall())
    events: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for production, sequence, kind in connection.execute(
        "SELECT production_id, sequence, event_type FROM events"
    ):
        events[production].append((sequence, kind))
    verdict.figures["acknowledged triggers"] = len(clients.acknowledged)
    verdict.figures["acknowledged cancels"] = len(clients.cancelled)
    verdict.figures["published"] = sum(status == "Published" for status in statuses.values())
    verdict.none(
        "productions that nobody was told of", statuses.keys() - clients.acknowledged.keys()
    )
    ends = {
        each: ("Published", "Cancelled") if each in clients.cancelled else ("Published",)
        for each in clients.acknowledged
    }
    verdict.none(
        "lost",
        ((each, statuses.get(each)) for each, end in ends.items() if statuses.get(each) not in end),
    )
    numbers = {each: sorted(sequence for sequence, _ in found) for each, found in events.items()}
    verdict.none(
        "gaps in sequences",
        (each for each, found in numbers.items() if found != list(range(1, len(found) + 1))),
    )
    kinds = {
        each: [kind for _, kind in found]
        for each, found in events.items()
        if statuses[each] == "Published"
    }
    verdict.none(
        "steps done twice or never",
        (e for e, found in kinds.items() if found.count("production.step.complete") != 7),
    )
    verdict.none(
        "double publications",
        (e for e, found in kinds.items() if found.count("production.published") != 1),
    )
    taken = {(each["production"], each["sequence"]) for each in arrivals if each["status"] == 200}
    due = {(production, sequence) for production, found in numbers.items() for sequence in found}
    given_up = set(
        connection.execute(
            "SELECT production_id, sequence FROM deliveries WHERE status = 'Failed'"
        ).fetchall()
    )
    verdict.figures["deliveries given up after many interruptions"] = len(given_up)
    verdict.none("events that did not arrive", due - taken - given_up)
    return verdict


def _judge_posts(verdict: Verdict, connection: psycopg.Connection, relay: places.Relay) -> None:
    """Compare what the place has with what is published there."""
    published = "SELECT production_id FROM publications WHERE status = 'Published' AND "
    there = Counter(message["productionId"] for message in relay.posts.values())
    told = {name for (name,) in connection.execute(f"{published} connection_id IS NOT NULL")}
    verdict.figures["posts at places"] = len(relay.posts)
    asked = relay.calls.count("publish")
    verdict.figures["asked for again, after an exchange was lost"] = asked - len(relay.posts)
    verdict.none("posts at places twice", (each for each, number in there.items() if number > 1))
    verdict.none("posts at places never made", told - there.keys())


def _times(
    verdict: Verdict, connection: psycopg.Connection, farm: Farm, observer: Observer, within: float
) -> None:
    calm = [seconds for seconds, disturbed in observer.resumed if not disturbed]
    verdict.figures["steps of killed workers"] = len(observer.resumed)
    middle = statistics.median([each for each, _ in observer.resumed] or [0.0])
    verdict.figures["resumed after, in the median, s"] = f"{middle:.1f}"
    verdict.figures["resumed at the latest after, s"] = (
        f"{max((each for each, _ in observer.resumed), default=0):.1f}"
    )
    verdict.figures["the same, where only the worker failed, s"] = (
        f"{max(calm, default=0):.1f} ({len(calm)})"
    )
    verdict.none(
        "resumed late, where only the worker failed", (each for each in calm if each > within)
    )
    repeated = [ms / 1000 for (ms,) in connection.execute(_REPEATED) if ms is not None]
    verdict.figures["deliveries of killed servers"] = len(repeated)
    verdict.figures["sent again after, in the median, s"] = (
        f"{statistics.median(repeated or [0.0]):.1f}"
    )
    verdict.figures["sent again at the latest after, s"] = f"{max(repeated, default=0):.1f}"


def _cancels(verdict: Verdict, connection: psycopg.Connection, farm: Farm, within: float) -> None:
    """Judge how long cancels took that reached a step on another machine."""
    asked = dict(
        connection.execute(
            "SELECT id, cancel_requested_at FROM productions WHERE cancel_requested_at IS NOT NULL"
        ).fetchall()
    )
    waits, late, excused = [], [], []
    for worker in farm.workers:
        for text, production in _DROPPED.findall(worker.told()):
            began, ended = asked.get(production), _instant(text)
            if began is None or began > ended:  # it was lost, and run elsewhere
                continue
            waits.append((ended - began) / 1000)
            if waits[-1] > within:
                met = any(pause.meets(worker, began, ended) for pause in farm.pauses)
                (excused if met else late).append(f"{production} after {waits[-1]:.2f} s")
    verdict.figures["cancels that reached a step on another machine"] = len(waits)
    verdict.figures["after, in the median, s"] = f"{statistics.median(waits) if waits else 0:.2f}"
    verdict.figures["later than asked, as its worker, PostgreSQL or the bucket slept"] = (
        f"{len(excused)} {' '.join(excused)}"
    )
    verdict.none("cancels later than asked", late)


def _instant(text: str) -> float:
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000


if __name__ == "__main__":
    main()
