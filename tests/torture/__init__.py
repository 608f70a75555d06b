"""Fault tests: the real server is killed at random moments under load,
and nothing that it acknowledged may be lost.
"""

import sys
from pathlib import Path

# where pytest finds the package `support`, for what runs without it
sys.path.insert(0, str(Path(__file__).parents[1]))
