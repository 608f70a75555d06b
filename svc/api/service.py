"""The parts that the views need, kept on the application as ``app.extensions["svc"]``."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask import current_app, request, send_file
from werkzeug import wrappers
from werkzeug.utils import send_file as describe_file

from svc.base.errors import NotFound
from svc.base.protocols import FileStore, Studio, UrlCheck
from svc.base.settings import Settings
from svc.base.signing import KeyRing
from svc.domain.addressing import Watcher
from svc.domain.readiness import Probe
from svc.domain.recorder import Recorder

log = logging.getLogger("svc.files")


@dataclass(frozen=True)
class Service:
    settings: Settings
    ring: KeyRing
    storage: FileStore
    check_url: UrlCheck
    clock: Callable[[], int]  # milliseconds since 1970 UTC
    recorder: Recorder
    probe: Probe
    watcher: Watcher
    platforms: tuple[str, ...]  # the names of what this server publishes to
    studio: Studio

    def send(self, file: str, *, etag: str | bool = True, **how: Any) -> wrappers.Response:
        """A stored file with ranges and conditions: from the disk, or by the proxy in front where the settings name its place
        there. ``how``: as flask.send_file has it. NotFound: it is not there, which somebody must have done by hand."""
        path, place = self.storage.path(file).absolute(), self.storage.redirect(file)
        try:
            if place is None:
                return send_file(path, conditional=True, etag=etag, **how)
            response = describe_file(path, request.environ, use_x_sendfile=True, conditional=False, etag=False, **how)
        except FileNotFoundError:
            log.error("the stored file %s is not there", file)
            raise NotFound("This file is no longer kept.") from None
        for name in ("X-Sendfile", "Content-Length", "Last-Modified"):  # the proxy's own are true
            response.headers.pop(name, None)
        response.headers["X-Accel-Redirect"] = place
        return response


def service() -> Service:
    """The service of the present application."""
    parts: Service = current_app.extensions["svc"]
    return parts


def now() -> int:
    """The present, by the application's clock."""
    return service().clock()
