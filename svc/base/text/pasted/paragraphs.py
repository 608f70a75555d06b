"""Lines of pasted text that begin anew below one another, and those that were wrapped."""

import re
import unicodedata
from itertools import pairwise

from svc.base.text.pasted.marks import (
    ADDRESS,
    ASKED,
    FEW,
    FEWEST_LINES,
    FEWEST_ROWS,
    GOING_ON,
    LABEL,
    LETTER,
    LONGEST_LABEL,
    MARK,
    NARROW,
    PRICED,
    SENTENCE_ENDS,
    SLACK,
    WRAPPED,
    find_first_word,
    is_in_order,
    is_whole_beside_money,
    make_plain_items,
    match_field,
    may_stand_alone,
)
from svc.base.text.pasted.posters import has_room, is_poster, leans
from svc.base.text.pasted.titles import is_in_capitals, is_section, is_title
from svc.base.text.pasted.verse import is_verse, keep_breaks

# A number within a section, and the fewest letters of a title in capitals.
_SUBNUMBER = re.compile(
    r" {0,3}(?P<major>\d{1,2})\.(?P<minor>\d{1,2})\.?[ \t]+(?=[^\s\W]|[\"„“«])(?![a-zß-ÿ])"
)
_PLACE = re.compile(r"^ {0,3}[^\W\d_]\)[ \t]+")  # a) Bench


def separate_lines(run: list[str]) -> list[str]:
    """Return lines with an empty one between those that were not wrapped but begin anew."""
    if len(run) < 2 or any(
        line.endswith(("  ", "\\")) or not is_whole_beside_money(_PLACE.sub("", line, count=1))
        for line in run
    ):
        return run
    if len(ends := _list_prices(run)) > 1:  # each below what is sold for it
        sold = [keep_breaks(run[start:end]) for start, end in pairwise([0, *ends])]
        return [line for lines in sold for line in (*lines, "")] + _part_lines(run[ends[-1] :])
    if is_in_capitals(run):
        return [run[0], "", *_part_titled(run[1:])]
    return _part_titled(run)


def _part_titled(run: list[str]) -> list[str]:
    if len(run) > 1 and is_title(run):
        return [run[0], "", *_part_price(run[1:])]
    return _list_after_colon(run) or _part_numbered(run) or _part_price(run)


def _list_prices(run: list[str]) -> list[int]:
    """Return the numbers of the lines below prices alone, if the last line ends a sentence: what
    begins there with a capital would go on after the price."""
    if not run[-1].rstrip(" *").endswith(SENTENCE_ENDS):
        return []
    return [
        at
        for at, (line, following) in enumerate(pairwise(run), 1)
        if PRICED.fullmatch(f" {line.strip(' *_')}") and following.lstrip(" *")[:1].isupper()
    ]


def _part_price(run: list[str]) -> list[str]:
    end = _find_end_of_price(run) or next(iter(_list_prices(run)), 0)
    if end:
        return [*_part_name(run[:end], run[end]), "", *_part_lines(run[end:])]
    return _part_name(run, "") if len(run) == 2 else _part_lines(run)


def _find_end_of_price(run: list[str]) -> int:
    """Return the number of the line below one that is a price alone or ends with one, in the first
    two lines, if a sentence begins there: it would go on after the price. 0: there is none."""
    widest = max(map(len, run))
    for at in range(1, min(3, len(run))):
        *above, line = run[:at]
        is_alone = PRICED.fullmatch(f" {line.strip(' *_')}")
        is_short = has_room(line, run[at], widest) or (
            above and is_name(above[0].strip()) and has_room(above[0], line, widest)
        )
        if (
            (is_alone or (is_short and _is_priced_item(line, run[at])))
            and run[at].lstrip(" *")[:1].isupper()
            and run[-1].rstrip(" *").endswith(SENTENCE_ENDS)
        ):
            return at
    return 0


def _is_priced_item(line: str, following: str) -> bool:
    """Return whether a line is a thing with its price, and was not wrapped before ``following``."""
    is_short = len(line) + len(find_first_word(following)) + SLACK < NARROW
    return is_short and line.lstrip(" *")[:1].isupper() and bool(PRICED.search(line))


def _part_name(run: list[str], below: str) -> list[str]:
    """Return the lines of a price with the name above them in a paragraph of its own: in bold above
    a price alone (``Bread``, ``£3.50``), if the line ``below`` is so
    long that the price was not wrapped."""
    if len(run) != 2 or not is_name(run[0].strip()):
        return _part_lines(run)
    if PRICED.fullmatch(f" {run[1].strip(' *_')}"):
        is_short = len(run[0]) + 1 + len(run[1]) <= len(below)
        return [f"**{run[0].strip()}**", "", run[1]] if is_short else _part_lines(run)
    return [run[0], "", run[1]] if _is_priced_item(run[1], run[0]) else _part_lines(run)


def is_name(line: str) -> bool:
    """Return whether a line is a few words that name a thing: they need nothing after them."""
    return (
        len(line) < NARROW
        and len(line.split()) <= LONGEST_LABEL
        and line[:1].isupper()
        and not (line.endswith((*SENTENCE_ENDS, *GOING_ON)) or leans(line))
        and not (PRICED.search(line) or MARK.match(line))
    )


