"""Reads marks within lines of Markdown beyond CommonMark: ``$x^2$``, ``==mark==``, ``[[wiki]]`` and
``:rocket:``; leaves out those that are written for the generator of a site.
"""

import re
import unicodedata

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from mdit_py_plugins.dollarmath.index import math_inline_dollar

from svc.base.text import latex

# The types of tokens whose content is the source of a formula.
FORMULAS = ("math_inline", "math_inline_double")
_CLOSINGS = {"\\(": "\\)", "\\[": "\\]"}
_LONGEST = 300  # characters of marked text, and of a formula
_WIKI = re.compile(
    r"(?P<embeds>!?)\[\[(?P<page>[^\[\]|#\n]*)(?:#(?P<part>[^\[\]|\n]+))?(?:\|"
    r"(?P<text>[^\[\]\n]+))?\]\](?![\[(])"
)
_REFERENCE = re.compile(  # [text][name], ![picture][name] and [![picture][name]][name]
    r"!?\[(?!\^|\d+\])(?P<label>(?:!\[[^\[\]\n]{0,100}\](?:\[[^\[\]\n]{0,100}\]|"
    r"\([^()\n]{0,300}\))|[^\[\]]){0,200})\]\[(?!\^)[^\[\]\n]{1,100}\]"
)
_PICTURE = re.compile(r".+\.(?:png|jpe?g|webp|gif|svg)", re.IGNORECASE)
_SIZE = re.compile(r"\d+(?:x\d+)?")
_CODE = re.compile(r":(?P<name>[a-z0-9+][a-z0-9_+-]{0,40}):(?!\w)")
_FLAG = re.compile(r"flag[-_](?P<country>[a-z]{2})")
# Countries whose flag may be named without "flag".
_FLAGS = {"uk": "gb"} | {
    code: code for code in ("de", "us", "gb", "fr", "es", "it", "jp", "kr", "cn", "ru")
}
_REGIONAL_A = 0x1F1E6  # the first of the 26 letters that make a flag in pairs
_TEXT_OF_FORMULA = re.compile(r"\\(?:text|mathrm|mathbf|operatorname)\s*\{[^}]*\}|\\[A-Za-z]+")
# What is no product of letters: a word, or a figure with what it counts.
_WORDS = re.compile(r"[A-Za-z]{4,}|\d\s+[A-Za-z]{2,}(?:\s|$)")
# For generators of sites: comments of MDX, tags of Liquid and Jinja, short codes of Hugo.
_GENERATOR_MARK = re.compile(
    r"\{/\*.{0,2000}?\*/\}"  # {/* a comment */}
    r"|\{%.{0,300}?%\}"  # {% include note.html %}
    r"|\{\{[<%].{0,300}?[>%]\}\}"  # {{< figure src="a.png" >}}
    r"|\{:[^{}\n]{1,200}\}",  # {:target="_blank"}, after a link or a block
    re.DOTALL,
)
# {#install} and {.wide}, at the end of a heading or a block
_ATTRIBUTES = re.compile(r"\{[#.][\w:.-]{1,100}(?:[ \t]+[^{}\n]{1,200})?\}\s*\Z")
_dollars = math_inline_dollar(allow_space=False, allow_digits=False, allow_double=True)


def inline_marks_plugin(parser: MarkdownIt) -> None:
    """Let ``parser`` read formulas, marked text, wiki links and the short codes of emoji."""
    ruler = parser.inline.ruler
    ruler.before("escape", "math_inline", _read_formula)
    ruler.before("link", "wiki_link", _read_wiki_link)
    ruler.after("image", "undefined_reference", _read_undefined_reference)
    ruler.before("emphasis", "mark", _mark)
    ruler.before("emphasis", "short_code", _read_short_code)


def generator_marks_plugin(parser: MarkdownIt) -> None:
    """Let ``parser`` leave out the marks for generators of sites."""
    parser.inline.ruler.before("escape", "generator_mark", _skip_generator_mark)


def restore_formula(markup: str, source: str) -> str:
    """Return a formula as it stands in the text."""
    return f"{markup}{source}{_CLOSINGS.get(markup, markup)}"


def _read_formula(state: StateInline, silent: bool) -> bool:
    """Read ``$…$``, ``$$…$$``, ``\\(…\\)`` and ``\\[…\\]``.

    Dollars around what is no formula are money: "$5 or $6".
    """
    if state.src[state.pos] == "\\":
        return _read_bracketed_formula(state, silent)
    if state.src[state.pos] != "$" or (
        state.pos and (state.src[state.pos - 1].isalnum() or state.src[state.pos - 1] == "$")
    ):
        return False
    start = state.pos
    if not _dollars(state, True):
        return False
    end, state.pos = state.pos, start
    formula = state.src[start:end].strip("$")
    if end > state.posMax or state.src[end : end + 1].isalnum() or not _is_formula(formula):
        return False
    return _dollars(state, silent)


