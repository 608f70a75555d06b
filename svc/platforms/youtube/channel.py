"""The requests that publishing on YouTube needs (developers.google.com/youtube/v3/docs)."""

import json
import secrets
from typing import Any
from urllib.parse import urlencode

from svc.adapters.transfers import Answer, Part
from svc.platforms import answers, values
from svc.platforms.base import PublishError
from svc.platforms.connected import ConnectedPost, PostFile, Tools, UploadState, open_verified

_LARGEST_POSTER = 2 * 1024 * 1024  # bytes
_EARLY = 120_000  # milliseconds before its end at which an access token is renewed
_JSON = {"Content-Type": "application/json; charset=UTF-8"}
# By the reason of an error (developers.google.com/youtube/v3/docs/errors): what to do, and whether
# it passes by itself.
_REASONS = {
    "quotaExceeded": (
        (
            "The daily quota of the API project is used up; retry the publication after midnight "
            "Pacific Time."
        ),
        False,
    ),
    "dailyLimitExceeded": (
        "The API project's daily limit is reached; retry the publication tomorrow.",
        False,
    ),
    "uploadLimitExceeded": (
        "The channel may upload no more videos today; retry the publication tomorrow.",
        False,
    ),
    "rateLimitExceeded": ("Too many requests at once. It will be tried again.", True),
    "userRateLimitExceeded": ("Too many requests at once. It will be tried again.", True),
    "youtubeSignupRequired": (
        "The account has no channel; make one on YouTube, then retry the publication.",
        False,
    ),
    "videoNotFound": (
        "It does not know the video yet, or not any more. It will be tried again; if the video "
        "was removed there, retry the publication when that has failed, which uploads it anew.",
        True,
    ),
    "accessNotConfigured": (
        "The YouTube Data API is not enabled for the API project; enable it there.",
        False,
    ),
}


