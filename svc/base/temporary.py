"""The folder for temporary files: one that this user may use,
and the data directory's own where the machine has none.
"""

import os
import tempfile
from pathlib import Path

# The variables that tempfile and the programs that are started here read.
_VARIABLES = ("TMPDIR", "TEMP", "TMP")
NAME = "tmp"  # in the data directory


def forget_folder_of_others() -> None:
    """Forget what another user, such as root before the change of user, has for temporary files,
    unless this one may use it.
    """
    for name in _VARIABLES:
        if (folder := os.environ.get(name)) and not os.access(folder, os.W_OK | os.X_OK):
            del os.environ[name]
    tempfile.tempdir = None  # it was looked for as the other user


def ensure_folder(data_dir: Path) -> None:
    """Let temporary files go into the data directory if the machine has no folder for them.

    OSError: nor can they there.
    """
    try:
        tempfile.gettempdir()
    except FileNotFoundError:
        folder = data_dir / NAME
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # the processes that root starts become the owner of the data directory
        if os.geteuid() == 0:
            folder_stat = data_dir.stat()
            os.chown(folder, folder_stat.st_uid, folder_stat.st_gid)
        os.environ[_VARIABLES[0]] = tempfile.tempdir = str(folder)
