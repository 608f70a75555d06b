"""SFTP servers that never come to an end: each drips bytes at another stage,
so that no timeout of a single read ends it.
"""

import contextlib
import threading

import paramiko
from paramiko import SFTP_OK, SFTPAttributes, SFTPHandle, SFTPServer, SFTPServerInterface

_KEY = paramiko.ECDSAKey.generate()
_DROP_SECONDS = 0.005


def _drip(connection, stopping, drop: bytes) -> None:
    while not stopping.wait(_DROP_SECONDS):
        connection.sendall(drop)


def banner(connection, stopping):
    """Sends its first line byte by byte, without an end."""
    _drip(connection, stopping, b"S")


def key_exchange(connection, stopping):
    """Says who it is, and sends a first packet that never ends."""
    connection.sendall(b"SSH-2.0-slow\r\n\x00\x00\x7f\xfc\x04\x14")
    _drip(connection, stopping, b"\x00")


class _Door(paramiko.ServerInterface):
    """Lets one user in. ``opens``: whether it answers the request for SFTP."""

    def __init__(self, opens: bool, reached: threading.Event, stopping: threading.Event):
        self._opens, self._reached, self._stopping = opens, reached, stopping

    def check_auth_password(self, username, password):
        return (
            paramiko.AUTH_SUCCESSFUL
            if (username, password) == ("ada", "kettle")
            else paramiko.AUTH_FAILED
        )

    def check_channel_request(self, kind, chanid):
        return paramiko.OPEN_SUCCEEDED

    def check_channel_subsystem_request(self, channel, name):
        self._reached.set()
        if self._opens:
            return super().check_channel_subsystem_request(channel, name)
        while channel.transport.is_active() and not self._stopping.wait(_DROP_SECONDS):
            with contextlib.suppress(Exception):
                channel.transport.send_ignore()
        return False


class _Dripping(paramiko.SubsystemHandler):
    """Answers the first message of SFTP, and each other one with a packet of which one byte comes
    at a time.
    """

    def __init__(self, channel, name, server, stopping: threading.Event):
        super().__init__(channel, name, server)
        self._stopping = stopping

    def start_subsystem(self, name, transport, channel):
        channel.recv(1024)
        channel.sendall(b"\x00\x00\x00\x05\x02\x00\x00\x00\x03")
        channel.recv(1)
        channel.sendall(b"\x00\x00\x7f\xff")
        with contextlib.suppress(OSError):
            while not self._stopping.wait(_DROP_SECONDS):
                channel.sendall(b"\x00")


class _Disk(SFTPServerInterface):
    """Has nothing, takes everything, and never says that it has written it."""

    def __init__(self, server, stopping: threading.Event):
        super().__init__(server)
        self._stopping = stopping

    def stat(self, path):
        return paramiko.SFTP_NO_SUCH_FILE

    def mkdir(self, path, attr):
        return SFTP_OK

    def open(self, path, flags, attr):
        if not flags & 1:  # to read
            return paramiko.SFTP_NO_SUCH_FILE
        handle = SFTPHandle(flags)
        handle.stat = lambda: SFTPAttributes()
        handle.write = lambda offset, content: (self._stopping.wait(60), SFTP_OK)[1]
        return handle


class Serving:
    """A server that negotiates as it should. ``subsystem``: what serves SFTP; empty: nothing
    answers the request for it.

    ``reached``: set when it was asked for SFTP.
    """

    def __init__(self, *subsystem):
        self._subsystem, self.reached = subsystem, threading.Event()

    def __call__(self, connection, stopping):
        transport = paramiko.Transport(connection)
        transport.add_server_key(_KEY)
        if self._subsystem:
            transport.set_subsystem_handler("sftp", *self._subsystem, stopping)
        with contextlib.suppress(paramiko.SSHException, EOFError):  # the client has had enough
            transport.start_server(server=_Door(bool(self._subsystem), self.reached, stopping))
            while transport.is_active() and not stopping.wait(_DROP_SECONDS):
                transport.send_ignore()  # as a keepalive: bytes arrive all the time
        transport.close()


def login() -> Serving:
    """Lets the user in, and never answers the request for SFTP."""
    return Serving()


def listing() -> Serving:
    """Opens SFTP, and drips its answer to the first request."""
    return Serving(_Dripping)


def writing() -> Serving:
    """Answers everything but what is written."""
    return Serving(SFTPServer, _Disk)
