"""Matching of sensitivity rules: against the words that will be spoken and shown,
in all their spellings.
"""

import functools
import html
import logging
import re
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import unquote

from markdown_it.token import Token

from svc.base.text import front_matter, html_text, inline_marks, links, read_aloud
from svc.base.text.markdown import build_brief_reader
from svc.base.text.read_aloud import Entries
from svc.domain.partners import look_alikes, patterns
from svc.domain.partners.look_alikes import FOREIGN

_log = logging.getLogger("svc.sensitivity")

_PARSER = build_brief_reader()
# The mark of a footnote that is not there, which the video leaves out.
_UNDEFINED_NOTE = re.compile(r"\[\^\d{1,3}\]")
_MARKUP = re.compile(r"[*_`~\[<&\\]")
# The characters besides those of category Cf that nobody sees.
_INVISIBLE = frozenset(
    map(ord, "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")
)
_VARIATIONS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
# The combining classes of marks that change the letter or syllable.
_SPELLING = frozenset((0, 7, 8, 9, *range(84, 133)))
_JOINERS = "\u200c\u200d"  # part of the spelling in Persian and Hindi
_HYPHENS = re.compile(r"(?<=[^\W_])[-_\u2010-\u2015\u2212]+(?=[^\W_])")
# A text that is shown from its end to its beginning.
_OVERRIDDEN = re.compile("[\u202d\u202e]([^\u202c\u202d\u202e\n]*)")
_SHORTEST_BACKWARDS = 6  # letters of a phrase that is also sought backwards
_ORDINARY_BACKWARDS = frozenset((
    "animal", "lamina", "deliver", "reviled", "denier", "reined", "desserts", "stressed", "diaper",
    "repaid", "drawer", "reward", "looter", "retool", "recaps", "spacer", "redraw", "warder",
    "snoops", "spoons", "sports", "strops", "sleets", "steels",
))  # fmt: skip
# The scripts without spaces between words.
_UNSPACED = ("CJK", "HIRAGANA", "THAI", "LAO", "KHMER", "MYANMAR")
_LOOSE = frozenset(" \t\n-_.,;:!?'\"()/\u2019\u2018\u201c\u201d\u2010\u2011\u2012\u2013\u2014")


def extract_markdown_text(markdown: str) -> str:
    """Return the spoken or shown text of Markdown: without front matter, markup and HTML tags, and
    of the addresses of links only the last, which the end card shows."""
    parts = []
    tokens = _PARSER.parse(front_matter.split_front_matter(markdown)[1])
    for token in tokens:
        if token.type == "inline":
            whole = _read_inline_text(token.children or ())
            shown = _join_shown_text(token.children or ())
            parts += [whole] if shown == whole else [whole, shown]
        elif token.type in ("fence", "code_block"):
            parts.append(token.content)
        elif token.type == "html_block":
            parts += html_text.list_paragraphs(token.content)
    link = links.find_last_address(tokens)
    return "\n".join([*parts, link, unquote(link)] if link else parts)


def _join_shown_text(children: Sequence[Token]) -> str:
    """Return the text without what the video leaves out of it, by which a word could be parted:
    struck text and pictures.
    """
    shown: list[Token] = []
    hidden: list[str] = []
    for child in children:
        name, closes = (
            html_text.parse_tag(child.content) if child.type == "html_inline" else ("", False)
        )
        name = "~~" if child.type in ("s_open", "s_close") else name
        if name == "~~" or html_text.hides(name):
            closes = closes or child.type == "s_close"
            hidden = [tag for tag in hidden if tag != name] if closes else [*hidden, name]
        elif not hidden and child.type != "image":
            shown.append(child)
    return _UNDEFINED_NOTE.sub("", _read_inline_text(shown))


def _read_inline_text(children: Sequence[Token]) -> str:
    parts = []
    for child in children:
        if child.type == "image":
            parts.append(_read_inline_text(child.children or ()))
        elif child.type in ("softbreak", "hardbreak"):
            parts.append("\n")
        elif child.type in ("text", "code_inline", *inline_marks.FORMULAS):
            parts.append(child.content)
    return "".join(parts)


