"""The whole torture's load: triggers, cancels, real productions, downloads and key rotations,
all of it through the proxy.
"""

import hashlib
import json
import random
import threading
import time
from collections import Counter

import urllib3

from tests.torture.load import Load, Partner

# the longest window of a budget; the server's clock may be an hour ahead of ours
_REST_SECONDS = 60.0
_REAL = "## One\n\nOne sentence, and no more."
_ALLOWED = {403}  # of downloads: the clock was set by an hour after the link had been made


class Mixed(Load):
    """``refused``: the documented 503, by whom; ``keys``: acknowledged by a rotation;
    ``real``: productions really made.
    """

    def __init__(
        self, front, partners: list[Partner], rotating: list[Partner], seed: int, threads: int
    ):
        super().__init__(0, partners, seed, threads)
        self._pool.close()
        self._pool = urllib3.HTTPSConnectionPool(
            "localhost",
            front.https_port,
            maxsize=threads + 4,
            retries=False,
            timeout=30,
            ca_certs=str(front.authority.file),
        )
        self._rotating, self._counting = rotating, threading.Lock()
        self.answers: Counter[int] = Counter()
        self.refused: Counter[str] = Counter()
        self.keys: list[str] = []
        self.real: dict[str, Partner] = {}
        self.downloads = 0
        for target in (self._make, self._fetch, self._rotate):
            self._threads.append(
                threading.Thread(target=target, args=(random.Random(seed),), daemon=True)
            )

    def _until(self, partner, method, path, body, headers, wanted, busy) -> dict:
        """Ask again and again; a 503 in the envelope is what the API documents,
        and any other 5xx is wrong.
        """
        while True:
            status, said = self._ask(partner, method, path, body, headers)
            partner.ready_at = min(partner.ready_at, time.time() + _REST_SECONDS)
            if status in wanted:
                return said
            if status != 429 and said.get("error") != busy:
                self._unwanted(method, path, status, said)
            time.sleep(0.2 if status != 429 else 2.0)

    def _unwanted(self, method: str, path: str, status: int, said: dict) -> None:
        if (
            status == 503
            and said.get("error") == "SERVICE_UNAVAILABLE"
            and said.get("retryAfterSeconds")
        ):
            with self._counting:
                self.refused[said["message"]] += 1
        else:
            self.strange.append(f"{method} {path}: {status} {said}")

    def _ask(self, partner, method, path, body, headers=()) -> tuple[int, dict]:
        status, said = super()._ask(partner, method, path, body, headers)
        with self._counting:
            self.answers[status] += 1
        return status, said

    def _make(self, lots: random.Random) -> None:
        """Productions that are really made, one after the other."""
        while not self._stopping.wait(1.0):
            partner = lots.choice(self._rotating)
            path = f"/v1/accounts/{partner.seeded['sandboxAccountId']}/productions"
            key = {"Idempotency-Key": f"real-{len(self.real)}-{lots.getrandbits(64)}"}
            said = self._until(
                partner, "POST", path, partner.brief(_REAL), key, (202,), "REQUEST_IN_PROGRESS"
            )
            self.real[said["productionId"]] = partner
            while not self._stopping.wait(2.0):
                path = f"/v1/productions/{said['productionId']}"
                if self._until(partner, "GET", path, None, {}, (200,), "")["status"] in (
                    "Published",
                    "Failed",
                ):
                    break

    def _fetch(self, lots: random.Random) -> None:
        """Downloads, whole and in part, of what has been made."""
        while not self._stopping.wait(0.5):
            if not self.real:
                continue
            production, partner = lots.choice(list(self.real.items()))
            found = self._until(
                partner, "GET", f"/v1/productions/{production}/deliverables", None, {}, (200,), ""
            )
            for each in found["data"][:2]:
                self._download(each)

    def _download(self, deliverable: dict) -> None:
        path = "/" + deliverable["sasUrl"].split("/", 3)[3]
        try:
            answer = self._pool.request("GET", path)
        except urllib3.exceptions.HTTPError:
            return
        if (
            answer.status == 200
            and hashlib.sha256(answer.data).hexdigest() == deliverable["sha256"]
        ):
            self.downloads += 1
        elif answer.status not in _ALLOWED:
            is_json = answer.headers.get("Content-Type") == "application/json"
            self._unwanted(
                "GET",
                path,
                answer.status,
                json.loads(answer.data) if is_json else {"bytes": len(answer.data)},
            )

    def _rotate(self, lots: random.Random) -> None:
        """Keys that are rotated again and again; an answer that a kill swallowed ends the line
        of its partner.
        """
        waiting = list(self._rotating)
        while waiting and not self._stopping.wait(1.0):
            partner = waiting[0]
            said = self._until(
                partner, "POST", "/v1/partners/keys/rotate", None, {}, (200, 409), ""
            )
            if "apiKey" in said:
                partner.seeded["testKey"] = said["apiKey"]
                self.keys.append(said["apiKey"])
            else:
                waiting.pop(0)

    def stop(self) -> None:
        """As its own, but leaves the pool for what is asked afterwards."""
        self._stopping.set()
        for each in self._threads:
            each.join()

    def close(self) -> None:
        self._pool.close()

    def works(self, key: str) -> bool:
        """Whether a key is taken, at the end."""
        answer = self._pool.request("GET", "/v1/languages", headers={"X-API-Key": key})
        return answer.status in (200, 429)
