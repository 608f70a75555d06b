"""Sign-in and sign-out, and the one-time links with which users register."""

import functools
from urllib.parse import urlsplit

from flask import Blueprint, current_app, g, redirect, render_template, request, session
from werkzeug import wrappers

from svc.base import clock
from svc.base.errors import (
    InvalidRequest,
    NotFound,
    SecondFactorFailed,
    ServiceError,
    ServiceUnavailable,
    SignInFailed,
    SignInsBusy,
    TooManySignIns,
)
from svc.base.text import accent, logo
from svc.console import access, forms
from svc.console.page_blueprint import make_section
from svc.console.sign_in import background
from svc.domain.partners import create as create_partner
from svc.domain.people import password_reset, second_factor, sessions, users

pages = make_section("people")
front = Blueprint("front", __name__)  # outside the console


@front.get("/")
@front.get(access.ROOT)
def root():
    return redirect(access.get_base_path() + access.ROOT + "/", 302)


@pages.get("/accent.css")
@access.public
def accent_css() -> wrappers.Response:
    """Send the accent colour of the settings as a style sheet,
    for pages before the sign-in, too.
    """
    colour = access.service().settings.instance_accent
    if not colour:
        raise NotFound()
    answer = current_app.response_class(
        accent.write_style_sheet(colour), content_type="text/css; charset=utf-8"
    )
    answer.cache_control.public, answer.cache_control.max_age = True, 86400
    answer.add_etag()
    return answer.make_conditional(request)


