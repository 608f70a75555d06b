"""A script as the pictures show it: its title illustrated, its end card with a link, key phrases only where they are wanted."""

import re
from dataclasses import replace
from urllib.parse import urlsplit

from svc.media.model import Scene, Script, VideoBrief, Visual
from svc.media.pictures import search

_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`", re.DOTALL)
_LINK = re.compile(r"https://[^\s<>()\[\]\"'`]+")
_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}", re.IGNORECASE)
_LONGEST_NOTES = 200_000  # characters that are searched for a link
_LONGEST_LINK = 120  # characters; a longer one makes a QR code that telephones fail to read
_MARKS = ".,;:!?…"


def shown(brief: VideoBrief, script: Script) -> Script:
    """Return ``script`` as the pictures show it."""
    return replace(script, scenes=tuple(_scene(brief, scene) for scene in script.scenes))


def _scene(brief: VideoBrief, scene: Scene) -> Scene:
    if scene.layout == "title" and not scene.illustration:
        return replace(scene, illustration=search.find(f"{scene.heading}\n{brief.topic}", brief.language))
    if scene.layout == "close" and not scene.sight.kind:
        return replace(scene, sight=Visual(note=link(brief.metadata_md)))
    return replace(scene, key_phrase="") if brief.full_text else scene


def link(notes: str) -> str:
    """Return the last link of ``notes`` (Markdown) outside code: an https address of a named host; empty if there is none."""
    found = _LINK.findall(_CODE.sub(" ", notes[-_LONGEST_NOTES:]))
    return next((address for address in (link.rstrip(_MARKS) for link in reversed(found)) if _is_public(address)), "")


def _is_public(address: str) -> bool:
    try:
        parts = urlsplit(address)
        host, port, user = parts.hostname or "", parts.port, parts.username
    except ValueError:
        return False
    return address.isascii() and len(address) <= _LONGEST_LINK and bool(_HOST.fullmatch(host)) and port is None and user is None
