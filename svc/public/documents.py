"""The documents for programs that read: ``/llms.txt``, ``/docs/….md`` and the READMEs of the SDKs, in Markdown."""

import posixpath
import re
from functools import cache

from flask import Blueprint, Response, current_app, request

from svc.base.errors import NotFound
from svc.base.processes.entry_points import ROOT

documents = Blueprint("documents", __name__)

# What partners read of the repository, and what each is for; the first column is its path here and on the server.
_PAGES = {
    "docs/quickstart.md": "the way to a verified webhook, in Python and in TypeScript",
    "docs/api.md": "trigger, follow, rehearse, read events; tools for agents (Model Context Protocol)",
    "docs/webhooks.md": "receive, verify, find and resend webhooks",
    "docs/media.md": "what a brief in Markdown becomes: scenes, looks, voices, quality gates, certificate",
    "docs/platforms.md": "publish to buckets, folders and relays of an account's own",
    "sdk/python/README.md": "the client for Python",
    "sdk/typescript/README.md": "the client for TypeScript and JavaScript",
    "docs/specification.md": "the contract",
    "docs/decisions.md": "what the contract leaves open, decided",
    "docs/api-changelog.md": "what the API gained, by date",
    "docs/CHANGELOG.md": "what changed",
}
_OPTIONAL = ("docs/specification.md", "docs/decisions.md", "docs/api-changelog.md", "docs/CHANGELOG.md")
_STATIC = "svc/public/static/"  # served below /static/
_COMMENT = re.compile(r"^<!--.*?-->\n", re.DOTALL | re.MULTILINE)  # names tests, for those who change the document
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
_HEAD = """\
# Partner Production API

> A brief goes in over HTTP; a narrated, captioned, described, transcribed and certified video comes out. It is asynchronous:
> trigger a production, follow it by polling, by the event feed or by signed webhooks, and download its files.

Every call goes to {base} with the header X-API-Key. Test keys (svc_test_…) reach sandbox accounts, which cost nothing.

## API

- [OpenAPI 3.1 document]({base}/openapi.json): every operation, field, error and webhook, with examples; it suffices alone
- [Reference]({base}/docs): the same for people
"""


@documents.get("/llms.txt")
def overview() -> Response:
    """Return what there is to read, in the form of llmstxt.org."""
    base = _base()
    there = [name for name in _PAGES if (ROOT / name).is_file()]  # a program may be installed without its documents
    parts = [_HEAD.format(base=base)]
    for heading, names in ("Documents", [each for each in there if each not in _OPTIONAL]), ("Optional", _OPTIONAL):
        lines = [f"- [{_title(name)}]({base}/{name}): {_PAGES[name]}" for name in names if name in there]
        parts += [f"## {heading}\n\n" + "\n".join(lines) + "\n"] if lines else []
    return _markdown("\n".join(parts), "text/plain")


@documents.get("/docs/<name>.md")
def page(name: str) -> Response:
    return _markdown(text(f"docs/{name}.md", _base()), "text/markdown")


@documents.get("/sdk/<name>/README.md")
def readme(name: str) -> Response:
    return _markdown(text(f"sdk/{name}/README.md", _base()), "text/markdown")


def _base() -> str:
    return str(current_app.extensions["svc"].settings.base_url)


def _markdown(text: str, kind: str) -> Response:
    response = current_app.response_class(text, content_type=f"{kind}; charset=utf-8")
    response.headers["Cache-Control"] = "no-cache"
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.add_etag()
    response.make_conditional(request)  # changes it
    return response


@cache
def _source(name: str) -> str:
    """Return a document of the repository without its comments. NotFound: it is none of these, or was not installed."""
    if name not in _PAGES:
        raise NotFound()
    try:
        return _COMMENT.sub("", (ROOT / name).read_text("utf-8"))
    except FileNotFoundError:
        raise NotFound() from None


def _title(name: str) -> str:
    return _source(name).partition("\n")[0].removeprefix("# ")


def text(name: str, base: str) -> str:
    """Return a document whose links lead somewhere on this server; a link to what is not served becomes its text."""
    return _LINK.sub(lambda link: _link(link, name, base), _source(name))


def _link(link: re.Match[str], name: str, base: str) -> str:
    mark, text, target = link.groups()
    path, hash_, place = target.partition("#")
    if not path or re.match(r"[a-z]+:", target):
        return link[0]
    there = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
    if there in _PAGES:
        return f"{mark}[{text}]({base}/{there}{hash_}{place})"
    if there.startswith(_STATIC):
        return f"{mark}[{text}]({base}/static/{there.removeprefix(_STATIC)})"
    return text
