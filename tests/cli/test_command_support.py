"""The operator's commands: what they change, what they print, what they say to a mistake."""

import io
import json
import os
import shlex
import subprocess
import sys
import wave
from pathlib import Path

import click
import fontpkg
import pytest
from click.testing import CliRunner
from support import plain_sql, stage

from svc.base import clock as wall_clock
from svc.base.errors import CommandError, NotFound
from svc.cli import commands, confirm
from svc.cli.records import user
from svc.domain import scopes
from svc.domain.access import key_admin
from svc.domain.audit import audit
from svc.domain.lifecycle import render_queue
from svc.domain.monitoring import maintenance
from svc.domain.paging import Page
from svc.domain.partners import brand_files
from svc.domain.people import sessions, users
from svc.store import database
from svc.store.database import db
from tests.media import small_clips

OPERATING = {
    "partner",
    "customer",
    "account",
    "avatar",
    "key",
    "user",
    "production",
    "webhook",
    "alert",
    "rule",
    "maintenance",
    "audit",
    "queue",
}
APP = Path(__file__).parents[2] / "app.py"


def every_command(group: click.Group, *before: str):
    for name, each in group.commands.items():
        if isinstance(each, click.Group):
            yield from every_command(each, *before, name)
        else:
            yield (*before, name), each


def test_every_command_of_an_operator_speaks_json():
    found = [
        (words, command) for words, command in every_command(commands.main) if words[0] in OPERATING
    ]
    ours = {
        words: {name for each in command.params for name in each.opts} for words, command in found
    }
    assert {words[0] for words in ours} == OPERATING
    assert [words for words, options in ours.items() if "--json" not in options] == []


def test_every_command_says_what_it_is_for():
    assert [words for words, command in every_command(commands.main) if not command.help] == []


def test_a_partner_is_taken_from_nothing_to_a_live_key(run, clock):
    partner = run("partner", "add", "Kettle", "--tier", "Standard", "--json")["id"]
    customer = run("customer", "add", "Tea shop", "--partner", partner, "--json")["id"]
    account = run("account", "add", "Tea", "--customer", customer, "--json")["id"]
    changed = run(
        "account", "set", account, "--monthly-ceiling", "12.5", "--auto-release", "on", "--json"
    )
    assert (changed["monthlyCeiling"], changed["autoRelease"], changed["status"]) == (
        "12.50",
        True,
        "Active",
    )
    shown = run("account", "show", account, "--json")
    assert shown["platforms"] == ["Watch", "WatchVertical"]
    assert {each["slug"] for each in shown["projectTypes"]} == {"explainer", "short", "news-brief"}
    made = run("key", "add", "server", "--partner", partner, "--scope", "all", "--json")[
        "activationKey"
    ]
    assert made.startswith("svc_activate_")
    assert [
        each["name"] for each in run("key", "list-activations", "--partner", partner, "--json")
    ] == ["server"]
    assert len(run("avatar", "list", "--customer", customer, "--json")) == 3
    actions = [each["action"] for each in run("audit", "--partner", partner, "--json")]
    assert actions == [
        "key.activation",
        "account.change",
        "account.add",
        "customer.add",
        "partner.add",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("partner add ''", "NAME: Give 1 to 100 characters"),
        ("partner set {partnerId} --name ''", "--name: Give 1 to 100 characters"),
        ("key add x --partner {partnerId} --account y", "--account: y is not a live account"),
        ("account set-project-type {liveAccountId} A_b --name x --price 1", "SLUG: Use 1 to 40"),
        ("account set {liveAccountId} --monthly-ceiling 12,50", "--monthly-ceiling: Give an amo"),
        ("rule add x --customer y", "There is no customer 'y'."),
        (
            "avatar add x --customer {partnerId} --speaker z",
            "--speaker: 'z' is not one of bf_emma,",
        ),
        ("connection add y nope --set z", "'z' is not FIELD=VALUE."),
        ("rule add x --country xx", "There is no country 'xx'"),
        ("rule add x --country=", "There is no country ''"),  # of a variable that is not set
        ("rule add x --account=", "There is no account ''."),
        ("rule try x --country xx", "There is no country 'xx'"),
        ("rule try x --country=", "There is no country ''"),
    ],
)
def test_what_is_wrong_is_called_as_the_command_calls_it(run, partner, words, said):
    with pytest.raises(CommandError) as refused:
        run(*shlex.split(words.format(**partner.seeded)))
    assert str(refused.value).startswith(said)


