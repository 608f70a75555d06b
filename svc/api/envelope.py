"""Answers: JSON bodies, the error envelope, and the headers that every response carries."""

import hashlib
import json
import logging
import random
import re
import time
from collections.abc import Callable, Iterable
from typing import Any, cast

from flask import Flask, Response, current_app, g, has_request_context, request
from werkzeug import wrappers
from werkzeug.datastructures import Headers
from werkzeug.exceptions import HTTPException

from svc.api import deprecations, versions
from svc.api.context import current_globals, current_request, service
from svc.base import errors, logs, secret_addresses, traces
from svc.base import outage as trouble
from svc.base.errors import ServiceError
from svc.base.text import json_text
from svc.domain.monitoring import metrics, readiness
from svc.domain.usage import refusals
from svc.domain.usage.refusals import Refusal

log = logging.getLogger("svc.api")

_CORRELATION_ID = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)
_VERSIONED = ("/v1/", "/files/")  # the beginnings of the paths of the API

_BY_STATUS: dict[int, type[ServiceError]] = {
    400: errors.InvalidRequest,
    404: errors.NotFound,
    405: errors.MethodNotAllowed,
    412: errors.PreconditionFailed,
    413: errors.PayloadTooLarge,
    415: errors.UnsupportedMediaType,
    416: errors.RangeNotSatisfiable,
    503: errors.ServiceUnavailable,
}


# The header of answers that are private to the key, and may change at any time.
_NOT_KEPT = ("Cache-Control", "private, no-store")


class _Own(Headers):
    """Headers that were made here, so that werkzeug need not check each."""

    def __init__(self, headers: list[tuple[str, str]]):
        self._list = headers

    def add_own(self, headers: list[tuple[str, str]]) -> None:
        self._list += headers


class Answer(Response):
    """A JSON response with complete headers, so that werkzeug need not check and
    copy them again.
    """

    def __init__(self, text: str, status: int, headers: list[tuple[str, str]]):
        """``headers``: made here, or checked: without line breaks."""
        body = text.encode()
        headers += ("Content-Type", "application/json"), ("Content-Length", str(len(body)))
        for name, _ in headers:
            if name == "Cache-Control":
                break
        else:
            headers.append(_NOT_KEPT)
        super().__init__([body], status, _Own(headers))

    def get_wsgi_headers(self, environ: Any) -> Headers:
        return self.headers

    def __call__(self, environ: Any, start_response: Any) -> Iterable[bytes]:
        if self._on_close or environ["REQUEST_METHOD"] == "HEAD":
            return super().__call__(environ, start_response)
        start_response(self.status, self.headers.to_wsgi_list())
        return cast(list[bytes], self.response)


def make_json_response(body: Any, status: int = 200, **headers: str) -> Response:
    """Return a JSON response. ``body``: a JSON value, or its text. Header names are written with
    underscores.

    ``Location``: a path of the application; clients get it below the path of the base URL.
    """
    if "Location" in headers:
        headers["Location"] = service().settings.base_path + headers["Location"]
    text = body if isinstance(body, str) else json_text.text(body)
    return Answer(
        text,
        status,
        [(name.replace("_", "-"), _check_header_value(value)) for name, value in headers.items()],
    )


def _check_header_value(value: str) -> str:
    if "\n" in value or "\r" in value:
        raise ValueError(f"a header's value has a line break: {value[:100]!r}")
    return value


def answer_not_modified(version: str) -> Response | None:
    """Return a 304 if the client's ``If-None-Match`` names this version of a
    resource, else None.
    """
    if "HTTP_IF_NONE_MATCH" in request.environ and request.if_none_match.contains_weak(version):
        return Response(status=304, headers=_make_version_headers(version))
    return None


