"""The fixtures of tests that need a partner and a subscription in the tables, and no application.

A test module takes them by their names, as those of the same name in ``conftest.py`` belong to the
application: ``partner, subscription = outbox_fixtures.partner, outbox_fixtures.subscription``.
"""

from collections.abc import Iterator

import pytest
from support.outbox import Partner

from svc.store import database
from svc.store.database import db


@pytest.fixture
def partner(tmp_path) -> Iterator[Partner]:
    """A partner in a database of its own."""
    database.open_database(tmp_path / "service.db")
    yield Partner()
    db.close()


@pytest.fixture
def subscription(partner) -> dict:
    """A subscription of ``partner``, with its signing secret."""
    return partner.subscribe()
