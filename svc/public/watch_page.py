"""The content of a watch page, made from a published post for the template."""

import time
from dataclasses import dataclass
from typing import Any

from svc.base import clock, deliverable_kinds, voices
from svc.base.errors import NotFound
from svc.base.text import languages
from svc.base.text.display import to_one_line
from svc.base.text.timecodes import format_position
from svc.domain import locales
from svc.domain.watch import posts
from svc.public import chapters, transcript

# The public file names of a page and their deliverables.
_FILES = {
    name: deliverable_kinds.BY_NAME[name]
    for name in ("video.mp4", "described.mp4", "captions.vtt", "descriptions.vtt", "transcript.txt")
}
FILE_NAMES = ",".join(f'"{name}"' for name in _FILES)  # as the route names them

_LONGEST_TRANSCRIPT = 512 * 1024  # bytes; an hour of speech takes about a tenth of this
_SUMMARY = 200  # characters, as in previews of links


@dataclass(frozen=True)
class Page:
    """The content of the page.

    Paths begin after the base path; ``url`` and similar fields are absolute.
    """

    title: str
    account: str
    summary: str
    language: str
    own_name: str  # of the language
    direction: str  # "ltr" or "rtl", of the transcript
    published: str  # "20 November 2026"
    published_iso: str
    duration: str | None  # "1:05"
    voice: str | None  # the trained voices that speak
    shape: posts.Shape
    origin: str
    url: str
    path: str
    account_path: str
    feed_path: str
    poster: bool
    described: bool  # whether this is the version with spoken descriptions
    files: frozenset[str]  # public names of the available files
    shapes: list[tuple[str, str, bool]]  # label, path, whether it is the current one
    # By language: its code, its own name, its path, and whether it is the current one; empty: there
    # is one.
    languages: list[tuple[str, str, str, bool]]
    captions: list[tuple[str, str, str]]  # in further languages: code, own name, direction
    described_path: str  # of the version with spoken descriptions, which exists in one format
    transcript: transcript.Transcript
    chapters: bool  # whether there is a menu of chapters
    # The text that stands beside the video elsewhere: the lines of each paragraph after the title.
    description: list[list[str]]

    @property
    def has_several_voices(self) -> bool:
        return self.voice is not None and voices.has_several_voices(self.voice)


def build_page(post: posts.WatchPost, storage, base_url: str, described: bool) -> Page:
    """Return the page of ``post``.

    ``described``: the version with spoken descriptions, if there is one.
    """
    deliverables = posts.list_files(post.production_id, post.platform)
    siblings = posts.list_shapes(post.production_id)
    files = posts.group_files(deliverables)
    title = to_one_line(post.title)
    parsed_transcript = _read_transcript(files.get(_FILES["transcript.txt"]), title, storage)
    described = described and _FILES["described.mp4"] in files
    seconds = (
        files[_FILES["described.mp4"]]["duration_seconds"] if described else post.duration_seconds
    )
    return Page(
        title=title,
        account=to_one_line(post.account_name, "Unnamed"),
        summary=parsed_transcript.summarise(_SUMMARY) or title,
        language=post.language,
        own_name=locales.find_own_name(post.language),
        direction=_find_direction(post.language),
        published=_format_date(post.published_at),
        published_iso=clock.format_time(post.published_at),
        duration=None if seconds is None else format_position(seconds),
        voice=post.voice,
        shape=post.shape,
        origin=base_url,
        url=f"{base_url}/watch/{post.post_id}",
        path=f"/watch/{post.post_id}",
        account_path=make_account_path(post.account_id),
        feed_path=make_feed_path(post.account_id),
        poster=storage.files.has(post.poster),
        described=described,
        files=frozenset(name for name, kind in _FILES.items() if kind in files),
        shapes=_list_shapes(post, siblings),
        languages=[
            (code, locales.find_own_name(code), f"/watch/{each.post_id}", code == post.language)
            for code, each in posts.find_languages(post).items()
        ],
        captions=[
            (code, locales.find_own_name(code), _find_direction(code))
            for code in posts.find_translated_captions(post, deliverables)
        ],
        # it is rendered in the first format
        described_path=f"/watch/{siblings[0].post_id}?audio=described",
        transcript=parsed_transcript,
        chapters=bool(
            not described
            and chapters.find_chapter_starts(parsed_transcript, title, post.duration_seconds or 0)
        ),
        description=[part.split("\n") for part in (post.description or "").split("\n\n")[1:]],
    )


