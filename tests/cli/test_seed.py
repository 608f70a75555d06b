"""``seed``: demo partners that can play at once."""

import json

import pytest
from click.testing import CliRunner
from support import plain_sql

from svc.cli import commands
from svc.store.database import db

NAMES = {
    "partnerId",
    "liveKey",
    "testKey",
    "liveAccountId",
    "sandboxAccountId",
    "avatarId",
    "languageId",
    "countryId",
    "projectTypeSlug",
}


@pytest.fixture
def seed(tmp_path, monkeypatch):
    """Run ``seed`` with these words on a data directory of its own; what it printed."""
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path / "data"))

    def run(*words: str) -> str:
        done = CliRunner().invoke(commands.main, ["seed", *words], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    yield run
    db.close()


def test_a_partner_is_printed_as_one_json_object(seed):
    made = json.loads(seed("--json"))
    assert made.keys() == NAMES
    assert made["testKey"].startswith("svc_test_")
    assert made["liveKey"].startswith("svc_live_")


def test_each_call_makes_another_partner(seed):
    assert json.loads(seed("--json"))["partnerId"] != json.loads(seed("--json"))["partnerId"]


def test_many_partners_are_printed_one_a_line(seed):
    made = [
        json.loads(line)
        for line in seed("--json", "--partners", "3", "--tier", "Free").splitlines()
    ]
    assert len({each["partnerId"] for each in made}) == 3
    assert [each["tier"] for each in plain_sql.rows("SELECT tier FROM partners")] == ["Free"] * 3


def test_without_json_the_list_is_for_people(seed):
    printed = dict(line.split() for line in seed().splitlines())
    assert printed.keys() == NAMES


def test_an_unknown_tier_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path))
    refused = CliRunner().invoke(commands.main, ["seed", "--tier", "Gold"])
    assert refused.exit_code == 2
    assert "'Free', 'Standard', 'Enterprise'" in refused.output


@pytest.mark.sqlite("looks into the file")
def test_the_keys_are_not_in_the_data_directory(seed, tmp_path):
    made = json.loads(seed("--json"))
    db.close()
    kept = b"".join(each.read_bytes() for each in (tmp_path / "data").rglob("*") if each.is_file())
    assert made["partnerId"].encode() in kept
    assert made["liveKey"].encode() not in kept
    assert made["testKey"].encode() not in kept


def test_a_seeded_account_has_a_platform_of_each_shape_and_three_avatars(seed):
    made = json.loads(seed("--json"))
    for account in ("liveAccountId", "sandboxAccountId"):
        sql = "SELECT platform FROM connected_platforms WHERE account_id = ? ORDER BY platform"
        assert [each["platform"] for each in plain_sql.rows(sql, (made[account],))] == [
            "Watch",
            "WatchVertical",
        ]
    assert plain_sql.row("SELECT COUNT(*) FROM avatars")[0] == 3
