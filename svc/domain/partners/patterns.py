"""Operators' regular expressions, matched in linear time by RE2.

RE2 supports only ASCII letters in ``\\w`` and ``\\b``. So a mark is inserted into the texts at each
Unicode word boundary, ``\\b`` is translated to that mark, and every other token may be preceded by
one.
"""

import functools
import re
import unicodedata
from typing import TYPE_CHECKING, Any

import re2

if TYPE_CHECKING:
    import regex

MOST_MEMORY = 256 * 1024  # bytes for one compiled pattern; a larger one is refused
# The time limit, in seconds, for one text and one pattern of an earlier release that RE2 does not
# support.
SECONDS_PER_SEARCH = 0.05
_MARK = "\x01"
_STEP = r"\x01?"
_WORD = (  # letters, marks, digits and the underscore as ranges, simplified to save memory
    r"0-9A-Z_a-z\x{aa}\x{b5}\x{ba}\x{c0}-\x{d6}\x{d8}-\x{f6}\x{f8}-\x{1fff}\x{2c00}-\x{2dff}"
    r"\x{2e80}-\x{2fff}\x{3005}-\x{3007}\x{3021}-\x{d7ff}\x{f900}-\x{fd3d}\x{fd50}-\x{fdff}"
    r"\x{fe70}-\x{fefe}\x{ff10}-\x{ff19}\x{ff21}-\x{ff3a}\x{ff41}-\x{ff5a}\x{ff66}-\x{ffdc}"
    r"\x{10000}-\x{1efff}\x{20000}-\x{3ffff}"
)
_CLASSES = {"w": _WORD, "d": r"\p{Nd}", "s": r"\s\p{Z}"}
_TOKEN = re.compile(
    r"""(?P<group> \( (?: \? (?: P?<\w+> | [a-zA-Z-]*[:)] | .{0,2} ) )? | [)|] )
      | (?P<quantifier> [*+?] | \{ (?: \d+ (?:,\d*)? | ,\d+ ) \} )
      | (?P<class> \[ \^? \]? (?: \[:\^?\w+:\] | \\[pP]\{[^}]*\} | \\. | [^\]\\] )* \] )
      | (?P<property> \\[pP] (?: \{[^}]*\} | \w ) | \\x (?: \{[^}]*\} | [0-9a-fA-F]{2} ) )
      | (?P<unicode> \\ (?: u [0-9a-fA-F]{4} | U [0-9a-fA-F]{8} ) )
      | \\ (?P<escape> . )
      | (?P<literal> . )""",
    re.VERBOSE | re.DOTALL,
)
_REASONS = (
    (
        r"\\[1-9]|\(\?P=",
        "It uses a back-reference (\\1), for which the matching time has no bound.",
    ),
    (
        r"\(\?<?[=!]",
        (
            "It uses look-ahead or look-behind ((?=, (?!, (?<=, (?<!), for which the matching "
            "time has no bound."
        ),
    ),
    (
        r"\(\?>|[*+?}]\+",
        "Atomic groups and possessive quantifiers are not supported; use ordinary ones.",
    ),
)
# Letters, digits and underscores; the combining marks that belong to a word come later.
_LETTERS = re.compile(r"\w+")


class Refused(ValueError):
    """Raised for a pattern that cannot be used; the message says why."""


def compile_pattern(pattern: str) -> Any:
    """Return a compiled pattern for :func:`search`. Refused: RE2 does not support it."""
    plain, marked = _translate_pattern(pattern)
    try:
        # first the original, so that error messages quote what the operator wrote
        re2.compile(plain, _make_options())
        return re2.compile(marked, _make_options())
    except re2.error as error:
        raise Refused(_explain_error(pattern, error)) from None


@functools.cache
def _make_options() -> re2.Options:
    options = re2.Options()
    options.case_sensitive, options.log_errors, options.never_capture = False, False, True
    options.max_mem = MOST_MEMORY
    return options


def _explain_error(pattern: str, error: re2.error) -> str:
    for construct, sentence in _REASONS:
        if re.search(construct, pattern):
            return sentence
    detail = (
        error.args[0].decode("utf-8", "replace")
        if isinstance(error.args[0], bytes)
        else str(error.args[0])
    )
    if "too large" in detail or "repetition size" in detail:
        return (
            f"It becomes too large to match quickly ({detail.split(':')[0]}); shorten it or use "
            "fewer repetitions."
        )
    return f"It is not a valid RE2 regular expression: {detail.replace(_STEP, '')}."


