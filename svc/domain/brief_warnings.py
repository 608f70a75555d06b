"""What a partner should know of a brief that is accepted: pictures that are not there, notes that are missing or simplified."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from markdown_it.token import Token

from svc.base.text import front_matter, html_text, json_text
from svc.base.text.markdown import brief_reader
from svc.domain.partners import assets
from svc.domain.productions.briefs import Brief

PICTURE_NOT_FOUND, NOTES_EMPTY, CONTENT_SIMPLIFIED = "PICTURE_NOT_FOUND", "NOTES_EMPTY", "CONTENT_SIMPLIFIED"
CODES = (PICTURE_NOT_FOUND, NOTES_EMPTY, CONTENT_SIMPLIFIED)
_MOST = 20  # warnings of one brief
_LONGEST_NAME = 100  # characters of a picture's name that a warning repeats
_PARSER = brief_reader()
_WORTH_PARSING = ("![", "~~", "<", "$$", "\\(", "\\[")  # most briefs have none of this and are not parsed
_FORMULA = re.compile(r"\$\$.+?\$\$|\\\(.+?\\\)|\\\[.+?\\\]", re.DOTALL)
_NO_NOTES = (
    "There are no notes, and no model that writes scripts is configured: the video will say its topic, country, language and "
    "date, in about ten seconds. Send `metadataMD` for more."
)
_WITHOUT_LAYOUT = ("", "br", "input")  # tags that need no warning: nothing of them is lost; "input" is a task's tick
_SIMPLIFIED = {
    "struck": "Struck text is left out.",
    "html": "HTML is shown as plain text, without its layout.",
    "formula": "Formulas are shown as they are written.",
}


class BriefWarning(NamedTuple):
    """``code``: one of CODES; ``message``: one or two sentences for people."""

    code: str
    message: str


def of(brief: Brief, account_id: str, has_model: bool) -> list[BriefWarning]:
    """Return the warnings about a brief of an account. ``has_model``: a model writes the scripts of this installation."""
    notes = brief.metadata_md or ""
    if notes.startswith(("---", "\ufeff")):
        notes = front_matter.split(notes)[1]
    if not notes or notes.isspace():
        return [] if has_model else [BriefWarning(NOTES_EMPTY, _NO_NOTES)]
    return list(_of_notes(notes, account_id)) if any(sign in notes for sign in _WORTH_PARSING) else []


def stored(brief: Brief, account_id: str, has_model: bool) -> str | None:
    """Return the warnings as the JSON that is kept with the production; None if there are none."""
    warnings = of(brief, account_id, has_model)
    return json_text.text([warning._asdict() for warning in warnings]) if warnings else None


def _of_notes(notes: str, account_id: str) -> Iterator[BriefWarning]:
    tokens = list(_flat(_PARSER.parse(notes)))
    pictures = [str(token.attrGet("src") or "") for token in tokens if token.type == "image"]
    names = dict.fromkeys(picture.removeprefix("asset:").removeprefix("./") for picture in pictures)
    known = {row["name"] for row in assets.for_account(account_id)} if names else set()
    for name in [name for name in names if name not in known][: _MOST - len(_SIMPLIFIED)]:
        shown = name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"
        missing = f"The account has no picture named {shown!r}; it is left out. Addresses are not fetched."
        yield BriefWarning(PICTURE_NOT_FOUND, missing)
    kinds = {kind for token in tokens if (kind := _simplified(token))}
    for kind, sentence in _SIMPLIFIED.items():
        if kind in kinds:
            yield BriefWarning(CONTENT_SIMPLIFIED, sentence)


def _flat(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from token.children or ()


def _simplified(token: Token) -> str:
    """Return which of _SIMPLIFIED a token is; empty if none."""
    if token.type == "s_open":
        return "struck"
    tag = html_text.tag(token.content)[0] if token.type == "html_inline" else ""
    if token.type == "html_block" or tag not in _WITHOUT_LAYOUT:
        return "html"
    return "formula" if token.type == "inline" and _FORMULA.search(token.content) else ""
