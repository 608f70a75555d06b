"""The application on a data directory of its own, a partner, and a stranger."""

import copy
import functools
import gc
import os
import re
import shutil
import signal
from dataclasses import dataclass
from pathlib import Path

import flask
import hypothesis
import jinja2
import pytest
from _pytest.runner import runtestprotocol
from jinja2.bccache import Bucket
from support.cast import Browser, Clock, Person
from werkzeug.routing import Map

from app import create_app
from svc.application import Application, assemble, equip
from svc.base import settings, threads
from svc.base.settings import Settings
from svc.cli.installation import seed
from svc.domain.audit.audit import Actor
from svc.domain.people import passwords, users
from svc.media.meaning import second_encoder
from svc.store import database
from svc.store.database import db
from svc.store.engine import schema
from svc.store.sqlite import engine as sqlite_engine

hypothesis.settings.load_profile("ci")  # the same examples each time, and as much time as they need

# Renamed, because it is no setting of the service; the processes of xdist inherit it.
if "SVC_TEST_DATABASE_URL" in os.environ:
    os.environ["TEST_DATABASE_URL"] = os.environ.pop("SVC_TEST_DATABASE_URL")
DATABASES = None
if os.environ.get("TEST_DATABASE_URL"):
    from support import on_postgres

    DATABASES = on_postgres.install(os.environ["TEST_DATABASE_URL"])


MEMORY = Path("/dev/shm")
ENOUGH = 4 << 30  # bytes


def pytest_configure(config):
    """Let Ctrl-C end what tests start, and let fast tests, which write two gigabytes in all,
    keep their folders in memory.
    """
    # a shell has jobs in the background ignore it
    signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.disable()  # what is imported and collected stays; see pytest_collection_finish
    # somebody chose a place for the folders
    chosen = {"TMPDIR", "PYTEST_DEBUG_TEMPROOT"} & os.environ.keys()
    fast = "not slow" in config.option.markexpr and not chosen
    if fast and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ENOUGH:
        os.environ["PYTEST_DEBUG_TEMPROOT"] = str(MEMORY)


EXPENSIVE = {"slow", "browser", "judges", "contract"}  # markers
# seconds until an expensive test counts as hung; .pytest.ini has those of the others
PATIENCE = 1800


def pytest_collection_modifyitems(config, items):
    """Give expensive tests their time.

    On PostgreSQL, run what touches the database, but nothing about SQLite's file.
    """
    for item in items:
        if (
            "timeout" not in (marks := {mark.name for mark in item.iter_markers()})
            and marks & EXPENSIVE
        ):
            item.add_marker(pytest.mark.timeout(PATIENCE))
    if DATABASES:
        left_out = {
            item
            for item in items
            if item.get_closest_marker("sqlite") or not touches_database(item)
        }
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


def pytest_ignore_collect(collection_path, config):
    """Do not import a file whose every test is left out by its mark:
    they are a fifth of the collection, in each process.
    """
    left_out = config.option.markexpr
    if collection_path.suffix != ".py" or "(" in left_out or " or " in left_out:
        return None
    marks = OF_THE_FILE.search(source(collection_path))
    named = {f"not {mark}" for mark in MARK.findall(marks[0])} if marks else set()
    return True if named & set(left_out.split(" and ")) else None  # None: others may say


@pytest.hookimpl(tryfirst=True, specname="pytest_runtest_protocol")
def pytest_runtest_protocol_in_short(item, nextitem):
    """Report nothing of a test that passes but that: in a process of xdist, each report is a
    message to the one that prints, and five of them took half as long as an empty test.
    """
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


OF_THE_FILE, MARK = (
    re.compile(r"^pytestmark = .*", re.MULTILINE),
    re.compile(r"pytest\.mark\.(\w+)"),
)


def needs_both_encoders(item) -> bool:
    """Return whether a test is about which pictures are chosen, or is of whole productions.

    The second encoder takes half the time of a script, and most scripts of fast tests are about
    something else: they are written as on a machine that has the first alone.
    """
    marks = {mark.name for mark in item.iter_markers()}
    return bool(marks & {*EXPENSIVE, "both_encoders"})


def touches_database(item) -> bool:
    return "app" in item.fixturenames or "svc.store" in source(item.path)


@functools.cache
def source(path: Path) -> str:
    return path.read_text("utf-8")