def make_etag_response(body: Any, version: str | None = None) -> Response:
    """Return the response for a single resource with its ``ETag``.

    ``version``: the tag, which the caller has checked with :func:`answer_not_modified`; the
    default is a hash of the body, checked here.
    """
    text = body if isinstance(body, str) else json_text.text(body)
    if version is not None:
        return Answer(text, 200, _make_version_headers(version))
    version = hashlib.sha256(text.encode()).hexdigest()[:32]
    return answer_not_modified(version) or Answer(text, 200, _make_version_headers(version))


def _make_version_headers(version: str) -> list[tuple[str, str]]:
    # may be stored, and must be revalidated
    return [("ETag", f'W/"{version}"'), ("Cache-Control", "private, no-cache")]


def make_accepted_response(body: Any, **headers: str) -> Response:
    """Return a response that says that the work has begun."""
    return make_json_response(body, 202, **headers)


def make_secret_response(body: Any, status: int = 200, **headers: str) -> Response:
    """Return a response with a secret, which may not be stored."""
    return make_json_response(body, status, Cache_Control="no-store", **headers)


def make_error_response(refusal: ServiceError) -> Response:
    """Return the error envelope (specification, "Errors"; DECISIONS.md §1), or the page that a
    browser gets in its place.
    """
    g.error_code = refusal.code
    response = current_app.extensions["refusal_page"](refusal) or _make_envelope(refusal)
    if refusal.retry_after is not None:
        response.headers["Retry-After"] = str(refusal.retry_after)
    return response


def _make_envelope(refusal: ServiceError) -> Response:
    body = {
        "error": refusal.code,
        "message": refusal.message,
        "retryAfterSeconds": refusal.retry_after,
        "correlationId": g.correlation_id,
    }
    if refusal.fields:
        body["fields"] = refusal.fields
    return make_json_response(body, refusal.status)


def install(app: Flask, make_refusal_page: Callable[[ServiceError], Response | None]) -> None:
    """Add the specified headers and error envelopes to every response of ``app``.

    Call it after flask-smorest is set up. ``make_refusal_page``: returns what a browser gets in
    place of an envelope; None: it gets that.
    """
    app.extensions["refusal_page"] = make_refusal_page
    app.before_request(_begin)
    app.after_request(_end)
    app.register_error_handler(ServiceError, make_error_response)
    app.register_error_handler(HTTPException, _handle_http_error)
    app.register_error_handler(Exception, _handle_error)
    logs.set_context_provider(_log_context)
    if traces.IS_ENABLED:
        app.before_request(_begin_span)
        app.after_request(_end_span)


def _log_context() -> dict[str, Any]:
    """Return the fields that every log line of the current request carries."""
    if not has_request_context():
        return {}
    caller = g.get("caller")
    return {
        "correlation": g.get("correlation_id"),
        "partner": caller.partner_id if caller else None,
        "production": (request.view_args or {}).get("production_id"),
    }


def _begin_span() -> None:
    g.span = traces.begin_span(request.headers)


def _end_span(response: Response) -> Response:
    if g.get("span") is not None:
        route = request.url_rule.rule if request.url_rule else None
        traces.end_span(
            g.span,
            f"{request.method} {route or 'unknown'}",
            response.status_code >= 500,
            **_log_context(),
            http__route=route,
            http__request__method=request.method,
            http__response__status_code=response.status_code,
        )
    return response


def _begin() -> None:
    context = current_globals()
    context.started = time.perf_counter()
    sent_id = current_request().environ.get("HTTP_X_CORRELATION_ID", "")
    # a key has the form of such an ID, which is logged, kept and sent to webhooks
    is_kept = _CORRELATION_ID.fullmatch(sent_id) and logs.mask_secrets(sent_id) == sent_id
    context.correlation_id = sent_id if is_kept else _make_request_id()


def _make_request_id() -> str:
    """Return a random ID that begins with the time, so that the IDs of an hour are neighbours in
    the index of the history.
    """
    return f"{time.time_ns() // 1_000_000:012x}{random.getrandbits(80):020x}"


