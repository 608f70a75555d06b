"""The API reference at ``/docs``: pages that are written from the OpenAPI
document, without script.
"""

import functools
import json
import re
from typing import Any
from urllib.parse import urlsplit

from flask import Blueprint, Response, current_app, make_response, render_template, request
from markdown_it.token import Token
from markupsafe import Markup

from svc.base.errors import NotFound
from svc.base.text.markdown import build_reader
from svc.public import api_changelog, docs_search, documents
from svc.public.reference import Reference

docs = Blueprint("docs", __name__, template_folder="templates")

_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'self'"
)
_READER = build_reader(html=False)
_LONGEST_SEARCH = 200  # characters
_CHANGELOG = "changelog"  # no group of operations has this name


@docs.get("/docs")
def page() -> Response:
    return _serve_page("")


@docs.get("/docs/changelog.xml")
def changelog_feed() -> Response:
    """Return the changelog of the API as an Atom feed."""
    entries = api_changelog.read_entries(documents.read_text(api_changelog.NAME, _get_origin()))
    xml = api_changelog.write_feed(
        entries, _get_origin(), _make_anchor, lambda text: str(_render_markdown(text))
    )
    return documents.make_revalidated(
        current_app.response_class(xml, content_type="application/atom+xml; charset=utf-8")
    )


@docs.get("/docs/search")
def search() -> Response:
    """Show the operations, events and sections of the guide that have all words of ``q``."""
    words = request.args.get("q", "").strip()[:_LONGEST_SEARCH]
    return _protect_page(
        make_response(_render("docs_search.html", words=words, found=_read_index().find(words)))
    )


@docs.get("/docs/<name>")
def group(name: str) -> Response:
    return _serve_page(name)


def _serve_page(name: str) -> Response:
    """Return a page, rendered once for each application: its document never changes.

    NotFound: there is no such group.
    """
    pages: dict[str, str] = current_app.extensions.setdefault("docs", {})
    if name not in pages:
        pages[name] = _render_page(name)
    return _protect_page(make_response(pages[name]))


def _protect_page(response: Response) -> Response:
    response.headers["Content-Security-Policy"] = _POLICY
    response.headers["Referrer-Policy"] = "no-referrer"
    return documents.make_revalidated(response)


def _render_page(name: str) -> str:
    reference, shown, changelog = _read_reference(), None, None
    if name == _CHANGELOG:
        changelog = documents.read_text(api_changelog.NAME, _get_origin())
    elif name:
        shown = reference.find_group(name)
        if shown is None:
            raise NotFound()
    template = "docs_changelog.html" if changelog else "docs_group.html" if shown else "docs.html"
    return _render(template, changelog=changelog, shown=shown)


def _render(template: str, **values: Any) -> str:
    reference = _read_reference()
    return render_template(
        template,
        base=urlsplit(_get_origin()).path,
        origin=_get_origin(),
        reference=reference,
        sections=_list_sections(reference.guide),
        markdown=_render_markdown,
        inline=_render_inline,
        **values,
    )


def _get_origin() -> str:
    return str(current_app.extensions["svc"].settings.base_url)


def _read_reference() -> Reference:
    return _parse_reference(current_app.extensions["document"]())


@functools.lru_cache(maxsize=1)
def _parse_reference(document: str) -> Reference:
    return Reference(json.loads(document))


def _read_index() -> docs_search.Index:
    return _make_index(_read_reference())


@functools.lru_cache(maxsize=1)
def _make_index(reference: Reference) -> docs_search.Index:
    return docs_search.Index(reference, _make_anchor)


def _list_sections(text: str) -> list[tuple[str, str]]:
    """Return the sections of a Markdown text: their anchors and headings."""
    return [
        (_make_anchor(heading), heading) for heading in re.findall(r"^## (.+)$", text, re.MULTILINE)
    ]


def _make_anchor(heading: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")


def _render_markdown(text: str) -> Markup:
    """Return Markdown of our own as HTML, with anchors; wide tables can be scrolled by keys."""
    tokens = _READER.parse(text)
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "heading_open" and following is not None:
            token.attrSet("id", _make_anchor(following.content))
    return _render_html(tokens)


def _render_inline(text: str) -> Markup:
    return _render_html(_READER.parseInline(text))


def _render_html(tokens: list[Token]) -> Markup:
    html = _READER.renderer.render(tokens, _READER.options, {})
    html = html.replace("<pre>", '<pre tabindex="0">').replace("</table>", "</table></div>")
    html = html.replace(
        "<table>", '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>'
    )
    return Markup(html)  # noqa: S704 - the renderer has escaped all text
