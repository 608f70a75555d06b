"""A step's child whose work has been taken over: it does to the machine what ``script`` of the
brief's topic names.

It is the real child, confined as it confines itself; only the media engine's function is another
one.
"""

import concurrent.futures
import ctypes
import mmap
import os
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from svc.base.processes import heartbeat  # noqa: E402
from svc.media import steps  # noqa: E402
from svc.work.step_process import child  # noqa: E402


def fork_bomb(_) -> None:
    while True:
        if os.fork() == 0:
            time.sleep(30)


def leave_the_group(_) -> None:
    os.setsid()


def allocate(_) -> None:
    for _ in range(10):
        bytearray(b"x") * 1_000_000_000 and time.sleep(0)
        held.append(bytearray(b"x") * 1_000_000_000)


def map_shared(_) -> None:
    for _ in range(100):
        held.append(mmap.mmap(-1, 1_000_000_000))


held: list = []
ATTACKS = {
    "read": lambda path: Path(path).read_bytes(),
    "list": lambda path: list(Path(path).iterdir()),
    "write": lambda path: Path(path).write_text("x"),
    "socket": lambda _: socket.create_connection(("127.0.0.1", 9)),
    "udp": lambda _: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
    "unix": lambda _: socket.socket(socket.AF_UNIX),
    "fork": fork_bomb,
    "spawn": lambda _: subprocess.run(["/bin/true"], check=True),
    "setsid": leave_the_group,
    "allocate": allocate,
    "map": map_shared,
    "sparse": lambda path: os.truncate(path, 100_000_000_000),
    "descriptors": lambda _: held.extend(os.open("/dev/null", os.O_RDONLY) for _ in range(5000)),
    "spin": lambda _: Path("begun").touch() or exec("while True: pass"),  # noqa: S102
    "processor": lambda _: [heartbeat.send_heartbeat() for _ in iter(int, 1)],
    "call": lambda name: _call(name),
    "threads": lambda _: _work_in_threads(),
    "stop": lambda _: Path("begun").touch() or os.kill(os.getpid(), signal.SIGSTOP),
    "signal": lambda pid: os.kill(int(pid), signal.SIGTERM),
    "wait": lambda seconds: _wait(float(seconds)),
    "work": lambda _: _work(),
    "symlink": lambda path: Path("video.mp4").symlink_to(path),
    "nonsense": lambda what: os.write(1, what.encode() + b"\n") and time.sleep(60),
    "endless": lambda _: [os.write(1, b"x" * 65536) for _ in iter(int, 1)],
    "privileges": lambda _: _tell_privileges(),
    "environment": lambda path: Path(path).write_text(
        "\n".join(f"{name}={value}" for name, value in os.environ.items())
    ),
    "priority": lambda path: Path(path).write_text(
        f"{os.getpriority(os.PRIO_PROCESS, 0)} {os.sched_getscheduler(0)}"
    ),
}


def _call(name: str) -> None:
    """Make a system call with arguments that do nothing; what it answers is the error."""
    library = ctypes.CDLL(None, use_errno=True)
    if library.syscall(int(name), *[ctypes.c_long(-1)] * 6) == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _work_in_threads() -> None:
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(lambda number: number * number, range(100))) == 328350
    os.close(os.memfd_create("x"))
    os.sched_setaffinity(0, os.sched_getaffinity(0))
    os.getrandom(8)
    select.select([], [], [], 0)


def _wait(seconds: float) -> None:
    """Wait as for an answer that may take so long, until the file ``answer`` is there."""
    with heartbeat.expect_silence(seconds):
        Path("begun").touch()
        while not Path("answer").exists():
            time.sleep(0.01)


def _work() -> None:
    while not Path("answer").exists():
        heartbeat.send_heartbeat()
        time.sleep(0.01)


def _tell_privileges() -> None:
    library = ctypes.CDLL(None)
    sys.exit(
        f"no_new_privs {library.prctl(39, 0, 0, 0, 0)} dumpable {library.prctl(3, 0, 0, 0, 0)}"
    )


def attack(brief, folder, progress, resources) -> None:
    name, _, what = brief.topic.partition(" ")
    ATTACKS[name](what)


step = steps.PipelineStep(sys.argv[1], "", attack)
steps.PIPELINE_STEPS = (step, *(each for each in steps.PIPELINE_STEPS if each.name != step.name))
if __name__ == "__main__":
    sys.exit(child.main(*sys.argv[1:]))
