"""Tells people of alerts, through Apprise in a process of its own: its hundred services never enter the serving process."""

import json
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).parents[2]
SECONDS = 60


def notify(urls: tuple[str, ...], title: str, body: str) -> bool:
    """Send a message to every Apprise address; whether all of them took it. The addresses hold secrets: they go by a pipe."""
    asked = json.dumps({"urls": urls, "title": title, "body": body})
    try:
        told = subprocess.run(
            [sys.executable, "-m", "svc.adapters.notify_process"],
            input=asked, text=True, cwd=_ROOT, capture_output=True, timeout=SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return False
    return told.returncode == 0
