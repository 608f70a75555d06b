"""Authenticates and checks every request before its view, in the order of DECISIONS.md §2."""

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

from flask import Request, request
from werkzeug.sansio.utils import get_content_length
from werkzeug.wrappers import Response

from svc.api import versions
from svc.api.answer_docs import View
from svc.api.context import current_globals, current_request, service
from svc.base import ids, logs, threads
from svc.base.errors import (
    InvalidRequest,
    NotFound,
    PayloadTooLarge,
    PermissionDenied,
    PreconditionFailed,
    RateLimitExceeded,
    ServiceUnavailable,
    Unauthorized,
)
from svc.domain.access import auth_failures, keys, rate_limit
from svc.domain.caller import Caller
from svc.domain.monitoring import maintenance

CONDITIONAL = ("PUT", "PATCH", "DELETE")  # they change the resource at their address
MAX_BODY = 64 * 1024  # bytes (DECISIONS.md §1)
_BROKEN = "The body ended early, or its chunked encoding is malformed."
# Pairs of an action that is done one at a time, and the id of the partner for whom it runs.
_doing: set[tuple[str, str]] = set()
_lock = threading.Lock()
_PATH_LENGTH = 500  # characters of a path that the history stores


def require_scope(
    scope: str | None = None,
    *,
    resource: Callable[..., Any] | None = None,
    counts: bool = True,
    activation: bool = False,
    query: bool = False,
    longest: int = MAX_BODY,
) -> Callable[[View], View]:
    """Return a decorator that guards a view.

    Args:
        scope: The scope that the key must have; None for any valid key.
        resource: Called with the caller and the path's identifiers; its result is the view's first
            argument.
        counts: Whether the request counts towards the rate limit.
        activation: Whether activation keys are accepted.
        query: Whether the view has query parameters, which it then checks itself.
        longest: The largest body in bytes. One over MAX_BODY is read only after the key has been
            checked.
    """

    def decorate(view: View) -> View:
        @functools.wraps(view)
        def guarded(*args: Any, **path: str) -> Response:
            req = current_request()
            _check_maintenance()
            authenticated, crowded = _hold_thread(req, activation)
            if longest > MAX_BODY:
                caller = _admit(req, activation, counts, authenticated, crowded)
                with _admit_body(req, caller.partner_id, longest):
                    return call_view(req, caller, args, path)
            if (_read_announced_size(req) if crowded else _read_size(req)) > MAX_BODY:
                raise PayloadTooLarge()
            return call_view(
                req, _admit(req, activation, counts, authenticated, crowded), args, path
            )

        def call_view(
            req: Request, caller: Caller, args: tuple[Any, ...], path: dict[str, str]
        ) -> Response:
            if scope is not None:
                caller.require_scope(scope)
            leading_args = (
                () if resource is None else (resource(caller, **_normalise_identifiers(path)),)
            )
            versions.check_version(req.environ)
            if "HTTP_IF_MATCH" in req.environ or "HTTP_IF_NONE_MATCH" in req.environ:
                _check_preconditions(req)
            if not query and req.query_string and req.args:
                _refuse_parameters(req)
            return view(*leading_args, *args)

        setattr(guarded, "scope", scope)  # noqa: B010 - for the documentation
        return cast(View, guarded)

    return decorate


def check_caller_again(scope: str) -> None:
    """Check the caller again after a request has waited, as the key may have expired or
    lost the scope.
    """
    caller = keys.authenticate(request.environ.get("HTTP_X_API_KEY"), service().clock())
    keys.check_partner(caller)
    caller.require_scope(scope)


def admit_options() -> None:
    """Check an OPTIONS request, which needs no key.

    With a key it counts, and its answer has the rate-limit headers.
    """
    if "HTTP_X_API_KEY" not in request.environ or not request.path.startswith("/v1/"):
        return
    _check_maintenance()
    req = current_request()
    authenticated, crowded = _hold_thread(req, activation=True)
    _admit(req, True, True, authenticated, crowded)


def _hold_thread(req: Request, activation: bool) -> tuple[Caller | None, RateLimitExceeded | None]:
    """Charge the thread of a request to its partner, before a body is awaited.

    Return the caller, and the refusal if its partner has its share of the threads already. It is
    raised where the budget is checked (DECISIONS.md §2). A key that is not valid is refused there,
    too.
    """
    try:
        caller = keys.authenticate(
            req.environ.get("HTTP_X_API_KEY"), service().clock(), activation=activation
        )
    except Unauthorized:
        return None, None
    if caller.ranges is not None and not caller.may_call_from(req.remote_addr):
        # Whoever has a key that may not be used from there must not spend the partner's share.
        return caller, None
    threads.thread_shares.remember_owner(
        threads.sign_of_secret(req.environ["HTTP_X_API_KEY"].encode()), caller.partner_id
    )
    try:
        threads.thread_shares.charge_request(caller.partner_id)
    except RateLimitExceeded as refusal:
        return caller, refusal
    return caller, None


def _check_maintenance() -> None:
    retry_after = maintenance.retry_after()
    if retry_after is not None:
        raise ServiceUnavailable(retry_after=retry_after)


