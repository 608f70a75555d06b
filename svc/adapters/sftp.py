"""The client for SFTP servers: only at checked addresses, only with the pinned host key,
with limits of time and size.
"""

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
from svc.base import outage

_SECONDS = 20.0  # from the lookup of the host to the open channel
_REQUEST_SECONDS = 60.0  # for a request and its whole answer; more for an upload
_LONGEST_ANSWER = 300  # characters of a server's own words
_OF_THE_LIBRARY = ("Socket is closed", "File is closed")  # errors that look like a server's words
_BLOCK = 32 * 1024  # bytes: what every server takes in one request
# The signature algorithms that are asked for to get a host key of the type ssh-rsa.
_RSA = ("rsa-sha2-512", "rsa-sha2-256", "ssh-rsa")
_HOST_KEYS = (
    "ssh-ed25519",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "ssh-rsa",
)
_KEYS: tuple[type[paramiko.PKey], ...] = (paramiko.Ed25519Key, paramiko.ECDSAKey, paramiko.RSAKey)

# Failures of places are shown to their owners, so the library need not log them.
logging.getLogger("paramiko").setLevel(logging.CRITICAL)


class Refused(Exception):
    """The server refuses, or has another host key. Trying again is useless; the text says why."""


class Broken(Exception):
    """The connection failed. It may work later; the text says why."""


class Unable(Exception):
    """The server could not do something that may work later; the text is its message."""


