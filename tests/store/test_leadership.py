"""Which server drives where several share a PostgreSQL: the one that holds the lock,
unless it is silent.
"""

import time

import pytest

from svc.store.postgres.leadership import Leadership

pytestmark = pytest.mark.judges


@pytest.fixture
def servers(postgres, tmp_path):
    """Two servers on one database."""
    address = postgres.make(tmp_path.name.lower())
    both = [Leadership(address, tmp_path / name) for name in ("one", "two")]
    yield both
    for each in both:
        each.release()


def drives(server: Leadership, *given) -> bool:
    """Whether a server drives in the end; PostgreSQL frees the lock of a connection that it ends
    in a moment.
    """
    deadline = time.monotonic() + 10
    while not server.take(*given):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def test_one_drives_until_it_lets_another_one(servers):
    first, second = servers
    assert first.take("one:1") and not second.take("two:1")
    assert first.take("one:1") and first.holds() and not second.holds()
    first.release()
    assert drives(second, "two:1") and not first.take("one:1")


def test_a_silent_one_has_to_give_up_its_lock_and_learns_it(servers):
    first, second = servers
    assert first.take("one:1")
    assert not second.take("two:1", ["three:1", "two:1"])  # others are silent
    assert first.holds()
    assert drives(second, "two:1", ["one:1"])
    assert not first.holds() and not first.take("one:1")
    assert second.holds()
