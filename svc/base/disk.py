"""The disk of the data directory: its file system, whether it can be written,
and how fast it is.
"""

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

from svc.base import temporary
from svc.base.errors import StartRefused

MOUNTS = Path("/proc/self/mountinfo")  # Linux only; elsewhere the file system is unknown

# File systems of other machines, whose locks and shared memory SQLite cannot rely on.
NETWORK = frozenset({
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "beegfs", "ceph", "coda", "davfs", "drvfs",
    "gfs2", "glusterfs", "gpfs", "lustre", "lustre_lite", "ncpfs", "ocfs2", "orangefs", "prl_fs",
    "pvfs2", "vboxsf", "vmhgfs", "wekafs",
    "virtiofs", "fakeowner", "osxfs",  # of a virtual machine's host, as of Docker Desktop's
})  # fmt: skip
_NETWORK_FUSE = (
    "s3fs", "sshfs", "gluster", "ceph", "gcs", "rclone", "juicefs", "davfs", "vmhgfs", "grpcfuse",
    "blob", "goofys", "seaweed", "weed", "mfs", "moosefs", "lizardfs", "saunafs", "lustre",
    "mountpoint-s3", "osxfs", "virtiofs", "hdfs", "alluxio", "quobyte", "curlftpfs", "smbnetfs",
)  # fmt: skip
_TRIES = 20  # fsyncs
# The folders of the data directory that the service writes in.
FOLDERS = ("work", "media", "assets", "cache", "journal", "backups")
LEAST_FILES = 2_000  # free inodes: a production, the journals and the backups have fewer at a time
OPEN_FILES = 65_536  # as in the systemd unit; a login shell often allows 1,024


def reserve(descriptor: int, offset: int, length: int) -> None:
    """Write ``length`` zeros at ``offset`` of a file that is mapped as memory, so that a full disk
    is noticed here.

    OSError (ENOSPC): there is less room. The first write then only comes out short; it is the next
    one that fails.
    """
    zeros = memoryview(bytes(length))
    while zeros:
        written_bytes = os.pwrite(descriptor, zeros, offset)
        zeros, offset = zeros[written_bytes:], offset + written_bytes


@dataclass(frozen=True)
class Disk:
    """The disk of a directory.

    ``kind``: the name of the file system, or "unknown"; ``source``: what is mounted.
    """

    kind: str
    mounted_at: str
    source: str = ""

    @property
    def is_network(self) -> bool:
        fuse = self.kind.removeprefix("fuse.") if self.kind.startswith("fuse.") else ""
        # some name themselves only in what is mounted, such as mfs#host:9421
        if self.kind == "fuse":
            fuse = self.source
        return self.kind in NETWORK or fuse.lower().startswith(_NETWORK_FUSE)


def find_disk(path: Path, mounts: Path = MOUNTS) -> Disk:
    """Return the disk of ``path``, or of its nearest parent that exists."""
    real_path, disk = os.path.realpath(path), Disk("unknown", "/")
    if not mounts.exists():
        return disk
    longest = 0
    for line in os.fsdecode(mounts.read_bytes()).splitlines():
        before, _, after = line.partition(" - ")
        point = _decode_escapes(before.split()[4])
        inside = point == "/" or real_path == point or real_path.startswith(point + "/")
        if inside and len(point) >= longest:  # a later mount on the same place hides an earlier one
            longest = len(point)
            kind, source = [*after.split(), ""][:2]
            disk = Disk(kind, point, source)
    return disk


def _decode_escapes(point: str) -> str:
    """Return a mount point with its octal escapes decoded (proc_pid_mountinfo(5))."""
    return os.fsdecode(
        re.sub(rb"\\([0-7]{3})", lambda octal: bytes([int(octal[1], 8)]), os.fsencode(point))
    )


def require_usable(data_dir: Path, mounts: Path = MOUNTS) -> None:
    """Raise StartRefused if the data directory is on a network disk or cannot be written."""
    place = find_disk(data_dir, mounts)
    if place.is_network:
        raise StartRefused(
            f"{data_dir} is on a network disk ({place.kind}, mounted at {place.mounted_at}), where "
            "the locks of SQLite do not hold and data would be lost. Set SVC_DATA_DIR to a disk "
            "of this machine (in Docker: a named volume)."
        )
    problem = check_writable(data_dir) or find_unusable_folder(data_dir)
    if problem:
        raise StartRefused(problem)
    temporary.ensure_folder(data_dir)


def find_unusable_folder(data_dir: Path) -> str | None:
    """Return which folder of the data directory cannot be used and how to fix it;
    None: all that are there can be.
    """
    for name in FOLDERS:
        folder = data_dir / name
        if not os.path.lexists(folder):
            continue  # it is made when it is needed
        if not folder.is_dir():
            return f"{folder} is no folder: move it away."
        if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
            return (
                f"{folder} cannot be written. Make it this user's: chown -R {os.geteuid()} {folder}"
            )
    return None


def check_writable(data_dir: Path) -> str | None:
    """Return why the directory cannot be written and how to fix it; None if it can be written."""
    try:
        data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=data_dir):
            return None
    except OSError as error:
        hints = {
            errno.EACCES: f"Make it this user's: chown -R {os.geteuid()} {data_dir}",
            errno.ENOSPC: "Make room on its disk.",
            errno.EROFS: "Mount it writable.",
        }
        return (
            f"{data_dir} cannot be written: {error.strerror}. {hints.get(error.errno or 0, '')}"
        ).rstrip()


def measure_fsync(folder: Path) -> float | None:
    """Return the median duration of an fsync of an unnamed file;
    None if such a file is unsupported or the disk is full.
    """
    try:
        descriptor = os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except (OSError, AttributeError):
        return None
    durations = []
    try:
        for _ in range(_TRIES):
            os.write(descriptor, os.urandom(4096))
            began = time.perf_counter()
            os.fsync(descriptor)
            durations.append(time.perf_counter() - began)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return statistics.median(durations) * 1000


@dataclass(frozen=True)
class Room:
    """The room on a disk. ``files``: how many more it has room for (inodes); None: it has no such
    limit, as Btrfs."""

    megabytes: int
    files: int | None

    @property
    def lacks_files(self) -> bool:
        """Return whether there is no room for the files of a production."""
        return self.files is not None and self.files < LEAST_FILES


def measure_room(folder: Path) -> Room:
    """Return the room on the disk of a folder."""
    return Room(count_free_megabytes(folder), count_free_files(folder))


def count_free_megabytes(folder: Path) -> int:
    return shutil.disk_usage(folder).free // 1_000_000


def count_free_files(folder: Path) -> int | None:
    """Return how many more files the file system has room for (inodes);
    None: it has no such limit, as Btrfs.
    """
    statistics = os.statvfs(folder)
    return statistics.f_favail if statistics.f_files else None


def allow_open_files() -> None:
    """Raise the limit of open files as far as the machine allows, up to OPEN_FILES.

    Every client, and every endpoint that does not answer, holds some of them.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft == resource.RLIM_INFINITY or soft >= most:
        return
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    except (ValueError, OSError):  # macOS may enforce a lower limit than it reports
        return
