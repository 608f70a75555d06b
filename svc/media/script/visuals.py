"""Visuals for blocks of Markdown, with the words spoken meanwhile, a function for each kind of
block; that of tables is in :mod:`svc.media.script.tables`.
"""

import re
from dataclasses import replace
from math import ceil

from svc.base.text import alerts
from svc.base.text.picture_names import read_picture_name
from svc.media.artwork import emoji
from svc.media.maths import reading
from svc.media.model import VideoBrief, Visual
from svc.media.script import phrases, quotations, scene_split, tables
from svc.media.script.blocks import Block
from svc.media.script.scene_split import STRETCH_OF_VISUAL, ScriptPart
from svc.media.text import addresses, codes
from svc.media.text import tokens as words
from svc.media.text.amounts import parse_amount
from svc.media.text.pronunciation.pieces import divide_evenly
from svc.media.text.tokens import STRESS, UNSTRESS

_LONGEST_SOURCE = 64  # characters, of who said a quotation
_LONGEST_FIGURE = 14
MOST_LINES = 12  # of code on one screen
MOST_LINES_OF_VERSE = 8
MOST_TURNS, LONGEST_TURN = 4, 120  # of a dialogue on one screen; characters
MOST_CONTACTS = 6
_ENDS = (".", "!", "?", "…", "。", "！", "？", "।", "؟")
_LONGEST_LINE = 60  # characters of code in one line of the screen
_TAB = 4


def make_visual_parts(block: Block, brief: VideoBrief) -> list[ScriptPart] | None:
    """Return the spoken parts of ``block``, each with its visual;
    None if it is better read as ordinary text.
    """
    build = _BUILDERS.get(block.kind)
    parts = build(block, brief) if build else None
    return _build_prose(block, brief) if parts is None and block.kind == "figure" else parts


def _quote(block: Block, brief: VideoBrief) -> list[ScriptPart] | None:
    """Return the parts of a quotation, beside its picture if it has one; both as ordinary scenes if
    it is too long. One that begins with a title in bold is an alert, as GitHub once had it:
    ``> **Note** …``."""
    tone, text = _split_title(block.text, brief.read_in)
    if block.keeps_lines and not block.pictures:
        return _build_verse(block, brief)
    if tone and not block.pictures:
        return _build_alert(Block("alert", " ".join(text.split()), tone=tone), brief)
    quoted = _make_quote_parts(block, brief)
    if quoted or not block.pictures:
        return quoted
    limit = scene_split.find_longest_scene(brief.avatar)
    alt, address = block.pictures[0]
    return [
        *scene_split.split_sentences(block.text, brief.read_in, limit),
        *_build_image(Block("image", alt, address), brief),
    ]


def _make_quote_parts(block: Block, brief: VideoBrief) -> list[ScriptPart] | None:
    text, source = quotations.split_source(block.text)
    source = words.clean(source)
    if len(source) > _LONGEST_SOURCE:
        return None
    shown = words.bind_figures(quotations.strip_quotes(words.clean(text)), brief.read_in)
    alt, address = block.pictures[0] if block.pictures else ("", "")
    file = _find_file(address, brief)
    alt = words.clean(alt) if file else ""
    spoken = _build_spoken_parts(text, brief, Visual("quote", shown, source, file=file, alt=alt))
    if spoken is None:
        return None
    return spoken + (
        [ScriptPart(tuple(words.tokenize_text(source, brief.read_in)), sight=spoken[0].sight)]
        if source
        else []
    )


def _build_figure(block: Block, brief: VideoBrief) -> list[ScriptPart] | None:
    """Return the parts of a paragraph that begins with a figure in bold:
    "**71 %** of the Earth is covered by water.".
    """
    figure = words.clean(block.note)
    if len(figure) > _LONGEST_FIGURE or parse_amount(figure) is None:
        return None
    if codes.is_code(words.clean(block.text).split(), 0):
        return None
    rest = words.clean(block.text).removeprefix(figure).lstrip(" ,:;–—-")
    shown = Visual("number", figure, words.bind_figures(rest, brief.read_in))
    return _build_spoken_parts(block.text, brief, shown) if rest else None


