"""The work folder of a production, in which a compromised step may have left anything."""

import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from svc.base import outage
from svc.base.outage import Outage

_T = TypeVar("_T")

SCRIPT = "script.json"  # every step after the first reads it
# The file that is there while the steps are run again: they have to begin anew if the process ends
# meanwhile.
UNFINISHED = ".made-again"


def has_all_files(folder: Path) -> bool:
    """Return whether a work folder has what the steps left that were completed."""
    return (folder / SCRIPT).exists() and not (folder / UNFINISHED).exists()


def make_folder(folder: Path) -> None:
    """Make the folder, or make it accessible again if a step took the rights of its owner away.

    OSError: it cannot be made.
    """
    folder.mkdir(parents=True, exist_ok=True)
    status = folder.stat()
    if status.st_uid == os.geteuid() and status.st_mode & stat.S_IRWXU != stat.S_IRWXU:
        folder.chmod(stat.S_IRWXU)


def find_outage(failure: BaseException, folder: Path) -> Outage | None:
    """Return the outage that an exception is about; None: it is no outage, or what a step itself
    left in its folder.

    A step may leave links, and files without rights or in the place of folders, but none of another
    user.
    """
    recognised = outage.recognise(failure)
    path = outage.find_path(failure)
    return None if path is not None and _is_of_step(path, folder) else recognised


def _is_of_step(path: Path, folder: Path) -> bool:
    if not path.is_relative_to(folder) or path == folder:
        return False
    inside = [*reversed(path.relative_to(folder).parents), path.relative_to(folder)]
    for each in inside:
        try:
            if (folder / each).lstat().st_uid != os.geteuid():
                return False
        except OSError:
            break  # what is above it is a step's own
    return True


def guard_step_faults(folder: Path, call: Callable[..., _T]) -> Callable[..., _T]:
    """Return ``call`` with ValueError in place of what a step itself caused,
    which no waiting mends.
    """

    def run(*args: object) -> _T:
        try:
            return call(*args)
        except OSError as failure:
            if outage.recognise(failure) is None or find_outage(failure, folder) is not None:
                raise
            text = str(failure)
        raise ValueError(text)

    return run


def is_of_another(folder: Path) -> bool:
    """Return whether something in the folder belongs to another user, such as root,
    so that no step can change it.
    """
    us = os.geteuid()
    for parent, folders, files in os.walk(folder):
        for name in ("", *folders, *files):
            try:
                path = Path(parent, name)
                if path.lstat().st_uid != us and not os.access(path, os.R_OK | os.W_OK):
                    return True
            except OSError:
                pass  # it has been removed
    return False


def remove_folder(folder: Path) -> None:
    """Remove a folder with its contents at any depth; a missing folder is ignored."""
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except RecursionError:  # about a thousand nested folders: rm handles them without recursion
        subprocess.run(
            ["/bin/rm", "-r", "-f", "--", str(folder)], check=False, stderr=subprocess.DEVNULL
        )
