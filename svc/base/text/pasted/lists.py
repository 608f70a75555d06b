"""Lists in pasted text without the marks of Markdown: points, fields, prices, facts of a line."""

import re
from itertools import dropwhile, groupby
from operator import itemgetter

from svc.base.text.pasted.marks import (
    ADDRESS,
    ASKED,
    COLON_AND_TAB,
    COUNTED,
    DASH,
    FEWEST_ROWS,
    LONGEST_FIELD,
    MARK,
    NUMBER,
    NUMBERS,
    PRICED,
    SENTENCE_ENDS,
    WRAPPED,
    find_first_word,
    is_in_order,
    is_whole_beside_money,
    make_plain_items,
    match_field,
)
from svc.base.text.pasted.paragraphs import is_name, separate_lines
from svc.base.text.pasted.verse import is_verse

# A label of any kind and its value, which are lines of a programme or a price list:
# Gershwin – Summertime, £25 – a badge, 2 May → deadline, Juliet ...... Ada Vale
_PAIR = re.compile(
    r"(?P<label>[^\s–—→:：].{0,39}?)(?:[ \u00a0]*(?P<leader>\.{4,}|…{2,})[ \u00a0]*|"
    r"[ \u00a0](?P<arrow>→|⇒|➜|->|=>)[ \u00a0]|[ \u00a0]?[:：][ \u00a0]|[ \u00a0][–—-][ \u00a0])"
    r"(?P<value>[^\s].*)"
)
_FEWEST_PAIRS, _FEWEST_OF_CLAUSE = 3, 3  # lines; words
# Two columns as a word processor has them: Haircut⇥£30, Item 1⇥Welcome. After a colon, the tab
# is a space.
_COLUMNS = re.compile(r"(?P<label>[^\s\t][^\t]{0,59}?) ?\t+(?P<value>[^\s\t][^\t]*)")
# Reasons for and against, whose marks both begin a list in Markdown, and the signs that are shown.
_REASON = re.compile(r"(?P<mark>[+-])[ \t]+(?=\S)")
_SIGNS_OF_REASONS = {"+": "➕", "-": "➖"}
# A point that begins with a number of its own: "- 2. OG". Markdown takes that for a list within.
_NUMBERED_POINT = re.compile(r"(?P<mark>[ \t]*[-*+][ \t]+)(?P<number>\d{1,3})(?P<dot>[.)])[ \t]+\S")
_POINT = re.compile(r" {0,3}[-*+][ \t]+\S")
# What stands between the facts of one line: 3 bedrooms · 2 bathrooms · 118 m². How many are a list,
# and the most characters of one.
_FACTS_APART, _FEWEST_FACTS, _LONGEST_FACT = re.compile(r" [·•∙] "), 3, 60
_LONG_NUMBER = re.compile(r"\d(?:[ /().-]{0,2}\d){6}")  # of a telephone


def list_facts(line: str) -> list[str]:
    """Return the points of a paragraph that is a row of facts with dots between them; none if it is
    anything else: a sentence, or the ways to reach somebody, which stand together."""
    text = line.strip()
    is_bold = text.startswith("**") and text.endswith("**") and text.count("**") == 2
    facts = [fact.strip() for fact in _FACTS_APART.split(text[2:-2] if is_bold else text)]
    is_list = (
        len(facts) >= _FEWEST_FACTS
        and not MARK.match(line)
        and all(0 < len(fact) <= _LONGEST_FACT for fact in facts)
        and not any(fact.endswith(SENTENCE_ENDS) for fact in facts)
        and not any(fact.count(mark) % 2 for fact in facts for mark in ("**", "`", "_"))
        and not (ADDRESS.search(text) or _LONG_NUMBER.search(text) or "](" in text)
    )
    return [f"- {fact}" for fact in facts] if is_list else []


def sign_reasons(run: list[str]) -> list[str]:
    """Return a list whose points begin with ``+`` and with ``-`` with a sign in each."""
    marks = {match["mark"] for line in run if (match := _REASON.match(line))}
    if len(marks) < 2:
        return run
    return [
        _REASON.sub(f"- {_SIGNS_OF_REASONS[match['mark']]} ", line)
        if (match := _REASON.match(line))
        else line
        for line in run
    ]


def keep_own_numbers(run: list[str]) -> list[str]:
    """Return a list with the numbers with which some of its points begin as text; where all do,
    they count the points."""
    points = [line for line in run if _POINT.match(line)]
    if len(points) > 1 and all(map(_NUMBERED_POINT.match, points)):
        return run
    return [
        f"{line[: match.end('number')]}\\{line[match.end('number') :]}"
        if (match := _NUMBERED_POINT.match(line))
        else line
        for line in run
    ]


