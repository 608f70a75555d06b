"""The parts that the views need, kept on the application as ``app.extensions["svc"]``."""

from collections.abc import Callable
from dataclasses import dataclass

from flask import current_app

from svc.base.settings import Settings
from svc.base.signing import KeyRing
from svc.domain.addressing import Watcher
from svc.domain.readiness import Probe
from svc.domain.recorder import Recorder


@dataclass(frozen=True)
class Service:
    settings: Settings
    ring: KeyRing
    storage: object  # svc.adapters.storage.Storage; app.py hands it in, since this layer knows no adapter
    check_url: Callable[[str], None]  # svc.adapters.http.check_url with the operator's exceptions
    clock: Callable[[], int]  # milliseconds since 1970 UTC
    recorder: Recorder
    probe: Probe
    watcher: Watcher
    platforms: tuple[str, ...] = ()  # the names of what this server publishes to
    studio: object = None  # svc.work.studio.Studio: pictures and samples of avatars, made in child processes


def service() -> Service:
    """The service of the present application."""
    return current_app.extensions["svc"]


def now() -> int:
    """The present, by the application's clock."""
    return service().clock()
