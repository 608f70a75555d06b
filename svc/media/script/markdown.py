"""Reading Markdown as plain blocks (headings, list items, prose, quotations, tables, code, images),
without the markup.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from markdown_it.token import Token

from svc.base.text import front_matter, html_text, latex, mermaid
from svc.base.text.markdown import build_brief_reader
from svc.media.script import dated_lines, gathering, inline_text, labels, law_titles, quotations
from svc.media.script.blocks import Block, Picture
from svc.media.script.inline_text import InlineText
from svc.media.text.tokens import STRESS, UNSTRESS

LONGEST = 100_000  # characters to read; a brief has 4,096, a file on the command line may have more
DONE, NOT_DONE = "☑", "☐"
_REASONS = {"➕": "+", "➖": "−"}  # for something and against it
_CONTROLS = re.compile(
    f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff{STRESS}{UNSTRESS}\ue002\ue003\ue004]"
)
_LISTS = ("bullet_list_open", "ordered_list_open")
_CODE = ("fence", "code_block")
_PARSER = build_brief_reader()
_BESIDE = (2, 3)  # pictures that stand beside one another
_LONGEST_LINE = 72  # characters of a line that is kept, as those of verse and of addresses are
_FEWEST_BREAKS = 2  # of lines, in a verse that is quoted
# The tag that begins small print, and the asterisks that lead to one: after a word, a bracket or a
# sign.
_SMALL, _NOTE_SIGNS = "small", re.compile(r"(?:[*†‡＊]{1,3}|[¹²³])\s?[^\W\d_]")
_ASTERISKS, _REFERENCE = re.compile(r"\*{1,3}(?=\S)"), re.compile(r"(?<=[^\s*])\*{1,3}(?=\W|$)")
# The source of a verse, in a paragraph of its own, and the tags that end a post.
_SOURCE = re.compile(r"(?:[—–―]|--)\s*[^\W\d_].{0,61}[^—–―\s-]")
_TAGS = re.compile(r"#\w+(?:\s+#\w+)*")
# The bracket around a release in a changelog: [1.2.0] - 2026-01-05.
_RELEASE = re.compile(r"^\[([^\]]+)\](?=\s|$)")
# The signs of a formula that is worth seeing.
_WORTH_SEEING = re.compile(
    r"[=<>^_]|\\(?:frac|sqrt|sum|int|prod|leq?|geq?|neq?|approx|to|cdot|times|pm)"
)


def parse_blocks(source: str, language: str = "en") -> list[Block]:
    """Return the blocks of ``source``, which is in ``language``, in order, without front matter.
    Lines of a quotation stay separate, and a footnote follows the block that cites it first."""
    text = remove_front_matter(_clean_lines(_CONTROLS.sub("", source[:LONGEST])))
    lines = law_titles.part_titles(dated_lines.mark_dated_lines(text, language), language)
    tokens = _PARSER.parse(lines)
    reader = _BlockReader(_read_footnotes(tokens, language), language, _find_references(tokens))
    for token in _remove_footnotes(tokens):
        reader.read(token)
    return list(
        labels.place_labels(list(gathering.gather_blocks(reader.blocks, language)), language)
    )


def _clean_lines(source: str) -> str:
    """Return ``source`` with line feeds alone between its lines, without a byte order mark and the
    no-break spaces with which pages fill and end lines: such a line is empty."""
    lines = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(
        line.rstrip(" \u00a0") if line.endswith("\u00a0") or not line.strip(" \u00a0") else line
        for line in lines
    )


def remove_front_matter(source: str) -> str:
    """Return ``source`` without its front matter."""
    return front_matter.split_front_matter(source)[1]


class _BlockReader:
    """Turns the parser's tokens into blocks, one after the other."""

    def __init__(self, footnotes: dict[int, str], language: str, references: set[str]) -> None:
        self.blocks: list[Block] = []
        self._language = language
        self._footnotes = footnotes
        self._references = references
        self._open: list[Token] = []
        self._labels: list[str] = []  # of the open list items
        self._has_text: list[bool] = []  # of the open list items
        self._rows: list[list[str]] = []
        self._row_images: list[list[list[Picture]]] = []  # of each cell
        self._cited: list[InlineText] = []  # lines of the open table or quotation
        self._begins_list = False  # whether the open list has no item yet
        self._term = ""  # of a list of definitions
        self._is_quoting = False  # whether the last block is of the open quotation
        self._in_alert = False  # whether the last block is of the open alert
        self._lists_in_alert = False  # whether that began with a list

    def read(self, token: Token) -> None:
        """Add the block of one token, if it has one."""
        if token.nesting == 1:
            self._begin(token)
        elif token.nesting == -1:
            self._end(token)
        elif token.type == "inline":
            self._read_inline(token)
        elif token.type in _CODE:
            self._add_term()
            self._add(_read_fence(token))
        elif token.type == "html_block":
            kind = "small" if html_text.parse_tag(token.content.lstrip())[0] == _SMALL else "prose"
            for paragraph in html_text.read(token.content):
                if self._has_text:
                    self._add_item(InlineText(paragraph.text))
                elif paragraph.level is not None:
                    label, level = paragraph.label, paragraph.level
                    self._add(Block("point", paragraph.text, label=label, level=level))
                else:
                    self._add(Block(kind, paragraph.text, within_item=paragraph.within_item))

    def _begin(self, token: Token) -> None:
        self._open.append(token)
        self._is_quoting = self._is_quoting and token.type != "blockquote_open"
        if token.type == "alert_open":
            self.blocks.append(Block("alert", "", tone=token.info))
            self._in_alert, self._lists_in_alert = True, False
        if token.type in _LISTS:
            self._begins_list = True
        if token.type == "list_item_open":
            self._labels.append(f"{token.info}{token.markup}" if token.info else "")
            self._has_text.append(False)
        elif token.type == "tr_open":
            self._rows.append([])
            self._row_images.append([])

    def _end(self, token: Token) -> None:
        if not self._open:  # a closing token without an opening one
            return
        self._open.pop()
        if token.type == "list_item_close":
            self._labels.pop()
            self._has_text.pop()
        elif token.type == "table_close":
            self._add_table()
        elif token.type == "blockquote_close":
            self._set_beside_quote()
        elif token.type == "dd_close":
            self._add_term()
        elif token.type == "alert_close":
            if (
                self._in_alert
                and self.blocks[-1].kind == "alert"
                and not (self.blocks[-1].text or self.blocks[-1].note)
            ):
                self.blocks.pop()
            self._in_alert = False
        if not self._rows and not any(token.type == "blockquote_open" for token in self._open):
            cited, self._cited = self._cited, []
            for line in cited:
                self._add_references(line)

    def _read_inline(self, token: Token) -> None:
        opened = {open_token.type for open_token in self._open}
        keeps_lines = (
            not self._rows
            and not self._has_text
            and not opened & {"heading_open", "dt_open", "dd_open"}
        )
        soft, hard = "\n" if "blockquote_open" in opened else " ", "\n" if keeps_lines else " "
        line = inline_text.read_inline(token.children or (), self._language, soft, hard)
        if self._rows:
            self._rows[-1].append(" ".join(line.text.split()))
            self._row_images[-1].append(line.images)
        elif "dt_open" in opened:
            self._term = f"{self._term}, {line.text}" if self._term else line.text
        elif "heading_open" in opened:
            level = next(
                int(opened.tag[1]) for opened in self._open if opened.type == "heading_open"
            )
            self._add(Block("heading", _RELEASE.sub(r"\1", line.text), level=level))
        elif self._is_in_alert():
            self._add_alert(line.text, is_title="alert_title_open" in opened)
        elif self._has_text:
            term, self._term = self._term, ""
            self._add_item(replace(line, text=f"{term}: {line.text}") if term else line)
        elif "dd_open" in opened:
            self._add_definition(line)
        elif "blockquote_open" in opened:
            self._add_quote(line.text, _is_verse(token))
        elif token.level == 1 and (formula := latex.find_formula(token.content)):
            self._add(Block("formula", formula))
        else:
            self._add_paragraph(token, line)
        self._cited.append(line)

    def _add_paragraph(self, token: Token, line: InlineText) -> None:
        lines = [each.strip() for each in line.text.split("\n") if each.strip()]
        if len(lines) > 1 and max(map(len, lines)) <= _LONGEST_LINE:
            self._add(Block("lines", "\n".join(lines)))
            return
        if rest := self._take_label(token):
            self._add_paragraph(*rest)
            return
        text, figure = " ".join(lines), _find_leading_figure(token)
        before = self.blocks[-1] if self.blocks else None
        if before and before.kind == "lines" and _SOURCE.fullmatch(text):
            self.blocks[-1] = replace(before, text=f"{before.text}\n{text}")
        elif figure:
            self._add(Block("figure", text, figure))
        elif quotations.is_quotation(text):
            self._add(Block("quote", text))
        elif self._is_small(token) or _TAGS.fullmatch(text):
            self._add(Block("small", text))
        else:
            shown = [source for source in line.formulas if _WORTH_SEEING.search(source)]
            self._add(Block("prose", text, formula=shown[0] if len(shown) == 1 else ""))

    def _take_label(self, inline: Token) -> tuple[Token, InlineText] | None:
        """Add the first line of a paragraph, if it is in bold and may be a heading, and return the
        lines after it; None: the paragraph is read whole. A line alone is one if nothing but a
        quotation is around it."""
        end, children = labels.find_end(inline), inline.children or []
        if not end or self._open[-1].level:
            return None
        label = inline_text.read_inline(children[:end], self._language).text
        if not labels.may_be_label(label, self._language):
            return None
        after = children[end + 1 :]
        rest = inline_text.read_inline(after, self._language, " ", "\n")
        goes_on = rest.text.lstrip(STRESS)[:1].islower() and not labels.asks(label)
        if after and (goes_on or not rest.text.strip()):
            return None
        self._add(Block(labels.LABEL, label))
        content = inline.content.partition("\n")[2]
        return inline.copy(children=after, content=content), rest

    def _is_small(self, inline: Token) -> bool:
        """Return whether a paragraph is small print: between <small> and </small>, or after the
        sign of a note.

        Asterisks right before a word are one if a word leads to them or they are escaped: else
        they are of an emphasis that has no end, and what it begins is said.
        """
        if _is_between_small_tags(inline):
            return True
        first = "".join(
            child.content for child in _list_filled(inline)[:3] if child.type.startswith("text")
        )
        stars = _ASTERISKS.match(inline.content)
        if stars and stars[0] not in self._references:
            return False
        return bool(_NOTE_SIGNS.match(first))

    def _add_alert(self, text: str, is_title: bool) -> None:
        """Add the title of an alert, or a paragraph of it, which goes on with the one before;
        after a list it is prose.
        """
        text, before = " ".join(text.split()), self.blocks[-1]
        if before.kind != "alert" or not self._in_alert:
            self._add(Block("prose", text))
        elif is_title:
            self.blocks[-1] = replace(before, note=text)
        else:
            self.blocks[-1] = replace(before, text=f"{before.text} {text}".strip())

    def _add(self, block: Block) -> None:
        if block.text.strip() or block.rows:
            self.blocks.append(block)

    def _add_table(self) -> None:
        """Add a table; one row of pictures under headings is no table."""
        rows, images = tuple(map(tuple, self._rows)), self._row_images
        self._rows, self._row_images = [], []
        alone = (
            len(rows) == 2
            and not any((*rows[1], *images[0]))
            and all(len(cell) == 1 for cell in images[1])
        )
        if alone and len(rows[1]) in _BESIDE:
            self._add(
                Block(
                    "pictures", "", rows=rows[:1], pictures=tuple(cell.pop() for cell in images[1])
                )
            )
        else:
            self._add(Block("table", "", rows=rows))

    def _add_quote(self, text: str, is_verse: bool) -> None:
        """Add a paragraph of a quotation; its source ends it, even in a quotation by itself. Each
        stanza of a poem has a picture of its own."""
        before = self.blocks[-1] if self.blocks else None
        is_source = text.startswith(quotations.DASHES)
        goes_on = is_source or (self._is_quoting and not is_verse)
        if (
            goes_on
            and before
            and before.kind == "quote"
            and not (before.pictures or quotations.split_source(before.text)[1])
        ):
            self.blocks[-1] = replace(before, text=f"{before.text}\n{text}")
        else:
            self._add(Block("quote", text, keeps_lines=is_verse))
        self._is_quoting = True

    def _set_beside_quote(self) -> None:
        """Set the only picture of a quotation beside it."""
        images = [line.images for line in self._cited if line.images]
        if sum(map(len, images)) == 1 and self.blocks and self.blocks[-1].kind == "quote":
            self.blocks[-1] = replace(self.blocks[-1], pictures=(images[0].pop(),))

    def _add_item(self, line: InlineText) -> None:
        """Add a list item, or a paragraph that belongs to one."""
        text = " ".join(line.text.split("\n"))
        if self._continues_alert(line):
            stop = "" if text.rstrip().endswith((".", "!", "?", "…", ":")) else "."
            self.blocks[-1] = replace(
                self.blocks[-1], text=f"{self.blocks[-1].text} {text}{stop}".strip()
            )
            self._has_text[-1] = True
            return
        if self._has_text[-1] or not text.strip():
            self._add(Block("prose", text, within_item=True))
            return
        self._has_text[-1] = True
        box = "" if line.task is None else DONE if line.task else NOT_DONE
        label = f"{self._labels[-1]} {box}".strip()
        if not label and text[0] in _REASONS:
            label, text = _REASONS[text[0]], text[1:].lstrip("\ufe0f ")
        level = sum(1 for token in self._open if token.type in _LISTS) - 1
        is_first, self._begins_list = self._begins_list and not level, False
        self._add(Block("point", text, label=label, level=level, is_first=is_first))

    def _is_in_alert(self) -> bool:
        """Return whether an alert is open, and no list within it."""
        opened = [
            token.type for token in self._open if token.type in ("alert_open", "list_item_open")
        ]
        return opened[-1:] == ["alert_open"]

    def _continues_alert(self, line: InlineText) -> bool:
        """Return whether a list is all that an alert has so far:
        its items are sentences of the card.
        """
        depth = sum(token.type in _LISTS for token in self._open)
        is_plain = (
            depth == 1 and not self._labels[-1] and line.task is None and not self._has_text[-1]
        )
        if not (is_plain and self._in_alert and self.blocks and self.blocks[-1].kind == "alert"):
            return False
        self._lists_in_alert = self._lists_in_alert or not self.blocks[-1].text
        return self._lists_in_alert

    def _add_definition(self, line: InlineText) -> None:
        if self._term:
            self._add(Block("point", f"{STRESS}{self._term}{UNSTRESS}: {line.text}"))
            self._term = ""
        else:
            self._add(Block("prose", line.text, within_item=True))

    def _add_term(self) -> None:
        """Add a term whose definition is no text."""
        term, self._term = self._term, ""
        self._add(Block("prose", term))

    def _add_references(self, line: InlineText) -> None:
        """Add the pictures of a line, and the footnotes that it cites."""
        self.blocks += [Block("image", text, address) for text, address in line.images]
        for number in line.notes:
            self._add(
                Block("prose", self._footnotes.get(number, ""), within_item=self._is_within_item())
            )

    def _is_within_item(self) -> bool:
        return bool(self._has_text) and self._has_text[-1]