def list_fields(run: list[str]) -> list[str]:
    """Return lines of which two or more in a row are a label and its value (``When: …``) with those
    as a list.
    """
    parts: list[list[str]] = [[]]  # of ordinary lines, and lists between them
    run = [COLON_AND_TAB.sub(" ", part) for line in run for part in _part_fields(line)]
    joined = _join_fields(run)
    columns = _find_columns(joined)
    pairs, counted = _find_pairs(joined), _find_counted(joined) | _find_priced(joined)
    makers = [
        _make_column_items
        if at in columns
        else _make_pair_items
        if at in pairs
        else make_plain_items
        if at in counted
        else _make_field_items
        if match_field(line)
        else None
        for at, line in enumerate(joined)
    ]
    for make_items, group in groupby(zip(makers, joined, strict=True), key=itemgetter(0)):
        lines = [line for _, line in group]
        if make_items and (items := make_items(lines)):
            parts += [items, []]
        else:
            parts[-1] += lines
    if len(parts) == 1:
        return separate_lines(run)
    parts[::2] = map(separate_lines, parts[::2])
    return [
        line
        for number, part in enumerate(filter(None, parts))
        for line in (["", *part] if number else part)
    ]


def _part_fields(line: str) -> list[str]:
    """Return each field of a line of several with bars between them: ``Prep: 15 min | Cook: 1 h``;
    any other line as it is."""
    parts = [part.strip() for part in line.split(" | ")]
    are_fields = len(parts) > 1 and not MARK.match(line) and all(map(match_field, parts))
    return parts if are_fields else [line]


def _find_columns(lines: list[str]) -> set[int]:
    """Return the numbers of the lines that have two columns with a tab between them, two or more in
    a row."""
    found: set[int] = set()
    for are_columns, group in groupby(
        enumerate(lines), key=lambda each: _match_columns(each[1]) is not None
    ):
        rows = {at for at, _ in group}
        if are_columns and len(rows) >= FEWEST_ROWS:
            found |= rows
    return found


def _match_columns(line: str) -> re.Match[str] | None:
    """Return the two columns of a line; None if it has none, or a mark of Markdown."""
    is_line = len(line) <= LONGEST_FIELD and not MARK.match(line)
    return _COLUMNS.fullmatch(line.strip()) if is_line and is_whole_beside_money(line) else None


def _make_column_items(lines: list[str]) -> list[str]:
    """Return lines of two columns as the items of a list, with a colon between the columns."""
    return [
        f"- {match['label'].rstrip(':：')}: {match['value']}"
        for match in filter(None, map(_match_columns, lines))
    ]


def _find_pairs(lines: list[str]) -> set[int]:
    """Return the numbers of the lines that are pairs, three or more in a row, of which most are no
    plain fields.
    """
    found: set[int] = set()
    for are_pairs, group in groupby(
        enumerate(map(_match_pair, lines)), key=lambda each: each[1] is not None
    ):
        matches = [(number, match) for number, match in group if match]
        plain = sum(match_field(lines[number]) is not None for number, _ in matches)
        if (
            are_pairs
            and len({match["label"] for _, match in matches}) == len(matches) >= _FEWEST_PAIRS
            and 2 * plain < len(matches)
            and not is_verse([match[0] for _, match in matches])
            and not _are_clauses([match for _, match in matches])
        ):
            found.update(number for number, _ in matches)
    return found


def _find_counted(lines: list[str]) -> set[int]:
    """Return the numbers of the lines that begin with an amount or a time, three or more of them,
    and of those among and after them that go without one: ``3 leeks``, ``salt and pepper``."""
    found: set[int] = set()
    for are_short, group in groupby(enumerate(lines), key=lambda each: _may_be_counted(each[1])):
        items = list(dropwhile(lambda each: not COUNTED.match(each[1]), group))
        counts = sum(COUNTED.match(line) is not None for _, line in items)
        begins = items[0][0] if items else 0
        is_headed = begins == 1 and len(items) == FEWEST_ROWS and is_name(lines[0].strip())
        is_list = counts >= _FEWEST_PAIRS or (is_headed and counts == len(items))
        if are_short and is_list and 2 * counts >= len(items):
            found.update(at for at, _ in items)
    return found


def _find_priced(lines: list[str]) -> set[int]:
    """Return the numbers of the lines that end with a price, three or more of them, with no more
    others among them, which are their headings: ``Mains``, ``Fish and chips £12.95``; or two below
    one heading."""
    found: set[int] = set()
    for are_short, group in groupby(enumerate(lines), key=lambda each: _may_be_counted(each[1])):
        items = list(group)
        priced = {at for at, line in items if PRICED.search(line)}
        is_list = len(priced) >= _FEWEST_PAIRS or (
            len(priced) == len(items) - 1 == FEWEST_ROWS
            and items[0][0] not in priced
            and is_name(items[0][1].strip())
            and all(line[:1].isupper() for _, line in items)
        )
        if are_short and is_list and 2 * len(priced) >= len(items):
            found |= priced
    return found