def pytest_collection_finish():
    """Collect garbage rarely, and never again look through what was imported:
    both took a tenth of the time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 10)
    gc.enable()


def pytest_sessionfinish():
    if DATABASES:
        DATABASES.close()


@pytest.fixture(scope="session", autouse=True)
def routes_added_once():
    """Every application has the same routes: all of a process share the first one's,
    and only their views are their own.
    """
    routes, added, add_url_rule = Map(), set(), Application.add_url_rule

    @functools.wraps(add_url_rule)
    def add_once(
        app, rule, endpoint=None, view_func=None, provide_automatic_options=None, **options
    ):
        key = rule, endpoint, tuple(options.get("methods") or ())
        if key in added:
            app.view_functions.setdefault(endpoint, view_func)
        else:
            add_url_rule(app, rule, endpoint, view_func, provide_automatic_options, **options)
            added.add(key)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Application, "url_map_class", staticmethod(lambda **_: routes))
        patched.setattr(Application, "add_url_rule", add_once)
        yield


class CompiledTemplates(jinja2.BytecodeCache):
    """The code of every template that was rendered, for the applications of all tests
    of a process.
    """

    def __init__(self):
        self._code = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._code.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._code[bucket.key, bucket.checksum] = bucket.code


@pytest.fixture(scope="session", autouse=True)
def templates_compiled_once():
    """Also those of applications that a test makes itself."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            flask.Flask,
            "jinja_options",
            {**flask.Flask.jinja_options, "bytecode_cache": CompiledTemplates()},
        )
        yield


