"""WordPress: a post with the video, its captions and its poster, over the REST API of the site."""

import base64
import html
import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from svc.adapters import transfers
from svc.adapters.transfers import Answer, Part
from svc.base import clock, media_types
from svc.base.connectors import TIME, Connection, Connector, Field, Limits
from svc.platforms import answers, folder, values
from svc.platforms.base import PublishError
from svc.platforms.connected import (
    ConnectedPost,
    Posted,
    PostFile,
    Tools,
    UploadState,
    open_verified,
)

_STATUSES = ("publish", "private", "pending", "draft")
_TRACKS = {"captions.vtt": "captions", "descriptions.vtt": "descriptions"}
_UPLOADED = ("video.mp4", *_TRACKS, "poster.jpg")
_NEEDED = {"upload_files": "upload files", "edit_posts": "write posts"}
_LONGEST_REASON = 300
_KEY_SHOWN = 16  # characters of the idempotency key in slugs: 64 bits, which no other post has


@dataclass(frozen=True)
class WordPress:
    """Uploads the files to the media library, then makes a post.

    Everything is found again by a slug with this post's key.
    """

    description = Connector(
        "WordPress",
        "A WordPress site, whose posts show the video with captions and poster.",
        (
            Field("url", "Address of the site", "Such as https://blog.example.com"),
            Field("user", "User name"),
            Field(
                "password",
                "Application password",
                "Made in the user's profile on the site.",
                secret=True,
            ),
            Field("status", "Status of posts", default="publish", choices=_STATUSES),
        ),
        Limits(title=200),
        beside=_UPLOADED,
        schedules=True,
        text="{summary}\n\n{chapters}\n\n{disclosure}",
    )

    def check(self, fields: dict[str, str]) -> dict[str, str]:
        problems = values.check_url(fields, "url")
        if ":" in fields["user"]:
            problems["user"] = "Give the user name, without a colon."
        if fields["status"] not in _STATUSES:
            problems["status"] = f"Give {', '.join(_STATUSES[:-1])} or {_STATUSES[-1]}."
        if fields.get(TIME.name) and fields["status"] != "publish":
            problems[TIME.name] = (
                "Only posts of the status publish are shown at a time: give that status, or leave "
                "the time out."
            )
        return problems

    def test(self, connection: Connection, tools: Tools) -> dict[str, str]:
        _Site(connection, tools).require_rights(connection.values["status"])
        return {}

    def publish(
        self, post: ConnectedPost, connection: Connection, upload_state: UploadState, tools: Tools
    ) -> Posted:
        site, session = _Site(connection, tools), dict(upload_state.session)
        # the title may be made otherwise at the next attempt, when the connection was renewed
        if "slug" not in session:
            words = folder.name_folder(post, "landscape").removesuffix(post.production_id)
            session = {"slug": f"{words}{upload_state.key[:_KEY_SHOWN]}".lower()}
            upload_state.save(session)
        slug = str(session["slug"])
        if post_there := site.find_post(slug):
            return _make_post(post_there)
        media = {
            file.name: site.upload_file(slug, file, upload_state)
            for file in post.files
            if file.name in _UPLOADED
        }
        return _make_post(site.make_post(slug, post, media, connection.values["status"]))

    def withdraw(self, post_id: str | None, connection: Connection, tools: Tools) -> None:
        """Delete the files, then the post, by whose slug they are found: this may be repeated."""
        if not post_id or not post_id.isdigit():
            return
        site = _Site(connection, tools)
        answer = site.ask("GET", f"posts/{post_id}", {"context": "edit"}, expected=(404,))
        slug = answers.read_json_object(answer).get("slug")
        if answer.status == 404 or not isinstance(slug, str):
            return
        for name in _UPLOADED:
            for entry in site.find_by_slug("media", _make_slug(slug, name)):
                site.delete("media", entry)
        site.delete("posts", answers.read_json_object(answer))


