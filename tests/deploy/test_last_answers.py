"""A serving process that ends in good order has every answer in the history,
whether or not it has the engine.
"""

import subprocess
import sys

import pytest

from svc.base import settings
from svc.store import database
from svc.store.database import db
from tests.support import plain_sql
from tests.support.documents import ROOT

# The recorder collects for an hour what it writes at once, so that only the end of the process can
# write it.
PROGRAM = """
from svc.domain.usage import recorder
recorder._BATCH_SECONDS = 3600
import app
from svc.base import clock
from svc.cli.installation import seed
served = app.serving_app()
key = seed.make_partner("Free", clock.now())["testKey"]
assert served.test_client().get("/v1/accounts", headers={"X-API-Key": key}).status_code == 200
"""


@pytest.mark.slow
@pytest.mark.sqlite("starts a process on a data directory of its own")
@pytest.mark.parametrize("engine", ["on", "off"])
def test_an_answer_is_in_the_history_when_the_process_has_ended(tmp_path, engine):
    data_dir = tmp_path / "data"
    environment = {"SVC_DATA_DIR": str(data_dir), "SVC_ENGINE": engine, "PATH": "/usr/bin:/bin"}
    subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, env=environment, check=True, capture_output=True
    )
    database.open_database(settings.read({}, data_dir=data_dir).database)
    try:
        assert [
            row["status_code"] for row in plain_sql.rows("SELECT status_code FROM requests")
        ] == [200]
    finally:
        db.close()
