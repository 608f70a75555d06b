"""Partners of a server that runs beside the tests, and what several machines share:
PostgreSQL and a bucket.
"""

import pytest
from support.postgres_server import postgres as postgres

from svc.base import clock
from svc.cli.installation import seed
from svc.store import database
from svc.store.database import db
from tests.store import buckets


@pytest.fixture(scope="module")
def bucket():
    """The settings of processes that share the bucket ``media``, but for the place in it."""
    with buckets.serving("media") as environment:
        yield environment


@pytest.fixture(scope="module")
def enrol():
    """Make a partner in the database of a running server: ``enrol(data_dir, tier="Enterprise")``;
    what ``seed`` prints.
    """

    def make(data_dir, tier: str = "Enterprise") -> dict:
        database.open_database(data_dir / "service.db")
        try:
            return seed.make_partner(tier, clock.now())
        finally:
            db.close()

    return make


def brief(seeded: dict, **more) -> dict:
    return {name: seeded[name] for name in ("languageId", "countryId", "avatarId")} | {
        "topic": "A small one",
        **more,
    }