def _may_be_counted(line: str) -> bool:
    """Return whether a line may be one of a list: it is short and ends no sentence."""
    return (
        len(line) < WRAPPED
        and not MARK.match(line)
        and is_whole_beside_money(line)
        and not line.rstrip(" *_").endswith((*SENTENCE_ENDS, ","))
    )


def _match_pair(line: str) -> re.Match[str] | None:
    """Return the label of a line of any kind and its value; none if the line may have been wrapped
    or is a sentence."""
    text = line.strip()
    match = _PAIR.fullmatch(text) if len(line) <= LONGEST_FIELD and not MARK.match(line) else None
    begins = text.split(maxsplit=1)[0] if text else ""
    is_line = not begins[:1].islower() or (begins.endswith(".") and begins[:-1].isalpha())
    return (
        match
        if is_line and is_whole_beside_money(line) and not text.endswith((*".!?;…。！？", ","))
        else None
    )


def _are_clauses(matches: list[re.Match[str]]) -> bool:
    """Return whether pairs are clauses that go on in a small letter, as lines of verse do: ``The
    sea is calm – and so am I``, unlike ``£25 – a badge`` and ``Eggs – two``."""
    long_labels = sum(len(match["label"].split()) >= _FEWEST_OF_CLAUSE for match in matches)
    return 2 * long_labels > len(matches) and not any(
        match["leader"]
        or match["arrow"]
        or not match["value"][:1].islower()
        or not find_first_word(match["label"]).isalpha()
        for match in matches
    )


def _make_pair_items(lines: list[str]) -> list[str]:
    """Return pairs as the items of a list, with a colon in place of a leader, and of an arrow after
    a day or a price."""
    items = []
    for match in filter(None, map(_match_pair, lines)):
        label, is_counted = match["label"].rstrip(), any(map(str.isdecimal, match["label"]))
        if match["leader"] or (match["arrow"] and is_counted):
            items.append(f"- {label}: {match['value']}")
        else:
            items.append(f"- {match[0]}")
    return items


def _join_fields(run: list[str]) -> list[str]:
    """Return ``run`` with each field on one line, whose value went on in a small letter
    on the next.
    """
    joined: list[str] = []
    for line in run:
        goes_on = (
            joined
            and line[:1].islower()
            and match_field(joined[-1]) is not None
            and match_field(line) is None
            and _match_pair(line) is None
        )
        if goes_on and len(joined[-1]) + len(line) < LONGEST_FIELD:
            joined[-1] = f"{joined[-1].rstrip()} {line}"
        else:
            joined.append(line)
    return joined


def _make_field_items(lines: list[str]) -> list[str]:
    """Return fields as the items of a list; nothing if they are questions and answers,
    or turns in a conversation.
    """
    fields = [match for line in lines if (match := match_field(line))]
    labels = {match["label"].casefold() for match in fields}
    values = [match["value"].rstrip(" *\\") for match in fields]
    is_asked = any(value.endswith(ASKED) for value in values)
    are_said = all(
        (value[:1].isupper() or (match["wide"] and value[:1].isalpha()))
        and value.endswith(SENTENCE_ENDS)
        for match, value in zip(fields, values, strict=True)
    )
    if (
        are_said
        or len(lines) < 2
        or len(labels) < len(lines)
        or is_asked
        or not all(map(is_whole_beside_money, lines))
    ):
        return []
    return [
        f"- **{match['label'].strip()}{'**：' if match['wide'] else ':** '}"
        f"{match['value'].rstrip(' ').rstrip(chr(92))}"
        for match in fields
    ]


def mark_items(run: list[str], pattern: re.Pattern[str]) -> list[str]:
    """Return the lines with a mark of Markdown where two or more in a row begin with ``pattern``,
    in order if they have one.
    """
    marked_lines: list[str] = []
    for begins, group in groupby(run, key=lambda line: bool(pattern.match(line))):
        lines = list(group)
        # In a conversation, dashes begin what is said.
        is_said = pattern is DASH and any(
            line.rstrip().endswith((".", "!", "?", "…")) for line in lines
        )
        is_list = begins and len(lines) > 1 and not is_said and _is_list(lines, pattern)
        marked_lines += (
            [
                pattern.sub(f"{place}. " if pattern in NUMBERS else "- ", line, count=1)
                for place, line in enumerate(lines, 1)
            ]
            if is_list
            else lines
        )
    return marked_lines


def _is_list(lines: list[str], pattern: re.Pattern[str]) -> bool:
    """Return whether lines that begin with ``pattern`` are in order, and their numbers count no one
    thing."""
    in_order = is_in_order([pattern.match(line) for line in lines])
    return in_order and not (pattern is NUMBER and count_the_same(lines))


def count_the_same(lines: list[str]) -> bool:
    """Return whether the numbers at the beginnings count what one word names: ``1º ano``, ``2º
    ano``, ``1-Bedroom flats``, ``2-Bedroom flats``."""
    named = {NUMBER.sub("", line).split(maxsplit=1)[0].casefold() for line in lines}
    return len(named) == 1