class _Site:
    """The requests that publishing needs (developer.wordpress.org/rest-api/reference)."""

    def __init__(self, connection: Connection, tools: Tools):
        self._base, self._tools = connection.values["url"].rstrip("/"), tools
        pair = f"{connection.values['user']}:{connection.values['password']}"
        self._headers = {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}

    def require_rights(self, status: str) -> None:
        """PublishError: the user may not upload or write posts, or this is no WordPress."""
        may = answers.read_json_object(self.ask("GET", "users/me", {"context": "edit"})).get(
            "capabilities"
        )
        if not isinstance(may, dict):
            raise answers.make_protocol_error("WordPress")
        required = _NEEDED | (
            {"publish_posts": "publish posts"} if status in ("publish", "private") else {}
        )
        if missing := [lack for right, lack in required.items() if not may.get(right)]:
            raise PublishError(
                f"The user may not {' or '.join(missing)}; give it the role Author on the site.",
                False,
            )

    def find_by_slug(self, collection: str, slug: str) -> list[dict[str, Any]]:
        """Return the posts or media of a slug in any status, oldest first."""
        query = {"slug": slug, "context": "edit", "order": "asc", "orderby": "id"}
        # of media this would be refused
        query |= {"status": "any"} if collection == "posts" else {}
        entries = answers.read_json(self.ask("GET", collection, query))
        if not isinstance(entries, list):
            raise answers.make_protocol_error("WordPress")
        return [each for each in entries if isinstance(each, dict) and each.get("slug") == slug]

    def find_post(self, slug: str) -> dict[str, Any] | None:
        """Return the post of a slug, and delete later ones, which an attempt that seemed lost has
        made.
        """
        posts = self.find_by_slug("posts", slug)
        for duplicate in posts[1:]:
            self.delete("posts", duplicate)
        return posts[0] if posts else None

    def upload_file(self, slug: str, file: PostFile, upload_state: UploadState) -> dict[str, Any]:
        """Return the entry of a file in the media library, to which it is uploaded if it
        is not there.
        """
        file_slug = _make_slug(slug, file.name)
        if uploads := self.find_by_slug("media", file_slug):
            upload_state.count_sent_before(file.size_bytes)
            return uploads[0]
        media_type = media_types.find_media_type(file.name).partition(";")[0]
        with open_verified(file) as path:
            part = Part(path, 0, file.size_bytes, upload_state.count_sent)
            fields = {"slug": file_slug, "title": file_slug}
            headers, body = transfers.encode_form(
                fields, "file", f"{slug}{_find_suffix(file.name)}", media_type, part
            )
            answer = self.ask("POST", "media", {}, body, headers, expected=(400, 500))
        if answer.status in (400, 500):
            raise _upload_refused(answer, self._tools.clock())
        return answers.read_json_object(answer)

    def make_post(
        self, slug: str, post: ConnectedPost, media: dict[str, dict[str, Any]], status: str
    ) -> dict[str, Any]:
        content = {
            "title": html.escape(post.title),
            "slug": slug,
            "status": status,
            "content": _write_content(post, media),
            "tags": [self._tag(name) for name in post.hashtags],
            "featured_media": media.get("poster.jpg", {}).get("id", 0),
        }
        if post.publish_at:
            content |= {"status": "future", "date_gmt": clock.format_time(post.publish_at)}
        entry = answers.read_json_object(
            self.ask("POST", "posts", {}, json.dumps(content).encode(), _JSON)
        )
        if entry.get("slug") == slug:
            return entry
        if not (existing := self.find_post(slug)):
            raise answers.make_protocol_error("WordPress")
        # an attempt that seemed lost was faster: the slug of this one has a number
        self.delete("posts", entry)
        return existing

    def _tag(self, name: str) -> int:
        """Return the id of a tag, which is made if there is none."""
        answer = self.ask(
            "POST", "tags", {}, json.dumps({"name": name}).encode(), _JSON, expected=(400,)
        )
        reply = answers.read_json_object(answer)
        existing_id = reply["data"].get("term_id") if isinstance(reply.get("data"), dict) else None
        identifier = reply.get("id") if answer.status != 400 else existing_id
        if isinstance(identifier, int):
            return identifier
        if answer.status == 400:
            raise answers.make_error(answer, self._tools.clock())
        raise answers.make_protocol_error("WordPress")

    def delete(self, collection: str, entry: dict[str, Any]) -> None:
        if isinstance(entry.get("id"), int):
            self.ask(
                "DELETE", f"{collection}/{entry['id']}", {"force": "true"}, expected=(404, 410)
            )

    def ask(
        self,
        method: str,
        route: str,
        query: dict[str, str],
        body: bytes | Part = b"",
        headers: dict[str, str] | None = None,
        expected: tuple[int, ...] = (),
    ) -> Answer:
        """Make a request by ``rest_route``, which every site answers,
        also one without pretty addresses.
        """
        url = f"{self._base}/?{urlencode({'rest_route': f'/wp/v2/{route}', **query})}"
        all_headers = {**self._headers, **(headers or {})}
        return answers.make_request(
            self._tools.transfers,
            method,
            url,
            all_headers,
            body,
            expected=expected,
            now=self._tools.clock(),
            explain=_make_credentials_error,
            api="WordPress",
        )


