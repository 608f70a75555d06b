"""The generated Python client drives a production from trigger to download,
against a real server that really renders.
"""

import hashlib
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from svc.base import clock, settings
from svc.cli.demo.demo_server import Server
from svc.cli.installation import seed
from svc.store import database
from svc.store.database import db
from tests.contract.test_earlier_document import EARLIER

pytestmark = [pytest.mark.contract, pytest.mark.slow]

PATIENCE = 1200  # seconds until a production must have been published
NOTES = "## The moon pulls\n\nThe sea rises towards the moon."


@pytest.fixture(params=["today's", "earlier"])
def generated(request, openapi, tmp_path, monkeypatch):
    """The client's package, importable as ``partner_production_api_client``: of this document,
    or of an earlier one.
    """
    program = Path(sys.executable).with_name("openapi-python-client")
    document = EARLIER if request.param == "earlier" else openapi
    config = tmp_path / "config.yaml"
    config.write_text("post_hooks: []\n")  # the code is run, not read
    command = [
        str(program),
        "generate",
        "--path",
        str(document),
        "--config",
        str(config),
        "--fail-on-warning",
    ]
    made = subprocess.run(
        [*command, "--output-path", str(tmp_path / "client")],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    monkeypatch.syspath_prepend(str(tmp_path / "client"))
    for name in [name for name in sys.modules if name.startswith("partner_production_api_client")]:
        monkeypatch.delitem(sys.modules, name)  # that of another document


@pytest.fixture
def server(tmp_path):
    folder = tmp_path / "data"
    with Server(folder, 0) as running:
        database.open_database(settings.read({}, data_dir=folder).database)
        running.key = seed.make_partner("Enterprise", clock.now())["testKey"]
        db.close()
        yield running


def test_a_generated_python_client_drives_a_production_from_trigger_to_download(generated, server):
    from partner_production_api_client import AuthenticatedClient
    from partner_production_api_client.api.accounts import (
        list_accounts,
        list_countries,
        list_languages,
    )
    from partner_production_api_client.api.deliverables import list_deliverables
    from partner_production_api_client.api.files import download
    from partner_production_api_client.api.productions import (
        get_production,
        list_events,
        trigger_production,
    )
    from partner_production_api_client.models import Brief, ProductionStatus

    with AuthenticatedClient(
        server.address, server.key, prefix="", auth_header_name="X-API-Key"
    ) as client:
        account = list_accounts.sync(client=client).data[0]
        language = next(
            each for each in list_languages.sync(client=client).data if each.code == "en"
        )
        country = next(
            each for each in list_countries.sync(client=client).data if each.code == "US"
        )
        brief = Brief(
            topic="How tides work",
            language_id=language.language_id,
            country_id=country.country_id,
            avatar_id=account.avatars[0].avatar_id,
            metadata_md=NOTES,
        )
        production = trigger_production.sync(
            account.account_id, client=client, body=brief, idempotency_key="order-1"
        )
        assert production.status == ProductionStatus.QUEUED

        deadline = time.monotonic() + PATIENCE
        while production.poll_after_seconds is not None and time.monotonic() < deadline:
            time.sleep(0.5)
            production = get_production.sync(production.production_id, client=client)
        assert production.status == ProductionStatus.PUBLISHED, production
        assert (
            list_events.sync(production.production_id, client=client).data[-1].event_type
            == "production.published"
        )

        files = list_deliverables.sync(production.production_id, client=client).data
        assert {each.type_.value for each in files} >= {
            "Video",
            "ClosedCaptions",
            "Transcript",
            "ComplianceCertificate",
        }
        for each in files:
            link = dict(parse_qsl(urlsplit(each.sas_url).query))
            content = download.sync(each.deliverable_id, client=client, **link).payload.read()
            assert (len(content), hashlib.sha256(content).hexdigest()) == (
                each.size_bytes,
                each.sha256,
            )
