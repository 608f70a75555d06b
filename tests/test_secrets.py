"""A whole run of the real server leaves no key and no secret in its log,
its database or its data directory.
"""

import base64
import json
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
import requests

from svc.base.crypto import signing
from svc.base.crypto.key_ring import FileRing
from svc.cli.demo.demo_server import Server
from svc.cli.demo.receiver import Receiver
from svc.store.backup import database_file

ROOT = Path(__file__).parents[1]
TOKEN = "metrics-token-0123456789"


def spellings(secret: bytes) -> set[bytes]:
    """A secret as it may stand in a file."""
    return {
        secret,
        secret.hex().encode(),
        secret.hex().upper().encode(),
        base64.b64encode(secret).rstrip(b"="),
        base64.urlsafe_b64encode(secret).rstrip(b"="),
    }


class Visit:
    """A partner who does everything that has to do with secrets, and remembers each."""

    def __init__(self, server: Server, seeded: dict):
        self.base, self.seeded = server.address, seeded
        self.secrets = {seeded["liveKey"], seeded["testKey"]}
        self.key = seeded["testKey"]

    def ask(self, method: str, path: str, status: int = 200, key: str | None = None, **more):
        with requests.Session() as session:
            session.trust_env = False
            answer = session.request(
                method, self.base + path, headers={"X-API-Key": key or self.key}, timeout=60, **more
            )
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    def use_keys(self) -> None:
        wrong = self.seeded["liveKey"][:-4] + "AAAA"
        self.secrets.add(wrong)
        self.ask("GET", "/v1/partner/accounts", 401, key=wrong)
        self.ask("GET", f"/v1/partner/accounts?key={self.key}", 400)  # where it does not belong
        rotated = self.ask("POST", "/v1/partners/keys/rotate", key=self.seeded["liveKey"])
        self.secrets |= {
            value for value in rotated.values() if str(value).startswith("svc_") and len(value) > 30
        }
        assert len(self.secrets) == 4

    def produce(self, receiver: Receiver, seen: list) -> None:
        types = ["production.queued", "production.published"]
        made = self.ask(
            "POST", "/v1/webhooks", 201, json={"endpointUrl": receiver.url, "eventTypes": types}
        )
        self.secrets.add(made["signingSecret"])
        receiver.trust(made["signingSecret"])
        given = {name: self.seeded[name] for name in ("languageId", "countryId", "avatarId")}
        path = f"/v1/accounts/{self.seeded['sandboxAccountId']}/productions"
        brief = {"topic": "Tides", "metadataMD": "The sea rises.", **given}
        production = self.ask("POST", path, 202, json=brief)["productionId"]
        deadline = time.monotonic() + 1200  # a guard against waiting for ever
        while "production.published" not in seen:
            assert time.monotonic() < deadline, seen
            time.sleep(0.1)  # the real server works in its own time
        for each in self.ask("GET", f"/v1/productions/{production}/deliverables")["data"]:
            self.secrets.add(each["sasUrl"].split("signature=")[1])
            with requests.Session() as session:
                session.trust_env = False
                assert session.get(each["sasUrl"], timeout=60).ok


@pytest.mark.slow
def test_no_secret_is_anywhere_but_where_it_belongs(tmp_path):
    data_dir, seen = tmp_path / "data", []
    with Server(data_dir, 0, SVC_METRICS_TOKEN=TOKEN, SVC_LOG_FORMAT="json") as server:
        environment = {"SVC_DATA_DIR": str(data_dir), "PATH": "/usr/bin:/bin"}
        made = subprocess.run(
            [sys.executable, "app.py", "seed", "--json", "--tier", "Enterprise"],
            cwd=ROOT,
            env=environment,
            check=True,
            capture_output=True,
        )
        visit = Visit(server, json.loads(made.stdout))
        visit.use_keys()
        with Receiver(lambda received: seen.append(received.event["eventType"]) or 200) as receiver:
            visit.produce(receiver, seen)
    ring = FileRing(data_dir / "secret")
    [subscription] = rows(data_dir, "SELECT id, secret_version FROM subscriptions")
    derived = signing.derive_webhook_secret(ring, *subscription)
    secrets = {each.encode() for each in visit.secrets} | {TOKEN.encode()}
    for line in (data_dir / "secret").read_text().split():
        secrets |= spellings(bytes.fromhex(line.rpartition(":")[2]))
    secrets |= spellings(derived if isinstance(derived, bytes) else derived.encode())
    found = [
        (str(path.relative_to(data_dir)), secret[:12])
        for path in data_dir.rglob("*")
        if path.is_file() and path.name != "secret"
        for secret in secrets
        if secret in path.read_bytes()
    ]
    assert found == []
    lines = [line for line in server.log.read_text().splitlines() if line.startswith("{")]
    assert len(lines) > 8 and all(json.loads(line) for line in lines)
    assert "production.published" in server.log.read_text()


def rows(data_dir: Path, sql: str) -> list:
    with closing(database_file.connect(data_dir / "service.db")) as connection:
        return connection.execute(sql).fetchall()
