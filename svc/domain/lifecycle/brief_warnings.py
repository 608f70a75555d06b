"""What a partner should know about a brief that is accepted: pictures that are not there, notes
that are missing or simplified.
"""

import functools
import re
import unicodedata
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from markdown_it.token import Token

from svc.base.text import front_matter, html_text, inline_marks, json_text, latex, mermaid
from svc.base.text.markdown import UNDEFINED_NOTE, build_brief_reader
from svc.base.text.picture_names import read_picture_name
from svc.domain.lifecycle import briefs
from svc.domain.lifecycle.briefs import Brief
from svc.domain.partners import assets

PICTURE_NOT_FOUND = "PICTURE_NOT_FOUND"
NOTES_EMPTY = "NOTES_EMPTY"
CONTENT_SIMPLIFIED = "CONTENT_SIMPLIFIED"
CODES = (PICTURE_NOT_FOUND, NOTES_EMPTY, CONTENT_SIMPLIFIED)
_MOST = 20  # warnings of one brief
_LONGEST_NAME = 100  # characters of a picture's name that a warning repeats
_PARSER = build_brief_reader()
# Signs of what needs a parser. Most briefs have none of them and are not parsed.
_WORTH_PARSING = ("![", "~~", "<", "$$", "\\(", "\\[", "mermaid")
# The beginning of a line that is said.
_PLAIN = re.compile(r"^ {0,3}(?:[-+*] |\d{1,9}[.)] |> ?)?[^\W\d_]", re.MULTILINE)
_ENOUGH = 3  # lines that are said, for notes that need not be parsed
_REFERENCE = "]:"  # such lines may go on with one that begins like a plain one
_COMMENTS = re.compile(r"(?:\s*<!--.*?-->)++\s*", re.DOTALL)
_FORMULA = re.compile(r"\$\$.+?\$\$|\\\(.+?\\\)|\\\[.+?\\\]", re.DOTALL)
_TITLE_ALONE = (
    "and no model that writes scripts is configured: the video will be its title alone, shown and "
    "said in about six seconds."
)
_NO_NOTES = (
    f"There are no notes, {_TITLE_ALONE} Send them in `metadataMD` for a video that tells more."
)
_NOTHING_SAID = f"The notes say nothing but the topic, {_TITLE_ALONE} Send more in `metadataMD`."
# The tags that need no warning, as nothing of them is lost; "input" is a task's tick.
_WITHOUT_LAYOUT = ("", "br", "input")
_BREAKS = ("softbreak", "hardbreak")
_CODE = ("fence", "code_block")
_SAID_ANYWHERE = frozenset("&%+=@§°№")  # besides letters, digits and signs of currencies
_SAID_ALONE = frozenset("⇨☑☒✅✓✔✖✗✘❌❎➔➜🗸🗹")  # besides the signs of mathematics, apart from markup
_MARKUP = "|~"
_AROUND = ".,;:!?…\"'”’»)]}*」』）】》\ufe0f"  # what may stand around a sign
_SIMPLIFIED = {
    "struck": "Struck text is left out.",
    "html": "HTML is shown as plain text, without its layout.",
    "formula": "Formulas are shown as they are written.",
    "diagram": "Diagrams of Mermaid other than flowcharts and pies are shown as code.",
}


class _Line(NamedTuple):
    """What is seen of a line. ``notes``: the footnotes that it cites."""

    text: str
    pictures: list[str]
    notes: list[int]


class BriefWarning(NamedTuple):
    """``code``: one of CODES; ``message``: one or two sentences for people."""

    code: str
    message: str


def find_warnings(brief: Brief, account_id: str, has_model: bool) -> list[BriefWarning]:
    """Return the warnings about a brief of an account.

    ``has_model``: a model writes the scripts of this installation.
    """
    notes = brief.metadata_md or ""
    if notes.startswith(("---", "\ufeff")):
        notes = front_matter.split_front_matter(notes)[1]
    if not notes or notes.isspace():
        return [] if has_model else [BriefWarning(NOTES_EMPTY, _NO_NOTES)]
    has_signs = any(sign in notes for sign in _WORTH_PARSING)
    if not has_signs and (has_model or _is_plain(notes)):
        return []
    tokens = _PARSER.parse(notes)
    pictures = _list_picture_names(tokens)
    known = (
        {row["name"] for row in assets.list_pictures_of_account(account_id)}
        if pictures
        else set[str]()
    )
    warnings = [
        *_warn_of_pictures(name for name in pictures if name not in known),
        *_warn_of_content(tokens),
    ]
    if not has_model and _is_empty(tokens, lambda text: _is_title(text, brief, account_id), known):
        warnings.insert(0, BriefWarning(NOTES_EMPTY, _NOTHING_SAID))
    return warnings[:_MOST]


def serialise_warnings(brief: Brief, account_id: str, has_model: bool) -> str | None:
    """Return the warnings as the JSON that is kept with the production; None if there are none."""
    warnings = find_warnings(brief, account_id, has_model)
    return _format_warnings(tuple(warnings)) if warnings else None


@functools.lru_cache(maxsize=64)  # most briefs that have warnings have the same
def _format_warnings(warnings: tuple[BriefWarning, ...]) -> str:
    return json_text.text([warning._asdict() for warning in warnings])


def _is_plain(notes: str) -> bool:
    """Return whether notes without signs of _WORTH_PARSING say something for certain: most do."""
    return _REFERENCE not in notes and len(list(islice(_PLAIN.finditer(notes), _ENOUGH))) == _ENOUGH


def _is_title(heading: str, brief: Brief, account_id: str) -> bool:
    """Return whether a heading is the topic or the title of the video,
    which are said and shown without it.
    """
    if heading.casefold() == " ".join(brief.topic.split()).casefold():
        return True
    title = briefs.make_title(briefs.find_account(brief, account_id), brief)
    return heading.casefold() == " ".join(title.split()).casefold()


