"""A stand-in for YouTube by its published protocol: OAuth tokens, the Data API v3,
and resumable uploads.
"""

import contextlib
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit

from support.places import Counterpart
from support.serving import serving

from svc.platforms.youtube import DESCRIPTION, YouTube

GRAIN = 256 * 1024  # bytes; of an upload that broke off, whole grains are kept
CLIENT = {"client_id": "client", "client_secret": "client-secret"}


@dataclass
class Tube:
    """What the stand-in has.

    ``errors``: by method and path, the status and reason with which it answers once.
    """

    videos: dict[str, dict] = field(default_factory=dict)
    contents: dict[str, bytes] = field(default_factory=dict)
    captions: dict[str, dict[str, bytes]] = field(default_factory=dict)
    posters: dict[str, bytes] = field(default_factory=dict)
    uploads: dict[str, dict] = field(default_factory=dict)
    errors: dict[str, tuple[int, str]] = field(default_factory=dict)
    # code: the challenge that its verifier must have
    codes: dict[str, str] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    location: str = ""  # instead of the one of an upload
    refresh: str = "refresh"
    tokens: int = 0
    counterpart: Counterpart | None = None
    place: YouTube | None = None


@contextlib.contextmanager
def youtube() -> Iterator[Tube]:
    tube = Tube()

    class Handler(_Handler):
        there = tube

    # One connection at a time: what arrived of a broken one is known before the next is answered.
    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        server.handle_error = lambda *_: None  # of a connection that was cut
        tube.place = reached_at(f"http://127.0.0.1:{server.server_address[1]}")
        tube.counterpart = Counterpart(
            "YouTube",
            {**CLIENT, "refresh_token": "refresh", "api": tube.place.api},
            tube.contents.get,
        )
        with serving(server):
            yield tube


def reached_at(url: str) -> YouTube:
    """The kind of place, with its servers at another address."""
    sign_in = replace(DESCRIPTION.sign_in, tokens=f"{url}/token", page=f"{url}/auth")
    return YouTube(replace(DESCRIPTION, sign_in=sign_in), api=url)