@pytest.fixture(scope="session", autouse=True)
def disk_not_waited_for():
    """Nothing is lost with the power in this process; processes that a test starts wait for the
    disk as ever.
    """
    with pytest.MonkeyPatch.context() as patched:
        for name in ("fsync", "fdatasync"):
            # OSError: the file is closed
            patched.setattr(os, name, lambda file: os.fstat(file) and None)
        patched.setitem(sqlite_engine._PRAGMAS, "synchronous", "off")
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Begin each test with what is one for a process and what tests change: as no fixtures of
    every test, this takes a tenth of the time.
    """
    before = os.umask(0o022)  # which commands that are run in this process set
    os.umask(before)
    shares, threads.thread_shares = threads.thread_shares, threads.ThreadShares(128)
    is_available = second_encoder.is_available
    if not needs_both_encoders(item):
        second_encoder.is_available = lambda: False
    try:
        return (yield)
    finally:
        second_encoder.is_available = is_available
        threads.thread_shares = shares
        os.umask(before)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def fresh_database(tmp_path_factory) -> Path:
    """A database that was just made: to copy it takes a tenth of the time."""
    path = tmp_path_factory.mktemp("fresh") / "service.db"
    schema.prepare(path).close()
    return path


COPIES: set[Path] = set()  # databases that nobody has opened since they were copied


@pytest.fixture(scope="session", autouse=True)
def tables_created_once(fresh_database):
    """Every database that a test makes is a copy of it; what its folder is checked for is
    checked as ever.

    Nobody asks for the version of a copy's schema: that takes as long as to open it for use.
    """
    create_or_migrate, content = schema._create_or_migrate, fresh_database.read_bytes()
    is_current = schema._is_current
    # whose folder is not listed again for each database
    migrations, ours = schema.list_migrations, schema.list_migrations()

    def copied(path: Path, folder: Path, newest: int) -> None:
        if path.exists() or folder != schema.MIGRATIONS or schema.find_trace_of_use(path.parent):
            create_or_migrate(path, folder, newest)
        else:
            path.touch(mode=0o600)
            path.write_bytes(content)
            COPIES.add(path)

    def is_copy_or_current(path: Path, newest: int) -> bool:
        is_copy = path in COPIES
        COPIES.discard(path)
        return (is_copy and newest == schema.VERSION) or is_current(path, newest)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(schema, "_create_or_migrate", copied)
        patched.setattr(schema, "_is_current", is_copy_or_current)
        patched.setattr(
            schema,
            "list_migrations",
            lambda folder=schema.MIGRATIONS: (
                dict(ours) if folder == schema.MIGRATIONS else migrations(folder)
            ),
        )
        yield


def settings_for(data_dir: Path) -> Settings:
    return settings.read({"SVC_VOICE": "espeak-ng"}, data_dir=data_dir, base_url="http://localhost")


@dataclass
class Started:
    """A data directory in which the application was started, for copies,
    and what ``seed`` printed of its only partner.
    """

    folder: Path
    seeded: dict[str, str] | None = None

    def copy_to(self, given: Settings) -> None:
        given.data_dir.mkdir(mode=0o700)
        for path in (given.database, given.secret):
            shutil.copy(self.folder / path.name, path)
        COPIES.add(given.database)


@pytest.fixture(scope="session")
def started_once(tmp_path_factory, fresh_database) -> Started:
    """The database and the master key that its rows name."""
    folder = tmp_path_factory.mktemp("started")
    shutil.copy(fresh_database, folder)
    started = create_app(settings_for(folder), Clock())
    started.extensions["svc"].recorder.stop()
    db.close()
    assert not (folder / "service.db-wal").exists()  # the copies have all of it
    return Started(folder)


@pytest.fixture(scope="session")
def seeded_once(tmp_path_factory, started_once) -> Started:
    """The same with a partner on the Enterprise tier: to make one takes as long as to
    start the application.
    """
    given = settings_for(tmp_path_factory.mktemp("seeded") / "data")
    started_once.copy_to(given)
    database.open_database(given.database)
    seeded = seed.make_partner("Enterprise", Clock()())
    db.close()
    assert not given.database.with_name("service.db-wal").exists()
    return Started(given.data_dir, seeded)


@pytest.fixture
def shares() -> threads.ThreadShares:
    """The allocator of threads, of a server with as many as it may have:
    a test that is about their number sets it.
    """
    return threads.thread_shares


@pytest.fixture
def started(request) -> Started:
    """What the test's data directory is a copy of.

    On PostgreSQL, the databases are clones of one that is empty.
    """
    return request.getfixturevalue(
        "seeded_once" if "partner" in request.fixturenames and not DATABASES else "started_once"
    )


@pytest.fixture(scope="session")
def assembled() -> Application:
    """An application with every route: to assemble one takes longer than to start it.

    What tests change before that, such as a table that the document is made of, is not seen by
    it: their file has a fixture of this name that assembles one for each test.
    """
    return assemble()


@pytest.fixture
def app(tmp_path, clock, assembled, started, monkeypatch):
    """The application; no engine drives it, so that a test decides what happens when."""
    # a cancellation waits for no driver, where there is none
    monkeypatch.setattr("svc.api.resources.productions._CANCEL_SECONDS", 0)
    given = settings_for(tmp_path / "data")
    started.copy_to(given)
    made = copy.copy(assembled)
    made.config, made.extensions = copy.copy(assembled.config), dict(assembled.extensions)
    equip(made, given, clock)
    yield made
    made.extensions["svc"].recorder.stop()
    db.close()


@pytest.fixture
def person(app, clock):
    """Make somebody: ``person(tier="Free")``."""

    def make(tier: str = "Enterprise") -> Person:
        seeded = seed.make_partner(tier, clock())
        return Person(app.test_client(), seeded, seeded["testKey"])

    return make


@pytest.fixture
def partner(app, person, started) -> Person:
    """A partner on the Enterprise tier, with its test key."""
    if started.seeded is None:
        return person()
    return Person(app.test_client(), dict(started.seeded), started.seeded["testKey"])


@pytest.fixture
def stranger(person) -> Person:
    """Another partner, who must reach nothing of the first one."""
    return person()


@pytest.fixture
def cheap_passwords(monkeypatch):
    """scrypt that costs next to nothing."""
    monkeypatch.setattr(passwords, "_COST", 2)
    monkeypatch.setattr(passwords, "_PASSES", 1)
    monkeypatch.setattr(passwords, "_NOBODY", f"scrypt:2:8:1:{bytes(16).hex()}:{bytes(32).hex()}")


@pytest.fixture
def somebody(app, clock, cheap_passwords):
    """Make a person and their browser: ``somebody("owner", partner_id)``."""

    def make(role: str, partner_id: str | None = None, email: str | None = None) -> Browser:
        number = len(users.list_users(partner_id))
        email = email or f"{role}-{number}-{(partner_id or 'us')[-12:]}@example.com"
        actor = Actor(None, "the tests")
        made = users.add(
            actor, email, f"{role.title()} {number}", "correct horse", role, partner_id, clock()
        )
        return Browser(app, made, clock)

    return make


@pytest.fixture
def operator(somebody) -> Browser:
    """An operator's browser."""
    return somebody("operator")


@pytest.fixture
def owner(somebody, partner) -> Browser:
    """The browser of an owner of ``partner``."""
    return somebody("owner", partner.seeded["partnerId"])


@pytest.fixture
def member(somebody, partner) -> Browser:
    """The browser of a member of ``partner``, who only reads."""
    return somebody("member", partner.seeded["partnerId"])
