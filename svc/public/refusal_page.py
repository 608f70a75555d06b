"""The page that a browser gets in place of the error envelope, for addresses that people type or
follow: not for those of the API.
"""

from urllib.parse import urlsplit

from flask import Response, current_app, g, make_response, render_template, request

from svc.base import media_types
from svc.base.errors import ServiceError

_OF_THE_API = ("/v1", "/files")  # whatever it sends, its clients read the envelope
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action "
        "'none'; frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Vary": "Accept",
}
_TITLES = {404: "There is nothing here", 405: "Not this way", 503: "Back shortly"}


def has_page(path: str) -> bool:
    """Return whether browsers get a page where this path is refused."""
    return not any(path == each or path.startswith(f"{each}/") for each in _OF_THE_API)


def make_refusal_page(refusal: ServiceError) -> Response | None:
    """Return the page with the sentence of the envelope; None if the client should get the
    envelope.
    """
    if not has_page(request.path) or not media_types.prefers_page(request.headers.get("Accept")):
        return None
    html = render_template(
        "refused.html",
        base=urlsplit(str(current_app.extensions["svc"].settings.base_url)).path,
        title=_TITLES.get(
            refusal.status,
            "Something went wrong" if refusal.status >= 500 else "That did not work",
        ),
        error=refusal,
        correlation_id=g.get("correlation_id") if refusal.status >= 500 else None,
    )
    response = make_response(html, refusal.status)
    response.headers.update(_HEADERS)
    return response
