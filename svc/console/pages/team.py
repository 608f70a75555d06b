"""The users of a partner and their invitations; for operators also those of other partners,
and the operators.
"""

from flask import redirect, render_template, request

from svc.base import clock
from svc.base.errors import NotFound, ServiceError
from svc.console import access, forms, one_time_secrets
from svc.console.page_blueprint import make_section
from svc.domain.partners import create as create_partner
from svc.domain.people import second_factor, users

pages = make_section("team", "/settings/people")


@pages.get("")
def index():
    return _page()


@pages.post("/invite")
@access.owner_only
@access.keep_form
def invite():
    fields, partner_id = forms.read_fields("email", "role"), _partner()
    try:
        forms.check_sent()
        token = users.invite(
            access.viewer().actor,
            fields["role"],
            partner_id,
            access.now(),
            email=fields["email"] or None,
        )
    except ServiceError as refused:
        return _page(refused, fields), refused.status
    return _show_link_once(
        token,
        fields["email"] or "anyone who has it",
        f"{users.INVITATION // clock.DAY} days",
        partner_id,
    )


@pages.post("/invitations/<invitation_id>/withdraw")
@access.owner_only
def withdraw(invitation_id: str):
    partner_id = _partner()
    return forms.press(
        lambda: users.withdraw(access.viewer().actor, invitation_id, partner_id, access.now()),
        "The invitation is withdrawn; its link no longer works.",
        _people_url(partner_id),
    )


@pages.post("/<user_id>/role")
@access.owner_only
def change_role(user_id: str):
    row = users.find_colleague(access.viewer(), user_id)
    role = request.form.get("role", "")
    return forms.press(
        lambda: users.change(access.viewer().actor, user_id, access.now(), role=role),
        f"{row['name']} is {'an owner' if role == 'owner' else 'a member'} now.",
        _people_url(row["partner_id"]),
    )


@pages.post("/<user_id>/disable")
@access.owner_only
def disable(user_id: str):
    row = users.find_colleague(access.viewer(), user_id)
    off = request.form.get("disabled") == "on"
    return forms.press(
        lambda: users.change(access.viewer().actor, user_id, access.now(), disabled=off),
        f"{row['name']} {'can no longer sign in' if off else 'can sign in again'}.",
        _people_url(row["partner_id"]),
    )


@pages.post("/<user_id>/password-link")
@access.owner_only
def password_link(user_id: str):
    row = users.find_colleague(access.viewer(), user_id)
    try:
        token = users.invite(
            access.viewer().actor,
            row["role"],
            row["partner_id"],
            access.now(),
            email=row["email"],
            user_id=user_id,
        )
    except ServiceError as refused:
        return _page(refused, partner_id=row["partner_id"]), refused.status
    return _show_link_once(
        token,
        f"{row['name']}, for a new password",
        f"{users.PASSWORD_LINK // clock.HOUR} hours",
        row["partner_id"],
    )


@pages.post("/<user_id>/second-factor-reset")
@access.operator_only
def reset_second_factor(user_id: str):
    row = users.find_colleague(access.viewer(), user_id)
    return forms.press(
        lambda: second_factor.reset(access.viewer().actor, user_id, access.now()),
        f"{row['name']} now signs in with only the password.",
        _people_url(row["partner_id"]),
    )


def _partner() -> str | None:
    """Return the partner whose users are shown: the user's own,
    or for an operator the one in the URL; None: operators.
    """
    viewer = access.viewer()
    partner_id = request.values.get("partner") or viewer.partner_id
    if partner_id != viewer.partner_id and not viewer.is_operator:
        raise NotFound()
    return partner_id


def _people_url(partner_id: str | None) -> str:
    return access.link("team.index", partner=partner_id if access.viewer().is_operator else None)


def _welcome_url(token: str) -> str:
    return f"{access.service().settings.base_url}{access.ROOT}/welcome/{token}"


def _show_link_once(token: str, about: str, ends: str, partner_id: str | None):
    """Show a link on the page of people, once: a reload neither shows it again nor
    makes another one.
    """
    one_time_secrets.keep_secret(
        pages.name, {"link": _welcome_url(token), "about": about, "ends": ends}
    )
    return redirect(_people_url(partner_id), 303)


def _page(
    error: ServiceError | None = None, fields: dict | None = None, partner_id: str | None = None
) -> str:
    partner_id = partner_id or _partner()
    return render_template(
        "team.html",
        title="People",
        error=error,
        given=fields or {},
        fresh=one_time_secrets.take_secret(pages.name),
        partner_id=partner_id,
        partner=create_partner.find_partner_name(partner_id) if partner_id else None,
        persons=users.list_users(partner_id),
        invited=users.list_invitations(partner_id, access.now()),
        may_manage=access.viewer().may_change,
        crumbs=[
            ("Partners", "/console/partners"),
            (create_partner.find_partner_name(partner_id), f"/console/partners/{partner_id}"),
            ("People", None),
        ]
        if partner_id and access.viewer().is_operator
        else None,
    )