def _read_footnotes(tokens: list[Token], language: str) -> dict[int, str]:
    """Return the text of each footnote by its number."""
    texts: dict[int, list[str]] = {}
    number = None
    for token in tokens:
        if token.type == "footnote_open":
            number = token.meta["id"]
        elif token.type == "footnote_close":
            number = None
        elif number is not None:
            texts.setdefault(number, []).extend(_read_plain_lines(token, language))
    return {number: " ".join(lines) for number, lines in texts.items()}


def _read_plain_lines(token: Token, language: str) -> list[str]:
    if token.type == "inline":
        return [inline_text.read_inline(token.children or (), language).text]
    if token.type in _CODE:
        return [" ".join(token.content.split())]
    return html_text.list_paragraphs(token.content) if token.type == "html_block" else []


def _remove_footnotes(tokens: list[Token]) -> Iterator[Token]:
    """Yield the tokens before the footnotes, which the parser puts at the end."""
    for token in tokens:
        if token.type == "footnote_block_open":
            return
        yield token


def _is_verse(inline: Token) -> bool:
    """Return whether the writer ended the lines of a quotation,
    of which there are more than its words and its source.
    """
    breaks = [
        child.type for child in inline.children or () if child.type in ("softbreak", "hardbreak")
    ]
    lines = inline.content.split("\n")
    return breaks.count("hardbreak") >= _FEWEST_BREAKS and max(map(len, lines)) <= _LONGEST_LINE


