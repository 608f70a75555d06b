"""What systemd is told of the service (``Type=notify``, ``WatchdogSec=``): that it answers, that it still does, that it ends.

The protocol is a datagram to the socket that ``NOTIFY_SOCKET`` names (sd_notify(3)). Any of our processes may send it, so the
unit needs ``NotifyAccess=all``: what is worth knowing happens in the workers, and gunicorn's parent only watches them.
"""

import os
import socket

_VARIABLES = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID")
_told: dict[str, str] = {}  # what systemd gave us; the workers inherit it, the children of the steps do not


def take_over(_gunicorn) -> None:
    """Keep what systemd gave us out of the environment, where gunicorn would say "ready" before anybody answers."""
    for name in _VARIABLES:
        if value := os.environ.pop(name, ""):
            _told[name] = value


def ready(_gunicorn) -> None:
    """A worker answers from now on."""
    tell("READY=1\nSTATUS=Serving.")


def alive() -> None:
    """The loop of a worker goes round. Workers say so about once a second, oftener than any sensible ``WatchdogSec=``."""
    if "WATCHDOG_USEC" in _told:
        tell("WATCHDOG=1")


def stopping(_gunicorn) -> None:
    """The service has been told to end, or ends by itself."""
    tell("STOPPING=1\nSTATUS=Stopping.")


def tell(state: str) -> None:
    """Send a state; without systemd nobody hears, and a systemd that is restarting itself is no reason to fail."""
    address = _told.get("NOTIFY_SOCKET")
    if not address:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sending:
        try:
            sending.sendto(state.encode(), "\0" + address[1:] if address[0] == "@" else address)
        except OSError:
            pass
