"""Prepares untrusted text for one line of a page, a feed or a window title."""

# Signs that change the order of the text around them.
_BIDI_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

_BROWSERS = (  # the first match counts, because most browsers claim to be others too
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
)
_SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iOS"),
    ("iPad", "iPadOS"),
    ("Mac OS X", "macOS"),
    ("Windows", "Windows"),
    ("Linux", "Linux"),
)


def to_one_line(text: str, otherwise: str = "Untitled") -> str:
    """Return ``text`` without controls, bidirectional overrides and what XML 1.0 forbids;
    ``otherwise`` if it is then empty.
    """
    printable = "".join(
        character if _is_shown(character) else " " if character.isspace() else ""
        for character in text
    )
    return " ".join(printable.split()) or otherwise


def shorten(text: str, longest: int) -> str:
    """Return ``text``, shortened at a word boundary and with an ellipsis if it is
    over ``longest`` characters.
    """
    if len(text) <= longest:
        return text
    head = text[: longest - 1]
    return (head.rpartition(" ")[0] or head).rstrip(" ,;:.") + "…"


def browser(user_agent: str) -> str:
    """Return a name such as ``Chrome on Linux`` for a User-Agent;
    its own text if the browser is unknown.
    """
    name = next((name for mark, name in _BROWSERS if mark in user_agent), None)
    system = next((name for mark, name in _SYSTEMS if mark in user_agent), None)
    return (
        f"{name} on {system}"
        if name and system
        else name or shorten(to_one_line(user_agent, "Unknown"), 80)
    )


def _is_shown(character: str) -> bool:
    code = ord(character)
    is_control = code < 0x20 or 0x7F <= code < 0xA0
    is_no_character = 0xD800 <= code < 0xE000 or 0xFDD0 <= code < 0xFDF0 or code & 0xFFFE == 0xFFFE
    return not (is_control or is_no_character or character in _BIDI_CONTROLS)
