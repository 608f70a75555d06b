"""The work folder of a production, in which a compromised step may have left anything."""

import shutil
import subprocess
from pathlib import Path


def remove(folder: Path) -> None:
    """Remove a folder with its contents at any depth; a missing folder is ignored."""
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except RecursionError:  # about a thousand nested folders: rm handles them without recursion
        subprocess.run(["/bin/rm", "-r", "-f", "--", str(folder)], check=False, stderr=subprocess.DEVNULL)