def _build_image(block: Block, brief: VideoBrief) -> list[ScriptPart]:
    """Return the parts of an image, which is an upload of the account; nothing if the account has
    none of that name.

    Addresses are never fetched.
    """
    file = _find_file(block.note, brief)
    if not file:
        return []
    visual, limit = (
        Visual("image", words.clean(block.text), file=file),
        scene_split.find_longest_scene(brief.avatar),
    )
    sentences = scene_split.split_sentences(block.text, brief.read_in, limit) or [ScriptPart(())]
    while len(sentences) > 1 and scene_split.measure_length(sentences) > limit * STRETCH_OF_VISUAL:
        sentences.pop()  # a description may be longer than a picture should stay
    return [replace(part, sight=visual) for part in sentences]


def _find_file(address: str, brief: VideoBrief) -> str:
    name = read_picture_name(address)
    return next((upload.file for upload in brief.uploads if upload.name == name), "")


def _build_pictures(block: Block, brief: VideoBrief) -> list[ScriptPart]:
    """Return one part for each of some pictures that are compared;
    a scene for each if one is missing or has no words.
    """
    heads, limit = (
        [words.clean(cell) for cell in block.rows[0]],
        scene_split.find_longest_scene(brief.avatar),
    )
    names = [
        ": ".join(filter(None, (head, words.clean(alt))))
        for head, (alt, _) in zip(heads, block.pictures, strict=True)
    ]
    files = tuple(_find_file(address, brief) for _, address in block.pictures)
    visual = Visual("pictures", columns=tuple(heads), files=files)
    parts = [
        ScriptPart(tuple(words.tokenize_text(name, brief.read_in)), name, visual) for name in names
    ]
    if (
        all(files)
        and all(part.tokens for part in parts)
        and scene_split.measure_length(parts) <= limit * STRETCH_OF_VISUAL
    ):
        return parts
    alone = [
        part
        for alt, address in block.pictures
        for part in _build_image(Block("image", alt, address), brief)
    ]
    return [*tables.make_points(tuple(heads), [], brief), *alone]


def _build_code(block: Block, brief: VideoBrief) -> list[ScriptPart]:
    """Return one part without words for each screen of code."""
    written = emoji.replace_unknown(block.text.expandtabs(_TAB)).split("\n")
    lines = [
        piece
        for line in written
        for piece in _split_code_line(" ".join(map(words.clean, line.split(" "))).rstrip())
    ]
    total = sum(map(_count_screen_lines, lines))
    share, height = ceil(total / max(1, ceil(total / MOST_LINES))), 0
    screens: list[list[str]] = [[]]
    for line in lines:
        if screens[-1] and (height >= share or height + _count_screen_lines(line) > MOST_LINES):
            screens.append([])
            height = 0
        screens[-1].append(line)
        height += _count_screen_lines(line)
    note = words.shorten(words.clean(block.note), _LONGEST_FIGURE)
    return [
        ScriptPart((), sight=Visual("code", "\n".join(screen), note))
        for screen in screens
        if any(screen)
    ]


def _build_formula(block: Block, brief: VideoBrief) -> list[ScriptPart]:
    """Return the parts of a formula, which is read aloud."""
    return [
        ScriptPart(
            tuple(reading.read_formula(block.text, brief.read_in)),
            sight=Visual("formula", block.text),
        )
    ]


def _split_code_line(line: str) -> list[str]:
    """Return a line of code, in several pieces if it is longer than a screen: between words,
    if one ends near.
    """
    most = MOST_LINES * _LONGEST_LINE
    if len(line) <= most:
        return [line]
    end = (
        max(
            (at for at in range(most - _LONGEST_LINE, most) if not line[at].isalnum()),
            default=most - 1,
        )
        + 1
    )
    return [line[:end], *_split_code_line(line[end:])]


