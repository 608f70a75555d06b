"""The document as a file, and the programs from npm that read it."""

from pathlib import Path

import pytest

from app import create_app
from svc.base import settings
from svc.store.database import db
from tests.support.npm import npm as npm
from tests.support.npm import npm_folder as npm_folder


@pytest.fixture(scope="session")
def openapi(tmp_path_factory) -> Path:
    """The OpenAPI document of a service under an ordinary address."""
    folder = tmp_path_factory.mktemp("openapi")
    app = create_app(
        settings.read({}, data_dir=folder / "data", base_url="https://media.partner.test")
    )
    path = folder / "openapi.json"
    path.write_bytes(app.test_client().get("/openapi.json").get_data())
    app.extensions["svc"].recorder.stop()
    db.close()
    return path
