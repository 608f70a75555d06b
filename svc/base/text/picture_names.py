"""The names by which briefs show an account's pictures, in place of the address of an image."""

import unicodedata
from urllib.parse import unquote


def read_picture_name(address: str) -> str:
    """Return the name that the address of an image in Markdown stands for."""
    # The parser percent-encodes spaces and letters beyond ASCII, and macOS takes an ü apart.
    name = unicodedata.normalize("NFC", unquote(address))
    return name.removeprefix("asset:").removeprefix("./")


def write_image(name: str) -> str:
    """Return how a brief shows the picture of a name."""
    return f"![…](<{name}>)" if " " in name else f"![…]({name})"
