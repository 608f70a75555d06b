"""The data directory, for what needs no other setting and is to load nothing else."""

import os
from pathlib import Path

DEFAULT_DATA_DIR = Path("data")  # in the working directory


def find_data_dir() -> Path:
    """Return the data directory, also where other settings are wrong."""
    return Path(os.environ.get("SVC_DATA_DIR") or DEFAULT_DATA_DIR)