def search(compiled: Any, marked: str) -> bool:
    """Return whether the pattern matches a text that :func:`mark_word_edges` prepared."""
    return compiled.search(marked) is not None


def mark_word_edges(text: str) -> str:
    """Return ``text`` with a mark at each start and end of a word."""
    combining = sorted(
        character for character in set(text) if is_word(character) and not _LETTERS.match(character)
    )
    word = re.compile(rf"[\w{re.escape(''.join(combining))}]+") if combining else _LETTERS
    return word.sub(lambda match: f"{_MARK}{match[0]}{_MARK}", text)


@functools.lru_cache(maxsize=8192)
def is_word(character: str) -> bool:
    """Return whether a character is part of a word: a letter, combining mark,
    digit or underscore.
    """
    return character.isalnum() or character == "_" or unicodedata.category(character)[0] == "M"


def _translate_pattern(pattern: str) -> tuple[str, str]:
    """Return the pattern in the syntax of RE2, and the same for texts with marks."""
    plain, marks = [], []
    for token in _TOKEN.finditer(pattern):
        kind = token.lastgroup or ""
        text = token[kind]
        if kind in ("group", "quantifier"):
            text = text.replace("{,", "{0,")
            plain.append(text)
            marks.append(text)
            continue
        spelled, atom = _translate_token(kind, text)
        # \B excludes a word boundary, so no mark can follow
        follows_none = bool(plain) and plain[-1] == r"\B"
        plain.append(spelled)
        marks.append(
            spelled if atom is None else atom.replace(_STEP, "", 1) if follows_none else atom
        )
    return "".join(plain), "".join(marks)


def _translate_token(kind: str, text: str) -> tuple[str, str | None]:
    """Return a token in the syntax of RE2, and its equivalent for texts with marks;
    None: the same.
    """
    if kind == "literal":
        special = {"^": r"\A", "$": _STEP + r"\z", ".": rf"(?:{_STEP}[^{_MARK}])"}
        return text, special.get(text) or rf"(?:{_STEP}{text})"
    if kind == "unicode":
        text = rf"\x{{{text[2:].lstrip('0') or '0'}}}"
        return text, rf"(?:{_STEP}{text})"
    if kind == "class":
        inner = re.sub(r"\\([wds])", lambda short: _CLASSES[short[1]], text[1:])
        spelled = "[" + inner
        return (
            spelled,
            rf"(?:{_STEP}[{f'^{_MARK}' + inner[1:] if inner.startswith('^') else inner})",
        )
    if kind == "property":
        return text, rf"(?:{_STEP}{text})"
    return _translate_escape(text)


def _translate_escape(letter: str) -> tuple[str, str | None]:
    if letter == "b":
        return r"\b", _MARK
    if letter in "AB":
        return "\\" + letter, None
    if letter in "Zz":
        return r"\z", _STEP + r"\z"
    if letter in _CLASSES:
        return rf"[{_CLASSES[letter]}]", rf"(?:{_STEP}[{_CLASSES[letter]}])"
    if letter.lower() in _CLASSES:
        return (
            rf"[^{_CLASSES[letter.lower()]}]",
            rf"(?:{_STEP}[^{_MARK}{_CLASSES[letter.lower()]}])",
        )
    if letter in "QEC":
        return "\\c", None  # not supported by RE2, which then reports it
    return "\\" + letter, rf"(?:{_STEP}\{letter})"


@functools.lru_cache(maxsize=1024)
def compile_earlier(pattern: str) -> "regex.Pattern[str] | None":
    """Return a compiled pattern that only earlier releases supported, for :func:`search_within`;
    None: it is invalid.
    """
    import regex  # only old databases have such patterns

    try:
        return regex.compile(pattern, regex.IGNORECASE)
    except regex.error:
        return None


def search_within(compiled: "regex.Pattern[str]", text: str, seconds: float) -> bool:
    """Return whether such a pattern matches ``text``.

    TimeoutError: matching took longer than ``seconds``.
    """
    return compiled.search(text, timeout=seconds, concurrent=True) is not None
