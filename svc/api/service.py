"""The objects that the views use, stored in the application as ``app.extensions["svc"]``."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from flask import Response, current_app, request, send_file
from werkzeug.utils import send_file as describe_file

from svc.base.errors import NotFound
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
    storage: object  # svc.adapters.storage.Storage; app.py passes it in, as this layer imports no adapter
    check_url: Callable  # svc.adapters.resolver.UrlCheck with the operator's exceptions
    clock: Callable[[], int]  # milliseconds since 1970 UTC
    recorder: Recorder
    probe: Probe
    watcher: Watcher
    platforms: tuple[str, ...] = ()  # the names of the platforms that this server publishes to
    studio: object = None  # svc.work.studio.Studio: portraits and previews of avatars, rendered in child processes

    def send(self, file: str, *, etag: str | bool = True, **how) -> Response:
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
    return current_app.extensions["svc"]


def now() -> int:
    """Return the current time of the application's clock, in milliseconds."""
    return service().clock()
