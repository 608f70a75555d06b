"""Serves the bare application as ``python app.py serve`` serves ours: by the very same command,
so with the same settings.
"""

import sys

from svc.cli import commands
from tests.bench.bare import app

if __name__ == "__main__":
    commands.main(args=["serve", *sys.argv[1:]], obj=lambda: app)