class Texts:
    """Texts in all spellings that rules are matched against, computed once for all rules.

    ``language``: BCP 47; words in another script are also read as the Latin letters that they look
    like. None: the script of most letters is the text's own. ``entries``: of the account's lexicon;
    what is spoken otherwise than it is written is a text of its own. ``read_in``: the language in
    which it is read, if it is not ``language``.
    """

    def __init__(
        self,
        texts: Iterable[str],
        language: str | None = None,
        entries: Entries = (),
        read_in: str | None = None,
    ):
        self.read_in = read_in or language
        nonempty = [text for text in texts if text]
        read = [
            said
            for text in nonempty
            if (said := read_aloud.to_spoken_form(text, self.read_in, entries)) is not None
        ]
        raw = {variant for text in (*nonempty, *read) for variant in _list_variants(text)}
        script = look_alikes.find_writing_system(language)
        foreign = {
            marked
            for text in raw
            if (marked := look_alikes.mark_foreign_words(text, script, language)) is not None
        }
        self.lines = {normalise(text) for text in raw} | {
            normalise(text.replace(FOREIGN, "")) for text in foreign
        }
        self._accented = {_normalise_text(text) for text in raw if not text.isascii()}
        self.words = {normalise_words(text) for text in raw}
        self.foreign = {normalise_words(text) for text in foreign}

    @functools.cached_property
    def marked(self) -> list[str]:
        """The lines that patterns are matched against: without accents and with them."""
        return [patterns.mark_word_edges(line) for line in self.lines | self._accented]


Matcher = Callable[[Texts], bool]


def extract_brief_texts(
    title: str,
    topic: str,
    subject: str | None,
    notes: str | None,
    language: str | None,
    entries: Entries = (),
    read_in: str | None = None,
) -> Texts:
    """Return the texts of a brief. Title, topic and subject count as plain text and, if they have
    markup, also as Markdown.

    ``entries``, ``read_in``: as of :class:`Texts`.
    """
    plain = [text for text in (title, topic, subject) if text]
    parsed = [html.unescape(extract_markdown_text(text)) for text in plain if _MARKUP.search(text)]
    return Texts(
        [*plain, *parsed, extract_markdown_text(notes) if notes else ""], language, entries, read_in
    )


def find_matching(rules: Iterable[Any], texts: Texts) -> Iterator[Any]:
    """Return the ``rules`` (rows with phrase and is_pattern) that match one of ``texts``."""
    return (
        rule for rule in rules if _make_matcher(rule["phrase"], bool(rule["is_pattern"]))(texts)
    )


def any_matches(rules: Iterable[Any], texts: Texts) -> bool:
    """Return whether any of ``rules`` matches."""
    return next(find_matching(rules, texts), None) is not None


@functools.lru_cache(maxsize=4096)
def _make_matcher(phrase: str, is_pattern: bool) -> Matcher:
    return _pattern_matcher(phrase) if is_pattern else _phrase_matcher(phrase)


def _phrase_matcher(phrase: str) -> Matcher:
    """Return a matcher of a phrase: word by word, regardless of punctuation;
    if it has other characters, literally.
    """
    line, spaced = normalise(phrase), normalise_words(phrase)
    backwards = _make_backward_pattern(spaced)
    literal = re.compile(rf"(?<!\w){re.escape(line)}(?!\w)")
    is_words = bool(spaced.strip()) and all(
        patterns.is_word(character) or character in _LOOSE for character in line
    )
    alike = (
        re.compile("|".join(map(_make_look_alike_pattern, (spaced, *backwards))))
        if is_words
        else None
    )
    has_figure = any(map(str.isnumeric, phrase))

    def match(texts: Texts) -> bool:
        if alike is None:
            return any(literal.search(text) for text in texts.lines)
        said = read_aloud.to_spoken_form(phrase, texts.read_in) if has_figure else None
        sought = (spaced, *backwards, normalise_words(said)) if said else (spaced, *backwards)
        return any(each in text for text in texts.words for each in sought) or any(
            alike.search(text) for text in texts.foreign
        )

    return match


def _make_backward_pattern(spaced: str) -> tuple[str, ...]:
    """Return how the words of a phrase stand in a text that is written backwards, as a whole or
    word by word.

    Short ones are ordinary words (war, raw), and so are a few longer ones; they are not sought.
    """
    letters = spaced.replace(" ", "")
    if len(letters) < _SHORTEST_BACKWARDS or letters in _ORDINARY_BACKWARDS:
        return ()
    turned = spaced[::-1], f" {' '.join(word[::-1] for word in spaced.split())} "
    return tuple(each for each in dict.fromkeys(turned) if each != spaced)


