"""Renders a partner's Markdown as safe HTML: without raw HTML, pictures,
or links that run or load anything.
"""

from markupsafe import Markup

from svc.base.text.markdown import build_reader
from svc.base.text.picture_names import read_picture_name

_HEADINGS_FROM = 4  # the brief is below an h2 and an h3 of the page
_READER = build_reader(html=False).disable(["html_block", "html_inline"])


def render_html(text: str) -> Markup:
    """Return ``text`` as HTML; its headings rank below those of the page."""
    tokens = _READER.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + _HEADINGS_FROM - 1)}"
        for child in token.children or ():
            if child.type == "link_open":
                child.attrSet("rel", "nofollow noopener noreferrer")
            elif child.type == "image":  # nothing is loaded: its text stands for it, or its name
                name = child.content or read_picture_name(str(child.attrGet("src")))
                child.type, child.content = "text", f"[Picture: {name}]"
    rendered = _READER.renderer.render(tokens, _READER.options, {})
    return Markup(rendered)  # noqa: S704 - the renderer has escaped all text
