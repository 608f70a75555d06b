"""The client for SFTP servers: only at checked addresses, only with the pinned host key, with limits of time and size."""

import base64
import hashlib
import hmac
import io
import logging
import math
import socket
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import paramiko

from svc.adapters import addresses, connection
from svc.adapters.addresses import Allowed, Endpoint, Lookup
from svc.adapters.deadline import SLOWEST, Deadline, Stop

_SECONDS = 20.0  # from the lookup of the host to the open channel
_REQUEST_SECONDS = 60.0  # for a request and its whole answer; more for an upload
_BLOCK = 32 * 1024  # bytes: what every server takes in one request
_KEYS: tuple[type[paramiko.PKey], ...] = (paramiko.Ed25519Key, paramiko.ECDSAKey, paramiko.RSAKey)

logging.getLogger("paramiko").setLevel(logging.CRITICAL)  # failures of places are shown to their owners


class Refused(Exception):
    """The server, or its host key, refuses for good; the text says why."""


class Broken(Exception):
    """The connection failed, and may work later; the text says why."""


@dataclass(frozen=True)
class Login:
    """``private_key``: in PEM or OpenSSH form without a passphrase; empty: the password is used."""

    host: str
    port: int
    user: str
    password: str
    private_key: str


class Files:
    """Files of a server, below the folder ``root``. Errors are OSErrors."""

    def __init__(self, client: paramiko.SFTPClient, root: str, wire: socket.socket):
        self._client, self._root, self._wire = client, root, wire

    def size(self, name: str) -> int | None:
        """Return the size of a file; None: there is no such file."""
        try:
            with self._answer():
                found = self._client.stat(self._path(name))
        except FileNotFoundError:
            return None
        return found.st_size if found.st_mode is None or stat.S_ISREG(found.st_mode) else None

    def read(self, name: str, most: int) -> bytes | None:
        """Return at most ``most`` bytes; None: there is no such file."""
        try:
            with self._answer(), self._client.open(self._path(name), "rb") as file:
                content: bytes = file.read(most)
                return content
        except FileNotFoundError:
            return None

    def write(self, name: str, content: bytes) -> None:
        with self._answer(), self._client.open(self._path(name), "wb") as file:
            file.write(content)

    def append(self, name: str, file: Path, start: int, moved: Callable[[int], None]) -> None:
        """Send ``file`` from the offset ``start``, which is the length of what is there.

        The time that ``moved`` takes does not count, as it may hold the next bytes back.
        """
        with ExitStack() as upload:
            deadline = upload.enter_context(self._answer((file.stat().st_size - start) / SLOWEST))
            reading = upload.enter_context(file.open("rb"))
            writing = upload.enter_context(self._client.open(self._path(name), "ab" if start else "wb"))
            reading.seek(start)
            writing.set_pipelined(True)
            while block := reading.read(_BLOCK):
                writing.write(block)
                began = time.monotonic()
                moved(len(block))
                deadline.extend(time.monotonic() - began)

    def rename(self, old: str, new: str) -> None:
        """Give a file its name, in place of another one if there is one."""
        with self._answer():
            try:
                self._client.posix_rename(self._path(old), self._path(new))
            except OSError:  # a server without OpenSSH's extension
                self.remove(new)
                self._client.rename(self._path(old), self._path(new))

    def make_folder(self, name: str) -> None:
        """Make a folder if it is not there."""
        with self._answer(), suppress(OSError):  # if it is really not there, the next request says so
            self._client.mkdir(self._path(name))

    def remove(self, name: str) -> None:
        with suppress(FileNotFoundError), self._answer():
            self._client.remove(self._path(name))

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder, if it exists."""
        with suppress(FileNotFoundError), self._answer():
            self._client.rmdir(self._path(name))

    @contextmanager
    def _answer(self, more: float = 0.0) -> Iterator[Deadline]:
        """Give the deadline of the request in the block. ``more``: seconds, for a file that is sent. Stop: it was late."""
        with Deadline(_REQUEST_SECONDS + more) as deadline, _guarded(self._wire, deadline):
            yield deadline

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}" if self._root else name


@contextmanager
def opened(
    login: Login, root: str, pinned: str, allowed: Allowed, lookup: Lookup, deadline: Deadline
) -> Iterator[tuple[Files, str]]:
    """Give the files below ``root`` and the fingerprint of the host key, as ``ssh-keygen -l`` prints it.

    ``pinned``: the fingerprint that the server must have; empty: any, at the first connection. ``deadline``: of all that is
    done with the files. Refused, Broken; what the deadline was cut with.
    """
    with _named(), ExitStack() as session:
        greeting = Deadline(_SECONDS)
        wire = _connected(login.host, login.port, allowed, lookup, min(greeting.left(), deadline.left()))
        session.enter_context(_guarded(wire, deadline))
        transport = paramiko.Transport(wire)
        session.callback(_close, transport)
        # The library's own limits begin anew with each byte; only that of the key exchange is one for the whole.
        transport.banner_timeout = transport.auth_timeout = math.inf
        with greeting, _guarded(wire, greeting):
            transport.start_client()
            fingerprint = _checked(transport.get_remote_server_key(), pinned)
            _log_in(transport, login)
            client = paramiko.SFTPClient.from_transport(transport)
        if client is None:
            raise Refused("the server has no SFTP")
        if channel := client.get_channel():
            channel.settimeout(_REQUEST_SECONDS)
        yield Files(client, root, wire), fingerprint


def _close(transport: paramiko.Transport) -> None:
    transport.packetizer.complete_handshake()  # ends the library's timer, for which the process would wait
    transport.close()


@contextmanager
def _guarded(wire: socket.socket, deadline: Deadline) -> Iterator[None]:
    """Let the connection end at the deadline, and raise its reason in place of whatever the library makes of that."""
    with deadline.guarding(wire):
        try:
            yield
        except (paramiko.SSHException, EOFError, OSError, Broken, Stop):
            deadline.check()
            raise
        deadline.check()  # what went wrong may have been suppressed


@contextmanager
def _named() -> Iterator[None]:
    """Turn the library's errors into ours; OSErrors that name a file stay."""
    try:
        yield
    except Stop as ended:
        raise Broken(str(ended)) from None
    except paramiko.AuthenticationException:
        raise Refused("it does not accept the user with this password or key") from None
    except (FileNotFoundError, PermissionError):
        raise
    except (paramiko.SSHException, EOFError, OSError) as failed:
        late = isinstance(failed, TimeoutError)
        raise Broken("it does not answer in time" if late else "the connection broke off") from failed


