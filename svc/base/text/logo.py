"""The logo of an installation: a picture file of the operator's,
shown in the console beside its name.
"""

from pathlib import Path

LARGEST = 256 * 1024  # bytes

_KINDS = (  # how a file begins, and its media type
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"RIFF", "image/webp"),
)


def parse_path(text: str) -> Path:
    """Return the path of a logo.

    ValueError: says what it should be, as svc.base.settings takes it.
    """
    path = Path(text).absolute()
    try:
        content = path.read_bytes()[: LARGEST + 1] if path.is_file() else b""
    except OSError:
        content = b""
    if not content:
        raise ValueError("the path of a picture that this user can read")
    if len(content) > LARGEST:
        raise ValueError(f"a picture of at most {LARGEST // 1024} KiB")
    if not detect_media_type(content):
        raise ValueError("a PNG, JPEG, WebP or SVG picture")
    return path


def detect_media_type(content: bytes) -> str:
    """Return the media type of a picture by its first bytes;
    empty: it is of no kind that browsers show here.
    """
    if b"<svg" in content[:1024] and content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return "image/svg+xml"
    return next((kind for sign, kind in _KINDS if content.startswith(sign)), "")
