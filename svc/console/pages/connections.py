"""The places to which accounts are connected: owners and operators add, try,
renew and remove them.
"""

import json
from collections.abc import Callable

from flask import flash, make_response, redirect, render_template, request, url_for
from werkzeug import Response

from svc.base.connectors import PLACEHOLDERS, Connector
from svc.base.errors import Conflict, EditConflict, NotFound, ServiceError
from svc.base.shapes import SIZES
from svc.base.text.display import to_one_line
from svc.console import access, forms, one_time_secrets, query_args
from svc.console.page_blueprint import make_section
from svc.domain import edits
from svc.domain.partners import search as partner_search
from svc.domain.publishing import connection_tries, connections
from svc.domain.tables.partners import ConnectionRow

pages = make_section("connection_pages", "/connections")
_NEVER_MENDED = frozenset((403, 404))  # other input does not help
_DRAFT = "place_sign_in"  # the cookie that keeps a draft
_LABELS = {"name": "Name", "shape": "Video", "title_template": "Title", "text_template": "Text"}
_GENERAL = ("name", "shape", "title_template", "text_template")


@pages.get("")
def index():
    shown_partner = query_args.selected_partner_of_form()
    accounts = (
        partner_search.list_rows("account", partner_id=shown_partner.partner_id)[:200]
        if shown_partner.partner_id
        else []
    )
    if len(accounts) == 1:
        return redirect(_page_url(accounts[0]["id"]), 303)
    return render_template(
        "connection_accounts.html",
        title="Places to publish to",
        shown_partner=shown_partner,
        accounts=accounts,
    )


@pages.get("/<account_id>")
def show(account_id: str):
    revealed = one_time_secrets.take_secret(f"{pages.name} {account_id}") or {}
    return _show(account_id, revealed.get("made"), revealed.get("is_tried", True))


@pages.get("/<account_id>/add/<connector>")
@access.owner_only
def form(account_id: str, connector: str):
    return _form(account_id, _kind(connector))


@pages.post("/<account_id>/add/<connector>")
@access.owner_only
@access.keep_form
def add(account_id: str, connector: str):
    kind = _kind(connector)
    fields = forms.read_fields(*_GENERAL, *_fields(kind))
    viewer, places = access.viewer(), access.service().connections
    try:
        forms.check_sent()
        if kind.sign_in and not fields[kind.sign_in.field]:
            return _begin_sign_in(account_id, connector, fields)
        secrets = places.make_missing_secrets(connector, fields)
        is_tried = _run_beside_request(
            account_id,
            fields["name"] or connector,
            lambda: places.add(viewer, account_id, connector, fields | secrets),
        )
    except ServiceError as refused:
        if refused.status in _NEVER_MENDED:
            raise
        return _form(account_id, kind, fields, refused), refused.status, forms.retry_after(refused)
    if secrets:
        one_time_secrets.keep_secret(
            f"{pages.name} {account_id}", {"made": secrets, "is_tried": is_tried}
        )
        return redirect(_page_url(account_id), 303)
    return _redirect_back(
        account_id,
        "It works: productions that are triggered from now on are published there.",
        is_tried,
    )


@pages.get("/signed-in")
@access.owner_only
def signed_in():
    """Finish a sign-in at a place, which has sent the user back here."""
    sealed, refused = request.cookies.get(_DRAFT, ""), request.args.get("error", "")
    viewer = access.viewer()
    places = access.service().connections
    state = request.args.get("state", "")
    try:
        if refused or not request.args.get("code"):
            raise Conflict(
                f"The place did not allow it: {to_one_line(refused, 'it gave no code')[:100]}."
            )
        account_id, code = places.find_account_of_draft(viewer, sealed, state), request.args["code"]
        is_tried = _run_beside_request(
            account_id, "Sign-in", lambda: places.finish_sign_in(viewer, sealed, state, code)
        )
    except ServiceError as failed:
        flash(failed.message, "bad")
        return redirect(access.link("connection_pages.index"), 303)
    return _delete_draft(
        _redirect_back(account_id, "You are signed in there: it works, and is stored.", is_tried)
    )