@contextmanager
def _admit_body(req: Request, partner_id: str, longest: int) -> Iterator[None]:
    """Read a body that may be large, one of a partner at a time:
    parsing it keeps the interpreter from everybody else.
    """
    with refuse_parallel(
        ("body", partner_id), "Another batch of yours is being read; try again in 1 s."
    ):
        if _read_size(req, longest) > longest:
            raise PayloadTooLarge(f"The body may have at most {longest // 2**20} MiB.")
        yield


@contextmanager
def refuse_parallel(key: tuple[str, str], message: str, retry_after: int = 1) -> Iterator[None]:
    """Allow one request of ``key`` at a time; another one meanwhile is refused with ``message``.
    RateLimitExceeded.

    ``key``: the name of what is done, and the partner's id.
    """
    with _lock:
        if key in _doing:
            raise RateLimitExceeded(message, retry_after=retry_after)
        _doing.add(key)
    try:
        yield
    finally:
        with _lock:
            _doing.discard(key)


def _read_announced_size(req: Request) -> int:
    """Return the size that a body is said to have; 0: none is said."""
    environ = req.environ
    length = get_content_length(
        environ.get("CONTENT_LENGTH"), environ.get("HTTP_TRANSFER_ENCODING")
    )
    return length or 0


def _read_size(req: Request, longest: int = MAX_BODY) -> int:
    """Return the size of the body in bytes. A body within the limit is read and cached."""
    environ = req.environ
    if "HTTP_TRANSFER_ENCODING" in environ:
        body = _read_body(environ, longest + 1)
    elif environ.get("CONTENT_LENGTH"):
        announced = _read_announced_size(req)
        if announced > longest:
            return announced
        body = _read_body(environ, announced)
        if len(body) < announced:
            raise InvalidRequest(_BROKEN)
    else:
        return 0
    req._cached_data = body
    return len(body)


def _read_body(environ: dict[str, Any], most: int) -> bytes:
    try:
        body: bytes = environ["wsgi.input"].read(most)
    except Exception as broken:  # each server has its own errors for malformed and missing chunks
        raise InvalidRequest(_BROKEN) from broken
    return body


def _admit(
    req: Request,
    activation: bool,
    counts: bool,
    authenticated: Caller | None,
    crowded: RateLimitExceeded | None,
) -> Caller:
    """Return the caller after counting and recording the request. Raise the errors of key, partner
    and rate limit.

    ``authenticated``: the caller before the body was awaited.
    ``crowded``: the partner holds its share of the threads; like one over the rate limit, the
    request is not counted.
    """
    serving, context = service(), current_globals()
    at = serving.clock()
    try:
        key = req.environ.get("HTTP_X_API_KEY")
        context.caller = caller = keys.authenticate(
            key, at, activation=activation, known=authenticated
        )
    except Unauthorized:
        auth_failures.record_failure(req.remote_addr or "unknown", at)
        raise
    may_call = caller.ranges is None or caller.may_call_from(req.remote_addr)
    is_active = caller.partner_status == "Active"
    budget = rate_limit.count_request(
        caller, at, counts=counts and is_active and may_call and not crowded
    )
    # others of the partner read the history: no key that was sent in the wrong place is kept there
    path = logs.mask_secrets(req.path)[:_PATH_LENGTH]
    route = req.url_rule.rule if req.url_rule else ""
    context.entry = serving.recorder.begin(
        caller, budget, req.method, path, context.correlation_id, at, route
    )
    context.budget = budget
    if not may_call:
        auth_failures.record_failure(req.remote_addr or "unknown", at)
        raise PermissionDenied(
            "This key may not be used from your address; its owner and the operator know the "
            "allowed ones."
        )
    keys.check_partner(caller)
    if refusal := crowded or budget.refusal:
        if budget.refusal:
            threads.thread_shares.record_refusal(caller.partner_id)
        raise refusal
    return caller


def _normalise_identifiers(path: dict[str, str]) -> dict[str, str]:
    """Return the identifiers of the path. NotFound: one is not a UUID."""
    canonical = {}
    for name, value in path.items():
        identifier = ids.normalise(value)
        if identifier is None:
            raise NotFound(
                f"{_format_parameter_name(name)} in the path is not a UUID such as {ids.NIL}."
            )
        canonical[name] = identifier
    return canonical


def _format_parameter_name(name: str) -> str:
    """Return the name of a part of the path as the document has it: accountId for account_id."""
    first, *following = name.split("_")
    return first + "".join(word.capitalize() for word in following)


def _check_preconditions(req: Request) -> None:
    """Refuse to change a resource on a condition that does not hold (RFC 9110, section 13.1): it
    exists, and no tag is the same as its own, which is weak. PreconditionFailed.
    """
    if req.environ["REQUEST_METHOD"] in CONDITIONAL and (
        req.environ.get("HTTP_IF_MATCH", "*").strip() != "*"
        or req.environ.get("HTTP_IF_NONE_MATCH", "").strip() == "*"
    ):
        raise PreconditionFailed(
            "Nothing was changed: If-Match never holds here, as the ETag is weak, and "
            "If-None-Match: * never, as the resource exists. Leave the header out."
        )


def _refuse_parameters(req: Request) -> None:
    name = next(iter(req.args))[:60]
    message = f"Unknown query parameter {name!r}: this operation has no query parameters."
    raise InvalidRequest(message, fields={name: ["Unknown query parameter."]})
