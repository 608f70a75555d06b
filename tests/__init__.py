"""The tests, as a package of its own: some wheels install a package `tests`,
which would stand before a folder without this.
"""

import os
import sys

# Also where images for containers switch it off: the processes of xdist, and those that tests
# start, import the same modules.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Each process of xdist has a core to itself; idle threads of numpy's BLAS would wait actively for
# work.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
