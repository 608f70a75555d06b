"""Handles forms: performs the action and reports it, or shows the form again with its input and the errors."""

from collections.abc import Callable

from flask import flash, g, redirect, request

from svc.base.errors import ServiceError
from svc.console.sign_in import access

_PRESS_AGAIN = "Your session had ended when you pressed the button, so nothing was done. Press it again."
_NEVER_MENDED = frozenset((401, 403, 404))  # other input does not help


class FilledAgain(ServiceError):
    """The form is shown as it was when its user's session had ended: nothing of it is carried out yet."""

    status, code, tone = 200, "FILLED_AGAIN", "info"
    message = "This is what you typed before your session ended. Nothing of it is saved yet: look it over, and send it."


def check_sent() -> None:
    """FilledAgain: the form was not sent by its user just now, but is to be shown with what they had typed."""
    if g.get("filled_again"):
        raise FilledAgain()


def typed(*names: str) -> dict[str, str]:
    """Return the named fields of the form. A missing checkbox is ``off``, as browsers send only checked ones."""
    return {name.rstrip("?"): request.form.get(name.rstrip("?"), "off" if name.endswith("?") else "") for name in names}


def sent(*names: str) -> dict[str, str]:
    """Return the named fields like :func:`typed`, without those that the form does not have, which remain unchanged."""
    return {name: value for name, value in typed(*names).items() if f"{name}?" in names or name in request.form}


def submit(action: Callable[[], object], done: str, place: str | Callable[[], str], again: Callable[[ServiceError], str]):
    """Perform the action, show ``done`` and redirect to ``place``; if it is refused, return ``again`` with the error.

    ``place``: an address, or a function that returns it afterwards.
    """
    try:
        check_sent()
        action()
    except ServiceError as refused:
        if refused.status in _NEVER_MENDED:
            raise
        return again(refused), refused.status, retry_after(refused)
    flash(done, "good")
    return redirect(place() if callable(place) else place, 303)


def press(action: Callable[[], object], done: str | Callable[[], str], place: str):
    """Perform ``action`` for a button, which has no input: a refusal is shown where the button is.

    ``done``: the message, or a function that returns it afterwards.
    """
    try:
        check_sent()
        action()
        flash(done() if callable(done) else done, "good")
    except ServiceError as refused:
        if refused.status in _NEVER_MENDED:
            raise
        flash(_PRESS_AGAIN if isinstance(refused, FilledAgain) else refused.message, getattr(refused, "tone", "bad"))
    return redirect(place, 303)


def retry_after(refused: ServiceError) -> dict[str, str]:
    """Return the Retry-After header of an error that has one."""
    return {} if refused.retry_after is None else {"Retry-After": str(refused.retry_after)}


def older(endpoint: str, listed: dict, **values) -> str | None:
    """Return the URL of the next page of a list with its filters; None if there is none."""
    if not listed["hasMore"]:
        return None
    filters = {name: value for name, value in request.args.items() if name != "cursor" and value}
    return access.link(endpoint, **{**filters, **values, "cursor": listed["nextCursor"]})
