"""Builds the OpenAPI document from the blueprints, once, on the first request for it."""

import threading
from typing import Any

import flask_smorest
from flask import Flask, Response, current_app

from svc.api import deprecations
from svc.api.document import components, events, guide, operations
from svc.api.envelope import make_etag_response
from svc.api.schemas.common import Error
from svc.base.text import json_text


class Api(flask_smorest.Api):  # type: ignore[misc] # untyped
    """flask-smorest's Api, which serves the document at ``/openapi.json`` and builds it on
    the first request.
    """

    ERROR_SCHEMA = Error

    def __init__(self, app: Flask):
        self._lock = threading.Lock()
        self._texts: dict[str, str] = {}  # by base URL
        self._blueprints: list[flask_smorest.Blueprint] = []
        super().__init__(app)
        app.add_url_rule("/openapi.json", "openapi", self._serve)

    def register_blueprint(self, blueprint: flask_smorest.Blueprint) -> None:
        """Register a blueprint with the application; it is documented when the
        document is built.
        """
        self._app.register_blueprint(blueprint)
        self._blueprints.append(blueprint)

    def text(self, base_url: str) -> str:
        """Return the document of a service at ``base_url`` as JSON."""
        with self._lock:
            if base_url not in self._texts:
                self._texts[base_url] = json_text.text(self._build(base_url))
        return self._texts[base_url]

    def _serve(self) -> Response:
        return make_etag_response(current_app.extensions["document"]())

    def _init_spec(self, **head: Any) -> None:
        """Do nothing: what the document begins with is registered when it is built."""

    def _build(self, base_url: str) -> dict[str, Any]:
        super()._init_spec(**guide.make_head(base_url))
        for blueprint in self._blueprints:
            blueprint.register_views_in_doc(
                self, self._app, self.spec, name=blueprint.name, parameters=None
            )
        operations_of_app = operations.list_documented(
            self._app, self.ma_plugin.resolver.resolve_schema_dict
        )
        document: dict[str, Any] = self.spec.to_dict()
        document["info"]["description"] = guide.write_guide()
        document["tags"] = guide.list_tags(self._blueprints)
        components.complete_components(document)
        document["webhooks"] = events.describe_webhooks()
        operations.complete_operations(document, operations_of_app)
        deprecations.mark_deprecated(document)
        components.drop_unused(document)
        return document