def _list_picture_names(tokens: Sequence[Token]) -> list[str]:
    """Return the names of the pictures of a brief, each once."""
    images = [token for token in _flatten(tokens) if token.type == "image"]
    return list(
        dict.fromkeys(read_picture_name(str(image.attrGet("src") or "")) for image in images)
    )


def _warn_of_pictures(missing: Iterator[str]) -> Iterator[BriefWarning]:
    for name in islice(missing, _MOST - len(_SIMPLIFIED) - 1):
        shown = name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"
        sentence = (
            f"The account has no picture named {shown!r}; it is left out. Addresses are not "
            "fetched."
        )
        yield BriefWarning(PICTURE_NOT_FOUND, sentence)


def _warn_of_content(tokens: Sequence[Token]) -> Iterator[BriefWarning]:
    paragraphs = {
        id(token)
        for opening, token in pairwise(tokens)
        if opening.type == "paragraph_open" and token.level == 1
    }
    kinds = {_find_simplification(token, id(token) in paragraphs) for token in _flatten(tokens)}
    yield from (
        BriefWarning(CONTENT_SIMPLIFIED, sentence)
        for kind, sentence in _SIMPLIFIED.items()
        if kind in kinds
    )


def _flatten(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from token.children or ()


def _remove_formulas(line: Token) -> str:
    """Return the source of a line without the formulas that are understood."""
    text = line.content
    for child in line.children or ():
        if child.type in inline_marks.FORMULAS:
            text = text.replace(inline_marks.restore_formula(child.markup, child.content), " ")
    return text


def _find_simplification(token: Token, is_paragraph: bool) -> str:
    """Return which of _SIMPLIFIED a token is; empty if none. ``is_paragraph``: it is one outside
    lists and quotations, which is set as a formula if it consists of one."""
    if token.type == "s_open":
        return "struck"
    if (
        token.type == "fence"
        and mermaid.is_mermaid(token.info)
        and mermaid.list_texts(token.info, token.content) is None
    ):
        return "diagram"
    tag = html_text.parse_tag(token.content)[0] if token.type == "html_inline" else ""
    if tag not in _WITHOUT_LAYOUT or (
        token.type == "html_block" and not _COMMENTS.fullmatch(token.content)
    ):
        return "html"
    has_formula = token.type == "inline" and _FORMULA.search(_remove_formulas(token))
    return (
        "formula"
        if has_formula and not (is_paragraph and latex.find_formula(token.content))
        else ""
    )


def _is_empty(
    tokens: Sequence[Token], is_title: Callable[[str], bool], pictures: Container[str]
) -> bool:
    """Return whether nothing is left of parsed notes but headings that are the title.

    ``is_title``: tells whether a heading is; ``pictures``: the names of those that the account has.
    """
    end = next(
        (at for at, token in enumerate(tokens) if token.type == "footnote_block_open"), len(tokens)
    )
    notes = _find_footnotes(tokens[end:])
    for before, token in zip((None, *tokens), tokens[:end], strict=False):
        line = _read_line(token.children or ())
        heads = (
            before is not None
            and before.type == "heading_open"
            and is_title(" ".join(line.text.split()))
        )
        if _shows_anything(token, line._replace(text="") if heads else line, pictures):
            return False
        if any(
            _shows_anything(part, _read_line(part.children or ()), ())
            for note in line.notes
            for part in notes.get(note, ())
        ):
            return False
    return True


def is_said(text: str) -> bool:
    """Return whether ``text`` has a letter, a digit or a sign that is spoken by name."""
    return any(_is_said(piece) for piece in text.split())


def _is_said(piece: str) -> bool:
    if any(
        sign.isalnum() or sign in _SAID_ANYWHERE or unicodedata.category(sign) == "Sc"
        for sign in piece
    ):
        return True
    sign = piece.strip(_AROUND)
    return len(sign) == 1 and (
        sign in _SAID_ALONE or (unicodedata.category(sign) == "Sm" and sign not in _MARKUP)
    )


def _shows_anything(token: Token, line: _Line, pictures: Container[str]) -> bool:
    if token.type in _CODE:
        return bool(token.content.strip())
    if token.type == "html_block":
        return any(map(is_said, html_text.list_paragraphs(token.content)))
    return is_said(line.text) or any(name in pictures for name in line.pictures)


def _read_line(children: Iterable[Token]) -> _Line:
    """Read a line without what is struck or hidden by HTML."""
    line, hidden = _Line("", [], []), list[str]()
    parts: list[str] = []
    for child in children:
        if child.type == "html_inline":
            html_text.follow(child.content, hidden)
        elif child.type in ("s_open", "s_close"):
            hidden[:] = [*hidden, "~~"] if child.nesting > 0 else hidden[:-1]
        elif not hidden and child.type == "image":
            line.pictures.append(read_picture_name(str(child.attrGet("src") or "")))
        elif not hidden and child.type == "footnote_ref":
            line.notes.append(child.meta["id"])
        elif not hidden and child.type == "text":
            parts.append(UNDEFINED_NOTE.sub("", child.content))
        elif not hidden:
            parts.append(" " if child.type in _BREAKS else child.content)
    return line._replace(text="".join(parts))


def _find_footnotes(tokens: Iterable[Token]) -> dict[int, list[Token]]:
    """Return the tokens of each footnote by its number."""
    notes: dict[int, list[Token]] = {}
    number = -1
    for token in tokens:
        number = token.meta["id"] if token.type == "footnote_open" else number
        notes.setdefault(number, []).append(token)
    return notes