@pytest.mark.slow
def test_an_account_is_set_in_a_font_with_its_licence(run, partner):
    account, font = partner.seeded["liveAccountId"], fontpkg.path("Rubik")
    with pytest.raises(CommandError, match="licence: Give 1 to 200 characters"):
        run("account", "set-brand-font", account, str(font))
    assert run(
        "account", "set-brand-font", account, str(font), "--licence", "OFL 1.1", "--json"
    ) == {"font": True}
    assert run("account", "show", account, "--json")["fontLicence"] == "OFL 1.1"
    assert run("account", "set-brand-font", account, "--none", "--json") == {"font": False}
    assert run("account", "show", account, "--json")["fontLicence"] is None


@pytest.mark.slow
def test_an_account_gets_pictures_for_its_briefs_and_loses_them(run, partner, tmp_path):
    account, file = partner.seeded["liveAccountId"], tmp_path / "quay.svg"
    file.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 30"><rect width="40" '
        'height="30"/></svg>'
    )
    assert run("account", "add-picture", account, str(file), "--json") == {"name": "quay.svg"}
    assert run(
        "account", "add-picture", account, str(file), "--name", "The quay.png", "--json"
    ) == {"name": "The quay.png"}
    assert [each["name"] for each in run("account", "pictures", account, "--json")] == [
        "The quay.png",
        "quay.svg",
    ]
    with pytest.raises(CommandError, match=r"such as boat\.png"):
        run("account", "add-picture", account, str(file), "--name", "a/b.png")
    file.write_text("no drawing")
    with pytest.raises(CommandError, match="not a readable picture"):
        run("account", "add-picture", account, str(file))
    assert run("account", "remove-picture", account, "quay.svg", "--yes", "--json") == {
        "name": "quay.svg"
    }
    assert [each["name"] for each in run("account", "pictures", account, "--json")] == [
        "The quay.png"
    ]
    clip = small_clips.write(tmp_path / "quay.mov", 1.0, kind="mov")
    assert run("account", "add-picture", account, str(clip), "--json") == {"name": "quay.mov"}
    assert [each["mediaType"] for each in run("account", "pictures", account, "--json")] == [
        "image/jpeg",
        "video/mp4",
    ]
    clip.write_bytes(clip.read_bytes()[:2000])
    with pytest.raises(CommandError, match="not a readable clip|damaged"):
        run("account", "add-picture", account, str(clip))


@pytest.mark.slow
def test_an_account_gets_a_music_track_with_its_licence_and_loses_it(run, partner, tmp_path):
    account, file = partner.seeded["liveAccountId"], tmp_path / "tune.wav"
    with wave.open(str(file), "wb") as tune:
        tune.setparams((1, 2, 8000, 0, "NONE", ""))
        tune.writeframes(b"\0\x20\0\xe0" * 44_000)
    with pytest.raises(CommandError, match="licence: Give 1 to 200 characters"):
        run("account", "set-music-track", account, str(file))
    assert run(
        "account", "set-music-track", account, str(file), "--licence", "CC BY 4.0", "--json"
    ) == {"track": True}
    assert run("account", "show", account, "--json")["trackLicence"] == "CC BY 4.0"
    file.write_bytes(b"no music")
    with pytest.raises(CommandError, match="not a readable track"):
        run("account", "set-music-track", account, str(file), "--licence", "CC0")
    assert run("account", "set-music-track", account, "--none", "--json") == {"track": False}
    assert run("account", "show", account, "--json")["trackLicence"] is None


