"""Finds API keys in texts that should not hold one: a text of which parts are stored or logged is
masked, and one that would be stored as it was sent is refused.
"""

import re

REFUSAL = "Must not contain an API key: take it out, and rotate the key if others have seen it."
_KEY = re.compile(r"(svc_[a-z]+_[\w-]{4})[\w-]+")  # what may be one, anywhere in a text
# As much of one as would let somebody find the rest, which is 43 characters, or 48: fewer are a
# prefix, or a word of somebody's own.
_HELD = re.compile(r"svc_(?:live|test|activate)_[A-Za-z0-9_-]{32}", re.ASCII)


def mask_keys(text: str) -> str:
    """Return a text with the first characters of each API key in it, and no more of them."""
    return _KEY.sub(r"\1…", text) if "svc_" in text else text


def holds_key(text: str) -> bool:
    """Return whether there is an API key in a text."""
    return "svc_" in text and _HELD.search(text) is not None
