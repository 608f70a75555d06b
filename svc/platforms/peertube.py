"""PeerTube: a video in a channel, with captions, chapters and its poster,
over the REST API of the server.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from svc.adapters import transfers
from svc.adapters.transfers import Answer, Part
from svc.base import clock
from svc.base.connectors import TIME, Connection, Connector, Field, Limits
from svc.platforms import answers, values
from svc.platforms.base import PublishError
from svc.platforms.connected import (
    ConnectedPost,
    Figures,
    Posted,
    PostFile,
    Tools,
    UploadState,
    open_verified,
)

_PRIVACIES = {"public": 1, "unlisted": 2, "private": 3, "internal": 4}
_NEWEST = 25  # videos of the account among which an earlier attempt's is looked for
# The fewest characters of a name, and the most characters and the most tags that it takes.
_FEWEST, _LONGEST_TAG, _MOST_TAGS = 3, 30, 5
_GONE = answers.GONE
# The least and the most bytes of a part that is sent by itself, after a larger one was refused.
_LEAST, _LARGER = 16 * 1024, 64 * 1024 * 1024
_JSON = {"Content-Type": "application/json"}
_UPLOAD = "videos/upload-resumable"


@dataclass(frozen=True)
class PeerTube:
    """Uploads the video in parts that are resumed, then adds the rest.

    A video is found again by the name of its file.
    """

    description = Connector(
        "PeerTube",
        "A channel of a PeerTube server.",
        (
            Field("url", "Address of the server", "Such as https://framatube.org"),
            Field("user", "User name"),
            Field("password", "Password", secret=True),
            Field(
                "channel",
                "Channel",
                "Its name; the account's first channel if you give none.",
                required=False,
            ),
            Field("privacy", "Privacy", default="public", choices=tuple(_PRIVACIES)),
        ),
        Limits(title=120, text=10_000),
        beside=("captions.vtt", "poster.jpg"),
        translated=True,
        schedules=True,
    )

    def check(self, fields: dict[str, str]) -> dict[str, str]:
        problems = values.check_url(fields, "url")
        if fields["privacy"] not in _PRIVACIES:
            problems["privacy"] = f"Give one of {', '.join(_PRIVACIES)}."
        if fields.get(TIME.name) and fields["privacy"] == "private":
            problems[TIME.name] = (
                "What is private is shown at no time: give another privacy, or leave the time out."
            )
        return problems

    def test(self, connection: Connection, tools: Tools) -> dict[str, str]:
        _Server(connection, tools).find_channel()
        return {}

    def publish(
        self, post: ConnectedPost, connection: Connection, upload_state: UploadState, tools: Tools
    ) -> Posted:
        server = _Server(connection, tools)
        if (
            upload_state.begun_anew
            and "video" in upload_state.session
            and server.is_gone(upload_state.session["video"]["uuid"])
        ):
            upload_state.save({})
        if "video" not in upload_state.session:
            upload_state.save(
                {"video": self._publish_video(server, post, upload_state, connection)}
            )
        else:
            upload_state.count_sent_before(post.video.size_bytes)
        video = upload_state.session["video"]
        server.add_rest(video["uuid"], post, upload_state)
        return Posted(video["uuid"], f"{server.url}/w/{video['shortUUID']}")

    def _publish_video(
        self,
        server: "_Server",
        post: ConnectedPost,
        upload_state: UploadState,
        connection: Connection,
    ) -> dict[str, str]:
        """Return the video, which is uploaded unless an earlier attempt has.

        The upload is asked about first: when it is gone, its video is in the list, unless it never
        was whole. Before the first attempt it is there if the database was restored since: then it
        is sought among those of its title, as each takes a request.
        """
        upload, name = str(upload_state.session.get("upload", "")), f"{upload_state.key}.mp4"
        sent_bytes = (
            server.find_progress(upload, post.video.size_bytes, upload_state) if upload else None
        )
        if isinstance(sent_bytes, dict):
            return sent_bytes
        if sent_bytes is not None:
            return server.send(upload, post.video, sent_bytes, upload_state)
        is_first = upload_state.begun_anew and not upload_state.session
        if uploaded := server.find_uploaded(name, _name(post) if is_first else None):
            return uploaded
        upload = server.begin(post, name, connection.values["privacy"])
        upload_state.save({**upload_state.session, "upload": upload})
        return server.send(upload, post.video, 0, upload_state)

    def read_figures(
        self, post_id: str | None, connection: Connection, tools: Tools
    ) -> Figures | None:
        answer = _Server(connection, tools).ask(
            "GET", f"videos/{quote(post_id or '-', safe='')}", expected=_GONE
        )
        reply = answers.read_json_object(answer)
        return (
            None
            if answer.status in _GONE
            else Figures(
                values.parse_count(reply.get("views")), values.parse_count(reply.get("likes"))
            )
        )

    def withdraw(self, post_id: str | None, connection: Connection, tools: Tools) -> None:
        if post_id:
            _Server(connection, tools).ask(
                "DELETE", f"videos/{quote(post_id, safe='')}", expected=_GONE
            )


def _name(post: ConnectedPost) -> str:
    """Return the title of a post there, which has a least length."""
    return f"{post.title:…<{_FEWEST}}"


class _Server:
    """The requests that publishing needs (docs.joinpeertube.org/api-rest-reference.html)."""

    def __init__(self, connection: Connection, tools: Tools):
        self.url, self._given, self._tools = (
            connection.values["url"].rstrip("/"),
            connection.values,
            tools,
        )
        self._headers: dict[str, str] = {}
        self._is_accepted = False  # whether the access token was
        self._headers = {"Authorization": f"Bearer {self._fetch_token()}"}

    def _fetch_token(self) -> str:
        """Return an access token for user and password. It is not stored, as signing out everywhere
        would end it.
        """
        client = answers.read_json_object(self.ask("GET", "oauth-clients/local"))
        form = {
            "client_id": client.get("client_id"),
            "client_secret": client.get("client_secret"),
            "grant_type": "password",
        }
        form |= {"username": self._given["user"], "password": self._given["password"]}
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        answer = self.ask("POST", "users/token", headers, urlencode(form).encode(), expected=(400,))
        if answer.status == 400:
            raise PublishError(
                "The place does not accept the credentials; renew the connection with a valid "
                "user and password. Two-factor authentication must be off for this user.",
                False,
            )
        return _read_text(answers.read_json_object(answer), "access_token", 500)

    def find_channel(self) -> int:
        """Return the id of the connection's channel.

        PublishError: the user has none of its name.
        """
        channels = answers.read_json_object(self.ask("GET", "users/me")).get("videoChannels")
        if not isinstance(channels, list):
            raise _make_protocol_error()
        ids_by_name = {
            each.get("name"): each.get("id") for each in channels if isinstance(each, dict)
        }
        channel = (
            ids_by_name.get(self._given["channel"])
            if self._given["channel"]
            else next(iter(ids_by_name.values()), None)
        )
        if not isinstance(channel, int):
            names = ", ".join(str(name)[:50] for name in ids_by_name if name)
            raise PublishError(
                f"The user has no such channel; those it has are: {names or 'none'}.", False
            )
        return channel

    def begin(self, post: ConnectedPost, name: str, privacy: str) -> str:
        """Begin an upload and return its identifier.

        Of the address only that is used, as the token goes there.
        """
        description = {
            "name": _name(post),
            "channelId": self.find_channel(),
            "filename": name,
            "language": post.language.partition("-")[0],
            "waitTranscoding": True,
            "tags": [tag for tag in post.hashtags if 2 <= len(tag) <= _LONGEST_TAG][:_MOST_TAGS],
        }
        description |= {"description": post.text} if len(post.text) >= _FEWEST else {}
        description |= _describe_visibility(_PRIVACIES[privacy], post.publish_at)
        headers = {
            **_JSON,
            "X-Upload-Content-Length": str(post.video.size_bytes),
            "X-Upload-Content-Type": "video/mp4",
        }
        location = self.ask("POST", _UPLOAD, headers, json.dumps(description).encode()).headers.get(
            "location", ""
        )
        upload_ids = parse_qs(urlsplit(location).query).get("upload_id")
        if not upload_ids or len(upload_ids[0]) > 500:
            raise _make_protocol_error()
        return upload_ids[0]

    def is_gone(self, video: str) -> bool:
        return self.ask("GET", f"videos/{quote(video, safe='')}", expected=_GONE).status in _GONE

    def find_progress(
        self, upload: str, size: int, upload_state: UploadState
    ) -> int | dict[str, str] | None:
        """Return how many bytes the place has of an upload, or the video that became of it;
        None: the upload is gone.
        """
        gone_statuses = answers.NOT_KNOWN if upload_state.begun_anew else _GONE
        answer = self._put(upload, {"Content-Range": f"bytes */{size}"}, b"", gone_statuses)
        if answer.status in gone_statuses:
            return None
        return (
            _read_video(answer)
            if answer.status == 200
            else answers.read_received_bytes(answer, size)
        )

    def send(
        self, upload: str, file: PostFile, start: int, upload_state: UploadState
    ) -> dict[str, str]:
        """Send the rest of the video and return what became of it.

        PublishError: it is not whole there.
        """
        size, stored_size = (
            file.size_bytes,
            None if upload_state.begun_anew else upload_state.session.get("part"),
        )
        most = int(stored_size or size)
        upload_state.count_sent_before(start)
        with open_verified(file) as path:
            while True:
                part = _Counted(path, start, min(start + most, size), upload_state)
                answer = self._send_part(upload, part, size, upload_state)
                if answer.status == 200:
                    return _read_video(answer)
                if answer.status == 413:
                    most, offset = part.require_smaller(answer, self._tools.clock()), start
                    upload_state.save({**upload_state.session, "part": most})
                else:
                    offset = answers.read_received_bytes(answer, size)
                upload_state.count_sent_before(offset - start - part.sent)
                if answer.status != 413 and offset <= start:
                    raise PublishError(
                        "The place has not got the whole video. It will be tried again.", True
                    )
                start = offset

    def _send_part(
        self, upload: str, part: "_Counted", size: int, upload_state: UploadState
    ) -> Answer:
        """Send a part.

        A proxy that limits requests may cut one off without a word: the next attempt sends smaller
        ones.
        """
        body, content_range = (
            Part(part.file, part.start, part.end, part.count_sent),
            f"bytes {part.start}-{part.end - 1}/{size}",
        )
        try:
            return self._put(upload, {"Content-Range": content_range}, body, (*_GONE, 413))
        except answers.NotReached:
            upload_state.save({**upload_state.session, "part": part.quarter})
            raise

    def _put(
        self, upload: str, headers: dict[str, str], body: bytes | Part, expected: tuple[int, ...]
    ) -> Answer:
        path = f"{_UPLOAD}?{urlencode({'upload_id': upload})}"
        return self.ask(
            "PUT",
            path,
            {"Content-Type": "application/octet-stream", **headers},
            body,
            expected=(308, *expected),
        )

    def find_uploaded(self, file: str, title: str | None = None) -> dict[str, str] | None:
        """Return the video, among the account's newest ones, that was uploaded under a file name;
        None: there is none.

        ``title``: of those that are looked at; None: of any.
        """
        videos = answers.read_json_object(
            self.ask("GET", f"users/me/videos?sort=-createdAt&count={_NEWEST}")
        ).get("data")
        if not isinstance(videos, list):
            raise _make_protocol_error()
        for listed_entry in videos:
            entry = listed_entry if isinstance(listed_entry, dict) else {}
            if title is not None and entry.get("name") != title:
                continue
            video = {key: _read_text(entry, key, 100) for key in ("uuid", "shortUUID")}
            answer = self.ask(
                "GET", f"videos/{quote(video['uuid'], safe='')}/source", expected=_GONE
            )
            source = answers.read_json_object(answer)
            # the second: before version 6.2
            if file in (source.get("inputFilename"), source.get("filename")):
                return video
        return None

    def add_rest(self, video: str, post: ConnectedPost, upload_state: UploadState) -> None:
        """Add captions, chapters and poster; each may be repeated."""
        place = f"videos/{quote(video, safe='')}"
        files_by_name = {file.name: file for file in post.files}
        # the last one wins: es and es-419 are one
        for captions in (*post.translated_captions, files_by_name.get("captions.vtt")):
            if captions:
                language = quote(captions.language.partition("-")[0], safe="")
                self._upload(
                    f"{place}/captions/{language}",
                    "captionfile",
                    captions,
                    "text/vtt",
                    upload_state,
                )
        if post.chapters:
            chapters = {
                "chapters": [
                    {"timecode": seconds, "title": title} for seconds, title in post.chapters
                ]
            }
            # Servers before version 6 have no chapters, and answer so.
            self.ask(
                "PUT",
                f"{place}/chapters",
                _JSON,
                json.dumps(chapters).encode(),
                expected=_GONE,
            )
        if poster := files_by_name.get("poster.jpg"):
            self._upload(place, "thumbnailfile", poster, "image/jpeg", upload_state)

    def _upload(
        self, path: str, field: str, file: PostFile, media_type: str, upload_state: UploadState
    ) -> None:
        with open_verified(file) as local:
            part = Part(local, 0, file.size_bytes, upload_state.count_sent)
            answer = self.ask(
                "PUT",
                path,
                *transfers.encode_form({}, field, file.name, media_type, part),
                expected=_GONE,
            )
        if answer.status in _GONE:
            raise PublishError(
                f"{answers.describe(answer)} It does not have the video any more, to which "
                f"{file.name} belongs; a retry of the publication uploads it anew.",
                False,
            )

    def ask(
        self,
        method: str,
        path: str,
        headers: dict[str, str] | None = None,
        body: bytes | Part = b"",
        expected: tuple[int, ...] = (),
    ) -> Answer:
        url, all_headers = f"{self.url}/api/v1/{path}", {**self._headers, **(headers or {})}
        answer = answers.make_request(
            self._tools.transfers,
            method,
            url,
            all_headers,
            body,
            expected=expected,
            now=self._tools.clock(),
            explain=answers.explain_ended_sign_in if self._is_accepted else lambda _: None,
            api="PeerTube",
        )
        self._is_accepted = bool(self._headers)
        return answer


class _Counted:
    """A part of the video, and how many of its bytes were sent."""

    def __init__(self, file: Path, start: int, end: int, upload_state: UploadState):
        self.file, self.start, self.end, self.sent, self._journal = (
            file,
            start,
            end,
            0,
            upload_state,
        )

    def count_sent(self, number: int) -> None:
        self.sent += number
        self._journal.count_sent(number)

    @property
    def quarter(self) -> int:
        """The size of the parts that are sent when this one was too large."""
        return max(min((self.end - self.start) // 4, _LARGER), _LEAST)

    def require_smaller(self, answer: Answer, now: int) -> int:
        """Return the size of the parts to send instead.

        PublishError: not the size of a request was refused, but that of the video, or the smallest
        part.
        """
        # a proxy knows nothing of the API's JSON
        if answers.read_json_object(answer) or self.end - self.start <= _LEAST:
            raise answers.make_error(answer, now)
        return self.quarter


def _describe_visibility(privacy: int, at: int | None) -> dict[str, Any]:
    """Return the fields for who may see a video: nobody before the time, if one is given."""
    if at is None:
        return {"privacy": privacy}
    return {
        "privacy": _PRIVACIES["private"],
        "scheduleUpdate": {"updateAt": clock.format_time(at), "privacy": privacy},
    }


def _read_video(answer: Answer) -> dict[str, str]:
    video = answers.read_json_object(answer).get("video")
    return {
        key: _read_text(video if isinstance(video, dict) else {}, key, 100)
        for key in ("uuid", "shortUUID")
    }


def _read_text(entry: dict[str, Any], name: str, longest: int) -> str:
    text = values.read_printable_line(entry.get(name), longest)
    if text is None:
        raise _make_protocol_error()
    return text


def _make_protocol_error() -> PublishError:
    return answers.make_protocol_error("PeerTube")