@dataclass(frozen=True)
class Entry:
    """One video in the list of an account."""

    title: str
    path: str
    poster: bool
    published: str
    published_iso: str
    duration: str | None
    language: str


@dataclass(frozen=True)
class AccountPage:
    """The list of an account's videos. ``older``: the path of its next page."""

    account: str
    url: str
    path: str
    feed_path: str
    entries: list[Entry]
    older: str | None
    picture: str | None  # the address of the newest poster


def build_account_page(
    account_id: str, account: posts.ShownAccount, listed: dict[str, Any], storage, base_url: str
) -> AccountPage:
    """Return the page of an account. ``listed``: a page of its posts."""
    entries = [_represent_entry(each, storage) for each in listed["data"]]
    path = make_account_path(account_id)
    picture = next((f"{base_url}{each.path}/poster.jpg" for each in entries if each.poster), None)
    return AccountPage(
        account=to_one_line(account["name"], "Unnamed"),
        url=f"{base_url}{path}",
        path=path,
        feed_path=make_feed_path(account_id),
        entries=entries,
        older=f"{path}?cursor={listed['nextCursor']}" if listed["hasMore"] else None,
        picture=picture,
    )


def make_account_path(account_id: str) -> str:
    """Return the path of the page with an account's videos."""
    return f"/watch/accounts/{account_id}"


def make_feed_path(account_id: str) -> str:
    """Return the path of an account's feed."""
    return f"/feeds/{account_id}.xml"


def _represent_entry(post: posts.WatchPost, storage) -> Entry:
    return Entry(
        title=to_one_line(post.title),
        path=f"/watch/{post.post_id}",
        poster=storage.files.has(post.poster),
        published=_format_date(post.published_at),
        published_iso=clock.format_time(post.published_at),
        duration=None if post.duration_seconds is None else format_position(post.duration_seconds),
        language=post.language,
    )


def find_chapters(post: posts.WatchPost, storage) -> str:
    """Return the chapters of ``post`` as WebVTT. NotFound: it has only one."""
    title = to_one_line(post.title)
    parsed_transcript = _read_transcript(
        posts.find_files(post).get(_FILES["transcript.txt"]), title, storage
    )
    duration = post.duration_seconds or 0
    starts = chapters.find_chapter_starts(parsed_transcript, title, duration)
    if not starts:
        raise NotFound()
    return chapters.format_chapters(starts, duration)


def find_file(post: posts.WatchPost, name: str):
    """Return the deliverable with a public name. NotFound: the production does not have it."""
    deliverable = posts.find_files(post).get(_FILES[name])
    if deliverable is None:
        raise NotFound()
    return deliverable


def find_captions_file(post: posts.WatchPost, language: str):
    """Return the captions of a post in a further language. NotFound: there are none."""
    deliverables = posts.list_files(post.production_id, post.platform)
    deliverable = posts.find_translated_captions(post, deliverables).get(language)
    if deliverable is None:
        raise NotFound()
    return deliverable


def _find_direction(code: str) -> str:
    language = languages.find_language(code)
    return language.direction if language else "ltr"


def _list_shapes(
    current: posts.WatchPost, siblings: list[posts.WatchPost]
) -> list[tuple[str, str, bool]]:
    if len(siblings) < 2:
        return []
    return [
        (post.shape.name.capitalize(), f"/watch/{post.post_id}", post.post_id == current.post_id)
        for post in siblings
    ]


def _read_transcript(deliverable, title: str, storage) -> transcript.Transcript:
    """Return the transcript, or an empty one if the file is missing."""
    if not deliverable:
        return transcript.parse_transcript("", title)
    try:
        text = storage.files.read(deliverable["file"], 0, _LONGEST_TRANSCRIPT).decode(
            "utf-8", "replace"
        )
    except (FileNotFoundError, IsADirectoryError):
        text = ""
    return transcript.parse_transcript(text, title)


def _format_date(at: int) -> str:
    moment = time.gmtime(at // clock.SECOND)
    return f"{moment.tm_mday} {_MONTHS[moment.tm_mon - 1]} {moment.tm_year}"


_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
