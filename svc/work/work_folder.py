"""The folder in which the steps of one production work, and where a step that was taken over may have left anything."""

import shutil
import subprocess
from pathlib import Path


def remove(folder: Path) -> None:
    """Remove a folder with all that is in it, however deep; none there is fine."""
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except RecursionError:  # about a thousand folders within one another: rm follows them without recursion
        subprocess.run(["/bin/rm", "-r", "-f", "--", str(folder)], check=False, stderr=subprocess.DEVNULL)
