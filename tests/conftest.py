"""The application on a data directory of its own, a partner, and a stranger."""

import functools
import os
import shutil
from pathlib import Path

import jinja2
import pytest
from jinja2.bccache import Bucket
from support.cast import Browser, Clock, Person
from werkzeug.routing import Rule

from app import create_app
from svc.base import settings
from svc.cli.installation import seed
from svc.domain.people import passwords, users
from svc.domain.people.audit import Actor
from svc.store import database, schema


@pytest.fixture(scope="session", autouse=True)
def rules_compiled_once():
    """Every test makes an application, whose routes werkzeug compiles: the code is the same each time, and half of the work."""
    compiled, compile_builder = {}, Rule._compile_builder

    @functools.wraps(compile_builder)
    def once(rule, append_unknown=True):
        key = rule.rule, rule.subdomain, repr(rule.defaults), append_unknown
        if key not in compiled:
            compiled[key] = compile_builder(rule, append_unknown)
        return compiled[key]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Rule, "_compile_builder", once)
        yield


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


@pytest.fixture
def app(tmp_path, clock, fresh_database, compiled_templates):
    """The application; no engine drives it, so that a test decides what happens when."""
    given = settings.read({"SVC_VOICE": "espeak-ng"}, data_dir=tmp_path / "data", base_url="http://localhost")
    given.data_dir.mkdir(mode=0o700)
    shutil.copy(fresh_database, given.database)
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
