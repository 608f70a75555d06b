"""Links that a reader of Markdown sees: not those in code, comments, front matter or struck text,
nor addresses of pictures.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from markdown_it.token import Token

from svc.base.text import front_matter, html_text
from svc.base.text.markdown import build_brief_reader

_PARSER = build_brief_reader()
_LONGEST_TEXT = 100_000  # characters that are searched for links
_ADDRESS = re.compile(r"https://[^\s<>()\[\]\"'`|*]+")
_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}", re.IGNORECASE)
_LONGEST = 120  # characters; a longer one makes a QR code that telephones fail to read
_LONGEST_CALL = 40  # characters of a text on a button
_MARKS = ".,;:!?…_~"
_PARAGRAPHS = ("paragraph_open", "th_open", "td_open")  # a cell may end the notes, too
_OBJECT = "\N{OBJECT REPLACEMENT CHARACTER}"
# The label before an address: Web: https://…
_LABEL = re.compile(rf"\s*[^\n:：]{{1,32}}[:：]\s*{_OBJECT}[\s.,;!]*")
_WRITTEN = {"sup_open": "^", "sup_close": "^", "sub_open": "~", "sub_close": "~"}


@dataclass(frozen=True)
class LastLink:
    """``address``: https, of a named host. ``call``: its text, if it alone is the last paragraph,
    ``[Book a table](https://…)``.

    Both are empty where there is none."""

    address: str = ""
    call: str = ""


def find_last(markdown: str) -> LastLink:
    """Return the link that people should follow: the last one with a label, or else the last one of
    the last paragraph, or the last address that is a paragraph by itself.
    """
    tokens = _PARSER.parse(front_matter.split_front_matter(markdown[:_LONGEST_TEXT])[1])
    address = find_last_address(tokens)
    return LastLink(address, _call_to_action(tokens, address))


def find_last_address(tokens: Iterable[Token]) -> str:
    """Return the address of that link, for the tokens of a text without front matter.

    A link has a label if a paragraph consists of it, ``[Book a table](https://…)``, or if it
    follows a few words and a colon, ``Web: https://…``. A badge, which is a picture with a link, is
    none.
    """
    labelled, paragraph, alone = "", "", ""
    before = None
    for token in tokens:
        if token.type == "footnote_block_open":
            break
        addresses: list[str] = []
        if token.type == "inline":
            lines = [_read(line) for line in _split_lines(token.children or ())]
            addresses = [
                address for line in lines for address in line.addresses if _is_public(address)
            ]
            is_alone = len(lines) == 1 and token.level == 1 and before == "paragraph_open"
            named = [
                line.addresses[-1]
                for line in lines
                if line.has_label or (is_alone and line.is_link)
            ]
            labelled = next(
                (address for address in reversed(named) if _is_public(address)), labelled
            )
            if is_alone and lines[0].is_address and addresses:
                alone = addresses[0]
        elif token.type == "html_block":
            addresses = [
                address
                for text in html_text.list_paragraphs(token.content)
                for address in _find_bare_addresses(text)
                if _is_public(address)
            ]
        is_paragraph = token.type == "html_block" or before in _PARAGRAPHS
        if is_paragraph and (addresses or token.type == "inline"):
            paragraph = addresses[-1] if addresses else ""
        before = token.type
    return labelled or paragraph or alone


def display_address(address: str) -> str:
    """Return an https address as people are shown it: without its scheme,
    "www." and a slash at its end.
    """
    return address.removeprefix("https://").removeprefix("www.").rstrip("/")


def add_scheme(address: str) -> str:
    """Return an address that people wrote, with its scheme if it lacks it;
    empty if it is not public, or not of https.
    """
    whole = f"https://{address}" if address.startswith("www.") else address
    whole = whole.rstrip(_MARKS)
    return whole if _is_public(whole) else ""


def _call_to_action(tokens: Sequence[Token], address: str) -> str:
    lines = [token.children or [] for token in tokens if token.type == "inline"]
    children = (
        [child for child in lines[-1] if child.type != "text" or child.content.strip()]
        if lines
        else []
    )
    if [child.type for child in children] != ["link_open", "text", "link_close"] or tokens[
        -1
    ].type != "paragraph_close":
        return ""
    text = " ".join(children[1].content.split())
    is_last = children[0].attrGet("href") == address
    return text if is_last and len(text) <= _LONGEST_CALL and not _ADDRESS.search(text) else ""


@dataclass(frozen=True)
class _Line:
    """``addresses``: that are seen in a line. ``has_label``: a few words and a colon stand before
    the only one; ``is_link``: a link with a text of its own is all there is, ``is_address``: an
    address is."""

    addresses: list[str]
    has_label: bool = False
    is_link: bool = False
    is_address: bool = False


def _split_lines(children: Sequence[Token]) -> Iterator[list[Token]]:
    line: list[Token] = []
    for child in children:
        if child.type in ("softbreak", "hardbreak"):
            yield line
            line = []
        else:
            line.append(child)
    yield line


def _read(children: Sequence[Token]) -> _Line:
    """Read a line: the targets of links with a visible text,
    and the addresses that stand in the text.
    """
    hidden_stack: list[str] = []
    text, target, outside, inside = "", "", "", ""
    addresses: list[str] = []
    for child in children:
        if child.type in ("link_open", "link_close"):
            if child.type == "link_open":
                addresses += _find_bare_addresses(text)
                outside += text
            elif target and text.replace(_OBJECT, "").strip():
                addresses.append(target)
                inside += text
                outside += _OBJECT if len(addresses) == 1 else " "
            text = ""
            target = (
                str(child.attrGet("href") or "")
                if child.type == "link_open" and not hidden_stack
                else ""
            )
        elif child.type == "html_inline":
            html_text.follow(child.content, hidden_stack)
        elif child.type in ("s_open", "s_close"):
            hidden_stack[:] = [*hidden_stack, "~~"] if child.nesting > 0 else hidden_stack[:-1]
        elif not hidden_stack:
            text += _find_text(child)
    addresses += _find_bare_addresses(text)
    line_text = _ADDRESS.sub(_OBJECT, outside + text)
    label = _LABEL.fullmatch(line_text) if len(addresses) == 1 else None
    is_all = len(addresses) == 1 and line_text.strip() == _OBJECT
    is_link = is_all and not _ADDRESS.search(inside)
    return _Line(addresses, label is not None, is_link, is_all and not is_link)


def _find_text(child: Token) -> str:
    """Return the text of one token in which addresses are searched:
    of code and pictures only that they are there.
    """
    if child.type == "text":
        return child.content
    return _WRITTEN.get(
        child.type, f"{_OBJECT} " if child.type in ("image", "code_inline") else " "
    )


def _find_bare_addresses(text: str) -> Iterator[str]:
    return (address.rstrip(_MARKS) for address in _ADDRESS.findall(text))


def _is_public(address: str) -> bool:
    try:
        parts = urlsplit(address)
        host, port, user = parts.hostname or "", parts.port, parts.username
    except ValueError:
        return False
    is_plain = (
        address.isascii()
        and address.isprintable()
        and len(address) <= _LONGEST
        and parts.scheme == "https"
    )
    return is_plain and bool(_HOST.fullmatch(host)) and port is None and user is None
