"""The service as gunicorn loads it, on a machine where names below ``slow.example`` take half a
minute to look up.
"""

import socket
import time

from app import serving_app

SECONDS = 30.0
_really = socket.getaddrinfo


def _getaddrinfo(host, *given, **named):
    if str(host).endswith(".slow.example"):
        time.sleep(SECONDS)
        raise socket.gaierror(socket.EAI_AGAIN, "no answer")
    if host == "quick.example":
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.215.14", 0))]
    return _really(host, *given, **named)


socket.getaddrinfo = _getaddrinfo
app = serving_app()
