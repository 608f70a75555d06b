"""Confinement of a child process before it reads untrusted input: limits of resources, files,
network, new processes.

A part that the system does not support is skipped silently: :func:`list_effective_parts` returns
which parts are in effect.
"""

import contextlib
import ctypes
import os
import platform
import resource
import sys
import sysconfig
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from svc.base.processes import cpus, entry_points, landlock, seccomp

_MEGABYTE = 1_000_000
_MORE_ADDRESSES = 4  # times the memory: address space for mapped files
_DESCRIPTORS = 1024
_MORE_TASKS = 1024  # above those that the user already has
_LAST_SECONDS = 5
_NICE = 10
_AUTOGROUP_ATTEMPTS, _AUTOGROUP_SECONDS = 3, 0.1
_IDLE_LAST = 2 << 13 | 7  # best effort, last of eight
_IOPRIO_SET = {"x86_64": 251, "aarch64": 30}
_SCHED_SETATTR = {"x86_64": 314, "aarch64": 274}
_LONGEST_SLICE = 100_000_000  # nanoseconds: the most that Linux grants
_SET_DUMPABLE, _SET_NO_NEW_PRIVS = 4, 38
_HANDED_ON = (
    "PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "LD_LIBRARY_PATH",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "SYSTEMROOT",
)
# Read by Python, the C library and the media libraries besides their own folders.
_SYSTEM = (
    "/usr/lib", "/usr/lib64", "/usr/bin", "/usr/share/zoneinfo", "/usr/share/fonts", "/lib",
    "/lib64", "/bin", "/nix/store", "/etc/ld.so.cache", "/etc/localtime", "/proc/cpuinfo",
    "/proc/meminfo", "/sys/devices/system/cpu", "/dev/zero", "/dev/urandom", "/dev/random",
)  # fmt: skip
_OF_NETWORK = (
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/nsswitch.conf",
    "/etc/gai.conf",
    "/etc/services",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/pki/tls/certs",
    "/etc/pki/ca-trust/extracted",
    "/usr/share/ca-certificates",
    "/usr/local/share/ca-certificates",
)


@dataclass(frozen=True)
class Confinement:
    """The limits of a process.

    ``read``, ``write``: files and folders besides Python's and the service's. ``memory``,
    ``file_size``: megabytes. ``seconds``: of processor time. ``children``: whether it may start
    processes.
    """

    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    network: bool = False
    children: bool = False
    memory: int = 4096
    file_size: int = 4096
    seconds: int = 3600


class _SchedulingAttributes(ctypes.Structure):
    """``struct sched_attr`` of sched_setattr(2), as its first version has it."""

    _fields_ = (
        ("size", ctypes.c_uint32),
        ("policy", ctypes.c_uint32),
        ("flags", ctypes.c_uint64),
        ("nice", ctypes.c_int32),
        ("priority", ctypes.c_uint32),
        ("runtime", ctypes.c_uint64),
        ("deadline", ctypes.c_uint64),
        ("period", ctypes.c_uint64),
    )


def make_environment(folder: Path | str) -> dict[str, str]:
    """Return the environment of a child, without settings and other variables that it does not
    need. ``folder``: for its temporary files.
    """
    environment = {name: os.environ[name] for name in _HANDED_ON if name in os.environ}
    return environment | {
        "PYTHONPATH": str(entry_points.ROOT),
        "PYTHONHASHSEED": "0",
        "TMPDIR": str(folder),
        "HOME": str(folder),
        # The idle threads of numpy's BLAS wait actively, on the processors that other steps need:
        # beside two of those, choosing pictures took seven times as long as with one thread.
        "OPENBLAS_NUM_THREADS": "1",
    }


def apply(confinement: Confinement) -> None:
    """Confine this process permanently.

    It must have only one thread: each part applies to the calling thread.
    """
    _set_limits(confinement)
    if sys.platform != "linux":
        return
    library = ctypes.CDLL(None, use_errno=True)
    library.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    library.prctl(_SET_DUMPABLE, 0, 0, 0, 0)
    with contextlib.suppress(OSError):  # the kernel or its container supports it and refuses it
        readable = (
            *_SYSTEM,
            *(_OF_NETWORK if confinement.network else ()),
            *_list_python_folders(),
        )
        landlock.restrict(
            (*readable, *confinement.read), ("/dev/null", *confinement.write), confinement.network
        )
    seccomp.restrict(confinement.network, confinement.children)


def lower_priority(pid: int = 0) -> None:
    """Lower the priority of processor and disk below those that answer requests, and let it run on
    all processors. ``pid``: a child; 0: this process.

    Its own children inherit it, so that it is lowered once, as early as possible: by the parent, or
    before heavy imports.
    """
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, max(os.getpriority(os.PRIO_PROCESS, pid), _NICE))
    if sys.platform != "linux":
        return
    _lower_session_priority(pid or os.getpid())
    with contextlib.suppress(OSError):
        cpus.use_all(pid)
    with contextlib.suppress(OSError):
        os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0))
        _lengthen_slice(pid)
    if number := _IOPRIO_SET.get(platform.machine()):
        ctypes.CDLL(None).syscall(number, 1, pid, _IDLE_LAST)


