"""The machines of the torture: servers and workers, which are started again when they die, clients,
and who watches them.
"""

import json
import random
import signal
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import requests
from support.places import Counterpart
from support.receivers import LOOPBACK

from svc.base import clock
from svc.cli.installation import seed
from svc.domain import master_keys
from svc.domain.people.identity import OPERATOR
from svc.domain.people.users import Viewer
from svc.domain.webhooks import event_types
from svc.store import database
from svc.store.database import db
from svc.work.publishing.connections import Connections
from tests.support.machines import WaitingWorker
from tests.torture.victim import Victim

PARTNERS, CLIENTS = 6, 3
_SLOTS = """
    SELECT p.id, p.claim_token, w.pid FROM productions p JOIN workers w ON w.id = p.claim_boot
    WHERE p.claim_token IS NOT NULL
"""
_CONNECTIONS = """
    SELECT application_name, count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND backend_type = 'client backend'
    AND application_name <> 'torture'
    GROUP BY application_name ORDER BY application_name
"""
OURS = {"application_name": "torture"}  # of connections that are none of the machines'

_CANCELLED_PERCENT = 15
_LOOK_EVERY = 0.1  # seconds


@dataclass(frozen=True)
class Pause:
    """When the database, the bucket or a ``worker`` (None: not one alone) did not answer, in ms."""

    began: float
    ended: float
    worker: WaitingWorker | None = None

    def meets(self, worker: WaitingWorker, began: float, ended: float) -> bool:
        """Return whether a worker may have waited for it in that time."""
        return self.worker in (None, worker) and self.began < ended and began < self.ended


class Farm:
    """Servers that run no step and workers whose steps wait; a context manager.

    They share the database and the bucket only. Each partner's account publishes at ``place``, too.
    """

    def __init__(
        self,
        address: str,
        shared: dict[str, str],
        folder: Path,
        place: Counterpart,
        servers: int,
        workers: int,
    ):
        self.address, self._folder, self._stopping = address, folder, threading.Event()
        self.partners = _partners(folder / "server0", address, place)
        secret = folder / "server0" / "secret"
        more = shared | {"SVC_DATABASE_URL": address, "SVC_VOICE": "espeak-ng"}
        self.servers = [
            Victim(_with(folder / f"server{each}", secret), SVC_RENDER_WORKERS="0", **more)
            for each in range(servers)
        ]
        self.workers = [
            # the steps of one do not end by themselves before a cancel has to reach them
            WaitingWorker(
                folder / f"worker{each}", secret, WAIT_SECONDS="0.3" if each else "3", **more
            )
            for each in range(workers)
        ]
        self.asleep: set[int] = set()  # workers that are not to be touched
        self.pauses: list[Pause] = []
        self._keeper = threading.Thread(target=self._keep, daemon=True)

    def __enter__(self) -> "Farm":
        for each in self.servers:
            each.launch()
        for each in self.workers:
            each.__enter__()
        self._keeper.start()
        return self

    def _keep(self) -> None:
        """Start again what has ended, as systemd would."""
        while not self._stopping.wait(0.3):
            for server in self.servers:
                if not server.is_alive:
                    server.launch()
            for worker in self.workers:
                if worker.process.poll() is not None:
                    worker.__enter__()

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._keeper.join()
        for worker in self.workers:
            worker.__exit__()
        self.tracebacks = [text for server in self.servers for text in server.stop()]
        self.tracebacks += [
            worker.told() for worker in self.workers if "Traceback" in worker.told()
        ]

    def kill(self, lots: random.Random) -> int | None:
        """Kill a server with all its processes, or a worker;
        return the worker's process id, or None.
        """
        number = lots.randrange(len(self.servers) + len(self.workers))
        if number < len(self.servers):
            self.servers[number].kill()
            return None
        worker = self.workers[number - len(self.servers)]
        if worker.process.pid in self.asleep:
            return None
        worker.kill()
        return worker.process.pid

    def driver(self) -> Victim | None:
        """Return the server that gave the latest sign of life; None: it cannot be told now."""
        with psycopg.connect(self.address, **OURS) as connection:
            newest = connection.execute(
                "SELECT pid FROM workers WHERE role = 'driver' ORDER BY seen_at DESC LIMIT 1"
            ).fetchone()
        return next((server for server in self.servers if newest and server.has(newest[0])), None)

    def sleep(self, lots: random.Random, seconds: float) -> None:
        """Stop a worker for so long, and let it go on."""
        worker = lots.choice(self.workers)
        self.asleep.add(worker.process.pid)
        with self.pausing(worker):
            worker.process.send_signal(signal.SIGSTOP)
            time.sleep(seconds)
            worker.process.send_signal(signal.SIGCONT)
        self.asleep.discard(worker.process.pid)

    @contextmanager
    def pausing(self, worker: WaitingWorker | None = None) -> Iterator[None]:
        """Note that something does not answer during the block; see :class:`Pause`."""
        began = time.time()
        yield
        self.pauses.append(Pause(1000 * began, 1000 * time.time(), worker))


def _with(folder: Path, secret: Path) -> Path:
    folder.mkdir(exist_ok=True, mode=0o700)
    if not (folder / "secret").exists():
        (folder / "secret").write_bytes(secret.read_bytes())
        (folder / "secret").chmod(0o600)
    return folder


