"""The objects that the views use, stored in the application as ``app.extensions["svc"]``."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask import current_app, request, send_file
from werkzeug import wrappers
from werkzeug.utils import send_file as describe_file

from svc.base.crypto.signing import KeyRing
from svc.base.errors import NotFound
from svc.base.protocols import AvatarPreviews, FileStore, UrlCheck
from svc.base.settings import Settings
from svc.domain.monitoring.base_url_check import Watcher
from svc.domain.monitoring.readiness import Probe
from svc.domain.usage.recorder import Recorder

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
    platforms: tuple[str, ...]  # the names of the platforms that this server publishes to
    previews: AvatarPreviews

    def send(self, file: str, *, etag: str | bool = True, **how: Any) -> wrappers.Response:
        """Return a response with a stored file, with support for ranges and conditional requests.

        The proxy sends the file if the settings name its location there. ``how``: arguments of flask.send_file. NotFound: the
        file does not exist, so it was removed by hand.
        """
        path, place = self.storage.path(file).absolute(), self.storage.redirect(file)
        try:
            if place is None:
                return send_file(path, conditional=True, etag=etag, **how)
            response = describe_file(path, request.environ, use_x_sendfile=True, conditional=False, etag=False, **how)
        except FileNotFoundError:
            log.error("the stored file %s does not exist", file)
            raise NotFound("This file is no longer kept.") from None
        for name in ("X-Sendfile", "Content-Length", "Last-Modified"):  # the proxy sets the right ones
            response.headers.pop(name, None)
        response.headers["X-Accel-Redirect"] = place
        return response


def service() -> Service:
    """Return the service of the current application."""
    parts: Service = current_app.extensions["svc"]
    return parts


def now() -> int:
    """Return the current time of the application's clock, in milliseconds."""
    return service().clock()
