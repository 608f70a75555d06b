"""The WSGI application, assembled from all parts. Only the commands that serve import it."""

import atexit
import functools
import logging
import os
from collections.abc import Callable, Mapping
from typing import Any
from wsgiref.types import WSGIApplication

from flask import Flask, Response
from gunicorn.arbiter import Arbiter
from werkzeug.exceptions import BadHost
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.routing import MapAdapter, Rule
from werkzeug.wsgi import get_host

from svc.adapters import mail
from svc.adapters.resolver import UrlCheck
from svc.adapters.storage import Storage
from svc.api import envelope, guard, parsing
from svc.api.context import Service
from svc.api.document.build import Api
from svc.api.envelope import Answer
from svc.api.resources import (
    accounts,
    briefing,
    deliverables,
    deliveries,
    feed,
    keys,
    monitoring,
    performance,
    productions,
    scripts,
    templates,
    translations,
    usage,
    webhooks,
)
from svc.base import clock as wall_clock
from svc.base import disk, logs, settings, threads, traces
from svc.base.conditional import Conditional
from svc.base.errors import SettingsError, StartRefused
from svc.base.processes import huge_pages, owner
from svc.base.settings import Settings
from svc.base.text import read_aloud
from svc.console import access, filters
from svc.console.operators import accounts as account_pages
from svc.console.operators import alerts as alert_pages
from svc.console.operators import audit as audit_pages
from svc.console.operators import avatars as avatar_pages
from svc.console.operators import maintenance as maintenance_pages
from svc.console.operators import partners as partner_pages
from svc.console.operators import rules as rule_pages
from svc.console.pages import api_keys, bulk, find, home, kept_forms, own, saved_filters, team
from svc.console.pages import batches as batch_pages
from svc.console.pages import connections as connection_pages
from svc.console.pages import deliveries as delivery_pages
from svc.console.pages import productions as production_pages
from svc.console.pages import requests as request_pages
from svc.console.pages import scripts as script_pages
from svc.console.pages import templates as template_pages
from svc.console.pages import translations as translation_pages
from svc.console.pages import trigger as trigger_pages
from svc.console.pages import usage as usage_pages
from svc.console.pages import webhooks as webhook_pages
from svc.console.sign_in import profile, second_factor, sign_in
from svc.console.sign_in.sign_in_rate_limit import SignInRateLimit
from svc.domain import master_keys
from svc.domain.monitoring import metrics
from svc.domain.monitoring.base_url_check import Watcher
from svc.domain.monitoring.readiness import Probe
from svc.domain.usage.recorder import Recorder
from svc.public import refusal_page
from svc.public.docs import docs
from svc.public.documents import documents
from svc.public.podcast import podcast
from svc.public.portal import portal
from svc.public.security_txt import security_txt
from svc.public.watch import watch
from svc.serving.request_headers import ClientAddress, ForwardedScheme, HeaderSpaces
from svc.serving.request_threads import RequestThreads
from svc.store import database
from svc.work.avatar_previews import AvatarPreviews
from svc.work.doctor import findings
from svc.work.engine import Engine
from svc.work.machines import further_languages, same_files
from svc.work.publishing.connections import Connections
from svc.work.publishing.publisher import PLATFORM_NAMES

log = logging.getLogger("svc.app")
_HOSTS = 64  # that are remembered
# How many paths of the API are remembered with where they lead, and how long they may be.
_PATHS, _LONGEST_PATH = 4096, 200

_BLUEPRINTS = (
    keys.bp,
    accounts.bp,
    productions.bp,
    feed.bp,
    deliverables.bp,
    performance.bp,
    usage.bp,
    webhooks.bp,
    deliveries.bp,
    deliverables.files,
    briefing.bp,
    templates.bp,
    scripts.bp,
    translations.bp,
)
_PAGES = (  # of the console
    sign_in.front, sign_in.pages, kept_forms.pages, home.pages, find.pages, trigger_pages.pages,
    template_pages.pages, batch_pages.pages, bulk.pages, script_pages.pages,
    translation_pages.pages, production_pages.pages, webhook_pages.pages, delivery_pages.pages,
    request_pages.pages, usage_pages.pages, profile.pages, second_factor.pages, api_keys.pages,
    connection_pages.pages, own.pages, team.pages, partner_pages.pages, account_pages.pages,
    avatar_pages.pages, rule_pages.pages, alert_pages.pages, maintenance_pages.pages,
    audit_pages.pages, saved_filters.pages,
)  # fmt: skip


