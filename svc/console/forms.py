"""What happens to a form: its action is done and said, or the page comes back with what was typed and what was wrong."""

from collections.abc import Callable

from flask import flash, redirect, request

from svc.base.errors import ServiceError
from svc.console import access

_NEVER_MENDED = frozenset((401, 403, 404))  # typing something else does not help


def typed(*names: str) -> dict[str, str]:
    """The fields of the form by those names. A checkbox that is off is sent by no browser: it is ``off``."""
    return {name.rstrip("?"): request.form.get(name.rstrip("?"), "off" if name.endswith("?") else "") for name in names}


def sent(*names: str) -> dict[str, str]:
    """As :func:`typed`, without the fields that the form does not have, which are to stay as they are."""
    return {name: value for name, value in typed(*names).items() if f"{name}?" in names or name in request.form}


def submit(action: Callable[[], object], done: str, place: str, again: Callable[[ServiceError], str]):
    """Do it, say ``done``, go to ``place``; where it is refused, the page that ``again`` makes of the refusal."""
    try:
        action()
    except ServiceError as refused:
        if refused.status in _NEVER_MENDED:
            raise
        return again(refused), refused.status, retry_after(refused)
    flash(done, "good")
    return redirect(place, 303)


def press(action: Callable[[], object], done: str | Callable[[], str], place: str):
    """The same for a button, which has nothing to type: a refusal is said where the button was. ``done`` may be asked for
    once it is done."""
    try:
        action()
        flash(done() if callable(done) else done, "good")
    except ServiceError as refused:
        if refused.status in _NEVER_MENDED:
            raise
        flash(refused.message, "bad")
    return redirect(place, 303)


def retry_after(refused: ServiceError) -> dict[str, str]:
    """The header that says when to come back, where the refusal knows."""
    return {} if refused.retry_after is None else {"Retry-After": str(refused.retry_after)}


def older(endpoint: str, listed: dict, **values) -> str | None:
    """The address of the next page of a list, with its filters; None: there is none."""
    if not listed["hasMore"]:
        return None
    filters = {name: value for name, value in request.args.items() if name != "cursor" and value}
    return access.link(endpoint, **{**filters, **values, "cursor": listed["nextCursor"]})
