"""The beginning of the document: title, guide, server, security scheme, tags."""

from pathlib import Path
from typing import Any

from svc.api import versions
from svc.api.document import errors
from svc.domain import tiers

_GUIDE = Path(__file__).with_name("guide.md")
_TAGS = ({"name": "events", "description": "What webhooks are sent."},)
_KEY = {
    "type": "apiKey",
    "in": "header",
    "name": "X-API-Key",
    "description": (
        "`svc_live_…` or `svc_test_…`, and 48 characters. `GET /v1/partners/verify` takes "
        "activation keys too."
    ),
}


def make_head(base_url: str) -> dict[str, Any]:
    """Return the arguments with which flask-smorest begins the document."""
    return {
        "title": "Partner Production API",
        "version": "v1",
        "openapi_version": "3.1.0",
        "info": {
            "x-apiVersion": versions.NEWEST,
            "summary": "A brief in; a narrated, captioned, certified video out.",
            "contact": {"name": "The operator of this service", "url": f"{base_url}/docs"},
            "license": {
                "name": "For partners of this service",
                "identifier": "LicenseRef-Partner-Agreement",
            },
        },
        "servers": [{"url": base_url, "description": "This service."}],
        "components": {"securitySchemes": {"apiKey": _KEY}},
        "security": [{"apiKey": []}],
    }


def write_guide() -> str:
    """Return the guide in Markdown, with the limits and the errors of the code."""
    return (
        _GUIDE.read_text("utf-8")
        .replace("{limits}", _format_limits())
        .replace("{errors}", errors.format_table())
    )


def list_tags(blueprints: list[Any]) -> list[dict[str, Any]]:
    """Return a tag for each blueprint and one for the events."""
    return [
        {"name": blueprint.name, "description": blueprint.description} for blueprint in blueprints
    ] + list(_TAGS)


def _format_limits() -> str:
    """Return the table of the tiers, with a column for each limit, named as its field in words."""
    rows = [["Tier", *(words[0].upper() + words[1:] for words in tiers.list_words())]]
    rows += [[name, *tiers.list_amounts(name)] for name in tiers.TIERS]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])