class _Response(Conditional, Response):
    """What views answer: Flask's response, with our rules for conditional requests and ranges."""


class _Adapter(MapAdapter):
    """Flask's adapter, which knows where the paths of the API lead that were asked before: clients
    poll the same ones, and no route is added later. Others may hold secrets and are not kept.
    """

    known: dict[tuple[str, str], tuple[Rule, Mapping[str, Any]]]  # by method and path

    def match(self, *sought, **how):
        if sought or how != {"return_rule": True} or not self.path_info.startswith("/v1/"):
            return super().match(*sought, **how)
        key = self.default_method, self.path_info
        found = self.known.get(key)
        if found is None:
            found = super().match(return_rule=True)
            if len(self.path_info) <= _LONGEST_PATH:
                if len(self.known) >= _PATHS:
                    self.known.clear()
                self.known[key] = found
        rule, values = found
        return rule, dict(values)


class Application(Flask):
    """A Flask application whose views are all synchronous."""

    response_class = _Response

    def make_response(self, rv):
        """Return Flask's response of what a view returned; an Answer as it is, since Flask would
        make a _Response of it, which checks and copies all headers again."""
        return rv if isinstance(rv, Answer) else super().make_response(rv)

    def ensure_sync(self, func):
        return func  # Flask checks on each request whether the function is a coroutine

    def create_url_adapter(self, request):
        """Return Flask's adapter for a request, which is the same for each name of the host,
        and checks the name once.

        No route speaks another protocol: an ``Upgrade`` is ignored (RFC 9110 §7.8).
        """
        if request is None:
            return super().create_url_adapter(request)
        environ = request.environ
        scheme, named = environ["wsgi.url_scheme"], environ.get("HTTP_HOST")
        if named is None:
            request.host, server_name = self._bind(get_host(environ))
        else:
            request.host, server_name = self._names(scheme, named)
        adapter = _Adapter(
            self.url_map,
            server_name,
            _text(environ.get("SCRIPT_NAME", "/")),
            "",
            scheme,
            _text(environ.get("PATH_INFO", "/")),
            environ["REQUEST_METHOD"],
            _text(environ.get("QUERY_STRING", "")),
        )
        adapter.known = self._known_paths
        return adapter

    @functools.cached_property
    def _known_paths(self) -> dict[tuple[str, str], tuple[Rule, Mapping[str, Any]]]:
        return {}

    @functools.cached_property
    def _names(self) -> Callable[[str, str], tuple[str, str]]:
        """A function that checks a scheme and a Host header and returns the host and its name for
        the map.

        Clients use few hosts, so that each is checked once.
        """

        @functools.lru_cache(maxsize=_HOSTS)
        def names(scheme: str, named: str) -> tuple[str, str]:
            return self._bind(get_host({"wsgi.url_scheme": scheme, "HTTP_HOST": named}))

        return names

    def _bind(self, host: str) -> tuple[str, str]:
        """Return a host and its name for the map: empty, as werkzeug has it where a host has other
        signs, if it has a part that no name may have. Nothing that is answered depends on it.
        """
        try:
            return host, self.url_map.bind(host).server_name
        except BadHost:
            return "", ""

    def make_default_options_response(self):
        """Return Flask's response; a request with a key counts towards its rate limit and gets
        the rate-limit headers.
        """
        guard.admit_options()
        return super().make_default_options_response()


def _text(value: str) -> str:
    """Return a text of a WSGI environment, which has each of its bytes as a character."""
    return value if value.isascii() else value.encode("latin1").decode(errors="replace")


def create_app(config: Settings | None = None, clock: Callable[[], int] = wall_clock.now) -> Flask:
    """Return the WSGI application for the data directory of ``config``,
    which is created if missing. No engine is started.
    """
    app = assemble()
    equip(app, config or settings.read(), clock)
    return app