def _make_credentials_error(answer: Answer) -> PublishError | None:
    """Return the error for an answer by which WordPress has seen no credentials at all."""
    if (
        answer.status not in (401, 403)
        or answers.read_json_object(answer).get("code") != "rest_not_logged_in"
    ):
        return None
    return PublishError(
        f"{answers.describe(answer)} No user and password arrived there: the web server of the "
        "site does not pass the Authorization header on (Apache does with CGIPassAuth On), or "
        "application passwords are switched off.",
        False,
    )


_JSON = {"Content-Type": "application/json"}


def _make_slug(slug: str, name: str) -> str:
    return f"{slug}-{name.replace('.', '-')}"


def _find_suffix(name: str) -> str:
    return f"-{name}"


def _upload_refused(answer: Answer, now: int) -> PublishError:
    """Return the error for an upload that PHP has refused by its limits,
    which WordPress answers like an outage.
    """
    reply = answers.read_json_object(answer)
    if str(reply.get("code", "")).startswith("rest_upload"):
        reason = values.read_printable_line(reply.get("message"), _LONGEST_REASON) or "no reason"
        return PublishError(
            f"The place answered {answer.status}: it does not take this file. It says: {reason} If "
            "it is too large, raise upload_max_filesize and post_max_size of its PHP, then retry "
            "the publication.",
            False,
        )
    return answers.make_error(answer, now)


def _write_content(post: ConnectedPost, media: dict[str, dict[str, Any]]) -> str:
    """Return the HTML of the post."""
    addresses = {name: _read_address(entry) for name, entry in media.items()}
    tracks = [
        (
            f'<track kind="{_TRACKS[file.name]}" srclang="{html.escape(file.language)}" '
            f'src="{addresses[file.name]}" />'
        )
        for file in post.files
        if file.name in _TRACKS
    ]
    poster = f' poster="{addresses["poster.jpg"]}"' if "poster.jpg" in addresses else ""
    video = (
        f'<video controls preload="metadata"{poster} '
        f'src="{addresses["video.mp4"]}">{"".join(tracks)}</video>'
    )
    return f'<figure class="wp-block-video">{video}</figure>\n{_write_paragraphs(post.text)}'


def _write_paragraphs(text: str) -> str:
    """Return text as paragraphs.

    Brackets are written so that no shortcode of the site is carried out.
    """
    escaped = html.escape(text).replace("[", "&#91;").replace("]", "&#93;")
    return "\n".join(
        f"<p>{line}</p>"
        for line in (re.sub(r"\n", "<br />", each) for each in re.split(r"\n{2,}", escaped))
        if line
    )


def _read_address(entry: dict[str, Any]) -> str:
    """Return the escaped address of a file in the library. PublishError: there is none."""
    address = values.parse_web_address(entry.get("source_url"))
    if address is None:
        raise answers.make_protocol_error("WordPress")
    return html.escape(address)


def _make_post(entry: dict[str, Any]) -> Posted:
    return Posted(
        values.read_printable_line(entry.get("id"), 20),
        values.parse_web_address(entry.get("link")),
    )
