"""A stranger deploys behind nginx by pasting the block of docs/operations.md: real nginx, TLS,
and the unit's own command.
"""

import hashlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
import requests
from support.front import HOST, ROOT

from tests.support.stranger import Place, ask, block, publish
from tests.torture.victim import free_port

pytestmark = [pytest.mark.slow, pytest.mark.judges]

HEADING = "Deploy behind nginx"
# of a file that it sends by itself: time and length
NGINX_TAG = re.compile(r'"[0-9a-f]+-[0-9a-f]+"')
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
_STAND_INS = {
    # as Debian does when it has installed it
    "apt-get": '[ "$1" = update ] || exec systemctl start nginx',
    "useradd": 'echo useradd "$@" >> "{folder}/users.log"',
    "usermod": 'echo usermod "$@" >> "{folder}/users.log"',
    "runuser": 'until [ "$1" = -- ]; do shift; done; shift; exec "$@"',
    "systemctl": f'exec "{{python}}" "{ROOT}/tests/deploy/systemd.py" "{{folder}}" "$@"',
}


class Fresh(Place):
    """A Debian machine where nothing is installed yet, on ports of its own."""

    def __init__(self, folder: Path):
        super().__init__(folder)
        self.https_port, self.http_port, self.bind = (
            free_port(),
            free_port(),
            f"127.0.0.1:{free_port()}",
        )
        self.address, self.certificate = (
            f"https://{HOST}:{self.https_port}",
            folder / f"etc/ssl/certs/{HOST}.pem",
        )
        for each in (
            "systemd/system",
            "ssl/private",
            "ssl/certs",
            *(f"nginx/{name}-enabled" for name in ("modules", "sites")),
        ):
            (folder / "etc" / each).mkdir(parents=True)
        _STAND_INS["nginx"] = (
            f'exec {shutil.which("nginx")} -e "{folder}/nginx.log" -c '
            f'"{folder}/etc/nginx/nginx.conf" "$@"'
        )
        for name, program in _STAND_INS.items():
            self.stand_in(name, program)
        (folder / "etc/nginx/nginx.conf").write_text(self._as_debian_has_it())

    def _as_debian_has_it(self) -> str:
        """Debian's own nginx.conf, in our places."""
        text = Path("/etc/nginx/nginx.conf").read_text("utf-8")
        for theirs in ("/etc/nginx/modules-enabled", "/etc/nginx/sites-enabled"):
            assert f"include {theirs}/" in text
            text = text.replace(theirs, f"{self.folder}{theirs}")
        ours = "".join(f"\n\t{each}_temp_path {self.folder}/{each};" for each in TEMPORARY)
        text = text.replace("/run/nginx.pid", f"{self.folder}/nginx.pid").replace(
            "/var/log/nginx", str(self.folder)
        )
        return text.replace("http {", "http {" + ours)

    def script(self, heading: str) -> str:
        text, port = super().script(heading), self.https_port
        text = text.replace("/etc/", f"{self.folder}/etc/").replace(
            "/opt/partner-production", str(self.program)
        )
        text = text.replace("$HOST:443", f"$HOST:{port}").replace(
            "https://$HOST", f"https://$HOST:{port}"
        )
        places = f"--bind {self.bind} --data-dir {self.data_dir} --https-port {port}"
        for kind, more in (("systemd", ""), ("nginx", f" --http-port {self.http_port}")):
            text = text.replace(f"deploy {kind}", f"deploy {kind} {places}{more}")
        for name, own in (("HOST", HOST), ("REPOSITORY", self.origin)):
            text, changed = re.subn(rf"^{name}=.*$", f"{name}={own}", text, flags=re.MULTILINE)
            assert changed == 1
        return text

    def shut_down(self) -> None:
        for each in ("nginx", "service"):
            if (self.folder / f"{each}.pid").exists():
                end(int((self.folder / f"{each}.pid").read_text()))


def end(process: int) -> None:
    """End a process that is no child of ours, and wait for that."""
    os.kill(process, signal.SIGTERM)
    deadline = time.monotonic() + 40
    while _lives(process):
        assert time.monotonic() < deadline, f"{process} does not end"
        time.sleep(0.05)


def _lives(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.fixture
def machine():
    """In a folder that nginx's own user may enter, unlike those of pytest."""
    if shutil.which("nginx") is None:
        pytest.skip("no nginx here")
    folder = Path(tempfile.mkdtemp(prefix="stranger."))
    folder.chmod(0o711)
    fresh = Fresh(folder)
    try:
        yield fresh
    finally:
        fresh.shut_down()
        shutil.rmtree(folder)


def test_a_stranger_deploys_behind_nginx_and_a_partner_downloads_through_it(machine):
    told = machine.run(HEADING)
    assert "syntax is ok" in told and "✗" not in told, told
    assert (machine.folder / "users.log").read_text().splitlines() == [
        (
            f"useradd --system --home-dir {machine.data_dir} --shell /usr/sbin/nologin "
            "partner-production"
        ),
        "usermod --append --groups partner-production www-data",
    ]
    trusted, seeded = str(machine.certificate), machine.seed()
    production = publish(machine.address, seeded, trusted)
    listed = ask(
        machine.address, f"/v1/productions/{production}/deliverables", seeded["testKey"], trusted
    ).json()["data"]
    assert len(listed) > 5
    for each in listed:
        assert each["sasUrl"].startswith(f"{machine.address}/files/")
        answer = ask("", each["sasUrl"], verify=trusted)
        assert hashlib.sha256(answer.content).hexdigest() == each["sha256"]
        assert NGINX_TAG.fullmatch(answer.headers["ETag"]), "the service sent the file by itself"
    shown = subprocess.run(
        [machine.bin / "nginx", "-T"], capture_output=True, text=True, check=True
    ).stdout
    assert "worker_connections 16384;" in shown and "worker_rlimit_nofile 65536;" in shown
    plain = requests.get(
        f"http://{HOST}:{machine.http_port}/docs?a=1", allow_redirects=False, timeout=60
    )
    assert (plain.status_code, plain.headers["Location"]) == (301, f"{machine.address}/docs?a=1")


def test_the_block_needs_nothing_but_debian_and_the_program():
    for command in (
        "apt-get install",
        "deploy systemd",
        "deploy nginx",
        "nginx -t",
        "/readyz",
        "app.py doctor",
    ):
        assert command in block(HEADING)
