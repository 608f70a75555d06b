"""Shows what is kept of a form: the page that answered it, or the form as it was filled in."""

from urllib.parse import parse_qsl

from flask import current_app, flash, g, redirect, request
from werkzeug.datastructures import CombinedMultiDict, ImmutableMultiDict
from werkzeug.exceptions import HTTPException

from svc.base.errors import NotFound
from svc.console import access
from svc.console.page_blueprint import make_section
from svc.domain.people import kept_forms

pages = make_section("kept_pages", access.KEPT.removeprefix(access.ROOT))


@pages.get("/<token>")
@access.allow_members
def show(token: str):
    content = kept_forms.find(access.service().ring, access.viewer().own_id, token, access.now())
    if content is None:
        flash("What was here is no longer kept, or somebody else typed it.", "info")
        return redirect(access.link("home.index"), 303)
    if "html" in content:
        return content["html"], content["status"], content["headers"]
    return _fill_in_form(content)


def _fill_in_form(form: kept_forms.Form):
    """Return what the view that the form was sent to shows of it:
    it raises FilledAgain before it does anything.
    """
    path, _, query = form["address"].partition("?")
    adapter = current_app.create_url_adapter(request)
    try:
        rule, values = (
            adapter.match(path, method="POST", return_rule=True) if adapter else (None, {})
        )
    except HTTPException:  # of a release before
        rule, values = None, {}
    view = current_app.view_functions[rule.endpoint] if rule else None
    if rule is None or view is None or not getattr(view, "keeps_form", False):
        raise NotFound()
    typed = ImmutableMultiDict(form["fields"])
    args = ImmutableMultiDict(parse_qsl(query, keep_blank_values=True))
    request.url_rule, request.view_args, g.filled_again = rule, dict(values), True
    vars(request).update(
        form=typed, files=ImmutableMultiDict(), args=args, values=CombinedMultiDict([args, typed])
    )
    access.check_role()
    return current_app.ensure_sync(view)(**values)