def _make_look_alike_pattern(spaced: str) -> str:
    """Return a regular expression for the words of a phrase,
    each as it is or as a foreign word that looks the same.
    """
    alternatives = (
        rf"(?:{re.escape(w)}|{FOREIGN}{re.escape(normalise(look_alikes.fold_to_latin(w)))})"
        for w in spaced.split()
    )
    return " " + " ".join(alternatives) + " "


def _pattern_matcher(pattern: str) -> Matcher:
    try:
        compiled = patterns.compile_pattern(pattern)
    except patterns.Refused:
        return _make_earlier_matcher(pattern)
    return lambda texts: any(patterns.search(compiled, line) for line in texts.marked)


def _make_earlier_matcher(pattern: str) -> Matcher:
    """Return a matcher, with a time limit, of a pattern from before RE2 was used;
    an alert names such patterns.
    """
    compiled = patterns.compile_earlier(pattern)

    def match(texts: Texts) -> bool:
        until = time.monotonic() + patterns.SECONDS_PER_SEARCH
        try:
            return compiled is not None and any(
                patterns.search_within(compiled, line, max(0.001, until - time.monotonic()))
                for line in texts.lines
            )
        except TimeoutError:
            _log_timeout(pattern)
            return False

    return match


@functools.lru_cache(maxsize=1024)  # logs each pattern once: briefs may come many times a second
def _log_timeout(pattern: str) -> None:
    _log.warning(
        "matching of the pattern %r was aborted after %g s; rewrite the pattern",
        pattern,
        patterns.SECONDS_PER_SEARCH,
    )


def explain_refused_pattern(phrase: str) -> str | None:
    """Return why a pattern cannot be used; None: it can."""
    try:
        patterns.compile_pattern(phrase)
    except patterns.Refused as refused:
        return str(refused)
    return None


def normalise(text: str) -> str:
    """Return ``text`` without differences in case, accents,
    invisible characters and kinds of spaces.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    text = text.casefold()
    if not text.isascii():
        text = unicodedata.normalize("NFC", unicodedata.normalize("NFKD", text).translate(_KEPT))
    else:
        text = text.translate(_KEPT)
    return " ".join(text.split())


def _normalise_text(text: str) -> str:
    """Return ``text`` without invisible characters and differences in case,
    but with its accents.
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().translate(_KEPT).split())


def normalise_words(text: str) -> str:
    """Return the normalised words of ``text``, each between single spaces,
    without other characters.
    """
    return f" {' '.join(normalise(text).translate(_SEPARATED).split())} "


def _list_variants(text: str) -> Iterator[str]:
    """Yield ``text``; then as it is shown where its direction is overridden, and with letters in
    place of pictures of letters; then without hyphens in words; then with spaces in place of
    underscores and invisible characters."""
    text = text.replace(FOREIGN, "")
    yield text
    if not text.isascii():
        shown = _OVERRIDDEN.sub(lambda run: run[1][::-1], text)
        if shown != text:
            yield shown
        lettered = look_alikes.replace_letter_signs(text)
        if lettered != text:
            yield lettered
    together = _HYPHENS.sub("", text)
    if together != text:
        yield together
    apart = text.replace("_", " ")
    if not text.isascii():
        apart = "".join(" " if _divides_words(character) else character for character in apart)
    if apart != text:
        yield apart


@functools.lru_cache(maxsize=8192)
def _divides_words(character: str) -> bool:
    return character not in _JOINERS and unicodedata.category(character) == "Cf"


class _Kept(dict[int, int | None]):
    """Table for str.translate: removes invisible characters and accents."""

    def __missing__(self, code: int) -> int | None:
        replacement = self[code] = None if _is_dropped(code) else code
        return replacement


def _is_dropped(code: int) -> bool:
    character = chr(code)
    if code in _INVISIBLE or any(code in block for block in _VARIATIONS):
        return True
    category = unicodedata.category(character)
    if category == "Mn":
        return unicodedata.combining(character) not in _SPELLING
    return (
        (category[0] == "C" or category == "Me")
        and not character.isspace()
        and character != FOREIGN
    )


class _Separated(dict[int, str]):
    """Table for str.translate: a space for characters outside words;
    in scripts without spaces each letter is a word.
    """

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if character == FOREIGN or (patterns.is_word(character) and character != "_"):
            unspaced = (
                not character.isascii()
                and unicodedata.name(character, "").split(" ")[0] in _UNSPACED
            )
            self[code] = f" {character} " if unspaced else character
        else:
            self[code] = " "
        return self[code]


_KEPT, _SEPARATED = _Kept(), _Separated()