def _count_screen_lines(line: str) -> int:
    """Return how many lines of the screen a line of code takes."""
    return max(1, ceil(len(line) / _LONGEST_LINE))


def _build_spoken_parts(text: str, brief: VideoBrief, visual: Visual) -> list[ScriptPart] | None:
    limit = scene_split.find_longest_scene(brief.avatar)
    sentences = scene_split.split_sentences(text, brief.read_in, limit)
    if not sentences or scene_split.measure_length(sentences) > limit * STRETCH_OF_VISUAL:
        return None
    return [replace(part, sight=visual) for part in sentences]


def _build_prose(block: Block, brief: VideoBrief) -> list[ScriptPart] | None:
    """Return the parts of a paragraph that is about one formula, which is set while it is spoken;
    or those of an alert without marks, which begins with a title in bold: ``**Warning:** Hot.``"""
    if block.formula:
        return _build_spoken_parts(block.text, brief, Visual("formula", block.formula))
    tone, text = _split_title(block.text, brief.read_in)
    return _build_alert(Block("alert", text, tone=tone), brief) if tone else None


def _split_title(text: str, language: str) -> tuple[str, str]:
    """Return the kind of the alert whose title ``text`` begins with, and what follows;
    an empty kind if it is none.
    """
    for kind in alerts.KINDS:
        title = re.escape(phrases.find_alert_title(kind, language))
        titled = re.fullmatch(
            rf"(?:⚠\ufe0f?\s*)?{STRESS}{title}\s?(?:[:!.]?{UNSTRESS}|{UNSTRESS}[:!.])[:!.]?\s*(.+)",
            text,
            re.S | re.I,
        )
        if titled and title:
            return kind, titled[1]
    warned = re.fullmatch(r"(?:⚠\ufe0f?\s*)+(.+)", text, re.DOTALL)
    return (alerts.WARNING, warned[1]) if warned else ("", text)


def _build_alert(block: Block, brief: VideoBrief) -> list[ScriptPart]:
    """Return the parts of an alert: as many cards as its sentences need, each with its title,
    which is said once.
    """
    limit, title = (
        scene_split.find_longest_scene(brief.avatar),
        words.clean(block.note) or phrases.find_alert_title(block.tone, brief.read_in),
    )
    sentences = scene_split.split_sentences(block.text, brief.read_in, limit)
    said = tuple(words.tokenize_text(block.note or title, brief.read_in))
    parts: list[ScriptPart] = []
    for chunk in _divide_evenly(sentences, limit, len(sentences)) or [[]]:
        shown = words.bind_figures(
            words.join_words(token.written for part in chunk for token in part.tokens),
            brief.read_in,
        )
        visual = Visual("alert", shown, title, tone=block.tone)
        lead = [ScriptPart(said, sight=visual)] if said and not parts else []
        parts += [*lead, *(replace(part, sight=visual) for part in chunk)]
    return [part for part in parts if part.tokens]


def _divide_evenly(parts: list[ScriptPart], limit: int, most: int) -> list[list[ScriptPart]]:
    """Return the parts in as few and as even groups as their length and their number allow."""
    count = max(
        ceil(scene_split.measure_length(parts) / (limit * STRETCH_OF_VISUAL)),
        ceil(len(parts) / max(1, most)),
    )
    return (
        [parts[first:end] for first, end in divide_evenly(len(parts), count) if first < end]
        if parts
        else []
    )


def _make_list_parts(
    kind: str, points: list[ScriptPart], most: int, brief: VideoBrief, **fields
) -> list[ScriptPart]:
    """Return ``points`` in as many scenes of a ``kind`` as they need, at most ``most`` in each."""
    result = []
    for chunk in _divide_evenly(points, scene_split.find_longest_scene(brief.avatar), most):
        visual = Visual(kind, **fields)
        result += [replace(part, sight=visual) for part in chunk]
    return result


