"""A section of the console: a blueprint with access control, the security headers of the console,
and error pages.
"""

from flask import (
    Blueprint,
    Response,
    current_app,
    g,
    redirect,
    render_template,
    request,
)
from werkzeug import wrappers
from werkzeug.exceptions import HTTPException

from svc.base import media_types
from svc.base import outage as trouble
from svc.base.errors import (
    InternalError,
    NotFound,
    RateLimitExceeded,
    ServiceError,
    ServiceUnavailable,
)
from svc.console import (
    access,
    form_errors,
    navigation,
    query_args,
    saved_filters,
    sent_forms,
    time_zone,
)
from svc.domain.lifecycle import render_queue
from svc.domain.monitoring import readiness
from svc.domain.partners import create as create_partner
from svc.domain.people import kept_forms

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src "
    "'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
_KEPT_HEADERS = ("Content-Security-Policy", "Retry-After")  # of a page that answers a form
_GLOBALS = {  # of macros
    "csrf_field": sent_forms.hidden_fields,
    "zone_name": time_zone.name_zone,
    "current_url": query_args.current_url,
    "newest_partners": query_args.list_newest_partners,
    "saved_filters": saved_filters.list_filters,
    "base_path": access.get_base_path,
    "note_wrong": form_errors.note_field,
    "is_first_wrong": form_errors.is_first_wrong,
    "wrong_summary": form_errors.summarise,
}
_TITLES = {
    400: "That did not work",
    401: "Sign in first",
    403: "You don't have access",
    404: "There is nothing here",
    405: "Not this way",
    409: "Not in this state",
    410: "This link is spent",
    413: "Too large",
    422: "That did not work",
    429: "Too many attempts",
    503: "Back shortly",
}
_BUSY = frozenset((429, 503))


def make_section(name: str, folder: str = "", rule: str | None = None) -> Blueprint:
    """Return a blueprint for pages under ``/console``, or a folder of it such as ``/settings``.
    List it in ``_PAGES`` of svc.application, which registers it.

    ``rule``: "operator" or "owner", as in svc.console.access, for every page that is not
    marked otherwise."""
    blueprint = access.Section(
        name, __name__, template_folder="templates", url_prefix=access.ROOT + folder
    )
    blueprint.access = rule
    blueprint.before_request(access.check)
    blueprint.before_request(sent_forms.begin_form)
    # In the reverse order: what a form was answered is known before the answer becomes a redirect.
    blueprint.after_request(_redirect_after_post)
    blueprint.after_request(sent_forms.end_form)
    blueprint.after_request(_protect)
    blueprint.context_processor(_context)
    # Not by the context, as macros are imported without it.
    blueprint.record_once(lambda state: state.app.jinja_env.globals.update(**_GLOBALS))
    blueprint.register_error_handler(ServiceError, refuse)
    blueprint.register_error_handler(HTTPException, _handle_http_error)
    blueprint.register_error_handler(Exception, _handle_error)
    return blueprint


def _context() -> dict:
    person = g.get("viewer")
    return {
        "viewer": person,
        "partner_name": create_partner.find_partner_name(person.partner_id)
        if person and person.partner_id
        else None,
        "base": access.get_base_path(),
        "instance_name": access.service().settings.instance_name,
        "has_logo": access.service().settings.instance_logo is not None,
        "currency": access.service().settings.currency,
        "accent": access.service().settings.instance_accent,
        "origin": access.service().settings.base_url,
        "link": access.link,
        "navigation": lambda: navigation.list_sections(person),
        "now": access.now(),
        "endpoints": current_app.view_functions,
    }


def find_queue_pauses() -> dict:
    """Return what the macro ``queue_notes`` takes: the pauses that concern the viewer,
    and where an operator ends them.
    """
    person = access.viewer()
    resume = access.link("maintenance_pages.index") if person.is_operator else None
    return {"pauses": render_queue.list_pauses(person.partner_id), "resume": resume}


def _protect(response: Response) -> Response:
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    return response


def _redirect_after_post(response: Response) -> Response:
    """Return a redirect to the page that answers a form: it can be opened anew, and a reload sends
    nothing.

    Not where access was refused: another site's forms are to store nothing.
    """
    person = g.viewer if g.get("is_checked") else None
    is_page = response.mimetype == "text/html" and (
        response.status_code == 200 or 400 <= response.status_code < 500
    )
    if (
        request.method != "POST"
        or person is None
        or not is_page
        or request.headers.get("HX-Request")
    ):
        return response
    page: kept_forms.Page = {
        "html": response.get_data(as_text=True),
        "status": response.status_code,
        "headers": {
            name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers
        },
    }
    token = kept_forms.keep_page(access.service().ring, person.own_id, page, access.now())
    if token is None:
        return response
    place: Response = _protect(
        current_app.make_response(redirect(f"{access.get_base_path()}{access.KEPT}/{token}", 303))
    )
    for cookie in response.headers.getlist("Set-Cookie"):
        place.headers.add("Set-Cookie", cookie)
    return place


def refuse(error: ServiceError) -> Response:
    """Return a page that explains an error; for htmx, only the sentence. Programs, and pictures and
    players of a page, get the sentence as plain text, which costs a fraction of a page.
    """
    g.error_code = error.code
    mimetype = "text/html"
    if request.headers.get("HX-Request"):
        content = render_template(
            "error_line.html", error=error, correlation_id=g.get("correlation_id")
        )
    elif media_types.prefers_page(request.headers.get("Accept")):
        content = _render_error(error)
    else:
        content, mimetype = _format_error(error), "text/plain"
    response = current_app.response_class(content, error.status, mimetype=mimetype)
    if error.retry_after is not None:
        response.headers["Retry-After"] = str(error.retry_after)
    return response


def _render_error(error: ServiceError) -> str:
    """Return the page of an error. Where too much is asked at once, it has no navigation, which
    takes most of the time of a page, and leads back to the console by its button.
    """
    is_refused = error.code == RateLimitExceeded.code
    title = "Too much at once" if is_refused else _TITLES.get(error.status, "Something went wrong")
    bare = {"viewer": None} if error.status in _BUSY else {}
    return render_template(
        "error.html", title=title, error=error, correlation_id=g.get("correlation_id"), **bare
    )


def _format_error(error: ServiceError) -> str:
    correlation_id = g.get("correlation_id") if error.status >= 500 else None
    return f"{error.message} Correlation id: {correlation_id}" if correlation_id else error.message


def _handle_http_error(failure: HTTPException) -> wrappers.Response:
    if failure.code is None or failure.code < 400:
        return failure.get_response()
    refusal = NotFound() if failure.code == 404 else ServiceError(failure.description)
    refusal.status = failure.code
    if type(failure).__name__ == "CSRFError":
        refusal.message = (
            "This form has expired, or was sent by another site. Reload the page and send the "
            "form again."
        )
    return refuse(refusal)


def _handle_error(failure: Exception) -> Response:
    outage = trouble.recognise(failure)
    if outage is not None:
        current_app.logger.error("%s (%s)", outage.mend, failure)
        readiness.report_outage(outage, access.now())
        return refuse(
            ServiceUnavailable(f"{outage.sentence} Try again shortly.", retry_after=outage.seconds)
        )
    current_app.logger.exception(
        "unexpected error in the console", extra={"correlation": g.get("correlation_id")}
    )
    return refuse(InternalError())
