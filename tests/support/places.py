"""Counterparts of the places to which accounts are connected: servers that we did not write,
and a relay that verifies.
"""

import base64
import contextlib
import getpass
import hashlib
import io
import json
import math
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import requests
import standardwebhooks
from PIL import Image
from support.receivers import LOOPBACK
from support.serving import serving

from svc.adapters import addresses
from svc.adapters.deadline import Deadline
from svc.adapters.transfers import Transfers
from svc.base.connectors import Connection
from svc.platforms import PLACES
from svc.platforms.connected import ConnectedPost, PostFile, Tools
from tests.torture.victim import free_port

NOON = 1_795_262_400_000  # 2026-11-21T12:00:00Z
PATIENCE = 60.0
SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()


@dataclass
class Counterpart:
    """A running place: the values by which it is reached, and a way to see what it has."""

    connector: str
    values: dict[str, str]
    fetch: Callable[[str], bytes | None]  # path below the connection's folder

    def connection(self, **changes: str) -> Connection:
        described = PLACES[self.connector].description
        defaults = {each.name: each.default for each in described.fields}
        return Connection(
            "c",
            "a",
            "p",
            self.connector,
            self.connector,
            "landscape",
            "{title}",
            "{summary}",
            {**defaults, **self.values, **changes},
        )


@dataclass
class MemoryUploadState:
    """An upload state in memory. ``fails_at``: the bytes after which the process is gone."""

    key: str = "key-1"
    session: dict = field(default_factory=dict)
    sent: int = 0
    saves: int = 0
    fails_at: float = float("inf")
    begun_anew: bool = False
    there: int = 0  # bytes of earlier attempts

    def save(self, session: dict) -> None:
        self.session, self.saves = json.loads(json.dumps(session)), self.saves + 1

    def count_sent_before(self, number: int) -> None:
        self.there += number

    def count_sent(self, number: int) -> None:
        self.sent += number
        if self.sent > self.fails_at:
            raise Crash


class Crash(Exception):
    """The process is gone."""


def tools(within: float = math.inf, monotonic: Callable[[], float] = time.monotonic) -> Tools:
    transfers = Transfers(LOOPBACK, deadline=Deadline(within, monotonic), monotonic=monotonic)
    return Tools(transfers, LOOPBACK, addresses.look_up, lambda: NOON)


_MP4 = b"\x00\x00\x00\x20ftypisom\x00\x00\x02\x00isomiso2avc1mp41"  # by which places know a video


def _jpeg() -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (64, 36), "teal").save(made, "JPEG")
    return made.getvalue()


def post_of(folder: Path, big: int = 3_000_000, **changes) -> ConnectedPost:
    """A post with a video of ``big`` bytes, captions, a transcript and a poster."""
    contents = {
        "video.mp4": ("Video", (_MP4 + bytes(range(256)) * (big // 256))[: big // 256 * 256]),
        "captions.vtt": ("ClosedCaptions", b"WEBVTT\n\n"),
        "transcript.txt": ("Transcript", "Tee für alle\n".encode()),
        "poster.jpg": ("Poster", _jpeg()),
    }
    files = []
    for name, (kind, content) in contents.items():
        path = folder / name
        path.write_bytes(content)
        digest = "" if kind == "Poster" else hashlib.sha256(content).hexdigest()
        link = "" if kind == "Poster" else f"http://localhost/files/{name}"
        files.append(
            PostFile(
                name,
                kind,
                "de",
                len(content),
                digest,
                lambda path=path: nullcontext(path),
                link,
                "later",
            )
        )
    texts = {
        "title": "Tee & Öl: wie geht's?",
        "text": "Alles über Tee.",
        "language": "de",
        "hashtags": ("tee",),
    }
    return ConnectedPost(
        "0193-id",
        "account",
        **{**texts, "duration_seconds": 20.0, "files": tuple(files), **changes},
    )


def with_spanish(post: ConnectedPost) -> ConnectedPost:
    """The post with captions in Spanish, too, after its other files."""
    content = b"WEBVTT\n\nHola\n"

    @contextlib.contextmanager
    def fetched() -> Iterator[Path]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "captions.es.vtt")
            path.write_bytes(content)
            yield path

    digest = hashlib.sha256(content).hexdigest()
    spanish = PostFile(
        "captions.es.vtt",
        "ClosedCaptions",
        "es",
        len(content),
        digest,
        fetched,
        "http://localhost/files/es",
        "later",
    )
    return replace(post, files=(*post.files, spanish))


@contextlib.contextmanager
def webdav(folder: Path) -> Iterator[Counterpart]:
    """Debian's nginx with its dav module, and a user with a password."""
    port, root = free_port(), folder / "root"
    (root / "videos").mkdir(parents=True)
    hashed = base64.b64encode(hashlib.sha1(b"kettle").digest()).decode()
    (folder / "users").write_text(f"ada:{{SHA}}{hashed}\n")
    (folder / "nginx.conf").write_text(f"""
        {"user root;" if os.getuid() == 0 else ""}
        daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log;
        events {{ }}
        http {{
            access_log {folder}/access.log; client_max_body_size 100m;
            client_body_temp_path {folder}/body;
            proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u;
            scgi_temp_path {folder}/s;
            server {{
                listen 127.0.0.1:{port}; root {root};
                location / {{ dav_methods PUT DELETE MKCOL COPY MOVE; auth_basic dav;
                auth_basic_user_file {folder}/users; }}
            }}
        }}""")
    values = {"url": f"http://127.0.0.1:{port}/videos", "user": "ada", "password": "kettle"}
    with _running(["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")], port):
        yield Counterpart("WebDAV", values, lambda name: _content(root / "videos" / name))


@contextlib.contextmanager
def sftp(folder: Path, port: int = 0, host_key: str = "host_key") -> Iterator[Counterpart]:
    """Debian's OpenSSH server, for the user of the tests and one key."""
    port, root = port or free_port(), folder / "root"
    root.mkdir(parents=True, exist_ok=True)
    for name in (host_key, "user_key"):
        if not (folder / name).exists():
            subprocess.run(
                ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)],
                check=True,
            )
    (folder / "authorized").write_bytes((folder / "user_key.pub").read_bytes())
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    (folder / "sshd.conf").write_text(
        f"ListenAddress 127.0.0.1\nPort {port}\nHostKey {folder}/{host_key}\n"
        f"PidFile {folder}/sshd.pid\nStrictModes no\n"
        f"AuthorizedKeysFile {folder}/authorized\nUsePAM no\nPermitRootLogin yes\n"
        "PasswordAuthentication no\n"
        "Subsystem sftp internal-sftp\nForceCommand internal-sftp\n"
    )
    key = (folder / "user_key").read_text()
    values = {
        "host": "127.0.0.1",
        "port": str(port),
        "user": getpass.getuser(),
        "private_key": key,
        "folder": str(root),
    }
    with _running(["/usr/sbin/sshd", "-D", "-e", "-f", str(folder / "sshd.conf")], port):
        yield Counterpart("SFTP", values, lambda name: _content(root / name))