def _connected(host: str, port: int, allowed: Allowed, lookup: Lookup, seconds: float) -> socket.socket:
    """Return a connection to a checked address. Broken: there is none, or none that may be reached."""
    exchange = connection.begin(seconds, seconds)
    endpoint = Endpoint("https", host, port, "")  # public addresses, and those that the operator allows
    try:
        found = addresses.addresses_of(endpoint, exchange.left(), lookup)
        if not found or not all(addresses.may_reach(endpoint, address, allowed) for address in found):
            raise Stop("the host does not resolve, or not to public addresses only")
        wire = connection.connect(found, port, exchange)
    except (Stop, addresses.NotResolved) as refused:
        raise Broken(str(refused)) from None
    except OSError:
        raise Broken("the connection was refused, or the host cannot be reached") from None
    return socket.socket(fileno=wire.detach())  # the library reads in a thread of its own


def _checked(key: paramiko.PKey, pinned: str) -> str:
    digest = base64.b64encode(hashlib.sha256(key.asbytes()).digest()).decode().rstrip("=")
    fingerprint = f"SHA256:{digest}"
    if pinned and not hmac.compare_digest(fingerprint, pinned):
        raise Refused(f"its host key is {fingerprint}, not the {pinned} of the first connection")
    return fingerprint


def _log_in(transport: paramiko.Transport, login: Login) -> None:
    if login.private_key:
        transport.auth_publickey(login.user, _private(login.private_key))
    else:
        transport.auth_password(login.user, login.password)


def _private(text: str) -> paramiko.PKey:
    for kind in _KEYS:
        with suppress(paramiko.SSHException, ValueError, IndexError):
            return kind.from_private_key(io.StringIO(text.replace("\r\n", "\n").strip() + "\n"))
    raise Refused("the private key cannot be read; give one of Ed25519, ECDSA or RSA without a passphrase")


def is_private_key(text: str) -> bool:
    """Return whether ``text`` is a private key that can be used."""
    try:
        return bool(_private(text))
    except Refused:
        return False
