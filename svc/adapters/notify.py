"""Notifies people of alerts through Apprise, in a child process,
so that its many services are not loaded by the server.
"""

import subprocess

from svc.base.processes.entry_points import Process
from svc.base.processes.module_process import run_module

SECONDS = 60


def notify(urls: tuple[str, ...], title: str, body: str) -> bool:
    """Send a message to all Apprise URLs and return whether all accepted it.

    The URLs contain secrets: they go by a pipe. OSError: this process can start no other one, as it
    may open no more files or has no memory; no address is to blame.
    """
    message = {"urls": urls, "title": title, "body": body}
    try:
        result = run_module(Process.NOTIFY, given=message, seconds=SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return result.returncode == 0
