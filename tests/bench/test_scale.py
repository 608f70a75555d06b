"""The crowd of the benchmark, a small one: whoever asks beside it is answered,
and what is numbered goes on.
"""

import pytest

from tests.bench import crowd, scale
from tests.support import plain_sql

pytestmark = pytest.mark.sqlite("makes a file of its own")


@pytest.fixture
def world(tmp_path, monkeypatch):
    for name, count in {"PARTNERS": 20, "PRODUCTIONS": 200, "REQUESTS": 500}.items():
        monkeypatch.setattr(crowd, name, count)
    made = scale.World(tmp_path / "data", crowded=True)
    yield made
    made.close()


def test_every_read_is_answered_in_a_crowd(world):
    world.enter()
    assert plain_sql.row("SELECT count(*) FROM productions")[0] > 200
    world.enter()
    assert all(world.ask(path) > 0 for path in world.reads().values())
