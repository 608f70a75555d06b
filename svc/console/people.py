"""Signing in and out, and the one-time links that make people."""

from urllib.parse import urlsplit

from flask import Blueprint, g, redirect, render_template, request, session

from svc.base.errors import InvalidRequest, NotFound, ServiceError, SignInFailed, TooManySignIns
from svc.console import access
from svc.console.section import section
from svc.domain import partners, people, sessions

pages = section("people")
front = Blueprint("front", __name__)  # outside the console


@front.get("/")
@front.get(access.ROOT)
def root():
    return redirect(access.base() + access.ROOT + "/", 302)


@pages.get("/sign-in")
@access.public
def sign_in():
    if g.viewer:
        return redirect(_next())
    return _sign_in_page(), 200


@pages.post("/sign-in")
@access.public
def sign_in_try():
    email, password = request.form.get("email", ""), request.form.get("password", "")
    address = request.remote_addr or "unknown"
    try:
        person = sessions.sign_in(email, password, address, access.device(email), access.now())
    except (SignInFailed, TooManySignIns) as refused:
        headers = {"Retry-After": str(refused.retry_after)} if refused.retry_after else {}
        return _sign_in_page(email, refused), refused.status, headers
    access.begin_session(person["id"])
    return access.remember_device(redirect(_next(), 303), person["id"])


@pages.post("/sign-out")
@access.everyone
def sign_out():
    sessions.end(access.viewer().id, g.session_id)
    session.clear()
    return redirect(access.link("people.sign_in"), 303)


@pages.get("/welcome/<token>")
@access.public
def welcome(token: str):
    return _welcome_page(token)


@pages.post("/welcome/<token>")
@access.public
def accept(token: str):
    given = {name: request.form.get(name, "") for name in ("email", "name", "password")}
    try:
        if given["password"] != request.form.get("again", ""):
            message = "The two passwords differ."
            raise InvalidRequest(message, fields={"again": [message]})
        user_id = people.accept(token, **given, now=access.now())
    except ServiceError as refused:
        if refused.status == 410:
            raise
        return _welcome_page(token, given, refused), refused.status
    access.begin_session(user_id)
    return access.remember_device(redirect(access.base() + access.ROOT + "/", 303), user_id)


@pages.route("/<path:rest>", methods=["GET", "POST"])
@access.everyone
def nothing(rest: str):
    if request.method == "GET" and rest.endswith("/"):
        return redirect(f"{access.base()}{access.ROOT}/{rest.strip('/')}", 308)
    raise NotFound()


def _sign_in_page(email: str = "", error: ServiceError | None = None) -> str:
    wanted = request.values.get("next", "")
    return render_template(
        "sign_in.html", email=email, error=error, wanted=wanted, first_run=not people.there_is_an_operator()
    )


def _welcome_page(token: str, given: dict | None = None, error: ServiceError | None = None) -> str:
    link = people.invitation(token, access.now())
    known = people.get(link["user_id"]) if link["user_id"] else None
    partner = partners.name(link["partner_id"]) if link["partner_id"] else None
    return render_template(
        "welcome.html", invited=link, known=known, partner=partner, given=given or {}, error=error
    )


def _next() -> str:
    """Where to go after signing in: a page of ours that was asked for, or the console's first."""
    wanted = urlsplit(request.values.get("next", ""))
    ours = not wanted.scheme and not wanted.netloc and wanted.path.startswith(f"{access.ROOT}/")
    if not ours or "\\" in wanted.path or "//" in wanted.path:
        return access.base() + access.ROOT + "/"
    return access.base() + wanted.path + (f"?{wanted.query}" if wanted.query else "")
