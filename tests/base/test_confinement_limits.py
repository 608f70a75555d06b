"""The limit of threads binds a service user, and is left out where others of the same user
leave no room.
"""

import os
import platform
import re
import resource
import socket
import subprocess
import sys
import traceback
import warnings
from pathlib import Path

import pytest

from svc.base.processes import confinement, landlock, seccomp

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="nobody says elsewhere how many threads a user has"
)
SOMEBODY = 54321


def as_somebody(check) -> None:
    """Run ``check`` in a process of a user that is not root."""
    with warnings.catch_warnings():
        # the runner has threads; the copy needs none of their locks
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        try:
            if os.getuid() == 0:
                os.setuid(SOMEBODY)
            check()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    assert os.waitpid(pid, 0)[1] == 0


def test_a_service_user_gets_a_limit_above_what_it_has():
    def check():
        confinement._limit_tasks()
        soft, hard = resource.getrlimit(resource.RLIMIT_NPROC)
        assert soft == hard and soft > confinement._MORE_TASKS

    as_somebody(check)


def test_elsewhere_than_on_linux_limits_and_priority_are_all(monkeypatch):
    def check():
        confinement.lower_priority()
        confinement.apply(confinement.Confinement(seconds=99, file_size=7))
        assert (
            resource.getrlimit(resource.RLIMIT_CPU)[0] == 99
            and resource.getrlimit(resource.RLIMIT_FSIZE)[0] == 7_000_000
        )
        assert (
            resource.getrlimit(resource.RLIMIT_NOFILE)[0] <= 1024
            and os.getpriority(os.PRIO_PROCESS, 0) >= 10
        )
        socket.socket().close()
        assert Path("/etc/passwd").read_text()

    monkeypatch.setattr(sys, "platform", "darwin")
    as_somebody(check)
    monkeypatch.setattr(landlock, "read_landlock_version", lambda: 0)
    monkeypatch.setattr(seccomp, "is_known", lambda: False)
    held = {part for part, does in confinement.list_effective_parts().items() if does}
    assert held == {"limits of processor time, files and descriptors", "no inherited settings"}


def test_a_limit_that_leaves_no_room_is_left_out():
    def check():
        before = resource.getrlimit(resource.RLIMIT_NPROC)
        # as if others had all that there is
        confinement._count_tasks = lambda: 1 - confinement._MORE_TASKS - 1
        confinement._limit_tasks()
        assert resource.getrlimit(resource.RLIMIT_NPROC) == before

    as_somebody(check)


@pytest.mark.parametrize(("own", "nice"), [(True, 10), (False, None)])
def test_a_session_of_its_own_is_lowered_too_and_one_that_others_share_is_not(own, nice):
    """Where the kernel shares the processor among sessions,
    a nice value counts within its session alone.
    """
    autogroup = Path("/proc/self/autogroup")
    shown = autogroup if autogroup.exists() else os.devnull
    imports = "import os; from svc.base.processes import confinement"
    program = f"{imports}; confinement.lower_priority(); print(os.nice(0), open('{shown}').read())"
    ended = subprocess.run(
        [sys.executable, "-c", program],
        start_new_session=own,
        capture_output=True,
        text=True,
        check=True,
    )
    lowered, *group = ended.stdout.split()
    assert int(lowered) >= 10
    if group:
        assert group[-1] == (str(nice) if own else autogroup.read_text().split()[-1])


def slice_of(pid: int) -> float:
    """Return the slice of the processor that a process has, in milliseconds; 0: it is not said."""
    try:
        shown = Path(f"/proc/{pid}/sched").read_text()
    except OSError:
        return 0.0
    return next(
        (float(line.split()[-1]) / 1e6 for line in shown.splitlines() if "se.slice" in line), 0.0
    )


def test_a_child_gives_way_within_its_slice():
    """Those that answer have shorter slices, for which the kernel ends a longer one at once. While
    they were equally long, a thread that answers waited up to 4 ms at each of its wake-ups.
    """
    with subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True
    ) as child:
        before = slice_of(child.pid)
        confinement.lower_priority(child.pid)
        after = slice_of(child.pid)
        child.communicate(b"\n")
    version = tuple(map(int, re.findall("[0-9]+", platform.release())[:2]))
    assert after == (100 if before and version >= (6, 12) else before)


def test_a_child_is_lowered_before_it_does_anything():
    with subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True
    ) as child:
        confinement.lower_priority(child.pid)
        autogroup = Path(f"/proc/{child.pid}/autogroup")
        assert (
            os.getpriority(os.PRIO_PROCESS, child.pid) >= 10
            and os.sched_getscheduler(child.pid) == os.SCHED_BATCH
        )
        assert not autogroup.exists() or autogroup.read_text().endswith(" nice 10\n")
        child.communicate(b"\n")
