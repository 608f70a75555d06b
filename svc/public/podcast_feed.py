"""The feed of a podcast: RSS 2.0 with the tags of Apple Podcasts and of
Podcasting 2.0 (podcasting2.org/docs).
"""

import uuid
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from svc.base import deliverable_kinds, media_types
from svc.base.text.display import to_one_line
from svc.base.text.timecodes import format_full_position
from svc.domain.watch import podcasts
from svc.domain.watch.podcasts import Episode, Show
from svc.public.rss import ATOM, ITUNES, add_texts, format_date

_CHAPTERS = "http://podlove.org/simple-chapters"  # which more players know than podcast:chapters
_PODCAST = "https://podcastindex.org/namespace/1.0"
for _prefix, _namespace in (
    ("atom", ATOM),
    ("itunes", ITUNES),
    ("podcast", _PODCAST),
    ("psc", _CHAPTERS),
):
    ElementTree.register_namespace(_prefix, _namespace)

_GUIDS = uuid.UUID("ead4c236-bf58-58c6-a2c6-a6b28d128cb6")  # the namespace of podcast:guid
TRANSCRIPTS = ("captions.vtt", "captions.srt", "transcript.txt")  # deliverables, as players read


def write_feed(show: Show, episodes: list[Episode], base_url: str) -> bytes:
    """Return the XML. ``episodes``: newest first."""
    rss = Element("rss", version="2.0")
    channel = SubElement(rss, "channel")
    _add_channel(channel, show, episodes, base_url)
    for episode in episodes:
        _add_item(channel, episode, f"{base_url}/podcasts/{show.id}/{episode.post_id}")
    return ElementTree.tostring(rss, encoding="utf-8", xml_declaration=True)


def _add_channel(channel: Element, show: Show, episodes: list[Episode], base_url: str) -> None:
    settings, feed_url = show.settings, f"{base_url}/podcasts/{show.id}.xml"
    name = to_one_line(settings["show"] or show.account_name, "Unnamed")
    author = to_one_line(settings["author"] or show.account_name, "Unnamed")
    about = _clean_lines(settings["about"]) or f"{name}. Made with AI."
    add_texts(channel, title=name, link=settings["website"] or f"{base_url}/", description=about)
    add_texts(
        channel, language=episodes[0].language if episodes else "en", generator="partner-production"
    )
    SubElement(channel, f"{{{ATOM}}}link", href=feed_url, rel="self", type="application/rss+xml")
    add_texts(channel, ITUNES, author=author, explicit="false", type="episodic", summary=about)
    SubElement(channel, f"{{{ITUNES}}}category", text=settings["category"])
    if settings["image"]:
        SubElement(channel, f"{{{ITUNES}}}image", href=settings["image"])
    if settings["email"]:
        owner = SubElement(channel, f"{{{ITUNES}}}owner")
        add_texts(owner, ITUNES, name=author, email=settings["email"])
    add_texts(
        channel,
        _PODCAST,
        guid=str(uuid.uuid5(_GUIDS, feed_url.partition("://")[2])),
        medium="podcast",
    )
    if episodes:
        add_texts(channel, lastBuildDate=format_date(episodes[0].published_at))


def _add_item(channel: Element, episode: Episode, place: str) -> None:
    title, item = to_one_line(episode.title), SubElement(channel, "item")
    text = _clean_lines(episode.text) or title
    add_texts(item, title=title, description=text, pubDate=format_date(episode.published_at))
    SubElement(item, "guid", isPermaLink="false").text = f"urn:uuid:{episode.production_id}"
    SubElement(
        item,
        "enclosure",
        url=f"{place}/sound.m4a",
        length=str(episode.sound_bytes),
        type="audio/x-m4a",
    )
    add_texts(item, ITUNES, title=title, summary=text, explicit="false", episodeType="full")
    if episode.duration_seconds is not None:
        add_texts(item, ITUNES, duration=str(max(1, round(episode.duration_seconds))))
    _add_podcast_tags(item, episode, place)


def _add_podcast_tags(item: Element, episode: Episode, place: str) -> None:
    """Add captions, transcript, chapters and the video."""
    kinds = podcasts.find_files(episode)
    for name in TRANSCRIPTS:
        kind = deliverable_kinds.BY_NAME[name]
        if kind in kinds:
            captions = {"rel": "captions"} if kind.type == "ClosedCaptions" else {}
            attributes = {
                "url": f"{place}/{name}",
                "type": media_types.find_media_type(name).partition(";")[0],
                "language": episode.language,
                **captions,
            }
            SubElement(item, f"{{{_PODCAST}}}transcript", attributes)
    if episode.chapters:
        SubElement(
            item,
            f"{{{_PODCAST}}}chapters",
            url=f"{place}/chapters.json",
            type="application/json+chapters",
        )
        chapters = SubElement(item, f"{{{_CHAPTERS}}}chapters", version="1.2")
        for seconds, title in episode.chapters:
            start = format_full_position(seconds)
            SubElement(chapters, f"{{{_CHAPTERS}}}chapter", start=start, title=to_one_line(title))
    video = {
        "type": "video/mp4",
        "length": str(episode.video_bytes),
        "title": "Video",
        "lang": episode.language,
    }
    enclosure = SubElement(item, f"{{{_PODCAST}}}alternateEnclosure", video)
    SubElement(enclosure, f"{{{_PODCAST}}}source", uri=f"{place}/video.mp4")


def _clean_lines(text: str) -> str:
    """Return text without characters that XML forbids, or that change how others are shown."""
    return "\n".join(to_one_line(line, "") for line in text.split("\n")).strip()
