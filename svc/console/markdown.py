"""Renders a partner's Markdown as safe HTML: without raw HTML, pictures,
or links that run or load anything.
"""

from markupsafe import Markup

from svc.base.text.markdown import build_reader
from svc.base.text.picture_names import read_picture_name

_READER = build_reader(html=False).disable(["html_block", "html_inline"])


def render_html(text: str, below: int) -> Markup:
    """Return ``text`` as HTML whose headings rank below the page's of rank ``below``, and leave out
    no rank, whatever their own begin with.
    """
    tokens = _READER.parse(text)
    above: list[str] = []  # the tags of the headings that the next one is below, or in place of
    for token in tokens:
        if token.type == "heading_open":
            above = [*(each for each in above if each < token.tag), token.tag]
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, below + len(above))}"
        for child in token.children or ():
            if child.type == "link_open":
                child.attrSet("rel", "nofollow noopener noreferrer")
            elif child.type == "image":  # nothing is loaded: its text stands for it, or its name
                name = child.content or read_picture_name(str(child.attrGet("src")))
                child.type, child.content = "text", f"[Picture: {name}]"
    rendered = _READER.renderer.render(tokens, _READER.options, {})
    return Markup(rendered)  # noqa: S704 - the renderer has escaped all text
