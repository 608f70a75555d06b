"""XLIFF 2.0 (OASIS), which translators' programs read and write: a brief's texts out,
their translations in.
"""

import re
from typing import Any

from svc.base.errors import InvalidRequest
from svc.domain.translation import segments
from svc.domain.translation.segments import Piece

LONGEST = 400_000  # characters of a file that comes back: programs add notes of their own

_NAMESPACE = "urn:oasis:names:tc:xliff:document:2.0"  # of 2.0 and 2.1
_KNOWN = (_NAMESPACE, "urn:oasis:names:tc:xliff:document:2.2")
_FILE = "f-{}"  # the id of a file: one of XML may not begin with a digit
_ILLEGAL = re.compile("[\ufffe\uffff]")  # in XML, of what may be stored
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"


def write(
    production_id: str, languages: tuple[str, str], pieces: list[Piece], targets: dict[str, str]
) -> str:
    """Return the file: a unit for each text, in which what is not translated stands as
    ``ignorable``.

    Args:
        languages: BCP 47 codes of the source and of the translation.
        targets: The translations that are there, by segment.
    """
    etree = _import_etree()
    root = etree.Element(f"{{{_NAMESPACE}}}xliff", version="2.0", nsmap={None: _NAMESPACE})
    root.set("srcLang", languages[0])
    root.set("trgLang", languages[1])
    file = etree.SubElement(
        root, f"{{{_NAMESPACE}}}file", id=_FILE.format(production_id), canResegment="no"
    )
    for name, parts in _group_into_units(pieces).items():
        unit = etree.SubElement(file, f"{{{_NAMESPACE}}}unit", id=name)
        unit.set(_SPACE, "preserve")
        for part in parts:
            _write_piece(etree, unit, part, targets)
    return str(etree.tostring(root, xml_declaration=True, encoding="UTF-8").decode())


def _group_into_units(pieces: list[Piece]) -> dict[str, list[Piece]]:
    """Return the pieces by text.

    One without a segment, such as an emoji as a topic, needs no unit.
    """
    units: dict[str, list[Piece]] = {}
    for piece in pieces:
        units.setdefault(piece.field, []).append(piece)
    return {name: parts for name, parts in units.items() if any(part.name for part in parts)}


def _write_piece(etree: Any, unit: Any, piece: Piece, targets: dict[str, str]) -> None:
    element = etree.SubElement(unit, f"{{{_NAMESPACE}}}{'segment' if piece.name else 'ignorable'}")
    etree.SubElement(element, f"{{{_NAMESPACE}}}source").text = _ILLEGAL.sub("\ufffd", piece.text)
    if piece.name is None:
        return
    element.set("id", piece.name)
    element.set("state", "translated" if piece.name in targets else "initial")
    if piece.name in targets:
        etree.SubElement(element, f"{{{_NAMESPACE}}}target").text = _ILLEGAL.sub(
            "\ufffd", targets[piece.name]
        )


def read(text: str, production_id: str, languages: tuple[str, str]) -> dict[str, str]:
    """Return the translations in a file, by segment. Codes within them count as their text.

    InvalidRequest: it is not XLIFF 2, or it is of another production or of other languages.
    """
    root = _parse_document(text)
    namespace, _, name = str(root.tag)[1:].rpartition("}")
    if name != "xliff" or namespace not in _KNOWN:
        raise _make_error(
            f"This is not XLIFF 2: its first element is {str(root.tag)[:80]!r}. Export it as "
            "XLIFF 2.0."
        )
    named = root.get("srcLang", ""), root.get("trgLang", "")
    if [each.lower() for each in named] != [each.lower() for each in languages]:
        raise _make_error(
            f"This file is from {' to '.join(named)[:40]}; the translation is from "
            f"{' to '.join(languages)}."
        )
    if [file.get("id") for file in root.iter(f"{{{namespace}}}file")] != [
        _FILE.format(production_id)
    ]:
        raise _make_error(
            "This file is of another production: send the one that was read here, with the id of "
            "its <file>."
        )
    targets: dict[str, str] = {}
    for segment in root.iter(f"{{{namespace}}}segment"):
        target, identifier = segment.find(f"{{{namespace}}}target"), segment.get("id")
        if target is not None and identifier is not None:
            if identifier in targets:
                raise _make_error(f"The segment {identifier[:60]!r} is there twice.")
            if len(targets) == segments.MOST:
                raise _make_error(
                    f"The file has more than {segments.MOST:,} translated segments; a brief has "
                    "no more."
                )
            targets[identifier] = _read_target(target, identifier)
    return targets


def _read_target(target: Any, identifier: str) -> str:
    """Return the text of a target.

    InvalidRequest: it is too long, which also ends the reading of one within another.
    """
    texts, length = [], 0
    for text in target.itertext():
        texts.append(text)
        length += len(text)
        if length > segments.LONGEST_TARGET:
            raise _make_error(
                f"The segment {identifier[:60]!r} has more than {segments.LONGEST_TARGET:,} "
                "characters."
            )
    return "".join(texts)


def _import_etree() -> Any:
    """Return lxml's parser, which is loaded with the first file: it takes 20 ms,
    and few requests need it.
    """
    from lxml import etree

    return etree


def _parse_document(text: str) -> Any:
    """Return the root of a document that nobody vouches for: no entities, nothing from elsewhere,
    no document type.
    """
    etree = _import_etree()
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_pis=True,
        remove_comments=True,
    )
    try:
        root = etree.fromstring(text.removeprefix("\ufeff").encode(), parser)
    except (etree.XMLSyntaxError, ValueError) as bad:
        raise _make_error(f"This is not XML: {str(bad)[:120]}.") from None
    if root.getroottree().docinfo.doctype:
        raise _make_error(
            "The file has a document type (<!DOCTYPE …>), which no file of XLIFF 2 has. Remove it."
        )
    return root


def _make_error(message: str) -> InvalidRequest:
    return InvalidRequest(message, fields={"xliff": [message]})
