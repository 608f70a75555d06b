"""The application on a data directory of its own, a partner, and a stranger."""

import functools
import os
import shutil
from pathlib import Path

import hypothesis
import jinja2
import pytest
from jinja2.bccache import Bucket
from support.cast import Browser, Clock, Person
from werkzeug.routing import Rule

from app import create_app
from svc.base import settings
from svc.base.settings import Settings
from svc.cli.installation import seed
from svc.domain.people import passwords, users
from svc.domain.people.audit import Actor
from svc.store import database, schema

# No example has a deadline, which by itself is 200 ms; and the examples are the same each time.
hypothesis.settings.load_profile("ci")

# Renamed, because it is no setting of the service; the processes of xdist inherit it.
if "SVC_TEST_DATABASE_URL" in os.environ:
    os.environ["TEST_DATABASE_URL"] = os.environ.pop("SVC_TEST_DATABASE_URL")
DATABASES = None
if os.environ.get("TEST_DATABASE_URL"):
    from support import on_postgres

    DATABASES = on_postgres.install(os.environ["TEST_DATABASE_URL"])


def pytest_collection_modifyitems(config, items):
    """Leave out what is about SQLite's file, if the tests run on PostgreSQL."""
    if DATABASES:
        of_sqlite = [item for item in items if item.get_closest_marker("sqlite")]
        config.hook.pytest_deselected(items=of_sqlite)
        items[:] = [item for item in items if item not in of_sqlite]


def pytest_sessionfinish():
    if DATABASES:
        DATABASES.close()


@pytest.fixture(scope="session", autouse=True)
def rules_compiled_once():
    """Every test makes an application, whose routes werkzeug compiles; the result is always the same."""
    compiled, compile_rule = {}, Rule.compile

    @functools.wraps(compile_rule)
    def once(rule):
        key = rule.rule, rule.subdomain, rule.merge_slashes, repr(rule.defaults), rule.map.host_matching
        if key not in compiled:
            compile_rule(rule)
            compiled[key] = {name: vars(rule)[name] for name in COMPILED}, rule.arguments
        attributes, arguments = compiled[key]
        vars(rule).update(attributes)
        rule.arguments = set(arguments)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Rule, "compile", once)
        yield


COMPILED = ("_parts", "_trace", "_converters", "_build", "_build_unknown")  # what compiling a rule sets, besides its arguments


class CompiledTemplates(jinja2.BytecodeCache):
    """The code of every template that was rendered, for the applications of all tests of a process."""

    def __init__(self):
        self._code = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._code.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._code[bucket.key, bucket.checksum] = bucket.code


@pytest.fixture(scope="session")
def compiled_templates() -> CompiledTemplates:
    return CompiledTemplates()


@pytest.fixture(autouse=True)
def umask_as_it_was():
    """Commands that are run in this process set it."""
    before = os.umask(0o022)
    os.umask(before)
    yield
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


def settings_for(data_dir: Path) -> Settings:
    return settings.read({"SVC_VOICE": "espeak-ng"}, data_dir=data_dir, base_url="http://localhost")


@pytest.fixture(scope="session")
def started_once(tmp_path_factory, fresh_database) -> Path:
    """A data directory in which the application was started: the database and the master key that its rows name."""
    folder = tmp_path_factory.mktemp("started")
    shutil.copy(fresh_database, folder)
    started = create_app(settings_for(folder), Clock())
    started.extensions["svc"].recorder.stop()
    database.close_database()
    assert not (folder / "service.db-wal").exists()  # the copies have all of it
    return folder


@pytest.fixture
def app(tmp_path, clock, started_once, compiled_templates):
    """The application; no engine drives it, so that a test decides what happens when."""
    given = settings_for(tmp_path / "data")
    given.data_dir.mkdir(mode=0o700)
    for path in (given.database, given.secret):
        shutil.copy(started_once / path.name, path)
    made = create_app(given, clock)
    made.jinja_env.bytecode_cache = compiled_templates
    yield made
    made.extensions["svc"].recorder.stop()
    database.close_database()


@pytest.fixture
def person(app, clock):
    """Make somebody: ``person(tier="Free")``."""

    def make(tier: str = "Enterprise") -> Person:
        seeded = seed.make_partner(tier, clock())
        return Person(app.test_client(), seeded, seeded["testKey"])

    return make


@pytest.fixture
def partner(person) -> Person:
    """A partner on the Enterprise tier, with its test key."""
    return person()


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
        number = len(users.of_partner(partner_id))
        email = email or f"{role}-{number}-{(partner_id or 'us')[-12:]}@example.com"
        actor = Actor(None, "the tests")
        made = users.add(actor, email, f"{role.title()} {number}", "correct horse", role, partner_id, clock())
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
