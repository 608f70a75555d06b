"""Stand-ins for places over HTTP that keep what they are told,
with the conditions that real ones have now and then.
"""

import base64
import contextlib
import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import parse_qs, unquote, urlsplit

from support.places import Counterpart
from support.receivers import read_request, receiving

Reply = tuple[int, object, dict[str, str]]  # status, body (bytes, or what becomes JSON), headers


@dataclass
class Request:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes


@contextlib.contextmanager
def serving(answer: Callable[[Request], Reply], calls: list[str]) -> Iterator[str]:
    """Answer each request by a function; give the address. ``calls``: method and path of each."""

    def handle(connection, stopping):
        while got := read_request(connection):
            method, address, _ = got[0]["request"].split()
            url = urlsplit(address)
            query = {name: value[0] for name, value in parse_qs(url.query).items()}
            calls.append(f"{method} {unquote(url.path)}")
            status, body, headers = answer(
                Request(method, unquote(url.path), query, got[0], got[1])
            )
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            length = headers.get("Content-Length", str(len(content)))
            lines = "".join(
                f"{name}: {value}\r\n"
                for name, value in headers.items()
                if name != "Content-Length"
            )
            head = (
                f"HTTP/1.1 {status} It\r\n{lines}Connection: close\r\nContent-Length: "
                f"{length}\r\n\r\n"
            )
            connection.sendall(head.encode() + (b"" if method == "HEAD" else content))
            return

    with receiving(handle, one_at_a_time=True) as receiver:
        yield receiver.url("")


@dataclass
class Fediverse:
    """Mastodon, as its controllers answer: an upload is removed after a day, and found by its
    address until it is in a status.

    ``slow``: how often an upload is still being processed when it is asked for; ``late``: the same
    when a status is posted.
    """

    uploads: dict[str, int] = field(default_factory=dict)  # id: its bytes
    statuses: dict[str, str] = field(default_factory=dict)  # id: its upload
    keys: dict[str, str] = field(default_factory=dict)  # idempotency key: status
    calls: list[str] = field(default_factory=list)
    number: int = 0
    slow: int = 0
    late: int = 0
    broken: set[str] = field(default_factory=set)  # uploads that cannot be processed
    forgets: bool = False  # the address of the list shows nothing, as when a cache is behind
    wrong: str = ""  # why no status is accepted
    loses_answers: bool = False  # the next status is posted, and its answer lost

    @contextlib.contextmanager
    def running(self) -> Iterator[Counterpart]:
        with serving(self.answer, self.calls) as url:
            yield Counterpart("Mastodon", {"url": url, "token": "t"}, lambda name: None)

    def answer(self, request: Request) -> Reply:
        name = f"{request.method} {request.path}"
        if name == "POST /api/v2/media":
            self.number += 1
            self.uploads[str(self.number)] = len(request.body)
            return 202, {"id": str(self.number), "url": None}, {}
        if name.startswith("GET /api/v1/media/"):
            return self._media(request.path.rpartition("/")[2])
        if name == "POST /api/v1/statuses":
            return self._post(request)
        if name == "GET /api/v1/accounts/verify_credentials":
            return 200, {"id": "9"}, {}
        if name == "GET /api/v1/accounts/9/statuses":
            shown = {} if self.forgets else self.statuses
            return 200, [_status(each, media) for each, media in shown.items()], {}
        return 200, [], {}

    def _media(self, media: str) -> Reply:
        if media not in self.uploads or media in self.statuses.values():
            return 404, {"error": "Record not found"}, {}
        if media in self.broken:
            return 422, {"error": "Error processing thumbnail for uploaded media"}, {}
        self.slow -= 1
        return (206 if self.slow >= 0 else 200), {"id": media}, {}

    def _post(self, request: Request) -> Reply:
        key, [media] = request.headers["idempotency-key"], json.loads(request.body)["media_ids"]
        if key in self.keys:
            known = self.keys[key]
            return (
                (200, _status(known, self.statuses[known]), {})
                if known in self.statuses
                else (404, {"error": "Gone"}, {})
            )
        if media not in self.uploads:
            return 422, {"error": "Validation failed"}, {}
        if self.late:
            self.late -= 1
            self.slow = 1
            return (
                422,
                {
                    "error": (
                        "Cannot attach files that have not finished processing. Try again in "
                        "a moment!"
                    )
                },
                {},
            )
        if self.wrong:
            return 422, {"error": self.wrong}, {}
        identifier = f"s{len(self.keys)}"
        self.statuses[identifier], self.keys[key] = media, identifier
        if self.loses_answers:
            self.loses_answers = False
            return 503, {}, {}
        return 200, _status(identifier, media), {}

    def remove(self, status: str) -> None:
        """Remove a status, and with it its upload, as people do."""
        del self.uploads[self.statuses.pop(status)]


def _status(identifier: str, media: str) -> dict:
    return {
        "id": identifier,
        "url": f"https://there.example/{identifier}",
        "media_attachments": [{"id": media}],
    }


