"""A podcast of this server: a feed with an episode for each production,
which directories and apps subscribe to.
"""

from dataclasses import dataclass

from svc.base.connectors import Connection, Connector, Field, Limits
from svc.platforms import values
from svc.platforms.connected import ConnectedPost, Posted, Tools, UploadState

# The categories of podcasters.apple.com/support/1691-apple-podcasts-categories, which other
# directories use, too.
CATEGORIES = (
    "Arts", "Business", "Comedy", "Education", "Fiction", "Government", "Health & Fitness",
    "History", "Kids & Family", "Leisure", "Music", "News", "Religion & Spirituality", "Science",
    "Society & Culture", "Sports", "TV & Film", "Technology", "True Crime",
)  # fmt: skip
_ADDRESSES = ("image", "website")


@dataclass(frozen=True)
class Podcast:
    """Stores the sound of a video beside it; the feed shows what is recorded as published,
    so that nothing appears twice.
    """

    description = Connector(
        "Podcast",
        "A podcast feed of this server, with the sound of the videos, captions and chapters.",
        (
            Field(
                "show",
                "Name of the podcast",
                "The account's name if you give none.",
                required=False,
            ),
            Field("author", "Author", "The account's name if you give none.", required=False),
            Field("about", "Description", "What listeners can expect.", required=False, lines=True),
            Field(
                "category", "Category", "As Apple Podcasts has it.", "Education", choices=CATEGORIES
            ),
            Field(
                "image",
                "Cover",
                "The address of a square picture, 1,400 to 3,000 pixels wide.",
                required=False,
            ),
            Field("website", "Website", "The address that the podcast links to.", required=False),
            Field("email", "Owner's e-mail", "Directories verify the owner by it.", required=False),
        ),
        Limits(title=150, text=4000, counted="bytes"),
        shapes=("landscape",),
        uploads=False,
        schedules=True,
        feed="podcasts/{id}.xml",
    )

    def check(self, fields: dict[str, str]) -> dict[str, str]:
        problems = {
            name: "Give a whole address such as https://example.com/cover.jpg."
            for name in _ADDRESSES
            if fields[name] and values.parse_web_address(fields[name]) is None
        }
        if fields["category"] not in CATEGORIES:
            problems["category"] = f"Give one of {', '.join(CATEGORIES)}."
        if fields["email"] and not (
            fields["email"].isprintable() and fields["email"].strip("@").count("@") == 1
        ):
            problems["email"] = "Give an e-mail address such as ada@example.com."
        return problems

    def test(self, connection: Connection, tools: Tools) -> dict[str, str]:
        return {}

    def publish(
        self, post: ConnectedPost, connection: Connection, upload_state: UploadState, tools: Tools
    ) -> Posted:
        upload_state.count_sent(0)
        size = post.keep_sound(lambda: upload_state.count_sent(0))
        details = {
            "title": post.title,
            "text": post.text,
            "soundBytes": size,
            "chapters": [list(each) for each in post.chapters],
        }
        return Posted(upload_state.key, None, details)

    def withdraw(self, post_id: str | None, connection: Connection, tools: Tools) -> None:
        """Do nothing: the feed and its files follow what is recorded."""