def _part_lines(run: list[str]) -> list[str]:
    if is_verse(run) or all(unicodedata.category(line.lstrip()[0]) == "So" for line in run):
        return keep_breaks(run)
    if _is_dialogue(run):
        return [line for each in run for line in (each, "")][:-1]
    if any(len(line) >= WRAPPED for line in run[:-1]):
        return run
    if is_poster(run):
        return keep_breaks(run)
    is_block = not run[-1].rstrip().endswith(SENTENCE_ENDS)  # an address, a signature
    is_each = all(_begins_line(*pair, is_block) for pair in pairwise(run))
    if is_each and is_block and len(run) >= FEWEST_LINES and not any(map(may_stand_alone, run)):
        return keep_breaks(run)
    result = run[:1]
    for following in run[1:]:
        result += (
            ["", following]
            if is_each
            or (LABEL.match(following) and not following[0].islower())
            or _is_field_above(result[-1], following)
            else [following]
        )
    return result


def _list_after_colon(run: list[str]) -> list[str]:
    """Return the short lines below one that ends with a colon as a list, if all have room, so that
    none was wrapped: ``Open:``, ``Mon–Fri 9–19``, ``Sat 9–14``. Empty: they are none."""
    lead, *lines = [line.strip() for line in run]
    widest = max(map(len, run))
    is_list = (
        len(lines) >= FEWEST_ROWS
        and lead.endswith((":", "："))
        and widest < NARROW
        and all(has_room(line, following, widest) for line, following in pairwise(lines))
        and not any(may_stand_alone(line) or leans(line) for line in lines)
    )
    return [run[0], "", *make_plain_items(lines)] if is_list else []


def _part_numbered(run: list[str]) -> list[str]:
    """Return lines with an empty one above each that has a number or a letter within its section,
    if they count on: ``4.1 Roof``, ``a) Bench``; as points if all have one. Empty: they do not."""
    for pattern in (_SUBNUMBER, LETTER):
        matches = {at: match for at, line in enumerate(run) if (match := pattern.match(line))}
        is_within = bool(matches) and (pattern is LETTER or 0 in matches)
        if (
            len(matches) < FEWEST_ROWS
            or not is_within
            or not _counts_within(pattern, list(matches.values()))
        ):
            continue
        if pattern is _SUBNUMBER and len(matches) == len(run):
            return make_plain_items(run)
        bounds = sorted({0, *matches, len(run)})
        parts = [_part_lettered(run[first:last]) for first, last in pairwise(bounds)]
        return [line for at, part in enumerate(parts) for line in (["", *part] if at else part)]
    return []


def _counts_within(pattern: re.Pattern[str], matches: list[re.Match[str]]) -> bool:
    if pattern is LETTER:
        return is_in_order(list(matches))
    minors = [int(match["minor"]) for match in matches]
    is_one = len({match["major"] for match in matches}) == 1
    return is_one and all(after == before + 1 for before, after in pairwise(minors))


def _part_lettered(run: list[str]) -> list[str]:
    """Return the lines of one letter or number, with an empty one below its title."""
    if len(run) > 1 and is_section(run[0].strip().partition(" ")[2], run[1]):
        return [run[0], "", *_part_lines(run[1:])]
    return _part_lines(run)


def _is_field_above(line: str, following: str) -> bool:
    """Return whether ``line`` is a label with its value, and ``following`` a sentence of its own
    below it: ``Hours: Mon-Fri 8-18``, ``We are closed on 29 May.``"""
    is_ended = not line.rsplit(maxsplit=1)[-1].islower()
    return (
        match_field(line) is not None
        and is_ended
        and not line.rstrip().endswith((*SENTENCE_ENDS, *GOING_ON))
        and following[0].isupper()
        and following.rstrip().endswith(SENTENCE_ENDS)
    )


def _is_dialogue(run: list[str]) -> bool:
    """Return whether every line is a turn of a conversation: somebody speaks again,
    or the first asks.
    """
    labels = [
        match[0].strip("* :：")
        for line in run
        if (match := LABEL.match(line)) and match[0].lstrip("*")[0].isupper()
    ]
    is_asked = run[0].rstrip(" *").endswith(ASKED)
    return (
        len(labels) == len(run)
        and len(set(labels)) > 1
        and (len(set(labels)) < len(labels) or is_asked)
    )


def _begins_line(line: str, following: str, is_block: bool) -> bool:
    """Return whether ``following`` is no continuation of ``line``.

    ``is_block``: the last line ends no sentence.
    """
    first, is_address = following.lstrip(" *")[:1], bool(ADDRESS.fullmatch(following.strip()))
    if first.islower() and not is_address:
        return False
    if "\t" in following or (" | " in line and " | " in following):
        return True
    if (
        line.rstrip(" *").endswith(SENTENCE_ENDS)
        or LABEL.match(following)
        or find_first_word(line) == find_first_word(following)
    ):
        return True
    # Letters of a script without capitals count as small ones.
    if not is_block or (first.isalpha() and not first.isupper() and not is_address):
        return False
    if line[-1].isalpha() and leans(line):
        return False
    return (
        line.rstrip().endswith(",")
        or max(len(re.findall(r"\w+", each)) for each in (line, following)) <= FEW
    )