@pytest.mark.slow
@pytest.mark.parametrize("place", ["intro", "outro"])
def test_an_account_gets_a_clip_with_its_licence_and_loses_it(run, partner, tmp_path, place):
    account, file = partner.seeded["liveAccountId"], small_clips.write(tmp_path / "clip.mp4", 1.0)
    with pytest.raises(CommandError, match="licence: Give 1 to 200 characters"):
        run("account", f"set-{place}", account, str(file))
    with pytest.raises(CommandError, match="use --none to do without"):
        run("account", f"set-{place}", account)
    assert run(
        "account", f"set-{place}", account, str(file), "--licence", "Order 4711", "--json"
    ) == {place: True}
    assert run("account", "show", account, "--json")[f"{place}Licence"] == "Order 4711"
    assert brand_files.sum_clip_seconds(account) == 1.0
    file.write_bytes(b"no film")
    with pytest.raises(CommandError, match="not a readable clip"):
        run("account", f"set-{place}", account, str(file), "--licence", "CC0")
    assert run("account", f"set-{place}", account, "--none", "--json") == {place: False}
    assert run("account", "show", account, "--json")[f"{place}Licence"] is None
    assert brand_files.sum_clip_seconds(account) == 0.0


def test_a_ceiling_is_taken_off_again(run, partner):
    account = partner.seeded["liveAccountId"]
    assert (
        run("account", "set", account, "--concurrency-ceiling", "3", "--json")["concurrencyCeiling"]
        == 3
    )
    assert (
        run("account", "set", account, "--concurrency-ceiling", "none", "--json")[
            "concurrencyCeiling"
        ]
        is None
    )


def test_an_account_shows_the_full_text_of_prose_or_key_phrases(run, partner):
    account = partner.live().account
    for value, stored in (("on", True), ("off", False)):
        assert run("account", "set", account, "--full-text", value, "--json")["fullText"] is stored


def test_each_project_type_of_an_account_is_shown_in_a_line_of_its_own(run, partner):
    shown = run("account", "show", partner.account)
    at = shown.index("projectTypes")
    first, second, third, after = shown[at:].splitlines()[:4]
    assert '{"slug": "explainer", "name": "Explainer"' in first and after.startswith("fontLicence")
    assert second.strip().startswith('{"slug": "news-brief"') and '"short"' in third


def test_an_account_has_the_scripts_of_its_productions_reviewed_or_not(run, partner):
    account = partner.live().account
    for value, stored in (("on", True), ("off", False)):
        changed = run("account", "set", account, "--script-review", value, "--json")
        assert changed["scriptReview"] is stored


def test_an_account_has_its_logo_as_a_watermark_or_as_it_is(run, partner):
    account = partner.live().account
    assert run("account", "show", account, "--json")["logoStyle"] == "mark"
    for style in ("watermark", "mark"):
        assert run("account", "set", account, "--logo-style", style, "--json")["logoStyle"] == style


def test_an_account_shows_a_lower_third_with_the_role_of_an_avatar(run, partner):
    account, avatar = partner.live().account, partner.seeded["avatarId"]
    for value, stored in (("on", True), ("off", False)):
        assert (
            run("account", "set", account, "--lower-third", value, "--json")["lowerThird"] is stored
        )
    assert (
        run("avatar", "set", avatar, "--role", "Chief economist", "--json")["looks"]["role"]
        == "Chief economist"
    )
    assert run("avatar", "set", avatar, "--role", "", "--json")["looks"]["role"] == ""
    with pytest.raises(CommandError, match="--role: Give 0 to 60 characters on one line"):
        run("avatar", "set", avatar, "--role", "x" * 61)


def test_an_account_gets_music_under_its_speech_and_loses_it(run, partner):
    account = partner.live().account
    assert run("account", "show", account, "--json")["music"] == "look"
    for mood in ("bright", "none", "look"):
        assert run("account", "set", account, "--music", mood, "--json")["music"] == mood


