"""Access control of the console: sessions in a cookie, roles, and tokens against cross-site
requests.

Every page requires a signed-in user, and every change a user who may make changes, unless the view
is marked otherwise with one of the decorators below. The users of a partner that is not Active may
only view pages.
"""

from typing import cast
from urllib.parse import urlsplit

from flask import Blueprint, Flask, current_app, g, redirect, request, session, url_for
from flask.sessions import SecureCookieSessionInterface
from flask_wtf.csrf import CSRFError, CSRFProtect

from svc.base import threads
from svc.base.errors import NotFound, NotYours, PartnerNotActive
from svc.domain.people import kept_forms, second_factor, sessions
from svc.domain.people.identity import OWNER
from svc.domain.people.users import Viewer

ROOT = "/console"
LARGEST_FORM = 128 * 1024  # bytes
_DEVICE = "device"  # the cookie that identifies a browser that has signed in before
_DEVICE_SECONDS = 400 * 24 * 3600
KEPT = f"{ROOT}/kept"  # where forms are filled in again, and answers to forms are shown
_USER = "user"  # in the cookie: whose session it is, or was
# The fields of forms that are never kept.
_SECRETS = frozenset(("csrf_token", "once", "password", "again", "present", "code"))
_SAFE = frozenset(("GET", "HEAD", "OPTIONS"))

csrf = CSRFProtect()


class Section(Blueprint):
    """A blueprint of pages. ``access``: the rule for each of them that is not marked otherwise."""

    access: str | None = None


def public(view):
    """Mark a view that does not require a signed-in user."""
    view.access = "public"
    return view


def allow_members(view):
    """Mark a view that changes only the user's own data, so that members may use it too."""
    view.access = "everyone"
    return view


def owner_only(view):
    """Mark a view for owners of a partner and operators."""
    view.access = "owner"
    return view


def operator_only(view):
    """Mark a view for operators only."""
    view.access = "operator"
    return view


def allow_without_second_factor(view):
    """Mark a view that an operator may open without the second factor that the settings require."""
    view.enrols = True
    return view


def repeatable(view):
    """Mark a view whose action continues, by the token of its form,
    what an earlier one has begun.
    """
    view.repeatable = True
    return view


def keep_form(view):
    """Mark a view whose form is filled in again after a sign-in, if the session had ended when it
    was sent.

    It calls ``forms.check_sent`` before it does anything, as ``forms.submit`` does.
    """
    view.keeps_form = True
    return view


def allow_form_size(size: int):
    """Mark a view whose form may have this many bytes instead of :data:`LARGEST_FORM`."""

    def decorate(view):
        view.takes = size
        return view

    return decorate


def viewer() -> Viewer:
    """Return the signed-in user. Only for views that are not public."""
    return g.viewer


def name_thread_owner() -> str:
    """Return who the threads are charged to, as svc.base.threads has it: the partner,
    or an operator's session.
    """
    return viewer().partner_id or f"session {g.session_id}"


def now() -> int:
    """Return the current time of the application's clock, in milliseconds."""
    return service().clock()


def service():
    """Return the service of the current application: settings, key ring, storage, clock."""
    return current_app.extensions["svc"]


def get_base_path() -> str:
    """Return the path prefix under which a proxy serves the application; empty without one."""
    return str(service().settings.base_path)


def link(endpoint: str, **values) -> str:
    """Return the path of a page as the browser sees it."""
    return get_base_path() + url_for(endpoint, **values)


def require_reachable(partner_id: str | None) -> None:
    """Check that the user may access the partner. NotFound: the user may not."""
    if not viewer().sees(partner_id):
        raise NotFound()


def check():
    """Check access before each page; return None to continue, or a response to send instead.

    Raises:
        RateLimitExceeded: The partner, or an operator's session, holds its share of the threads.
        NotYours: The role does not permit it.
        PartnerNotActive: The partner's users may only view pages.
    """
    active = sessions.find_by_token(session["token"], now()) if "token" in session else None
    g.viewer, g.session_id = active or (None, None)
    if g.viewer is not None:
        threads.thread_shares.remember_owner(
            threads.sign_of_secret(request.cookies["session"].encode()), name_thread_owner()
        )
        threads.thread_shares.charge_request(name_thread_owner())
    view, rule = current_app.view_functions[request.endpoint or ""], _rule()
    request.max_content_length = getattr(view, "takes", LARGEST_FORM)
    if rule != "public":  # before any of the body is read
        if g.viewer is None:
            return _redirect_to_sign_in()
        if lacks_second_factor() and not getattr(view, "enrols", False):
            return _redirect(link("second_factor.index"))
        _check_role(g.viewer, rule, sends=request.method not in _SAFE)
    if request.method not in _SAFE and request.headers.get("Sec-Fetch-Site") == "cross-site":
        raise CSRFError("The form was sent by another site.")
    csrf.protect()
    g.is_checked = True
    return None


def check_role() -> None:
    """Check whether the signed-in user may send a form to the present view.

    NotYours; PartnerNotActive.
    """
    _check_role(viewer(), _rule(), sends=True)


def _rule() -> str | None:
    view = current_app.view_functions[request.endpoint or ""]
    rule: str | None = getattr(
        view, "access", cast(Section, current_app.blueprints[request.blueprint or ""]).access
    )
    return rule


def lacks_second_factor() -> bool:
    """Return whether this user must set up a second factor first."""
    required = service().settings.operator_totp == "required" and viewer().is_operator
    return required and not second_factor.is_on(viewer().own_id)


