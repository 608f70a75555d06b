"""The objects that the views use, stored in the application as ``app.extensions["svc"]``."""

import functools
import logging
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, cast

from flask import Flask, Request, current_app, g, request, send_file
from werkzeug import wrappers
from werkzeug.http import quote_etag
from werkzeug.utils import send_file as describe_file

from svc.base import conditional
from svc.base.crypto.signing import KeyRing
from svc.base.errors import FileStoreUnavailable, NotFound
from svc.base.protocols import AvatarPreviews, Connections, FileStore, UrlCheck
from svc.base.settings import Settings
from svc.domain.monitoring.base_url_check import Watcher
from svc.domain.monitoring.readiness import Probe
from svc.domain.usage.model_costs import Prices
from svc.domain.usage.recorder import Recorder

log = logging.getLogger("svc.files")

# The objects themselves: behind Flask's proxies each access costs three calls more.
current_request: Callable[[], Request] = cast(Any, request)._get_current_object
current_globals: Callable[[], Any] = cast(Any, g)._get_current_object
_application: Callable[[], Flask] = cast(Any, current_app)._get_current_object

REDIRECT_SECONDS = 3600  # the longest life of a presigned address
_MOST_PASSED_ON = 16 << 20  # bytes of a file that is read into memory to be sent
_VIDEO = ".mp4"
_REDIRECTION = 302


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
    connections: Connections
    # Sends a title and a text to an address; None: there is no mail server.
    mail: Callable[[str, str, str], bool] | None = None

    @functools.cached_property
    def prices(self) -> Prices:
        """The prices of the configured models."""
        return Prices.from_settings(self.settings)

    def send(
        self,
        file: str,
        *,
        by_proxy: bool = True,
        seconds: int = REDIRECT_SECONDS,
        cache: str = "",
        etag: str | bool = True,
        **options: Any,
    ) -> wrappers.Response:
        """Return a response with a stored file, with support for ranges and conditional requests.

        A file of a remote store becomes a redirection to it, unless it is to be shown within a page
        of this origin: captions and texts are loaded by scripts and players, which read no other
        origin. NotFound: the file does not exist, so it was removed by hand.

        Args:
            by_proxy: Let the proxy send the file if the settings name its location there.
            seconds: How long the address of a redirection is valid, at most.
            cache: The Cache-Control of the file; a redirection is never stored.
            options: Arguments of flask.send_file.
        """
        path = self.storage.files.find_local(file)
        if "mimetype" in options:  # werkzeug adds the charset of a text, also a second time
            options["mimetype"] = options["mimetype"].partition(";")[0]
        try:
            if path is None:
                response = self._send_remote(file, seconds, etag=etag, **options)
            else:
                response = self._send_local(file, path.absolute(), by_proxy, etag=etag, **options)
        except FileNotFoundError:
            log.error("the stored file %s does not exist", file)
            raise NotFound("This file is no longer kept.") from None
        if cache and response.status_code != _REDIRECTION:
            response.headers["Cache-Control"] = cache
        return response

    def _send_local(
        self, file: str, path: Path, by_proxy: bool, etag: str | bool, **options: Any
    ) -> wrappers.Response:
        place = self.storage.find_redirect(file) if by_proxy else None
        if place is None:
            return send_file(path, conditional=True, etag=etag, **options)
        file_stat = path.stat()
        is_whole = conditional.refuse_before_proxy(
            request.environ, file_stat.st_size, file_stat.st_mtime_ns
        )
        response = describe_file(
            path, request.environ, use_x_sendfile=True, conditional=False, etag=False, **options
        )
        # the proxy sets the right ones
        for name in ("X-Sendfile", "Content-Length", "Last-Modified"):
            response.headers.pop(name, None)
        response.headers["X-Accel-Redirect"] = place
        if is_whole:
            response.headers["X-Accel-Whole"] = "yes"  # of ours: svc/deploy
        return response

    def _send_remote(
        self, file: str, seconds: int, etag: str | bool, **options: Any
    ) -> wrappers.Response:
        files = self.storage.files
        size = files.find_file_size(file)
        if size is None:
            raise FileNotFoundError(file)
        if isinstance(etag, str) and conditional.is_unchanged(request.environ, quote_etag(etag)):
            return wrappers.Response(status=304, headers={"ETag": quote_etag(etag)})
        is_shown = (
            not options.get("as_attachment")
            and not file.endswith(_VIDEO)
            and size <= _MOST_PASSED_ON
        )
        if is_shown:
            return send_file(
                BytesIO(files.read(file)),
                conditional=True,
                etag=etag,
                download_name=Path(file).name,
                **options,
            )
        if request.method == "HEAD":  # a presigned address answers GET only
            response = send_file(
                BytesIO(),
                conditional=False,
                etag=etag,
                **{"download_name": Path(file).name, **options},
            )
            response.content_length = size
            response.accept_ranges = "bytes"
            return response
        address = files.presign(file, max(1, min(seconds, REDIRECT_SECONDS)))
        return wrappers.Response(
            status=_REDIRECTION, headers={"Location": address, "Cache-Control": "no-store"}
        )

    def allow_media(self, policy: str) -> str:
        """Return a Content-Security-Policy that also lets the page play the videos of
        a remote store.
        """
        try:
            origin = self.storage.files.get_origin()
        except FileStoreUnavailable:  # then nothing can be played either
            origin = ""
        return (
            policy.replace("media-src 'self'", f"media-src 'self' {origin}") if origin else policy
        )


def service() -> Service:
    """Return the service of the current application."""
    parts: Service = _application().extensions["svc"]
    return parts


def now() -> int:
    """Return the current time of the application's clock, in milliseconds."""
    return service().clock()
