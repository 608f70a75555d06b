"""API keys: users create, rotate and revoke test keys; operators create activation keys
for live keys.
"""

import json

from flask import redirect, render_template, request

from svc.base.errors import NotFound, ServiceError
from svc.console import access, forms, one_time_secrets, query_args
from svc.console.page_blueprint import make_section
from svc.domain import scopes
from svc.domain.access import key_admin, key_limits
from svc.domain.partners import create as create_partner
from svc.domain.partners import search as partner_search

pages = make_section("api_keys", "/settings/keys")


@pages.get("")
def index():
    return _page()


@pages.post("")
@access.owner_only
@access.keep_form
def make():
    fields = _read_form()
    _partner()
    try:
        forms.check_sent()
        _, key = key_admin.create_test_key(
            access.viewer(),
            fields["name"],
            fields["scopes"],
            access.service().platforms,
            access.now(),
            limits=_limits(fields),
        )
    except ServiceError as refused:
        return _page(refused, fields), refused.status
    return _reveal_key({"key": key, "kind": "test"})


@pages.post("/activations")
@access.operator_only
@access.keep_form
def activate():
    fields, partner_id = _read_form(), request.form.get("partner", "")
    permitted = request.form.getlist("permitted")
    try:
        forms.check_sent()
        key = key_admin.create_activation_key(
            access.viewer().actor,
            partner_id,
            fields["name"],
            fields["scopes"],
            access.now(),
            permitted or None,
            _limits(fields),
        )
    except ServiceError as refused:
        return _page(refused, fields), refused.status
    return _reveal_key({"key": key, "kind": "activation"})


@pages.post("/activations/<activation_id>/withdraw")
@access.operator_only
def withdraw(activation_id: str):
    return forms.press(
        lambda: key_admin.withdraw_activation(access.viewer().actor, activation_id, access.now()),
        "The activation key is withdrawn.",
        _page_url(),
    )


@pages.post("/<key_id>/revoke")
@access.owner_only
def revoke(key_id: str):
    too, done = request.form.get("successors") == "on", []
    return forms.press(
        lambda: done.append(
            key_admin.revoke(access.viewer(), key_id, access.now(), with_successors=too)
        ),
        lambda: done[0].sentence,
        _page_url(),
    )


@pages.post("/<key_id>/rotate")
@access.owner_only
def rotate(key_id: str):
    try:
        rotation = key_admin.rotate(access.viewer(), key_id, access.now())
    except ServiceError as refused:
        if refused.status == 404:
            raise
        return _page(refused), refused.status
    kind = "live" if rotation["apiKey"].startswith("svc_live_") else "test"
    return _reveal_key(
        {"key": rotation["apiKey"], "kind": kind, "previous": rotation["previousKeyPrefix"]}
    )


def _reveal_key(fresh: dict):
    """Show a new key on the page of keys, once: a reload neither shows it again nor
    makes another one.
    """
    one_time_secrets.keep_secret(pages.name, fresh)
    return redirect(_page_url(), 303)


def _read_form() -> dict:
    return {
        **forms.read_fields("name", "expires", "ranges"),
        "scopes": request.form.getlist("scopes"),
    }


def _limits(fields: dict) -> key_limits.Limits:
    return key_limits.parse_limits(fields["expires"], fields["ranges"], access.now())


def _partner() -> str | None:
    """Return the partner whose keys are shown: the user's own.

    For an operator that of the form or the URL, or the only one; None: it has to be chosen.
    """
    viewer = access.viewer()
    if viewer.is_operator:
        shown_partner = query_args.selected_partner_of_form()
        return request.form.get("partner") or (
            shown_partner.partner_id if shown_partner.name else None
        )
    partner_id = request.values.get("partner") or viewer.partner_id
    if partner_id is not None and not viewer.sees(partner_id):
        raise NotFound()
    return partner_id


def _page_url() -> str:
    return access.link(
        "api_keys.index", partner=_partner() if access.viewer().is_operator else None
    )


def _page(error: ServiceError | None = None, fields: dict | None = None) -> str:
    viewer, partner_id, at = access.viewer(), _partner(), access.now()
    if partner_id is None:
        return render_template(
            "keys_of_whom.html",
            title="API keys",
            shown_partner=query_args.selected_partner_of_form(),
        )
    name = create_partner.find_partner_name(partner_id)
    listed_keys = key_admin.list_keys(partner_id)
    listed = [
        {
            **key,
            "state": key_admin.find_key_state(key, at),
            "may": key_admin.list_scopes(key),
            "ranges": json.loads(key["allowed_ranges"] or "[]"),
            "ends_soon": (key["expires_at"] or 2**62) < at + key_limits.WARNING,
            "successors": [
                f"{each['prefix']}…" for each in key_admin.list_successors(key["id"], at)
            ]
            if key["rotated_to"]
            else [],
        }
        for key in listed_keys
    ]
    return render_template(
        "api_keys.html",
        title="API keys",
        keys=listed,
        error=error,
        given=fields or {},
        fresh=one_time_secrets.take_secret(pages.name),
        all_scopes=scopes.MEANINGS,
        read_only=scopes.READ_ONLY,
        activations=key_admin.list_activation_keys(partner_id, at),
        partner_id=partner_id,
        partner=name,
        live_accounts=partner_search.list_rows("account", partner_id=partner_id, environment="live")
        if viewer.is_operator
        else [],
        crumbs=[
            ("Partners", "/console/partners"),
            (name, f"/console/partners/{partner_id}"),
            ("API keys", None),
        ]
        if viewer.is_operator
        else None,
    )
