"""Mastodon, and servers of the fediverse that speak its API."""

import json
import re
from dataclasses import dataclass
from typing import Any

from svc.adapters import transfers
from svc.adapters.transfers import Answer, Part
from svc.base import clock
from svc.base.connectors import Connection, Connector, Field, Limits
from svc.platforms import answers, values
from svc.platforms.base import PublishError
from svc.platforms.connected import (
    ConnectedPost,
    Figures,
    Posted,
    Tools,
    UploadState,
    open_verified,
)

_VISIBILITIES = ("public", "unlisted", "private")
_LARGEST = 103_809_024  # bytes of a video, by default of its settings: 99 MiB
_LONGEST_ALT = 1500  # characters that describe a video
_LONGEST_ID = 200  # characters
_NEWEST = 40  # statuses in which an earlier attempt's is looked for
_PROCESSING = (202, 206)
# The status of an upload that cannot be processed, or of a post whose upload is not processed yet,
# or in which something is wrong.
_FAILED = 422
_AHEAD = 6 * clock.MINUTE  # a time that it takes is at least five minutes ahead
_SCHEDULED = re.compile(r"scheduled-([A-Za-z0-9]+)-([A-Za-z0-9]+)")


@dataclass(frozen=True)
class Mastodon:
    """Uploads the video, then posts a status with it.

    A status is found again by the upload, which no other can have.
    """

    description = Connector(
        "Mastodon",
        "A Mastodon account, whose statuses show the video.",
        (
            Field("url", "Address of the server", "Such as https://mastodon.social"),
            Field(
                "token",
                "Access token",
                "Of an application with the OAuth scopes read, write:media and write:statuses.",
                secret=True,
            ),
            Field("visibility", "Visibility", default="public", choices=_VISIBILITIES),
        ),
        Limits(text=500, counted="graphemes", size=_LARGEST),
        schedules=True,
        text="{title}\n\n{summary}\n\n{disclosure}\n\n{hashtags}",
    )

    def check(self, fields: dict[str, str]) -> dict[str, str]:
        problems = values.check_url(fields, "url")
        if fields["visibility"] not in _VISIBILITIES:
            problems["visibility"] = f"Give {', '.join(_VISIBILITIES[:-1])} or {_VISIBILITIES[-1]}."
        return problems

    def test(self, connection: Connection, tools: Tools) -> dict[str, str]:
        _Api(connection, tools).find_own_id()
        return {}

    def publish(
        self, post: ConnectedPost, connection: Connection, upload_state: UploadState, tools: Tools
    ) -> Posted:
        api, session = _Api(connection, tools), upload_state.session
        if session.get("posting") and (posted := api.find_post(session["media"])):
            upload_state.count_sent_before(post.video.size_bytes)
            return posted
        # An upload that is in no status is removed there after a day; one that was not stored here,
        # too.
        state = api.ask_state(session["media"]) if "media" in session else None
        if state is None or state.status in answers.GONE:
            media = api.upload(post, upload_state)
            upload_state.save({"media": media})
            state = api.ask_state(media)
        else:
            media = str(session["media"])
            upload_state.count_sent_before(post.video.size_bytes)
        _require_ready(state, upload_state)
        at = _check_time(post.publish_at, tools.clock())
        upload_state.save({"media": media, "posting": True})
        return api.post_status(post, media, upload_state, connection.values["visibility"], at)

    def read_figures(
        self, post_id: str | None, connection: Connection, tools: Tools
    ) -> Figures | None:
        api, became = _Api(connection, tools), None
        if scheduled := _SCHEDULED.fullmatch(post_id or ""):
            became = api.find_status(scheduled[2])
            if became is None and api.is_waiting(scheduled[1]):
                raise PublishError("The place has not shown the status yet.", True)
            post_id = became.post_id if became else None
        if not post_id or not post_id.isalnum():
            return None
        answer = api.ask("GET", f"/api/v1/statuses/{post_id}", expected=(404,))
        reply = answers.read_json_object(answer)
        likes = values.parse_count(reply.get("favourites_count"))
        shares = values.parse_count(reply.get("reblogs_count"))
        return None if answer.status == 404 else Figures(None, likes, shares, became)

    def withdraw(self, post_id: str | None, connection: Connection, tools: Tools) -> None:
        """Remove a status, whether it was shown or still waits for its time."""
        api = _Api(connection, tools)
        if scheduled := _SCHEDULED.fullmatch(post_id or ""):
            api.ask("DELETE", f"/api/v1/scheduled_statuses/{scheduled[1]}", expected=(404,))
            became = api.find_status(scheduled[2])
            post_id = became.post_id if became else None
        if post_id and post_id.isalnum():
            api.ask("DELETE", f"/api/v1/statuses/{post_id}", expected=(404,))


