"""Tells people of alerts, through Apprise in a process of its own: its hundred services never enter the serving process."""

import json
import subprocess
import sys

from svc.base.processes import entry_points
from svc.base.processes.entry_points import Process

SECONDS = 60


def notify(urls: tuple[str, ...], title: str, body: str) -> bool:
    """Send a message to every Apprise address; whether all of them took it. The addresses hold secrets: they go by a pipe."""
    asked = json.dumps({"urls": urls, "title": title, "body": body})
    try:
        told = subprocess.run(
            [sys.executable, *entry_points.arguments(Process.NOTIFY)],
            input=asked, text=True, cwd=entry_points.ROOT, capture_output=True, timeout=SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return False
    return told.returncode == 0
