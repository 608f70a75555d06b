"""The user's own second factor: set-up with a QR code, recovery codes, and turning it off."""

from flask import g, redirect, render_template
from markupsafe import Markup

from svc.base.errors import ServiceError
from svc.console import access, forms, one_time_secrets
from svc.console.page_blueprint import make_section
from svc.domain.people import second_factor, users

pages = make_section("second_factor", "/profile/second-factor")


@pages.get("")
@access.allow_without_second_factor
def index():
    return _page()


@pages.post("/begin")
@access.allow_members
@access.allow_without_second_factor
def begin():
    def start():
        users.confirm_password(
            access.viewer(), forms.read_fields("present")["present"], access.now()
        )
        second_factor.begin_setup(access.viewer(), access.service().ring, access.now())

    return forms.submit(
        start,
        "Scan the QR code with your app, and enter the code that it shows.",
        _page_url(),
        _page,
    )


@pages.post("/confirm")
@access.allow_members
@access.allow_without_second_factor
def confirm():
    return _show_codes(
        lambda: second_factor.confirm_setup(
            access.viewer(), _code(), access.service().ring, access.now(), g.session_id
        )
    )


@pages.post("/codes")
@access.allow_members
def renew():
    return _show_codes(lambda: _run_with_proof(second_factor.renew_codes))


@pages.post("/off")
@access.allow_members
def turn_off():
    return forms.submit(
        lambda: _run_with_proof(second_factor.turn_off),
        "The second factor is off.",
        access.link("profile.index"),
        _page,
    )


def _run_with_proof(action):
    """Perform an action that requires both the password and a code.

    InvalidRequest, TooManySignIns.
    """
    users.confirm_password(access.viewer(), forms.read_fields("present")["present"], access.now())
    return action(access.viewer(), _code(), access.service().ring, access.now())


def _code() -> str:
    return forms.read_fields("code")["code"]


def _show_codes(action):
    """Show the recovery codes that ``action`` returns on the page,
    once: a reload neither shows them again nor makes others.
    """
    try:
        codes = action()
    except ServiceError as refused:
        return _page(refused), refused.status, forms.retry_after(refused)
    one_time_secrets.keep_secret(pages.name, {"codes": codes})
    return redirect(_page_url(), 303)


def _page_url() -> str:
    return access.link("second_factor.index")


def _page(error: ServiceError | None = None):
    person = access.viewer()
    at = access.now()
    codes = (one_time_secrets.take_secret(pages.name) or {}).get("codes")
    is_on = second_factor.is_on(person.own_id)
    waiting = None if is_on else second_factor.find_pending_setup(person, access.service().ring, at)
    return render_template(
        "second_factor.html",
        title="Second factor",
        error=error,
        codes=codes,
        is_on=is_on,
        secret=waiting and waiting[0],
        qr=waiting and _qr(waiting[1]),
        left=second_factor.count_recovery_codes(person.own_id),
        required=access.lacks_second_factor(),
        crumbs=[("Profile", "/console/profile"), ("Second factor", None)],
    )


def _qr(address: str) -> Markup:
    """Return the QR code as inline SVG, which needs no URL and no script."""
    import segno  # when a user sets up a second factor, not at the start of every process

    drawn = segno.make(address, error="m", micro=False)
    image = drawn.svg_inline(scale=4, light="#fff", svgclass="qr", lineclass=None, omitsize=True)
    return Markup(image)  # noqa: S704 - ours
