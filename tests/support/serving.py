"""A server of the standard library in a thread of this process, which ends when it is told to."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import BaseServer


@contextmanager
def serving(server: BaseServer) -> Iterator[None]:
    """Let a server answer until the block ends.

    `serve_forever` looks whether it should end only now and then, which each test would wait for.
    """
    ending = threading.Event()

    def answer() -> None:
        while not ending.is_set():
            server.handle_request()

    thread = threading.Thread(target=answer)
    thread.start()
    try:
        yield
    finally:
        ending.set()
        socket.create_connection(server.server_address[:2]).close()  # the one that it waits for
        thread.join()
