"""A section of the console: a blueprint whose pages are guarded, carry the headers of the console, and refuse with a page."""

from flask import Blueprint, Response, current_app, g, make_response, render_template, request
from flask_wtf.csrf import generate_csrf
from markupsafe import Markup
from werkzeug import wrappers
from werkzeug.exceptions import HTTPException

from svc.base import trouble
from svc.base.errors import InternalError, NotFound, ServiceError, ServiceUnavailable
from svc.console import access, navigation
from svc.domain import readiness

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
_TITLES = {
    400: "That did not work", 401: "Sign in first", 403: "Not for your role", 404: "There is nothing here",
    405: "Not this way", 409: "Not in this state", 410: "This link is spent", 413: "Too large", 422: "That did not work",
    429: "Too many attempts", 503: "Back shortly",
}  # fmt: skip


def section(name: str, folder: str = "", rule: str | None = None) -> Blueprint:
    """A blueprint for pages under ``/console``, or a folder of it such as ``/settings``. Register it in app.py.

    ``rule``: "operator" or "owner", as svc.console.access has them, for every page of it that is not marked otherwise."""
    made = access.Section(name, __name__, template_folder="templates", url_prefix=access.ROOT + folder)
    made.access = rule
    made.before_request(access.check)
    made.after_request(_protect)
    made.context_processor(_context)
    made.register_error_handler(ServiceError, refuse)
    made.register_error_handler(HTTPException, _http_error)
    made.register_error_handler(Exception, _unexpected)
    return made


def _context() -> dict:
    person = g.get("viewer")
    return {
        "viewer": person, "base": access.base(), "origin": access.service().settings.base_url, "link": access.link,
        "navigation": lambda: navigation.sections(person), "csrf_field": _csrf_field, "now": access.now(),
        "endpoints": current_app.view_functions,
    }  # fmt: skip


def _csrf_field() -> Markup:
    """What every form that changes something carries."""
    return Markup('<input type="hidden" name="csrf_token" value="{}">').format(generate_csrf())


def _protect(response: Response) -> Response:
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    return response


def refuse(error: ServiceError) -> Response:
    """A page that says what was wrong and what would be right; for htmx, the sentence alone."""
    g.error_code = error.code
    name = "error_line.html" if request.headers.get("HX-Request") else "error.html"
    title = _TITLES.get(error.status, "Something went wrong")
    page = render_template(name, title=title, error=error, correlation_id=g.get("correlation_id"))
    response = make_response(page, error.status)
    if error.retry_after is not None:
        response.headers["Retry-After"] = str(error.retry_after)
    return response


def _http_error(failure: HTTPException) -> wrappers.Response:
    if failure.code is None or failure.code < 400:
        return failure.get_response()
    refusal = NotFound() if failure.code == 404 else ServiceError(failure.description)
    refusal.status = failure.code
    if type(failure).__name__ == "CSRFError":
        refusal.message = "This form was too old, or came from another site. Load the page again and send it once more."
    return refuse(refusal)


def _unexpected(failure: Exception) -> Response:
    found = trouble.recognise(failure)
    if found is not None:
        current_app.logger.error("%s (%s)", found.mend, failure)
        readiness.note(found, access.now())
        return refuse(ServiceUnavailable(f"{found.sentence} Try again shortly.", retry_after=found.seconds))
    current_app.logger.exception("unexpected error in the console", extra={"correlation": g.get("correlation_id")})
    return refuse(InternalError())
