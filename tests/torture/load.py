"""The torture's load: threads that trigger productions, cancel some,
and never give up before they have an answer.
"""

import json
import random
import threading
import time
import uuid
from dataclasses import dataclass, field

import urllib3

from svc.domain.webhooks import event_types

_SECONDS = 10.0  # of silence, until a request counts as lost
_AGAIN = 0.02  # seconds between two tries at a server that is not there
_FEW = 30  # requests that are left in the minute of a partner, who rests then
_PAUSE = (0.0, 0.1)  # seconds between two productions of one thread
_CANCELLED_PERCENT = 20
HEARD = {  # the subscriptions of each partner: path to event types
    "all": list(event_types.SPECIFIED_OF_PRODUCTIONS),
    "again": list(event_types.SPECIFIED_OF_PRODUCTIONS),
    "ends": ["production.failed", "production.cancelled"],
}
_FAILS = "---\nsandbox:\n  failAt: script\n---\n"
_HELD = "---\nsandbox:\n  holdIn: Queued\n---\n"


@dataclass
class Partner:
    """A partner of the load, and its subscriptions: path to (subscription id, signing secret)."""

    number: int
    seeded: dict
    subscriptions: dict[str, tuple[str, str]] = field(default_factory=dict)
    ready_at: float = 0.0

    def brief(self, notes: str) -> dict:
        return {name: self.seeded[name] for name in ("languageId", "countryId", "avatarId")} | {
            "topic": "A small one",
            "metadataMD": notes,
        }


class Load:
    """``acknowledged``: production id to partner; ``cancelled``: those whose cancelling
    was acknowledged too.
    """

    def __init__(self, port: int, partners: list[Partner], seed: int, threads: int):
        self._pool = urllib3.HTTPConnectionPool(
            "127.0.0.1", port, maxsize=threads, retries=False, timeout=_SECONDS
        )
        self.partners = partners
        self._stopping = threading.Event()
        self._threads = [
            threading.Thread(target=self._run, args=(random.Random(seed + number),), daemon=True)
            for number in range(threads)
        ]
        self.acknowledged: dict[str, Partner] = {}
        self.cancelled: set[str] = set()
        self.unanswered = 0
        self.strange: list[str] = []

    def register(self, sink_port: int) -> None:
        """Every partner's subscriptions, through the API."""
        for partner in self.partners:
            for path, types in HEARD.items():
                body = {
                    "endpointUrl": f"http://127.0.0.1:{sink_port}/{partner.number}/{path}",
                    "eventTypes": types,
                }
                status, said = self._ask(partner, "POST", "/v1/webhooks", body)
                assert status == 201, said
                partner.subscriptions[f"/{partner.number}/{path}"] = (
                    said["subscriptionId"],
                    said["signingSecret"],
                )

    def start(self) -> None:
        for each in self._threads:
            each.start()

    def stop(self) -> None:
        """Let every thread get the answers that it still waits for; the server must be up."""
        self._stopping.set()
        for each in self._threads:
            each.join()
        self._pool.close()

    def _run(self, lots: random.Random) -> None:
        while not self._stopping.wait(lots.uniform(*_PAUSE)):
            partner = lots.choice(self.partners)
            if partner.ready_at < time.time():
                self._one(partner, lots.randrange(100) < _CANCELLED_PERCENT)

    def _one(self, partner: Partner, cancelled: bool) -> None:
        path = f"/v1/accounts/{partner.seeded['sandboxAccountId']}/productions"
        brief = partner.brief(_HELD if cancelled else _FAILS)
        # The same key until there is an answer: a trigger whose answer a kill swallowed must not
        # become two.
        said = self._until(
            partner,
            "POST",
            path,
            brief,
            {"Idempotency-Key": str(uuid.uuid4())},
            (202,),
            "REQUEST_IN_PROGRESS",
        )
        self.acknowledged[said["productionId"]] = partner
        if cancelled:
            path = f"/v1/productions/{said['productionId']}"
            self._until(partner, "DELETE", path, None, {}, (200, 202), "CANCEL_IN_PROGRESS")
            self.cancelled.add(said["productionId"])

    def _until(
        self, partner, method, path, body, headers, wanted: tuple[int, ...], busy: str
    ) -> dict:
        """Ask again and again until it is done."""
        while True:
            status, said = self._ask(partner, method, path, body, headers)
            if status in wanted:
                return said
            if status != 429 and said.get("error") != busy:
                self.strange.append(f"{method} {path}: {status} {said}")
            time.sleep(10 * _AGAIN)

    def _ask(
        self, partner: Partner, method: str, path: str, body: dict | None, headers=()
    ) -> tuple[int, dict]:
        """One answer, however many kills it takes."""
        sent = {
            "X-API-Key": partner.seeded["testKey"],
            "Content-Type": "application/json",
            **dict(headers),
        }
        while True:
            try:
                answer = self._pool.request(
                    method, path, body=json.dumps(body) if body else None, headers=sent
                )
                break
            except urllib3.exceptions.HTTPError:
                self.unanswered += 1
                time.sleep(_AGAIN)
        if int(answer.headers.get("X-RateLimit-Remaining", _FEW)) < _FEW:
            partner.ready_at = float(answer.headers["X-RateLimit-Reset"])
        return answer.status, json.loads(answer.data) if answer.data else {}
