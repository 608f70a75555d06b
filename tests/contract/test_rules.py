"""The table of rules is true: its tests exist and mention what they prove,
and no documented error code is without one.
"""

import ast
import functools
import re
from pathlib import Path

import pytest
from support import plain_sql
from support.cast import body, refused
from support.stage import complete_steps, make

from svc.api.document import errors
from svc.domain import locales, scopes
from svc.domain.access import idempotency
from tests.support.documents import require_names

TESTS = Path(__file__).parents[1]
ROW = re.compile(r"\| (?P<rule>[^|]+) \| (?P<tests>[^|]+) \|")


def rows() -> list[tuple[str, list[str]]]:
    found = [
        ROW.fullmatch(line)
        for line in (TESTS / "contract" / "rules.md").read_text("utf-8").splitlines()
    ]
    return [
        (each["rule"], each["tests"].split(", "))
        for each in found
        if each and "::" in each["tests"]
    ]


@functools.cache
def sources(path: str) -> dict[str, str]:
    """The test functions of a file with their text, decorators included."""
    text = (TESTS / path).read_text("utf-8")
    lines = text.splitlines()
    return {
        node.name: "\n".join(
            lines[
                min([node.lineno, *(each.lineno for each in node.decorator_list)])
                - 1 : node.end_lineno
            ]
        )
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef)
    }


def test_every_test_that_is_named_exists():
    missing = [
        name
        for _, named in rows()
        for name in named
        if name.partition("::")[2] not in sources(name.partition("::")[0])
    ]
    assert len(rows()) > 100 and missing == []


def test_every_documented_error_code_has_a_test_that_mentions_it():
    named = {
        rule.strip("`"): tests for rule, tests in rows() if re.fullmatch(r"`[A-Z0-9_]+`", rule)
    }
    require_names(
        "tests/contract/rules.md, the table of error codes with a test of each",
        named,
        errors.list_codes(),
    )
    for code, tests in named.items():
        for path, _, name in (each.partition("::") for each in tests):
            assert f'"{code}"' in sources(path)[name], f"{name} does not mention {code}"


# The scope table of the specification, and DECISIONS.md §2 for what it leaves open.
SCOPE_TABLE = {
    scopes.TRIGGER: {
        "trigger_production", "replace_lexicon", "estimate_production", "trigger_batch",
        "create_template", "replace_template", "delete_template", "trigger_template",
        "trigger_table", "change_script", "preview_scene", "approve_script", "receive_translation",
        "resume_batch", "reopen_script", "reject_script",
    },
    scopes.READ: {
        "get_production", "get_production_of_account", "list_productions", "list_events",
        "follow_events", "get_batch", "list_batches", "list_batch_items", "get_template",
        "list_templates", "preview_template", "get_script", "get_translation", "create_portal_link",
    },
    scopes.CANCEL: {"cancel_production", "cancel_batch"},
    scopes.DELIVERABLES: {"list_deliverables", "list_deliverables_of_account"},
    scopes.PERFORMANCE: {"get_performance", "get_usage"},
    scopes.ACCOUNTS: {"list_accounts", "list_partner_accounts", "get_account",
                      "get_partner_account", "get_lexicon"},
    scopes.WEBHOOKS: {
        "create_webhook", "list_webhooks", "get_webhook", "change_webhook", "pause_webhook",
        "resume_webhook", "delete_webhook", "ping_webhook", "reinstate_webhook",
        "roll_webhook_secret", "list_deliveries", "redeliver", "replay_deliveries",
        "list_production_deliveries",
    },
    None: {"verify_key", "rotate_key", "list_requests", "list_languages", "list_countries"},
}  # fmt: skip


def test_each_operation_needs_the_scope_of_the_scope_table(app):
    found: dict = {}
    for rule in app.url_map.iter_rules():
        view = app.view_functions[rule.endpoint]
        if hasattr(view, "scope"):
            found.setdefault(view.scope, set()).add(rule.endpoint.partition(".")[2])
    for scope in SCOPE_TABLE.keys() | found.keys():
        require_names(
            f"SCOPE_TABLE in tests/contract/test_rules.py, of {scope}",
            SCOPE_TABLE.get(scope, ()),
            found.get(scope, ()),
        )


def test_every_scope_has_a_meaning_for_people():
    require_names("MEANINGS in svc/domain/scopes.py", scopes.MEANINGS, scopes.ALL)


def test_an_unexpected_error_is_an_envelope_that_tells_nothing(partner, monkeypatch):
    def fail():
        raise ZeroDivisionError("a secret")

    monkeypatch.setattr(locales, "list_offered_languages", fail)
    found = refused(partner.get("/v1/languages"), 500, "INTERNAL_ERROR")
    assert "secret" not in str(found)


def test_a_second_call_while_the_first_is_being_answered_is_refused(partner):
    creator = plain_sql.one("SELECT creator FROM accounts WHERE id = ?", (partner.account,))[0]
    key = idempotency.make_stored_key("test", creator, "order:1")
    with idempotency.lock_key(partner.seeded["partnerId"], key):
        refused(partner.trigger(headers={"Idempotency-Key": "order:1"}), 409, "REQUEST_IN_PROGRESS")
    assert partner.trigger(headers={"Idempotency-Key": "order:1"}).status_code == 202


@pytest.fixture
def link(partner, clock, tmp_path):
    """The download address of a file of five bytes."""
    production = body(partner.trigger())["productionId"]
    file = tmp_path / "data" / "media" / production / "transcript.txt"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"hello")
    complete_steps(clock, made=[make(file=f"{production}/transcript.txt")])
    return body(partner.get(f"/v1/productions/{production}/deliverables"))["data"][0]["sasUrl"]


def test_a_range_beyond_the_end_is_refused(partner, link):
    answer = partner.client.get(link, headers={"Range": "bytes=9-"}, buffered=True)
    refused(answer, 416, "RANGE_NOT_SATISFIABLE")
    assert answer.headers["Content-Range"] == "bytes */5"