def _build_verse(block: Block, brief: VideoBrief) -> list[ScriptPart] | None:
    """Return the lines of a verse, or of an address: each stays a line, and the voice pauses at its
    end. The source of a verse is said after it."""
    lines, source = block.text.split("\n"), ""
    if len(lines) > 1 and lines[-1].startswith(quotations.DASHES):
        source = words.clean(lines.pop().lstrip("".join(quotations.DASHES)))
    points = [
        _build_verse_line(line, at == len(lines) - 1, brief.read_in)
        for at, line in enumerate(lines)
    ]
    spoken = [point for point in points if point.tokens]
    if len(spoken) < len(points):
        return None
    parts = _make_list_parts("verse", spoken, MOST_LINES_OF_VERSE, brief, note=source)
    last = replace(
        parts[-1], tokens=(*parts[-1].tokens, *words.tokenize_text(source, brief.read_in))
    )
    return [*parts[:-1], last]


def _build_verse_line(line: str, is_last: bool, language: str) -> ScriptPart:
    tokens = words.tokenize_text(line, language)
    text = words.clean(line)
    if tokens and not is_last and not text.endswith(_ENDS) and tokens[-1].ends:
        tokens[-1] = replace(tokens[-1], spoken=f"{tokens[-1].spoken.rstrip('.')},", ends=False)
    return ScriptPart(tuple(tokens), words.bind_figures(text, language))


def _build_dialogue(block: Block, brief: VideoBrief) -> list[ScriptPart]:
    """Return the turns of a dialogue; a long one is several,
    of which only the first says who speaks.
    """
    points = []
    for who, said in block.rows:
        name, turns = words.clean(who), [said]
        if words.measure_display_length(words.clean(said)) > LONGEST_TURN:
            sentences = scene_split.split_sentences(said, brief.read_in, LONGEST_TURN)
            turns = [words.join_words(token.written for token in part.tokens) for part in sentences]
        for at, text in enumerate(turns):
            spoken = words.tokenize_text(text if at else f"{who}: {text}", brief.read_in)
            points.append(
                ScriptPart(
                    tuple(spoken), words.bind_figures(words.clean(text), brief.read_in), label=name
                )
            )
    points = [point for point in points if point.tokens]
    return _make_list_parts(
        "dialogue",
        points,
        MOST_TURNS,
        brief,
        columns=tuple(dict.fromkeys(point.label for point in points)),
    )


def _build_contact(block: Block, brief: VideoBrief) -> list[ScriptPart] | None:
    rows = [(text, icon, words.tokenize_text(text, brief.read_in)) for text, icon in block.rows]
    shown = (" ".join(map(addresses.drop_scheme, text.split(" "))) for text, _, _ in rows)
    points = [
        ScriptPart(tuple(tokens), words.bind_figures(text, brief.read_in), icon=icon)
        for text, (_, icon, tokens) in zip(shown, rows, strict=True)
    ]
    return (
        _make_list_parts("contact", points, MOST_CONTACTS, brief, note=block.note)
        if all(row[2] for row in rows)
        else None
    )


def _build_flow(block: Block, brief: VideoBrief) -> list[ScriptPart] | None:
    """Return the nodes of a flowchart as points, each said after how it is reached."""
    steps = [(words.clean(label), words.clean(text)) for label, text in block.rows]
    points = [
        ScriptPart(
            tuple(words.tokenize_text(f"{label}: {text}" if label else text, brief.read_in)),
            text,
            label=label,
        )
        for label, text in steps
    ]
    visual = Visual("flow", block.text)
    return (
        [replace(point, sight=visual) for point in points]
        if all(point.tokens for point in points)
        else _build_code(block, brief)
    )


_BUILDERS = {
    "quote": _quote,
    "figure": _build_figure,
    "image": _build_image,
    "table": tables.build_table,
    "code": _build_code,
    "formula": _build_formula,
    "pictures": _build_pictures,
    "prose": _build_prose,
    "alert": _build_alert,
    "lines": _build_verse,
    "dialogue": _build_dialogue,
    "contact": _build_contact,
    "flow": _build_flow,
}