def _read_fence(token: Token) -> Block:
    """Return code, or the diagram that it draws."""
    if mermaid.is_mermaid(token.info):
        if slices := mermaid.parse_pie(token.content):
            return Block("table", "", rows=slices)
        if chart := mermaid.parse_flowchart(token.content):
            return Block("flow", token.content, rows=chart.list_steps())
    language = token.info.split(maxsplit=1)[0] if token.info.strip() else ""
    return Block("code", token.content.strip("\n"), language)


def _is_between_small_tags(inline: Token) -> bool:
    """Return whether a paragraph stands between <small> and </small>."""
    children = _list_filled(inline)
    ends = [html_text.parse_tag(child.content) for child in children if child.type == "html_inline"]
    return (
        ends == [(_SMALL, False), (_SMALL, True)]
        and children[0].type == children[-1].type == "html_inline"
    )


def _list_filled(inline: Token) -> list[Token]:
    return [
        child for child in inline.children or () if child.type != "text" or child.content.strip()
    ]


def _find_references(tokens: list[Token]) -> set[str]:
    """Return the asterisks that lead to a note, such as those of "from 9 €*"."""
    texts = (child.content for token in tokens for child in token.children or ())
    return {match[0] for text in texts for match in _REFERENCE.finditer(text)}


def _find_leading_figure(inline: Token) -> str:
    """Return the bold text at the very beginning of a paragraph; empty if there is none."""
    children = [child for child in inline.children or () if child.type != "text" or child.content]
    if [child.type for child in children[:3]] != ["strong_open", "text", "strong_close"]:
        return ""
    return children[1].content.strip()
