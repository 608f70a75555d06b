"""What systemd hears and allows: notifications by its protocol,
and only system calls and memory that the unit leaves.
"""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager

import pytest
from support.front import ROOT, Gunicorn

from tests.torture.victim import answers

pytestmark = pytest.mark.slow

_DENY_WRITE_EXECUTE = """
import ctypes, os, sys
assert ctypes.CDLL(None).prctl(65, 1, 0, 0, 0) == 0, "this kernel has no PR_SET_MDWE"
os.execv(sys.argv[1], sys.argv[1:])
"""


@contextmanager
def listening(address: str):
    """systemd's end of the socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as hearing:
        hearing.bind("\0" + address[1:] if address[0] == "@" else address)
        hearing.settimeout(30)
        yield hearing


@pytest.fixture(params=["file", "abstract"])
def notified(request, tmp_path):
    """A service under a systemd that hears it."""
    address = str(tmp_path / "notify") if request.param == "file" else f"@notify-{os.getpid()}"
    with listening(address) as hearing:
        service = Gunicorn(tmp_path / "data")
        service.environment |= {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "30000000"}
        service.launch()
        try:
            yield service, hearing
        finally:
            service.end()


def test_systemd_hears_that_the_service_is_ready_alive_and_ends(notified):
    service, hearing = notified
    assert hearing.recv(4096).startswith(b"READY=1\n")
    assert answers(service.port)
    heard = {hearing.recv(4096).splitlines()[0] for _ in range(4)}
    assert heard <= {b"READY=1", b"WATCHDOG=1"} and b"WATCHDOG=1" in heard
    service.tell(signal.SIGTERM)
    while not (last := hearing.recv(4096)).startswith(b"STOPPING=1\n"):
        assert last.splitlines()[0] in (b"READY=1", b"WATCHDOG=1")


def test_a_service_that_cannot_start_is_never_said_to_be_ready(tmp_path):
    with listening(str(tmp_path / "notify")) as hearing:
        service = Gunicorn(tmp_path / "data", SVC_HISTORY_DAYS="1")
        service.environment |= {"NOTIFY_SOCKET": str(tmp_path / "notify")}
        service.launch()
        assert service.process.wait(60) != 0
        assert "SVC_HISTORY_DAYS is '1'; it should be " in service.said()
        assert [each for each in _heard(hearing) if each.startswith(b"READY=1")] == []


def _heard(hearing) -> list[bytes]:
    """What has been said so far."""
    hearing.setblocking(False)
    said = []
    with contextlib.suppress(BlockingIOError):
        while True:
            said.append(hearing.recv(4096))
    return said


def demo(tmp_path) -> list[str]:
    return [
        sys.executable,
        str(ROOT / "app.py"),
        "demo",
        "--once",
        "--data-dir",
        str(tmp_path / "data"),
        "--out",
        str(tmp_path / "out"),
    ]


def test_a_production_is_made_where_no_memory_can_be_written_and_run(tmp_path):
    """MemoryDenyWriteExecute=yes, by the kernel's own switch for it."""
    command = [sys.executable, "-c", _DENY_WRITE_EXECUTE, *demo(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.judges
def test_a_production_is_made_by_the_system_calls_that_the_unit_allows(tmp_path):
    for each in ("strace", "systemd-analyze"):
        if shutil.which(each) is None:
            pytest.skip(f"no {each} here")
    tracing = [
        "strace",
        "-f",
        "-qq",
        "--summary-only",
        "-U",
        "name",
        "--output",
        str(tmp_path / "calls"),
        *demo(tmp_path),
    ]
    done = subprocess.run(tracing, capture_output=True, text=True, timeout=580, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    made = {line.strip() for line in (tmp_path / "calls").read_text().splitlines()}
    made = {each for each in made if each.isidentifier() and each not in ("syscall", "total")}
    assert {"openat", "execve", "futex"} <= made
    [named] = re.findall(
        r"^SystemCallFilter=([a-z].*)$",
        (ROOT / "svc/deploy/service.unit").read_text(),
        re.MULTILINE,
    )
    beyond = made - (allowed("@system-service") | set(named.split())) | made & allowed(
        "@privileged"
    )
    # SQLite's, and root's alone: so that its files belong to whoever has the database
    assert beyond <= {"fchown"}


def allowed(group: str) -> set[str]:
    """The system calls of one of systemd's groups, and of the groups that it names."""
    done = subprocess.run(
        ["systemd-analyze", "syscall-filter", group], capture_output=True, text=True, check=True
    )
    names = {
        line.strip()
        for line in done.stdout.splitlines()[1:]
        if line.strip() and not line.strip().startswith("#")
    }
    found = {each for each in names if not each.startswith("@")}
    return found.union(*(allowed(each) for each in names if each.startswith("@")))
