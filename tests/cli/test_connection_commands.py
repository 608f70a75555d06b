"""``python app.py connection``: the commands of docs/platforms.md, against places that answer."""

import functools
import json
import re
import shlex
from urllib.parse import urlsplit

import pytest
from support import places, plain_sql
from support.cast import body
from support.receivers import answering, receiving

from svc.base.errors import CommandError
from svc.store.database import db
from tests.support.documents import shell


@pytest.fixture
def run(run, monkeypatch):
    """Run a command about connections as the operator of this installation,
    which may reach this machine; what it prints.
    """
    monkeypatch.setenv("SVC_WEBHOOK_ALLOW_CIDRS", "127.0.0.0/8")
    return functools.partial(run, "connection")


def test_a_connection_is_added_listed_tried_renewed_and_removed(run, partner, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text(places.SECRET + "\n")
    with places.relay() as relay:
        url = relay.counterpart.values["url"]
        given = ("--set", f"url={url}", "--secret", f"signing_secret={secret}")
        added = run("add", partner.account, "Hook", "--name", "n8n", *given, "--json")
        [listed] = run("list", partner.account, "--json")
        assert (listed["name"], listed["connector"], listed["problem"]) == ("n8n", "Hook", None)
        assert places.SECRET not in json.dumps(listed)
        assert "it works" in run("try", added["id"])
        run("renew", added["id"], "--shape", "portrait", "--text", "{title}: {summary}")
        assert (
            plain_sql.one("SELECT shape, text_template FROM connections")["text_template"]
            == "{title}: {summary}"
        )
    run("remove", added["id"], "--yes")
    assert run("list", partner.account, "--json") == []


def test_the_address_of_a_podcast_is_listed(run, partner, app):
    added = run("add", partner.account, "Podcast", "--set", "show=Tea", "--json")
    [listed] = run("list", partner.account, "--json")
    path = urlsplit(listed["feed"]).path
    assert path == f"/podcasts/{added['id']}.xml" and app.test_client().get(path).status_code == 200


def test_a_secret_that_was_made_is_printed_once(run, partner):
    with receiving(answering()) as receiver:
        output = run("add", partner.account, "Hook", "--set", f"url={receiver.url()}")
    assert re.search(r"signing_secret: whsec_\S+  \(shown only now\)", output)
    assert "whsec_" not in run("list", partner.account)


def test_a_secret_on_the_command_line_is_refused(run, partner):
    with pytest.raises(CommandError, match="use --secret signing_secret=FILE"):
        run("add", partner.account, "Hook", "--set", f"signing_secret={places.SECRET}")


@pytest.mark.parametrize("wrong", ["nothing", "colour=red"])
def test_a_value_that_is_none_is_answered_with_the_fields(run, partner, wrong):
    with pytest.raises(CommandError, match="the fields are url, signing_secret"):
        run("add", partner.account, "Hook", "--set", wrong)


def test_a_file_that_cannot_be_read_is_named(run, partner):
    with pytest.raises(CommandError, match="/nowhere cannot be read"):
        run("add", partner.account, "Hook", "--secret", "signing_secret=/nowhere")


def test_the_kinds_are_listed_with_what_they_need(run):
    kinds = {each["kind"]: each["fields"] for each in run("kinds", "--json")}
    assert list(kinds) == [
        "Hook",
        "S3",
        "WebDAV",
        "SFTP",
        "Mastodon",
        "PeerTube",
        "WordPress",
        "YouTube",
        "Podcast",
    ]
    assert "secret_access_key (secret)" in kinds["S3"] and "host_key" not in kinds["SFTP"]


def test_the_commands_of_the_document_name_kinds_and_fields_that_exist(run):
    kinds = {each["kind"]: each["fields"] for each in run("kinds", "--json")}
    added = [
        shlex.split(line)
        for line in re.findall(
            r"^python app\.py connection add .*$", shell("docs/platforms.md"), re.M
        )
    ]
    assert {words[5] for words in added} == set(kinds)
    for words in added:
        named = [
            value.partition("=")[0]
            for flag, value in zip(words, words[1:])
            if flag in ("--set", "--secret")
        ]
        assert named and all(re.search(rf"\b{name}\b", kinds[words[5]]) for name in named), words


def test_a_production_is_withdrawn_from_a_place(run, partner):
    production = body(partner.trigger())["productionId"]
    with places.relay() as relay:
        given = [f"--set=url={relay.counterpart.values['url']}", "--secret", "signing_secret=-"]
        added = run("add", partner.account, "Hook", *given, "--json", typed=places.SECRET)
        with db.transaction():
            plain_sql.execute(
                "INSERT INTO publications (production_id, platform, account_id, status, "
                "platform_post_id, connection_id) "
                "VALUES (?, 'Hook', ?, 'Published', 'relay-1', ?)",
                (production, partner.account, added["id"]),
            )
        assert "withdrawn from Hook" in run("withdraw", production, "Hook", "--yes")
    assert relay.calls == ["test", "withdraw"]
    assert (
        plain_sql.one("SELECT status FROM publications WHERE platform = 'Hook'")["status"]
        == "Withdrawn"
    )


def test_a_kind_of_place_without_a_setting_says_so(run, partner):
    with pytest.raises(CommandError, match="Podcast is sent no files"):
        run("add", partner.account, "Podcast", "--set", "max_kilobytes_per_second=100")
