"""Adding to a finished PDF, byte by byte, what proves it: Content Credentials, and a seal over
every byte of the file.

Both come as an incremental update (ISO 32000, 7.5.6), so that what the typesetter wrote stays as it
is. The seal is an Ed25519 signature of the whole file with the seal's own characters as zeros; it
stands in a comment, which readers pass over.

The update is written here because pypdf's own (7.1) leaves the trailer without /Info and counts one
object too many, at which qpdf warns. A PAdES signature by pyHanko (0.38) would add 13 packages, an
HTTP client and an unmaintained OpenSSL binding among them, and would leave the padding of the
signature unsigned.
"""

import io
import re
from typing import Any

from pypdf import PdfReader
from pypdf.generic import IndirectObject, TextStringObject

from svc.media.proof.identity import Identity, is_signed

MANIFEST = "content_credential.c2pa"
_BLANK = b"0" * 128  # hexadecimal
_SEAL = re.compile(rb"^%seal ed25519 ([0-9a-f]{64}) ([0-9a-f]{128})$", re.MULTILINE)
_STREAM = (
    b"<< /Type /EmbeddedFile /Subtype /application#2Fc2pa /Length %d /Params << /Size %d >> >>\n"
    b"stream\n"
)
_FILE = (
    b"<< /Type /Filespec /F (%s) /UF (%s) /Desc (C2PA Content Credentials) /AFRelationship "
    b"/C2PA_Manifest /EF << /F %d 0 R /UF %d 0 R >> >>"
)


def attach_manifest(
    document: bytes, manifest: bytes, key: bytes
) -> tuple[bytes, list[tuple[int, int]]]:
    """``document`` with ``manifest`` attached, and room for a seal by the public ``key``;
    where the two are (start, length).
    """
    reader = PdfReader(io.BytesIO(document))
    trailer: Any = reader.trailer
    size, root = int(trailer["/Size"]), trailer.raw_get("/Root")
    name = MANIFEST.encode()
    objects = {
        size: _STREAM % (len(manifest), len(manifest)) + manifest + b"\nendstream",
        size + 1: _FILE % (name, name, size, size),
        root.idnum: _catalog(reader, IndirectObject(size + 1, 0, reader)),
    }
    sealed, places = bytearray(document), {}
    for number, content in objects.items():
        places[number] = len(sealed)
        sealed += b"%d 0 obj\n" % number + content + b"\nendobj\n"
    seal = b"%%seal ed25519 %s " % key.hex().encode()
    blank = len(sealed) + len(seal)
    sealed += seal + _BLANK + b"\n"
    sealed += _index(reader, places, len(sealed), size + 2)
    start = places[size] + sealed[places[size] :].index(b"stream\n") + len(b"stream\n")
    return bytes(sealed), [(start, len(manifest)), (blank, len(_BLANK))]


def seal_document(document: bytes, identity: Identity) -> bytes:
    """``document``, of :func:`attach_manifest` and with its final manifest,
    and the seal in its room.
    """
    blank = _find_seal(document)
    if blank is None:
        raise ValueError("the document has no room for a seal")
    start = blank.start(2)
    return (
        document[:start] + identity.sign(document).hex().encode() + document[start + len(_BLANK) :]
    )


def read_seal(document: bytes) -> tuple[bytes, bool] | None:
    """The public key that sealed ``document``, and whether the seal holds for every byte of it;
    None without a seal.
    """
    match = _find_seal(document)
    if match is None:
        return None
    key, seal = (bytes.fromhex(part.decode()) for part in match.groups())
    blanked = document[: match.start(2)] + _BLANK + document[match.end(2) :]
    return key, is_signed(key, seal, blanked)


def _find_seal(document: bytes) -> re.Match | None:
    """The last one: nothing may be slipped in front of it, as it covers what is
    before and after.
    """
    return next(reversed(list(_SEAL.finditer(document))), None)


def _catalog(reader: PdfReader, file: IndirectObject) -> bytes:
    """The document's catalog, with the file among those that are associated and embedded."""
    catalog: Any = reader.trailer["/Root"]
    catalog["/AF"].append(file)
    catalog["/Names"]["/EmbeddedFiles"]["/Names"].extend([TextStringObject(MANIFEST), file])
    written = io.BytesIO()
    catalog.write_to_stream(written)
    return written.getvalue()


def _index(reader: PdfReader, places: dict[int, int], at: int, size: int) -> bytes:
    """The cross-reference table of the update, which begins at ``at``, and the trailer."""
    rows = b"".join(
        b"%d 1\n%010d 00000 n \n" % (number, places[number]) for number in sorted(places)
    )
    reader.stream.seek(0)
    [before] = map(int, re.findall(rb"startxref\s+(\d+)\s+%%EOF\s*\Z", reader.stream.read()))
    written = io.BytesIO()
    trailer: Any = reader.trailer
    for name in ("/Root", "/Info", "/ID"):
        written.write(name.encode() + b" ")
        trailer.raw_get(name).write_to_stream(written)
        written.write(b" ")
    head = b"trailer\n<< /Size %d /Prev %d " % (size, before)
    return b"xref\n" + rows + head + written.getvalue() + b">>\nstartxref\n%d\n%%%%EOF\n" % at