@pages.get("/logo")
@access.public
def logo_file() -> wrappers.Response:
    """Send the logo of the settings, for pages before the sign-in, too.

    An SVG may load nothing and run nothing.
    """
    path = access.service().settings.instance_logo
    if path is None or not path.is_file():
        raise NotFound()
    content = path.read_bytes()
    answer = current_app.response_class(
        content, content_type=logo.detect_media_type(content) or "application/octet-stream"
    )
    answer.headers["Content-Security-Policy"] = (
        "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    )
    answer.cache_control.public, answer.cache_control.max_age = True, 3600
    answer.add_etag()
    return answer.make_conditional(request)


@pages.get("/sign-in")
@access.public
def sign_in():
    if g.viewer:
        return redirect(_find_next_page())
    return _sign_in_page(), 200


@pages.post("/sign-in")
@access.public
def sign_in_try():
    email, password = request.form.get("email", ""), request.form.get("password", "")
    address = request.remote_addr or "unknown"
    try:
        person = sessions.sign_in(
            email, password, address, access.find_known_device(email), access.now()
        )
    except (SignInFailed, TooManySignIns, SignInsBusy) as refused:
        return _sign_in_page(email, refused), refused.status, forms.retry_after(refused)
    return _enter(person, "password", _find_next_page())


@pages.get("/sign-in/code")
@access.public
def code():
    person = sessions.find_challenged_user(session.get("half_way"), access.now())
    if person is None:
        return redirect(access.link("people.sign_in", next=request.args.get("next") or None), 303)
    return _code_page(person)


@pages.post("/sign-in/code")
@access.public
def code_try():
    person, at = sessions.find_challenged_user(session.get("half_way"), access.now()), access.now()
    if person is None:
        return redirect(access.link("people.sign_in", next=request.form.get("next") or None), 303)
    address, typed = request.remote_addr or "unknown", request.form.get("code", "")
    try:
        proof = second_factor.use_code(
            person["id"],
            typed,
            address,
            access.find_known_device(person["email"]),
            access.service().ring,
            at,
        )
    except (SecondFactorFailed, TooManySignIns) as refused:
        return _code_page(person, refused), refused.status, forms.retry_after(refused)
    return _begin(person, f"password, {proof}", _find_next_page())


def _enter(person, proof: str, place: str):
    """Sign in a user whose password or link is right, or first ask for the code of
    the second factor.
    """
    if not second_factor.is_on(person["id"]):
        return _begin(person, proof, place)
    session["half_way"] = sessions.second_factor_challenge(person, access.now())
    return redirect(access.link("people.code", next=place), 303)


def _begin(person, proof: str, place: str):
    access.begin_session(person, proof)
    return access.remember_device(redirect(place, 303), person["id"])


def _code_page(person, error: ServiceError | None = None) -> str:
    address = request.values.get("next", "")
    return render_template("sign_in_code.html", person=person, error=error, wanted=address)


@pages.get("/sign-in/forgotten")
@access.public
def forgotten():
    return render_template("forgotten.html", can_mail=access.service().mail is not None, sent=False)


@pages.post("/sign-in/forgotten")
@access.public
def forgotten_try():
    """Send a link for a new password.

    The answer and its time are the same, whether or not anybody has this address.
    """
    service = access.service()
    email = request.form.get("email", "").strip()[:254]
    now = access.now()
    if service.mail is None:
        raise NotFound()
    try:
        password_reset.count(email, request.remote_addr or "unknown", now)
    except TooManySignIns as refused:
        page = render_template(
            "forgotten.html", can_mail=True, sent=False, email=email, error=refused
        )
        return page, refused.status, forms.retry_after(refused)
    mail = functools.partial(_mail_link, service.mail, service.settings)
    if not background.run_job(lambda: password_reset.send(email, mail, now)):
        busy = ServiceUnavailable(
            "Too many mails are being sent, so yours was not. Try again in a minute.",
            retry_after=60,
        )
        page = render_template("forgotten.html", can_mail=True, sent=False, email=email, error=busy)
        return page, busy.status, forms.retry_after(busy)
    return render_template("forgotten.html", can_mail=True, sent=True)


def _mail_link(mail, settings, recipient: str, token: str) -> bool:
    place = f"{settings.base_url}{access.ROOT}/welcome/{token}"
    minutes = password_reset.LIFETIME // clock.MINUTE
    text = (
        "Somebody, probably you, asked for a new password for "
        f"{settings.base_url}{access.ROOT}/\n\n"
        f"Set it here, within {minutes} minutes and once:\n{place}\n\n"
        "If it was not you, ignore this mail: your password has not changed.\n"
    )
    accepted: bool = mail(recipient, f"A new password for {settings.instance_name}", text)
    return accepted


@pages.post("/sign-out")
@access.allow_members
@access.allow_without_second_factor
def sign_out():
    sessions.sign_out(access.viewer(), g.session_id, access.now())
    access.end_session(access.viewer().own_id)
    return redirect(access.link("people.sign_in"), 303)


@pages.get("/welcome/<token>")
@access.public
def welcome(token: str):
    return _welcome_page(token)


@pages.post("/welcome/<token>")
@access.public
def accept(token: str):
    fields = {name: request.form.get(name, "") for name in ("email", "name", "password")}
    try:
        if fields["password"] != request.form.get("again", ""):
            message = "The two passwords differ."
            raise InvalidRequest(message, fields={"again": [message]})
        user_id = users.accept(token, **fields, now=access.now())
    except ServiceError as refused:
        if refused.status == 410:
            raise
        return _welcome_page(token, fields, refused), refused.status, forms.retry_after(refused)
    return _enter(users.get(user_id), "link", access.get_base_path() + access.ROOT + "/")


@pages.route("/<path:rest>", methods=["GET", "POST"])
@access.allow_members
def nothing(rest: str):
    if request.method == "GET" and rest.endswith("/"):
        return redirect(f"{access.get_base_path()}{access.ROOT}/{rest.strip('/')}", 308)
    raise NotFound()


def _sign_in_page(email: str = "", error: ServiceError | None = None) -> str:
    address = request.values.get("next", "")
    ended = access.has_session_ended() and bool(address)
    is_kept = ended and address.removeprefix(access.get_base_path()).startswith(access.KEPT)
    return render_template(
        "sign_in.html",
        email=email,
        error=error,
        wanted=address,
        first_run=not users.has_operator(),
        ended=ended,
        is_kept=is_kept,
    )


def _welcome_page(token: str, fields: dict | None = None, error: ServiceError | None = None) -> str:
    link = users.find_invitation(token, access.now())
    known = users.get(link["user_id"]) if link["user_id"] else None
    partner = create_partner.find_partner_name(link["partner_id"]) if link["partner_id"] else None
    return render_template(
        "welcome.html", invited=link, known=known, partner=partner, given=fields or {}, error=error
    )


def _find_next_page() -> str:
    """Return where to go after sign-in: the requested page of the console, or its first page."""
    address = urlsplit(request.values.get("next", "").removeprefix(access.get_base_path()))
    ours = not address.scheme and not address.netloc and address.path.startswith(f"{access.ROOT}/")
    if not ours or "\\" in address.path or "//" in address.path:
        return access.get_base_path() + access.ROOT + "/"
    return access.get_base_path() + address.path + (f"?{address.query}" if address.query else "")
