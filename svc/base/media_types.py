"""The media types of the files of a production, by their suffixes, and those that a client asks
for.
"""

from pathlib import PurePath

from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header

# Characters of an Accept header, of which a browser's has some 150: eight thousand take 10 ms, and
# a request may have a hundred such headers.
_LONGEST_ACCEPT = 1_000

BY_SUFFIX = {
    ".mp4": "video/mp4",
    ".jpg": "image/jpeg",
    ".srt": "application/x-subrip",
    ".vtt": "text/vtt; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".pdf": "application/pdf",
    ".json": "application/json",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}


def find_media_type(name: str) -> str:
    """Return the media type of a file by its name, as in a Content-Type header."""
    return BY_SUFFIX.get(PurePath(name).suffix, "application/octet-stream")


def prefers_page(accept: str | None) -> bool:
    """Return whether a client would rather have HTML than JSON, as browsers say that open a page:
    ``*/*`` and no preference are those of programs, and of pictures and players in a page.

    ``accept``: the header; one that is longer than any browser's is not read.
    """
    if not accept or len(accept) > _LONGEST_ACCEPT:
        return False
    accepted = parse_accept_header(accept, MIMEAccept)
    return bool(accepted["text/html"] > accepted["application/json"])