class _Api:
    """The requests that publishing needs (docs.joinmastodon.org/methods)."""

    def __init__(self, connection: Connection, tools: Tools):
        self._base, self._tools = connection.values["url"].rstrip("/"), tools
        self._headers = {"Authorization": f"Bearer {connection.values['token']}"}

    def find_own_id(self) -> str:
        return _read_identifier(self.ask("GET", "/api/v1/accounts/verify_credentials"))

    def upload(self, post: ConnectedPost, upload_state: UploadState) -> str:
        """Upload the video and return the identifier of the upload,
        which may still be processed.
        """
        with open_verified(post.video) as path:
            part = Part(path, 0, post.video.size_bytes, upload_state.count_sent)
            fields = {"description": post.title[:_LONGEST_ALT]}
            answer = self.ask(
                "POST",
                "/api/v2/media",
                *transfers.encode_form(fields, "file", "video.mp4", "video/mp4", part),
            )
        return _read_identifier(answer)

    def ask_state(self, media: str) -> Answer:
        """Return what the place says about an upload that is not in any status yet; see
        :func:`_require_ready`.
        """
        return self.ask("GET", f"/api/v1/media/{media}", expected=(*answers.GONE, _FAILED))

    def find_post(self, media: str) -> Posted | None:
        """Return what an earlier attempt made of an upload: a status that waits for its time,
        or one that is shown.
        """
        scheduled_posts = answers.read_json(
            self.ask("GET", f"/api/v1/scheduled_statuses?limit={_NEWEST}", expected=(404,))
        )
        for scheduled in scheduled_posts if isinstance(scheduled_posts, list) else ():
            params = scheduled.get("params") if isinstance(scheduled, dict) else None
            ids = params.get("media_ids") if isinstance(params, dict) else None
            if (
                isinstance(ids, list)
                and media in [str(each) for each in ids]
                and (identifier := _read_id(scheduled))
            ):
                return _make_scheduled_post(identifier, media)
        return self.find_status(media)

    def is_waiting(self, scheduled: str) -> bool:
        return (
            self.ask("GET", f"/api/v1/scheduled_statuses/{scheduled}", expected=(404,)).status
            != 404
        )

    def find_status(self, media: str) -> Posted | None:
        """Return the newest status of the account that shows an upload; None: there is none."""
        statuses = answers.read_json(
            self.ask(
                "GET",
                (
                    f"/api/v1/accounts/{self.find_own_id()}/statuses?limit={_NEWEST}&"
                    "exclude_reblogs=true&only_media=true"
                ),
            )
        )
        for status in statuses if isinstance(statuses, list) else ():
            attachments = status.get("media_attachments") if isinstance(status, dict) else None
            if isinstance(attachments, list) and any(
                isinstance(each, dict) and str(each.get("id")) == media for each in attachments
            ):
                return _make_post(status)
        return None

    def post_status(
        self,
        post: ConnectedPost,
        media: str,
        upload_state: UploadState,
        visibility: str,
        at: int | None,
    ) -> Posted:
        status = {
            "status": post.text,
            "media_ids": [media],
            "visibility": visibility,
            "language": post.language.partition("-")[0],
            **({"scheduled_at": clock.format_time(at)} if at else {}),
        }
        answer = self._post(status, upload_state.key, expected=(404, _FAILED))
        # _FAILED is the answer also while the upload is processed. If that is ready by now,
        # something is wrong with the status.
        if answer.status == _FAILED:
            _require_ready(self.ask_state(media), upload_state)
            answer = self._post(status, upload_state.key, expected=(404,))
        if answer.status == 404:  # under this key there was a status that has been removed since
            answer = self._post(status, f"{upload_state.key}-{media}")
        identifier, reply = _read_identifier(answer), answers.read_json_object(answer)
        return (
            _make_scheduled_post(identifier, media)
            if "scheduled_at" in reply
            else _make_post(reply)
        )

    def _post(self, status: dict[str, Any], key: str, expected: tuple[int, ...] = ()) -> Answer:
        headers = {"Content-Type": "application/json", "Idempotency-Key": key}
        return self.ask("POST", "/api/v1/statuses", headers, json.dumps(status).encode(), expected)

    def ask(
        self,
        method: str,
        path: str,
        headers: dict[str, str] | None = None,
        body: bytes | Part = b"",
        expected: tuple[int, ...] = (),
    ) -> Answer:
        url, all_headers = self._base + path, {**self._headers, **(headers or {})}
        return answers.make_request(
            self._tools.transfers,
            method,
            url,
            all_headers,
            body,
            expected=expected,
            now=self._tools.clock(),
            api="Mastodon",
        )


def _require_ready(state: Answer, upload_state: UploadState) -> None:
    """PublishError: the place is still processing an upload, and is asked again; it is gone,
    or cannot be processed.
    """
    if state.status in _PROCESSING:
        raise PublishError("The place is still processing the video. It will be asked again.", True)
    if state.status in answers.GONE:
        upload_state.save({})
        raise PublishError(
            "The place does not have the video any more. It will be tried again.", True
        )
    if state.status == _FAILED:
        upload_state.save({})
        raise PublishError(
            f"{answers.describe(state)} It could not process the video; a retry of the publication "
            "uploads it anew.",
            False,
        )


def _read_identifier(answer: Answer) -> str:
    """Return the id in an answer, which goes into addresses.

    PublishError: there is none, so this is no such server.
    """
    identifier = _read_id(answers.read_json_object(answer))
    if identifier is None:
        raise answers.make_protocol_error("Mastodon")
    return identifier


def _read_id(entry: dict[str, Any]) -> str | None:
    """Return the id of an entry; None: there is none of letters and digits."""
    identifier = values.read_printable_line(entry.get("id"), _LONGEST_ID)
    return identifier if identifier and identifier.isascii() and identifier.isalnum() else None


def _check_time(at: int | None, now: int) -> int | None:
    """Return the time that the place is told; None: none.

    PublishError: it is too near for that, and waited for here.
    """
    if at is None or at <= now:
        return None
    if at - now < _AHEAD:
        seconds = -(-(at - now) // clock.SECOND)
        raise PublishError(
            "The place takes no time that is so near; the status is posted when it has come.",
            True,
            seconds,
        )
    return at


def _make_scheduled_post(scheduled: str, media: str) -> Posted:
    """Return a status that waits for its time.

    It gets another id, and is found by its upload then.
    """
    return Posted(f"scheduled-{scheduled}-{media}")


def _make_post(status: dict[str, Any]) -> Posted:
    return Posted(
        values.read_printable_line(status.get("id"), _LONGEST_ID),
        values.parse_web_address(status.get("url")),
    )
