"""What the feeds of videos and of podcasts have in common: elements of RSS 2.0."""

from email.utils import formatdate
from xml.etree.ElementTree import Element, SubElement

from svc.base import clock

ATOM = "http://www.w3.org/2005/Atom"
ITUNES = "http://www.itunes.com/dtds/podcast-1.0.dtd"


def add_texts(parent: Element, namespace: str = "", **texts: str) -> None:
    """Add an element with a text for each tag."""
    for tag, text in texts.items():
        SubElement(parent, f"{{{namespace}}}{tag}" if namespace else tag).text = text


def format_date(at: int) -> str:
    """Return the date as RFC 822 defines it, which RSS 2.0 requires."""
    return formatdate(at // clock.SECOND, usegmt=True)
