"""The server of these tests closes what nobody reads any more."""

import socket
import struct
import threading

from tests.support.own_server import served


class Answer:
    """Bytes whose end comes when their reader has gone."""

    def __init__(self):
        self.closed, self.reset = threading.Event(), threading.Event()

    def __iter__(self):
        yield b"begun"
        self.reset.wait(20)

    def close(self):
        self.closed.set()


def test_an_answer_is_closed_when_its_reader_resets_the_connection():
    answer, read = Answer(), b""

    def app(_, start_response):
        start_response("200 OK", [("Content-Length", "5")])
        return answer

    with served(app) as port:
        with socket.create_connection(("127.0.0.1", port)) as reader:
            reader.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            while not read.endswith(b"begun"):
                read += reader.recv(1024)
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        answer.reset.set()
        assert answer.closed.wait(20)