def _lower_session_priority(pid: int) -> None:
    """Set the nice value of the session.

    Where the kernel groups processes by session (sched_autogroup_enabled, the default of many
    distributions), a nice value counts only within its session, and all sessions have equal shares
    unless they have a nice value themselves (sched(7)).
    """
    with contextlib.suppress(OSError):
        if os.getsid(pid) != pid:
            return  # it shares the session of the processes that answer
    for _ in range(_AUTOGROUP_ATTEMPTS):
        try:
            Path(f"/proc/{pid}/autogroup").write_text(str(_NICE))
            return
        except BlockingIOError:  # the kernel accepts ten a second from all users except root
            time.sleep(_AUTOGROUP_SECONDS)
        except OSError:
            return


def _lengthen_slice(pid: int) -> None:
    """Ask for long slices of the processor, which give way to short ones at once.

    Since Linux 6.6 a thread that wakes waits until the running one has had its slice, which ends
    with a tick of up to 4 ms, however low its priority; since 6.12, unless its own slice is the
    shorter one. Earlier kernels ignore the length.
    """
    if number := _SCHED_SETATTR.get(platform.machine()):
        attributes = _SchedulingAttributes(
            size=ctypes.sizeof(_SchedulingAttributes),
            policy=os.SCHED_BATCH,
            nice=os.getpriority(os.PRIO_PROCESS, pid),
            runtime=_LONGEST_SLICE,
        )
        ctypes.CDLL(None).syscall(number, pid, ctypes.byref(attributes), 0)


def _set_limits(confinement: Confinement) -> None:
    limits = {
        "CORE": 0,
        "CPU": confinement.seconds,
        "FSIZE": confinement.file_size * _MEGABYTE,
        "NOFILE": _DESCRIPTORS,
        "DATA": confinement.memory * _MEGABYTE,
        "AS": _MORE_ADDRESSES * confinement.memory * _MEGABYTE,
    }
    for name, most in limits.items():
        limit = getattr(resource, f"RLIMIT_{name}", None)
        if limit is None:
            continue
        _, hard = resource.getrlimit(limit)
        soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
        # The signal at the soft limit of processor time names the cause; SIGKILL at the hard limit
        # could have any cause.
        hard = soft if hard == soft or name != "CPU" else soft + _LAST_SECONDS
        # macOS lists some of them and refuses to set them
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(limit, (soft, hard))
    _limit_tasks()


def _limit_tasks() -> None:
    """Limit the user's threads, unless the limit would leave no room for another one.

    The kernel also counts the user's threads in other containers, which are not visible here.
    """
    if (tasks := _count_tasks()) is None:
        return
    before = resource.getrlimit(resource.RLIMIT_NPROC)
    most = tasks + _MORE_TASKS
    if before[1] != resource.RLIM_INFINITY and before[1] <= most:
        return
    resource.setrlimit(resource.RLIMIT_NPROC, (most, before[1]))
    trial = threading.Thread(target=lambda: None)
    try:
        trial.start()
        trial.join()
        resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
    except RuntimeError:
        resource.setrlimit(resource.RLIMIT_NPROC, before)


def _count_tasks() -> int | None:
    """Return how many threads this user has; None if it is unknown, or if the limit does not apply,
    as for root.
    """
    if sys.platform != "linux" or os.getuid() == 0:
        return None
    return sum(_count_threads(entry) for entry in os.scandir("/proc") if entry.name.isdigit())


def _count_threads(entry: os.DirEntry[str]) -> int:
    try:
        if entry.stat().st_uid != os.getuid():
            return 0
        return sum(1 for _ in Path(entry.path, "task").iterdir())
    except OSError:
        return 0  # the process has ended


def _list_python_folders() -> Iterator[str]:
    """Yield the folders of Python, its libraries and ``svc``, but not that of a checkout,
    which may contain the data.
    """
    root = Path(__file__).parents[3]
    # A bundle is no checkout: it contains the libraries.
    checkout = root if (root / "requirements.txt").exists() else None
    yield from {sys.prefix, sys.base_prefix, sys.exec_prefix, *sysconfig.get_paths().values()}
    yield str(root / "svc")
    for path in sys.path:
        if path and Path(path).exists() and Path(path).absolute() != checkout:
            yield path


def list_effective_parts() -> dict[str, bool]:
    """Return which parts are in effect on this system, by their descriptions."""
    linux = sys.platform == "linux"
    version = landlock.read_landlock_version()
    return {
        "limits of processor time, files and descriptors": True,
        "a limit of memory": linux,
        "no inherited settings": True,
        "no new privileges": linux,
        "reads only what it needs (Landlock)": version > 0,
        "no sockets for steps that need none (seccomp)": seccomp.is_known(),
        "no new processes for steps that need none (seccomp)": seccomp.is_known(),
    }