def _read_bracketed_formula(state: StateInline, silent: bool) -> bool:
    markup = state.src[state.pos : state.pos + 2]
    closing = _CLOSINGS.get(markup)
    end = (
        state.src.find(closing, state.pos + 2, min(state.posMax, state.pos + _LONGEST))
        if closing
        else -1
    )
    if end < 0 or not _is_formula(state.src[state.pos + 2 : end]):
        return False
    if not silent:
        token = state.push("math_inline", "math", 0)
        token.content, token.markup = state.src[state.pos + 2 : end], markup
    state.pos = end + 2
    return True


def _is_formula(source: str) -> bool:
    return (
        not _WORDS.search(_TEXT_OF_FORMULA.sub(" ", source[:_LONGEST]))
        and latex.parse_formula(source.strip()) is not None
    )


def _mark(state: StateInline, silent: bool) -> bool:
    """Read ``==marked==`` text, which may have other marks in it; ``a==b`` is none."""
    start = state.pos + 2
    if silent or not state.src.startswith("==", state.pos) or _is_joined(state.src, state.pos - 1):
        return False
    end = state.src.find("==", start, min(state.posMax, start + _LONGEST))
    content = state.src[start:end] if end > start else ""
    if (
        not content
        or content != content.strip()
        or content[0] == "="
        or _is_joined(state.src, end + 2)
    ):
        return False
    most, state.pos, state.posMax = state.posMax, start, end
    state.push("mark_open", "mark", 1).markup = "=="
    state.md.inline.tokenize(state)
    state.push("mark_close", "mark", -1).markup = "=="
    state.pos, state.posMax = end + 2, most
    return True


def _is_joined(text: str, at: int) -> bool:
    return 0 <= at < len(text) and (text[at].isalnum() or text[at] == "=")


def _read_wiki_link(state: StateInline, silent: bool) -> bool:
    """Read ``[[page]]``, ``[[page#part]]`` and ``[[page|text]]`` as their text,
    ``![[boat.png]]`` as a picture.
    """
    if state.src[state.pos] not in "[!":
        return False
    link = _WIKI.match(state.src, state.pos, state.posMax)
    page, part, text = (
        ((link[name] or "").strip() for name in ("page", "part", "text")) if link else ("", "", "")
    )
    if not link or not (page or part):
        return False
    if not silent and link["embeds"] and _PICTURE.fullmatch(page):
        token = state.push("image", "img", 0)
        text = "" if _SIZE.fullmatch(text) else text
        token.content, token.attrs, token.children = text, {"src": page, "alt": ""}, []
        state.md.inline.parse(text, state.md, state.env, token.children)
    elif not silent:
        token = state.push("text", "", 0)
        token.content = text or ", ".join(
            filter(None, (page.rpartition("/")[2], part.lstrip("^#")))
        )
    state.pos = link.end()
    return True


def _read_undefined_reference(state: StateInline, silent: bool) -> bool:
    """Read a link whose address is defined nowhere, as in a text that was cut, as its text; such a
    picture as nothing.

    ``grid[row][column]`` and the sources ``[1][2]`` are none.
    """
    is_joined = state.pos and (
        state.src[state.pos - 1].isalnum() or state.src[state.pos - 1] in "_])"
    )
    if state.src[state.pos] not in "[!" or is_joined or state.linkLevel:
        return False
    reference = _REFERENCE.match(state.src, state.pos, state.posMax)
    if not reference:
        return False
    if not silent and reference[0][0] == "[":
        most = state.posMax
        state.pos = reference.start("label")
        state.posMax = reference.end("label")
        state.md.inline.tokenize(state)
        state.posMax = most
    state.pos = reference.end()
    return True


def _read_short_code(state: StateInline, silent: bool) -> bool:
    """Read ``:rocket:`` as its emoji; unknown names, and the colons of ``10:30:00``, stay."""
    if state.src[state.pos] != ":" or (state.pos and state.src[state.pos - 1].isalnum()):
        return False
    code = _CODE.match(state.src, state.pos, state.posMax)
    emoji = find_emoji(code["name"]) if code else ""
    if not code or not emoji:
        return False
    if not silent:
        state.push("text", "", 0).content = emoji
    state.pos = code.end()
    return True


def find_emoji(name: str) -> str:
    """Return the emoji of a short code of GitHub or Slack, or of a name in Unicode; empty if there
    is none.
    """
    flag = _FLAG.fullmatch(name)
    if country := flag["country"] if flag else _FLAGS.get(name):
        return "".join(chr(_REGIONAL_A + ord(letter) - ord("a")) for letter in country)
    from rich.emoji import Emoji, NoEmoji  # with the first code: few notes have one

    try:
        return str(Emoji(name))
    except NoEmoji:
        pass
    try:
        sign = unicodedata.lookup(name.replace("_", " ").replace("-", " "))
    except KeyError:
        return ""
    return sign if unicodedata.category(sign) == "So" else ""


def _skip_generator_mark(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "{":
        return False
    mark = _GENERATOR_MARK.match(state.src, state.pos) or _ATTRIBUTES.match(state.src, state.pos)
    if not mark or mark.end() > state.posMax:
        return False
    state.pos = mark.end()
    return True