class _Handler(BaseHTTPRequestHandler):
    there: Tube

    def log_message(self, *args):
        pass

    def handle_any(self) -> None:
        tube, url = self.there, urlsplit(self.path)
        self.query = {name: value[0] for name, value in parse_qs(url.query).items()}
        name = f"{self.command} {url.path}"
        tube.calls.append(name)
        if url.path == "/token":
            return self._token(parse_qs(self._body().decode()))
        if self.headers["Authorization"] not in {
            f"Bearer token-{number}" for number in range(1, tube.tokens + 1)
        }:
            self._body()
            return self._error(401, "authError")
        if name in tube.errors:
            self._body()
            return self._error(*tube.errors.pop(name))
        if name == "PUT /upload/youtube/v3/videos":
            return self._part()
        body = self._body()
        answer = {
            "GET /youtube/v3/channels": self._channels,
            "GET /youtube/v3/playlistItems": self._newest,
            "GET /youtube/v3/videos": self._videos,
            "DELETE /youtube/v3/videos": self._delete,
            "POST /upload/youtube/v3/videos": self._begin,
            "POST /upload/youtube/v3/captions": self._captions,
            "POST /upload/youtube/v3/thumbnails/set": self._poster,
        }.get(name)
        return answer(body) if answer else self._error(404, "notFound")

    do_GET = do_POST = do_PUT = do_DELETE = handle_any

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers["Content-Length"] or 0))

    def _answer(self, status: int, content: object = None, **headers: str) -> None:
        body = b"" if content is None else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {
            "Content-Length": str(len(body)),
            "Connection": "close",
            **headers,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _error(self, status: int, reason: str) -> None:
        self._answer(
            status,
            {
                "error": {
                    "code": status,
                    "message": reason,
                    "errors": [{"reason": reason, "domain": "d"}],
                }
            },
        )

    def _token(self, form: dict[str, list[str]]) -> None:
        given, tube = {name: value[0] for name, value in form.items()}, self.there
        if {name: given.get(name) for name in CLIENT} != CLIENT:
            return self._answer(401, {"error": "invalid_client"})
        tube.tokens += 1
        told = {"access_token": f"token-{tube.tokens}", "expires_in": 3599, "token_type": "Bearer"}
        if given["grant_type"] == "refresh_token":
            right = given["refresh_token"] == tube.refresh
            return (
                self._answer(200, told) if right else self._answer(400, {"error": "invalid_grant"})
            )
        digest = hashlib.sha256(given["code_verifier"].encode()).digest()
        if tube.codes.pop(given["code"], None) != digest.hex():
            return self._answer(400, {"error": "invalid_grant"})
        return self._answer(200, {**told, "refresh_token": tube.refresh})

    def _channels(self, body: bytes) -> None:
        self._answer(200, {"items": [{"contentDetails": {"relatedPlaylists": {"uploads": "UU"}}}]})

    def _newest(self, body: bytes) -> None:
        newest = list(self.there.videos)[::-1][:50]
        self._answer(200, {"items": [{"contentDetails": {"videoId": each}} for each in newest]})

    def _videos(self, body: bytes) -> None:
        found = [
            self.there.videos[each]
            for each in self.query["id"].split(",")
            if each in self.there.videos
        ]
        self._answer(200, {"items": [{"statistics": {}, **each} for each in found]})

    def _delete(self, body: bytes) -> None:
        if self.there.videos.pop(self.query["id"], None) is None:
            return self._error(404, "videoNotFound")
        return self._answer(204)

    def _begin(self, body: bytes) -> None:
        upload, told = f"up{len(self.there.uploads)}", json.loads(body)
        text = told["snippet"]["title"] + told["snippet"]["description"]
        if (
            len(told["snippet"]["title"]) > 100
            or len(told["snippet"]["description"].encode()) > 5000
            or re.search("[<>]", text)
        ):
            return self._error(400, "invalidTitle")
        size = int(self.headers["X-Upload-Content-Length"])
        self.there.uploads[upload] = {"told": told, "size": size, "got": b"", "video": None}
        address = (
            f"http://{self.headers['Host']}/upload/youtube/v3/videos?uploadType=resumable&"
            f"upload_id={upload}"
        )
        return self._answer(200, {}, Location=self.there.location or address)

    def _part(self) -> None:
        upload = self.there.uploads.get(self.query["upload_id"])
        if upload is None:
            self._body()
            return self._error(404, "notFound")
        asked = self.headers["Content-Range"].removeprefix("bytes ").partition("/")[0]
        if asked != "*":
            if int(asked.partition("-")[0]) != len(upload["got"]):
                self._body()
                return self._error(400, "invalidRange")
            self._receive(upload)
        if len(upload["got"]) < upload["size"]:
            got = len(upload["got"])
            return self._answer(308, None, **({"Range": f"bytes=0-{got - 1}"} if got else {}))
        return self._answer(200, self._video_of(upload))

    def _receive(self, upload: dict) -> None:
        got, left = upload["got"], int(self.headers["Content-Length"])
        try:
            while left and (piece := self.rfile.read1(min(left, 65536))):
                got, left = got + piece, left - len(piece)
        finally:
            upload["got"] = got if len(got) == upload["size"] else got[: len(got) // GRAIN * GRAIN]
        if left:
            raise ConnectionError

    def _video_of(self, upload: dict) -> dict:
        if upload["video"] is None:
            upload["video"] = identifier = f"video{len(self.there.videos)}"
            self.there.videos[identifier] = {"id": identifier, **upload["told"]}
            self.there.contents[identifier] = upload["got"]
        return {"id": upload["video"], "kind": "youtube#video"}

    def _captions(self, body: bytes) -> None:
        boundary = re.search("boundary=(.*)", self.headers["Content-Type"])[1].encode()
        told, track = (
            part.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n")
            for part in body.split(b"--" + boundary)[1:3]
        )
        snippet = json.loads(told)["snippet"]
        known = self.there.captions.setdefault(snippet["videoId"], {})
        if snippet["language"] in known:
            return self._error(409, "captionExists")
        known[snippet["language"]] = track
        return self._answer(200, {"id": "caption"})

    def _poster(self, body: bytes) -> None:
        self.there.posters[self.query["videoId"]] = body
        self._answer(200, {"items": []})
