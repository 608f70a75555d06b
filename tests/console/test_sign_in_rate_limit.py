"""The rate limit of the sign-in pages: by network, for those pages alone,
and with room again after a while.
"""

from svc.console.sign_in import sign_in_rate_limit
from svc.console.sign_in.sign_in_rate_limit import BURST, SignInRateLimit

PATHS = ("/console/sign-in", "/console/sign-in/code", "/console/welcome/abc")


class Gate:
    """The limit before an application that answers 200, and its clock."""

    def __init__(self):
        self.seconds = 0.0
        self._gate = SignInRateLimit(
            lambda environ, start: start("200 OK", []) or [b"within"], lambda: self.seconds
        )

    def ask(self, address: str, path: str = PATHS[0]) -> int:
        said = []
        environ = {"PATH_INFO": path, "REMOTE_ADDR": address}
        content = self._gate(environ, lambda status, headers: said.append((status, headers)))
        status, headers = said[0]
        if status.startswith("429"):
            assert ("Retry-After", "60") in headers
            assert ("Content-Length", str(len(content[0]))) in headers
        return int(status.split()[0])


def test_a_network_has_a_burst_and_then_one_a_second():
    gate = Gate()
    answers = [gate.ask(f"2001:db8::{number:x}", PATHS[number % 3]) for number in range(BURST + 5)]
    assert answers == [200] * BURST + [429] * 5
    assert [gate.ask("2001:db8:0:1::1"), gate.ask("192.0.2.1"), gate.ask("::ffff:192.0.2.1")] == [
        200
    ] * 3
    gate.seconds += 2
    assert [gate.ask("2001:db8::1") for _ in range(3)] == [200, 200, 429]


def test_no_other_page_is_kept_shut():
    gate = Gate()
    for _ in range(BURST + 1):
        gate.ask("192.0.2.1")
    assert gate.ask("192.0.2.1") == 429
    for path in ("/console/", "/v1/partner/accounts", "/console/signs", "/", ""):
        assert gate.ask("192.0.2.1", path) == 200


def test_it_remembers_only_so_many_networks():
    gate = Gate()
    for number in range(25_000):
        gate.ask(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
    assert len(gate._gate._left) <= 10_000
    for _ in range(BURST + 1):
        gate.ask("192.0.2.1")
    assert gate.ask("192.0.2.1") == 429


def test_the_application_stands_behind_it(app, monkeypatch):
    monkeypatch.setattr(sign_in_rate_limit, "PER_SECOND", 0.0)  # however long these requests take
    client = app.test_client()
    answers = [client.get("/console/sign-in").status_code for _ in range(BURST + 1)]
    assert answers[:-1] == [200] * BURST
    refused = client.post("/console/sign-in")
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "60")
    assert client.get("/console/").status_code == 303