def _partners(folder: Path, address: str, place: Counterpart) -> list[dict]:
    folder.mkdir(mode=0o700)
    database.open_database(folder / "service.db", address)
    try:
        ring = master_keys.open_ring(folder / "secret", clock.now())
        partners = [seed.make_partner("Enterprise", clock.now()) for _ in range(PARTNERS)]
        connections, us = (
            Connections(LOOPBACK, ring, clock.now),
            Viewer(None, "", "", OPERATOR, None),
        )
        for each in partners:
            connections.add(us, each["sandboxAccountId"], place.connector, place.values)
        return partners
    finally:
        db.close()


class Clients:
    """Threads that trigger and cancel at any server, until each request has its answer."""

    def __init__(self, farm: Farm, number: int):
        self._farm, self._stopping = farm, threading.Event()
        self.acknowledged: dict[str, dict] = {}
        self.cancelled: set[str] = set()
        self.strange: list[str] = []
        self._threads = [
            threading.Thread(target=self._run, args=(random.Random(number + each),))
            for each in range(CLIENTS)
        ]

    def subscribe(self, port: int) -> None:
        """Let every partner hear of all its productions."""
        types = event_types.SPECIFIED_OF_PRODUCTIONS
        for number, partner in enumerate(self._farm.partners):
            body = {"endpointUrl": f"http://127.0.0.1:{port}/{number}/all", "eventTypes": types}
            self._until(random.Random(number), partner, "POST", "/v1/webhooks", body, {}, (201,))

    def start(self) -> None:
        for each in self._threads:
            each.start()

    def stop(self) -> None:
        self._stopping.set()
        for each in self._threads:
            each.join()

    def _run(self, lots: random.Random) -> None:
        while not self._stopping.wait(lots.uniform(1.0, 4.0)):
            partner = lots.choice(self._farm.partners)
            brief = {name: partner[name] for name in ("languageId", "countryId", "avatarId")} | {
                "topic": "A small one"
            }
            path = f"/v1/accounts/{partner['sandboxAccountId']}/productions"
            production = self._until(lots, partner, "POST", path, brief, _key(), (202,))[
                "productionId"
            ]
            self.acknowledged[production] = partner
            if lots.randrange(100) < _CANCELLED_PERCENT:
                time.sleep(lots.uniform(0.2, 2.0))
                self._until(
                    lots,
                    partner,
                    "DELETE",
                    f"/v1/productions/{production}",
                    None,
                    {},
                    (200, 202, 409),
                )
                self.cancelled.add(production)

    def _until(self, lots, partner, method, path, body, headers, wanted: tuple[int, ...]) -> dict:
        headers = {"X-API-Key": partner["testKey"], "Content-Type": "application/json", **headers}
        while True:
            server = lots.choice(self._farm.servers)
            try:
                answer = requests.request(
                    method,
                    f"http://127.0.0.1:{server.port}{path}",
                    data=json.dumps(body),
                    headers=headers,
                    timeout=20,
                )
            except requests.RequestException:
                time.sleep(0.1)
                continue
            if answer.status_code in wanted:
                return answer.json()
            if answer.status_code not in (429, 503) and "IN_PROGRESS" not in answer.text:
                self.strange.append(f"{method} {path}: {answer.status_code} {answer.text[:300]}")
            time.sleep(0.5)


def _key() -> dict[str, str]:
    return {"Idempotency-Key": str(uuid.uuid4())}


@dataclass
class Observer:
    """Looks how long it takes until the step of a killed worker is at work again, and how many
    connections the machines have.
    """

    address: str
    # seconds, and whether something else failed meanwhile
    resumed: list[tuple[float, bool]] = field(default_factory=list)
    # when servers, the database or the bucket failed
    failures: list[float] = field(default_factory=list)
    # by the name that the machines give them, when they had the most
    connections: Counter[str] = field(default_factory=Counter)
    _held: dict[str, tuple[str, int]] = field(default_factory=dict)
    _lost: list[tuple[str, str, float]] = field(default_factory=list)
    _stopping: threading.Event = field(default_factory=threading.Event)

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join()

    def killed(self, pid: int) -> None:
        """Note what a worker had that was just killed."""
        now = time.monotonic()
        self._lost += [
            (production, token, now)
            for production, (token, of) in list(self._held.items())
            if of == pid
        ]

    def _run(self) -> None:
        while not self._stopping.wait(_LOOK_EVERY):
            try:
                with psycopg.connect(
                    self.address, autocommit=True, connect_timeout=2, **OURS
                ) as connection:
                    while not self._stopping.wait(_LOOK_EVERY):
                        self._look(connection)
            except psycopg.Error:
                pass

    def _look(self, connection: psycopg.Connection) -> None:
        self._held = {row[0]: (row[1], row[2]) for row in connection.execute(_SLOTS)}
        present = Counter(dict(connection.execute(_CONNECTIONS).fetchall()))
        self.connections = max(self.connections, present, key=Counter.total)
        for lost in list(self._lost):
            production, token, at = lost
            sql = (
                "SELECT claim_token, status, (SELECT max(losses) FROM production_steps s "
                "WHERE s.production_id = p.id AND s.position = p.steps_complete) "
                "FROM productions p WHERE id = %s"
            )
            present, status, losses = connection.execute(sql, (production,)).fetchone()
            if present != token and (present or status not in ("Queued", "Producing")):
                # a step that was lost before waits before it is run again
                disturbed = (losses or 0) > 1 or any(at - 15 < failed for failed in self.failures)
                self.resumed.append((time.monotonic() - at, disturbed))
                self._lost.remove(lost)
