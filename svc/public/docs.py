"""The API reference at ``/docs``: RapiDoc, served locally so that it needs no other host."""

from urllib.parse import urlsplit

from flask import Blueprint, Response, current_app, make_response, render_template

docs = Blueprint("docs", __name__, template_folder="templates")

# RapiDoc writes style attributes and style elements into its shadow tree; nothing else is allowed.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)


@docs.get("/docs")
def page() -> Response:
    base = urlsplit(current_app.extensions["svc"].settings.base_url).path
    response = make_response(render_template("docs.html", base=base))
    response.headers["Content-Security-Policy"] = _POLICY
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "no-cache"
    return response
