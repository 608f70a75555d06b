"""Receivers of webhooks on the loopback interface: well-behaved ones,
and hostile ones at the level of the socket.
"""

import gc
import ipaddress
import socket
import ssl
import threading
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

PATIENCE = 60.0  # seconds: a guard against hanging, which no test waits for
LOOPBACK = [ipaddress.ip_network("127.0.0.0/8")]
HEAD = b"HTTP/1.1 200 OK\r\n"
OK = HEAD + b"Content-Length: 0\r\n\r\n"


def at(*found):
    """A resolver that always answers with these addresses."""
    return lambda host, seconds: list(found)


def standing() -> float:
    """A monotonic clock that stands still: only an operation that waits in vain is late,
    by the timeout of its socket.
    """
    return 0.0


def post(sender, receiver, **url):
    """Send a small delivery to a receiver. ``url``: its path and host."""
    return sender.post(receiver.url(**url), b'{"n":1}', {"Content-Type": "application/json"})


def read_request(connection: socket.socket) -> tuple[dict[str, str], bytes] | None:
    """The headers, in lower case, and the body of one request; None when the sender has closed."""
    received = b""
    while b"\r\n\r\n" not in received:
        piece = connection.recv(65536)
        if not piece:
            return None
        received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = {
        name.lower(): value.strip()
        for name, _, value in (line.partition(":") for line in lines[1:])
    }
    headers["request"] = lines[0]
    while len(body) < int(headers.get("content-length", 0)):
        piece = connection.recv(65536)
        if not piece:
            return None
        body += piece
    return headers, body


def descriptors() -> set[tuple[str, str]]:
    """The files and sockets that this process has open: their numbers, and what they are of; none
    where that cannot be seen."""
    folder = Path("/proc/self/fd")
    opened = set()
    for number in folder.iterdir() if folder.is_dir() else ():
        with suppress(FileNotFoundError):  # the folder itself, while it is read
            opened.add((number.name, str(number.readlink())))
    return opened


@contextmanager
def nothing_left_over():
    """Fails when the block has left a thread, a socket or a descriptor behind.

    What an earlier test has left may end within the block.
    """
    gc.collect()  # what other tests have left
    threads, files = set(threading.enumerate()), descriptors()
    yield
    assert set(threading.enumerate()) <= threads
    assert descriptors() <= files


class Receiver:
    """A listening socket; ``handle(connection, stopping)`` has each connection in a thread
    of its own.

    ``one_at_a_time``: what arrived on a connection that was broken off is known before the next
    one is accepted.
    """

    def __init__(self, handle, tls: ssl.SSLContext | None = None, one_at_a_time: bool = False):
        self._handle, self._tls, self._one_at_a_time = handle, tls, one_at_a_time
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.connections = 0
        self.stopping = threading.Event()
        self._open: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def url(self, path: str = "/hook", host: str = "127.0.0.1") -> str:
        return f"{'https' if self._tls else 'http'}://{host}:{self.port}{path}"

    def _accept(self) -> None:
        while not self.stopping.is_set():
            connection, _ = self._socket.accept()
            if self.stopping.is_set():
                connection.close()
                return
            self.connections += 1
            self._open.append(connection)
            thread = threading.Thread(target=self._serve, args=(connection,))
            self._threads.append(thread)
            thread.start()
            if self._one_at_a_time:
                thread.join()

    def _serve(self, connection: socket.socket) -> None:
        connection.settimeout(PATIENCE)
        try:
            with (
                connection
                if self._tls is None
                else self._tls.wrap_socket(connection, server_side=True) as wire
            ):
                self._open.append(wire)
                self._handle(wire, self.stopping)
        except OSError:
            pass  # the sender has had enough
        finally:
            connection.close()

    def close(self) -> None:
        self.stopping.set()
        socket.create_connection(("127.0.0.1", self.port)).close()
        self._threads[0].join(PATIENCE)
        for each in self._open:
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # closed before, or now another's by way of TLS
        for thread in self._threads:
            thread.join(PATIENCE)
        self._socket.close()


@contextmanager
def receiving(handle, tls: ssl.SSLContext | None = None, one_at_a_time: bool = False):
    receiver = Receiver(handle, tls, one_at_a_time)
    try:
        yield receiver
    finally:
        receiver.close()


def answering(answer: bytes = OK, got: list | None = None):
    """Answers every request of a connection in the same way."""

    def handle(connection, stopping):
        while request := read_request(connection):
            if got is not None:
                got.append(request)
            connection.sendall(answer)

    return handle


def dripping(before: bytes, drop: bytes):
    """Sends ``before`` at once and then ``drop`` again and again,
    far more often than any socket's timeout.
    """

    def handle(connection, stopping):
        read_request(connection)
        connection.sendall(before)
        while not stopping.wait(0.01):
            connection.sendall(drop)

    return handle


def closing(before: bytes, reset: bool = False):
    """Sends ``before`` and closes, or resets."""

    def handle(connection, stopping):
        read_request(connection)
        connection.sendall(before)
        if reset:
            reset_at_close(connection)

    return handle


def silent(connection, stopping):
    """Reads the request and never answers."""
    read_request(connection)
    stopping.wait(PATIENCE)


def half_closing(before: bytes):
    """Sends ``before``, says that nothing more will come, and listens on."""

    def handle(connection, stopping):
        read_request(connection)
        connection.sendall(before)
        connection.shutdown(socket.SHUT_WR)
        stopping.wait(PATIENCE)

    return handle


def hasty(before: bytes, reset: bool = False):
    """Does not read the request: sends ``before`` at once, then closes or resets."""

    def handle(connection, stopping):
        connection.sendall(before)
        if reset:
            reset_at_close(connection)

    return handle


def deaf(connection, stopping):
    """Never reads and never answers."""
    stopping.wait(PATIENCE)


def reset_at_close(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")


class Authority:
    """A certificate authority for tests, and server contexts with certificates that
    it has issued.
    """

    def __init__(self, folder: Path):
        from cryptography import x509
        from cryptography.hazmat.primitives.asymmetric import ec

        self._x509, self._folder = x509, folder
        self.expires_at = 0  # in milliseconds; of the certificate that was issued last
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._new_key = lambda: ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test authority")])
        self.file = folder / "authority.pem"
        self.file.write_bytes(_pem(self._issue(self._name, self._key.public_key(), None, 1)))

    def context(self, host: str, days: int = 1) -> ssl.SSLContext:
        """A server's context with a certificate for ``host``;
        with ``days`` negative it has expired.
        """
        from cryptography.hazmat.primitives import serialization as form

        key = self._new_key()
        name = self._x509.Name([self._x509.NameAttribute(self._x509.NameOID.COMMON_NAME, host)])
        certificate = self._issue(name, key.public_key(), host, days)
        file = self._folder / f"{host}{days}.pem"
        private = key.private_bytes(
            form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption()
        )
        file.write_bytes(private + _pem(certificate))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context

    def _issue(self, name, public_key, host: str | None, days: int):
        from cryptography.hazmat.primitives import hashes

        x509, now = self._x509, datetime.now(UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(public_key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=9))
            .not_valid_after(now + timedelta(days=days))
            .add_extension(x509.BasicConstraints(ca=host is None, path_length=None), critical=True)
        )
        if host:
            builder = builder.add_extension(
                x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False
            )
        certificate = builder.sign(self._key, hashes.SHA256())
        self.expires_at = int(certificate.not_valid_after_utc.timestamp()) * 1000
        return certificate


def _pem(certificate) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding

    return certificate.public_bytes(Encoding.PEM)
