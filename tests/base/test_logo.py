"""The logo of an installation is a small picture that browsers show."""

import io

import pytest
from PIL import Image

from svc.base.text import logo

SVG = b'\xef\xbb\xbf<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>'


def picture(kind: str) -> bytes:
    written = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(written, kind)
    return written.getvalue()


@pytest.mark.parametrize(
    ("kind", "media_type"), [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("WEBP", "image/webp")]
)
def test_a_picture_of_each_kind_is_taken(tmp_path, kind, media_type):
    path = tmp_path / "logo"
    path.write_bytes(picture(kind))
    assert (
        logo.parse_path(str(path)) == path
        and logo.detect_media_type(path.read_bytes()) == media_type
    )
    path.write_bytes(SVG)
    assert logo.parse_path(str(path)) == path and logo.detect_media_type(SVG) == "image/svg+xml"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "can read"),
        (b"<html></html>", "PNG, JPEG"),
        (b"GIF89a", "PNG, JPEG"),
        (picture("PNG") + b"\0" * logo.LARGEST, "256"),
    ],
)
def test_what_is_none_is_refused_with_what_it_should_be(tmp_path, content, words):
    path = tmp_path / "logo"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=words):
        logo.parse_path(str(path))