@contextlib.contextmanager
def mastodon(folder: Path) -> Iterator[Counterpart]:
    """mastodon-mock, a server of Mastodon's API that keeps what it is told."""
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "mastodon_mock",
        "serve",
        "--in-memory",
        "--port",
        str(port),
        "--host",
        "127.0.0.1",
    ]
    url = f"http://127.0.0.1:{port}"

    def fetch(address: str) -> bytes | None:
        answer = requests.get(
            address if "://" in address else url + address, headers=_MOCK_TOKEN, timeout=60
        )
        return answer.content if answer.ok else None

    with _running(command, port, folder):
        yield Counterpart("Mastodon", {"url": url, "token": "mock_token"}, fetch)


_MOCK_TOKEN = {"Authorization": "Bearer mock_token"}


@contextlib.contextmanager
def bucket() -> Iterator[Counterpart]:
    """moto's server of the S3 protocol."""
    from tests.store import buckets

    with buckets.serving("films") as environment:
        endpoint = environment["AWS_ENDPOINT_URL"]
        values = {
            "bucket": "films",
            "endpoint": endpoint,
            "folder": "videos",
            "access_key_id": "tests",
            "secret_access_key": "tests",
        }

        def fetch(name: str) -> bytes | None:
            headers = {"Authorization": buckets._AUTHORIZATION}
            answer = requests.get(f"{endpoint}/films/videos/{name}", headers=headers, timeout=60)
            return answer.content if answer.ok else None

        yield Counterpart("S3", values, fetch)


@dataclass
class Relay:
    """What a relay got: bodies by the key of the post, and how often each came."""

    posts: dict[str, dict] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    counterpart: Counterpart | None = None


@contextlib.contextmanager
def relay(meanwhile: Callable[[], object] = lambda: None) -> Iterator[Relay]:
    """A receiver of the outgoing hook: it verifies signatures by Standard Webhooks' library, and
    keeps each post once.

    ``meanwhile``: what happens while a post is being answered.
    """
    got = Relay()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            verifier = standardwebhooks.Webhook(SECRET)
            try:  # without the comparison of times, as the clock of the tests stands still
                signed = verifier.sign(
                    self.headers["webhook-id"],
                    _at(self.headers["webhook-timestamp"]),
                    body.decode(),
                )
            except ValueError:
                signed = ""
            if signed != self.headers["webhook-signature"]:
                return self._answer(401, {})
            message, key = json.loads(body), self.headers["webhook-id"]
            got.calls.append(message["type"])
            if message["type"] == "publish":
                got.posts.setdefault(key, message)
                meanwhile()
            self._answer(
                200, {"id": f"relay-{len(got.posts)}", "url": "https://relay.example.com/1"}
            )

        def _answer(self, status: int, answer: dict) -> None:
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.handle_error = lambda *_: None  # of a connection that was cut
        url = f"http://127.0.0.1:{server.server_address[1]}/in"
        got.counterpart = Counterpart(
            "Hook", {"url": url, "signing_secret": SECRET}, lambda name: None
        )
        with serving(server):
            yield got


def _at(seconds: str):
    from datetime import UTC, datetime

    return datetime.fromtimestamp(int(seconds), UTC)


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


@contextlib.contextmanager
def _running(
    command: list[str],
    at: int | Path,
    folder: Path | None = None,
    environment: dict[str, str] | None = None,
) -> Iterator[None]:
    """Run a server until it has listened, and been used. ``at``: its port, or its socket's path."""
    quiet = {
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
        "cwd": folder,
        "env": environment,
    }
    with subprocess.Popen(command, start_new_session=True, **quiet) as server:
        try:
            _wait_for(at, server)
            yield
        finally:
            os.killpg(server.pid, signal.SIGTERM)  # with its workers


def _wait_for(at: int | Path, server: subprocess.Popen) -> None:
    ends_at = time.monotonic() + PATIENCE
    while True:
        with contextlib.suppress(ConnectionRefusedError, FileNotFoundError), _connected(at):
            return
        assert server.poll() is None and time.monotonic() < ends_at, "the server did not start"
        time.sleep(0.05)


def _connected(at: int | Path) -> socket.socket:
    if isinstance(at, int):
        return socket.create_connection(("127.0.0.1", at), 1)
    connected = socket.socket(socket.AF_UNIX)
    try:
        connected.connect(str(at))
    except OSError:
        connected.close()
        raise
    return connected