class NotRenamed(Exception):
    """The user may not rename files there."""


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

    def find_file_size(self, name: str) -> int | None:
        """Return the size of a file; None: there is no such file."""
        try:
            with self._answer():
                attributes = self._client.stat(self._make_path(name))
        except FileNotFoundError:
            return None
        return (
            attributes.st_size
            if attributes.st_mode is None or stat.S_ISREG(attributes.st_mode)
            else None
        )

    def read(self, name: str, most: int) -> bytes | None:
        """Return at most ``most`` bytes; None: there is no such file."""
        try:
            with self._answer(), self._client.open(self._make_path(name), "rb") as file:
                content: bytes = file.read(most)
                return content
        except FileNotFoundError:
            return None

    def write(self, name: str, content: bytes) -> None:
        with self._answer(), self._client.open(self._make_path(name), "wb") as file:
            file.write(content)

    def append(self, name: str, file: Path, start: int, on_sent: Callable[[int], None]) -> None:
        """Send ``file`` from the offset ``start``, the length that the remote file has.

        The time that ``on_sent`` takes does not count, as it may hold the next bytes back.
        """
        with ExitStack() as upload:
            deadline = upload.enter_context(self._answer((file.stat().st_size - start) / SLOWEST))
            local_file = upload.enter_context(file.open("rb"))
            remote_file = upload.enter_context(
                self._client.open(self._make_path(name), "ab" if start else "wb")
            )
            local_file.seek(start)
            remote_file.set_pipelined(True)
            while block := local_file.read(_BLOCK):
                remote_file.write(block)
                began = time.monotonic()
                on_sent(len(block))
                deadline.extend(time.monotonic() - began)

    def rename(self, old: str, new: str) -> None:
        """Give a file its name, in place of another one if there is one.

        NotRenamed: the user may not.
        """
        with self._answer():
            try:
                self._client.posix_rename(self._make_path(old), self._make_path(new))
            except PermissionError:
                raise NotRenamed from None
            except OSError:  # a server without OpenSSH's extension
                self._rename_without_it(old, new)

    def _rename_without_it(self, old: str, new: str) -> None:
        self.remove(new)
        try:
            self._client.rename(self._make_path(old), self._make_path(new))
        except PermissionError:
            raise NotRenamed from None

    def make_folder(self, name: str) -> None:
        """Make a folder if it is not there."""
        # If the folder is really not there, the next request says so.
        with self._answer(), suppress(OSError):
            self._client.mkdir(self._make_path(name))

    def remove(self, name: str) -> None:
        with suppress(FileNotFoundError), self._answer():
            self._client.remove(self._make_path(name))

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder, if it exists."""
        with suppress(FileNotFoundError), self._answer():
            self._client.rmdir(self._make_path(name))

    @contextmanager
    def _answer(self, more: float = 0.0) -> Iterator[Deadline]:
        """Give the deadline of the request in the block.

        ``more``: seconds, for a file that is sent. Stop: it was late.
        """
        with Deadline(_REQUEST_SECONDS + more) as deadline, _enforce_deadline(self._wire, deadline):
            yield deadline

    def _make_path(self, name: str) -> str:
        return f"{self._root}/{name}" if self._root else name


@contextmanager
def open_files(
    login: Login, root: str, pinned: str, allowed: Allowed, lookup: Lookup, deadline: Deadline
) -> Iterator[tuple[Files, str]]:
    """Give the files below ``root`` and the host key: its fingerprint, as ``ssh-keygen -l`` prints
    it, and its type.

    ``pinned``: the host key that the server must have, from an earlier release without its type;
    empty: any, at the first connection. ``deadline``: of all that is done with the files. Refused,
    Broken; the reason for which the deadline was aborted.
    """
    with _translate_errors(), ExitStack() as session:
        with Deadline(_SECONDS) as greeting:
            wire, transport, host_key = _greet(
                login, pinned, allowed, lookup, (greeting, deadline), session
            )
            with _enforce_deadline(wire, greeting):
                _log_in(transport, login)
                client = paramiko.SFTPClient.from_transport(transport)
        if client is None:
            raise Refused("the server has no SFTP")
        if channel := client.get_channel():
            channel.settimeout(_REQUEST_SECONDS)
        yield Files(client, root, wire), host_key


def _greet(
    login: Login,
    pinned: str,
    allowed: Allowed,
    lookup: Lookup,
    ends: tuple[Deadline, Deadline],
    session: ExitStack,
) -> tuple[socket.socket, paramiko.Transport, str]:
    """Return a connection to a server that has proved to have the pinned host key. ``ends``: of the
    greeting, and of all.

    A server has keys of several types, and gives one of a type that it is asked for. Where the type
    of the pinned one is not known, it is asked for each. Refused: it does not have that key.
    """
    greeting, deadline = ends
    fingerprint, _, key_type = pinned.partition(" ")
    first_fingerprint = ""
    for key_types in _list_key_types(key_type, bool(pinned)):
        with ExitStack() as attempt:
            wire = _connect(
                login.host,
                login.port,
                allowed,
                lookup,
                min(greeting.remaining_seconds(), deadline.remaining_seconds()),
            )
            attempt.enter_context(_enforce_deadline(wire, deadline))
            transport = paramiko.Transport(wire)
            attempt.callback(_close, transport)
            # The library's own limits begin anew with each byte; only that of the key exchange is
            # one for the whole.
            transport.banner_timeout = transport.auth_timeout = math.inf
            options = transport.get_security_options()
            options.key_types = tuple(name for name in key_types if name in options.key_types)
            with _enforce_deadline(wire, greeting):
                try:
                    transport.start_client()
                except paramiko.ssh_exception.IncompatiblePeer:
                    if not first_fingerprint:
                        raise
                    continue  # it has no key of this type
            key = transport.get_remote_server_key()
            actual = _compute_fingerprint(key)
            if not pinned or hmac.compare_digest(actual, fingerprint):
                session.push(attempt.pop_all())
                return wire, transport, f"{actual} {key.get_name()}"
            first_fingerprint = first_fingerprint or actual
    raise Refused(
        f"its host key is {first_fingerprint}, not the {fingerprint} of the first connection"
    )


def _list_key_types(pinned_type: str, is_pinned: bool) -> Iterator[tuple[str, ...]]:
    """Give the names of types of host keys to ask for, best first,
    one connection after the other.
    """
    yield tuple(
        name
        for each in sorted(_HOST_KEYS, key=lambda each: each != pinned_type)
        for name in _list_names_of(each)
    )
    if is_pinned and not pinned_type:
        for each in _HOST_KEYS:
            yield _list_names_of(each)


def _list_names_of(key_type: str) -> tuple[str, ...]:
    return _RSA if key_type == "ssh-rsa" else (key_type,)


def _close(transport: paramiko.Transport) -> None:
    # ends the library's timer, for which the process would wait
    transport.packetizer.complete_handshake()
    transport.close()


@contextmanager
def _enforce_deadline(wire: socket.socket, deadline: Deadline) -> Iterator[None]:
    """End the connection at the deadline, and raise the deadline's reason in place of the library's
    error.
    """
    with deadline.guard(wire):
        try:
            yield
        except (paramiko.SSHException, EOFError, OSError, Broken, Stop):
            deadline.check()
            raise
        deadline.check()  # what went wrong may have been suppressed


@contextmanager
def _translate_errors() -> Iterator[None]:
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
        if outage.is_resource_exhaustion(failed):
            raise  # the place is not to blame
        is_late = isinstance(failed, TimeoutError)
        if answer := _find_answer(failed):
            raise Unable(answer) from failed
        raise Broken(
            "it does not answer in time" if is_late else "the connection broke off"
        ) from failed


def _connect(
    host: str, port: int, allowed: Allowed, lookup: Lookup, seconds: float
) -> socket.socket:
    """Return a connection to a checked address.

    Broken: there is none, or none that may be reached.
    """
    exchange = connection.begin_exchange(seconds, seconds)
    # public addresses, and those that the operator allows
    endpoint = Endpoint("https", host, port, "")
    try:
        candidates = addresses.find_addresses(endpoint, exchange.remaining_seconds(), lookup)
        if not candidates or not all(
            addresses.may_reach(endpoint, address, allowed) for address in candidates
        ):
            raise Stop("the host does not resolve, or not to public addresses only")
        wire = connection.connect_to_first(candidates, port, exchange)
    except (Stop, addresses.NotResolved) as refused:
        raise Broken(str(refused)) from None
    except OSError as failed:
        if outage.is_resource_exhaustion(failed):
            raise
        raise Broken("the connection was refused, or the host cannot be reached") from None
    return socket.socket(fileno=wire.detach())  # the library reads in a thread of its own


def _find_answer(failure: Exception) -> str:
    """Return the server's own words about a request, such as that its disk is full; empty if the
    connection failed.
    """
    text = (
        str(failure.args[0])
        if type(failure) is OSError and len(failure.args) == 1 and not failure.errno
        else ""
    )
    answer = "".join(sign for sign in " ".join(text.split()) if sign.isprintable())[
        :_LONGEST_ANSWER
    ]
    return "" if answer in _OF_THE_LIBRARY else answer


def _compute_fingerprint(key: paramiko.PKey) -> str:
    return "SHA256:" + base64.b64encode(hashlib.sha256(key.asbytes()).digest()).decode().rstrip("=")


def _log_in(transport: paramiko.Transport, login: Login) -> None:
    if login.private_key:
        transport.auth_publickey(login.user, _parse_private_key(login.private_key))
    else:
        transport.auth_password(login.user, login.password)


def _parse_private_key(text: str) -> paramiko.PKey:
    for key_class in _KEYS:
        with suppress(paramiko.SSHException, ValueError, IndexError):
            return key_class.from_private_key(
                io.StringIO(text.replace("\r\n", "\n").strip() + "\n")
            )
    raise Refused(
        "the private key cannot be read; give one of Ed25519, ECDSA or RSA without a passphrase"
    )


def is_private_key(text: str) -> bool:
    """Return whether ``text`` is a private key that can be used."""
    try:
        return bool(_parse_private_key(text))
    except Refused:
        return False