def _check_role(person: Viewer, rule: str | None, sends: bool) -> None:
    if rule == "operator" and not person.is_operator:
        raise NotYours("Only operators of this service can open this page.")
    if rule == "owner" and not (person.is_operator or person.role == OWNER):
        raise NotYours("Only owners of your partner account may do this; ask one of them.")
    if rule != "everyone" and sends and not person.partner_is_active:
        raise PartnerNotActive(
            f"Your partner account is {person.partner_status}: you can view everything but change "
            "nothing. Ask the operator to activate it."
        )
    if rule is None and sends and not person.may_change:
        raise NotYours(
            "As a member you can view everything in your partner account; ask an owner to make "
            "changes."
        )


def _redirect_to_sign_in():
    return _redirect(link("people.sign_in", next=_keep_form() or _next_page()))


def _keep_form() -> str | None:
    """Keep what a user typed whose session has ended, without secrets;
    return the page that shows it again. None: not kept.
    """
    user_id, view = session.get(_USER), current_app.view_functions[request.endpoint or ""]
    is_small = 0 < (request.content_length or 0) <= kept_forms.LARGEST
    # Besides, the cookie is not sent with the forms of other sites.
    is_ours = request.headers.get("Sec-Fetch-Site", "same-origin") == "same-origin"
    if (
        request.method != "POST"
        or user_id is None
        or not (getattr(view, "keeps_form", False) and is_small and is_ours)
    ):
        return None
    secret = _SECRETS.union(*(kind.secrets for kind in service().connections.connectors.values()))
    fields = [(name, value) for name, value in request.form.items(multi=True) if name not in secret]
    form: kept_forms.Form = {"address": request.full_path.rstrip("?"), "fields": fields}
    token = kept_forms.keep(service().ring, user_id, form, now())
    return f"{KEPT}/{token}" if token else None


def _redirect(place: str):
    if request.headers.get("HX-Request"):
        return "", 401, {"HX-Redirect": place}
    return redirect(place, 303)


def _next_page() -> str | None:
    """Return the page to continue with after sign-in: the requested one,
    or the page that requested a part of itself.
    """
    shown = urlsplit(request.headers.get("HX-Current-URL", ""))
    if shown.path:
        path = shown.path.removeprefix(get_base_path()) + (f"?{shown.query}" if shown.query else "")
    else:
        path = request.full_path.rstrip("?") if request.method == "GET" else _page_of_button()
    return path if path.rstrip("/") != ROOT else None


def _page_of_button() -> str:
    """Return the page on which a button was pressed."""
    sender = urlsplit(request.headers.get("Referer", ""))
    path = sender.path.removeprefix(get_base_path()) + (f"?{sender.query}" if sender.query else "")
    return path if sender.netloc == request.host and path.startswith(f"{ROOT}/") else ROOT


def has_session_ended() -> bool:
    """Return whether the session of this browser's user has ended by itself, or in another tab."""
    return g.viewer is None and _USER in session


def end_session(user_id: str) -> None:
    """Forget the session in this browser, but not whose it was:
    the forms in other tabs are kept for them.
    """
    session.clear()
    session[_USER] = user_id


def begin_session(person, proof: str) -> None:
    """Start a session for the user in ``row`` and end any earlier one, against session fixation.
    ``proof``: as svc.domain.people.sessions.begin has it."""
    session.clear()
    session.permanent = True
    session[_USER] = person["id"]
    session["token"] = sessions.begin(
        person, request.remote_addr or "", request.user_agent.string, now(), proof=proof
    )


def remember_device(response, user_id: str):
    """Set a cookie in ``response`` that identifies the browser at the next sign-in of the user."""
    response.set_cookie(
        _DEVICE,
        sessions.make_device_mark(service().ring, user_id),
        max_age=_DEVICE_SECONDS,
        path=get_base_path() + ROOT,
        secure=_is_https(),
        httponly=True,
        samesite="Lax",
    )
    return response


def find_known_device(email: str) -> str | None:
    """Return the name of this browser if the user has signed in with it before."""
    mark = request.cookies.get(_DEVICE, "")
    return sessions.find_known_device(service().ring, email, mark) if mark else None


def install(app: Flask) -> None:
    """Install the console's sessions and form tokens in an application."""
    app.session_interface = _ConsoleSessions()
    app.config.update(
        SESSION_COOKIE_NAME="session",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_REFRESH_EACH_REQUEST=False,
        PERMANENT_SESSION_LIFETIME=sessions.LONGEST // 1000,
        WTF_CSRF_CHECK_DEFAULT=False,  # the API needs no tokens, as it has no cookies
        WTF_CSRF_TIME_LIMIT=None,  # as long as the session
        WTF_CSRF_SSL_STRICT=False,  # the token suffices; browsers may withhold the referrer
    )
    csrf.init_app(app)


def configure(app: Flask) -> None:
    """Set what the sessions take from the settings and master keys of the application's service."""
    at = app.extensions["svc"]
    _follow_key_ring(app)
    app.config.update(
        SESSION_COOKIE_PATH=at.settings.base_path + ROOT,
        SESSION_COOKIE_SECURE=at.settings.base_url.startswith("https:"),
    )


class _ConsoleSessions(SecureCookieSessionInterface):
    """Flask's sessions, only for the console's pages, so that they cost the
    API's requests nothing.
    """

    def open_session(self, app, request):
        if not request.path.startswith(ROOT):
            return None
        _follow_key_ring(app)
        return super().open_session(app, request)


def _follow_key_ring(app: Flask) -> None:
    """Sign cookies with the newest master key, and accept signatures of all keys that
    are not retired.
    """
    ring = app.extensions["svc"].ring
    newest, *others = (ring.derive("console sessions", version) for version in ring.versions)
    app.secret_key, app.config["SECRET_KEY_FALLBACKS"] = newest, others


def _is_https() -> bool:
    return service().settings.base_url.startswith("https:")
