"""Handles forms: performs the action and reports it, or shows the form again with its input
and the errors.
"""

from collections.abc import Callable, Mapping
from typing import Any

from flask import flash, g, redirect, request

from svc.base import key_texts
from svc.base.errors import EditConflict, InvalidRequest, Refusal, ServiceError
from svc.console import access
from svc.domain import edits

_PRESS_AGAIN = (
    "Your session had ended when you pressed the button, so nothing was done. Press it again."
)
_NEVER_MENDED = frozenset((401, 403, 404))  # other input does not help


class FilledAgain(Refusal):
    """The form is shown as it was when its user's session had ended:
    nothing of it is carried out yet.
    """

    status, code, tone = 200, "FILLED_AGAIN", "info"
    message = (
        "This is what you typed before your session ended. Nothing of it is saved yet: look it "
        "over, and send it."
    )


def check_sent() -> None:
    """Check a form before it is carried out.

    FilledAgain: it was not sent by its user just now, but is to be shown with what they had typed.
    InvalidRequest: an API key was typed or pasted into a field, or names a file.
    """
    if g.get("filled_again"):
        raise FilledAgain()
    texts = [
        *request.form.items(multi=True),
        *((name, file.filename or "") for name, file in request.files.items(multi=True)),
    ]
    if names := [name for name, text in texts if key_texts.holds_key(text)]:
        raise InvalidRequest.from_fields({name: [key_texts.REFUSAL] for name in names})


def read_fields(*names: str) -> dict[str, str]:
    """Return the named fields of the form.

    A missing checkbox is ``off``, as browsers send only checked ones.
    """
    return {
        name.rstrip("?"): request.form.get(name.rstrip("?"), "off" if name.endswith("?") else "")
        for name in names
    }


def read_sent_fields(*names: str) -> dict[str, str]:
    """Return the named fields like :func:`read_fields`, without those that the form does not have,
    which remain unchanged.
    """
    return {
        name: value
        for name, value in read_fields(*names).items()
        if f"{name}?" in names or name in request.form
    }


def take_fields(row: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return the named fields of a row as a form shows them, in the names of :func:`read_fields`:
    a flag is ``on`` or ``off``.
    """
    plain = {name: row[name] for name in names if not name.endswith("?")}
    return {
        **plain,
        **{name[:-1]: "on" if row[name[:-1]] else "off" for name in names if name.endswith("?")},
    }


def submit(
    action: Callable[[], object],
    done: str,
    place: str | Callable[[], str],
    again: Callable[[ServiceError], str],
):
    """Perform the action, show ``done`` and redirect to ``place``; if it is refused, return
    ``again`` with the error.

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


def submit_edit(
    fields: dict[str, Any],
    stored: Callable[[], Mapping[str, Any]],
    action: Callable[[dict[str, Any]], object],
    done: str,
    place: str | Callable[[], str],
    again: Callable[[ServiceError, dict[str, Any]], str],
    partner_id: str | None = None,
):
    """Perform the action of a form that was filled in with what is stored, like :func:`submit`.

    ``stored``: returns that as the form shows it. ``action`` and ``again`` take the fields, where
    those that somebody else alone has changed meanwhile are as stored. Where both have changed a
    field, ``again`` shows the two: EditConflict. ``partner_id``: as for ``edits.open_merge``.
    """

    def act() -> None:
        seen = request.form.get("version", "")
        with edits.open_merge(seen, stored, fields, partner_id) as merged:
            action(merged)

    def shown(refused: ServiceError) -> str:
        return again(refused, refused.merged if isinstance(refused, EditConflict) else fields)

    return submit(act, done, place, shown)


def find_version(stored: Mapping[str, Any], refused: ServiceError | None) -> str:
    """Return the version that a form with these values carries: after an error, the one that it
    came with, unless it has just shown what is stored. ``refused``: the error of this form."""
    if (
        refused is not None
        and not isinstance(refused, EditConflict)
        and request.form.get("version")
    ):
        return request.form["version"]
    return edits.compute_version(stored)


def press(action: Callable[[], object], done: str | Callable[[], str], place: str):
    """Perform the action of a button, and redirect to the page ``place`` with a message.

    ``done``: the message, or a function that returns it after the action. If the action is refused,
    the message says why.
    """
    try:
        check_sent()
        action()
        flash(done() if callable(done) else done, "good")
    except ServiceError as refused:
        if refused.status in _NEVER_MENDED:
            raise
        flash(
            _PRESS_AGAIN if isinstance(refused, FilledAgain) else refused.message,
            getattr(refused, "tone", "bad"),
        )
    return redirect(place, 303)


def retry_after(refused: ServiceError) -> dict[str, str]:
    """Return the Retry-After header of an error that has one."""
    return {} if refused.retry_after is None else {"Retry-After": str(refused.retry_after)}


def make_older_page_url(endpoint: str, listed: dict, **values) -> str | None:
    """Return the URL of the next page of a list with its filters; None if there is none."""
    if not listed["hasMore"]:
        return None
    filters = {name: value for name, value in request.args.items() if name != "cursor" and value}
    return access.link(endpoint, **{**filters, **values, "cursor": listed["nextCursor"]})
