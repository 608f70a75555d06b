"""The owner of the data directory: root acts there as the owner,
and new files are accessible to the owner only.
"""

import grp
import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path

from svc.base import temporary
from svc.base.errors import StartRefused

MASK = 0o077  # new files are accessible to their owner only, unless the code gives another mode


@dataclass(frozen=True)
class Owner:
    """A user and the group of a directory."""

    uid: int
    gid: int

    @property
    def user(self) -> str:
        """The name of the user; the number if it has no name."""
        try:
            return pwd.getpwuid(self.uid).pw_name
        except KeyError:
            return str(self.uid)

    @property
    def names(self) -> str:
        """User and group in the form of chown."""
        try:
            return f"{self.user}:{grp.getgrgid(self.gid).gr_name}"
        except KeyError:
            return f"{self.user}:{self.gid}"


def find_owner(folder: Path) -> Owner | None:
    """Return the owner of a directory; None if it does not exist or may not be read."""
    try:
        stat_result = folder.stat()
    except OSError:
        return None
    return Owner(stat_result.st_uid, stat_result.st_gid)


def find_owner_to_become(folder: Path) -> Owner | None:
    """Return the user that a root process has to become; None if the process is not root or root
    owns the directory.
    """
    owner = find_owner(folder) if os.geteuid() == 0 else None
    return owner if owner and owner.uid else None


def become_owner(folder: Path) -> None:
    """Become the owner of the directory, permanently, if this process is root and the owner
    is another user.

    StartRefused: that user may not read the program or its Python, such as one below ``/root``;
    what is imported later would fail.
    """
    os.umask(MASK)
    owner = find_owner_to_become(folder)
    if owner is None:
        return
    needed_files = [path for path in (os.__file__, __file__) if os.access(path, os.R_OK)]
    try:
        os.initgroups(pwd.getpwuid(owner.uid).pw_name, owner.gid)
    except KeyError:
        os.setgroups([owner.gid])
    os.setgid(owner.gid)
    os.setuid(owner.uid)
    for path in needed_files:
        if not os.access(path, os.R_OK):
            raise StartRefused(
                f"The user {owner.user}, who owns {folder}, may not read {path}: install Python "
                "and the program where every user can read them, and not below a home."
            )
    temporary.forget_folder_of_others()


def hand_over(folder: Path) -> None:
    """Change the owner of root's files in the directory to the directory's owner; files of other
    users stay as they are.

    Works with descriptors of folders and skips hard links, so that nothing outside is changed even
    if the owner replaces entries meanwhile.
    """
    owner = find_owner_to_become(folder)
    if owner is None:
        return
    for _, folders, files, descriptor in os.fwalk(folder, follow_symlinks=False):
        for name in (*folders, *files):
            try:
                entry = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
                if entry.st_uid == 0 and (stat.S_ISDIR(entry.st_mode) or entry.st_nlink == 1):
                    os.chown(name, owner.uid, owner.gid, dir_fd=descriptor, follow_symlinks=False)
            except FileNotFoundError:
                pass  # it was temporary and has been removed


def create_files(folder: Path, names: tuple[str, ...]) -> None:
    """Create missing files, empty, as the directory's owner,
    so that root does not create them later.
    """
    owner = find_owner_to_become(folder)
    if owner is None:
        return
    for name in names:
        path = folder / name
        try:
            descriptor = os.open(
                path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
            )
        except OSError:
            continue  # it exists, or the next access reports why it cannot be created
        os.fchown(descriptor, owner.uid, owner.gid)
        os.close(descriptor)


def remove_access_of_others(data_dir: Path, *, proxy_reads: bool) -> None:
    """Remove the access of others to a data directory, which an earlier release or a mistake may
    have allowed.

    ``proxy_reads``: a proxy serves the media itself, so it may still traverse the folders that lead
    to them.
    """
    _close(data_dir, 0o711 if proxy_reads else 0o710)
    for path in data_dir.iterdir():
        if not path.is_symlink() and path.is_dir():
            if not (proxy_reads and path.name == "media"):
                _close(path, 0o710)
        elif path.is_file() and not path.is_symlink():
            _close(path, 0o600)


def _close(path: Path, most: int) -> None:
    """Remove the modes that are not in ``most`` from a file or folder of this process's user."""
    try:
        stat_result = path.stat()
        mode = stat.S_IMODE(stat_result.st_mode)
        if stat_result.st_uid == os.geteuid() and mode & ~most:
            path.chmod(mode & most)
    except FileNotFoundError:
        pass  # it was temporary and has been removed