@pages.post("/<account_id>/<connection_id>/sign-in")
@access.owner_only
def sign_in(account_id: str, connection_id: str):
    row = connections.find(access.viewer(), connection_id)
    return _begin_sign_in(row["account_id"], row["connector"], {}, connection_id)


@pages.get("/<account_id>/<connection_id>")
@access.owner_only
def edit(account_id: str, connection_id: str):
    row = connections.find(access.viewer(), connection_id)
    return _form(row["account_id"], _kind(row["connector"]), _present(row), row=row)


@pages.post("/<account_id>/<connection_id>")
@access.owner_only
@access.keep_form
def renew(account_id: str, connection_id: str):
    row = connections.find(access.viewer(), connection_id)
    kind = _kind(row["connector"])
    fields = forms.read_sent_fields(*_GENERAL, *_fields(kind))
    forget = request.form.get("forget_host_key") == "on"
    viewer, places = access.viewer(), access.service().connections
    try:
        forms.check_sent()
        # The fields are merged before the try, which takes its time.
        fields = edits.merge_fields(request.form.get("version", ""), _versioned(row), fields)
        is_tried = _run_beside_request(
            row["account_id"],
            row["name"],
            places.prepare_renewal(viewer, connection_id, fields, forget),
        )
    except ServiceError as refused:
        if refused.status in _NEVER_MENDED:
            raise
        fields = refused.merged if isinstance(refused, EditConflict) else fields
        page = _form(row["account_id"], kind, {**_present(row), **fields}, refused, row)
        return page, refused.status, forms.retry_after(refused)
    return _redirect_back(row["account_id"], "It works, and is stored.", is_tried)


@pages.post("/<account_id>/<connection_id>/try")
@access.owner_only
def try_it(account_id: str, connection_id: str):
    viewer, places = access.viewer(), access.service().connections
    row = connections.find(viewer, connection_id)
    try:
        is_tried = _run_beside_request(
            row["account_id"], row["name"], lambda: places.try_connection(viewer, connection_id)
        )
    except ServiceError as refused:
        if refused.status in _NEVER_MENDED:
            raise
        flash(refused.message, "bad")
        return redirect(_page_url(row["account_id"]), 303)
    return _redirect_back(row["account_id"], "It works.", is_tried)


@pages.get("/<account_id>/tries")
def show_tries(account_id: str):
    """Return the tries that go on; a reload of the page once all have ended,
    as its connections have changed.
    """
    connections.find_account(access.viewer(), account_id)
    tries = connection_tries.list_tries_of_account(account_id, access.now())
    if all(each["ended_at"] for each in tries):
        return "", 204, {"HX-Refresh": "true"}
    return render_template("connection_tries.html", tries=tries, refresh=_refresh(account_id))


@pages.post("/<account_id>/<connection_id>/remove")
@access.owner_only
def remove(account_id: str, connection_id: str):
    place = _page_url(connections.find(access.viewer(), connection_id)["account_id"])
    removed = "The connection and its secrets are removed."
    return forms.press(
        lambda: connections.remove(access.viewer(), connection_id, access.now()), removed, place
    )


def _begin_sign_in(
    account_id: str, connector: str, fields: dict[str, str], connection_id: str = ""
) -> Response:
    """Return a page with a link to the place, as forms may lead nowhere else,
    and keep the draft in the browser.
    """
    settings = access.service().settings
    return_to = f"{settings.base_url}{url_for('connection_pages.signed_in')}"
    page, sealed = access.service().connections.begin_sign_in(
        access.viewer(), account_id, connector, fields, return_to, connection_id
    )
    response = make_response(
        render_template(
            "connection_sign_in.html",
            title=f"Sign in at {connector}",
            page=page,
            return_to=return_to,
            account_id=account_id,
        )
    )
    secure = settings.base_url.startswith("https:")
    path = access.link("connection_pages.signed_in")
    response.set_cookie(
        _DRAFT, sealed, max_age=600, path=path, secure=secure, httponly=True, samesite="Lax"
    )
    return response


