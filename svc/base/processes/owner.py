"""Whose the data directory is: what root does there is done as its owner, and what we make there is for the owner alone."""

import grp
import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path

MASK = 0o077  # what is made is for its owner alone, unless the code says more


@dataclass(frozen=True)
class Owner:
    """A user and the group of a directory."""

    uid: int
    gid: int

    @property
    def user(self) -> str:
        """The name; the number where the machine has none for it."""
        try:
            return pwd.getpwuid(self.uid).pw_name
        except KeyError:
            return str(self.uid)

    @property
    def names(self) -> str:
        """As chown takes it."""
        try:
            return f"{self.user}:{grp.getgrgid(self.gid).gr_name}"
        except KeyError:
            return f"{self.user}:{self.gid}"


def of(folder: Path) -> Owner | None:
    """The owner of a directory; None: it is not there, or may not be looked at."""
    try:
        found = folder.stat()
    except OSError:
        return None
    return Owner(found.st_uid, found.st_gid)


def to_become(folder: Path) -> Owner | None:
    """Whom a process of root becomes before it touches the directory; None: nobody, since it is not root's, or root's own."""
    owner = of(folder) if os.geteuid() == 0 else None
    return owner if owner and owner.uid else None


def become(folder: Path) -> None:
    """Be the owner of the directory from now on, where this process is root and that is somebody else. For good."""
    os.umask(MASK)
    owner = to_become(folder)
    if owner is None:
        return
    try:
        os.initgroups(pwd.getpwuid(owner.uid).pw_name, owner.gid)
    except KeyError:
        os.setgroups([owner.gid])
    os.setgid(owner.gid)
    os.setuid(owner.uid)


def hand_over(folder: Path) -> None:
    """Give everything of root's in the directory to its owner; what is somebody else's stays.

    By descriptors of folders, so that no name leads out of it, whatever its owner puts there meanwhile; nor does a hard link.
    """
    owner = to_become(folder)
    if owner is None:
        return
    for _, folders, files, descriptor in os.fwalk(folder, follow_symlinks=False):
        for name in (*folders, *files):
            try:
                found = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
                if found.st_uid == 0 and (stat.S_ISDIR(found.st_mode) or found.st_nlink == 1):
                    os.chown(name, owner.uid, owner.gid, dir_fd=descriptor, follow_symlinks=False)
            except FileNotFoundError:
                pass  # it was of the moment


def touch(folder: Path, names: tuple[str, ...]) -> None:
    """Make those files, empty, as the directory's owner, where they are not there yet: so that root finds them made."""
    owner = to_become(folder)
    if owner is None:
        return
    for name in names:
        path = folder / name
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError:
            continue  # it is there, or what follows says why it cannot be
        os.fchown(descriptor, owner.uid, owner.gid)
        os.close(descriptor)


def tighten(data_dir: Path, *, proxy_reads: bool) -> None:
    """Close to others what is ours in a data directory that an earlier release, or a careless hand, left open.

    ``proxy_reads``: a proxy hands out the media by itself, so it may go on passing through to them.
    """
    _close(data_dir, 0o711 if proxy_reads else 0o710)
    for path in data_dir.iterdir():
        if not path.is_symlink() and path.is_dir():
            if not (proxy_reads and path.name == "media"):
                _close(path, 0o710)
        elif path.is_file() and not path.is_symlink():
            _close(path, 0o600)


def _close(path: Path, most: int) -> None:
    """Take from a file or folder of this process's user the modes that are not in ``most``."""
    try:
        found = path.stat()
        mode = stat.S_IMODE(found.st_mode)
        if found.st_uid == os.geteuid() and mode & ~most:
            path.chmod(mode & most)
    except FileNotFoundError:
        pass  # it was of the moment
