"""The guard: what every authenticated request passes before its view, in the order of DECISIONS.md §2."""

import functools
from collections.abc import Callable

from flask import g, request
from werkzeug.exceptions import RequestEntityTooLarge

from svc.api.service import now
from svc.base import ids
from svc.base.errors import InvalidRequest, NotFound, PayloadTooLarge, ServiceUnavailable, Unauthorized
from svc.domain import budget, keys, maintenance, security

MAX_BODY = 64 * 1024  # bytes (DECISIONS.md §1)
_PATH_LENGTH = 500  # characters of a path that the history keeps


def needs(scope: str | None = None, *, resource: Callable | None = None, counts=True, activation=False, query=False):
    """Guard a view.

    ``scope``: what the key must hold; None: any valid key. ``resource``: called with the caller and the path's identifiers; the
    view gets what it returns instead of them. ``counts``: whether the request is in the shared budget. ``activation``: whether
    activation keys are taken. ``query``: whether the view has query parameters, which it then checks.
    """

    def decorate(view):
        @functools.wraps(view)
        def guarded(*args, **path):
            size = _size()
            with maintenance.one_turn():
                _check_maintenance()
                if size > MAX_BODY:
                    raise PayloadTooLarge()
                at = now()
                caller = _authenticate(activation, at)
                _spend(caller, counts, at)
                if scope is not None:
                    caller.needs(scope)
                found = {} if resource is None else {"found": resource(caller, **_identifiers(path))}
            if not query and request.query_string and request.args:
                _refuse_parameters()
            return view(*args, **found)

        guarded.scope = scope  # for the documentation
        return guarded

    return decorate


def _check_maintenance() -> None:
    retry_after = maintenance.retry_after()
    if retry_after is not None:
        raise ServiceUnavailable(retry_after=retry_after)


def _size() -> int:
    """How large the body is, in bytes; one whose length was not announced is read to see, and kept."""
    headers = request.headers
    if "Content-Length" not in headers and "Transfer-Encoding" not in headers:
        return 0
    request.max_content_length = MAX_BODY
    if not headers.get("Transfer-Encoding"):
        return request.content_length or 0
    try:
        body = request.environ["wsgi.input"].read(MAX_BODY + 1)
    except RequestEntityTooLarge:
        return MAX_BODY + 1
    except Exception as broken:  # each server has its own errors for chunks that are none, or that never come
        raise InvalidRequest("The body ended early, or its chunks are not as HTTP has them.") from broken
    request._cached_data = body
    return len(body)


def _authenticate(activation: bool, at: int):
    try:
        caller = keys.authenticate(request.headers.get("X-API-Key"), at, activation=activation)
    except Unauthorized:
        security.failed(request.remote_addr or "unknown", at)
        raise
    g.caller = caller
    return caller


def _spend(caller, counts: bool, at: int) -> None:
    active = caller.partner_status == "Active"
    asked = budget.Asked(request.method, request.path[:_PATH_LENGTH], g.correlation_id)
    g.budget = spent = budget.spend(caller, asked, at, counts=counts and active)
    keys.check_partner(caller)
    if spent.refusal is not None:
        raise spent.refusal


def _identifiers(path: dict[str, str]) -> dict[str, str]:
    """The identifiers of a path; what is not a UUID can name nothing."""
    canonical = {name: ids.canonical(value) for name, value in path.items()}
    if None in canonical.values():
        wrong = next(name for name, value in canonical.items() if value is None)
        raise NotFound(f"{wrong} in the path is not a UUID such as {ids.NIL}.")
    return canonical


def _refuse_parameters() -> None:
    name = next(iter(request.args))[:60]
    message = f"Unknown query parameter {name!r}: this operation takes none."
    raise InvalidRequest(message, fields={name: ["Unknown query parameter."]})
