"""A partner's Markdown as HTML that can do no harm: no HTML of its own, no pictures, no links that run or load anything."""

from markupsafe import Markup

from svc.base.markdown import reader

_HEADINGS_FROM = 4  # the brief stands under an h2 and an h3 of the page
_READER = reader(html=False).disable(["image", "html_block", "html_inline"])


def html(text: str) -> Markup:
    """``text`` rendered; its headings begin below those of the page."""
    tokens = _READER.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + _HEADINGS_FROM - 1)}"
        for child in token.children or ():
            if child.type == "link_open":
                child.attrSet("rel", "nofollow noopener noreferrer")
    rendered = _READER.renderer.render(tokens, _READER.options, {})
    return Markup(rendered)  # noqa: S704  # nosec B704: the renderer has escaped what was text
