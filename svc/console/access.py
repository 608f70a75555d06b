"""Who may see which page: sessions in a cookie, roles, and tokens against cross-site requests.

Every page needs a person who is signed in, and whatever changes something needs one who may change things, unless its view is
marked otherwise with one of the decorators below. People of a partner that is not Active look and change nothing.
"""

from typing import cast
from urllib.parse import urlsplit

from flask import Blueprint, Flask, current_app, g, redirect, request, session, url_for
from flask.sessions import SecureCookieSessionInterface
from flask_wtf.csrf import CSRFError, CSRFProtect

from svc.base.errors import NotFound, NotYours, PartnerNotActive
from svc.domain import second_factor, sessions
from svc.domain.people import OWNER, Viewer

ROOT = "/console"
LARGEST_FORM = 128 * 1024  # bytes
UPLOAD = 9 * 1024 * 1024  # of a form with a picture in it
_DEVICE = "device"  # the cookie by which a browser that has signed in before is known
_DEVICE_SECONDS = 400 * 24 * 3600
_SAFE = frozenset(("GET", "HEAD", "OPTIONS"))

csrf = CSRFProtect()


class Section(Blueprint):
    """A blueprint of pages. ``access``: the rule for each of them that is not marked otherwise."""

    access: str | None = None


def public(view):
    """Mark a view that needs nobody to be signed in."""
    view.access = "public"
    return view


def everyone(view):
    """Mark a view that changes only what is its viewer's own: members may use it too."""
    view.access = "everyone"
    return view


def owner_only(view):
    """Mark a view for the owners of a partner, and operators."""
    view.access = "owner"
    return view


def operator_only(view):
    """Mark a view for operators alone."""
    view.access = "operator"
    return view


def enrols(view):
    """Mark a view that an operator reaches without the second factor that the settings require."""
    view.enrols = True
    return view


def takes(size: int):
    """Mark a view whose form may have so many bytes; others take :data:`LARGEST_FORM`."""

    def decorate(view):
        view.takes = size
        return view

    return decorate


def viewer() -> Viewer:
    """The person who is signed in. For views that are not public."""
    return g.viewer


def now() -> int:
    """The present, by the application's clock."""
    return service().clock()


def service():
    """The service of the present application: settings, ring, storage, clock."""
    return current_app.extensions["svc"]


def base() -> str:
    """What stands before every path where a proxy serves us below its root; else empty."""
    return urlsplit(service().settings.base_url).path


def link(endpoint: str, **values) -> str:
    """The path of a page, as a browser sees it."""
    return base() + url_for(endpoint, **values)


def reachable(partner_id: str | None) -> None:
    """NotFound: what belongs to that partner is out of the viewer's reach."""
    if not viewer().sees(partner_id):
        raise NotFound()


def check():
    """Before each page: None lets it through, a response stands in for it. NotYours: the role is not enough.
    PartnerNotActive: the partner's people may look alone."""
    found = sessions.find(session["token"], now()) if "token" in session else None
    g.viewer, g.session_id = found or (None, None)
    view = current_app.view_functions[request.endpoint or ""]
    rule = getattr(view, "access", cast(Section, current_app.blueprints[request.blueprint or ""]).access)
    request.max_content_length = getattr(view, "takes", LARGEST_FORM)
    if rule != "public":  # before anything of the body is read
        if g.viewer is None:
            return _to_sign_in()
        if lacks_second_factor() and not getattr(view, "enrols", False):
            return _elsewhere(link("second_factor.index"))
        _check_role(g.viewer, rule)
    if request.method not in _SAFE and request.headers.get("Sec-Fetch-Site") == "cross-site":
        raise CSRFError("The form was sent by another site.")
    csrf.protect()
    return None


def lacks_second_factor() -> bool:
    """Whether this person must set up a second factor before anything else."""
    required = service().settings.operator_totp == "required" and viewer().is_operator
    return required and not second_factor.is_on(viewer().own_id)