def test_a_mistake_names_the_option_and_what_would_be_right(run, partner):
    account = partner.seeded["liveAccountId"]
    with pytest.raises(CommandError) as refused:
        run("account", "set", account, "--monthly-ceiling", "twelve", "--accent", "blue")
    assert "--monthly-ceiling: Give an amount such as 12.50" in str(refused.value)
    assert "--accent: Give a colour such as #3d7eff." in str(refused.value)
    with pytest.raises(click.UsageError) as refused:
        run("account", "sett", account)
    assert "Did you mean one of: 'set'" in refused.value.format_message()
    with pytest.raises(NotFound, match="no partner 'nobody'"):
        run("partner", "show", "nobody")
    assert audit.list_page(Page())["data"] == []


def test_a_list_of_a_partner_customer_or_account_that_there_is_not_is_refused(run):
    narrowed = 0
    for words, listing in every_command(commands.main):
        if words[0] not in OPERATING or not words[-1].startswith("list"):
            continue
        options = {name: option for option in listing.params for name in option.opts}
        for kind in ("partner", "customer", "account"):
            if f"--{kind}" not in options:
                continue
            for unknown in ("nobody", ""):  # an empty one, as of a variable that is not set
                with pytest.raises(NotFound, match=f"There is no {kind} '{unknown}'"):
                    run(*words, f"--{kind}", unknown)
            narrowed += 1
    assert narrowed == 11
    with pytest.raises(NotFound, match="no partner 'nobody'"):
        run("audit", "--partner", "nobody")
    with pytest.raises(NotFound, match="no account 'nobody'"):
        run("rule", "try", "Tides", "--account", "nobody")


def test_what_was_done_to_a_partner_that_is_erased_is_still_listed(run):
    partner = run("partner", "add", "Orchid", "--json")["id"]
    run("partner", "erase", partner, "--yes")
    entries = run("audit", "--partner", partner, "--json")
    assert "partner.erase" in [entry["action"] for entry in entries]


def test_alerts_of_a_name_that_there_is_not_are_refused_with_those_that_there_are(run):
    assert run("alert", "list", "--name", "BackupOld", "--json") == []
    with pytest.raises(CommandError, match="No alert is called 'BackupOlder'.* BackupOld,"):
        run("alert", "list", "--name", "BackupOlder")


def test_the_first_operator_is_added_headless(tmp_path, monkeypatch, cheap_passwords):
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path / "fresh"))
    words = (
        "user",
        "add",
        "ada@example.com",
        "--name",
        "Ada",
        "--role",
        "operator",
        "--password-stdin",
        "--json",
    )
    done = CliRunner().invoke(commands.main, words, input="correct horse\n", catch_exceptions=False)
    assert json.loads(done.stdout)["email"] == "ada@example.com"
    assert (
        sessions.sign_in("ada@example.com", "correct horse", "192.0.2.1", None, 1)["role"]
        == "operator"
    )
    db.close()


def test_a_password_is_not_read_from_where_there_is_nobody(run):
    with pytest.raises(CommandError, match="--password-stdin"):
        run("user", "add", "ada@example.com", "--name", "Ada", "--role", "operator")


@pytest.mark.parametrize("line", ["correct horse\r\n", "correct horse"])
def test_a_password_is_read_without_the_line_end_of_any_system(line, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(line))
    assert user._read_password(True) == "correct horse"


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])  # of most locales, and of C
def test_a_password_that_is_not_in_utf_8_is_refused(errors, monkeypatch):
    typed = io.TextIOWrapper(io.BytesIO(b"correct h\xf6rse\n"), "utf-8", errors)
    monkeypatch.setattr(sys, "stdin", typed)
    with pytest.raises(CommandError, match="is not in UTF-8"):
        user._read_password(True)


