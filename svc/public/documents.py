"""What is served for programs: ``/llms.txt``, the documents in Markdown,
and the packages of the client libraries.
"""

import posixpath
import re
from functools import cache

from flask import Blueprint, Response, current_app, request

from svc.base.errors import NotFound
from svc.base.processes.entry_points import ROOT
from svc.public import client_packages

documents = Blueprint("documents", __name__)

# What partners read of the repository, and what each is for; the first column is its path here and
# on the server.
_PAGES = {
    "docs/reference.md": (
        "trigger, template, script, limits, errors and scenarios on one page, each with its call: "
        "begin here"
    ),
    "README.md": "the service in a page, and the first calls",
    "docs/quickstart.md": "the way to a verified webhook, in Python and in TypeScript",
    "docs/api.md": (
        "trigger, follow, rehearse, read events; tools for agents (Model Context Protocol)"
    ),
    "docs/webhooks.md": "receive, verify, find and resend webhooks",
    "docs/media.md": (
        "what a brief in Markdown becomes: scenes, looks, voices, quality gates, certificate"
    ),
    "docs/platforms.md": "publish to buckets, folders and relays of an account's own",
    "sdk/python/README.md": "the client for Python",
    "sdk/typescript/README.md": "the client for TypeScript and JavaScript",
    client_packages.CHANGELOG: "what changed in both clients, by version",
    "docs/specification.md": "the contract",
    "docs/decisions.md": "what the contract leaves open, decided",
    "docs/api-changelog.md": "what the API gained, by date",
    "docs/CHANGELOG.md": "what changed",
}
_OPTIONAL = (
    "docs/specification.md",
    "docs/decisions.md",
    "docs/api-changelog.md",
    "docs/CHANGELOG.md",
)
_STATIC = "svc/public/static/"  # served below /static/
# A comment that names tests, for those who change the document.
_COMMENT = re.compile(r"^<!--.*?-->\n", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
_HEAD = """\
# Partner Production API

> A brief goes in over HTTP; a narrated, captioned, described, transcribed and certified video comes
> out. It is asynchronous: trigger a production, follow it by polling, by the event feed or by
> signed webhooks, and download its files.

Every call goes to {base} with the header X-API-Key. Test keys (svc_test_…) reach
sandbox accounts, which cost nothing.

## API

- [OpenAPI 3.1 document]({base}/openapi.json): every operation, field, error and webhook, \
with examples; it suffices alone
- [Reference]({base}/docs): the same for people
"""


@documents.get("/llms.txt")
def overview() -> Response:
    """Return what there is to read, in the form of llmstxt.org."""
    base = _get_base()
    # a program may be installed without its documents
    installed = [name for name in _PAGES if (ROOT / name).is_file()]
    parts = [_HEAD.format(base=base)]
    if packages := _list_packages(base):
        parts.append("## Clients\n\n" + "".join(f"- {line}\n" for line in packages))
    for heading, names in (
        ("Documents", [each for each in installed if each not in _OPTIONAL]),
        ("Optional", _OPTIONAL),
    ):
        lines = [
            f"- [{_find_title(name)}]({base}/{name}): {_PAGES[name]}"
            for name in names
            if name in installed
        ]
        parts += [f"## {heading}\n\n" + "\n".join(lines) + "\n"] if lines else []
    return _render_markdown("\n".join(parts), "text/plain")


def _list_packages(base: str) -> list[str]:
    """Return a line for each client that can be installed from here."""
    lines = []
    for name in client_packages.list_clients():
        package = client_packages.build_package(name, base, read_text)
        address = f"{base}/sdk/{name}/{package.filename}"
        lines.append(f"[{package.filename}]({address}): `{package.command} {address}`")
    return lines


@documents.get("/README.md")
def overview_for_people() -> Response:
    return _render_markdown(read_text("README.md", _get_base()), "text/markdown")


@documents.get("/docs/<name>.md")
def page(name: str) -> Response:
    return _render_markdown(read_text(f"docs/{name}.md", _get_base()), "text/markdown")


@documents.get("/sdk/<name>/README.md")
def readme(name: str) -> Response:
    return _render_markdown(read_text(f"sdk/{name}/README.md", _get_base()), "text/markdown")


@documents.get("/sdk/CHANGELOG.md")
def changelog_of_clients() -> Response:
    return _render_markdown(read_text(client_packages.CHANGELOG, _get_base()), "text/markdown")


@documents.get("/sdk/<name>/<filename>")
def client_package(name: str, filename: str) -> Response:
    """Return the package of a client.

    NotFound: there is none of this name; the message names the one there is.
    """
    package = client_packages.build_package(name, _get_base(), read_text)
    if filename != package.filename:
        raise NotFound(f"This server has {_get_base()}/sdk/{name}/{package.filename}.")
    return make_revalidated(
        current_app.response_class(package.content, content_type=package.media_type)
    )


def _get_base() -> str:
    return str(current_app.extensions["svc"].settings.base_url)


def _render_markdown(text: str, media_type: str) -> Response:
    return make_revalidated(
        current_app.response_class(text, content_type=f"{media_type}; charset=utf-8")
    )


def make_revalidated(response: Response) -> Response:
    """Return a response that browsers keep, and ask about each time."""
    response.headers["Cache-Control"] = "no-cache"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.add_etag()
    response.make_conditional(request)  # changes it
    return response


@cache
def _read_source(name: str) -> str:
    """Return a document of the repository without its comments.

    NotFound: it is none of these, or was not installed.
    """
    if name not in _PAGES:
        raise NotFound()
    try:
        return _COMMENT.sub("", (ROOT / name).read_text("utf-8"))
    except FileNotFoundError:
        raise NotFound() from None


def _find_title(name: str) -> str:
    return _read_source(name).partition("\n")[0].removeprefix("# ")


def read_text(name: str, base: str) -> str:
    """Return a document whose links lead somewhere on this server;
    a link to what is not served becomes its text.
    """
    return _LINK.sub(lambda link: _translate_link(link, name, base), _read_source(name))


def _translate_link(link: re.Match[str], name: str, base: str) -> str:
    mark, text, target = link.groups()
    path, hash_, place = target.partition("#")
    if not path or re.match(r"[a-z]+:", target):
        return link[0]
    document = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
    if document in _PAGES:
        return f"{mark}[{text}]({base}/{document}{hash_}{place})"
    if document.startswith(_STATIC):
        return f"{mark}[{text}]({base}/static/{document.removeprefix(_STATIC)})"
    return text
