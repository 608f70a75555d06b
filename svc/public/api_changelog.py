"""The changelog of the API, docs/api-changelog.md, as entries and as a feed (Atom, RFC 4287)."""

import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

NAME = "docs/api-changelog.md"
_ATOM = "http://www.w3.org/2005/Atom"
_ENTRIES = uuid.UUID("2b1d2a58-52ff-4f0b-9d86-4c7d55f3d6f1")  # the namespace of the ids of entries


@dataclass(frozen=True)
class Entry:
    """One addition. ``text``: Markdown."""

    date: str
    title: str
    text: str

    @property
    def id(self) -> str:
        """The id of the entry: the same on every server as long as date and title stay."""
        return f"urn:uuid:{uuid.uuid5(_ENTRIES, f'{self.date} {self.title}')}"


def read_entries(source: str) -> list[Entry]:
    """Return the entries of the document, newest first."""
    entries = []
    for day in re.split(r"^## ", source, flags=re.MULTILINE)[1:]:
        date, *parts = re.split(r"^### ", day, flags=re.MULTILINE)
        for part in parts:
            title, _, text = part.partition("\n")
            entries.append(Entry(date.strip(), title.strip(), text.strip()))
    return entries


def write_feed(
    entries: list[Entry], base_url: str, anchor: Callable[[str], str], html: Callable[[str], str]
) -> bytes:
    """Return the Atom feed.

    ``anchor`` and ``html``: what the page makes of a heading and of Markdown.
    """
    page, root = f"{base_url}/docs/changelog", Element("feed", xmlns=_ATOM)
    _add_texts(
        root,
        title="Changes of the Partner Production API",
        id=f"{page}.xml",
        updated=_format_midnight(entries[0].date),
    )
    _add_link(root, f"{page}.xml", "self", "application/atom+xml")
    _add_link(root, page, "alternate", "text/html")
    _add_texts(SubElement(root, "author"), name="The operator of this service")
    for each in entries:
        entry = SubElement(root, "entry")
        _add_texts(
            entry,
            title=each.title,
            id=each.id,
            updated=_format_midnight(each.date),
            published=_format_midnight(each.date),
        )
        _add_link(entry, f"{page}#{anchor(each.title)}", "alternate", "text/html")
        SubElement(entry, "content", type="html").text = html(each.text)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)


def _add_texts(parent: Element, **texts: str) -> None:
    for tag, text in texts.items():
        SubElement(parent, tag).text = text


def _add_link(parent: Element, href: str, rel: str, media_type: str) -> None:
    SubElement(parent, "link", href=href, rel=rel, type=media_type)


def _format_midnight(date: str) -> str:
    return f"{date}T00:00:00Z"
