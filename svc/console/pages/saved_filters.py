"""Saves the present filters of a list by a name, and removes what was saved."""

from flask import flash, redirect, request

from svc.base.errors import InvalidRequest, NotFound
from svc.console import access, forms
from svc.console import saved_filters as lists
from svc.console.page_blueprint import make_section
from svc.domain.people import saved_filters

pages = make_section("saved_filters", "/filters")


@pages.post("/")
@access.allow_members
def save():
    list_name, query = _read_form()
    try:
        forms.check_sent()
        own_id, name = access.viewer().own_id, request.form.get("name", "")
        saved = saved_filters.save(own_id, list_name, name, query, access.now())
        flash(f"The filters are saved as “{saved}”.", "good")
    except InvalidRequest as refused:
        flash(refused.message, "bad")
    return redirect(lists.make_address(list_name, query), 303)


@pages.post("/remove")
@access.allow_members
def remove():
    list_name, query = _read_form()
    name = request.form.get("name", "")
    try:
        saved_filters.remove(access.viewer().own_id, list_name, name)
        flash(f"The saved filters “{name}” are removed.", "good")
    except NotFound as refused:  # in another tab, before
        flash(refused.message, "info")
    return redirect(lists.make_address(list_name, query), 303)


def _read_form() -> tuple[str, str]:
    """Return the list that the form is about, and its present filters.

    NotFound: there is no such list.
    """
    list_name = request.form.get("list", "")
    if list_name not in lists.LISTS:
        raise NotFound("There is no such list.")
    return list_name, lists.extract_filters(list_name, request.form.get("query", ""))
