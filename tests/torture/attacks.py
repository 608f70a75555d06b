"""What a hostile partner does beside the load: each attack is threads that go on until they are told to stop."""

import multiprocessing
import os
import random
import re
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import requests

from svc.base.processes import confinement
from tests.torture.bombs import CORPUS
from tests.torture.load import Partner

_BOMB = (
    "---\na0: &a0 {k: v}\n"
    + "".join(f"a{level}: &a{level} {{<<: [{', '.join([f'*a{level - 1}'] * 9)}]}}\n" for level in range(1, 8))
    + "---\n## One\n\nText."
)
_DEEP = "> " * 2000 + "x"
_BOMBS = [_BOMB, _DEEP, *CORPUS.values()]
_SLOW = "---\nsandbox:\n  slowStep: {}\n  slowSeconds: 600\n---\n## One\n\nText."
_REAL = "## One\n\n" + "The sea rises and falls twice a day, and nobody can stop it. " * 10
JOBS = 40
BUDGET = 300  # requests a minute of a partner


class Attack:
    """Threads against one server; ``answers``: how many of which status they had."""

    def __init__(self, address: str, partner: Partner, number: int, targets: dict):
        self.address, self.partner, self.targets, self.lots = address, partner, targets, random.Random(number)
        self.answers: Counter = Counter()
        self._stopping, self._threads = threading.Event(), []

    def start(self, names: tuple[str, ...]) -> None:
        for name in names:
            for turn, number in ATTACKS[name]:
                self._threads += [
                    threading.Thread(target=self._repeat, args=(name, getattr(self, turn)), daemon=True) for _ in range(number)
                ]
        for each in self._threads:
            each.start()

    def stop(self) -> None:
        self._stopping.set()
        for each in self._threads:
            each.join(60)

    def _repeat(self, name: str, turn: Callable) -> None:
        with requests.Session() as session:
            session.trust_env = False
            while not self._stopping.is_set():
                try:
                    self.answers[name, turn(session)] += 1
                except requests.RequestException as failed:
                    self.answers[name, type(failed).__name__] += 1
                    self._stopping.wait(0.1)

    def _post(self, session, path: str, body: dict) -> int:
        headers = {"X-API-Key": self.partner.seeded["testKey"], "X-Forwarded-For": "198.51.100.7"}
        answer = session.post(self.address + path, json=body, headers=headers, timeout=60)
        if answer.status_code == 429:
            self._stopping.wait(1.0)  # the budget is the service's own means; what comes through it is the attack
        return answer.status_code

    def _trigger(self, session, notes: str) -> int:
        account = self.partner.seeded["sandboxAccountId"]
        return self._post(session, f"/v1/accounts/{account}/productions", self.partner.brief(notes))

    def bomb(self, session) -> int:
        return self._trigger(session, self.lots.choice(_BOMBS))

    def slow(self, session) -> int:
        self._stopping.wait(1.0)
        return self._trigger(session, _SLOW.format(self.lots.choice(["script", "narration", "video"])))

    def jobs(self, session) -> int:
        """So many productions that are really to be made, and no more."""
        if self.answers["jobs", 202] >= JOBS:
            self._stopping.wait(1.0)
            return 0
        return self._trigger(session, _REAL)

    def hanging(self, session) -> int:
        """Endpoints that accept a connection and never answer, pinged again and again."""
        self._stopping.wait(0.5)
        place = f"http://127.0.0.1:{self.targets['black hole']}/{self.lots.getrandbits(64)}"
        return self._post(session, "/v1/webhooks", {"endpointUrl": place, "eventTypes": ["production.queued"]})

    def slow_dns(self, session) -> int:
        host = f"x{self.lots.getrandbits(64):x}.example.com"
        return self._post(
            session, "/v1/webhooks", {"endpointUrl": f"https://{host}/hooks", "eventTypes": ["production.queued"]}
        )

    def sign_in(self, session) -> int:
        """Wrong passwords from the addresses of one /64, behind the proxy that the service believes."""
        where = f"{self.address}/console/sign-in"
        headers = {"X-Forwarded-For": f"2001:db8::{self.lots.getrandbits(16):x}:{self.lots.getrandbits(16):x}"}
        token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', session.get(where, headers=headers, timeout=60).text)
        if token is None:
            self._stopping.wait(0.2)
            return 0
        form = {"email": self.targets["email"], "password": f"wrong {self.lots.getrandbits(32)}", "csrf_token": token[1]}
        return session.post(where, data=form, headers=headers, timeout=60).status_code


# Name to (what is done again and again, by how many threads).
ATTACKS = {
    "bombs": [("bomb", 2)],
    "slow": [("slow", 1)],
    "jobs": [("jobs", 1)],
    "hanging": [("hanging", 1)],
    "dns": [("slow_dns", 8)],
    "sign-in": [("sign_in", 16)],
}


class AttackProcess:
    """An :class:`Attack` in a process of its own: its threads would hold the interpreter's lock while a victim beside them
    measures."""

    def __init__(self, address: str, partner: Partner, number: int, targets: dict, names: tuple[str, ...]):
        spawn = multiprocessing.get_context("spawn")
        self._started, self._stopping, self._counted = spawn.Event(), spawn.Event(), spawn.SimpleQueue()
        attack = (address, partner, number, targets)
        self._process = spawn.Process(
            target=_attack,
            args=(attack, names, self._started, self._stopping, self._counted),
            daemon=True,
        )

    def start(self) -> None:
        self._process.start()
        self._started.wait(60)

    def stop(self) -> Counter:
        """How many answers of which status each attack had."""
        self._stopping.set()
        answers = self._counted.get()
        self._process.join()
        return answers


def _attack(attack: tuple, names: tuple[str, ...], started, stopping, counted) -> None:
    os.setsid()
    confinement.lower_priority()  # what the attackers compute themselves they would compute on machines of their own
    running = Attack(*attack)
    running.start(names)
    started.set()
    stopping.wait()
    running.stop()
    counted.put(running.answers)


class Trivial:
    """A server that answers at once, and refuses requests with a key after as many a minute as the service; a context manager.

    What a victim of the service loses beside attackers of this one, it loses to the attackers' own share of the machine.
    """

    def __enter__(self) -> "Trivial":
        spawn = multiprocessing.get_context("spawn")
        port = spawn.SimpleQueue()
        self._process = spawn.Process(target=_answer_at_once, args=(port,), daemon=True)
        self._process.start()
        self.address = f"http://127.0.0.1:{port.get()}"
        return self

    def __exit__(self, *_) -> None:
        self._process.kill()
        self._process.join()


def _answer_at_once(port) -> None:
    admitted: Counter = Counter()

    class Answer(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._say(429)

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            minute = int(time.time() / 60)
            admitted[minute] += 1
            self._say(202 if admitted[minute] <= BUDGET else 429)

        def _say(self, status: int) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    port.put(server.server_address[1])
    server.serve_forever()


class BlackHole:
    """A port that takes connections and says nothing; a context manager. ``udp``: a name server that never answers."""

    def __init__(self, address: str = "127.0.0.1", port: int = 0, udp: bool = False):
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM if udp else socket.SOCK_STREAM)
        self._socket.bind((address, port))
        if not udp:
            self._socket.listen(1024)
        self.port = self._socket.getsockname()[1]

    def __enter__(self) -> "BlackHole":
        return self

    def __exit__(self, *_) -> None:
        self._socket.close()


def sleep_until(when: float) -> None:
    time.sleep(max(0.0, when - time.monotonic()))