def _delete_draft(response: Response) -> Response:
    response.delete_cookie(_DRAFT, path=access.link("connection_pages.signed_in"))
    return response


def _kind(connector: str) -> Connector:
    kind = access.service().connections.connectors.get(connector)
    if kind is None:
        raise NotFound("There is no such kind of place.")
    return kind


def _fields(kind: Connector) -> list[str]:
    return [field.name for field in kind.fields if not field.learned]


def _present(row: ConnectionRow) -> dict[str, str]:
    """Return what a form shows of a connection: everything but its secrets."""
    shown = {name: value for name, value in row.items() if name in _GENERAL}
    return {**shown, **json.loads(row["settings"])}


def _versioned(row: ConnectionRow) -> dict[str, str]:
    """Return what a form both shows and changes of a connection."""
    fields = _fields(_kind(row["connector"]))
    return {
        name: value for name, value in _present(row).items() if name in fields or name in _GENERAL
    }


def _page_url(account_id: str) -> str:
    return access.link("connection_pages.show", account_id=account_id)


def _run_beside_request(account_id: str, title: str, action: Callable[[], object]) -> bool:
    """Do what waits for a place beside this request; return whether it has ended well. False: the
    account's page shows its end.

    ``action`` runs in another thread, which has no request.
    """
    done: bool = access.service().connections.run_beside_request(
        access.viewer(), account_id, title, action
    )
    return done


def _refresh(account_id: str) -> str:
    return access.link("connection_pages.show_tries", account_id=account_id)


def _redirect_back(account_id: str, message: str, is_tried: bool):
    if is_tried:
        flash(message, "good")
    return redirect(_page_url(account_id), 303)


def _show(
    account_id: str, made_secrets: dict[str, str] | None = None, is_tried: bool = True
) -> str:
    account = connections.find_account(access.viewer(), account_id)
    rows = connections.list_connections(access.viewer(), account_id)
    kinds = access.service().connections.connectors
    return render_template(
        "connections.html",
        title=f"Places of {account['name']}",
        account=account,
        rows=[{**row, "settings": json.loads(row["settings"])} for row in rows],
        uploads=connections.list_upload_percentages(account_id),
        kinds=kinds,
        made=made_secrets or {},
        is_tried=is_tried,
        tries=connection_tries.list_tries_of_account(account_id, access.now()),
        refresh=_refresh(account_id),
        crumbs=[
            ("Places to publish to", url_for("connection_pages.index")),
            (account["name"], None),
        ],
    )


def _form(
    account_id: str,
    kind: Connector,
    fields: dict[str, str] | None = None,
    error: ServiceError | None = None,
    row: ConnectionRow | None = None,
) -> str:
    account = connections.find_account(access.viewer(), account_id)
    start = {
        "name": kind.name,
        "shape": kind.shapes[0],
        "title_template": kind.title,
        "text_template": kind.text,
    }
    defaults = {field.name: field.default for field in kind.fields}
    return render_template(
        "connection_form.html",
        title=row["name"] if row else f"Connect to {kind.name}",
        account=account,
        kind=kind,
        shapes=[
            (name, f"{name.capitalize()}, {width} × {height}")
            for name, (width, height) in SIZES.items()
        ],
        row=row,
        given=fields or {**start, **defaults},
        error=error,
        wrong=(error.fields or {}) if error else {},
        version=forms.find_version(_versioned(row), error) if row else "",
        labels={**_LABELS, **{field.name: field.label for field in kind.fields}},
        placeholders=[f"{{{name}}}" for name in PLACEHOLDERS],
        crumbs=[
            # the page adds the path of the base URL
            ("Places to publish to", url_for("connection_pages.index")),
            (account["name"], url_for("connection_pages.show", account_id=account_id)),
            (row["name"] if row else kind.name, None),
        ],
    )
