"""YouTube: a video on a channel, with captions and poster, over the Data API v3 with resumable uploads."""

import json
import secrets
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from svc.adapters.transfers import Answer, NotAnswered, Part
from svc.base.connectors import Connection, Connector, Field, Limits, SignIn
from svc.platforms import answers, values
from svc.platforms.base import PublishError
from svc.platforms.connected import ConnectedPost, Figures, Journal, Posted, PostFile, Tools, whole

_PRIVACIES = ("public", "unlisted", "private")
_LARGEST_POSTER = 2 * 1024 * 1024  # bytes
_GONE = (404, 410)
_EARLY = 120_000  # milliseconds before its end at which an access token is renewed
_READABLE = str.maketrans("<>", "()")  # it refuses these signs in titles and texts; as long in bytes
_JSON = {"Content-Type": "application/json; charset=UTF-8"}
_REASONS = {  # of errors (developers.google.com/youtube/v3/docs/errors): what to do, and whether it passes by itself
    "quotaExceeded": (
        "The daily quota of the API project is used up; retry the publication after midnight Pacific Time.",
        False,
    ),
    "dailyLimitExceeded": ("The API project's daily limit is reached; retry the publication tomorrow.", False),
    "uploadLimitExceeded": ("The channel may upload no more videos today; retry the publication tomorrow.", False),
    "rateLimitExceeded": ("Too many requests at once. It will be tried again.", True),
    "userRateLimitExceeded": ("Too many requests at once. It will be tried again.", True),
    "youtubeSignupRequired": ("The account has no channel; make one on YouTube, then retry the publication.", False),
    "accessNotConfigured": ("The YouTube Data API is not enabled for the API project; enable it there.", False),
}
_SCOPES = ("youtube.upload", "youtube.force-ssl")
DESCRIPTION = Connector(
    "YouTube",
    "A channel on YouTube, by an API project of your own.",
    (
        Field("client_id", "Client id", "Of an OAuth client for a web application, in your project on Google Cloud."),
        Field("client_secret", "Client secret", secret=True),
        Field("refresh_token", "Refresh token", "Leave it empty to sign in with Google.", required=False, secret=True),
        Field("privacy", "Privacy", "public, unlisted or private; unaudited projects have private videos alone.", "private"),
        Field("category", "Category", "The number of a category, such as 27 for Education.", "27"),
        Field("made_for_kids", "Made for kids", "yes or no.", "no"),
    ),
    Limits(title=100, text=5000, counted="bytes", title_counted="characters"),
    sign_in=SignIn(
        page="https://accounts.google.com/o/oauth2/v2/auth",
        tokens="https://oauth2.googleapis.com/token",
        scope=" ".join(f"https://www.googleapis.com/auth/{name}" for name in _SCOPES),
        more=(("access_type", "offline"), ("prompt", "consent")),
    ),
)


@dataclass(frozen=True)
class YouTube:
    """Uploads the video in parts that are resumed, then adds the rest. A video is found again by a tag with the key."""

    description: Connector = DESCRIPTION
    api: str = "https://www.googleapis.com"

    def check(self, given: dict[str, str]) -> dict[str, str]:
        wrong = {}
        if given["privacy"] not in _PRIVACIES:
            wrong["privacy"] = f"Give {', '.join(_PRIVACIES[:-1])} or {_PRIVACIES[-1]}."
        if not (given["category"].isascii() and given["category"].isdigit() and len(given["category"]) < 4):
            wrong["category"] = "Give the number of a category, such as 27."
        if given["made_for_kids"] not in ("yes", "no"):
            wrong["made_for_kids"] = "Give yes or no."
        if not given["refresh_token"]:
            wrong["refresh_token"] = "Sign in with Google in the console, or give a refresh token."  # noqa: S105  # nosec B105
        return wrong

    def test(self, connection: Connection, tools: Tools) -> dict[str, str]:
        self._channel(connection, tools).uploads()
        return {}

    def publish(self, post: ConnectedPost, connection: Connection, journal: Journal, tools: Tools) -> Posted:
        channel, session = self._channel(connection, tools), dict(journal.session)
        if "video" not in session:
            session = {"video": _video(channel, post, connection.values, journal)}
            journal.save(session)
        video = str(session["video"])
        channel.add_rest(video, post, journal)
        return Posted(video, f"https://www.youtube.com/watch?v={video}")

    def figures(self, post_id: str | None, connection: Connection, tools: Tools) -> Figures | None:
        found = self._channel(connection, tools).items("/youtube/v3/videos", {"part": "statistics", "id": post_id or "-"})
        told = found[0].get("statistics") if found else None
        told = told if isinstance(told, dict) else {}
        return Figures(values.count(told.get("viewCount")), values.count(told.get("likeCount"))) if found else None

    def withdraw(self, post_id: str | None, connection: Connection, tools: Tools) -> None:
        if post_id:
            self._channel(connection, tools).ask("DELETE", f"/youtube/v3/videos?{urlencode({'id': post_id})}", expected=_GONE)

    def _channel(self, connection: Connection, tools: Tools) -> "_Channel":
        tokens = self.description.sign_in.tokens if self.description.sign_in else ""
        return _Channel(self.api, tokens, connection.values, tools)


