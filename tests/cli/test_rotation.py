"""``key-ring`` beside a running server: a rotation, and a key that is retired;
``audit`` shows them.
"""

import json
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner
from support import outbox, plain_sql
from support.cast import body, refused

from svc.base.crypto import signing
from svc.cli import commands
from svc.domain import master_keys
from svc.domain.audit import audit, audit_chain
from svc.domain.paging import Page
from svc.domain.webhooks import attempts as delivery_attempts
from svc.store import database
from svc.store.database import db

pytestmark = pytest.mark.sqlite(
    "its commands share the connection that the application has open to the file"
)

HOOK = {"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": ["production.queued"]}


def command(*words: str):
    """Run a command in this process, whose application has the database open already."""
    with pytest.MonkeyPatch.context() as patched:
        if not db.peewee_database.is_closed():
            patched.setattr(database, "open_database", lambda *_: None)
        return CliRunner().invoke(commands.main, words)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run ``key-ring`` with a word on the data directory of the application; what it printed."""
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path / "data"))

    def run(word: str) -> str:
        done = command("key-ring", word)
        assert done.exit_code == 0, done.output
        return done.output

    return run


def secret_of(ring, subscription: dict) -> tuple[str, int]:
    sql = "SELECT secret_version FROM subscriptions WHERE id = ?"
    version = plain_sql.row(sql, (subscription["subscriptionId"],))["secret_version"]
    return signing.encode_base64url(
        signing.derive_webhook_secret(ring, subscription["subscriptionId"], version)
    ), version


def test_a_running_server_gives_new_subscriptions_the_new_key_and_old_ones_keep_theirs(
    run, app, partner
):
    ring = app.extensions["svc"].ring
    old = body(partner.post("/v1/webhooks", json=HOOK))
    assert "master key 2 is in use" in run("rotate")
    new = body(partner.post("/v1/webhooks", json=HOOK))
    assert secret_of(ring, old) == (old["signingSecret"], 1)
    assert secret_of(ring, new) == (new["signingSecret"], 2)


def test_the_keys_are_listed_with_what_depends_on_them_and_without_the_keys(
    run, app, partner, tmp_path
):
    partner.post("/v1/webhooks", json=HOOK)
    run("rotate")
    assert run("list") == "master key 1: 1 webhook\nmaster key 2: 0 webhooks\n"


def test_a_directory_without_a_secret_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path))
    done = CliRunner().invoke(commands.main, ["key-ring", "rotate"])
    assert "There is no secret" in str(done.exception) and list(tmp_path.iterdir()) == []


@pytest.fixture
def retire(tmp_path, monkeypatch):
    """Run ``key-ring retire`` with words; the result."""
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path / "data"))
    return lambda *words: command("key-ring", "retire", *words)


def test_the_newest_key_and_one_that_is_unknown_are_not_retired(retire, run, app, partner):
    assert "call `key-ring rotate` before" in str(retire("1", "--yes").exception)
    run("rotate")
    assert "no master key 7; those in use: 1, 2" in str(retire("7", "--yes").exception)
    assert app.extensions["svc"].ring.versions == [2, 1]


def test_without_yes_what_would_break_is_listed_and_nothing_is_changed(retire, run, app, partner):
    hook = body(partner.post("/v1/webhooks", json=HOOK))
    run("rotate")
    done = retire("1")
    assert done.exit_code and "--yes" in str(done.exception)
    assert (
        hook["subscriptionId"] in done.output
        and HOOK["endpointUrl"] in done.output
        and "LINK_INVALID" in done.output
    )
    assert secret_of(app.extensions["svc"].ring, hook) == (hook["signingSecret"], 1)


def test_whose_authenticator_app_would_show_wrong_codes_is_listed_before_a_key_is_retired(
    retire, run, operator
):
    [person, email] = plain_sql.row("SELECT id, email FROM users WHERE partner_id IS NULL")
    with db.transaction():
        plain_sql.execute("INSERT INTO second_factors VALUES (?, ?, 1, 0, 1, 1)", (person, b"\0"))
    run("rotate")
    assert (
        "1 person show codes that are refused" in retire("1").output
        and f"    {email}\n" in retire("1").output
    )


def test_a_stolen_key_that_is_retired_signs_nothing_more_in_a_running_server(
    retire, run, app, partner, stranger, operator, clock
):
    ring, storage = app.extensions["svc"].ring, app.extensions["svc"].storage
    stolen = dict(ring._keys)
    hook, deleted = (
        body(partner.post("/v1/webhooks", json=HOOK)),
        body(partner.post("/v1/webhooks", json=HOOK)),
    )
    partner.delete(f"/v1/webhooks/{deleted['subscriptionId']}")
    link, _ = storage.make_link("a-file", clock())
    assert operator.get("/console/").status_code == 200
    run("rotate")
    assert operator.get("/console/").status_code == 200  # a rotation alone signs nobody out
    kept = body(stranger.post("/v1/webhooks", json=HOOK))

    assert retire("1", "--yes").exit_code == 0
    assert secret_of(ring, kept) == (kept["signingSecret"], 2)
    assert secret_of(ring, hook)[1] == secret_of(ring, deleted)[1] == 2
    forged = signing.derive_webhook_secret(signing.KeyRing(stolen), hook["subscriptionId"], 1)
    assert signing.encode_base64url(forged) == hook["signingSecret"] != secret_of(ring, hook)[0]
    refused(
        partner.client.get(urlsplit(link).path + "?" + urlsplit(link).query), 403, "LINK_INVALID"
    )
    assert operator.get("/console/").status_code == 303  # to signing in
    assert app.extensions["svc"].settings.secret.read_text().startswith("2:")
    actions = [
        (each["action"], each["subjectId"]) for each in audit.list_page(Page(), action=None)["data"]
    ]
    assert ("webhook.secret", hook["subscriptionId"]) in actions and (
        "webhook.secret",
        kept["subscriptionId"],
    ) not in actions
    assert {"key-ring.rotate", "key-ring.retire"} <= {action for action, _ in actions}
    assert audit_chain.verify().broken_id is None


def test_deliveries_go_on_after_a_key_is_retired_signed_with_the_new_secret(
    retire, run, app, partner, clock
):
    hook = body(partner.post("/v1/webhooks", json=HOOK))
    run("rotate")
    partner.trigger()  # queued before
    retire("1", "--yes")
    ring, [claimed] = app.extensions["svc"].ring, outbox.claim(clock())
    headers = delivery_attempts.make_request_headers(ring, claimed, clock())
    secret = signing.derive_webhook_secret(ring, hook["subscriptionId"], 2)
    assert headers["X-SERVICE-Signature"] == signing.make_service_signature(secret, claimed.body)


def test_two_retirements_at_once_leave_a_ring_that_is_whole(retire, run, app, clock):
    run("rotate")
    run("rotate")
    with ThreadPoolExecutor(2) as threads:
        list(
            threads.map(
                lambda version: master_keys.retire(
                    app.extensions["svc"].settings.secret, version, clock()
                ),
                (1, 2),
            )
        )
    assert app.extensions["svc"].ring.versions == [3]


def test_the_audit_log_is_verified_and_exported_by_commands(run, app, partner, tmp_path):
    run("rotate")
    whole = command("audit", "verify")
    assert whole.exit_code == 0 and whole.output.startswith("whole: 1 entry")
    head = whole.output.split()[whole.output.split().index("head") + 1].strip(";")
    exported = command("audit", "export", str(tmp_path / "log.jsonl"))
    assert exported.exit_code == 0, exported.output
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [each["action"] for each in lines] == ["key-ring.rotate", "audit.export"]
    assert lines[0]["hash"] == head and (tmp_path / "log.jsonl").stat().st_mode & 0o777 == 0o600
    again = command("audit", "export", str(tmp_path / "log.jsonl"))
    assert "already exists" in str(again.exception)
    told = command("audit", "verify", "--head", head, "--json")
    assert (told.exit_code, json.loads(told.output)["whole"]) == (0, True)
    assert command("audit", "verify", "--head", "00").exit_code == 1
    with db.transaction():
        plain_sql.execute("UPDATE audit SET actor = 'bob' WHERE id = 1")
    broken = command("audit", "verify")
    assert broken.exit_code == 1 and broken.output.startswith("broken: entry 1 was changed")


def test_an_export_of_a_partner_is_entered(run, app, partner, tmp_path):
    assert (
        command(
            "partner", "export", partner.seeded["partnerId"], str(tmp_path / "partner.tar")
        ).exit_code
        == 0
    )
    [entry] = audit.list_page(Page(), action="partner.export")["data"]
    assert entry["partnerId"] == partner.seeded["partnerId"] and entry["after"]["rows"] > 0
