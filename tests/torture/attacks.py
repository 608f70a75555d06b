"""What a hostile partner does beside the load: each attack is threads that go on until they are
told to stop.
"""

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
from typing import NamedTuple

import requests

from svc.base.processes import confinement
from tests.torture.bombs import CORPUS
from tests.torture.load import Partner

_BOMB = (
    "---\na0: &a0 {k: v}\n"
    + "".join(
        f"a{level}: &a{level} {{<<: [{', '.join([f'*a{level - 1}'] * 9)}]}}\n"
        for level in range(1, 8)
    )
    + "---\n## One\n\nText."
)
_DEEP = "> " * 2000 + "x"
_BOMBS = [_BOMB, _DEEP, *CORPUS.values()]
_SLOW = "---\nsandbox:\n  slowStep: {}\n  slowSeconds: 600\n---\n## One\n\nText."
_HELD = "---\nsandbox:\n  holdIn: Queued\n---\n## One\n\nText."
_PATIENCE = 120.0  # seconds
_ADDRESS = "198.51.100.7"  # of whoever attacks, before the proxy
_REAL = "## One\n\n" + "The sea rises and falls twice a day, and nobody can stop it. " * 10
_EXPANDING = {"metadataMD": "{{a}}" * 800}  # as many bytes as notes may have
_EMPTY_ENTRIES = {"entries": [{}] * 16_000}  # a body of 64 KiB
_ITEMS = 1_000  # of a batch: the most there may be
JOBS = 40
BUDGET = 300  # requests a minute of a partner


