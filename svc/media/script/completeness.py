"""Comparing a brief with its script: nothing that a reader of the Markdown sees may be lost, and
nothing said twice.

The comparison reads the parser's tokens itself, so that a mistake of the writer is not repeated
here.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from markdown_it.token import Token

from svc.base.text import front_matter, html_text, inline_marks, latex, mermaid
from svc.base.text.markdown import build_brief_reader
from svc.base.text.picture_names import read_picture_name
from svc.media.artwork import emoji
from svc.media.maths import reading
from svc.media.model import CARDS, Scene, Script, VideoBrief
from svc.media.script import phrases
from svc.media.script.gathering import SIGNS
from svc.media.text import line_breaks
from svc.media.text.tokens import LONGEST_WORD, join_words
from svc.media.visual_kinds import TextRole

_PARSER = build_brief_reader()
_ATOM = re.compile(r"[^\W_]+|[^\w\s]|_")
_ALIKE = re.compile(r"([^\w\s])\1{3,}")
# The most signs of one picture in a row that may be a number, as stars are. More of them, and rows
# of marks, are shown shorter.
_MOST_COUNTED = 20
_ROW = re.compile(r"(?<!\S)[^\w\s]{21,}(?!\S)")  # of signs: is shown shorter
_LONGEST = 100_000  # characters that the writer reads
# How many atoms confirm a step to a later scene. A fifth of them may be missing there.
_AHEAD, _TOLERANCE = 9, 5
_NEAR = 4  # scenes that are searched for them
_MOST_REPORTED = 20
# The typography, which the screen may set otherwise.
_DECORATION = frozenset("*_-–—−.,;:!?'\"“”„‘’«»…•·()[]{}|\\/`~^")
_CONTEXT = 60  # characters of the block that a report quotes
_DROPPED = ("Mn", "Me", "Cf", "Cc", "Co", "Cs", "Cn")
_ALERTED = "⚠"  # marks a paragraph as an alert
_BREAKS = ("softbreak", "hardbreak")
_APART = ("br", "sup", "sub")  # tags that separate words
_TASK = re.compile(r'class="task-list-item-checkbox"( checked)?')


class _Visible(NamedTuple):
    """What a reader sees of one block.

    ``reach``: the scenes in which it may be spread in another order, as cells are.
    """

    text: str
    reach: int = 1


def list_lost(brief: VideoBrief, script: Script) -> list[str]:
    """Return a sentence for each word, figure or sign of the brief's notes that the script lacks or
    says once too often.

    Words, list items, cells, code and headings of the scenes are searched in their order. The
    script of a model (``script.author``) is its own text: nothing is compared. The title is not
    searched, which every script shows and which a heading of the notes may repeat at any place. A
    script that was edited is compared with what its reviewer wrote.
    """
    if script.is_edited:
        return list(_list_lost_edits(brief, script))[:_MOST_REPORTED]
    if script.author:
        return []
    visible, title = list(_list_visible(brief)), _split_atoms(script.title)
    searched = [block for block in visible if _split_atoms(block.text) != title]
    reports = [*_find_missing(searched, script), *_find_doubled(visible, brief, script)]
    return reports[:_MOST_REPORTED]


def is_mostly_lost(brief: VideoBrief, script: Script) -> bool:
    """Return whether the script lacks more than half of the words of its brief,
    wherever they would stand in it.
    """
    if script.is_edited:
        texts = [
            text for edit in brief.edits for text in (edit.heading, edit.narration, *edit.points)
        ]
    else:
        texts = [block.text for block in _list_visible(brief)]
    expected = Counter(atom for text in texts for atom in _split_atoms(text) if atom.isalnum())
    lacking = expected - sum(map(_count_atoms, script.scenes), Counter[str]())
    return 2 * lacking.total() > expected.total()


def _list_lost_edits(brief: VideoBrief, script: Script) -> Iterator[str]:
    """Yield a sentence for each word of the reviewed scenes that the script lacks."""
    texts = [text for edit in brief.edits for text in (edit.narration, *edit.points)]
    expected = Counter(atom for text in texts for atom in _split_atoms(text) if atom.isalnum())
    content = [scene for scene in script.scenes if scene.layout not in CARDS]
    said = Counter(
        atom
        for scene in content
        for atom in _split_atoms(join_words(scene.words))
        if atom.isalnum()
    )
    yield from (f"The script lacks {atom!r}, which its reviewer wrote." for atom in expected - said)


def _find_missing(visible: list[_Visible], script: Script) -> Iterator[str]:
    bags = [_count_atoms(scene) for scene in script.scenes]
    lines = ["".join(_split_atoms(join_words(scene.words))) for scene in script.scenes]
    flat = [
        (atom, block)
        for block in visible
        for atom in _split_atoms(block.text)
        if not _is_shown_otherwise(atom)
    ]
    at = 0
    for number, (atom, block) in enumerate(flat):
        within = bags[at : at + block.reach]
        if all(bag[atom] <= 0 for bag in within) and atom not in _DECORATION:
            following = [
                each for each, _ in flat[number : number + _AHEAD + 1] if each not in _DECORATION
            ]
            at = next(_find_later_scenes(bags, at, following), at)
        near = next((bag for bag in bags[at : at + block.reach] if bag[atom] > 0), None)
        if near is not None:
            near[atom] -= 1
        elif atom not in _DECORATION and not (
            atom == line_breaks.space_out_signs(atom)
            and any(atom in words for words in lines[at : at + block.reach + 1])
        ):
            yield f"The script lacks {atom!r} of {block.text.strip()[:_CONTEXT]!r}."


def _find_later_scenes(bags: list[Counter[str]], at: int, atoms: list[str]) -> Iterator[int]:
    """Yield the later scenes that have the first of ``atoms`` and, with the next ones,
    nearly all of the others.
    """
    for number in range(at + 1, len(bags)):
        near = sum(bags[number : number + _NEAR], Counter[str]())
        missing = sum((Counter(atoms) - near).values())
        if bags[number][atoms[0]] > 0 and missing <= len(atoms) // _TOLERANCE:
            yield number


def _find_doubled(visible: list[_Visible], brief: VideoBrief, script: Script) -> Iterator[str]:
    """Yield a sentence for each word that is said more often than the brief has it;
    headings may be repeated.
    """
    listed = [_split_atoms(block.text) for block in visible]
    expected = Counter(atom for atoms in listed for atom in atoms)
    # "5^th^" is said as one word
    expected.update(first + second for atoms in listed for first, second in pairwise(atoms))
    titled = set(_split_atoms(f"{brief.title} {script.title}"))
    if not any(atom.isalnum() and atom not in titled for atoms in listed for atom in atoms):
        # a topic alone, or with notes that only repeat the title: the facts at hand are spoken
        return
    expected.update(
        _split_atoms(
            f"{brief.title} {brief.title} {brief.topic} {script.title} {brief.account_name}"
        )
    )
    added = [
        phrases.find_sign_off(brief.account_name, brief.read_in),
        *(phrases.choose_code_sentence(page, brief.read_in) for page in range(1, 100)),
    ]
    # a wide table is cut between its columns
    added += [row[0] for scene in script.scenes for row in scene.sight.rows]
    added += [text for scene in script.scenes for text in (scene.heading, *scene.sight.columns)]
    added += [scene.sight.note for scene in script.scenes if scene.sight.traits.has_title]
    free = {atom for text in added for atom in _split_atoms(text)}
    said = Counter(
        atom
        for scene in script.scenes
        for atom in _split_atoms(join_words(scene.words))
        if atom.isalnum()
    )
    for atom, count in said.items():
        if (
            atom not in free
            and count > expected[atom]
            and not any(atom in longer for longer in expected)
        ):
            yield f"The script says {atom!r} {count} times, the brief {expected[atom]} times."


def _count_atoms(scene: Scene) -> Counter[str]:
    """Return what a scene shows and says.

    A list item, a cell or a quotation is said as well, so that it counts once.
    """
    sight, traits = scene.sight, scene.sight.traits
    shown = [
        sight.alt,
        *(cell for row in sight.rows for cell in row),
        *([sight.text] if traits.text is TextRole.SAID else []),
    ]
    if scene.layout != "close":  # its note is the link
        shown.append(sight.note)
    once = Counter(_split_atoms(join_words(scene.words)))
    once |= Counter(_split_atoms(" ".join(point.text for point in scene.points)))
    once |= Counter(_split_atoms(" ".join(shown)))
    labels = (
        () if traits.says_labels else [*sight.columns, *(point.label for point in scene.points)]
    )
    more = [scene.heading, scene.small_print, *labels]
    icons = {point.icon.removeprefix("line:") for point in scene.points if traits.has_signs}
    more += [sign for sign, icon in SIGNS.items() if icon in icons]
    if traits.text is TextRole.READ:
        more.append(sight.text)
    if traits.has_title:
        more.append(_ALERTED * _MOST_COUNTED)  # which its title and its sign stand for
    return once + Counter(_split_atoms(" ".join(more)))


@lru_cache(maxsize=1024)
def _split_atoms(text: str) -> tuple[str, ...]:
    """Return the words, figures and signs of ``text`` without differences in case, accents and
    kinds of spaces, and without rulers of one sign, which are shown shorter."""
    text = _ROW.sub(" ", _ALIKE.sub(lambda run: run[0] if _is_count(run[0]) else " ", text))
    if text.isascii() and text.isprintable():
        return tuple(_ATOM.findall(text.casefold()))
    apart = "".join(
        f" {character} " if _is_shifted(character) else character
        for character in line_breaks.space_out_signs(text)
    )
    plain = unicodedata.normalize("NFKD", apart)
    visible = "".join(
        character
        for character in plain
        if character.isspace() or unicodedata.category(character) not in _DROPPED
    )
    return tuple(_ATOM.findall(visible.casefold()))


def _is_count(run: str) -> bool:
    return unicodedata.category(run[0]) in ("So", "Sc") and len(run) <= _MOST_COUNTED


def _is_shown_otherwise(atom: str) -> bool:
    """Return whether ``atom`` is too long for a piece of code, or a sign without a glyph,
    for which another is shown.
    """
    if len(atom) > 2 * LONGEST_WORD:
        return True
    return not atom.isascii() and not atom.isalnum() and bool(emoji.undrawable_characters(atom))


def _is_shifted(character: str) -> bool:
    return not character.isascii() and unicodedata.decomposition(character).startswith(
        ("<super>", "<sub>")
    )


def _list_visible(brief: VideoBrief) -> Iterator[_Visible]:
    """Yield each block that a reader of the notes sees, in order; a footnote where it is cited."""
    source = re.sub(
        "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ue000\ue001]",
        "",
        brief.metadata_md[:_LONGEST],
    )
    tokens = _PARSER.parse(front_matter.split_front_matter(source)[1])
    names = {upload.name for upload in brief.uploads}
    body = next(
        (at for at, token in enumerate(tokens) if token.type == "footnote_block_open"), len(tokens)
    )
    notes = _read_footnotes(tokens[body:])
    waiting: list[str] = []  # footnotes and pictures of the open table or quotation
    cells: list[str] | None = None  # of the open table
    inside, label = 0, ""
    for at, token in enumerate(tokens[:body]):
        if token.type == "list_item_open":
            label = f"{token.info}{token.markup}" if token.info else ""
            continue
        inside += token.nesting if token.type.startswith(("table_", "blockquote_")) else 0
        if token.type == "table_open":
            cells = []
        texts = (
            [reading.caption_formula(formula, brief.read_in)]
            if (formula := _find_formula(tokens, at))
            else list(_read_block(token))
        )
        if label and (texts or token.type == "html_block"):
            texts = _add_label(label, texts)
            label = ""
        if cells is not None:
            cells += texts
        else:
            yield from map(_Visible, texts)
        if token.type == "table_close":
            yield from (_Visible(text, len(cells or ()) + 1) for text in cells or ())
            cells = None
        for child in token.children or ():
            if child.type == "footnote_ref" and not child.meta.get("subId"):
                waiting.append(notes.get(child.meta["id"], ""))
            elif child.type == "image" and read_picture_name(str(child.attrGet("src"))) in names:
                waiting.append(_read_line(child.children or ()))
        if not inside and token.nesting < 0:
            yield from map(_Visible, waiting)
            waiting = []


def _read_block(token: Token) -> Iterator[str]:
    if token.type == "inline":
        yield _read_line(token.children or ())
    elif token.type in ("fence", "code_block"):
        yield from mermaid.list_texts(token.info, token.content) or [token.content]
    elif token.type == "html_block":
        yield from html_text.list_paragraphs(token.content)


def _find_formula(tokens: list[Token], at: int) -> str:
    """Return the formula that a paragraph outside of lists and quotations consists of;
    empty if it is none.
    """
    token = tokens[at]
    paragraph = (
        token.type == "inline" and token.level == 1 and tokens[at - 1].type == "paragraph_open"
    )
    return latex.find_formula(token.content) if paragraph else ""


def _add_label(label: str, texts: list[str]) -> list[str]:
    """Return the first texts of a numbered item with its number,
    which is shown unless nothing stands in the item.
    """
    return [label, *texts] if texts and any(map(str.isalnum, texts[0])) else texts


def _read_footnotes(tokens: list[Token]) -> dict[int, str]:
    texts: dict[int, str] = {}
    number = -1
    for token in tokens:
        if token.type == "footnote_open":
            number = token.meta["id"]
        texts[number] = " ".join([texts.get(number, ""), *_read_block(token)])
    return texts


def _read_line(children: Iterable[Token]) -> str:
    """Return the text of one line, without what is struck or hidden by HTML."""
    parts: list[str] = []
    hidden: list[str] = []
    struck = 0
    for child in children:
        name, closes = (
            html_text.parse_tag(child.content) if child.type == "html_inline" else ("", False)
        )
        if name == "input" and (task := _TASK.search(child.content)):
            parts.append("☑ " if task[1] else "☐ ")
        elif html_text.hides(name) and not (closes and name not in hidden):
            hidden = hidden[: hidden.index(name)] if closes else [*hidden, name]
        elif child.type in ("s_open", "s_close"):
            struck += child.nesting
        elif not hidden and not struck:
            parts.append(" " if child.type in _BREAKS or name in _APART else _read_token(child))
    return re.sub(r"\[\^\d{1,3}\]", "", "".join(parts))


def _read_token(child: Token) -> str:
    if child.type in ("sup_open", "sup_close", "sub_open", "sub_close"):
        return " "
    if child.type in inline_marks.FORMULAS:
        # The caption has signs, which are the same in every language.
        return reading.caption_formula(child.content, "en")
    return child.content if child.type in ("text", "code_inline") else ""