@dataclass
class Tube:
    """PeerTube's routes, behind a proxy that refuses bodies of more than ``limit`` bytes."""

    limit: int = 0
    refusal: tuple[int, object] = (413, b"<html>Request Entity Too Large</html>")
    unknown: int = 404  # the answer for an upload that it does not know
    uploads: dict[str, bytearray] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)  # upload: the name of its file
    sizes: dict[str, int] = field(default_factory=dict)
    videos: dict[str, bytes] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)  # video: the name of its file
    parts: list[int] = field(default_factory=list)  # bytes of each part that came through
    refused: int = 0
    calls: list[str] = field(default_factory=list)
    captions: int = 200

    @contextlib.contextmanager
    def running(self) -> Iterator[Counterpart]:
        with serving(self.answer, self.calls) as url:
            yield Counterpart(
                "PeerTube", {"url": url, "user": "ada", "password": "kettle"}, lambda name: None
            )

    def answer(self, request: Request) -> Reply:
        path = request.path.removeprefix("/api/v1/")
        if self.limit and len(request.body) > self.limit:
            self.refused += 1
            return (*self.refusal, {})
        if path == "videos/upload-resumable":
            return self._begin(request) if request.method == "POST" else self._put(request)
        if path.startswith("videos/"):
            return self._video(request.method, path)
        return (
            200,
            {
                "oauth-clients/local": {"client_id": "c", "client_secret": "s"},
                "users/token": {"access_token": "t"},
                "users/me": {"videoChannels": [{"id": 3, "name": "a"}]},
                "users/me/videos": {"data": [_uuids(each) for each in self.videos]},
            }[path],
            {},
        )

    def _begin(self, request: Request) -> Reply:
        upload = f"7-up{len(self.names)}"
        self.uploads[upload], self.names[upload] = bytearray(), json.loads(request.body)["filename"]
        self.sizes[upload] = int(request.headers["x-upload-content-length"])
        return 201, {}, {"Location": f"//x/?upload_id={upload}"}

    def _put(self, request: Request) -> Reply:
        upload, asked = (
            request.query["upload_id"],
            request.headers["content-range"].removeprefix("bytes ").partition("/")[0],
        )
        if upload not in self.uploads:
            return self.unknown, {}, {}
        got = self.uploads[upload]
        if asked != "*":
            if int(asked.partition("-")[0]) != len(got):
                return 409, {}, {}
            got += request.body
            self.parts.append(len(request.body))
        if len(got) < self.sizes[upload]:
            return 308, b"", ({"Range": f"bytes=0-{len(got) - 1}"} if got else {})
        video = f"video{len(self.files)}"
        self.videos[video], self.files[video] = bytes(self.uploads.pop(upload)), self.names[upload]
        return 200, {"video": _uuids(video)}, {}

    def _video(self, method: str, path: str) -> Reply:
        _, video, *rest = path.split("/")
        if video not in self.videos:
            return 404, {"detail": "Video not found"}, {}
        if rest == ["source"]:
            return 200, {"inputFilename": self.files[video]}, {}
        return (self.captions if "captions" in rest else 200), {}, {}


def _uuids(video: str) -> dict[str, str]:
    return {"uuid": video, "shortUUID": video}


@dataclass
class Dav:
    """A WebDAV folder.

    ``address``: by which it knows itself, where that is not the one it is reached at, behind a
    proxy.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    folders: set[str] = field(default_factory=lambda: {"/dav"})
    calls: list[str] = field(default_factory=list)
    wrong_address: int = 0  # the status for a Destination with another scheme and host than its own
    no_moves: int = 0  # the status for every MOVE

    @contextlib.contextmanager
    def running(self) -> Iterator[Counterpart]:
        with serving(self.answer, self.calls) as url:
            fetch = lambda name: self.files.get(f"/dav/{name}")  # noqa: E731
            yield Counterpart(
                "WebDAV", {"url": f"{url}/dav", "user": "ada", "password": "kettle"}, fetch
            )

    def answer(self, request: Request) -> Reply:
        path = request.path.rstrip("/")
        parent = path.rpartition("/")[0]
        if request.method in ("GET", "HEAD"):
            return (200, self.files[path], {}) if path in self.files else (404, b"", {})
        if request.method == "DELETE":
            return (204 if self.files.pop(path, None) is not None else 404), b"", {}
        if request.method == "MOVE":
            return self._move(path, request.headers["destination"])
        if parent not in self.folders:
            return (
                409,
                b"<d:error xmlns:s='x'><s:message>Parent node does not exist</s:message></d:error>",
                {},
            )
        if request.method == "MKCOL":
            there = path in self.folders
            self.folders.add(path)
            return (405 if there else 201), b"", {}
        self.files[path] = request.body
        return 201, b"", {}

    def _move(self, path: str, destination: str) -> Reply:
        if self.no_moves:
            return self.no_moves, b"", {}
        if self.wrong_address and "://" in destination:
            return self.wrong_address, b"Destination URI refers to different scheme", {}
        if path not in self.files:
            return 404, b"", {}
        self.files[unquote(urlsplit(destination).path)] = self.files.pop(path)
        return 201, b"", {}


@dataclass
class Locked:
    """A bucket with Object Lock: it takes nothing without a checksum that is right."""

    objects: dict[str, bytes] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)

    @contextlib.contextmanager
    def running(self) -> Iterator[Counterpart]:
        with serving(self.answer, self.calls) as url:
            values = {
                "bucket": "films",
                "endpoint": url,
                "access_key_id": "id",
                "secret_access_key": "key",
            }
            yield Counterpart("S3", values, lambda name: self.objects.get(f"/films/{name}"))

    def answer(self, request: Request) -> Reply:
        if request.method in ("GET", "HEAD"):
            return (
                (200, self.objects[request.path], {})
                if request.path in self.objects
                else (404, b"", {})
            )
        if request.method == "PUT":
            md5 = base64.b64encode(hashlib.md5(request.body).digest()).decode()
            if request.headers.get("content-md5") != md5:
                why = (
                    "Content-MD5 OR x-amz-checksum- HTTP header is required for Put Object requests"
                )
                return (
                    400,
                    f"<Error><Code>InvalidRequest</Code><Message>{why}</Message></Error>".encode(),
                    {},
                )
            self.objects[request.path] = request.body
        else:
            self.objects.pop(request.path, None)
        return 200, b"", {}
