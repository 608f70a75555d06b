"""Removes the copies of the database that a killed shipping process left in the data directory."""

import fcntl
from pathlib import Path


def remove(data_dir: Path) -> None:
    """Remove the copies of earlier processes. The caller holds the lock ``shipping.lock``."""
    for folder in data_dir.glob("base-*.part"):
        remove_folder(folder)


def remove_if_idle(data_dir: Path) -> None:
    """As :func:`remove`, unless a shipping process is running,
    for a service that no longer starts one.
    """
    try:
        # The first shipping process created the file.
        with (data_dir / "shipping.lock").open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove(data_dir)
    except (FileNotFoundError, BlockingIOError):
        pass


def remove_folder(folder: Path) -> None:
    """Remove a copy: a folder of files."""
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
