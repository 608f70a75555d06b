"""YouTube: a video on a channel, with captions and poster, over the Data API v3
with resumable uploads.
"""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from svc.base import clock
from svc.base.connectors import TIME, Connection, Connector, Field, Limits, SignIn
from svc.platforms import answers, values
from svc.platforms.connected import ConnectedPost, Figures, Posted, Tools, UploadState
from svc.platforms.youtube.channel import Channel

_PRIVACIES = ("public", "unlisted", "private")
_YES_OR_NO = ("yes", "no")
# YouTube refuses these signs in titles and texts. Those in their place are as long in bytes.
_READABLE = str.maketrans("<>", "()")
_SCOPES = ("youtube.upload", "youtube.force-ssl")
DESCRIPTION = Connector(
    "YouTube",
    "A channel on YouTube, by an API project of your own.",
    (
        Field(
            "client_id",
            "Client id",
            "Of an OAuth client for a web application, in your project on Google Cloud.",
        ),
        Field("client_secret", "Client secret", secret=True),
        Field(
            "refresh_token",
            "Refresh token",
            "Leave it empty to sign in with Google.",
            required=False,
            secret=True,
        ),
        Field(
            "privacy",
            "Privacy",
            "Unaudited projects have private videos alone.",
            "private",
            choices=_PRIVACIES,
        ),
        Field("category", "Category", "The number of a category, such as 27 for Education.", "27"),
        Field("made_for_kids", "Made for kids", default="no", choices=_YES_OR_NO),
    ),
    Limits(title=100, text=5000, counted="bytes", title_counted="characters"),
    beside=("captions.vtt", "poster.jpg"),
    translated=True,
    schedules=True,
    sign_in=SignIn(
        page="https://accounts.google.com/o/oauth2/v2/auth",
        tokens="https://oauth2.googleapis.com/token",
        scope=" ".join(f"https://www.googleapis.com/auth/{name}" for name in _SCOPES),
        more=(("access_type", "offline"), ("prompt", "consent")),
    ),
)


@dataclass(frozen=True)
class YouTube:
    """Uploads the video in parts that are resumed, then adds the rest.

    A video is found again by a tag with the key.
    """

    description: Connector = DESCRIPTION
    api: str = "https://www.googleapis.com"

    def check(self, fields: dict[str, str]) -> dict[str, str]:
        problems = {}
        if fields["privacy"] not in _PRIVACIES:
            problems["privacy"] = f"Give {', '.join(_PRIVACIES[:-1])} or {_PRIVACIES[-1]}."
        if not (
            fields["category"].isascii()
            and fields["category"].isdigit()
            and len(fields["category"]) < 4
        ):
            problems["category"] = "Give the number of a category, such as 27."
        if fields["made_for_kids"] not in _YES_OR_NO:
            problems["made_for_kids"] = "Give yes or no."
        if fields.get(TIME.name) and fields["privacy"] != "public":
            problems[TIME.name] = (
                "What YouTube shows at a time is public: set the privacy to public, or leave the "
                "time out."
            )
        if not fields["refresh_token"]:
            sentence = "Sign in with Google in the console, or give a refresh token."
            problems["refresh_token"] = sentence
        return problems

    def test(self, connection: Connection, tools: Tools) -> dict[str, str]:
        self._open_channel(connection, tools).find_uploads_playlist()
        return {}

    def publish(
        self, post: ConnectedPost, connection: Connection, upload_state: UploadState, tools: Tools
    ) -> Posted:
        channel = self._open_channel(connection, tools)
        if (
            upload_state.begun_anew
            and "video" in upload_state.session
            and channel.is_gone(str(upload_state.session["video"]))
        ):
            upload_state.save({})
        if "video" not in upload_state.session:
            upload_state.save(
                {"video": _publish_video(channel, post, connection.values, upload_state)}
            )
        else:
            upload_state.count_sent_before(post.video.size_bytes)
        video = str(upload_state.session["video"])
        channel.add_rest(video, post, upload_state)
        return Posted(video, f"https://www.youtube.com/watch?v={video}")

    def read_figures(
        self, post_id: str | None, connection: Connection, tools: Tools
    ) -> Figures | None:
        items = self._open_channel(connection, tools).list_items(
            "/youtube/v3/videos", {"part": "statistics", "id": post_id or "-"}
        )
        statistics = items[0].get("statistics") if items else None
        statistics = statistics if isinstance(statistics, dict) else {}
        return (
            Figures(
                values.parse_count(statistics.get("viewCount")),
                values.parse_count(statistics.get("likeCount")),
            )
            if items
            else None
        )

    def withdraw(self, post_id: str | None, connection: Connection, tools: Tools) -> None:
        if post_id:
            self._open_channel(connection, tools).ask(
                "DELETE", f"/youtube/v3/videos?{urlencode({'id': post_id})}", expected=answers.GONE
            )

    def _open_channel(self, connection: Connection, tools: Tools) -> Channel:
        tokens = self.description.sign_in.tokens if self.description.sign_in else ""
        return Channel(self.api, tokens, connection.values, tools)


def _publish_video(
    channel: Channel,
    post: ConnectedPost,
    fields: dict[str, str],
    upload_state: UploadState,
) -> str:
    """Return the id of the video, which is uploaded unless an earlier attempt has.

    The upload is asked about first: when it is gone, its video is in the list, unless it never was
    whole. Before the first attempt it is there if the database was restored since.
    """
    upload, size, tag = (
        str(upload_state.session.get("upload", "")),
        post.video.size_bytes,
        f"ref-{upload_state.key[:32]}",
    )
    sent_bytes = channel.find_progress(upload, size, upload_state) if upload else None
    if isinstance(sent_bytes, str):
        return sent_bytes
    if sent_bytes is not None:
        return channel.send(upload, post.video, sent_bytes, upload_state)
    if uploaded := channel.find_tagged(tag):
        return uploaded
    upload = channel.begin(_describe_video(post, fields, tag), size)
    upload_state.save({"upload": upload})
    return channel.send(upload, post.video, 0, upload_state)


def _describe_video(post: ConnectedPost, fields: dict[str, str], tag: str) -> dict[str, Any]:
    """Return the resource of a video (developers.google.com/youtube/v3/docs/videos)."""
    status = {"privacyStatus": fields["privacy"]}
    return {
        "snippet": {
            "title": post.title.translate(_READABLE),
            "description": post.text.translate(_READABLE),
            "tags": [*post.hashtags, tag],
            "categoryId": fields["category"],
            "defaultLanguage": post.language,
            "defaultAudioLanguage": post.language,
        },
        "status": {
            **(
                {"privacyStatus": "private", "publishAt": clock.format_time(post.publish_at)}
                if post.publish_at
                else status
            ),
            "selfDeclaredMadeForKids": fields["made_for_kids"] == "yes",
            "containsSyntheticMedia": True,
        },
    }