def _video(channel: "_Channel", post: ConnectedPost, given: dict[str, str], journal: Journal) -> str:
    """Return the id of the video, which is uploaded unless an earlier attempt has.

    The upload is asked about first: when it is gone, its video is in the list, unless it never was whole.
    """
    upload, size, tag = str(journal.session.get("upload", "")), post.video.size_bytes, f"ref-{journal.key[:32]}"
    sent = channel.sent(upload, size) if upload else None
    if isinstance(sent, str):
        return sent
    if sent is not None:
        return channel.send(upload, post.video, sent, journal)
    is_first = journal.begun_anew and not journal.session
    if not is_first and (there := channel.tagged(tag)):
        return there
    upload = channel.begin(_resource(post, given, tag), size)
    journal.save({"upload": upload})
    return channel.send(upload, post.video, 0, journal)


def _resource(post: ConnectedPost, given: dict[str, str], tag: str) -> dict[str, Any]:
    """Return what is told of a video (developers.google.com/youtube/v3/docs/videos)."""
    return {
        "snippet": {
            "title": post.title.translate(_READABLE),
            "description": post.text.translate(_READABLE),
            "tags": [*post.hashtags, tag],
            "categoryId": given["category"],
            "defaultLanguage": post.language,
            "defaultAudioLanguage": post.language,
        },
        "status": {
            "privacyStatus": given["privacy"],
            "selfDeclaredMadeForKids": given["made_for_kids"] == "yes",
            "containsSyntheticMedia": True,
        },
    }


