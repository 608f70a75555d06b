"""Partners of a server that runs beside the tests."""

import pytest

from svc.base import clock
from svc.cli.installation import seed
from svc.store import database


@pytest.fixture(scope="module")
def enrol():
    """Make a partner in the database of a running server: ``enrol(data_dir, tier="Enterprise")``; what ``seed`` prints."""

    def make(data_dir, tier: str = "Enterprise") -> dict:
        database.open_database(data_dir / "service.db")
        try:
            return seed.make_partner(tier, clock.now())
        finally:
            database.close_database()

    return make


def brief(seeded: dict, **more) -> dict:
    return {name: seeded[name] for name in ("languageId", "countryId", "avatarId")} | {"topic": "A small one", **more}