class Attack:
    """Threads against one server; ``answers``: how many of which status they had."""

    def __init__(self, address: str, partner: Partner, number: int, targets: dict):
        self.address, self.partner, self.targets, self.lots = (
            address,
            partner,
            targets,
            random.Random(number),
        )
        self.answers: Counter = Counter()
        self._stopping, self._threads = threading.Event(), []
        # what an attack makes once, by its path
        self._lock, self._made = threading.Lock(), dict[str, str]()
        self._cookies: dict[str, str] = {}  # of the hostile partner's owner, who is signed in

    def start(self, names: tuple[str, ...]) -> None:
        with requests.Session() as session:
            session.trust_env = False
            session.headers["X-Forwarded-For"] = _ADDRESS
            if {"scripts", "previews"} & set(names):
                self._wait_for_script(session)
            if {"previews", "tries"} & set(names):
                self._sign_in_as_owner(session)
        for name in names:
            for turn, number in ATTACKS[name]:
                self._threads += [
                    threading.Thread(
                        target=self._repeat, args=(name, getattr(self, turn)), daemon=True
                    )
                    for _ in range(number)
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
            session.headers["X-Forwarded-For"] = _ADDRESS
            while not self._stopping.is_set():
                try:
                    self.answers[name, turn(session)] += 1
                except requests.RequestException as failed:
                    self.answers[name, type(failed).__name__] += 1
                    self._stopping.wait(0.1)

    @property
    def _account(self) -> str:
        return f"/v1/accounts/{self.partner.seeded['sandboxAccountId']}"

    def _ask(self, session, method: str, path: str, body: dict | None = None) -> requests.Response:
        headers = {"X-API-Key": self.partner.seeded["testKey"]}
        return session.request(method, self.address + path, json=body, headers=headers, timeout=60)

    def _send(self, session, method: str, path: str, body: dict | None = None) -> int:
        status = self._ask(session, method, path, body).status_code
        if status == 429:
            # the budget is the service's own means; what comes through it is the attack
            self._stopping.wait(1.0)
        return status

    def _post(self, session, path: str, body: dict | None = None) -> int:
        return self._send(session, "POST", path, body)

    def _once(self, session, path: str, body: dict, name: str) -> str:
        """Make something at the first call, and return the value of its answer with this name.

        ConnectionError: refused.
        """
        with self._lock:
            if path not in self._made:
                answer = self._ask(session, "POST", path, body)
                if not answer.ok:
                    raise requests.ConnectionError(
                        f"{path}: {answer.status_code} {answer.text[:200]}"
                    )
                self._made[path] = answer.json()[name]
            return self._made[path]

    def _trigger(self, session, notes: str) -> int:
        return self._post(session, f"{self._account}/productions", self.partner.brief(notes))

    def bomb(self, session) -> int:
        return self._trigger(session, self.lots.choice(_BOMBS))

    def slow(self, session) -> int:
        self._stopping.wait(1.0)
        return self._trigger(
            session, _SLOW.format(self.lots.choice(["script", "narration", "video"]))
        )

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
        return self._post(
            session, "/v1/webhooks", {"endpointUrl": place, "eventTypes": ["production.queued"]}
        )

    def slow_dns(self, session) -> int:
        host = f"x{self.lots.getrandbits(64):x}.example.com"
        return self._post(
            session,
            "/v1/webhooks",
            {"endpointUrl": f"https://{host}/hooks", "eventTypes": ["production.queued"]},
        )

    def expansion(self, session) -> int:
        """Previews of a template that would become 23 MB."""
        template = {
            "name": "Bomb",
            "brief": self.partner.brief("") | _EXPANDING,
            "variables": [{"name": "a"}],
        }
        made = self._once(session, f"{self._account}/templates", template, "templateId")
        return self._post(
            session, f"{self._account}/templates/{made}/preview", {"values": {"a": "[*" * 2048}}
        )

    def entries(self, session) -> int:
        return self._send(session, "PUT", f"{self._account}/lexicon", _EMPTY_ENTRIES)

    def items(self, session) -> int:
        return self._post(session, f"{self._account}/batches", {"items": [{}] * 100_000})

    def batch(self, session) -> int:
        """Cancel and resume the largest batch, whose productions are held, again and again."""
        items = [self.partner.brief(_HELD)] * _ITEMS
        made = self._once(session, f"{self._account}/batches", {"items": items}, "batchId")
        return self._post(session, f"/v1/batches/{made}/{self.lots.choice(['cancel', 'resume'])}")

    def polls(self, session) -> int:
        """Wait for events that do not come."""
        return self._send(session, "GET", "/v1/events?waitSeconds=20")

    def refusals(self, session) -> int:
        """Ask on without a pause, whatever is refused."""
        return self._ask(session, "GET", "/v1/partner/accounts").status_code

    def script(self, session) -> int:
        """Correct one script again and again."""
        where = f"/v1/productions/{self._reviewed(session)}/script"
        found = self._ask(session, "GET", where)
        if found.status_code != 200:
            self._stopping.wait(1.0)
            return found.status_code
        script = found.json()
        scenes = [{"sceneId": each["sceneId"]} for each in script["scenes"]]
        self.lots.choice(scenes)["narration"] = f"Sentence {self.lots.getrandbits(64)}. " * 15
        return self._send(session, "PUT", where, {"version": script["version"], "scenes": scenes})

    def previews(self, session) -> int:
        """Ask the console for the films of scenes."""
        production = self._reviewed(session)
        path = (
            f"/console/productions/{production}/script/scenes/{self.lots.randrange(1, 9)}/preview"
        )
        return session.get(self.address + path, cookies=self._cookies, timeout=60).status_code

    def tries(self, session) -> int:
        """Let the console sign in at a place that takes connections and says nothing."""
        where = (
            f"{self.address}/console/connections/{self.partner.seeded['sandboxAccountId']}/add/SFTP"
        )
        place = {
            "name": f"p{self.lots.getrandbits(32)}",
            "host": "127.0.0.1",
            "port": str(self.targets["black hole"]),
        }
        return self._fill(session, where, place | {"user": "ada", "password": "kettle"})

    def _reviewed(self, session) -> str:
        """Return a production whose script waits for its review."""
        notes = "".join(f"## Part {each}\n\n{_REAL[8:]}\n\n" for each in range(3))
        brief = self.partner.brief(notes) | {"review": "script"}
        return self._once(session, f"{self._account}/productions", brief, "productionId")

    def _wait_for_script(self, session) -> None:
        """Wait until the script of :meth:`_reviewed` is written. TimeoutError: it is not."""
        where, deadline = (
            f"/v1/productions/{self._reviewed(session)}/script",
            time.monotonic() + _PATIENCE,
        )
        while self._ask(session, "GET", where).status_code != 200:
            if time.monotonic() > deadline:
                raise TimeoutError("the hostile partner's script is not written, even in calm")
            time.sleep(1.0)

    def _sign_in_as_owner(self, session) -> None:
        """Sign in as the hostile partner's owner. PermissionError: it is refused."""
        form = {"email": self.targets["own email"], "password": self.targets["password"]}
        self._fill(session, f"{self.address}/console/sign-in", form)
        if "/sign-in" in session.get(f"{self.address}/console/", timeout=60).url:
            raise PermissionError("the hostile partner's owner cannot sign in")
        self._cookies = session.cookies.get_dict()

    def _fill(self, session, where: str, form: dict[str, str]) -> int:
        """Send a form of the console as a browser does."""
        shown = session.get(where, cookies=self._cookies, timeout=60)
        token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', shown.text)
        if token is None:
            return shown.status_code
        sent = form | {"csrf_token": token[1]}
        return session.post(
            where, data=sent, cookies=self._cookies, timeout=60, allow_redirects=False
        ).status_code

    def sign_in(self, session) -> int:
        """Wrong passwords from the addresses of one /64, behind the proxy that
        the service believes.
        """
        where = f"{self.address}/console/sign-in"
        headers = {
            "X-Forwarded-For": (
                f"2001:db8::{self.lots.getrandbits(16):x}:{self.lots.getrandbits(16):x}"
            )
        }
        token = re.search(
            r'name="csrf_token"[^>]*value="([^"]+)"',
            session.get(where, headers=headers, timeout=60).text,
        )
        if token is None:
            self._stopping.wait(0.2)
            return 0
        form = {
            "email": self.targets["email"],
            "password": f"wrong {self.lots.getrandbits(32)}",
            "csrf_token": token[1],
        }
        return session.post(where, data=form, headers=headers, timeout=60).status_code


# Name to (what is done again and again, by how many threads).
ATTACKS = {
    "bombs": [("bomb", 2)],
    "slow": [("slow", 1)],
    "jobs": [("jobs", 1)],
    "hanging": [("hanging", 1)],
    "dns": [("slow_dns", 8)],
    "sign-in": [("sign_in", 16)],
    "expansion": [("expansion", 4)],
    "lists": [("entries", 4), ("items", 2)],
    "batches": [("batch", 8)],
    "polls": [("polls", 32)],
    "refusals": [("refusals", 16)],
    "scripts": [("script", 4)],
    "previews": [("previews", 16)],
    "tries": [("tries", 8)],
}


class Sent(NamedTuple):
    """What an attack did: how many answers of which status it had, in how many seconds."""

    answers: Counter
    seconds: float

    @property
    def rate(self) -> float:
        """Requests a second; 0 instead of a status stands for none."""
        return sum(n for (_, status), n in self.answers.items() if status) / self.seconds


class AttackProcess:
    """An :class:`Attack` in a process of its own, which gives way to those that answer.

    Attackers have machines of their own: what they compute takes nothing from the service there.
    Here they share its processors, and like its steps they have a low priority and long slices,
    which end at once when the service, or one whose answers are measured, wakes up. What these lose
    is then lost to the service's work for the attackers.

    By SCHED_IDLE they would give way to steps, too, which the attacks themselves keep running:
    beside other processes that compute, they sent a seventh of their requests. :class:`Sent` has
    their rate, so that a reader sees it.
    """

    def __init__(
        self, address: str, partner: Partner, number: int, targets: dict, names: tuple[str, ...]
    ):
        spawn = multiprocessing.get_context("spawn")
        self._started, self._stopping, self._sent = (
            spawn.Event(),
            spawn.Event(),
            spawn.SimpleQueue(),
        )
        attack = (address, partner, number, targets)
        self._process = spawn.Process(
            target=_attack,
            args=(attack, names, self._started, self._stopping, self._sent),
            daemon=True,
        )

    def start(self) -> None:
        self._process.start()
        if not self._started.wait(2 * _PATIENCE):
            raise TimeoutError("the attack does not start")

    def stop(self) -> Sent:
        self._stopping.set()
        sent = self._sent.get()
        self._process.kill()  # to end by itself it would wait for a processor
        self._process.join()
        return sent


def _attack(attack: tuple, names: tuple[str, ...], started, stopping, sent) -> None:
    os.setsid()
    confinement.lower_priority()
    running = Attack(*attack)
    running.start(names)
    began = time.monotonic()
    started.set()
    stopping.wait()
    seconds = time.monotonic() - began
    answers = running.answers.copy()
    running.stop()
    sent.put(Sent(answers, seconds))


class Trivial:
    """A server that answers at once, and refuses requests with a key after as many a minute as the
    service; a context manager.

    What a victim of the service loses beside attackers of this one, it loses to the attackers' own
    share of the machine.
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
    """A port that takes connections and says nothing; a context manager.

    ``udp``: a name server that never answers.
    """

    def __init__(self, address: str = "127.0.0.1", port: int = 0, udp: bool = False):
        self._socket = socket.socket(
            socket.AF_INET, socket.SOCK_DGRAM if udp else socket.SOCK_STREAM
        )
        self._socket.bind((address, port))
        if not udp:
            self._socket.listen(1024)
        self.port = self._socket.getsockname()[1]

    def __enter__(self) -> "BlackHole":
        return self

    def __exit__(self, *_) -> None:
        self._socket.close()
