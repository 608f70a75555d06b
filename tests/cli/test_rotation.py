"""``key-ring``: a rotation beside a running server."""

import pytest
from cast import body
from click.testing import CliRunner

from svc.base import signing
from svc.cli import commands
from svc.store import database

HOOK = {"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": ["production.queued"]}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run ``key-ring`` with a word on the data directory of the application; what it printed."""
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path / "data"))

    def run(word: str) -> str:
        done = CliRunner().invoke(commands.main, ["key-ring", word], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    return run


def secret_of(ring, subscription: dict) -> tuple[str, int]:
    sql = "SELECT secret_version FROM subscriptions WHERE id = ?"
    version = database.row(sql, (subscription["subscriptionId"],))["secret_version"]
    return signing.base64url(signing.webhook_secret(ring, subscription["subscriptionId"], version)), version


def test_a_running_server_gives_new_subscriptions_the_new_key_and_old_ones_keep_theirs(run, app, partner):
    ring = app.extensions["svc"].ring
    old = body(partner.post("/v1/webhooks", json=HOOK))
    assert "master key 2 is in use" in run("rotate")
    new = body(partner.post("/v1/webhooks", json=HOOK))
    assert secret_of(ring, old) == (old["signingSecret"], 1)
    assert secret_of(ring, new) == (new["signingSecret"], 2)


def test_the_keys_are_listed_with_what_depends_on_them_and_without_the_keys(run, app, partner, tmp_path):
    partner.post("/v1/webhooks", json=HOOK)
    run("rotate")
    assert run("list") == "master key 1: 1 webhook subscriptions\nmaster key 2: 0 webhook subscriptions\n"


def test_a_directory_without_a_secret_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path))
    done = CliRunner().invoke(commands.main, ["key-ring", "rotate"])
    assert "There is no secret" in str(done.exception) and list(tmp_path.iterdir()) == []
