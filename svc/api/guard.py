"""The guard: what every authenticated request passes before its view, in the order of DECISIONS.md §2."""

import functools
from collections.abc import Callable
from typing import Any, cast

from flask import Request, g, request
from werkzeug.wrappers import Response

from svc.api.docs import View
from svc.api.service import service
from svc.base import ids
from svc.base.errors import (
    InvalidRequest,
    NotFound,
    PayloadTooLarge,
    PermissionDenied,
    ServiceUnavailable,
    Unauthorized,
)
from svc.domain import budget, keys, maintenance, security
from svc.domain.callers import Caller

MAX_BODY = 64 * 1024  # bytes (DECISIONS.md §1)
_BROKEN = "The body ended early, or its chunks are not as HTTP has them."
_PATH_LENGTH = 500  # characters of a path that the history keeps


def needs(
    scope: str | None = None, *, resource: Callable[..., Any] | None = None, counts: bool = True, activation: bool = False,
    query: bool = False,
) -> Callable[[View], View]:  # fmt: skip
    """Guard a view.

    ``scope``: what the key must hold; None: any valid key. ``resource``: called with the caller and the path's identifiers; the
    view gets what it returns instead of them. ``counts``: whether the request is in the shared budget. ``activation``: whether
    activation keys are taken. ``query``: whether the view has query parameters, which it then checks.
    """

    def decorate(view: View) -> View:
        @functools.wraps(view)
        def guarded(*args: Any, **path: str) -> Response:
            asked = _request()
            size = _size(asked)
            _check_maintenance()
            if size > MAX_BODY:
                raise PayloadTooLarge()
            caller = _admit(asked, activation, counts)
            if scope is not None:
                caller.needs(scope)
            found = {} if resource is None else {"found": resource(caller, **_identifiers(path))}
            if not query and asked.query_string and asked.args:
                _refuse_parameters(asked)
            return view(*args, **found)

        setattr(guarded, "scope", scope)  # noqa: B010 - for the documentation
        return cast(View, guarded)

    return decorate


def readmit(scope: str) -> None:
    """Look at the caller again, after a request has waited: the key may have ended, or lost the scope, meanwhile."""
    caller = keys.authenticate(request.environ.get("HTTP_X_API_KEY"), service().clock())
    keys.check_partner(caller)
    caller.needs(scope)


def admit_options() -> None:
    """OPTIONS needs no key. With one it is a request like others, and its answer has the rate headers."""
    if "HTTP_X_API_KEY" not in request.environ or not request.path.startswith("/v1/"):
        return
    _check_maintenance()
    _admit(_request(), activation=True, counts=True)


def _request() -> Request:
    """The request itself: behind its proxy each access costs a look-up."""
    current: Request = cast(Any, request)._get_current_object()
    return current


def _check_maintenance() -> None:
    retry_after = maintenance.retry_after()
    if retry_after is not None:
        raise ServiceUnavailable(retry_after=retry_after)


def _size(asked: Request) -> int:
    """How large the body is, in bytes. If it is not too large it has been read, and is kept."""
    environ = asked.environ
    if "HTTP_TRANSFER_ENCODING" in environ:
        body = _read(environ, MAX_BODY + 1)
    elif environ.get("CONTENT_LENGTH"):
        announced = asked.content_length or 0
        if announced > MAX_BODY:
            return announced
        body = _read(environ, announced)
        if len(body) < announced:
            raise InvalidRequest(_BROKEN)
    else:
        return 0
    asked._cached_data = body
    return len(body)


def _read(environ: dict[str, Any], most: int) -> bytes:
    try:
        body: bytes = environ["wsgi.input"].read(most)
    except Exception as broken:  # each server has its own errors for chunks that are none, or that never come
        raise InvalidRequest(_BROKEN) from broken
    return body


def _admit(asked: Request, activation: bool, counts: bool) -> Caller:
    """The caller, whose request is counted and in the history; errors of the key, the partner and the budget."""
    serving, here = service(), cast(Any, g)._get_current_object()
    at = serving.clock()
    try:
        here.caller = caller = keys.authenticate(asked.environ.get("HTTP_X_API_KEY"), at, activation=activation)
    except Unauthorized:
        security.failed(asked.remote_addr or "unknown", at)
        raise
    may_call = caller.ranges is None or caller.may_call_from(asked.remote_addr)
    spent = budget.spend(caller, at, counts=counts and caller.partner_status == "Active" and may_call)
    path = asked.path[:_PATH_LENGTH]
    here.entry = serving.recorder.begin(caller, spent, asked.method, path, here.correlation_id, at)
    here.budget = spent
    if not may_call:
        security.failed(asked.remote_addr or "unknown", at)
        raise PermissionDenied("This key may not be used from your address; the operator or its owner knows from which.")
    keys.check_partner(caller)
    if spent.refusal is not None:
        raise spent.refusal
    return caller


def _identifiers(path: dict[str, str]) -> dict[str, str]:
    """The identifiers of a path; what is not a UUID can name nothing."""
    canonical = {}
    for name, value in path.items():
        found = ids.canonical(value)
        if found is None:
            raise NotFound(f"{name} in the path is not a UUID such as {ids.NIL}.")
        canonical[name] = found
    return canonical


def _refuse_parameters(asked: Request) -> None:
    name = next(iter(asked.args))[:60]
    message = f"Unknown query parameter {name!r}: this operation takes none."
    raise InvalidRequest(message, fields={name: ["Unknown query parameter."]})
