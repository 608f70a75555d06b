"""Links that a reader of Markdown sees: not those in code, comments, front matter or struck text, nor addresses of pictures."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from markdown_it.token import Token

from svc.base.text import front_matter, html_text
from svc.base.text.markdown import brief_reader

_PARSER = brief_reader()
_LONGEST_TEXT = 100_000  # characters that are searched for links
_ADDRESS = re.compile(r"https://[^\s<>()\[\]\"'`|*]+")
_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}", re.IGNORECASE)
_LONGEST = 120  # characters; a longer one makes a QR code that telephones fail to read
_LONGEST_CALL = 40  # characters of a text on a button
_MARKS = ".,;:!?…_~"
_WRITTEN = {"sup_open": "^", "sup_close": "^", "sub_open": "~", "sub_close": "~"}


@dataclass(frozen=True)
class LastLink:
    """``address``: https, of a named host. ``call``: its text, if it alone is the last paragraph, ``[Book a table](https://…)``.

    Both are empty where there is none."""

    address: str = ""
    call: str = ""


def last(markdown: str) -> LastLink:
    """Return the last link that is seen."""
    tokens = _PARSER.parse(front_matter.split(markdown[:_LONGEST_TEXT])[1])
    address = last_among(tokens)
    return LastLink(address, _call_to_action(tokens, address))


def last_among(tokens: Iterable[Token]) -> str:
    """Return the address of the last link that is seen, for the tokens of a text without front matter."""
    found = list(_seen(tokens))
    return next((address for address in reversed(found) if _is_public(address)), "")


def shown(address: str) -> str:
    """Return an https address as people are shown it: without its scheme, "www." and a slash at its end."""
    return address.removeprefix("https://").removeprefix("www.").rstrip("/")


def complete(address: str) -> str:
    """Return an address that people wrote, with its scheme if it lacks it; empty if it is not public, or not of https."""
    whole = f"https://{address}" if address.startswith("www.") else address
    whole = whole.rstrip(_MARKS)
    return whole if _is_public(whole) else ""


def _call_to_action(tokens: Sequence[Token], address: str) -> str:
    lines = [token.children or [] for token in tokens if token.type == "inline"]
    children = [child for child in lines[-1] if child.type != "text" or child.content.strip()] if lines else []
    if [child.type for child in children] != ["link_open", "text", "link_close"] or tokens[-1].type != "paragraph_close":
        return ""
    text = " ".join(children[1].content.split())
    is_last = children[0].attrGet("href") == address
    return text if is_last and len(text) <= _LONGEST_CALL and not _ADDRESS.search(text) else ""


def _seen(tokens: Iterable[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type == "inline":
            yield from _of_line(token.children or ())
        elif token.type == "html_block":
            for paragraph in html_text.paragraphs(token.content):
                yield from _bare(paragraph)


def _of_line(children: Iterable[Token]) -> Iterator[str]:
    """Yield the targets of links with a visible text, and the addresses that stand in the text."""
    hidden: list[str] = []
    text, target = "", ""
    for child in children:
        if child.type in ("link_open", "link_close"):
            yield from _bare(text) if child.type == "link_open" else [target] if target and text.strip() else ()
            text = ""
            target = str(child.attrGet("href") or "") if child.type == "link_open" and not hidden else ""
        elif child.type == "html_inline":
            html_text.follow(child.content, hidden)
        elif child.type in ("s_open", "s_close"):
            hidden[:] = [*hidden, "~~"] if child.nesting > 0 else hidden[:-1]
        elif not hidden:
            text += _text_of(child)
    yield from _bare(text)


def _text_of(child: Token) -> str:
    """Return the text of one token in which addresses are searched: of code and pictures only that they are there."""
    if child.type == "text":
        return child.content
    return _WRITTEN.get(child.type, "\N{OBJECT REPLACEMENT CHARACTER} " if child.type in ("image", "code_inline") else " ")


def _bare(text: str) -> Iterator[str]:
    return (address.rstrip(_MARKS) for address in _ADDRESS.findall(text))


def _is_public(address: str) -> bool:
    try:
        parts = urlsplit(address)
        host, port, user = parts.hostname or "", parts.port, parts.username
    except ValueError:
        return False
    plain = address.isascii() and address.isprintable() and len(address) <= _LONGEST and parts.scheme == "https"
    return plain and bool(_HOST.fullmatch(host)) and port is None and user is None
