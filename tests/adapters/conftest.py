"""Senders, a certificate authority that one of them trusts,
and answers that arrive piece by piece by a clock of their own.
"""

import socket
import ssl
import threading

import pytest
from support.receivers import LOOPBACK, PATIENCE, Authority, at, read_request

from svc.adapters.http import Sender


@pytest.fixture
def sender():
    made = Sender(LOOPBACK, seconds=PATIENCE, connect_seconds=PATIENCE, lookup=at("127.0.0.1"))
    yield made
    made.close()


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def tls_sender(authority):
    made = Sender(LOOPBACK, seconds=PATIENCE, lookup=at("127.0.0.1"), trusted=authority.file)
    yield made
    made.close()


class Pieces:
    """A monotonic clock on which every piece of an answer takes ``EACH`` seconds to arrive,
    and nothing else takes time.
    """

    EACH = 10.0
    MOST = 20

    def __init__(self):
        self.taken, self._taken = 0, threading.Semaphore(0)

    def __call__(self) -> float:
        return self.taken * self.EACH

    def take(self) -> None:
        self.taken += 1
        self._taken.release()

    def dripping(self, before: bytes, drop: bytes):
        """Sends ``before`` and then ``drop``, each when the sender has taken the one before, so
        that it takes them singly.

        After ``MOST`` pieces the receiver closes: a sender that does not look at the clock is told
        something else than that it is late.
        """

        def handle(connection, stopping):
            read_request(connection)
            for piece in [before, *self.MOST * [drop]]:
                if piece:
                    connection.sendall(piece)
                    while not self._taken.acquire(timeout=0.01):
                        if stopping.is_set():
                            return

        return handle


@pytest.fixture
def pieces(monkeypatch) -> Pieces:
    arriving = Pieces()

    def counted(receive):
        def recv_into(connection, *args):
            count = receive(connection, *args)
            if count:
                arriving.take()
            return count

        return recv_into

    # below the sender's own wires, which look at the clock before and afterwards
    for kind in (socket.socket, ssl.SSLSocket):
        monkeypatch.setattr(kind, "recv_into", counted(kind.recv_into))
    return arriving
