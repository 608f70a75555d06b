"""Uploads that pretend: whatever is sent as a picture is refused with a sentence,
or only its pixels come through.
"""

import gzip
import io
import struct
import zipfile
import zlib

import pytest
from PIL import Image
from support.cast import text

from svc.domain.partners import avatars

pytestmark = pytest.mark.slow  # a process each

PAYLOAD = b"<script>alert(document.domain)</script>"
SVG = (
    b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" '
    b'onload="alert(1)"><script>alert(2)</script></svg>'
)
SENTENCES = (
    "not a readable picture",
    "damaged or ends early",
    " pixels",
    "could not be read within",
)
MARKS = (b"<script", b"<?php", b"PK\x03\x04", b"<svg")


def picture(form: str, **more) -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (320, 320), "#336699").save(made, form, **more)
    return made.getvalue()


def chunk(kind: bytes, content: bytes) -> bytes:
    return (
        struct.pack(">I", len(content))
        + kind
        + content
        + struct.pack(">I", zlib.crc32(kind + content))
    )


def png(width: int, height: int, *chunks: bytes, rows: int = 0) -> bytes:
    """A PNG that says that it is so large; with ``rows`` of it really there,
    compressed a thousandfold.
    """
    packer = zlib.compressobj(9)
    content = b"".join(packer.compress(bytes(1 + 3 * width)) for _ in range(rows)) + packer.flush()
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return (
        b"\x89PNG\r\n\x1a\n"
        + head
        + b"".join(chunks)
        + chunk(b"IDAT", content)
        + chunk(b"IEND", b"")
    )


def archive(content: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("picture.png", content)
    return made.getvalue()


REFUSED = {  # made when a test needs one: two of them take a second
    "svg": lambda: SVG,
    "html": lambda: b"<!doctype html>" + PAYLOAD,
    "compressed svg": lambda: gzip.compress(SVG),
    "html that begins like a gif": lambda: b"GIF89a/*" + PAYLOAD,
    "html that begins like a png": lambda: b"\x89PNG\r\n\x1a\n" + PAYLOAD,
    "html that begins like a jpeg": lambda: b"\xff\xd8\xff\xe0" + PAYLOAD,
    "a zip bomb": lambda: archive(bytes(200_000_000)),
    "a bomb by its size": lambda: png(60_000, 60_000),
    "a bomb by its side": lambda: png(30_000, 300, rows=300),
    "a bomb in a text of it": lambda: png(300, 300, compressed_text(200_000_000), rows=300),
}


def compressed_text(size: int) -> bytes:
    return chunk(b"zTXt", b"Comment\0\0" + zlib.compress(bytes(size), 9))


@pytest.mark.parametrize("make", REFUSED.values(), ids=REFUSED)
def test_what_pretends_to_be_a_picture_is_refused(operator, partner, make):
    path = f"/console/avatars/{partner.seeded['avatarId']}"
    sent = (io.BytesIO(make()), "portrait.png", "image/png")
    refused = operator.post(f"{path}/portrait", {"portrait": sent})
    assert refused.status_code == 400 and any(each in text(refused) for each in SENTENCES), text(
        refused
    )
    assert avatars.get(partner.seeded["avatarId"])["portrait"] is None


POLYGLOTS = {
    "a jpeg with a page after it": picture("JPEG") + PAYLOAD,
    "a png with an archive after it": picture("PNG") + archive(b"<?php system($_GET['c']); ?>"),
    "a jpeg with a page in its comment": picture("JPEG", comment=PAYLOAD),
    "a webp with a page in its metadata": picture("WEBP", xmp=PAYLOAD),
}


@pytest.mark.parametrize("content", POLYGLOTS.values(), ids=POLYGLOTS)
@pytest.mark.parametrize("name", ["x.svg", "../../x.html"])
def test_only_pixels_of_a_polyglot_come_through_as_what_they_are(operator, partner, content, name):
    path = f"/console/avatars/{partner.seeded['avatarId']}"
    assert any(mark in content for mark in MARKS)
    sent = operator.post(f"{path}/portrait", {"portrait": (io.BytesIO(content), name, "text/html")})
    assert sent.status_code == 303, text(sent)
    with operator.get(f"{path}/picture") as shown:
        assert (shown.mimetype, shown.headers["X-Content-Type-Options"]) == (
            "image/jpeg",
            "nosniff",
        )
        assert "default-src 'none'" in shown.headers["Content-Security-Policy"]
        assert [mark for mark in MARKS if mark in shown.data] == []


def test_only_pixels_of_a_logo_come_through(operator, partner):
    path = f"/console/accounts/{partner.account}/logo"
    content = picture("PNG", icc_profile=PAYLOAD)
    assert (
        operator.post(path, {"logo": (io.BytesIO(content), "x.svg", "image/svg+xml")}).status_code
        == 303
    )
    with operator.get(path) as shown:
        assert (shown.mimetype, shown.headers["X-Content-Type-Options"]) == ("image/png", "nosniff")
        assert set(kinds_of_chunks(shown.data)) <= {b"IHDR", b"IDAT", b"IEND"}


def kinds_of_chunks(content: bytes):
    """What a PNG consists of."""
    at = 8
    while at < len(content):
        [size] = struct.unpack(">I", content[at : at + 4])
        yield content[at + 4 : at + 8]
        at += 12 + size