class Channel:
    """The requests that publishing needs."""

    def __init__(self, api: str, tokens: str, fields: dict[str, str], tools: Tools):
        self._api, self._tokens, self._given, self._tools = api, tokens, fields, tools
        self._token, self._token_until = "", 0
        self._accepted = ""  # the access token with which a request was

    def find_uploads_playlist(self) -> str:
        """Return the playlist of the channel's uploads. PublishError: there is no channel."""
        items = self.list_items("/youtube/v3/channels", {"part": "contentDetails", "mine": "true"})
        details = items[0].get("contentDetails") if items else None
        lists = details.get("relatedPlaylists") if isinstance(details, dict) else None
        playlist = (
            values.read_printable_line(lists.get("uploads"), 100)
            if isinstance(lists, dict)
            else None
        )
        if playlist is None:
            raise PublishError(
                "The account has no channel; make one on YouTube, then try again.", False
            )
        return playlist

    def find_tagged(self, tag: str) -> str | None:
        """Return the id of the video with a tag, among the newest 50; None: there is none."""
        videos = self.list_items(
            "/youtube/v3/playlistItems",
            {
                "part": "contentDetails",
                "maxResults": "50",
                "playlistId": self.find_uploads_playlist(),
            },
        )
        details = [each.get("contentDetails") for each in videos]
        newest = [
            str(each["videoId"])
            for each in details
            if isinstance(each, dict) and values.read_printable_line(each.get("videoId"), 50)
        ]
        if not newest:
            return None
        for video in self.list_items(
            "/youtube/v3/videos", {"part": "snippet", "id": ",".join(newest)}
        ):
            snippet = video.get("snippet")
            if isinstance(snippet, dict) and tag in (snippet.get("tags") or ()):
                return _read_identifier(video)
        return None

    def begin(self, resource: dict[str, Any], size: int) -> str:
        """Begin an upload and return its address, which leads to the same server,
        as the token goes there.
        """
        headers = {
            **_JSON,
            "X-Upload-Content-Length": str(size),
            "X-Upload-Content-Type": "video/mp4",
        }
        query = urlencode({"uploadType": "resumable", "part": "snippet,status"})
        answer = self.ask(
            "POST", f"/upload/youtube/v3/videos?{query}", json.dumps(resource).encode(), headers
        )
        location = values.read_printable_line(answer.headers.get("location"), 2000) or ""
        if not location.startswith(f"{self._api}/upload/"):
            raise _make_protocol_error()
        return location.removeprefix(self._api)

    def is_gone(self, video: str) -> bool:
        return not self.list_items("/youtube/v3/videos", {"part": "status", "id": video})

    def find_progress(self, upload: str, size: int, upload_state: UploadState) -> int | str | None:
        """Return how many bytes the place has of an upload, or the id of its video;
        None: the upload is gone.
        """
        gone_statuses = answers.NOT_KNOWN if upload_state.begun_anew else answers.GONE
        answer = self._put(upload, b"", f"bytes */{size}", gone_statuses)
        if answer.status in gone_statuses:
            return None
        return (
            answers.read_received_bytes(answer, size)
            if answer.status == 308
            else _read_identifier(answers.read_json_object(answer))
        )

    def send(self, upload: str, file: PostFile, start: int, upload_state: UploadState) -> str:
        """Send the rest of the video and return its id. PublishError: it is not whole there."""
        size = file.size_bytes
        upload_state.count_sent_before(start)
        with open_verified(file) as path:
            body = Part(path, start, size, upload_state.count_sent)
            answer = self._put(upload, body, f"bytes {start}-{size - 1}/{size}", answers.GONE)
        if answer.status in (308, *answers.GONE):
            raise PublishError(
                "The place has not got the whole video. It will be tried again.", True
            )
        return _read_identifier(answers.read_json_object(answer))

    def _put(
        self, upload: str, body: bytes | Part, content_range: str, expected: tuple[int, ...]
    ) -> Answer:
        return self.ask(
            "PUT",
            upload,
            body,
            {"Content-Type": "video/mp4", "Content-Range": content_range},
            (308, *expected),
        )

    def add_rest(self, video: str, post: ConnectedPost, upload_state: UploadState) -> None:
        """Add captions and poster; each may be repeated."""
        names_done = list(upload_state.session.get("done", ()))
        files_by_name = {file.name: file for file in post.files}
        captions = ("captions.vtt", *(file.name for file in post.translated_captions))
        for name, add in (
            *((name, self._add_captions) for name in captions),
            ("poster.jpg", self._set_poster),
        ):
            if name in files_by_name and name not in names_done:
                add(video, files_by_name[name], upload_state)
                names_done.append(name)
                upload_state.save({"video": video, "done": names_done})

    def _add_captions(self, video: str, file: PostFile, upload_state: UploadState) -> None:
        """Add captions, unless an earlier attempt has: there can be no second ones of a
        language and name.
        """
        boundary = secrets.token_hex(16)
        resource = json.dumps(
            {"snippet": {"videoId": video, "language": file.language, "name": ""}}
        )
        before = (
            f"--{boundary}\r\nContent-Type: application/json\r\n\r\n{resource}\r\n--{boundary}\r\n"
            "Content-Type: text/vtt\r\n\r\n"
        )
        with open_verified(file) as path:
            after = f"\r\n--{boundary}--\r\n".encode()
            part = Part(
                path,
                0,
                file.size_bytes,
                upload_state.count_sent,
                before=before.encode(),
                after=after,
            )
            headers = {"Content-Type": f"multipart/related; boundary={boundary}"}
            answer = self.ask(
                "POST",
                "/upload/youtube/v3/captions?uploadType=multipart&part=snippet",
                part,
                headers,
                expected=(409,),
            )
        if answer.status != 409:
            _read_identifier(answers.read_json_object(answer))  # a page of something else has none
        elif _find_reason(answer) != "captionExists":
            raise answers.make_error(answer, self._tools.clock())

    def _set_poster(self, video: str, file: PostFile, upload_state: UploadState) -> None:
        """Set the poster, where the channel may have one of its own:
        others keep the picture that YouTube chose.
        """
        if file.size_bytes > _LARGEST_POSTER:
            return
        with open_verified(file) as path:
            part = Part(path, 0, file.size_bytes, upload_state.count_sent)
            query = urlencode({"videoId": video, "uploadType": "media"})
            headers = {"Content-Type": "image/jpeg"}
            answer = self.ask(
                "POST", f"/upload/youtube/v3/thumbnails/set?{query}", part, headers, expected=(403,)
            )
        if answer.status == 403 and _find_reason(answer) in _REASONS:
            raise _explain_refusal(answer) or answers.make_error(answer, self._tools.clock())

    def list_items(self, path: str, query: dict[str, str]) -> list[dict[str, Any]]:
        items = answers.read_json_object(self.ask("GET", f"{path}?{urlencode(query)}")).get(
            "items", []
        )
        if not isinstance(items, list):
            raise _make_protocol_error()
        return [each for each in items if isinstance(each, dict)]

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | Part = b"",
        headers: dict[str, str] | None = None,
        expected: tuple[int, ...] = (),
    ) -> Answer:
        all_headers = {"Authorization": f"Bearer {self._access()}", **(headers or {})}
        now = self._tools.clock()
        url, is_accepted = f"{self._api}{path}", self._token == self._accepted
        answer = answers.make_request(
            self._tools.transfers,
            method,
            url,
            all_headers,
            body,
            expected=expected,
            now=now,
            explain=lambda refusal: (
                _explain_refusal(refusal)
                or (answers.explain_ended_sign_in(refusal) if is_accepted else None)
            ),
            api="YouTube",
        )
        self._accepted = self._token
        return answer

    def _access(self) -> str:
        """Return an access token, which is renewed in time:
        a long upload takes longer than one lasts.
        """
        now = self._tools.clock()
        if now < self._token_until:
            return self._token
        form = {"grant_type": "refresh_token"}
        form |= {
            name: self._given[name] for name in ("client_id", "client_secret", "refresh_token")
        }
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        body = urlencode(form).encode()
        answer = answers.make_request(
            self._tools.transfers,
            "POST",
            self._tokens,
            headers,
            body,
            expected=(400,),
            now=now,
            api="YouTube",
        )
        reply = answers.read_json_object(answer)
        if answer.status == 400:
            raise PublishError(
                (
                    "The sign-in has ended or was revoked; sign in again at the connection, "
                    "then retry."
                ),
                False,
            )
        token = values.read_printable_line(reply.get("access_token"), 4000)
        seconds = reply.get("expires_in")
        if token is None:
            raise _make_protocol_error()
        self._token = token
        self._token_until = now + (seconds if isinstance(seconds, int) else 0) * 1000 - _EARLY
        return token


def _explain_refusal(answer: Answer) -> PublishError | None:
    """Return the error by its reason: a quota and a limit of speed have the same status as a
    lack of rights.
    """
    reason = _REASONS.get(_find_reason(answer)) if answer.status in (400, 403, 404, 429) else None
    return (
        PublishError(f"The place answered {answer.status}. {reason[0]}", reason[1])
        if reason
        else None
    )


def _find_reason(answer: Answer) -> str:
    error = answers.read_json_object(answer).get("error")
    errors = error.get("errors") if isinstance(error, dict) else None
    first_error = errors[0] if isinstance(errors, list) and errors else None
    return str(first_error.get("reason")) if isinstance(first_error, dict) else ""


def _read_identifier(video: dict[str, Any]) -> str:
    identifier = values.read_printable_line(video.get("id"), 50)
    if identifier is None:
        raise _make_protocol_error()
    return identifier


def _make_protocol_error() -> PublishError:
    return answers.make_protocol_error("YouTube")
