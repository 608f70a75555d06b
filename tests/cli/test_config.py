"""``config`` shows the settings that hold, where each comes from, and no secret."""

import json
from dataclasses import field, fields, make_dataclass

import pytest
from click.testing import CliRunner

from svc.base import settings
from svc.base.settings import Settings
from svc.cli import commands
from svc.cli.installation import config

TOKEN, PASSWORD = "a-token-of-many-letters", "hunter2hunter2"


@pytest.fixture
def shown(monkeypatch, tmp_path):
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("SVC_METRICS_TOKEN", TOKEN)
    monkeypatch.setenv("SVC_ALERT_URLS", f"mailto://me:{PASSWORD}@example.com,tgram://{PASSWORD}/1")
    monkeypatch.setenv("SVC_ALIVE_URL", f"https://alive.example.com/{PASSWORD}")
    monkeypatch.setenv("SVC_SCRIPT_URL", f"https://me:{PASSWORD}@models.example.com/v1")
    monkeypatch.setenv("SVC_SCRIPT_MODEL", "writer-2")

    def run(*words: str) -> str:
        return CliRunner().invoke(commands.main, ["config", *words], catch_exceptions=False).output

    return run


def test_every_setting_is_shown_with_where_it_comes_from(shown, tmp_path):
    rows = {row["setting"]: row for row in json.loads(shown("--json"))}
    assert rows.keys() == {settings.name_variable(field.name) for field in fields(Settings)}
    assert rows["SVC_DATA_DIR"] == {
        "setting": "SVC_DATA_DIR",
        "value": str(tmp_path),
        "source": "environment",
    }
    assert rows["SVC_BACKUP_KEEP"] == {
        "setting": "SVC_BACKUP_KEEP",
        "value": "7",
        "source": "default",
    }
    assert rows["SVC_MEDIA_DAYS"]["value"] == "0"


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_no_secret_is_shown(shown, words):
    text = shown(*words)
    assert "SVC_METRICS_TOKEN" in text and "set, not shown" in text
    assert TOKEN not in text and PASSWORD not in text


def test_a_further_setting_that_may_be_a_secret_is_masked():
    further = make_dataclass("Further", [("code", str, field(default="", repr=False))])
    assert config._format_value(fields(further)[0], PASSWORD) == config._MASK
