"""The machine beneath the data directory: what kind of disk it is on, whether it can be written, and how fast it is."""

import errno
import os
import re
import resource
import shutil
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from svc.base.errors import StartRefused

MOUNTS = Path("/proc/self/mountinfo")  # Linux; elsewhere nothing is known

# Where files lie with another machine, whose locks and shared memory SQLite cannot rely on.
NETWORK = frozenset({
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "beegfs", "ceph", "coda", "davfs", "drvfs", "gfs2", "glusterfs",
    "gpfs", "lustre", "ncpfs", "ocfs2", "orangefs", "prl_fs", "vboxsf", "vmhgfs",
})  # fmt: skip
_NETWORK_FUSE = (
    "s3fs", "sshfs", "gluster", "ceph", "gcs", "rclone", "juicefs", "davfs", "vmhgfs", "grpcfuse", "blob", "goofys",
)  # fmt: skip
_TRIES = 20  # fsyncs
OPEN_FILES = 65_536  # as the unit of systemd has it; a login shell often allows 1,024


@dataclass(frozen=True)
class Disk:
    """Where a directory lies. ``kind``: the file system's name, "unknown" where the machine does not say."""

    kind: str
    mounted_at: str
    read_only: bool

    @property
    def is_network(self) -> bool:
        fuse = self.kind.removeprefix("fuse.") if self.kind.startswith("fuse.") else ""
        return self.kind in NETWORK or any(fuse.startswith(each) for each in _NETWORK_FUSE)


def disk(path: Path, mounts: Path = MOUNTS) -> Disk:
    """The disk of ``path``, or of the nearest folder above it that exists."""
    real, found = os.path.realpath(path), Disk("unknown", "/", False)
    if not mounts.exists():
        return found
    longest = 0
    for line in os.fsdecode(mounts.read_bytes()).splitlines():
        before, _, after = line.partition(" - ")
        point, options = _unescaped(before.split()[4]), before.split()[5]
        inside = point == "/" or real == point or real.startswith(point + "/")
        if inside and len(point) >= longest:  # a later mount on the same place hides an earlier one
            longest = len(point)
            found = Disk(after.split()[0], point, "ro" in options.split(","))
    return found


def _unescaped(point: str) -> str:
    """A mount point as it is: the kernel writes spaces and the like as octal numbers (proc_pid_mountinfo(5))."""
    return os.fsdecode(re.sub(rb"\\([0-7]{3})", lambda octal: bytes([int(octal[1], 8)]), os.fsencode(point)))


def require_usable(data_dir: Path, mounts: Path = MOUNTS) -> None:
    """StartRefused: the data directory is on a network disk, or cannot be written."""
    there = disk(data_dir, mounts)
    if there.is_network:
        raise StartRefused(
            f"{data_dir} is on a network disk ({there.kind}, mounted at {there.mounted_at}), where the locks of SQLite do not "
            "hold and data would be lost. Set SVC_DATA_DIR to a disk of this machine."
        )
    problem = unwritable(data_dir)
    if problem:
        raise StartRefused(problem)


def unwritable(data_dir: Path) -> str | None:
    """Why nothing can be written there, and what would be right; None: it can be."""
    try:
        data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=data_dir):
            return None
    except OSError as failed:
        hints = {
            errno.EACCES: f"Make it this user's: chown -R {os.geteuid()} {data_dir}",
            errno.ENOSPC: "Make room on its disk.",
            errno.EROFS: "Mount it writable.",
        }
        return f"{data_dir} cannot be written: {failed.strerror}. {hints.get(failed.errno or 0, '')}".rstrip()


def fsync_milliseconds(folder: Path) -> float | None:
    """How long the disk takes to confirm a write, by a file without a name; None: there cannot be one, or no room for it."""
    try:
        descriptor = os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except (OSError, AttributeError):
        return None
    took = []
    try:
        for _ in range(_TRIES):
            os.write(descriptor, os.urandom(4096))
            began = time.perf_counter()
            os.fsync(descriptor)
            took.append(time.perf_counter() - began)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return statistics.median(took) * 1000


def free_megabytes(folder: Path) -> int:
    return shutil.disk_usage(folder).free // 1_000_000


def allow_open_files() -> None:
    """Let this process have as many files and sockets open as the machine allows, up to OPEN_FILES: each endpoint that does
    not answer, and each client, holds some."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft == resource.RLIM_INFINITY or soft >= most:
        return
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    except (ValueError, OSError):  # macOS may know a lower bound than it names
        return
