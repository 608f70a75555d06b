"""Notifies people of alerts through Apprise, in a child process,
so that its many services are not loaded by the server.
"""

import json
import subprocess
import sys

from svc.base.processes import entry_points
from svc.base.processes.entry_points import Process

SECONDS = 60


def notify(urls: tuple[str, ...], title: str, body: str) -> bool:
    """Send a message to all Apprise URLs and return whether all accepted it.

    The URLs contain secrets: they go by a pipe.
    """
    message = json.dumps({"urls": urls, "title": title, "body": body})
    try:
        result = subprocess.run(
            [sys.executable, *entry_points.arguments(Process.NOTIFY)],
            input=message,
            text=True,
            cwd=entry_points.ROOT,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    return result.returncode == 0