def test_people_are_invited_changed_and_given_passwords(run, operator, owner, partner, clock):
    email = users.get(owner.user_id)["email"]
    link = run(
        "user", "invite", "--role", "member", "--partner", partner.seeded["partnerId"], "--json"
    )["link"]
    assert users.find_invitation(link.rpartition("/")[2], clock())["role"] == "member"
    assert run("user", "set", email, "--role", "member", "--json")["role"] == "member"
    assert len(run("user", "sessions", email, "--json")) == 1
    run("user", "set-password", email, "--password-stdin", typed="battery staple\n")
    assert run("user", "sessions", email, "--json") == []
    assert "/console/welcome/" in run("user", "set-password", email, "--link")
    assert {each["role"] for each in run("user", "list", "--json")} == {"operator", "member"}


def test_a_test_key_is_made_for_somebody_and_revoked(run, owner, partner, clock):
    email = users.get(owner.user_id)["email"]
    made = run("key", "add-test", "staging", "--for", email, "--json")
    every = run("key", "list", "--partner", partner.seeded["partnerId"], "--json")
    listed = next(each for each in every if each["id"] == made["id"])
    assert (listed["state"], listed["environment"], listed["scopes"]) == (
        "Active",
        "test",
        list(scopes.READ_ONLY),
    )
    assert partner.get("/v1/partners/verify", key=made["key"]).status_code == 200
    run("key", "revoke", made["id"], "--yes")
    assert partner.get("/v1/partners/verify", key=made["key"]).status_code == 401
    assert (
        key_admin.find_key_state(
            plain_sql.row("SELECT * FROM api_keys WHERE id = ?", (made["id"],)), clock()
        )
        == "Revoked"
    )
    assert made["key"] not in str(audit.list_page(Page(100)))


def test_rules_are_added_tried_and_removed(run):
    rule = run("rule", "add", "nuclear weapons", "--json")["id"]
    assert run("rule", "try", "Nuclear  WEAPONS", "--json")["passes"] is False
    assert "it would be refused by" in run("rule", "try", "nuclear weapons")
    run("rule", "remove", rule, "--yes")
    assert run("rule", "try", "nuclear weapons", "--json") == {"passes": True, "rules": []}
    with pytest.raises(NotFound):
        run("rule", "try", "nuclear weapons", "--account", "")


def test_a_rule_is_tried_as_a_trigger_would_and_a_bad_pattern_says_why(run):
    run("rule", "add", "nuclear weapons")
    for topic in ("nuclear **weapons**", "nuclear&nbsp;weapons", "nuclеar-weapons"):
        assert run("rule", "try", topic, "--json")["passes"] is False
    with pytest.raises(CommandError, match="back-reference"):
        run("rule", "add", r"(a)\1", "--pattern")


def test_maintenance_is_switched_with_a_time_to_come_back(run, partner):
    assert run("maintenance", "on", "--retry-after", "90", "--json")["retryAfterSeconds"] == 90
    answer = partner.get("/v1/partners/verify")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "90")
    run("maintenance", "off")
    assert maintenance.retry_after() is None
    assert partner.get("/v1/partners/verify").status_code == 200


def test_a_webhook_is_paused_resumed_and_sent_a_sample(run, partner):
    asked = {"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": ["production.queued"]}
    subscription = json.loads(partner.post("/v1/webhooks", json=asked).get_data())["subscriptionId"]
    for action in ("pause", "resume"):
        run("webhook", action, subscription)
        paused_at = plain_sql.row("SELECT paused_at FROM subscriptions")[0]
        assert (paused_at is not None) is (action == "pause")
    run("webhook", "ping", subscription, "--event-type", "production.published")
    assert plain_sql.row("SELECT event_type FROM deliveries")[0] == "production.published"