def _end(response: Response) -> Response:
    context, headers = current_globals(), response.headers
    req, status = current_request(), response.status_code
    environ = req.environ
    further_headers = [
        ("X-Correlation-Id", context.correlation_id),
        ("X-Content-Type-Options", "nosniff"),
    ]
    if environ.get("PATH_INFO", "").startswith(_VERSIONED):
        further_headers.append((versions.HEADER, versions.NEWEST))
        further_headers += _make_deprecation_headers() if deprecations.TABLE else ()
    # nothing that the page loads or leads to learns its address
    if secret_addresses.is_secret(req.path):
        headers["Referrer-Policy"] = "no-referrer"
    seconds = time.perf_counter() - context.started
    rule = req.url_rule
    if rule is None:
        metrics.count_request("none", "any", status, seconds)
    else:
        metrics.count_request(rule.rule, req.method, status, seconds)
    budget = context.get("budget")
    if budget is not None:
        if status < 400 or status == 429:
            further_headers += (
                ("X-RateLimit-Limit", str(budget.limit)),
                ("X-RateLimit-Remaining", str(budget.remaining)),
                ("X-RateLimit-Reset", str(budget.resets_at)),
            )
        serving = service()
        serving.watcher.check_request(
            environ["wsgi.url_scheme"],
            environ.get("HTTP_HOST", ""),
            environ.get("HTTP_X_FORWARDED_FOR"),
            context.entry.row[3],
        )
        refusal = (
            _make_refusal(context, response)
            if status >= 400 and serving.settings.refusal_days
            else None
        )
        serving.recorder.finish(
            context.entry, status, context.get("error_code"), seconds * 1000, refusal
        )
    if isinstance(headers, _Own):
        headers.add_own(further_headers)
    else:
        headers.extend(further_headers)
    return response


def _make_deprecation_headers() -> list[tuple[str, str]]:
    """Return the headers on what is deprecated of the operation."""
    extensions = current_app.extensions
    if "deprecations" not in extensions:
        extensions["deprecations"] = deprecations.list_deprecations(
            json.loads(extensions["document"]())
        )
    notices = extensions["deprecations"].get((request.endpoint or "").rpartition(".")[2], [])
    return deprecations.make_deprecation_headers(notices, service().settings.base_url)


def _make_refusal(context: Any, response: Response) -> Refusal | None:
    """Return what the console shows of a refused request; None for one beyond the rate limit, as
    there may be many of those.
    """
    if response.status_code == 429 or response.is_streamed:
        return None
    # read by the guard
    request_body = getattr(request, "_cached_data", None) if response.status_code < 500 else None
    row = context.entry.row
    return refusals.make_refusal(
        row[0], row[2], row[3], response.get_data(), request.content_type, request_body
    )


def _handle_http_error(failure: HTTPException) -> wrappers.Response:
    if failure.code is None or failure.code < 400:
        return failure.get_response()
    error_class = _BY_STATUS.get(failure.code)
    if error_class is None:
        refusal = ServiceError(failure.description)
        refusal.status, refusal.code = failure.code, re.sub(r"\W+", "_", failure.name).upper()
    else:
        refusal = error_class()
    response = make_error_response(refusal)
    if failure.code == 416 and getattr(failure, "length", None) is not None:
        response.headers["Content-Range"] = f"bytes */{getattr(failure, 'length')}"  # noqa: B009
    if failure.code == 405 and (methods := getattr(failure, "valid_methods", None)):
        response.headers["Allow"] = ", ".join(sorted(methods))
    return response


def _handle_error(failure: Exception) -> Response:
    outage = trouble.recognise(failure)
    if outage is None:
        log.exception("unexpected error")
        return make_error_response(errors.InternalError())
    log.error("%s (%s)", outage.mend, failure)
    readiness.report_outage(outage, service().clock())
    return make_error_response(
        errors.ServiceUnavailable(
            f"{outage.sentence} Try again shortly.", retry_after=outage.seconds
        )
    )