class _Channel:
    """The requests that publishing needs."""

    def __init__(self, api: str, tokens: str, given: dict[str, str], tools: Tools):
        self._api, self._tokens, self._given, self._tools = api, tokens, given, tools
        self._token, self._token_until = "", 0

    def uploads(self) -> str:
        """Return the playlist of the channel's uploads. PublishError: there is no channel."""
        items = self.items("/youtube/v3/channels", {"part": "contentDetails", "mine": "true"})
        details = items[0].get("contentDetails") if items else None
        lists = details.get("relatedPlaylists") if isinstance(details, dict) else None
        playlist = values.plain(lists.get("uploads"), 100) if isinstance(lists, dict) else None
        if playlist is None:
            raise PublishError("The account has no channel; make one on YouTube, then try again.", False)
        return playlist

    def tagged(self, tag: str) -> str | None:
        """Return the id of the video with a tag, among the newest 50; None: there is none."""
        listed = self.items(
            "/youtube/v3/playlistItems", {"part": "contentDetails", "maxResults": "50", "playlistId": self.uploads()}
        )
        details = [each.get("contentDetails") for each in listed]
        newest = [str(each["videoId"]) for each in details if isinstance(each, dict) and values.plain(each.get("videoId"), 50)]
        if not newest:
            return None
        for video in self.items("/youtube/v3/videos", {"part": "snippet", "id": ",".join(newest)}):
            snippet = video.get("snippet")
            if isinstance(snippet, dict) and tag in (snippet.get("tags") or ()):
                return _identifier(video)
        return None

    def begin(self, resource: dict[str, Any], size: int) -> str:
        """Begin an upload and return its address, which leads to the same server, as the token goes there."""
        headers = {**_JSON, "X-Upload-Content-Length": str(size), "X-Upload-Content-Type": "video/mp4"}
        query = urlencode({"uploadType": "resumable", "part": "snippet,status"})
        answer = self.ask("POST", f"/upload/youtube/v3/videos?{query}", json.dumps(resource).encode(), headers)
        location = values.plain(answer.headers.get("location"), 2000) or ""
        if not location.startswith(f"{self._api}/upload/"):
            raise _no_youtube()
        return location.removeprefix(self._api)

    def sent(self, upload: str, size: int) -> int | str | None:
        """Return how many bytes the place has of an upload, or the id of its video; None: the upload is gone."""
        answer = self._put(upload, b"", f"bytes */{size}")
        if answer.status in _GONE:
            return None
        return answers.bytes_there(answer, size) if answer.status == 308 else _identifier(answers.entry(answer))

    def send(self, upload: str, file: PostFile, start: int, journal: Journal) -> str:
        """Send the rest of the video and return its id. PublishError: it is not whole there."""
        size = file.size_bytes
        with whole(file) as path:
            body = Part(path, start, size, journal.moved)
            answer = self._put(upload, body, f"bytes {start}-{size - 1}/{size}")
        if answer.status in (308, *_GONE):
            raise PublishError("The place has not got the whole video. It will be tried again.", True)
        return _identifier(answers.entry(answer))

    def _put(self, upload: str, body: bytes | Part, content_range: str) -> Answer:
        return self.ask("PUT", upload, body, {"Content-Type": "video/mp4", "Content-Range": content_range}, (308, *_GONE))

    def add_rest(self, video: str, post: ConnectedPost, journal: Journal) -> None:
        """Add captions and poster; each may be repeated."""
        done, named = list(journal.session.get("done", ())), {file.name: file for file in post.files}
        for name, add in (("captions.vtt", self._add_captions), ("poster.jpg", self._set_poster)):
            if name in named and name not in done:
                add(video, named[name], journal)
                done.append(name)
                journal.save({"video": video, "done": done})

    def _add_captions(self, video: str, file: PostFile, journal: Journal) -> None:
        """Add captions, unless an earlier attempt has: there can be no second ones of a language and name."""
        boundary = secrets.token_hex(16)
        told = json.dumps({"snippet": {"videoId": video, "language": file.language, "name": ""}})
        before = (
            f"--{boundary}\r\nContent-Type: application/json\r\n\r\n{told}\r\n--{boundary}\r\nContent-Type: text/vtt\r\n\r\n"
        )
        with whole(file) as path:
            after = f"\r\n--{boundary}--\r\n".encode()
            part = Part(path, 0, file.size_bytes, journal.moved, before=before.encode(), after=after)
            headers = {"Content-Type": f"multipart/related; boundary={boundary}"}
            answer = self.ask(
                "POST", "/upload/youtube/v3/captions?uploadType=multipart&part=snippet", part, headers, expected=(409,)
            )
        if answer.status == 409 and _reason(answer) != "captionExists":
            raise answers.refusal(answer, self._tools.clock())

    def _set_poster(self, video: str, file: PostFile, journal: Journal) -> None:
        """Set the poster, where the channel may have one of its own: others keep the picture that YouTube chose."""
        if file.size_bytes > _LARGEST_POSTER:
            return
        with whole(file) as path:
            part, query = Part(path, 0, file.size_bytes, journal.moved), urlencode({"videoId": video, "uploadType": "media"})
            headers = {"Content-Type": "image/jpeg"}
            answer = self.ask("POST", f"/upload/youtube/v3/thumbnails/set?{query}", part, headers, expected=(403,))
        if answer.status == 403 and _reason(answer) in _REASONS:
            raise self._refused(answer)

    def items(self, path: str, query: dict[str, str]) -> list[dict[str, Any]]:
        listed = answers.entry(self.ask("GET", f"{path}?{urlencode(query)}")).get("items", [])
        if not isinstance(listed, list):
            raise _no_youtube()
        return [each for each in listed if isinstance(each, dict)]

    def ask(
        self, method: str, path: str, body: bytes | Part = b"", headers: dict[str, str] | None = None,
        expected: tuple[int, ...] = (),
    ) -> Answer:  # fmt: skip
        given = {"Authorization": f"Bearer {self._access()}", **(headers or {})}
        try:
            answer = self._tools.transfers.request(method, f"{self._api}{path}", given, body)
        except NotAnswered as failed:
            raise PublishError(f"The place could not be reached: {failed}. It will be tried again.", True) from None
        if 200 <= answer.status < 300 or answer.status in expected:
            return answer
        raise self._refused(answer)

    def _refused(self, answer: Answer) -> PublishError:
        """Return the error by its reason: a quota and a limit of speed have the same status as a lack of rights."""
        told = _REASONS.get(_reason(answer)) if answer.status in (400, 403, 429) else None
        if told is None:
            return answers.refusal(answer, self._tools.clock())
        return PublishError(f"The place answered {answer.status}. {told[0]}", told[1])

    def _access(self) -> str:
        """Return an access token, which is renewed in time: a long upload takes longer than one lasts."""
        now = self._tools.clock()
        if now < self._token_until:
            return self._token
        form = {"grant_type": "refresh_token"}
        form |= {name: self._given[name] for name in ("client_id", "client_secret", "refresh_token")}
        headers, body = {"Content-Type": "application/x-www-form-urlencoded"}, urlencode(form).encode()
        answer = answers.ask(self._tools.transfers, "POST", self._tokens, headers, body, expected=(400,), now=now)
        told = answers.entry(answer)
        if answer.status == 400:
            raise PublishError("The sign-in has ended or was revoked; sign in again at the connection, then retry.", False)
        token, seconds = values.plain(told.get("access_token"), 4000), told.get("expires_in")
        if token is None:
            raise _no_youtube()
        self._token, self._token_until = token, now + (seconds if isinstance(seconds, int) else 0) * 1000 - _EARLY
        return token


def _reason(answer: Answer) -> str:
    error = answers.entry(answer).get("error")
    listed = error.get("errors") if isinstance(error, dict) else None
    first = listed[0] if isinstance(listed, list) and listed else None
    return str(first.get("reason")) if isinstance(first, dict) else ""


def _identifier(video: dict[str, Any]) -> str:
    identifier = values.plain(video.get("id"), 50)
    if identifier is None:
        raise _no_youtube()
    return identifier


def _no_youtube() -> PublishError:
    return PublishError("The place does not answer as YouTube does. It will be tried again.", True)