def test_what_there_is_once_is_counted_in_the_singular(run, partner, tmp_path):
    asked = {"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": ["production.queued"]}
    partner.post("/v1/webhooks", json=asked)
    partner.trigger()
    exported = run("partner", "export", partner.seeded["partnerId"], str(tmp_path / "partner.tar"))
    assert exported.endswith(" rows, 1 production\n")
    assert run("audit", "verify").startswith("whole: 1 entry\n")
    assert "master key 1: 1 webhook\n" in run("key-ring", "list")
    file = tmp_path / "audit.jsonl"
    assert run("audit", "export", str(file)) == f"{file}: 2 entries\n"


def test_a_signing_secret_is_rolled_and_shown_once(run, partner):
    asked = {"endpointUrl": "https://93.184.215.14/hooks", "eventTypes": ["production.queued"]}
    made = json.loads(partner.post("/v1/webhooks", json=asked).get_data())
    rolled = run("webhook", "roll-secret", made["subscriptionId"], "--overlap-hours", "2", "--json")
    assert (
        rolled["standardWebhooksSecret"].startswith("whsec_")
        and rolled["signingSecret"] != made["signingSecret"]
    )
    again = run("webhook", "roll-secret", made["subscriptionId"])
    assert "shown once: " in again and "also signs until" in again
    actions = [
        each["action"] for each in run("audit", "--partner", partner.seeded["partnerId"], "--json")
    ]
    assert actions == ["webhook.roll-secret"] * 2


@pytest.fixture
def beside(monkeypatch):
    """Commands leave the database open for the application of this very process,
    which answers between them.
    """
    monkeypatch.setattr(database, "open_database", lambda *_: None)


def test_the_queue_is_shown_paused_and_resumed_and_a_production_is_moved_to_its_front(
    run, beside, partner, stranger, clock
):
    def next_one() -> str:
        held = stage.claim(clock)
        render_queue.release_claim(held)
        return held.production_id

    mine, theirs = (each.seeded["partnerId"] for each in (partner, stranger))
    first, moved = (partner.trigger().json["productionId"] for _ in range(2))
    other = stranger.live().trigger().json["productionId"]
    assert next_one() == other
    run("production", "front", moved)
    assert next_one() == moved
    run("queue", "pause", "--partner", mine)
    assert next_one() == other
    shown = {row["partnerId"]: row for row in run("queue", "show", "--json")}
    assert [shown[each]["waiting"] for each in (mine, theirs)] == [2, 1]
    assert shown[mine]["pausedAt"] and not shown[theirs]["pausedAt"]
    run("queue", "pause")
    assert stage.claim(clock) is None
    assert all(row["pausedAt"] for row in run("queue", "show", "--json"))
    run("queue", "resume")
    shown = {row["partnerId"]: row for row in run("queue", "show", "--json")}
    assert shown[mine]["pausedAt"] and not shown[theirs]["pausedAt"]
    run("queue", "resume", "--partner", mine)
    assert next_one() == moved != first


def test_a_live_key_that_a_command_hands_out_ends_by_itself_and_is_kept_to_its_addresses(
    run,
    beside,
    app,
    partner,
    clock,
    monkeypatch,
):
    monkeypatch.setattr(wall_clock, "now", clock)
    partner_id = partner.seeded["partnerId"]
    words = [
        "key",
        "add",
        "server",
        "--partner",
        partner_id,
        "--expires",
        "2027-01-31",
        "--ranges",
        "192.0.2.0/24",
        "--json",
    ]
    client, made = app.test_client(), run(*words)["activationKey"]

    def verify(key: str, address: str):
        headers, at = {"X-API-Key": key}, {"REMOTE_ADDR": address}
        return client.get("/v1/partners/verify", headers=headers, environ_overrides=at)

    assert verify(made, "198.51.100.7").status_code == 403
    verified = verify(made, "192.0.2.7")
    assert (verified.status_code, verified.json["keyExpiresAt"]) == (
        200,
        "2027-02-01T00:00:00.000Z",
    )
    key = verified.json["apiKey"]
    assert [verify(key, each).status_code for each in ("192.0.2.8", "198.51.100.7")] == [200, 403]
    [listed] = [
        each
        for each in run("key", "list", "--partner", partner_id, "--json")
        if each["name"] == "server"
    ]
    assert listed["allowedRanges"] == ["192.0.2.0/24"]