def assemble() -> Application:
    """Return an application with every route, which cannot answer before it is equipped."""
    app = Application(__name__, static_folder=None)
    app.url_map.merge_slashes = False
    app.url_map.converters["other_name"] = parsing.OtherName
    api = app.extensions["api"] = Api(app)
    envelope.install(app, refusal_page.make_refusal_page)
    for blueprint in _BLUEPRINTS:
        api.register_blueprint(blueprint)
    app.register_blueprint(monitoring.bp)
    app.register_blueprint(watch)
    app.register_blueprint(podcast)
    app.register_blueprint(portal)
    app.register_blueprint(docs)
    app.register_blueprint(documents)
    app.register_blueprint(security_txt)
    access.install(app)
    filters.install(app)
    for section in _PAGES:
        app.register_blueprint(section)
    return app


def equip(app: Flask, config: Settings, clock: Callable[[], int]) -> None:
    """Open the data directory of ``config`` and give an assembled application what its views use.

    StartRefused: the service cannot work on this data directory.
    """
    if clock() < wall_clock.EARLIEST:
        says = wall_clock.format_time(clock())
        raise StartRefused(f"The clock says {says}: set it, as by `timedatectl set-ntp true`.")
    config.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    further_languages.offer(config)
    database.open_database(config.database, config.database_url, threads.thread_shares.number)
    same_files.require(config, clock())
    ring = master_keys.open_ring(config.secret, clock())
    storage = Storage(config, ring)
    read_aloud.set_reader(_read_aloud)
    mail_server = mail.find_server(config.alert_urls)
    app.extensions["svc"] = Service(
        config,
        ring,
        storage,
        UrlCheck(config.webhook_allow_cidrs),
        clock,
        Recorder(config.data_dir / "journal"),
        Probe(config, storage.files.find_problem),
        Watcher(config.base_url, config.trusted_proxies),
        PLATFORM_NAMES,
        AvatarPreviews(config, storage.files),
        Connections(config.webhook_allow_cidrs, ring, clock),
        mail=functools.partial(mail.send, mail_server) if mail_server else None,
    )
    app.extensions["engine"] = Engine(config, storage, ring, clock)
    app.extensions["document"] = functools.partial(app.extensions["api"].text, config.base_url)
    access.configure(app)
    # inside ProxyFix, which sets the address
    wsgi_app: WSGIApplication = ClientAddress(SignInRateLimit(HeaderSpaces(app.wsgi_app)))
    if config.trusted_proxies:
        wsgi_app = ForwardedScheme(wsgi_app, config.trusted_proxies)
        wsgi_app = ProxyFix(wsgi_app, x_for=config.trusted_proxies, x_proto=0)
    # Flask's documentation recommends this assignment.
    app.wsgi_app = RequestThreads(wsgi_app)  # type: ignore[method-assign]


def start_engine(app: Flask) -> None:
    """Start the engine in this process, and stop it cleanly when the process ends.

    Call it after any fork.
    """
    app.extensions["engine"].start()
    atexit.register(app.extensions["engine"].stop)


def serving_app() -> Flask:
    """Return the application of a serving process, with logging installed and
    the engine started.
    """
    try:
        config = settings.read()
        logs.install(config.log_format)
        disk.require_usable(config.data_dir)
        disk.allow_open_files()
        os.umask(owner.MASK)
        owner.remove_access_of_others(config.data_dir, proxy_reads=bool(config.media_redirect))
        traces.start()
        app = create_app(config)
        huge_pages.use_for_loaded()
    except (SettingsError, StartRefused) as error:
        log.critical("%s", error)
        # With another status, gunicorn would restart it for ever.
        raise SystemExit(Arbiter.WORKER_BOOT_ERROR) from error
    if config.engine == "off" and not findings.is_driven(config.data_dir):
        log.warning(
            "no engine is running: SVC_ENGINE is off here, and no other process drives %s",
            config.data_dir,
        )
    metrics.start()
    atexit.register(metrics.stop)
    # The recorder stops after the engine: what that finishes enters the history, too.
    atexit.register(app.extensions["svc"].recorder.stop)
    if config.engine == "on":
        start_engine(app)
    return app


def _read_aloud(*line):
    """Return how a line is read aloud, by a module that loads much."""
    from svc.media.text import read_aloud as reader

    return reader.read(*line)
