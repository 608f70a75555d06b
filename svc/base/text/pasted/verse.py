"""Verses in pasted text, whose lines stay."""

from svc.base.text.pasted.marks import (
    DASHES,
    EVENLY,
    FEW,
    FEWEST_LINES,
    GOING_ON,
    LABEL,
    MARK,
    NARROW,
    QUOTED,
    SENTENCE_ENDS,
    WRAPPED,
)


def keep_breaks(run: list[str]) -> list[str]:
    """Return lines that stay lines: Markdown breaks one after two spaces."""
    return [f"{line.rstrip()}  " for line in run[:-1]] + run[-1:]


def keep_breaks_of_poem(lines: list[str]) -> list[str]:
    """Return the lines of a quotation, which stay lines if they are those of a poem: several, none
    of which is so long that it was wrapped; a source is below them."""
    texts = [QUOTED.sub("", line).strip() for line in lines]
    verses = [text for text in texts if text and not text.startswith(DASHES)]
    is_poem = len(verses) >= FEWEST_LINES and not any(
        len(text) >= NARROW or MARK.match(text) or text.startswith("[!") or LABEL.match(text)
        for text in verses
    )
    return [
        f"{line.rstrip()}  " if is_poem and text and following else line
        for line, text, following in zip(lines, texts, [*texts[1:], ""], strict=True)
    ]


def is_verse(run: list[str]) -> bool:
    """Return whether lines are those of a poem: each short, with capital letters or else of much
    the same length, and few of them whole sentences.
    """
    if len(run) < FEWEST_LINES or any(len(line) >= WRAPPED or LABEL.match(line) for line in run):
        return False
    begins = [next((sign for sign in line if sign.isalpha()), "a") for line in run]
    ends = [line.rstrip(' *_"”’»') for line in run]
    going_on = sum(end.endswith(GOING_ON) for end in ends[:-1])
    closed_lines = sum(end.endswith(SENTENCE_ENDS) for end in ends[:-1])
    words = sum(len(line.split()) for line in run) / len(run)
    is_capital = 3 * sum(map(str.islower, begins)) <= len(run)
    lengths = [len(line) for line in run]
    is_even = len(run) > FEWEST_LINES and max(lengths) < min(NARROW, EVENLY * lengths[-1])
    return (
        (is_capital or is_even)
        and words >= FEW
        and 4 * going_on >= len(run) - 1
        and 2 * closed_lines <= len(run) - 1
    )


def continues_poem(run: list[str], stanza: list[str]) -> bool:
    """Return whether lines are a further stanza of a poem: as many as in the one before,
    and none much longer than its longest.
    """
    longest = max((len(line.rstrip()) for line in stanza), default=0)
    return (
        bool(stanza)
        and len(run) == len(stanza)
        and not any(map(MARK.match, run))
        and max(len(line.rstrip()) for line in run) < min(WRAPPED, EVENLY * longest)
    )