def _check_role(person: Viewer, rule: str | None) -> None:
    if rule == "operator" and not person.is_operator:
        raise NotYours("Only operators of this service reach this page.")
    if rule == "owner" and not (person.is_operator or person.role == OWNER):
        raise NotYours("Only owners of your partner account may do this; ask one of them.")
    if rule != "everyone" and request.method not in _SAFE and not person.partner_is_active:
        raise PartnerNotActive(
            f"Your partner account is {person.partner_status}: you may look at everything, and change nothing. "
            "Ask the operator to activate it."
        )
    if rule is None and request.method not in _SAFE and not person.may_change:
        raise NotYours("As a member you may look at everything of your partner account; ask an owner to change it.")


def _to_sign_in():
    return _elsewhere(link("people.sign_in", next=_wanted()))


def _elsewhere(place: str):
    if request.headers.get("HX-Request"):
        return "", 401, {"HX-Redirect": place}
    return redirect(place, 303)


def _wanted() -> str | None:
    """The page to go on with after signing in: what was asked for, or the page that asked for a part of itself."""
    shown = urlsplit(request.headers.get("HX-Current-URL", ""))
    if shown.path:
        path = shown.path.removeprefix(base()) + (f"?{shown.query}" if shown.query else "")
    else:
        path = request.full_path.rstrip("?") if request.method == "GET" else ROOT
    return path if path.rstrip("/") != ROOT else None


def begin_session(person, proof: str) -> None:
    """Sign this browser in as that person (a row); what it had before ends, so that nobody can plant a session. ``proof``: as
    svc.domain.sessions.begin has it."""
    session.clear()
    session.permanent = True
    session["token"] = sessions.begin(person, request.remote_addr or "", request.user_agent.string, now(), proof=proof)


def remember_device(response, user_id: str):
    """Let the browser of ``response`` be known at the next sign-in of that person."""
    response.set_cookie(
        _DEVICE, sessions.device_mark(service().ring, user_id), max_age=_DEVICE_SECONDS, path=base() + ROOT,
        secure=_is_https(), httponly=True, samesite="Lax",
    )  # fmt: skip
    return response


def device(email: str) -> str | None:
    """The name of this browser if that person has signed in with it before."""
    mark = request.cookies.get(_DEVICE, "")
    return sessions.known_device(service().ring, email, mark) if mark else None


def install(app: Flask) -> None:
    """Sessions and tokens of the console, for an application that has its service."""
    at = app.extensions["svc"]
    _follow_key_ring(app)
    app.session_interface = _ConsoleSessions()
    app.config.update(
        SESSION_COOKIE_NAME="session",
        SESSION_COOKIE_PATH=urlsplit(at.settings.base_url).path + ROOT,
        SESSION_COOKIE_SECURE=at.settings.base_url.startswith("https:"),
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_REFRESH_EACH_REQUEST=False,
        PERMANENT_SESSION_LIFETIME=sessions.LONGEST // 1000,
        WTF_CSRF_CHECK_DEFAULT=False,  # the API needs none: it has no cookie
        WTF_CSRF_TIME_LIMIT=None,  # as long as the session
        WTF_CSRF_SSL_STRICT=False,  # the token suffices; browsers may keep the referrer to themselves
    )
    csrf.init_app(app)


class _ConsoleSessions(SecureCookieSessionInterface):
    """Flask's, for the console's pages alone: the API's requests pay nothing for it."""

    def open_session(self, app, request):
        if not request.path.startswith(ROOT):
            return None
        _follow_key_ring(app)
        return super().open_session(app, request)


def _follow_key_ring(app: Flask) -> None:
    """Sign cookies with the newest master key and believe those of the others: none that has been retired."""
    ring = app.extensions["svc"].ring
    newest, *others = (ring.derive("console sessions", version) for version in ring.versions)
    app.secret_key, app.config["SECRET_KEY_FALLBACKS"] = newest, others


def _is_https() -> bool:
    return service().settings.base_url.startswith("https:")
