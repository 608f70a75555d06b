"""An account's feed of published videos: RSS 2.0 with Media RSS,
which podcast players support too.
"""

from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from svc.base.text.display import to_one_line
from svc.domain.watch.posts import WatchPost
from svc.public.rss import ATOM, ITUNES, add_texts, format_date
from svc.public.watch_page import make_account_path, make_feed_path

_MEDIA = "http://search.yahoo.com/mrss/"
for _prefix, _namespace in (("atom", ATOM), ("media", _MEDIA), ("itunes", ITUNES)):
    ElementTree.register_namespace(_prefix, _namespace)


def write_feed(
    account_id: str,
    account_name: str,
    posts_by_production: list[list[WatchPost]],
    storage,
    base_url: str,
) -> bytes:
    """Return the XML.

    ``posts_by_production``: the posts of each production, newest first; the feed links the first.
    """
    name = to_one_line(account_name, "Unnamed")
    rss = Element("rss", version="2.0")
    channel = SubElement(rss, "channel")
    link = f"{base_url}{make_account_path(account_id)}"
    add_texts(
        channel, title=name, link=link, description=f"Videos published by {name}. Made with AI."
    )
    itself = f"{base_url}{make_feed_path(account_id)}"
    SubElement(channel, f"{{{ATOM}}}link", href=itself, rel="self", type="application/rss+xml")
    add_texts(channel, ITUNES, author=name, explicit="false")
    if posts_by_production:
        add_texts(channel, lastBuildDate=format_date(posts_by_production[0][0].published_at))
    for posts in posts_by_production:
        _add_item(channel, posts, storage, base_url)
    return ElementTree.tostring(rss, encoding="utf-8", xml_declaration=True)


def _add_item(channel: Element, posts: list[WatchPost], storage, base_url: str) -> None:
    """Add one production as one item, however many formats it has."""
    first = posts[0]
    title, page = to_one_line(first.title), f"{base_url}/watch/{first.post_id}"
    item = SubElement(channel, "item")
    add_texts(
        item,
        title=title,
        link=page,
        description=f"{title}. A video made with AI.",
        pubDate=format_date(first.published_at),
    )
    SubElement(item, "guid", isPermaLink="false").text = f"urn:uuid:{first.production_id}"
    SubElement(
        item, "enclosure", url=f"{page}/video.mp4", length=str(first.size_bytes), type="video/mp4"
    )
    if first.duration_seconds is not None:
        add_texts(item, ITUNES, duration=str(max(1, round(first.duration_seconds))))
    group = SubElement(item, f"{{{_MEDIA}}}group")
    for post in posts:
        _add_content(group, post, post is first, base_url)
    SubElement(group, f"{{{_MEDIA}}}title", type="plain").text = title
    if storage.files.has(first.poster):
        shape = first.shape
        SubElement(
            group,
            f"{{{_MEDIA}}}thumbnail",
            url=f"{page}/poster.jpg",
            width=str(shape.width),
            height=str(shape.height),
        )


def _add_content(group: Element, post: WatchPost, is_default: bool, base_url: str) -> None:
    shape = post.shape
    attributes = {
        "url": f"{base_url}/watch/{post.post_id}/video.mp4",
        "fileSize": str(post.size_bytes),
        "type": "video/mp4",
        "medium": "video",
        "isDefault": "true" if is_default else "false",
        "width": str(shape.width),
        "height": str(shape.height),
        "lang": post.language,
    }
    if post.duration_seconds is not None:
        attributes["duration"] = str(max(1, round(post.duration_seconds)))
    SubElement(group, f"{{{_MEDIA}}}content", attributes)