def test_a_table_is_printed_for_people(run, partner):
    printed = run("partner", "list").splitlines()
    assert printed[0].split()[:4] == ["id", "name", "status", "tier"]
    assert printed[1].startswith(partner.seeded["partnerId"])


def test_without_a_database_a_command_says_where_it_looked(tmp_path, monkeypatch):
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path / "nothing"))
    done = CliRunner().invoke(commands.main, ["partner", "list"], standalone_mode=False)
    assert isinstance(done.exception, CommandError)
    assert str(tmp_path / "nothing") in str(done.exception)
    assert not (tmp_path / "nothing").exists()


def test_a_refusal_is_a_sentence_and_a_status_without_a_traceback(app):
    given = {**os.environ, "SVC_DATA_DIR": str(app.extensions["svc"].settings.data_dir)}
    done = subprocess.run(
        [sys.executable, str(APP), "partner", "show", "x"],
        env=given,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (2, "error: There is no partner 'x'.\n")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_calls_this_program_by_its_whole_path(run, shell):
    script = run("completion", shell)
    assert script.count(str(APP)) == 2
    assert "ppa" in script


def test_bash_completes_groups_and_commands():
    script = subprocess.run(
        [sys.executable, str(APP), "completion", "bash"], capture_output=True, text=True
    ).stdout
    ask = (
        script
        + 'COMP_WORDS=(ppa partner se); COMP_CWORD=2; _ppa_completion ppa; echo "${COMPREPLY[@]}"'
    )
    assert (
        subprocess.run(["bash", "-c", ask], capture_output=True, text=True).stdout.strip() == "set"
    )


def test_what_cannot_be_undone_is_not_done_without_a_yes(run):
    rule = run("rule", "add", "nuclear weapons", "--json")["id"]
    with pytest.raises(CommandError, match="This permanently removes the rule. .* --yes"):
        run("rule", "remove", rule)
    assert len(run("rule", "list", "--json")) == 1
    run("rule", "remove", rule, "--yes")
    assert run("rule", "list", "--json") == []


def test_at_a_terminal_it_asks(run, monkeypatch):
    monkeypatch.setattr(confirm, "_is_terminal", lambda: True)
    rule = run("rule", "add", "nuclear weapons", "--json")["id"]
    with pytest.raises(click.Abort):
        run("rule", "remove", rule, typed="n\n")
    assert len(run("rule", "list", "--json")) == 1
    run("rule", "remove", rule, typed="y\n")
    assert run("rule", "list", "--json") == []


REMOVING = ("remove", "erase", "delete", "revoke", "withdraw")  # verbs


def test_every_command_that_removes_something_takes_yes():
    removing = [
        (words, each)
        for words, each in every_command(commands.main)
        if words[-1].split("-")[0] in REMOVING
    ]
    reversible = {("account", "remove-platform")}
    without = {
        words
        for words, each in removing
        if "--yes" not in {name for param in each.params for name in param.opts}
    }
    assert len(removing) >= 8 and without == reversible


def test_one_verb_means_one_thing_and_former_names_still_answer(run, partner):
    shown = {
        words: each
        for words, each in every_command(commands.main)
        if not each.hidden and words[0] in OPERATING
    }
    assert not {words[-1] for words in shown} & {
        "change",
        "delete",
        "edit",
        "update",
        "create",
        "new",
        "rm",
        "status",
        "get",
    }
    former = {words for words, each in every_command(commands.main) if each.hidden}
    assert {
        ("account", "change"),
        ("webhook", "delete"),
        ("user", "password"),
        ("maintenance", "status"),
    } <= former
    account = partner.seeded["liveAccountId"]
    assert (
        run("account", "change", account, "--concurrency-ceiling", "3", "--json")[
            "concurrencyCeiling"
        ]
        == 3
    )
