"""The compilation of the package's modules in the background,
as child processes may not write the compiled files.
"""

import compileall
import threading
from pathlib import Path


def begin_compiling() -> None:
    """Begin to compile the modules that are not compiled yet; returns at once."""
    threading.Thread(target=_compile, name="compile", daemon=True).start()


def _compile() -> None:
    compileall.compile_dir(Path(__file__).parents[2], quiet=2)
