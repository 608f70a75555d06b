"""The user's own profile: password and sessions."""

from flask import flash, g, redirect, render_template

from svc.base.errors import InvalidRequest, ServiceError
from svc.console import access, forms
from svc.console.page_blueprint import make_section
from svc.domain.people import second_factor, sessions, users

pages = make_section("profile", "/profile")


@pages.get("")
def index():
    return _page()


@pages.post("/password")
@access.allow_members
def change_password():
    fields = forms.read_fields("present", "password", "again")

    def change():
        if fields["password"] != fields["again"]:
            message = "The two passwords differ."
            raise InvalidRequest(message, fields={"again": [message]})
        users.change_password(
            access.viewer(), fields["present"], fields["password"], access.now(), g.session_id
        )

    return forms.submit(
        change, "The password is changed; all other sessions have ended.", _page_url(), _page
    )


@pages.post("/sessions/<session_id>/end")
@access.allow_members
def end(session_id: str):
    viewer = access.viewer()
    return forms.press(
        lambda: sessions.end(viewer.own_id, session_id, viewer.actor, access.now()),
        "The session has ended.",
        _page_url(),
    )


@pages.post("/sessions/end-others")
@access.allow_members
def end_others():
    ended = sessions.end_others(
        access.viewer().own_id, g.session_id, access.viewer().actor, access.now()
    )
    flash(f"{ended} other session{'' if ended == 1 else 's'} ended.", "good")
    return redirect(_page_url(), 303)


def _page_url() -> str:
    return access.link("profile.index")


def _page(error: ServiceError | None = None) -> str:
    opened = sessions.list_sessions(access.viewer().own_id, access.now())
    return render_template(
        "profile.html",
        title="Profile",
        sessions=opened,
        present=g.session_id,
        error=error,
        has_second_factor=second_factor.is_on(access.viewer().own_id),
        codes_left=second_factor.count_recovery_codes(access.viewer().own_id),
    )
