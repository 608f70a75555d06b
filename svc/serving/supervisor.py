"""Notifies systemd (``Type=notify``, ``WatchdogSec=``) that the service is ready, is alive and is
stopping.

The protocol is a datagram to the socket in ``NOTIFY_SOCKET`` (sd_notify(3)). The workers send it
rather than gunicorn's parent process, so the unit needs ``NotifyAccess=all``.
"""

import os
import socket

_VARIABLES = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID")
# The variables of systemd: the workers inherit them, the processes of the steps do not.
_variables: dict[str, str] = {}


def take_over_messages(_gunicorn) -> None:
    """Remove systemd's variables from the environment, where gunicorn would use them to send
    "ready" too early.
    """
    for name in _VARIABLES:
        if value := os.environ.pop(name, ""):
            _variables[name] = value


def report_ready(_gunicorn) -> None:
    """Tell systemd that a worker is ready."""
    send_state("READY=1\nSTATUS=Serving.")


def report_alive() -> None:
    """Tell systemd that a worker's loop is alive: about once a second,
    more often than any sensible ``WatchdogSec=``.
    """
    if "WATCHDOG_USEC" in _variables:
        send_state("WATCHDOG=1")


def report_stopping(_gunicorn) -> None:
    """Tell systemd that the service is stopping."""
    send_state("STOPPING=1\nSTATUS=Stopping.")


def send_state(state: str) -> None:
    """Send a state to systemd. Without systemd, or while systemd restarts itself, do nothing."""
    address = _variables.get("NOTIFY_SOCKET")
    if not address:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sending:
        try:
            sending.sendto(state.encode(), "\0" + address[1:] if address[0] == "@" else address)
        except OSError:
            pass
