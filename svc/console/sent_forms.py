"""A form that is sent twice is carried out once: the second press of a button gets the answer to
the first.

Every form has a token of its page. Token, address and fields identify what was sent: other fields
are another form.
"""

import hashlib
import json
import threading
import uuid

from flask import Response, current_app, flash, g, redirect, request, session
from flask_wtf.csrf import generate_csrf
from markupsafe import Markup

from svc.base import ids
from svc.console import access, one_time_secrets
from svc.domain.people import sent_forms

_TOKENS = ("csrf_token", "once")  # fields that are not of what was typed
_FLASHES = "_flashes"  # where Flask keeps the messages for the next page
_CHUNK = 2**16  # bytes of a file that are read at a time
_waiting = threading.Event().wait  # nobody sets it
_WAITS, _WAIT_SECONDS = 200, 0.05  # while the first is being answered


def hidden_fields() -> Markup:
    """Return the hidden fields that every form with changes contains:
    against cross-site requests, and :func:`hidden_field`.
    """
    return Markup('<input type="hidden" name="csrf_token" value="{}">{}').format(
        generate_csrf(), hidden_field()
    )


def hidden_field() -> Markup:
    """Return the hidden field with the token of this page."""
    if "once" not in g:
        g.once = str(uuid.uuid4())
    return Markup('<input type="hidden" name="once" value="{}">').format(g.once)


def begin_form():
    """Return the answer to the first, for a form that is sent again; None: it is the first.

    Conflict: nobody knows what the first has done. RequestInProgress: it is not answered yet.
    """
    token = ids.normalise(request.form.get("once", "")) if request.method == "POST" else None
    if token is None or g.get("viewer") is None:
        return None
    if getattr(current_app.view_functions[request.endpoint or ""], "repeatable", False):
        g.once = token  # stays on the page, to continue with
        return None
    form_hash = sent_forms.hash_form(access.viewer().own_id, token, _digest())
    for _ in range(_WAITS):
        answer = sent_forms.begin(access.viewer().own_id, form_hash, access.now())
        if answer is True:
            g.sent_form = form_hash
            return None
        if answer is not None:
            return _repeat_answer(json.loads(answer))
        _waiting(_WAIT_SECONDS)
    raise sent_forms.make_in_progress_error()


def end_form(response: Response) -> Response:
    """Keep the answer to a form that was carried out, which is a redirect;
    one that was refused may be sent again.
    """
    form_hash = g.pop("sent_form", None)
    if form_hash is None:
        return response
    answer: str | None = None
    if response.status_code == 303:
        shown = {
            "location": response.headers["Location"],
            "flashes": session.get(_FLASHES, []),
            "reveal": one_time_secrets.read_sealed_secret(),
        }
        answer = json.dumps(shown)
    elif response.status_code >= 500 and response.status_code != 503:
        answer = sent_forms.UNKNOWN
    sent_forms.end(form_hash, answer)
    return response


def _repeat_answer(first: dict):
    """Return the first answer again, with the messages and secrets of the page that it leads to."""
    session[_FLASHES] = [tuple(each) for each in first["flashes"]]
    flash("You sent this form twice; it was carried out once.", "info")
    one_time_secrets.keep_sealed_secret(first["reveal"])
    return redirect(first["location"], 303)


def _digest() -> bytes:
    """Return a digest of the address, the fields and the files."""
    digest = hashlib.sha256(request.full_path.encode())
    typed = [(name, value) for name, value in request.form.items(multi=True) if name not in _TOKENS]
    digest.update(json.dumps(typed).encode())
    for name, file in request.files.items(multi=True):
        digest.update(json.dumps([name, file.filename]).encode())
        while chunk := file.stream.read(_CHUNK):
            digest.update(chunk)
        file.stream.seek(0)
    return digest.digest()
