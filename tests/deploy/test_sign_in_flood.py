"""A flood of sign-ins from one IPv6 network takes no thread from the API,
and ends at nginx where that stands in front.
"""

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
import requests
from support.front import Gunicorn, Nginx, running

CONNECTIONS, SECONDS = 16, 8.0
# times the calm median, where waiting for scrypt makes it a thousand; the rest is the processor's
# time
CROWDED = 60


def waits(session: requests.Session, address: str, key: str, seconds: float) -> list[float]:
    """How long a partner waited for each of its reads, one after the other, in milliseconds."""
    found, until = [], time.monotonic() + seconds
    while time.monotonic() < until:
        begun = time.monotonic()
        answer = session.get(
            f"{address}/v1/partner/accounts", headers={"X-API-Key": key}, timeout=120
        )
        assert answer.status_code in (200, 429), answer.text
        found.append((time.monotonic() - begun) * 1000)
        time.sleep(0.02)
    return sorted(found)


@pytest.mark.slow
def test_sixteen_connections_that_guess_passwords_hold_up_no_partner(tmp_path, enrol):
    settings = {"SVC_TRUSTED_PROXIES": "1", "SVC_ENGINE": "off"}
    with (
        running(Gunicorn(tmp_path / "data", workers=1, **settings)) as service,
        requests.Session() as session,
    ):
        session.trust_env = False
        key = enrol(service.data_dir)["testKey"]
        waits(session, service.address, key, 0.5)
        calm = waits(session, service.address, key, 3.0)
        program = Path(__file__).with_name("sign_in_flood.py")
        command = [sys.executable, *map(str, (program, service.port, CONNECTIONS, SECONDS))]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as flood:
            time.sleep(1)
            crowded = waits(session, service.address, key, SECONDS - 2)
            answered = json.loads(flood.communicate(timeout=300)[0])
    ratios = statistics.median(crowded) / statistics.median(calm), late(crowded) / late(calm)
    print(
        f"flood: {answered}; median {ratios[0]:.1f} times, p99 {ratios[1]:.1f} times as long, "
        f"{len(crowded)} reads"
    )
    assert answered.get("429", 0) > 100, answered
    assert ratios[0] < CROWDED, (ratios, answered)


def late(sorted_waits: list[float]) -> float:
    """The 99th percentile."""
    return sorted_waits[int(len(sorted_waits) * 0.99)]


class BehindAnother(Nginx):
    """nginx that believes this test's word for whom it has before it."""

    def _prepare(self, folder: Path, program: str) -> list[str]:
        command = super()._prepare(folder, program)
        believing = "set_real_ip_from 127.0.0.1;\nreal_ip_header X-Forwarded-For;\n"
        self.site.write_text(believing + self.site.read_text())
        return command


@pytest.mark.judges
def test_nginx_lets_a_network_sixty_times_at_the_sign_in_pages_and_others_as_before():
    if shutil.which("nginx") is None:
        pytest.skip("no nginx here")
    folder = Path(tempfile.mkdtemp(prefix="flood."))
    folder.chmod(0o711)
    try:
        # nobody is behind it: whoever passes has a 503
        with BehindAnother(folder / "nginx", "127.0.0.1:9", folder) as front:

            def ask(address: str, path: str = "/console/sign-in") -> requests.Response:
                return front.get(path, headers={"X-Forwarded-For": address})

            begun = time.monotonic()
            paths = ("/console/sign-in", "/console/sign-in/code", "/console/welcome/abc")
            answers = [
                ask(f"2001:db8:a:{number % 2}::{number:x}", paths[number % 3])
                for number in range(150)
            ]
            refilled = 2 * (time.monotonic() - begun) + 2
            passed = [each for each in answers if each.status_code == 503]
            assert 2 * 61 <= len(passed) <= 2 * 61 + refilled
            refused = answers[-1]
            assert (refused.status_code, refused.headers["Retry-After"]) == (429, "60")
            assert "Too many attempts" in refused.text and refused.headers["X-Correlation-Id"]
            for other in ("2001:db8:a:2::1", "192.0.2.1", "192.0.2.2"):
                assert ask(other).status_code == 503
            assert ask("2001:db8:a:0::1", "/v1/partner/accounts").status_code == 503
    finally:
        shutil.rmtree(folder)
